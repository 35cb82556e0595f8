"""Telemetry of an emulated simulator at one moment, and the interfaces of wires and feeds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, Protocol

from sim.hosts.vehicle_motion import VehicleMotion


@dataclass(frozen=True, slots=True)
class Telemetry:
    """Motion of the vehicle, and status of the simulator."""

    motion: VehicleMotion
    time_s: float
    """Time on the simulation's own clock [s]."""
    sequence: int
    """Number of this moment, as the simulator counts what it sends."""
    paused: bool = False
    replay: bool = False
    reset: bool = False
    """Whether the vehicle was set elsewhere just now."""
    end: bool = False
    """Whether the simulator leaves."""
    speed_factor: float = 1.0
    """Seconds of the simulation in one of ours."""


class Packed(NamedTuple):
    """Datagram with its peer."""

    data: bytes
    peer: str = ""
    """Peer that asked for it; empty: the configured one."""


class Wire(Protocol):
    """Encoder of the datagrams of one moment."""

    def pack(self, shown: Telemetry) -> tuple[Packed, ...]:
        """Encode all datagrams of this moment, in order."""
        ...

    def receive(self, datagram: bytes, peer: str) -> None:
        """Receive a request; other datagrams are ignored."""
        ...

    def restart(self) -> None:
        """Forget all requests: the simulator was started again."""
        ...


class Silent:
    """Part of a wire that takes no requests."""

    def receive(self, datagram: bytes, peer: str) -> None:
        """Ignore the datagram."""

    def restart(self) -> None:
        """Do nothing: there is no state."""


class Feed(Protocol):
    """Motion of a vehicle over time."""

    @property
    def lasts_s(self) -> float:
        """Duration of the motion [s]."""
        ...

    def at(self, t_s: float) -> VehicleMotion:
        """Motion at a time from its beginning [s]."""
        ...
