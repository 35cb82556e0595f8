"""Straight ways in one axis: of a joint, or of the gripper along and about axes of base or tool."""

from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from arm_driver.geometry import PumaGeometry
from arm_driver.kinematics import forward, jacobian
from arm_driver.pose import Pose
from hil.stations.arm.moves.laws import PART, RAMP_S
from safety.arm_limits import ArmLimits

Array = NDArray[np.float64]


class Axes(Enum):
    """What the six pairs of keys move."""

    JOINT = "joint"
    BASE = "base"
    """The gripper along and about x, y, z of the robot's base."""
    TOOL = "tool"
    """Along and about its own x, y, z."""


@dataclass(frozen=True, slots=True, eq=False)
class Ray:
    """A straight way in one axis from where the robot is."""

    geometry: PumaGeometry
    axes: Axes
    q_rad: Array
    """Its joints at the beginning [rad], shape (6,)."""
    axis: int
    """0 to 5."""
    sign: float

    def pose(self, way: float) -> Pose:
        """X_RT after a way [m] or turn [rad]."""
        moved = self.sign * way
        if self.axes is Axes.JOINT:
            q_rad = np.array(self.q_rad)
            q_rad[self.axis] += moved
            return forward(self.geometry, q_rad)
        X_RT = forward(self.geometry, self.q_rad)
        along = np.zeros(3)
        along[self.axis % 3] = moved
        if self.axes is Axes.TOOL:
            along = X_RT.rotation @ along
        if self.axis < 3:
            return Pose(X_RT.position_m + along, X_RT.rotation)
        return Pose(X_RT.position_m, Rotation.from_rotvec(along).as_matrix() @ X_RT.rotation)

    @property
    def name(self) -> str:
        """The way in words."""
        side = "+" if self.sign > 0.0 else "-"
        if self.axes is Axes.JOINT:
            return f"joint {self.axis + 1} {side}"
        turned = "about " if self.axis >= 3 else ""
        return f"{turned}{'xyz'[self.axis % 3]} {side} ({self.axes.value})"


@dataclass(frozen=True, slots=True)
class RayPart:
    """A ray of a given length as a path."""

    ray: Ray
    length: float
    """Of it [m, rad]."""

    def pose(self, s: float) -> Pose:
        """X_RT at a share of the way."""
        return self.ray.pose(s * self.length)


def full_rate(ray: Ray, limits: ArmLimits, part: float) -> float:
    """How fast the robot is jogged along a ray [m/s, rad/s].

    Args:
        part: of its limits of speed, turn and joint rates that may be used, up to 1.
    """
    if ray.axes is not Axes.JOINT:
        speeds = limits.gripper_speed_max_m_s, limits.gripper_turn_max_rad_s
        return part * speeds[ray.axis // 3]
    column = jacobian(ray.geometry, ray.q_rad)[:, ray.axis]
    rate = min(
        part * PART * limits.rate_max_rad_s[ray.axis],
        PART * limits.acceleration_max_rad_s2[ray.axis] * RAMP_S,
        part * limits.gripper_turn_max_rad_s,
    )
    reach_m = float(np.linalg.norm(column[:3]))  # the gripper goes round the joint's axis
    return min(rate, part * limits.gripper_speed_max_m_s / reach_m) if reach_m > 0.0 else rate
