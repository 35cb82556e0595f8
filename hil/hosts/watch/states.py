"""How a live source is seen, by code: what it is doing, and why its motion is not wanted."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from platform6dof.cueing.vehicle import VehicleState


class HostState(IntEnum):
    """State of a live source."""

    WAITING = 0
    """Never heard, or not yet for long enough."""
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
    """Why a source is not followed, or was not."""

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
    """It is silent, and a sender that does not lead, or may not, sends in its place."""
    FORCE = 17
    """Its mean force is no vehicle's: gravity is elsewhere, or not there."""
    SLOPE = 18
    """Its force does not follow the change of speed, or its rates not the attitude."""
    POSE = 19
    """Its tool does not stand near the middle of its range."""
    SIGNS = 20
    """Nobody has said that signs were looked at which nothing in its packets can contradict."""


@dataclass(frozen=True, slots=True)
class Heard:
    """What a live source gives to one cycle."""

    state: VehicleState | None
    """What the vehicle does now, complete; None while nothing was ever heard."""
    host: HostState
    cause: Cause
    """Why, where `host` is not LIVE; or what was the cause last."""
    weight: float
    """Share of force and rates that is wanted, 0 to 1."""
    anchor: bool = False
    """What follows does not continue what was: position and attitude begin anew."""
    host_s: float = float("nan")
    """Stamp of the newest packet that was first used in this cycle, on the host's clock [s]; NaN if
    none was, or it has none."""
    kernel_s: float = float("nan")
    """When the kernel took it, on the clock of the run [s]."""
    taken_s: float = float("nan")
    """When the loop took it from the kernel, on the same clock [s]."""
    packets: int = 0
    """Used so far."""
    dropped: int = 0
    """Not used so far: not understood, foreign, late, or beyond a vehicle's means."""
    missing: int = 0
    """Never came, by the host's own count, so far."""
    reported: VehicleState | None = None
    """What `state` was completed from; None where that is all that was told."""
