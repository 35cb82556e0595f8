"""Moves from rest to rest with bounded jerk, along the straight path between two poses.

A move goes straight in position and turns about one fixed axis, both in step: one path parameter
s runs from 0 to 1, planned by `ruckig` in the shortest time that the limits allow. Its phases of
constant jerk are kept as cubics, so that sampling needs no planner and repeats bit for bit.
"""

import bisect
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numba import njit

from hil.config.errors import MotionError, require_number
from hil.config.move_limits import MoveLimits
from hil.run.rest_to_rest import Cubic, unit_path
from hil.stations.platform.motion.source import Floats, clamp_time
from hil_common.arrays.pose import Pose
from platform6dof.pose import PlatformSetpoint
from platform6dof.turn import rotation_vector

NO_MOVE = 1e-12
"""Distances [m] and rotations [rad] below this are rounding, not motion."""
HALF_TURN_MARGIN_RAD = 1e-6
"""Nearness to half a turn at which there is no single shortest rotation [rad]."""


@dataclass(frozen=True, slots=True, eq=False)
class _Segment:
    """Straight path between two poses, with the rotation on it about one axis in base axes."""

    from_m: Floats  # (3,)
    shift_m: Floats  # (3,)
    from_rotation: Floats  # (3, 3)
    axis: Floats  # (3,), unit
    turn_rad: float

    def ceilings(self, limits: MoveLimits) -> tuple[float, float, float]:
        """Return the limits of the path parameter's rates [1/s, 1/s2, 1/s3]."""
        distance_m = float(np.linalg.norm(self.shift_m))
        bounds: list[float] = []
        for linear, angular in (
            (limits.speed_m_s, limits.angular_speed_rad_s),
            (limits.acceleration_m_s2, limits.angular_acceleration_rad_s2),
            (limits.jerk_m_s3, limits.angular_jerk_rad_s3),
        ):
            by_distance = linear / distance_m if distance_m > NO_MOVE else math.inf
            by_turn = angular / self.turn_rad if self.turn_rad > NO_MOVE else math.inf
            bounds.append(min(by_distance, by_turn))
        return bounds[0], bounds[1], bounds[2]


@dataclass(frozen=True, slots=True, eq=False)
class _Phase:
    """Stretch of constant jerk on a segment."""

    segment: _Segment
    cubic: Cubic

    def at(self, t_s: float) -> PlatformSetpoint:
        """Return the setpoint at a time since the phase began [s]."""
        segment = self.segment
        return PlatformSetpoint.from_packed(
            _along(
                t_s,
                self.cubic,
                segment.from_m,
                segment.shift_m,
                segment.from_rotation,
                segment.axis,
                segment.turn_rad,
            )
        )


class Moves:
    """List of poses, reached one after another, with a rest in each.

    Args:
        start: X_BP where the platform is at first.
        waypoints: (X_BP to go to, dwell_s to stay there [s]), in order.

    Raises:
        MotionError: If a dwell is negative or not finite, or a move turns by half a turn, for which
            two rotations are equally short.
    """

    def __init__(
        self, start: Pose, waypoints: Sequence[tuple[Pose, float]], limits: MoveLimits
    ) -> None:
        self._begins_s: list[float] = []
        self._phases: list[_Phase | PlatformSetpoint] = []
        self._duration_s = 0.0
        self._first = self._last = PlatformSetpoint.at_rest(start)
        here = start
        for number, (goal, dwell_s) in enumerate(waypoints, start=1):
            dwell_s = require_number(f"waypoint {number}: dwell_s", dwell_s, "s", least=0.0)
            segment = _straight(here, goal, f"the move to waypoint {number}")
            if segment is not None:
                for lasting_s, cubic in unit_path(segment.ceilings(limits)):
                    self._append(_Phase(segment, cubic), lasting_s)
                here, self._last = goal, PlatformSetpoint.at_rest(goal)
            if dwell_s > 0.0:
                self._append(self._last, dwell_s)

    def _append(self, phase: _Phase | PlatformSetpoint, lasting_s: float) -> None:
        self._begins_s.append(self._duration_s)
        self._phases.append(phase)
        self._duration_s += lasting_s

    @property
    def duration_s(self) -> float:
        """Duration from rest to rest, dwells included [s]."""
        return self._duration_s

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the pose, twist and acceleration at a time since the start [s]."""
        t_s = clamp_time(t_s, self._duration_s)
        if t_s <= 0.0:
            return self._first
        if t_s >= self._duration_s:
            return self._last
        index = bisect.bisect_right(self._begins_s, t_s) - 1
        phase = self._phases[index]
        if isinstance(phase, PlatformSetpoint):
            return phase
        return phase.at(t_s - self._begins_s[index])


def move(X_start: Pose, X_goal: Pose, limits: MoveLimits) -> Moves:
    """Return the move from rest at a pose to rest at another.

    Args:
        X_start: X_BP to begin at.
        X_goal: X_BP to end at; the same pose gives a motion of no duration.

    Raises:
        MotionError: If the move turns by half a turn.
    """
    return Moves(X_start, ((X_goal, 0.0),), limits)


def _straight(start: Pose, goal: Pose, place: str) -> _Segment | None:
    """Return the path between two poses, None if they are the same."""
    shift_m = goal.position_m - start.position_m
    turn = rotation_vector(goal.rotation @ start.rotation.T)
    turn_rad = float(np.linalg.norm(turn))
    if turn_rad > math.pi - HALF_TURN_MARGIN_RAD:
        text = f"{place} turns by {math.degrees(turn_rad):.4f} deg: two ways are equally short"
        raise MotionError(f"{text}; put a pose between them, less than 180 deg from either")
    if float(np.linalg.norm(shift_m)) <= NO_MOVE and turn_rad <= NO_MOVE:
        return None
    axis = turn / turn_rad if turn_rad > 0.0 else np.array([1.0, 0.0, 0.0])
    return _Segment(start.position_m, shift_m, start.rotation, axis, turn_rad)


@njit(cache=True)
def _along(
    t_s: float,
    cubic: Cubic,
    from_m: Floats,
    shift_m: Floats,
    from_rotation: Floats,
    axis: Floats,
    turn_rad: float,
) -> Floats:
    """Return the packed setpoint (position, rotation, twist, its derivative) of a time, (24,)."""
    s0, v0, a0, jerk = cubic
    s = s0 + t_s * (v0 + t_s * (a0 / 2.0 + t_s * jerk / 6.0))
    rate = v0 + t_s * (a0 + t_s * jerk / 2.0)
    second = a0 + t_s * jerk
    x, y, z = axis[0], axis[1], axis[2]
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    angle = s * turn_rad
    half = math.sin(0.5 * angle)  # 1 - cos without cancellation
    turned = np.eye(3) + math.sin(angle) * cross + 2.0 * half * half * (cross @ cross)
    packed = np.empty(24)
    packed[:3] = from_m + s * shift_m
    packed[3:12] = (turned @ from_rotation).ravel()
    packed[12:15], packed[15:18] = rate * shift_m, rate * turn_rad * axis
    packed[18:21], packed[21:24] = second * shift_m, second * turn_rad * axis
    return packed


def warm() -> None:
    """Compile the kernel for the types that a run calls it with."""
    limits = MoveLimits(1.0, 1.0, 1.0, 1.0, 1.0, 1.0)
    goal = Pose.from_coordinates(np.full(6, 0.1))
    motion = move(Pose.identity(), goal, limits)
    motion.sample(0.5 * motion.duration_s)
