"""Values received as frames: the newest one counts, until it is too old."""

from __future__ import annotations

import ipaddress
import socket
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.ipc.socket_owner import Address, udp_uids
from hil.ipc.udp_senders import Owners, Senders, Unheard
from hil.stations.world.sources.joint_frames import HEAD, FrameOrder, read_frame
from hil.stations.world.sources.source import SourceNews

Array = NDArray[np.float64]

FRAMES_PER_POLL: Final = 64
"""Most datagrams taken in one poll; the rest waits, and the kernel drops what is too much."""
TELL_EVERY_S: Final = 1.0
"""Shortest time between two reports of dropped frames [s]."""
ACT: Final = "to let go and hold anew at the panel while it is silent, or a new run"
"""Action of a person that lets another sender lead."""
_COUNTED: Final = {
    Unheard.NOT_LISTED: "sender not listed",
    Unheard.OTHER_USER: "other user",
    Unheard.UNKNOWN_USER: "unknown user",
    Unheard.NOT_BOUND: "other sender",
    Unheard.OWN_ADDRESS: "own address",
    Unheard.PORT_CLOSED: "port closed",
    Unheard.NOT_ANSWERED: "unknown user",
}


class FrameStream:
    """Receiver of frames on a port; it never waits.

    Only one sender leads: the first whose frame is whole, for the whole run, unless a person
    chooses another while it is silent (`choose`). Delayed frames never move anything.

    Args:
        address: address and port.
        count: number of values of a frame.
        stale_s: age from which values are too old [s].
        now_s: monotonic time [s].
        allow: hosts that may send; needed where other machines can reach the address.
        owners: returns the users that own the sockets of a sender on this machine.
        asker: runs that query; left out, a thread.

    Raises:
        RefusedError: if it cannot be bound, or strangers could send.
    """

    duration_s: float | None = None
    """Duration, which nobody knows."""

    def __init__(
        self,
        address: str,
        count: int,
        stale_s: float,
        now_s: Callable[[], float],
        allow: Sequence[str] = (),
        owners: Owners = udp_uids,
        asker: Executor | None = None,
    ) -> None:
        self._count, self._stale_s, self._now_s = count, stale_s, now_s
        self._socket = bound(address, allow)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        """Address and port on which it receives."""
        self._senders = Senders(
            now_s, allow=allow, act=ACT, here=self.address, owners=owners, asker=asker
        )
        self.counts: Counter[str] = Counter()
        """Number of frames taken, and of those dropped, by reason."""
        self._order = FrameOrder(self._stale_s)
        self._values: Array = np.zeros(count)
        self._received_s = -np.inf
        self._noted, self._noted_s = Counter[str](), -np.inf

    def values(self, t_s: float) -> Array | None:
        """Newest values [rad] or [m], shape (count,); None if none came or they are too old."""
        now_s = self._now_s()
        self._senders.begin_cycle()
        for _ in range(FRAMES_PER_POLL):
            try:
                data, sender = self._socket.recvfrom(HEAD.size + 8 * self._count + 1)
            except (BlockingIOError, InterruptedError):
                self._senders.end_queue()
                break
            except OSError:  # such as one that the kernel kept for us: a port unreachable
                continue
            self._take(data, sender[:2], now_s)
        return self._values if now_s - self._received_s <= self._stale_s else None

    def choose(self) -> None:
        """Let another sender lead, at a person's request, if the one that led is silent."""
        if self._senders.choose():
            self._order = FrameOrder(self._stale_s)

    def _take(self, data: bytes, sender: Address, now_s: float) -> None:
        frame = read_frame(data, self._count)
        if isinstance(frame, str):
            self.counts[frame] += 1
            return
        if (unheard := self._senders.judge(sender)) is not None:
            if sender == self._senders.bound:
                self._received_s = -np.inf  # what it sent last may have been another user's
            if unheard is not Unheard.NOT_ASKED:
                self.counts[_COUNTED[unheard]] += 1
            return
        fresh = now_s - self._received_s <= self._stale_s
        if why := self._order.judge(frame, now_s, fresh=fresh):
            self.counts[why] += 1
            return
        self.counts["taken"] += 1
        self._senders.follow(sender)
        self._received_s, self._values = now_s, np.array(frame.values)

    def news(self) -> Sequence[SourceNews]:
        """Dropped frames since the last report, once a second at most; all once it is closed."""
        now_s, dropped = self._now_s(), self.counts - self._noted
        del dropped["taken"]
        closed = self._socket.fileno() < 0
        if not closed and (not dropped or now_s - self._noted_s < TELL_EVERY_S):
            return ()
        self._noted, self._noted_s = Counter(self.counts), now_s
        words = ", ".join(f"{number} {why}" for why, number in sorted(dropped.items())) or "none"
        data: dict[str, str | float | bool] = dict(sorted(self.counts.items()))
        whose = f" ({other})" if (other := self._senders.other) else ""
        return (SourceNews(f"frames dropped: {words}{whose}", data, warning=True),)

    def close(self) -> None:
        """Close the port."""
        self._socket.close()
        self._senders.close()


def bound(address: str, allow: Sequence[str] = ()) -> socket.socket:
    """Bind a UDP port to receive frames on.

    Args:
        allow: hosts that may send; needed where other machines can reach the address.

    Raises:
        RefusedError: if there is no such address, it is in use, or strangers could send.
    """
    host, _, port = address.rpartition(":")
    right = "an address and a port are needed, such as 127.0.0.1:5577"
    try:
        number = int(port)
        place = ipaddress.ip_address(host.strip("[]"))
        for one in allow:
            ipaddress.ip_address(one)
    except ValueError as error:
        why = right if not allow else f"{error}; {right}"
        raise RefusedError(f"motion.listen = {address!r}: {why}") from None
    plain = (place.ipv4_mapped or place) if place.version == 6 else place
    if plain.is_unspecified:
        text = "hears everybody; name one address of this machine, such as 127.0.0.1:5577"
        raise RefusedError(f"motion.listen = {address!r}: {text}")
    if not plain.is_loopback and not allow:
        text = "can be reached from elsewhere: motion.allow must list who may send"
        raise RefusedError(
            f"motion.listen = {address!r}: {text}; or listen here alone, such as 127.0.0.1:5577"
        )
    if not 0 <= number <= 65535:
        raise RefusedError(f"motion.listen = {address!r}: port {number}, at most 65535; {right}")
    family = socket.AF_INET6 if place.version == 6 else socket.AF_INET
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.setblocking(False)
    try:
        made.bind((host.strip("[]"), number))
    except OSError as error:
        made.close()
        raise RefusedError(f"motion.listen = {address!r}: {error.strerror}; {right}") from None
    return made
