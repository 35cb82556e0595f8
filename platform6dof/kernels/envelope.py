"""Angles of the joints, clearance of the legs and hold of the platform, for many poses."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

Vector = tuple[float, float, float]

# Columns of the measures.
BASE_ANGLE = 0  # six
PLATFORM_ANGLE = 6  # six
CLEARANCE = 12  # fifteen, pairs of legs in the order 1-2, 1-3, ... 5-6
SINGULAR_VALUE = 27
MEASURES = 28

STATES = 18
"""Lengths, speeds and accelerations of six legs, which come before the measures in all limits."""

PAIRS = 15
LANES = 16
"""Pairs of legs and one more, whole vectors of the CPU."""
COLUMNS = 13
"""Numbers of a pair: base joints (3, 3), legs (3, 3), clearance."""

MAX_SWEEPS = 30
ROUNDING = 1e-12
"""Far more than the share of its trace by which the product of two 6 x 6 matrices is wrong."""


@njit(cache=True, error_model="numpy", forceinline=True)
def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy", forceinline=True)
def _angle(a: Vector, b: Vector) -> float:
    """Angle between two vectors [rad]; exact for small angles too, where a cosine is not."""
    x = a[1] * b[2] - a[2] * b[1]
    y = a[2] * b[0] - a[0] * b[2]
    z = a[0] * b[1] - a[1] * b[0]
    return math.atan2(math.sqrt(x * x + y * y + z * z), _dot(a, b))


@njit(cache=True, error_model="numpy", forceinline=True)
def _square_to_segment(
    a: Vector, da: Vector, share: float, start: Vector, along: Vector, square: float
) -> float:
    """Squared distance of the point ``a + share da`` from ``start + t along``, t in 0..1.

    Args:
        square: that of ``along``.
    """
    x = a[0] + share * da[0] - start[0]
    y = a[1] + share * da[1] - start[1]
    z = a[2] + share * da[2] - start[2]
    t = min(1.0, max(0.0, (x * along[0] + y * along[1] + z * along[2]) / square))
    x -= t * along[0]
    y -= t * along[1]
    z -= t * along[2]
    return x * x + y * y + z * z


@njit(cache=True, error_model="numpy", forceinline=True)
def _clearance(a: Vector, da: Vector, b: Vector, db: Vector) -> float:
    """Distance of the segments ``a + s da`` and ``b + t db``, s and t in 0..1.

    Either the lines' nearest points both lie on the segments, or an end of one is nearest. Both
    are computed, without a branch, so that many pairs are one loop over neighbouring numbers.
    """
    aa, bb, ab = _dot(da, da), _dot(db, db), _dot(da, db)
    gap = (b[0] - a[0], b[1] - a[1], b[2] - a[2])
    ao, bo = _dot(da, gap), _dot(db, gap)
    area = aa * bb - ab * ab  # 0 for parallel lines: then an end is among the nearest points
    s = (ao * bb - bo * ab) / area
    t = (ao * ab - bo * aa) / area
    x = gap[0] + t * db[0] - s * da[0]
    y = gap[1] + t * db[1] - s * da[1]
    z = gap[2] + t * db[2] - s * da[2]
    crossing = (area > 1e-14 * aa * bb) & (s >= 0.0) & (s <= 1.0) & (t >= 0.0) & (t <= 1.0)
    square = _square_to_segment(a, da, 0.0, b, db, bb)
    other = _square_to_segment(a, da, 1.0, b, db, bb)
    square = square if not other < square else other
    other = _square_to_segment(b, db, 0.0, a, da, aa)
    square = square if not other < square else other
    other = _square_to_segment(b, db, 1.0, a, da, aa)
    square = square if not other < square else other
    return math.sqrt(x * x + y * y + z * z if crossing else square)


@njit(cache=True, error_model="numpy")
def _columns_of_bases(base: Array) -> Array:
    """Columns of all pairs, flat; those of the two base joints are filled in."""
    w = np.zeros(COLUMNS * LANES)
    pair = 0
    for i in range(6):
        for j in range(i + 1, 6):
            for k in range(3):
                w[k * LANES + pair] = base[i, k]
                w[(3 + k) * LANES + pair] = base[j, k]
            pair += 1
    return w


@njit(cache=True, error_model="numpy", forceinline=True)
def _clearances(w: Array, legs: Array, out: Array) -> None:
    """Write the clearances of the fifteen pairs; ``w`` is that of `_columns_of_bases`."""
    pair = 0
    for i in range(6):
        for j in range(i + 1, 6):
            for k in range(3):
                w[(6 + k) * LANES + pair] = legs[i, k]
                w[(9 + k) * LANES + pair] = legs[j, k]
            pair += 1
    for c in range(LANES):
        w[12 * LANES + c] = _clearance(
            (w[c], w[LANES + c], w[2 * LANES + c]),
            (w[6 * LANES + c], w[7 * LANES + c], w[8 * LANES + c]),
            (w[3 * LANES + c], w[4 * LANES + c], w[5 * LANES + c]),
            (w[9 * LANES + c], w[10 * LANES + c], w[11 * LANES + c]),
        )
    for c in range(PAIRS):
        out[c] = w[12 * LANES + c]


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
    legs, matrix = np.empty((6, 3)), np.empty((6, 6))
    pairs = _columns_of_bases(base)
    for n in range(count):
        p, r = poses[n, :3], poses[n, 3:12].reshape(3, 3)
        for i in range(6):
            for k in range(3):
                legs[i, k] = p[k] + _dot(r[k], platform[i]) - base[i, k]
            axis = (
                _dot(r[0], platform_axes[i]),
                _dot(r[1], platform_axes[i]),
                _dot(r[2], platform_axes[i]),
            )
            out[n, BASE_ANGLE + i] = _angle(legs[i], base_axes[i])
            out[n, PLATFORM_ANGLE + i] = _angle(legs[i], axis)
        _clearances(pairs, legs, out[n, CLEARANCE:])
        for i in range(6):
            for k in range(6):
                matrix[i, k] = rows[n, 1 + i, k] if k < 3 else rows[n, 1 + i, k] / scale
        known = enough < np.inf and _surely_above(matrix, enough)
        out[n, SINGULAR_VALUE] = enough if known else _smallest_singular_value(matrix)
    return out


@njit(cache=True, error_model="numpy")
def inside(states: Array, measured: Array, low: Array, high: Array) -> NDArray[np.bool_]:
    """Which poses keep all limits, shape (N,); what is not a number keeps none.

    Args:
        states: lengths, speeds and accelerations of the legs, shape (N, 18).
        measured: measures of the same poses, shape (N, 28).
        low: least value of each quantity, shape (46,).
        high: greatest value of each quantity, shape (46,).
    """
    count = states.shape[0]
    out = np.empty(count, np.bool_)
    for n in range(count):
        good = True
        for k in range(STATES):
            good &= (states[n, k] >= low[k]) & (states[n, k] <= high[k])
        for k in range(MEASURES):
            value = measured[n, k]
            good &= (value >= low[STATES + k]) & (value <= high[STATES + k])
        out[n] = good
    return out


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    joints = np.ones((6, 3))
    joints.setflags(write=False)
    poses, rows = np.zeros((1, 24)), np.zeros((1, 7, 6))
    measured = measures(joints, joints, joints, joints, 1.0, poses, rows, 0.0)
    limits = np.zeros(STATES + MEASURES)
    limits.setflags(write=False)
    inside(np.zeros((1, STATES)), measured, limits, limits)
