"""What an emulated simulator has to tell at one moment, and what a wire is."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sim.hosts.vehicle_motion import VehicleMotion


@dataclass(frozen=True, slots=True)
class Telemetry:
    """The vehicle, and what the simulator says of itself."""

    motion: VehicleMotion
    time_s: float
    """On the simulation's own clock [s]."""
    sequence: int
    """Number of this moment, as the simulator counts what it sends."""
    paused: bool = False
    replay: bool = False
    reset: bool = False
    """The vehicle was set elsewhere just now."""
    end: bool = False
    """The simulator leaves."""
    speed_factor: float = 1.0
    """Seconds of the simulation in one of ours."""


class Packed(NamedTuple):
    """One datagram, and for whom it is."""

    data: bytes
    peer: str = ""
    """Who asked for it; empty: whoever is configured."""


class Wire(Protocol):
    """Makes the datagrams of one moment."""

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """All that is sent at this moment, in order."""
        ...

    def receive(self, datagram: bytes, peer: str) -> None:
        """Hear a request; what is none is ignored."""
        ...

    def restart(self) -> None:
        """Forget who asked for what: the simulator was started anew."""
        ...


class Silent:
    """Part of a wire that is never asked."""

    def receive(self, datagram: bytes, peer: str) -> None:
        """Ignore it."""

    def restart(self) -> None:
        """There is nothing to forget."""


class Feed(Protocol):
    """A vehicle's motion over time."""

    @property
    def lasts_s(self) -> float:
        """How long it does something [s]."""
        ...

    def at(self, t_s: float) -> VehicleMotion:
        """What it does at a time from its beginning [s]."""
        ...
