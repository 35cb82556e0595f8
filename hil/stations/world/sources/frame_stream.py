"""Values that somebody sends as frames: the newest one counts, until it is too old."""

from __future__ import annotations

import ipaddress
import socket
from collections import Counter
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.stations.world.sources.joint_frames import HEAD, JointFrame, read_frame
from hil.stations.world.sources.source import SourceNews

Array = NDArray[np.float64]

PER_LOOK: Final = 64
"""Datagrams taken in one look at most; the rest waits, and the kernel drops what is too much."""
TELL_EVERY_S: Final = 1.0
"""Between two tellings of what was dropped [s]."""


class FrameStream:
    """Hears frames on a port; nothing in it waits.

    Only one sender is heard: the first whose frame is whole, until it has been silent for the age
    at which values are too old. Another one, or the same begun anew, is heard after that, and only
    with a later time stamp: what was delayed on its way never moves anything.

    Args:
        address: address and port.
        count: values of a frame.
        stale_s: age from which values are too old [s].
        now_s: monotonic time [s].

    Raises:
        RefusedError: if it cannot be listened on.
    """

    duration_s: float | None = None
    """Nobody knows."""

    def __init__(
        self, address: str, count: int, stale_s: float, now_s: Callable[[], float]
    ) -> None:
        self._count, self._stale_s, self._now_s = count, stale_s, now_s
        self._socket = bound(address)
        self.address: tuple[str, int] = self._socket.getsockname()[:2]
        """Where it listens."""
        self.counts: Counter[str] = Counter()
        """Frames taken, and those dropped, by reason."""
        self._sender: object = None
        self._newest: JointFrame | None = None
        self._values: Array = np.zeros(count)
        self._heard_s = -np.inf
        self._told, self._told_s = Counter[str](), -np.inf

    def values(self, t_s: float) -> Array | None:
        """The newest values [rad] or [m], shape (count,); None if there are none or too old."""
        now_s = self._now_s()
        for _ in range(PER_LOOK):
            try:
                data, sender = self._socket.recvfrom(HEAD.size + 8 * self._count + 1)
            except (BlockingIOError, InterruptedError):
                break
            except OSError:  # such as one that the kernel kept for us: a port unreachable
                continue
            self._take(data, sender, now_s)
        return self._values if now_s - self._heard_s <= self._stale_s else None

    def _take(self, data: bytes, sender: object, now_s: float) -> None:
        frame = read_frame(data, self._count)
        if isinstance(frame, str):
            self.counts[frame] += 1
            return
        newest, fresh = self._newest, now_s - self._heard_s <= self._stale_s
        if fresh and sender != self._sender:
            self.counts["other sender"] += 1
        elif newest is not None and (
            frame.stamp_s <= newest.stamp_s or (fresh and frame.number <= newest.number)
        ):
            self.counts["old"] += 1
        else:
            self.counts["taken"] += 1
            self._newest, self._sender, self._heard_s = frame, sender, now_s
            self._values = np.array(frame.values)

    def news(self) -> Sequence[SourceNews]:
        """What was dropped since the last telling, once a second at most; all once it is closed."""
        now_s, dropped = self._now_s(), self.counts - self._told
        del dropped["taken"]
        closed = self._socket.fileno() < 0
        if not closed and (not dropped or now_s - self._told_s < TELL_EVERY_S):
            return ()
        self._told, self._told_s = Counter(self.counts), now_s
        words = ", ".join(f"{number} {why}" for why, number in sorted(dropped.items())) or "none"
        data: dict[str, str | float | bool] = dict(sorted(self.counts.items()))
        return (SourceNews(f"frames dropped: {words}", data, warning=True),)

    def close(self) -> None:
        """Close the port."""
        self._socket.close()


def bound(address: str) -> socket.socket:
    """A port of UDP to hear frames on.

    Raises:
        RefusedError: if there is no such address, or somebody has it.
    """
    host, _, port = address.rpartition(":")
    right = "an address and a port are needed, such as 127.0.0.1:5577"
    try:
        number = int(port)
        version = ipaddress.ip_address(host.strip("[]")).version
    except ValueError:
        raise RefusedError(f"motion.listen = {address!r}: {right}") from None
    if not 0 <= number <= 65535:
        raise RefusedError(f"motion.listen = {address!r}: port {number}, at most 65535; {right}")
    family = socket.AF_INET6 if version == 6 else socket.AF_INET
    made = socket.socket(family, socket.SOCK_DGRAM)
    made.setblocking(False)
    try:
        made.bind((host.strip("[]"), number))
    except OSError as error:
        made.close()
        raise RefusedError(f"motion.listen = {address!r}: {error.strerror}; {right}") from None
    return made
