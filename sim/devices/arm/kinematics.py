"""Kinematics of the emulated arm: forward, and the inverse by damped Newton steps.

Six revolute joints of the PUMA 560 by standard Denavit-Hartenberg parameters (Corke and
Armstrong-Helouvry, 1994). The inverse starts from the joints of a moment ago, so the arm keeps its
posture as a controller does that moves in straight lines; it has no other solutions.

A row of the table: d [m], a [m], alpha [rad]; the tool is part of the last d.

Not modelled: the choice of a posture, calibration errors of the links, bending.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

JOINTS: Final = 6
SOLVED: Final = 0
NOT_SOLVED: Final = 1

_STEPS = 30
_DAMPING = (
    1e-6  # square of about 1 mrad of give at a singularity; far above it the step is Newton's
)
_STEP_MAX_RAD = 0.3  # far from the solution the Jacobian is only a hint
_CLOSE_M = 1e-9
_LENGTH_M = 0.4  # makes metres and radians comparable


def dh_table(tool_m: float) -> Array:
    """Return the D-H table of the PUMA 560, shape (6, 3).

    Args:
        tool_m: Distance of the gripper from the flange along the last axis [m].
    """
    quarter = math.pi / 2.0
    return np.array(
        [
            [0.672, 0.0, quarter],
            [0.0, 0.4318, 0.0],
            [0.15005, 0.0203, -quarter],
            [0.4318, 0.0, quarter],
            [0.0, 0.0, -quarter],
            [tool_m, 0.0, 0.0],
        ]
    )


@njit(cache=True, error_model="numpy")
def forward(dh: Array, q: Array, axes: Array, origins: Array, pose: Array) -> None:
    """Write the gripper's pose and each joint's axis.

    Args:
        dh: Table, shape (6, 3).
        q: Joint angles [rad], shape (6,).
        axes: Out: direction of each joint's axis in the base, shape (6, 3).
        origins: Out: a point on each axis [m], shape (6, 3).
        pose: Out: rotation beside position [m], shape (3, 4).
    """
    pose[:, :] = 0.0
    pose[0, 0] = pose[1, 1] = pose[2, 2] = 1.0
    for j in range(6):
        c, s = math.cos(q[j]), math.sin(q[j])
        d, a = dh[j, 0], dh[j, 1]
        ca, sa = math.cos(dh[j, 2]), math.sin(dh[j, 2])
        for i in range(3):
            x, y, z = pose[i, 0], pose[i, 1], pose[i, 2]
            axes[j, i] = z
            origins[j, i] = pose[i, 3]
            turned_x = c * x + s * y
            turned_y = -s * x + c * y
            pose[i, 0] = turned_x
            pose[i, 1] = ca * turned_y + sa * z
            pose[i, 2] = -sa * turned_y + ca * z
            pose[i, 3] += a * turned_x + d * z


@njit(cache=True, error_model="numpy")
def _jacobian(axes: Array, origins: Array, pose: Array, jacobian: Array) -> None:
    for j in range(6):
        zx, zy, zz = axes[j, 0], axes[j, 1], axes[j, 2]
        rx = pose[0, 3] - origins[j, 0]
        ry = pose[1, 3] - origins[j, 1]
        rz = pose[2, 3] - origins[j, 2]
        jacobian[0, j] = zy * rz - zz * ry
        jacobian[1, j] = zz * rx - zx * rz
        jacobian[2, j] = zx * ry - zy * rx
        jacobian[3, j] = _LENGTH_M * zx
        jacobian[4, j] = _LENGTH_M * zy
        jacobian[5, j] = _LENGTH_M * zz


@njit(cache=True, error_model="numpy")
def _error(wanted: Array, pose: Array, error: Array) -> float:
    """Write position error [m] and rotation error [m on `_LENGTH_M`]; return its size."""
    for i in range(3):
        error[i] = wanted[i, 3] - pose[i, 3]
        error[3 + i] = 0.0
    for k in range(3):  # half the sum of cross products of the columns: axis times sine
        ax, ay, az = pose[0, k], pose[1, k], pose[2, k]
        bx, by, bz = wanted[0, k], wanted[1, k], wanted[2, k]
        error[3] += 0.5 * _LENGTH_M * (ay * bz - az * by)
        error[4] += 0.5 * _LENGTH_M * (az * bx - ax * bz)
        error[5] += 0.5 * _LENGTH_M * (ax * by - ay * bx)
    total = 0.0
    for i in range(6):
        total += error[i] * error[i]
    return math.sqrt(total)


@njit(cache=True, error_model="numpy")
def _newton_step(jacobian: Array, error: Array, damping: float, work: Array, step: Array) -> None:
    """Solve (J^T J + damping) step = J^T error by Cholesky's method; ``work`` has shape (6, 6)."""
    for i in range(6):
        step[i] = 0.0
        for k in range(6):
            step[i] += jacobian[k, i] * error[k]
        for j in range(i + 1):
            total = damping if i == j else 0.0
            for k in range(6):
                total += jacobian[k, i] * jacobian[k, j]
            for k in range(j):
                total -= work[i, k] * work[j, k]
            work[i, j] = math.sqrt(max(total, 1e-18)) if i == j else total / work[j, j]
    for i in range(6):
        for k in range(i):
            step[i] -= work[i, k] * step[k]
        step[i] /= work[i, i]
    for i in range(5, -1, -1):
        for k in range(i + 1, 6):
            step[i] -= work[k, i] * step[k]
        step[i] /= work[i, i]


@njit(cache=True, error_model="numpy")
def solve(dh: Array, wanted: Array, q: Array, out: Array) -> int:
    """Find joint angles for a pose, near given ones.

    Args:
        dh: Table, shape (6, 3).
        wanted: Rotation beside position [m], shape (3, 4), less than a quarter turn away.
        q: Joint angles to start from [rad], shape (6,).
        out: Out: the angles [rad], shape (6,).

    Returns:
        `SOLVED`, or `NOT_SOLVED` if it is out of reach or the arm is singular there.
    """
    axes, origins = np.empty((6, 3)), np.empty((6, 3))
    pose, jacobian = np.empty((3, 4)), np.empty((6, 6))
    error, step, work = np.empty(6), np.empty(6), np.empty((6, 6))
    out[:] = q
    for _ in range(_STEPS):
        forward(dh, out, axes, origins, pose)
        size = _error(wanted, pose, error)
        if size < _CLOSE_M:
            return SOLVED
        if not math.isfinite(size):
            return NOT_SOLVED
        _jacobian(axes, origins, pose, jacobian)
        _newton_step(jacobian, error, _DAMPING * size, work, step)
        largest = 0.0
        for j in range(6):
            largest = max(largest, abs(step[j]))
        shrink = min(1.0, _STEP_MAX_RAD / largest)
        for j in range(6):
            out[j] += shrink * step[j]
    return NOT_SOLVED
