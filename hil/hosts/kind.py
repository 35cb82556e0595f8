"""Interface of a kind of live host: a codec without any link, and its settings.

Kinds are found by the entry points `hil.hosts`, ours and those of others.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Protocol

from platform6dof.cueing.vehicle import VehicleState

GROUP: Final = "hil.hosts"
"""Entry points whose objects are `HostKind` values; each bears the kind's name."""


class Refused(Enum):
    """Reason why a datagram is none of a codec's; it is counted, never raised."""

    LENGTH = "length"
    MAGIC = "magic"
    VERSION = "version"
    CHECKSUM = "checksum"
    SIGNATURE = "signature"
    """Signature missing, of another key, or of another session than this one's."""
    SESSION = "session"
    """Packet of this session, but not newer than the newest: it came late, or was captured."""
    TEXT = "text"
    """Packet with text of another form, or with a field that is not a number."""
    NOT_FINITE = "not finite"
    RANGE = "range"
    """A number that no vehicle could have, or no rotation."""
    FOREIGN = "foreign"
    """Packet of a sender that is not allowed, or of another one than before."""
    NO_MOTION = "no motion"
    """Packet of the wire without motion (OutGauge, other rows of DATA)."""
    PART = "part of an instant whose other parts have not come"
    """Part of an instant, whose values are kept until the others are there."""


SET_ASIDE: Final = frozenset({Refused.NO_MOTION, Refused.PART})
"""Datagrams of the host itself that are no fault: a watchdog takes no notice of them."""


@dataclass(frozen=True, slots=True)
class Packet:
    """One datagram that was understood."""

    state: VehicleState
    """State in the packet; NaN for what the wire does not have."""
    sequence: int | None = None
    """Number of the packet as the host counts; None where the wire has none."""


@dataclass(frozen=True, slots=True)
class Received:
    """A packet, and the times at which it was received."""

    packet: Packet
    kernel_s: float
    """Time at which the kernel took it from the network, on the clock of the run [s]."""
    taken_s: float
    """Time at which the loop took it from the kernel, on the same clock [s]."""


class Codec(Protocol):
    """Decoder of one wire; pure, one object for one stream."""

    def decode(self, datagram: bytes) -> Packet | Refused:
        """Decode a datagram, or return why it is none of ours; any bytes are taken."""
        ...

    def requests(self, now_s: float) -> tuple[bytes, ...]:
        """Return what must be sent to the host now, so that it sends or continues sending [s]."""
        ...


def decode_at(
    codec: Codec, datagram: bytes, kernel_s: float, sender: tuple[str, int]
) -> Packet | Refused:
    """Decode a datagram by a codec to which its time or sender matters.

    A codec whose instants come in several datagrams has a method `decode_at`, one whose signatures
    hold for one sender `decode_from`.

    Args:
        kernel_s: when the kernel took it, on the clock of the run [s].
        sender: host and port that it came from.
    """
    if (signed := getattr(codec, "decode_from", None)) is not None:
        return signed(datagram, sender)
    timed = getattr(codec, "decode_at", None)
    return codec.decode(datagram) if timed is None else timed(datagram, kernel_s)


def challenge_of(codec: Codec, why: Refused, now_s: float, sender: tuple[str, int]) -> bytes | None:
    """Return the challenge that a sender must sign in this session; None for nothing.

    A codec that has sessions has a method `challenge`.

    Args:
        why: its datagram was refused.
        now_s: on the clock of the run [s].
        sender: host and port that it came from.
    """
    if why is not Refused.SIGNATURE:
        return None
    challenge = getattr(codec, "challenge", None)
    return None if challenge is None else challenge(now_s, sender)


def end_session(codec: Codec) -> None:
    """End a codec's session, as another sender may lead; one without sessions does nothing."""
    end = getattr(codec, "end_session", None)
    if end is not None:
        end()


def version_of_map(settings: Any, version: str) -> tuple[str, Mapping[str, Any]]:
    """Return the version asked for, else the one of a map that has one, and no options."""
    return version or str(getattr(settings, "version", "")), {}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostKind:
    """One kind of host, as its entry point gives it."""

    name: str
    title: str
    """Name that people use, with the versions that are meant."""
    port: int
    """UDP port on which the bench listens by default."""
    fields: frozenset[str]
    """Names of fields of `VehicleState` that its wire has, "flags.PAUSED" and so on for flags, and
    "sequence"."""
    settings: Callable[[], type[Any]]
    """Gives the model of its map's keys, a `hil.config.settings.Settings`."""
    codec: Callable[[Any], Codec]
    """Makes the codec of such settings; raises `ConfigError` for one that cannot be."""
    files: tuple[str, ...] = ()
    """Keys of its map that name a file, one beside the map or of `configs/hosts`."""
    asks_port: int | None = None
    """UDP port of the host that requests are sent to; None if it needs none."""
    fields_by_map: Callable[[Any], frozenset[str]] | None = None
    """Names as in `fields`, by such settings, where the map decides; `fields` is empty then."""
    wire: Callable[[Any, str], tuple[str, Mapping[str, Any]]] = version_of_map
    """Gives the version and the options with which an emulated host's wire fits such settings, of
    the version that was asked for, which may be empty."""

    def fields_for(self, settings: Any) -> frozenset[str]:
        """Return the quantities of one map, as in `fields`."""
        return self.fields if self.fields_by_map is None else self.fields_by_map(settings)

    def port_of(self, settings: Any) -> int:
        """UDP port on which the bench listens by default, of one map: its own, where it has one."""
        return getattr(settings, "port", self.port)
