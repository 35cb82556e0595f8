"""Codes of a live source: its state, and the reason why its motion is not wanted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from platform6dof.cueing.vehicle import VehicleState


class HostState(IntEnum):
    """State of a live source."""

    WAITING = 0
    """No packet yet, or not yet for long enough."""
    LIVE = 1
    FADING_OUT = 2
    AWAY = 3
    """Faded out; it may come back by itself."""
    FADING_IN = 4
    LOST = 5
    """Away for too long: the platform parks, and a person must engage it anew."""


SOUND: Final = (HostState.LIVE, HostState.FADING_IN)
"""States of a source whose stream is sound."""


class Cause(IntEnum):
    """Reason why a source is not followed, or was not."""

    NONE = 0
    NO_PACKET = 1
    STAMP_FROZEN = 2
    PAUSED = 3
    REPLAY = 4
    SPEED_FACTOR = 5
    END = 6
    POSITION_JUMP = 7
    ATTITUDE_JUMP = 8
    TIME_BACKWARD = 9
    SEQUENCE_RESTART = 10
    RESET = 11
    STEP = 12
    """Three packets in a row with a force or rate beyond a vehicle's means."""
    VALUES_FROZEN = 13
    MUTED = 14
    """A person took the motion away."""
    MODEL_FAILED = 15
    """An FMU crashed, hung, refused a step or gave no number."""
    OTHER_SENDER = 16
    """The host is silent, and a sender that does not lead, or may not, sends in its place."""
    FORCE = 17
    """The mean force is no vehicle's: gravity is elsewhere, or not there."""
    SLOPE = 18
    """The force does not follow the change of speed, or the rates not the attitude."""
    POSE = 19
    """The tool is not near the middle of its range."""
    SIGNS = 20
    """Signs that nothing in the packets can contradict have not been inspected."""


@dataclass(frozen=True, slots=True)
class HostReading:
    """Reading of a live source for one cycle."""

    state: VehicleState | None
    """Motion of the vehicle now, complete; None before any packet was received."""
    host: HostState
    cause: Cause
    """Cause, where `host` is not LIVE; or the last one."""
    weight: float
    """Share of force and rates that is wanted, 0 to 1."""
    anchor: bool = False
    """True if this reading does not continue the one before: position and attitude begin anew."""
    host_s: float = float("nan")
    """Stamp of the newest packet that was first used in this cycle, on the host's clock [s]; NaN if
    none was, or it has none."""
    kernel_s: float = float("nan")
    """Time at which the kernel took that packet, on the clock of the run [s]."""
    taken_s: float = float("nan")
    """Time at which the loop took it from the kernel, on the same clock [s]."""
    packets: int = 0
    """Number of packets used so far."""
    dropped: int = 0
    """Packets not used so far: not understood, foreign, late, or beyond a vehicle's means."""
    missing: int = 0
    """Number of packets that never came, by the host's own count, so far."""
    reported: VehicleState | None = None
    """State as it was received, from which `state` was completed; None where it was complete."""
