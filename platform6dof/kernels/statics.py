"""Forces of the drives that hold a platform at rest, at very many poses.

Those of `platform6dof.kernels.dynamics` without motion, for one right side. With g the free fall, m
and h the mass and the first moment on the platform, a leg pushes the platform across itself by

    F = (s / l) (g - u (u.g)),    s = m_t s_t + m_r (l - s_r)

s the first moment of tube and rod about the base's joint, and the drives hold what is left:

    J^T P = [-m g; -h x g] - sum [F; c x F],    force = P - m_r u.g
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Columns of a leg's bodies, as `platform6dof.kernels.dynamics` has them.
_TUBE_KG, _TUBE_M, _ROD_KG, _ROD_M = 0, 1, 2, 3

SMALLEST_PIVOT = 1e-12
"""A pivot below this is a singular pose: its forces are not numbers."""


@njit(cache=True, error_model="numpy", forceinline=True)
def _eliminate(matrix: Array, right: Array) -> bool:
    """Replace ``right`` (6,) by the solution of ``matrix @ x = right``; false if singular."""
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if abs(matrix[i, k]) > abs(matrix[pivot, k]):
                pivot = i
        if not abs(matrix[pivot, k]) > SMALLEST_PIVOT:
            return False
        if pivot != k:
            for j in range(k, 6):
                matrix[k, j], matrix[pivot, j] = matrix[pivot, j], matrix[k, j]
            right[k], right[pivot] = right[pivot], right[k]
        scale = 1.0 / matrix[k, k]
        for i in range(k + 1, 6):
            factor = matrix[i, k] * scale
            for j in range(k + 1, 6):
                matrix[i, j] -= factor * matrix[k, j]
            right[i] -= factor * right[k]
    for k in range(5, -1, -1):
        total = right[k]
        for i in range(k + 1, 6):
            total -= matrix[k, i] * right[i]
        right[k] = total / matrix[k, k]
    return True


@njit(cache=True, error_model="numpy", nogil=True)
def holding_forces(
    table: Array, bodies: Array, load: Array, gravity: Array, setpoints: Array, rows: Array
) -> Array:
    """Forces of the drives that hold packed poses [N], shape (N, 6); not numbers where singular.

    Args:
        table: constants of the legs, shape (6, 14).
        bodies: of the legs, shape (6, 8).
        load: mass, first moment, tensor about the platform's origin, shape (13,).
        gravity: in base axes [m/s²], shape (3,).
        setpoints: packed, shape (N, 24).
        rows: lengths and rows of the Jacobian, shape (N, 7, 6).
    """
    out = np.empty((setpoints.shape[0], 6))
    matrix, right, own = np.empty((6, 6)), np.empty(6), np.empty(6)
    gx, gy, gz = gravity[0], gravity[1], gravity[2]
    for n in range(setpoints.shape[0]):
        q = setpoints[n]
        hx = q[3] * load[1] + q[4] * load[2] + q[5] * load[3]
        hy = q[6] * load[1] + q[7] * load[2] + q[8] * load[3]
        hz = q[9] * load[1] + q[10] * load[2] + q[11] * load[3]
        right[0], right[1], right[2] = -load[0] * gx, -load[0] * gy, -load[0] * gz
        right[3], right[4], right[5] = hz * gy - hy * gz, hx * gz - hz * gx, hy * gx - hx * gy
        for i in range(6):
            b = table[i]
            cx = q[3] * b[3] + q[4] * b[4] + q[5] * b[5]
            cy = q[6] * b[3] + q[7] * b[4] + q[8] * b[5]
            cz = q[9] * b[3] + q[10] * b[4] + q[11] * b[5]
            x, y, z = q[0] + cx - b[0], q[1] + cy - b[1], q[2] + cz - b[2]
            length = math.sqrt(x * x + y * y + z * z)
            x, y, z = x / length, y / length, z / length
            along = x * gx + y * gy + z * gz
            reach = bodies[i, _ROD_KG] * (length - bodies[i, _ROD_M])
            share = (bodies[i, _TUBE_KG] * bodies[i, _TUBE_M] + reach) / length
            fx, fy, fz = (
                share * (gx - along * x),
                share * (gy - along * y),
                share * (gz - along * z),
            )
            right[0] -= fx
            right[1] -= fy
            right[2] -= fz
            right[3] -= cy * fz - cz * fy
            right[4] -= cz * fx - cx * fz
            right[5] -= cx * fy - cy * fx
            own[i] = -bodies[i, _ROD_KG] * along
            for k in range(6):
                matrix[k, i] = rows[n, 1 + i, k]
        held = _eliminate(matrix, right)
        for i in range(6):
            out[n, i] = right[i] + own[i] if held else np.nan
    return out


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    table, bodies, load, gravity = np.ones((6, 14)), np.ones((6, 8)), np.ones(13), np.ones(3)
    for array in (table, bodies, load, gravity):
        array.setflags(write=False)
    holding_forces(table, bodies, load, gravity, np.zeros((0, 24)), np.zeros((0, 7, 6)))
