"""The one module of hosts that has a socket: UDP, drained once a cycle, never waiting.

Loopback by default, and there only senders of this user. Another address of ours only where every
packet is signed with a key, or where the senders of a wire without signatures are listed. The first
sender that is understood leads until a person chooses another. Packets are stamped by the kernel.
"""

from __future__ import annotations

import contextlib
import errno
import ipaddress
import logging
import socket
import struct
from collections.abc import Callable
from concurrent.futures import Executor
from dataclasses import dataclass
from typing import Final

from hil.config.errors import ConfigError, about
from hil.ipc.socket_owner import Address, udp_uids
from hil.ipc.udp_senders import Owners, Senders, Unheard
from hil.timing.clock import kernel_lead_s

SO_TIMESTAMPNS: Final = 35
"""Asks for a stamp of each packet: two int64, seconds and nanoseconds (socket(7))."""
MOST_BYTES: Final = 8192
"""A larger datagram is none of ours."""
MOST_A_CYCLE: Final = 32
"""No more datagrams are taken in one cycle; the others wait for the next one."""
QUEUE_BYTES: Final = 1 << 16
"""Of the kernel's queue: a backlog stays short."""
FLOOD_CYCLES: Final = 10
"""So many full cycles in a row, and the kernel itself drops all that is not of the sender."""
OLDEST_S: Final = 5.0
"""A kernel's stamp further back than this is one of another time of day [s]."""
SAID_EVERY_S: Final = 10.0
"""The same is said no more often [s]."""
ACT: Final = "ENGAGE at the panel while it is silent, or a new run"
"""What a person does for another sender to lead."""

_STAMP: Final = struct.Struct("=qq")
_SPACE: Final = socket.CMSG_SPACE(_STAMP.size)
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Listening:
    """Where a host is heard, and whom one listens to.

    Raises:
        ConfigError: if strangers could be heard.
    """

    address: str = "127.0.0.1"
    """Of ours."""
    port: int = 0
    """UDP; 0: any that is free."""
    signed: bool = False
    """Whether each packet bears a signature that is judged."""
    allow: tuple[str, ...] = ()
    """Addresses of senders that are heard; empty: any."""
    source: str = "command line"
    """The file that says so, for error texts."""

    def __post_init__(self) -> None:
        for place, text in (("address", self.address), *(("allow", one) for one in self.allow)):
            try:
                version = ipaddress.ip_address(text).version
            except ValueError:
                version = 0
            if version != 4:
                raise self._wrong(place, f"{text!r}: an address such as 127.0.0.1 is needed")
        if not 0 <= self.port <= 65535:
            raise self._wrong("port", f"{self.port}: 0 to 65535 is needed")
        ours = ipaddress.ip_address(self.address)
        if ours.is_loopback or self.signed:
            return
        if ours.is_unspecified:
            text = f"{self.address} hears everybody: it needs a key_file, or one address of ours"
            raise self._wrong("address", text)
        if not self.allow:
            text = f"{self.address} can be reached from elsewhere: it needs a key_file, or in allow"
            raise self._wrong("address", f"{text} the addresses that may send")

    def _wrong(self, place: str, text: str) -> ConfigError:
        return ConfigError(self.source, [about(f"source.{place}", f"{place} = {text}")])


@dataclass(frozen=True, slots=True)
class Datagram:
    """One that came."""

    data: bytes
    kernel_s: float
    """When the kernel took it, on the clock of the run [s].

    The kernel begins to stamp some time after a socket asked for it; what came before that is
    stamped as it is taken, so that it seems younger by at most a cycle."""
    taken_s: float
    """When it was taken from the kernel, likewise [s]; after the cycle's own time."""
    sender: Address


class HostLink:
    """A UDP port on which one host is heard.

    Args:
        where: address, port, and who may send.
        now_s: clock of the run, monotonic [s].
        owners: gives the users that own the sockets of a sender on this machine.
        asker: where that is asked for; a thread if it is not given.

    Raises:
        ConfigError: if the port cannot be had.
    """

    def __init__(
        self,
        where: Listening,
        now_s: Callable[[], float],
        owners: Owners = udp_uids,
        asker: Executor | None = None,
    ) -> None:
        self._where, self._now_s = where, now_s
        self.foreign: int = 0
        """Datagrams so far that were not of the one sender that is heard."""
        self.oversized: int = 0
        """Datagrams so far that were larger than any of ours."""
        self._full = 0
        self._connected = False
        self._said: dict[str, float] = {}
        self._socket = self._bound(where.port)
        self._senders = Senders(
            now_s,
            allow=where.allow,
            signed=where.signed,
            act=ACT,
            here=self.address,
            owners=owners,
            asker=asker,
        )

    @property
    def address(self) -> Address:
        """Where it listens."""
        host, port = self._socket.getsockname()[:2]
        return host, port

    @property
    def owner(self) -> Address | None:
        """The sender that leads; None before one was understood."""
        return self._senders.bound

    @property
    def other(self) -> str:
        """Who else sent a moment ago, and why that is left out; empty if nobody did."""
        return self._senders.other

    def own(self, sender: Address) -> None:
        """A packet of this sender was understood: from now on it alone leads."""
        if self._senders.follow(sender):
            _LOG.info("host: heard from %s:%d", *sender)

    def choose(self) -> bool:
        """Let another sender lead, as a person wants it; whether the one that led is silent."""
        chosen = self._senders.choose()
        if chosen and self._connected:
            port = self.address[1]
            self._socket.close()
            self._connected = False
            self._socket = self._bound(port)
        return chosen

    def drain(self) -> list[Datagram]:
        """All that came since the last cycle, oldest first, at most `MOST_A_CYCLE`."""
        now_s = self._now_s()
        self._senders.begin_cycle()
        ahead_s = kernel_lead_s(self._now_s)
        found: list[Datagram] = []
        for _ in range(MOST_A_CYCLE):
            try:
                data, extra, flags, sender = self._socket.recvmsg(MOST_BYTES, _SPACE)
                taken_s = self._now_s()
            except BlockingIOError:
                self._full = 0
                self._senders.end_queue()
                return found
            except OSError as error:  # such as of a request that nobody heard
                self._say(f"host: {error.strerror}")
                continue
            if flags & socket.MSG_TRUNC:
                self.oversized += 1
            elif (why := self._senders.judge(sender[:2])) is not None:
                if why is not Unheard.NOT_ASKED:
                    self.foreign += 1
                    self._say(f"host: {self._senders.words_of(sender[:2], why)}")
            else:
                kernel_s = _stamped(extra) - ahead_s if extra else now_s
                recent = now_s - OLDEST_S <= kernel_s <= taken_s
                kernel_s = kernel_s if recent else now_s
                found.append(Datagram(data, kernel_s, taken_s, sender[:2]))
        self._full += 1
        if self._full >= FLOOD_CYCLES:
            self._shut_out()
        return found

    def send(self, data: bytes, to: Address) -> None:
        """Ask a host for something; what cannot be sent is not."""
        with contextlib.suppress(OSError):
            if self._connected:
                if to == self.owner:
                    self._socket.send(data)
            else:
                self._socket.sendto(data, to)

    def close(self) -> None:
        """Give the port back."""
        self._socket.close()
        self._senders.close()

    def _shut_out(self) -> None:
        """Let the kernel drop what is not of the sender, before it costs any time here."""
        self._full = 0
        if self.owner is None or self._connected:
            return
        with contextlib.suppress(OSError):
            self._socket.connect(self.owner)
            self._connected = True
            self._say("host: flooded; the kernel drops what others send")

    def _bound(self, port: int) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_CLOEXEC)
        made.setblocking(False)
        try:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, QUEUE_BYTES)
            made.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
            made.bind((self._where.address, port))
        except OSError as error:
            made.close()
            taken = error.errno == errno.EADDRINUSE
            why = "another program has it; close that one or choose another port"
            text = why if taken else f"{self._where.address}: {error.strerror}"
            line = f"port = {port}: {text}"
            raise ConfigError(self._where.source, [about("source.port", line)]) from None
        return made

    def _say(self, text: str) -> None:
        now_s = self._now_s()
        if now_s - self._said.get(text, -SAID_EVERY_S) < SAID_EVERY_S:
            return
        if len(self._said) > 64:  # of very many senders
            self._said.clear()
        self._said[text] = now_s
        _LOG.warning("%s", text)


def _stamped(extra: list[tuple[int, int, bytes]]) -> float:
    for level, kind, data in extra:
        if level == socket.SOL_SOCKET and kind == SO_TIMESTAMPNS and len(data) >= _STAMP.size:
            seconds, nanoseconds = _STAMP.unpack(data[: _STAMP.size])
            return seconds + nanoseconds * 1e-9
    return 0.0
