"""Paths of the robot's gripper in space, without time: its pose at each share of the path."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from itertools import pairwise
from typing import Self

import numpy as np
from numpy.typing import NDArray
from scipy.interpolate import PchipInterpolator
from scipy.spatial.transform import Rotation

from arm_driver.errors import ArmError
from arm_driver.kinematics.branch_tracker import BranchTracker
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.puma import forward
from hil_common.arrays.pose import Pose, PoseError, angle_between_rad

Array = NDArray[np.float64]

GRID_WAY_M = 2e-3
"""Largest distance between two points at which a path is evaluated [m]."""
GRID_TURN_RAD = 0.01
"""Largest angle, of a joint or the gripper, between two such points [rad]."""
GRID_LEAST, GRID_MOST = 24, 4000
"""Least and largest number of points at which a path is evaluated."""


ToolPath = Callable[[float], Pose]
"""A path of the gripper: X_RT at a share of it, 0 to 1."""


def joint_path(geometry: PumaGeometry, start_rad: Array, end_rad: Array) -> ToolPath:
    """Move all joints in proportion, from one set of angles to another [rad], shape (6,) each."""
    start, turn = np.array(start_rad), np.array(end_rad) - start_rad
    return lambda s: forward(geometry, start + s * turn)


def straight_path(start: Pose, end: Pose) -> ToolPath:
    """Move the gripper straight from X_RT to X_RT; it turns evenly about one axis."""
    shift_m = end.position_m - start.position_m
    turn = Rotation.from_matrix(end.rotation @ start.rotation.T).as_rotvec()

    def pose(s: float) -> Pose:
        rotation = Rotation.from_rotvec(s * turn).as_matrix() @ start.rotation
        return Pose(start.position_m + s * shift_m, rotation)

    return pose


def recorded_path(geometry: PumaGeometry, t_s: Array, q_rad: Array) -> ToolPath:
    """Follow a recorded motion through joint angles at given times, smooth and without overshoot.

    Args:
        t_s: rising times [s], shape (N,).
        q_rad: joint angles [rad], shape (N, 6).
    """
    curve = PchipInterpolator((t_s - t_s[0]) / (t_s[-1] - t_s[0]), q_rad)
    return lambda s: forward(geometry, curve(s))


@dataclass(frozen=True, slots=True, eq=False)
class PathDemand:
    """Derivatives of a path by its share s; speeds and accelerations follow from them."""

    distance_m: Array
    """Distance of the gripper per share, shape (M,)."""
    turn_rad: Array
    """Rotation of the gripper per share, shape (M,)."""
    joints_rad: Array
    """|dq/ds|, shape (M, 6)."""
    bends_rad: Array
    """|d²q/ds²|, shape (M, 6)."""

    @classmethod
    def of(cls, path: ToolPath, tracker: BranchTracker) -> Self:
        """Evaluate a path closely, as far as the robot can follow it in its branch.

        What lies beyond is for the gate to refuse, with the waypoint.
        """
        s = _grid(path)
        poses: list[Pose] = []
        joints: list[Array] = []
        for share in s.tolist():
            pose = path(share)
            try:
                joints.append(np.array(tracker.follow(pose).q_rad))
            except (ArmError, PoseError):
                break
            poses.append(pose)
        if len(poses) < 3:
            nothing = np.zeros((1, 6))
            return cls(np.zeros(1), np.zeros(1), nothing, nothing)
        q, ds = np.array(joints), float(s[1])
        places = np.array([pose.position_m for pose in poses])
        turns = [angle_between_rad(a, b) for a, b in pairwise(poses)]
        return cls(
            np.linalg.norm(np.diff(places, axis=0), axis=1) / ds,
            np.array(turns) / ds,
            np.abs(np.diff(q, axis=0)) / ds,
            np.abs(np.diff(q, n=2, axis=0)) / ds**2,
        )


def _grid(path: ToolPath) -> Array:
    """Return even shares of the path, near enough to each other."""
    coarse = [path(s) for s in np.linspace(0.0, 1.0, GRID_LEAST + 1)]
    distance_m, turn_rad = 0.0, 0.0
    for before, after in pairwise(coarse):
        distance_m = max(distance_m, float(np.linalg.norm(after.position_m - before.position_m)))
        turn_rad = max(turn_rad, angle_between_rad(before, after))
    finer = max(distance_m / GRID_WAY_M, turn_rad / GRID_TURN_RAD)
    count = int(np.clip(np.ceil(GRID_LEAST * max(finer, 1.0)), GRID_LEAST, GRID_MOST))
    return np.linspace(0.0, 1.0, count + 1)


def joints_along(poses: Sequence[Pose], tracker: BranchTracker) -> Array:
    """Return joint angles at poses, one after the other [rad], shape (N, 6).

    Raises:
        ArmError: with the number of the pose.
    """
    found: list[Array] = []
    for number, pose in enumerate(poses):
        try:
            found.append(np.array(tracker.follow(pose).q_rad))
        except (ArmError, PoseError) as error:
            raise ArmError(f"place {number}: {error}") from None
    return np.array(found)


class Axes(Enum):
    """Axes that the six pairs of keys move."""

    JOINT = "joint"
    BASE = "base"
    """Motion of the gripper along and about x, y, z of the robot's base."""
    TOOL = "tool"
    """Motion of the gripper along and about its own x, y, z."""


@dataclass(frozen=True, slots=True, eq=False)
class Ray:
    """A straight path in one axis from where the robot is."""

    geometry: PumaGeometry
    axes: Axes
    q_rad: Array
    """Joint angles at the beginning [rad], shape (6,)."""
    axis: int
    """0 to 5."""
    sign: float

    def pose(self, traveled: float) -> Pose:
        """Return X_RT after a distance [m] or turn [rad]."""
        moved = self.sign * traveled
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
        """Direction in words."""
        side = "+" if self.sign > 0.0 else "-"
        if self.axes is Axes.JOINT:
            return f"joint {self.axis + 1} {side}"
        turned = "about " if self.axis >= 3 else ""
        return f"{turned}{'xyz'[self.axis % 3]} {side} ({self.axes.value})"
