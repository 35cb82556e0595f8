"""Kernels of an operated motion, called once per cycle; all in one file.

Rows are the six coordinates (x, y, z, alpha, beta, gamma) [m, rad] with their first and second
derivative, shape (3, 6), in which paths are blended and paced.
"""

import math

import numpy as np
from numba import njit

from hil.stations.platform.motion.source import Floats


@njit(cache=True, error_model="numpy")
def rows_of_setpoint(packed: Floats, rows: Floats) -> None:
    """Write the rows of a packed setpoint: the inverse of `setpoint_of_coordinates`.

    With M = Rz(alpha) Ry(beta) Rx(gamma), omega = alpha' z + beta' e2 + gamma' e3; e2 lies in the
    xy plane, so its equation stands alone, and the other two follow.

    Args:
        packed: position, rotation, twist and its derivative, shape (24,).
        rows: array to write to, shape (3, 6).
    """
    cb = math.hypot(packed[3], packed[6])
    sb = -packed[9]
    sa, ca = packed[6] / cb, packed[3] / cb
    rows[0, 3] = math.atan2(sa, ca)
    rows[0, 4] = math.atan2(sb, cb)
    rows[0, 5] = math.atan2(packed[10], packed[11])
    for k in range(3):
        rows[0, k], rows[1, k], rows[2, k] = packed[k], packed[12 + k], packed[18 + k]
    wx, wy, wz = packed[15], packed[16], packed[17]
    beta_dot = ca * wy - sa * wx
    gamma_dot = (ca * wx + sa * wy) / cb
    alpha_dot = wz + sb * gamma_dot
    rows[1, 3], rows[1, 4], rows[1, 5] = alpha_dot, beta_dot, gamma_dot
    # What the axes being carried along adds to the angular acceleration is taken off first.
    carried_x = -alpha_dot * sa * cb - beta_dot * ca * sb
    carried_y = alpha_dot * ca * cb - beta_dot * sa * sb
    fx = packed[21] + ca * alpha_dot * beta_dot - carried_x * gamma_dot
    fy = packed[22] + sa * alpha_dot * beta_dot - carried_y * gamma_dot
    fz = packed[23] + cb * beta_dot * gamma_dot
    rows[2, 4] = ca * fy - sa * fx
    rows[2, 5] = (ca * fx + sa * fy) / cb
    rows[2, 3] = fz + sb * rows[2, 5]


@njit(cache=True, error_model="numpy")
def blend(u: float, length_s: float, old: Floats, new: Floats, out: Floats) -> None:
    """Write the rows between two motions: old + w (new - old), w = 10 u^3 - 15 u^4 + 6 u^5.

    Args:
        u: share of the fade that has passed, 0 to 1.
        length_s: length of the fade [s].
        old: rows of the motion that is left, shape (3, 6).
        new: rows of the motion that is taken, shape (3, 6).
        out: array to write to, shape (3, 6).
    """
    v = 1.0 - u
    w = u * u * u * (10.0 - 15.0 * u + 6.0 * u * u)
    dw = 30.0 * u * u * v * v / length_s
    ddw = 60.0 * u * v * (v - u) / (length_s * length_s)
    for k in range(6):
        x, dx = new[0, k] - old[0, k], new[1, k] - old[1, k]
        out[0, k] = old[0, k] + w * x
        out[1, k] = old[1, k] + w * dx + dw * x
        out[2, k] = old[2, k] + w * (new[2, k] - old[2, k]) + 2.0 * dw * dx + ddw * x


@njit(cache=True, error_model="numpy")
def pace(rows: Floats, rate: float, second: float, out: Floats) -> None:
    """Write the rows of a path that is followed at a tempo s'(t): the chain rule.

    Args:
        rows: rows of the path, by its own time, shape (3, 6).
        rate: s' [1].
        second: s'' [1/s].
        out: array to write to, shape (3, 6).
    """
    for k in range(6):
        out[0, k] = rows[0, k]
        out[1, k] = rate * rows[1, k]
        out[2, k] = rate * rate * rows[2, k] + second * rows[1, k]


def warm() -> None:
    """Compile the kernels for the types that a run calls them with."""
    packed = np.zeros(24)
    packed[[3, 7, 11]] = 1.0
    packed.setflags(write=False)  # as that of every setpoint
    rows, other, out = np.zeros((3, 6)), np.zeros((3, 6)), np.empty((3, 6))
    rows_of_setpoint(packed, rows)
    blend(0.5, 1.0, rows, other, out)
    pace(rows, 1.0, 0.0, out)
