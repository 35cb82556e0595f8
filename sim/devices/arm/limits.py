"""Refusals of the emulated controller: too fast, out of reach, beyond a joint's limit.

A straight segment is tried in the controller's own steps before it is accepted, with the joints
that the arm would have on it.

Not modelled: collision of the arm with itself; with the bench it is not foreseen, and happens in a
world only (`arm_plant`).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.devices.arm.kinematics import SOLVED, dh_table, forward, solve
from sim.devices.arm.path import segment_rates
from sim.devices.arm.rotation import compose

Array = NDArray[np.float64]

_TRIALS: Final = 13
"""Points tried on a segment: one each 28 ms, rounded up."""
_ROUNDING_M_S: Final = 0.1e-3
"""Most that the two decimals of the wire may add to a speed over one period [m/s]."""


@dataclass(frozen=True, slots=True)
class ReachSettings:
    """Limits that the controller keeps.

    Raises:
        ValueError: If a value makes no sense.
    """

    speed_max_m_s: float = 0.1
    """Largest speed of the gripper [m/s]."""
    turn_rate_max_rad_s: float = 1.0
    """Largest turning rate of the gripper [rad/s]."""
    low_deg: tuple[float, ...] = (-160.0, -45.0, -225.0, -110.0, -100.0, -266.0)
    """Least angle of each joint [deg]."""
    high_deg: tuple[float, ...] = (160.0, 225.0, 45.0, 170.0, 100.0, 266.0)
    """Largest angle of each joint [deg]."""
    joint_rate_max_rad_s: tuple[float, ...] = (1.43, 1.29, 2.13, 3.98, 4.21, 3.98)
    """Largest rate of each joint on a path [rad/s]."""

    def __post_init__(self) -> None:
        for name in ("speed_max_m_s", "turn_rate_max_rad_s"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ValueError(f"{name} = {value}: a value above 0 is needed")
        for name in ("low_deg", "high_deg", "joint_rate_max_rad_s"):
            if len(getattr(self, name)) != 6:
                raise ValueError(f"{name} = {getattr(self, name)}: six values are needed")
        for j, (low, high) in enumerate(zip(self.low_deg, self.high_deg, strict=True), start=1):
            if not low < high:
                raise ValueError(f"joint {j}: limits {low} to {high} deg are no range")


class LimitError(ValueError):
    """Refusal of a waypoint; the text says which limit, with value and unit."""


class LimitedArm:
    """Geometry of the arm, with its limits.

    Args:
        settings: The limits.
        tool_m: Distance of the gripper from the flange [m].
    """

    def __init__(self, settings: ReachSettings, tool_m: float) -> None:
        self._settings = settings
        self._dh = dh_table(tool_m)
        self._axes, self._origins = np.empty((6, 3)), np.empty((6, 3))

    def pose(self, q_rad: Array) -> Array:
        """Return the gripper's pose: rotation beside position [m], shape (3, 4).

        Args:
            q_rad: Joint angles [rad], shape (6,).
        """
        pose = np.empty((3, 4))
        forward(self._dh, q_rad, self._axes, self._origins, pose)
        return pose

    def joints(self, pose: Array, near_rad: Array) -> Array:
        """Return the joint angles of a pose [rad], shape (6,).

        Args:
            pose: Rotation beside position [m], shape (3, 4).
            near_rad: Angles near them [rad], shape (6,).

        Raises:
            LimitError: If it is out of reach or the arm is singular there.
        """
        q_rad = np.empty(6)
        if solve(self._dh, pose, near_rad, q_rad) != SOLVED:
            x, y, z = pose[:, 3] * 1e3
            raise LimitError(f"({x:.2f}, {y:.2f}, {z:.2f}) mm is out of reach, or singular")
        return q_rad

    def check_joints(self, q_rad: Array) -> None:
        """Refuse angles beyond the limits of the joints.

        Args:
            q_rad: Joint angles [rad], shape (6,).

        Raises:
            LimitError: If one is.
        """
        s = self._settings
        for j, angle in enumerate(np.degrees(q_rad)):
            if not s.low_deg[j] <= angle <= s.high_deg[j]:
                raise LimitError(
                    f"joint {j + 1}: {angle:.2f} deg outside [{s.low_deg[j]:g}, "
                    f"{s.high_deg[j]:g}] deg"
                )

    def check_segment(self, start: Array, end: Array, q_rad: Array, period_s: float) -> Array:
        """Refuse a segment that the arm cannot follow.

        Args:
            start: Pose at its beginning, shape (3, 4).
            end: Pose at its end, shape (3, 4).
            q_rad: Joint angles at its beginning [rad], shape (6,).
            period_s: How long it lasts [s].

        Returns:
            Joint angles at its end [rad], shape (6,).

        Raises:
            LimitError: If it is too fast, out of reach or beyond a joint's limit.
        """
        s = self._settings
        rates = segment_rates(start, end, period_s)
        speed, turn = math.hypot(*rates[:3]), math.hypot(*rates[3:])
        if not speed <= s.speed_max_m_s + _ROUNDING_M_S:
            raise LimitError(f"speed {speed * 1e3:.1f} mm/s above {s.speed_max_m_s * 1e3:g} mm/s")
        if not turn <= s.turn_rate_max_rad_s:
            raise LimitError(f"turning rate {turn:.3f} rad/s above {s.turn_rate_max_rad_s:g} rad/s")
        trial_s = period_s / _TRIALS
        for k in range(1, _TRIALS + 1):
            following = self.joints(compose(start, k * trial_s * rates), q_rad)
            self.check_joints(following)
            for j, rate in enumerate(np.abs(following - q_rad) / trial_s):
                if rate > s.joint_rate_max_rad_s[j]:
                    raise LimitError(
                        f"joint {j + 1}: {rate:.2f} rad/s above {s.joint_rate_max_rad_s[j]:g} rad/s"
                    )
            q_rad = following
        return q_rad
