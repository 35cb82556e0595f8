"""Angles of the joints, clearance of the legs and hold of the platform, for many poses."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Columns of the measures.
BASE_ANGLE = 0  # six
PLATFORM_ANGLE = 6  # six
CLEARANCE = 12  # fifteen, pairs of legs in the order 1-2, 1-3, ... 5-6
SINGULAR_VALUE = 27
MEASURES = 28

MAX_SWEEPS = 30
ROUNDING = 1e-12
"""Far more than the share of its trace by which the product of two 6 x 6 matrices is wrong."""


@njit(cache=True, error_model="numpy")
def _dot(a: Array, b: Array) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy")
def _angle(a: Array, b: Array) -> float:
    """Angle between two vectors [rad]; exact for small angles too, where a cosine is not."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    return math.atan2(math.sqrt(x * x + y * y + z * z), _dot(a, b))


@njit(cache=True, error_model="numpy")
def _square_to_segment(a: Array, da: Array, share: float, start: Array, along: Array) -> float:
    """Squared distance of the point ``a + share da`` from ``start + t along``, t in 0..1."""
    product = square = 0.0
    for k in range(3):
        product += (a[k] + share * da[k] - start[k]) * along[k]
    t = min(1.0, max(0.0, product / _dot(along, along)))
    for k in range(3):
        gap = a[k] + share * da[k] - start[k] - t * along[k]
        square += gap * gap
    return square


@njit(cache=True, error_model="numpy")
def _clearance(a: Array, da: Array, b: Array, db: Array) -> float:
    """Distance of the segments ``a + s da`` and ``b + t db``, s and t in 0..1.

    Either the lines' nearest points both lie on the segments, or an end of one is nearest.
    """
    aa, bb, ab = _dot(da, da), _dot(db, db), _dot(da, db)
    ao = bo = 0.0
    for k in range(3):
        ao += da[k] * (b[k] - a[k])
        bo += db[k] * (b[k] - a[k])
    area = aa * bb - ab * ab  # 0 for parallel lines: then an end is among the nearest points
    if area > 1e-14 * aa * bb:
        s = (ao * bb - bo * ab) / area
        t = (ao * ab - bo * aa) / area
        if 0.0 <= s <= 1.0 and 0.0 <= t <= 1.0:
            square = 0.0
            for k in range(3):
                gap = b[k] - a[k] + t * db[k] - s * da[k]
                square += gap * gap
            return math.sqrt(square)
    square = _square_to_segment(a, da, 0.0, b, db)
    for other in (
        _square_to_segment(a, da, 1.0, b, db),
        _square_to_segment(b, db, 0.0, a, da),
        _square_to_segment(b, db, 1.0, a, da),
    ):
        square = square if not other < square else other
    return math.sqrt(square)


@njit(cache=True, error_model="numpy")
def _smallest_singular_value(m: Array) -> float:
    """Smallest singular value of a 6 x 6 matrix, which is destroyed.

    One-sided Jacobi: pairs of columns are turned until all are orthogonal; their norms are the
    singular values. A tiny value keeps its relative accuracy, which it would lose in m^T m.
    """
    for _ in range(MAX_SWEEPS):
        turned = False
        for i in range(5):
            for j in range(i + 1, 6):
                ii, jj, ij = 0.0, 0.0, 0.0
                for k in range(6):
                    ii += m[k, i] * m[k, i]
                    jj += m[k, j] * m[k, j]
                    ij += m[k, i] * m[k, j]
                if ij == 0.0 or abs(ij) <= 1e-15 * math.sqrt(ii * jj):
                    continue
                turned = True
                zeta = (jj - ii) / (2.0 * ij)
                tangent = math.copysign(1.0, zeta) / (abs(zeta) + math.sqrt(1.0 + zeta * zeta))
                cosine = 1.0 / math.sqrt(1.0 + tangent * tangent)
                sine = cosine * tangent
                for k in range(6):
                    x, y = m[k, i], m[k, j]
                    m[k, i] = cosine * x - sine * y
                    m[k, j] = sine * x + cosine * y
        if not turned:
            break
    smallest = np.inf
    for j in range(6):
        norm = 0.0
        for k in range(6):
            norm += m[k, j] * m[k, j]
        smallest = smallest if not math.sqrt(norm) <= smallest else math.sqrt(norm)
    return smallest


@njit(cache=True, error_model="numpy")
def _surely_above(m: Array, value: float) -> bool:
    """Whether all singular values of a 6 x 6 matrix are above a value, for certain.

    They are if m^T m - value^2 is positive definite, which Cholesky's algorithm finds out at a
    twentieth of the price of the singular values; what rounding may do to m^T m is set aside.
    """
    trace = 0.0
    for i in range(6):
        for k in range(6):
            trace += m[k, i] * m[k, i]
    less = value * value + ROUNDING * trace
    factor = np.empty((6, 6))
    for i in range(6):
        for j in range(i + 1):
            total = -less if i == j else 0.0
            for k in range(6):
                total += m[k, i] * m[k, j]
            for k in range(j):
                total -= factor[i, k] * factor[j, k]
            if i > j:
                factor[i, j] = total / factor[j, j]
            elif total > 0.0:
                factor[i, i] = math.sqrt(total)
            else:
                return False
    return True


@njit(cache=True, error_model="numpy")
def measures(
    base: Array,
    platform: Array,
    base_axes: Array,
    platform_axes: Array,
    scale: float,
    poses: Array,
    rows: Array,
    enough: float,
) -> Array:
    """Joint angles [rad], clearances [m] and smallest singular value of each pose.

    Args:
        base: base joints in base axes [m], shape (6, 3).
        platform: platform joints in platform axes [m], shape (6, 3).
        base_axes: neutral directions of the base joints, base axes, shape (6, 3).
        platform_axes: neutral directions of the platform joints, platform axes, shape (6, 3).
        scale: length that divides the Jacobian's rotation columns [m].
        poses: packed poses, shape (N, 12).
        rows: lengths and Jacobian of each pose, shape (N, 7, 6).
        enough: a smallest singular value that is surely above this is told as this; infinity: all
            are told as they are.

    Returns:
        Shape (N, 28); see the columns above. A pose that is not finite has a nan among them.
    """
    count = poses.shape[0]
    out = np.empty((count, MEASURES))
    legs, axis, matrix = np.empty((6, 3)), np.empty(3), np.empty((6, 6))
    for n in range(count):
        p, r = poses[n, :3], poses[n, 3:12].reshape(3, 3)
        for i in range(6):
            for k in range(3):
                legs[i, k] = p[k] + _dot(r[k], platform[i]) - base[i, k]
                axis[k] = _dot(r[k], platform_axes[i])
            out[n, BASE_ANGLE + i] = _angle(legs[i], base_axes[i])
            out[n, PLATFORM_ANGLE + i] = _angle(legs[i], axis)
        pair = CLEARANCE
        for i in range(6):
            for j in range(i + 1, 6):
                out[n, pair] = _clearance(base[i], legs[i], base[j], legs[j])
                pair += 1
            for k in range(6):
                matrix[i, k] = rows[n, 1 + i, k] if k < 3 else rows[n, 1 + i, k] / scale
        known = enough < np.inf and _surely_above(matrix, enough)
        out[n, SINGULAR_VALUE] = enough if known else _smallest_singular_value(matrix)
    return out


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    joints = np.ones((6, 3))
    joints.setflags(write=False)
    poses, rows = np.zeros((1, 24)), np.zeros((1, 7, 6))
    measures(joints, joints, joints, joints, 1.0, poses, rows, 0.0)
