"""Lengths and speeds of very many poses: blocks of poses, arranged so that the CPU vectorises.

A block of ``BLOCK`` poses is turned from rows into columns (one array per quantity), so that each
step is a plain loop over neighbouring numbers, and all columns of a block stay in the first-level
cache. The columns share one flat array with constant offsets: the compiler then sees by itself
that they do not overlap. Sine and cosine are polynomials, because a call of the library's would
stop the vectorisation. Fused multiply-add is allowed; nothing that would hide a nan is.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

BLOCK = 64
"""Poses of a block: 42 columns of 64 numbers are 21 KiB."""

LARGEST_ANGLE_RAD = 1e4
"""Beyond it the polynomials' range reduction loses digits; the library's functions step in."""

# pi in two parts of 38 bits: their products with a whole number below 2**15 are exact, so that an
# angle loses no digit when its half turns are taken off. What is left out of pi is 2e-23.
_PI_HIGH = 3.1415926535846666
_PI_LOW = 5.1266883031679116e-12
_ROUNDER = 6755399441055744.0  # 1.5 * 2**52: adding and subtracting it rounds to a whole number

# Columns of the block's flat array.
_Q = 0  # x, y, z, alpha, beta, gamma
_DQ = 6  # their rates; the last three are overwritten by omega
_SIN = 12
_COS = 15
_M = 18  # rotation, row by row
_OUT = 27  # six lengths, six speeds
_COLUMNS = 39


@njit(cache=True, error_model="numpy")
def _sincos(x: float) -> tuple[float, float]:
    """Sine and cosine to 1e-15 for angles up to LARGEST_ANGLE_RAD, without a branch.

    The angle is brought into [-pi/2, pi/2] by whole half turns, an odd number of which flips both
    signs. There the Taylor series are cut where the next term is below 3e-16.
    """
    k = (x * (1.0 / math.pi) + _ROUNDER) - _ROUNDER
    r = (x - k * _PI_HIGH) - k * _PI_LOW
    sign = 1.0 - 2.0 * (k - 2.0 * math.floor(0.5 * k))
    t = r * r
    s = 1.0 / 51090942171709440000.0
    s = s * t - 1.0 / 121645100408832000.0
    s = s * t + 1.0 / 355687428096000.0
    s = s * t - 1.0 / 1307674368000.0
    s = s * t + 1.0 / 6227020800.0
    s = s * t - 1.0 / 39916800.0
    s = s * t + 1.0 / 362880.0
    s = s * t - 1.0 / 5040.0
    s = s * t + 1.0 / 120.0
    s = s * t - 1.0 / 6.0
    c = 1.0 / 2432902008176640000.0
    c = c * t - 1.0 / 6402373705728000.0
    c = c * t + 1.0 / 20922789888000.0
    c = c * t - 1.0 / 87178291200.0
    c = c * t + 1.0 / 479001600.0
    c = c * t - 1.0 / 3628800.0
    c = c * t + 1.0 / 40320.0
    c = c * t - 1.0 / 720.0
    c = c * t + 1.0 / 24.0
    c = c * t - 0.5
    return sign * (r + r * (t * s)), sign * (1.0 + t * c)


@njit(cache=True, error_model="numpy")
def _trigonometry(w: Array) -> None:
    """Fill the sine and cosine columns from the angle columns."""
    largest = 0.0
    for j in range(3 * BLOCK):
        a = abs(w[(_Q + 3) * BLOCK + j])
        largest = a if a > largest else largest  # a nan is not: the polynomials keep it a nan
    if largest <= LARGEST_ANGLE_RAD:
        for j in range(3 * BLOCK):
            s, c = _sincos(w[(_Q + 3) * BLOCK + j])
            w[_SIN * BLOCK + j] = s
            w[_COS * BLOCK + j] = c
    else:
        for j in range(3 * BLOCK):
            w[_SIN * BLOCK + j] = math.sin(w[(_Q + 3) * BLOCK + j])
            w[_COS * BLOCK + j] = math.cos(w[(_Q + 3) * BLOCK + j])


@njit(cache=True, error_model="numpy")
def _rotations(w: Array) -> None:
    """Fill the rotation columns and turn the Euler rates into omega."""
    for j in range(BLOCK):
        sa, sb, sg = w[12 * BLOCK + j], w[13 * BLOCK + j], w[14 * BLOCK + j]
        ca, cb, cg = w[15 * BLOCK + j], w[16 * BLOCK + j], w[17 * BLOCK + j]
        da, db, dg = w[9 * BLOCK + j], w[10 * BLOCK + j], w[11 * BLOCK + j]
        w[18 * BLOCK + j] = ca * cb
        w[19 * BLOCK + j] = ca * sb * sg - sa * cg
        w[20 * BLOCK + j] = ca * sb * cg + sa * sg
        w[21 * BLOCK + j] = sa * cb
        w[22 * BLOCK + j] = sa * sb * sg + ca * cg
        w[23 * BLOCK + j] = sa * sb * cg - ca * sg
        w[24 * BLOCK + j] = -sb
        w[25 * BLOCK + j] = cb * sg
        w[26 * BLOCK + j] = cb * cg
        w[9 * BLOCK + j] = ca * cb * dg - sa * db
        w[10 * BLOCK + j] = sa * cb * dg + ca * db
        w[11 * BLOCK + j] = da - sb * dg


@njit(cache=True, error_model="numpy", forceinline=True)
def _leg(table: Array, i: int, w: Array) -> None:
    """Fill the length and speed columns of leg ``i``."""
    ax, ay, az = table[i, 0], table[i, 1], table[i, 2]
    bx, by, bz = table[i, 3], table[i, 4], table[i, 5]
    for j in range(BLOCK):
        cx = w[18 * BLOCK + j] * bx + w[19 * BLOCK + j] * by + w[20 * BLOCK + j] * bz
        cy = w[21 * BLOCK + j] * bx + w[22 * BLOCK + j] * by + w[23 * BLOCK + j] * bz
        cz = w[24 * BLOCK + j] * bx + w[25 * BLOCK + j] * by + w[26 * BLOCK + j] * bz
        dx = w[j] + cx - ax
        dy = w[BLOCK + j] + cy - ay
        dz = w[2 * BLOCK + j] + cz - az
        ox, oy, oz = w[9 * BLOCK + j], w[10 * BLOCK + j], w[11 * BLOCK + j]
        vx = w[6 * BLOCK + j] + oy * cz - oz * cy
        vy = w[7 * BLOCK + j] + oz * cx - ox * cz
        vz = w[8 * BLOCK + j] + ox * cy - oy * cx
        length = math.sqrt(dx * dx + dy * dy + dz * dz)
        w[(_OUT + i) * BLOCK + j] = length
        w[(_OUT + 6 + i) * BLOCK + j] = (dx * vx + dy * vy + dz * vz) / length


@njit(cache=True, error_model="numpy", nogil=True)
def lengths_and_speeds(
    table: Array, coordinates: Array, rates: Array, lengths: Array, speeds: Array
) -> None:
    """Write lengths [m] and speeds [m/s] of legs without screw lead.

    The caller makes the arrays: numpy asks the system for large pages, numba does not, and for a
    million poses the handling of small pages costs more than the mathematics.

    Args:
        table: constants of the legs, shape (6, 14); the last two columns are not used.
        coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).
        rates: their time derivatives, shape (N, 6).
        lengths: where to write the lengths, shape (N, 6).
        speeds: where to write the speeds, shape (N, 6).
    """
    count = coordinates.shape[0]
    flat_q, flat_dq = coordinates.reshape(-1), rates.reshape(-1)
    flat_l, flat_v = lengths.reshape(-1), speeds.reshape(-1)
    w = np.zeros(_COLUMNS * BLOCK)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)  # a short last block computes on old numbers besides
        q, dq = flat_q[6 * start : 6 * (start + size)], flat_dq[6 * start : 6 * (start + size)]
        for j in range(size):
            for k in range(6):
                w[(_Q + k) * BLOCK + j] = q[6 * j + k]
                w[(_DQ + k) * BLOCK + j] = dq[6 * j + k]
        _trigonometry(w)
        _rotations(w)
        for i in range(6):
            _leg(table, i, w)
        ls, vs = flat_l[6 * start : 6 * (start + size)], flat_v[6 * start : 6 * (start + size)]
        for j in range(size):
            for k in range(6):
                ls[6 * j + k] = w[(_OUT + k) * BLOCK + j]
                vs[6 * j + k] = w[(_OUT + 6 + k) * BLOCK + j]


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    table = np.zeros((6, 14))
    table.setflags(write=False)
    rows = np.zeros((1, 6))
    lengths_and_speeds(table, rows, rows, np.empty((1, 6)), np.empty((1, 6)))
