"""Posture of the arm from joint angles: pose, branch, singular distances, points, Jacobian.

The table of constants and the numbers of the branches are those of ``puma``.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True, error_model="numpy", forceinline=True)
def _write_pose(table: Array, q: Array, out: Array) -> None:
    """Write the packed pose of the gripper: R03 times Rz(q4) Ry(-q5) Rz(q6)."""
    a2, a3, d3, d4 = table[0, 0], table[0, 1], table[0, 2], table[0, 3]
    c1, s1, c2, s2 = math.cos(q[0]), math.sin(q[0]), math.cos(q[1]), math.sin(q[1])
    c23, s23 = math.cos(q[1] + q[2]), math.sin(q[1] + q[2])
    c4, s4, c5, s5 = math.cos(q[3]), math.sin(q[3]), math.cos(q[4]), math.sin(q[4])
    c6, s6 = math.cos(q[5]), math.sin(q[5])
    along = a2 * c2 + a3 * c23 - d4 * s23
    m00, m01, m02 = c4 * c5 * c6 - s4 * s6, -c4 * c5 * s6 - s4 * c6, -c4 * s5
    m10, m11, m12 = s4 * c5 * c6 + c4 * s6, -s4 * c5 * s6 + c4 * c6, -s4 * s5
    m20, m21, m22 = s5 * c6, -s5 * s6, c5
    out[3] = c1 * c23 * m00 - s1 * m10 - c1 * s23 * m20
    out[4] = c1 * c23 * m01 - s1 * m11 - c1 * s23 * m21
    out[5] = c1 * c23 * m02 - s1 * m12 - c1 * s23 * m22
    out[6] = s1 * c23 * m00 + c1 * m10 - s1 * s23 * m20
    out[7] = s1 * c23 * m01 + c1 * m11 - s1 * s23 * m21
    out[8] = s1 * c23 * m02 + c1 * m12 - s1 * s23 * m22
    out[9], out[10], out[11] = s23 * m00 + c23 * m20, s23 * m01 + c23 * m21, s23 * m02 + c23 * m22
    tool = table[0, 5]
    out[0] = c1 * along + s1 * d3 + tool * out[5]
    out[1] = s1 * along - c1 * d3 + tool * out[8]
    out[2] = table[0, 4] + a2 * s2 + a3 * s23 + d4 * c23 + tool * out[11]


@njit(cache=True, error_model="numpy")
def pose_of_joints(table: Array, q: Array, out: Array) -> None:
    """Write the packed pose, shape (12,), of joint angles, shape (6,) [rad]."""
    _write_pose(table, q, out)


@njit(cache=True, error_model="numpy")
def poses_of_joints(table: Array, q: Array, out: Array) -> None:
    """Write packed poses, shape (N, 12), of joint angles, shape (N, 6) [rad]."""
    for n in range(q.shape[0]):
        _write_pose(table, q[n], out[n])


@njit(cache=True, error_model="numpy")
def branch_of(table: Array, q: Array) -> int:
    """Branch of joint angles, shape (6,) [rad]."""
    a2, a3, d4 = table[0, 0], table[0, 1], table[0, 3]
    along = a2 * math.cos(q[1]) + a3 * math.cos(q[1] + q[2]) - d4 * math.sin(q[1] + q[2])
    left = 1 if along < 0.0 else 0
    bent_forward = math.sin(q[2] + table[4, 1]) > 0.0
    down = (0 if bent_forward else 1) if left else (1 if bent_forward else 0)
    return 4 * left + 2 * down + (1 if math.sin(q[4]) < 0.0 else 0)


@njit(cache=True, error_model="numpy", forceinline=True)
def _distances(table: Array, q: Array) -> tuple[float, float, float]:
    """|sin q5|; wrist centre from full stretch or fold [m]; wrist centre from the cylinder [m]."""
    a2, a3, d3, d4 = table[0, 0], table[0, 1], table[0, 2], table[0, 3]
    c23, s23 = math.cos(q[1] + q[2]), math.sin(q[1] + q[2])
    along = a2 * math.cos(q[1]) + a3 * c23 - d4 * s23
    up = a2 * math.sin(q[1]) + a3 * s23 + d4 * c23
    radius = math.hypot(along, d3)
    distance = math.hypot(radius, up)
    elbow = min(table[4, 2] - distance, distance - table[4, 3])
    # along² / (radius + d3) is radius - d3 without the cancellation.
    offset = along * along / (radius + d3) if radius + d3 > 0.0 else 0.0
    return abs(math.sin(q[4])), max(0.0, elbow), offset


@njit(cache=True, error_model="numpy")
def singular_distances(table: Array, q: Array, out: Array) -> None:
    """Write wrist [1], elbow [m], shoulder [m], shape (N, 3), of joint angles, shape (N, 6)."""
    for n in range(q.shape[0]):
        out[n, 0], out[n, 1], out[n, 2] = _distances(table, q[n])


@njit(cache=True, error_model="numpy")
def points_of_joints(table: Array, q: Array, poses: Array, offset: float, out: Array) -> None:
    """Write points of the arm [m], shape (N, 6, 3).

    Args:
        table: constants of the arm.
        q: joint angles [rad], shape (N, 6).
        poses: packed poses of these angles, shape (N, 12).
        offset: upper arm's body beside the waist's axis [m].
        out: where to write.

    Shoulder point, upper arm's two ends (``offset`` beside the waist's axis), elbow end of the
    forearm, wrist centre, gripper.
    """
    for n in range(q.shape[0]):
        c1, s1, c2, s2 = math.cos(q[n, 0]), math.sin(q[n, 0]), math.cos(q[n, 1]), math.sin(q[n, 1])
        c23, s23 = math.cos(q[n, 1] + q[n, 2]), math.sin(q[n, 1] + q[n, 2])
        elbow, up = table[0, 0] * c2, table[0, 0] * s2
        a3, d3, d4, height = table[0, 1], table[0, 2], table[0, 3], table[0, 4]
        near, near_up = elbow + a3 * c23, up + a3 * s23
        along = (0.0, 0.0, elbow, near, near - d4 * s23)
        aside = (0.0, offset, offset, d3, d3)
        above = (0.0, 0.0, up, near_up, near_up + d4 * c23)
        for k in range(5):
            out[n, k, 0] = c1 * along[k] + s1 * aside[k]
            out[n, k, 1] = s1 * along[k] - c1 * aside[k]
            out[n, k, 2] = height + above[k]
        for i in range(3):
            out[n, 5, i] = poses[n, i]


@njit(cache=True, error_model="numpy")
def jacobian(q: Array, pose: Array, points: Array, out: Array) -> None:
    """Write the geometric Jacobian of the gripper in base axes, shape (6, 6): [v; omega] = J q'.

    Column i is the axis z of joint i crossed with the arm to the gripper, then the axis itself.
    ``points`` are those of ``points_of_joints``, shape (6, 3).
    """
    c1, s1 = math.cos(q[0]), math.sin(q[0])
    c23, s23 = math.cos(q[1] + q[2]), math.sin(q[1] + q[2])
    c4, s4 = math.cos(q[3]), math.sin(q[3])
    forearm = (-c1 * s23, -s1 * s23, c23)
    # Axis of joint 5: -y of the forearm's frame turned by q4.
    bend = (s4 * c1 * c23 + c4 * s1, s4 * s1 * c23 - c4 * c1, s4 * s23)
    axes = (
        (0.0, 0.0, 1.0),
        (s1, -c1, 0.0),
        (s1, -c1, 0.0),
        forearm,
        bend,
        (pose[5], pose[8], pose[11]),
    )
    at = (0, 0, 2, 4, 4, 4)
    for i in range(6):
        z, k = axes[i], at[i]
        dx, dy, dz = pose[0] - points[k, 0], pose[1] - points[k, 1], pose[2] - points[k, 2]
        out[0, i] = z[1] * dz - z[2] * dy
        out[1, i] = z[2] * dx - z[0] * dz
        out[2, i] = z[0] * dy - z[1] * dx
        out[3, i], out[4, i], out[5, i] = z
    return


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    table, row, q, pose = np.ones((7, 6)), np.zeros(6), np.zeros((1, 6)), np.ones(12)
    table.setflags(write=False)
    pose.setflags(write=False)
    pose_of_joints(table, row, np.empty(12))
    poses_of_joints(table, q, np.empty((1, 12)))
    branch_of(table, row)
    singular_distances(table, q, np.empty((1, 3)))
    points = np.empty((1, 6, 3))
    points_of_joints(table, q, np.ones((1, 12)), 0.0, points)
    points_of_joints(table, q, pose.reshape(1, 12), 0.0, points)
    jacobian(row, pose, points[0], np.empty((6, 6)))
