"""A socket and a codec as one: packets of a host, decoded, poll by poll."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any, Final

from hil.config.errors import ConfigError
from hil.hosts.kind import (
    SET_ASIDE,
    Packet,
    Received,
    Refused,
    challenge_of,
    decode_at,
    end_session,
)
from hil.hosts.link import Address, HostLink, Listening
from hil.hosts.maps import mapped
from hil.stations.simulator.listening.host_lookup import NamedHost
from hil.timing.clock import Clock

PERIOD_S: Final = 0.005
"""Time between two polls of the socket; the kernel stamps what comes meanwhile [s]."""

SHOWN_BYTES: Final = 24
"""Number of bytes shown of a datagram that was not understood."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ListenChoice:
    """Choice of a host, and the address on which it is received."""

    host: NamedHost
    """Kind and map."""
    address: str = "127.0.0.1"
    """Address of this machine on which the host is received."""
    port: int | None = None
    """UDP port; None for the kind's, 0 for any free one."""
    asks: Address | None = None
    """Address for requests to the host; None for its kind's port on this machine."""
    allow: tuple[str, ...] = ()
    """Senders that are accepted; empty: any."""
    key: bytes = b""
    """Key that the packets are signed with; empty without."""

    def signed(self) -> NamedHost:
        """Return the host with its key.

        Raises:
            ConfigError: if packets of its kind are not signed.
        """
        if not self.key:
            return self.host
        settings: Any = self.host.settings
        if "key" not in type(settings).model_fields:
            text = f"packets of {self.host.kind.name} bear no signature: leave it out"
            raise ConfigError("--key-file", [text])
        return replace(self.host, settings=settings.model_copy(update={"key": self.key}))


class HostReceiver:
    """Receiver of one host.

    Args:
        choice: which, and where.
        now_s: the clock, monotonic [s].

    Raises:
        ConfigError: if the port cannot be had, or the choice cannot be.
    """

    def __init__(self, choice: ListenChoice, now_s: Callable[[], float]) -> None:
        host = choice.signed()
        kind = host.kind
        self._map, self._codec = host.settings, host.codec()
        port = kind.port_of(host.settings) if choice.port is None else choice.port
        where = Listening(choice.address, port, bool(choice.key), choice.allow)
        self._link = HostLink(where, now_s)
        asks_port = kind.asks_port
        self._asks = choice.asks or (None if asks_port is None else ("127.0.0.1", asks_port))
        self.unheard: str = ""
        """Last datagram that was not understood, and what a packet is; else empty."""

    @property
    def address(self) -> Address:
        """Address on which it listens."""
        return self._link.address

    @property
    def foreign(self) -> int:
        """Number of datagrams of others than the host so far."""
        return self._link.foreign

    @property
    def other(self) -> str:
        """Sender that was ignored a moment ago, and why; empty if there is none."""
        return self._link.other

    def messages(self, now_s: float) -> Sequence[Received | Refused]:
        """Return the packets since the last call, oldest first [s].

        Nothing moves here, so another sender is listened to as soon as the one before is silent.
        """
        if self._link.choose():
            end_session(self._codec)
        self._ask(self._codec.requests(now_s))
        found: list[Received | Refused] = []
        for datagram in self._link.drain():
            decoded = decode_at(self._codec, datagram.data, datagram.kernel_s, datagram.sender)
            if isinstance(decoded, Refused):
                answer = challenge_of(self._codec, decoded, now_s, datagram.sender)
                if answer is not None:
                    self._link.send(answer, datagram.sender)
                found.append(decoded)
                if decoded not in SET_ASIDE:
                    self.unheard = _seen(datagram.data, getattr(self._codec, "wanted", ""))
                continue
            self._link.own(datagram.sender)
            packet = Packet(mapped(decoded.state, self._map), decoded.sequence)
            found.append(Received(packet, datagram.kernel_s, datagram.taken_s))
        return found

    def close(self) -> None:
        """Tell a host that was asked to send that it may stop, and close the port."""
        farewell = getattr(self._codec, "farewell", None)
        if farewell is not None:
            self._ask(farewell())
        self._link.close()

    def _ask(self, requests: Sequence[bytes]) -> None:
        if self._asks is not None:
            for request in requests:
                self._link.send(request, self._asks)


def _seen(data: bytes, wanted: str) -> str:
    """Return a datagram in words, beside what a codec would have understood."""
    begin = data[:SHOWN_BYTES]
    text = begin.decode("ascii", "replace")
    shown = repr(text) if text.isascii() and text.strip().isprintable() else begin.hex(" ", 4)
    more = "…" if len(data) > SHOWN_BYTES else ""
    phrase = f"the last one had {len(data)} bytes: {shown}{more}"
    return f"{phrase}; needed: {wanted}" if wanted else phrase


@contextmanager
def listening(choice: ListenChoice, clock: Clock) -> Iterator[HostReceiver]:
    """Yield the ears that are closed at the end; raises `ConfigError`."""
    ears = HostReceiver(choice, clock.now_s)
    try:
        yield ears
    finally:
        ears.close()


def listen(
    ears: HostReceiver,
    clock: Clock,
    seconds: float,
    stop: Callable[[], bool],
    take: Callable[[float, Sequence[Received | Refused]], None],
) -> float:
    """Pass on what arrives, poll by poll.

    Args:
        seconds: how long at most; infinite until `stop` [s].
        stop: called at every poll.
        take: called with the time since the beginning [s] and what came.

    Returns:
        How long it took [s].
    """
    begin_s = clock.now_s()
    elapsed_s = 0.0
    for _ in clock.ticks(PERIOD_S):
        now_s = clock.now_s()
        elapsed_s = now_s - begin_s
        take(now_s, ears.messages(now_s))
        if elapsed_s >= seconds or stop():
            break
    return elapsed_s


def seconds_of(seconds: float | None) -> float:
    """Return the option's meaning: None is for ever; raises `ConfigError`."""
    if seconds is None:
        return math.inf
    if not (math.isfinite(seconds) and seconds > 0.0):
        raise ConfigError("--seconds", [f"{seconds} s: a time above 0 s is needed"])
    return seconds
