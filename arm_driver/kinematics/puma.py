"""From joints to gripper and back: pose, the eight solutions, the nearest one, singularities."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arm_driver.errors import NumbersError, arm_array
from arm_driver.kinematics.branches import (
    BRANCHES,
    Branch,
    Elbow,
    JointLimitError,
    Joints,
    LimitViolation,
    OutOfReachError,
    Reach,
    Shoulder,
    SingularDistances,
    SingularError,
    Solution,
    Solutions,
    Wrist,
    violations_at,
    violations_of_row,
)
from arm_driver.kinematics.geometry import PumaGeometry
from arm_driver.kinematics.kernels import posture
from arm_driver.kinematics.kernels import puma as kernel
from hil_common.arrays.pose import Pose

__all__ = [
    "BRANCHES",
    "BatchSolutions",
    "Branch",
    "Elbow",
    "JointLimitError",
    "Joints",
    "LimitViolation",
    "OutOfReachError",
    "Reach",
    "Shoulder",
    "SingularDistances",
    "SingularError",
    "Solution",
    "Solutions",
    "Wrist",
    "batch_solutions",
    "branch_of",
    "forward",
    "jacobian",
    "limit_violations",
    "nearest",
    "singular_distances",
    "solutions",
]

Array = NDArray[np.float64]
Codes = NDArray[np.int64]


def forward(geometry: PumaGeometry, q_rad: ArrayLike) -> Pose:
    """Pose X_BG of the gripper in the arm's base; limits are not looked at.

    Args:
        q_rad: joint angles [rad], shape (6,).

    Raises:
        NumbersError: not six finite numbers.
    """
    packed = np.empty(12)
    posture.pose_of_joints(geometry.table, _joints(q_rad, "q_rad"), packed)
    return Pose.from_packed(packed)


def solutions(geometry: PumaGeometry, pose: Pose, q_now: ArrayLike | None = None) -> Solutions:
    """All eight solutions, each angle's turn the nearest to the present one inside its range.

    In the wrist singularity joint 4 stays where it is now, and joint 6 does the rest.

    Source: the geometric solution of Lee and Ziegler 1984, with half-angle formulas that keep
    full accuracy at the edges of reach.

    Args:
        pose: X_BG, the gripper in the arm's base.
        q_now: present angles [rad], shape (6,); without it, the middle of the ranges.

    Raises:
        OutOfReachError: no joint angles reach the pose; by how much, and which way.
        NumbersError: ``q_now`` is not six finite numbers.
    """
    near = geometry.middle_rad if q_now is None else _joints(q_now, "q_now")
    rows = np.empty((kernel.BRANCHES, kernel.SOLUTION_SIZE))
    status, excess = kernel.solve(geometry.table, pose.packed, near, rows)
    if status != kernel.REACHED:
        raise _unreached(status, excess)
    rows.setflags(write=False)
    return Solutions(geometry, rows)


def nearest(
    geometry: PumaGeometry, pose: Pose, q_now: ArrayLike, branch: Branch | None = None
) -> Joints:
    """The solution nearest to the present angles, by their weighted squares; called every tick.

    Args:
        pose: X_BG, the gripper in the arm's base.
        branch: the only one to be taken; without it, any.

    Raises:
        OutOfReachError: no joint angles reach the pose.
        JointLimitError: no allowed branch has a solution inside the ranges.
        NumbersError: ``q_now`` is not six finite numbers.
    """
    near = _joints(q_now, "q_now")
    rows = np.empty((kernel.BRANCHES, kernel.SOLUTION_SIZE))
    wanted = -1 if branch is None else branch.index
    status, excess, chosen = kernel.nearest(geometry.table, pose.packed, near, wanted, rows)
    if status != kernel.REACHED:
        raise _unreached(status, excess)
    if chosen < 0:
        nearest_row = int(np.argmin(rows[:, 7])) if branch is None else branch.index
        raise JointLimitError(BRANCHES[nearest_row], violations_of_row(geometry, rows[nearest_row]))
    rows.setflags(write=False)
    return Joints(rows[chosen, :6], BRANCHES[chosen])


@dataclass(frozen=True, slots=True, eq=False)
class BatchSolutions:
    """Solutions of N poses; arrays are read-only."""

    q_rad: Array
    """Angles [rad], shape (N, 8, 6); nan where a pose is out of reach."""
    outside: Codes
    """Joints outside their ranges as bits (joint 1 is bit 0), shape (N, 8); -1 where a pose is out
    of reach."""
    reach: Codes
    """0 or the value of a ``Reach``, 4 for a pose that is not finite, shape (N,)."""
    excess_m: Array
    """How far out of reach [m], shape (N,)."""


def batch_solutions(
    geometry: PumaGeometry, poses: ArrayLike, q_now: ArrayLike | None = None
) -> BatchSolutions:
    """``solutions`` of many poses; one that is out of reach spoils itself alone.

    Args:
        poses: packed poses (``Pose.packed``), shape (N, 12).
        q_now: present angles [rad], one for all, shape (6,), or one each, shape (N, 6); without
            it, the middle of the ranges.

    Raises:
        NumbersError: wrong shapes, or ``q_now`` is not finite.
    """
    packed = np.array(poses, np.float64, order="C")
    if packed.ndim != 2 or packed.shape[1] != 12:
        raise NumbersError(f"poses: shape {packed.shape}, must be (N, 12)")
    count = len(packed)
    wanted = geometry.middle_rad if q_now is None else np.asarray(q_now, np.float64)
    if wanted.shape not in ((6,), (count, 6)) or not np.isfinite(wanted).all():
        raise NumbersError(f"q_now: shape {wanted.shape}, must be (6,) or ({count}, 6), all finite")
    near = np.array(np.broadcast_to(wanted, (count, 6)))
    q, excess = np.empty((count, kernel.BRANCHES, 6)), np.empty(count)
    outside, reach = np.empty((count, kernel.BRANCHES), np.int64), np.empty(count, np.int64)
    kernel.solve_batch(geometry.table, packed, near, q, outside, reach, excess)
    for array in (q, outside, reach, excess):
        array.setflags(write=False)
    return BatchSolutions(q, outside, reach, excess)


def jacobian(geometry: PumaGeometry, q_rad: ArrayLike) -> Array:
    """Jacobian J of the gripper, [v; omega] = J dq/dt in base axes, shape (6, 6), read-only."""
    q, pose = _joints(q_rad, "q_rad"), forward(geometry, q_rad)
    points, out = np.empty((1, 6, 3)), np.empty((6, 6))
    posture.points_of_joints(
        geometry.table, q.reshape(1, 6), pose.packed.reshape(1, 12), 0.0, points
    )
    posture.jacobian(q, pose.packed, points[0], out)
    out.setflags(write=False)
    return out


def branch_of(geometry: PumaGeometry, q_rad: ArrayLike) -> Branch:
    """Branch that joint angles [rad], shape (6,), stand in."""
    return BRANCHES[posture.branch_of(geometry.table, _joints(q_rad, "q_rad"))]


def singular_distances(geometry: PumaGeometry, q_rad: ArrayLike) -> SingularDistances:
    """Distances of joint angles [rad], shape (6,), from wrist, elbow and shoulder singularity."""
    out = np.empty((1, 3))
    posture.singular_distances(geometry.table, _joints(q_rad, "q_rad").reshape(1, 6), out)
    return SingularDistances(*out[0].tolist())


def limit_violations(geometry: PumaGeometry, q_rad: ArrayLike) -> tuple[LimitViolation, ...]:
    """Joints of angles [rad], shape (6,), that are outside their ranges."""
    q = _joints(q_rad, "q_rad")
    slack = kernel.LIMIT_ROUNDING_RAD
    low, high = geometry.position_min_rad - slack, geometry.position_max_rad + slack
    return violations_at(geometry, q, np.flatnonzero((q < low) | (q > high)))


def _joints(value: ArrayLike, name: str) -> Array:
    """Six finite angles as a fresh array: the kernels are compiled for writable ones."""
    array = np.array(value, np.float64)
    if array.shape != (6,) or not math.isfinite(sum(array.tolist())):
        arm_array(value, (6,), name)  # says what is wrong with it
    return array


def _unreached(status: int, excess_m: float) -> OutOfReachError:
    return OutOfReachError(Reach(status), excess_m)
