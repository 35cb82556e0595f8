"""Laws of motion along a path, and its slowing down: the time that a dead-man holds.

A law says where the gripper is at each time of its own. That time passes only while the move is
held: let go, it passes slower from waypoint to waypoint, in `LEVELS` even steps, and stops; held
again it takes up its pace in as many. So the robot comes to rest on its path and continues along
it. Joint rates are never above those of the law. The second difference of the joints over a period
T, with paces u and v before and after, is at most

    |dq/dt| |v - u| / T + |d²q/dt²|

of the law, because q(t + T v) - 2 q(t) + q(t - T u) = dq/dt T (v - u) + at most half of
|d²q/dt²| T² (u² + v²). Laws are made so that this sum keeps the limits of acceleration.
"""

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from hil.stations.arm.moves.paths import PathDemand, ToolPath
from hil_common.arrays.pose import Pose
from safety.arm_limits import ArmLimits
from sim.world.space_arm.simulator import TICK_S

LEVELS = 3
"""Waypoints in which a released move comes to rest; the last of them repeats the one before."""
RAMP_S = LEVELS * TICK_S
"""Time in which a move takes up its whole pace, and in which a law does [s]."""
PART = 0.9
"""Part of the limits that a law makes use of: of speed and turn as well, for a move is at its pace
when the robot's period is known from two of them."""
UNIT_S = TICK_S / LEVELS
"""A law's time passes in multiples of this."""


class Law(Protocol):
    """Share of a path over time."""

    @property
    def units(self) -> int:
        """Duration in `UNIT_S`."""
        ...

    def share(self, t_s: float) -> float:
        """Return the share of the path done at a time, 0 to 1; beyond its ends it rests there."""
        ...


@dataclass(frozen=True, slots=True)
class RestToRest:
    """Even speed between an even beginning and an even end, of `RAMP_S` each."""

    units: int
    """Duration in `UNIT_S`, a whole number of periods, at least two ramps."""

    @classmethod
    def at(cls, share_per_s: float) -> "RestToRest":
        """Return the fastest one that is nowhere faster than this [1/s]."""
        periods = math.ceil((RAMP_S + 1.0 / share_per_s) / TICK_S - 1e-9)
        return cls(LEVELS * max(periods, 2 * LEVELS))

    def share(self, t_s: float) -> float:
        """Return the share of the path done at a time."""
        whole_s = self.units * UNIT_S
        speed = 1.0 / (whole_s - RAMP_S)
        t_s = min(max(t_s, 0.0), whole_s)
        left_s = whole_s - t_s
        if t_s < RAMP_S:
            return 0.5 * speed * t_s**2 / RAMP_S
        if left_s < RAMP_S:
            return 1.0 - 0.5 * speed * left_s**2 / RAMP_S
        return speed * (t_s - 0.5 * RAMP_S)


@dataclass(frozen=True, slots=True)
class AsRecorded:
    """The path's own time, evenly stretched to whole periods."""

    units: int

    @classmethod
    def lasting(cls, duration_s: float) -> "AsRecorded":
        """At least so long [s]."""
        return cls(LEVELS * max(math.ceil(duration_s / TICK_S - 1e-6), 1))

    def share(self, t_s: float) -> float:
        """Return the share of the path done at a time."""
        return min(max(t_s / (self.units * UNIT_S), 0.0), 1.0)


def fastest_share_per_s(shape: PathDemand, limits: ArmLimits, part: float, *, ramps: int) -> float:
    """Find the greatest rate of a path's share at which no limit of the robot breaks [1/s].

    Args:
        part: of its limits of speed, turn and joint rates that may be used, up to 1.
        ramps: how many changes of pace come together: 1 for that of the dead-man alone, 2 if the
            law begins and ends at rest.
    """
    rates, accelerations = (
        np.array(limits.rate_max_rad_s), PART * np.array(limits.acceleration_max_rad_s2)
    )  # fmt: skip
    part = min(part, 1.0)
    best = min(
        _over(part * limits.gripper_speed_max_m_s, shape.distance_m.max()),
        _over(part * limits.gripper_turn_max_rad_s, shape.turn_rad.max()),
        float(np.min(_over_each(PART * part * rates, shape.joints_rad.max(axis=0)))),
    )
    slope = ramps * shape.joints_rad.max(axis=0) / RAMP_S  # slope v + bend v² = acceleration
    bend = shape.bends_rad.max(axis=0)
    root = np.sqrt(slope**2 + 4.0 * bend * accelerations)
    return min(best, float(np.min(_over_each(2.0 * accelerations, slope + root))))


def _over(limit: float, value: float) -> float:
    return limit / value if value > 0.0 else math.inf


def _over_each(limits: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.divide(limits, values, out=np.full_like(limits, math.inf), where=values > 0.0)


class PathMover:
    """Mover along a path while it is held, at rest on it while it is not."""

    note = ""

    def __init__(self, path: ToolPath, law: Law) -> None:
        self._path = path
        self._law = law
        self._units = self._level = 0

    @property
    def share(self) -> float:
        """Pace, 0 (at rest) to 1."""
        return self._level / LEVELS

    @property
    def at_rest(self) -> bool:
        """Whether the next waypoint is the last one, unless it is held."""
        return self._level == 0

    @property
    def done(self) -> bool:
        """Whether the end of the path has been reached."""
        return self._units >= self._law.units

    def next(self, *, held: bool) -> Pose:
        """Return the pose a period later."""
        self._level = min(self._level + 1, LEVELS) if held else max(self._level - 1, 0)
        self._units = min(self._units + self._level, self._law.units)
        return self._path(self._law.share(self._units * UNIT_S))
