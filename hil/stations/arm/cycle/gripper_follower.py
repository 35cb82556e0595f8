"""Following of the simulated gripper by the robot's in a live motion: to rest and back, no jumps.

Let go, the operator wants the robot still; an elastic arm swings on for many seconds. So the robot
does a share of the simulated gripper's motion, from 1 to 0 and back in even steps. Where a light
arm swings to and fro faster than the controller can repeat without rounding the corner too much,
the robot goes as much slower as the corner needs. The gap that is left is closed again, slowly,
beside the motion. The gate judges every waypoint all the same: nothing here permits anything.
"""

import math
from typing import Self

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.pose import Pose
from hil_common.arrays.rotation import rotation_about, turn_vector
from safety.arm_corners import CornerLimit
from safety.arm_limits import ArmLimits

Array = NDArray[np.float64]

REST_STEPS = 2
"""Waypoints in which the robot comes to rest; it stays at the place of the one before the last."""
GO_ON_STEPS = 4
"""Waypoints in which it takes up the whole motion again."""
CLOSE_S = 1.4
"""Time in which a gap shrinks to 1/e of itself [s]."""
CLOSE_M_S = 0.02
"""Largest speed at which a gap is closed [m/s]."""
CLOSE_RAD_S = 0.05
"""Largest turn rate at which it is closed [rad/s]."""
SPEED_PART = 0.8
"""Part of the limits of speed and turn rate that closing a gap may bring the gripper to."""
CORNER_PART = 0.95
"""Part of the limit of a corner up to which it is gone at full speed."""
SLOWER = tuple(1.0 - k / 16.0 for k in range(17))
"""Shares of a path that are tried at a corner, down to a stop."""
CLOSED = 1e-6
"""Gap that counts as none [m, rad]: a tenth of the resolution of a waypoint on the wire."""


class GripperFollower:
    """Motion of the robot's gripper behind the place that the simulated one has on the bench.

    Args:
        corners: how the robot's controller rounds corners; None to take them as they come.
    """

    def __init__(
        self,
        start: Pose,
        period_s: float,
        speed_max_m_s: float,
        turn_max_rad_s: float,
        corners: CornerLimit | None = None,
    ) -> None:
        self._asked = self._robot = start
        self._corners = corners
        self._way_m = np.zeros(3)
        self._period_s = period_s
        self._way_max_m = SPEED_PART * speed_max_m_s * period_s
        self._turn_max_rad = SPEED_PART * turn_max_rad_s * period_s
        self.share = 1.0
        """Share of the simulated gripper's motion that the robot does, 0 (it rests) to 1."""
        self.resting = False
        """Whether the robot is to rest, or else to repeat the simulated gripper."""
        self.gap = (0.0, 0.0)
        """Distance and angle to the simulated gripper [m, rad]; 0 while it repeats it."""

    @classmethod
    def within(cls, limits: ArmLimits, start: Pose, period_s: float, *, live: bool) -> Self:
        """Return a robot within its limits; a planned motion is repeated as it is."""
        return cls(
            start, period_s, limits.gripper_speed_max_m_s, limits.gripper_turn_max_rad_s,
            limits.corners if live else None,
        )  # fmt: skip

    def follow(self, asked: Pose) -> Pose:
        """Return the robot's next pose, one period after the last."""
        step = -1.0 / REST_STEPS if self.resting else 1.0 / GO_ON_STEPS
        self.share = min(max(self.share + step, 0.0), 1.0)
        before, self._asked = self._asked, asked
        last = self._robot
        if (
            self.share == 1.0
            and last is before
            and self._part(asked.position_m - last.position_m) == 1.0
        ):
            self._robot = asked
        elif self.share > 0.0:
            self._robot = self._moved_on(before, asked)
        self._way_m = self._robot.position_m - last.position_m
        self._note_gap(asked)
        return self._robot

    def _note_gap(self, asked: Pose) -> None:
        """Note how far the robot is from where it is asked to be; next to nothing is nothing."""
        if self._robot is not asked:
            way_m, turn_rad = _between(self._robot, asked)
            self.gap = math.hypot(*way_m.tolist()), math.hypot(*turn_rad.tolist())
            if self.share < 1.0 or max(self.gap) >= CLOSED:
                return
        self._robot, self.gap = asked, (0.0, 0.0)

    def _moved_on(self, before: Pose, asked: Pose) -> Pose:
        """Find the share of the motion to the next place, and of the gap what may be closed."""
        way_m, turn_rad = (self.share * move for move in _between(before, asked))
        left_m, left_rad = _between(_moved(self._robot, way_m, turn_rad), asked)
        time_s = self.share * self._period_s
        part = time_s / CLOSE_S
        way_m = way_m + _closed(left_m, part, time_s * CLOSE_M_S, self._way_max_m, way_m)
        turn_rad = turn_rad + _closed(
            left_rad, part, time_s * CLOSE_RAD_S, self._turn_max_rad, turn_rad
        )
        slower = self._part(way_m)
        return _moved(self._robot, slower * way_m, slower * turn_rad)

    def _part(self, way_m: Array) -> float:
        """Find the greatest part of a path whose corner with the one before is not rounded."""
        if self._corners is None:
            return 1.0
        before, limit_m = _speeds(self._way_m, self._period_s), self._corners.deviation_max_m
        for part in SLOWER:
            after = _speeds(part * way_m, self._period_s)
            if self._corners.deviation_m(before, after) <= CORNER_PART * limit_m:
                return part
        return 0.0


def _speeds(way_m: Array, period_s: float) -> tuple[float, float, float]:
    x, y, z = (way_m / period_s).tolist()
    return x, y, z


def _between(first: Pose, second: Pose) -> tuple[Array, Array]:
    """Find distance [m] and turn [rad] between two poses, in base axes, shape (3,) each."""
    turn_rad = turn_vector(second.rotation @ first.rotation.T)
    return second.position_m - first.position_m, turn_rad


def _moved(pose: Pose, way_m: Array, turn_rad: Array) -> Pose:
    rotation = rotation_about(turn_rad) @ pose.rotation
    return Pose(pose.position_m + way_m, rotation)


def _closed(gap: Array, part: float, most: float, all_most: float, beside: Array) -> Array:
    """Return the part of a gap to be closed in one period, so that nothing becomes too fast.

    Args:
        most: the largest size of the result.
        all_most: the largest size of the result and the motion beside it together.
    """
    size = math.hypot(*gap.tolist())
    room = max(all_most - math.hypot(*beside.tolist()), 0.0)
    return gap * min(part, min(most, room) / size) if size > 0.0 else gap
