"""The rider's head on the platform: where the platform must be for it.

Platform axes are forward, left, up. Rows are coordinates x, y, z, alpha, beta, gamma [m, rad] with
their first and second derivatives, shape (3, 6). What the head feels there says
`platform6dof.cueing.head_motion`. The kernels are in one file, as compiled callees must.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Floats = NDArray[np.float64]


@njit(cache=True, error_model="numpy")
def _turn(rows: Floats, rotation: Floats, omega: Floats, domega: Floats) -> None:
    """Write rotation, angular velocity and its derivative of angles and their derivatives.

    M = Rz(alpha) Ry(beta) Rx(gamma), omega = alpha' z + beta' e2 + gamma' e3 (Bukharov et al.
    2022, eq. 1, and its derivative), all in base axes.
    """
    ca, sa = math.cos(rows[0, 3]), math.sin(rows[0, 3])
    cb, sb = math.cos(rows[0, 4]), math.sin(rows[0, 4])
    cg, sg = math.cos(rows[0, 5]), math.sin(rows[0, 5])
    rotation[0, 0], rotation[0, 1] = ca * cb, ca * sb * sg - sa * cg
    rotation[0, 2] = ca * sb * cg + sa * sg
    rotation[1, 0], rotation[1, 1] = sa * cb, sa * sb * sg + ca * cg
    rotation[1, 2] = sa * sb * cg - ca * sg
    rotation[2, 0], rotation[2, 1], rotation[2, 2] = -sb, cb * sg, cb * cg
    a1, b1, c1 = rows[1, 3], rows[1, 4], rows[1, 5]
    a2, b2, c2 = rows[2, 3], rows[2, 4], rows[2, 5]
    omega[0] = -sa * b1 + ca * cb * c1
    omega[1] = ca * b1 + sa * cb * c1
    omega[2] = a1 - sb * c1
    domega[0] = -sa * b2 + ca * cb * c2 - ca * a1 * b1 - (sa * cb * a1 + ca * sb * b1) * c1
    domega[1] = ca * b2 + sa * cb * c2 - sa * a1 * b1 + (ca * cb * a1 - sa * sb * b1) * c1
    domega[2] = a2 - sb * c2 - cb * b1 * c1


@njit(cache=True, error_model="numpy")
def _at_head(rotation: Floats, omega: Floats, domega: Floats, head: Floats, way: Floats) -> None:
    """Write the head's place, velocity and acceleration beside the platform's origin, (3, 3)."""
    for k in range(3):
        way[0, k] = rotation[k, 0] * head[0] + rotation[k, 1] * head[1] + rotation[k, 2] * head[2]
    for row, turn in ((1, omega), (2, domega)):
        way[row, 0] = turn[1] * way[0, 2] - turn[2] * way[0, 1]
        way[row, 1] = turn[2] * way[0, 0] - turn[0] * way[0, 2]
        way[row, 2] = turn[0] * way[0, 1] - turn[1] * way[0, 0]
    way[2, 0] += omega[1] * way[1, 2] - omega[2] * way[1, 1]
    way[2, 1] += omega[2] * way[1, 0] - omega[0] * way[1, 2]
    way[2, 2] += omega[0] * way[1, 1] - omega[1] * way[1, 0]


@njit(cache=True, error_model="numpy")
def platform_rows(deviation: Floats, head: Floats, neutral: Floats, out: Floats) -> None:
    """Write the platform's coordinates that give the head a deviation from where it is at rest.

    Args:
        deviation: of the head: its place along the base's axes, and the platform's turn.
        head: place of the head in the platform's axes [m], shape (3,).
        neutral: coordinates of the platform at rest, its turn zero, shape (6,).
        out: where to write, shape (3, 6).
    """
    rotation, omega, domega, way = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty((3, 3))
    _turn(deviation, rotation, omega, domega)
    _at_head(rotation, omega, domega, head, way)
    for k in range(6):
        for row in range(3):
            out[row, k] = deviation[row, k]
        out[0, k] += neutral[k]
    for k in range(3):
        for row in range(3):
            out[row, k] -= way[row, k]
        out[0, k] += head[k]


def warm() -> None:
    """Compile it."""
    platform_rows(np.zeros((3, 6)), np.zeros(3), np.zeros(6), np.empty((3, 6)))
