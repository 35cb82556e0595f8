"""Share of each limit that is left at very many poses, the limit that binds, hold and side."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Limits in the order of their numbers: lengths below and above, speeds, cones, clearances, hold,
# forces at rest.
SHORT, LONG, SPEED, BASE_CONE, PLATFORM_CONE, CLEARANCE, HOLD, FORCE = 0, 6, 12, 18, 24, 30, 45, 46
LIMITS = 52

# Columns of what is computed of a pose.
MARGIN, LIMIT, TRAVEL, SINGULAR_VALUE, FASTEST, SIDE, GREATEST_FORCE = 0, 1, 2, 3, 4, 5, 6
COLUMNS = 7

MAX_STEPS = 80


@njit(cache=True, error_model="numpy")
def _write_tridiagonal(g: Array, v: Array, p: Array, d: Array, e: Array) -> None:
    """Write diagonal and squared second diagonal of a symmetric matrix's tridiagonal form.

    By Householder's reflections; ``g`` (6, 6) is destroyed.
    """
    for k in range(4):
        square = 0.0
        for i in range(k + 1, 6):
            square += g[i, k] * g[i, k]
        rest = square - g[k + 1, k] * g[k + 1, k]
        e[k] = square
        if not rest > 0.0:
            continue
        norm = math.sqrt(square)
        for i in range(k + 1, 6):
            v[i] = g[i, k]
        v[k + 1] += norm if v[k + 1] >= 0.0 else -norm
        length = rest + v[k + 1] * v[k + 1]
        along = 0.0
        for i in range(k + 1, 6):
            total = 0.0
            for j in range(k + 1, 6):
                total += g[i, j] * v[j]
            p[i] = 2.0 * total / length
            along += p[i] * v[i]
        along /= length
        for i in range(k + 1, 6):
            p[i] -= along * v[i]
        for i in range(k + 1, 6):
            for j in range(k + 1, 6):
                g[i, j] -= v[i] * p[j] + p[i] * v[j]
    e[4] = g[5, 4] * g[5, 4]
    for k in range(6):
        d[k] = g[k, k]


@njit(cache=True, error_model="numpy")
def _least_eigenvalue(d: Array, e: Array) -> float:
    """Smallest eigenvalue of a tridiagonal matrix without negative ones, to 1e-15 of its trace.

    Newton's method on the characteristic polynomial from 0: below all roots it rises to the
    smallest one and never passes it, but by rounding.
    """
    enough = 0.0
    for k in range(6):
        enough += 1e-16 * d[k]
    value = 0.0
    for _ in range(MAX_STEPS):
        q, dq, total = d[0] - value, -1.0, 0.0
        if not q > 0.0:
            return value
        total = dq / q
        for k in range(1, 6):
            ratio = e[k - 1] / q
            dq = -1.0 + ratio * dq / q
            q = d[k] - value - ratio
            if not q > 0.0:
                return value
            total += dq / q
        step = -1.0 / total
        value += step
        if not step > enough:
            break
    return value


@njit(cache=True, error_model="numpy")
def _side(m: Array) -> float:
    """Sign of the determinant of a 6 x 6 matrix, which is destroyed."""
    sign = 1.0
    for k in range(6):
        pivot = k
        for i in range(k + 1, 6):
            if abs(m[i, k]) > abs(m[pivot, k]):
                pivot = i
        if not abs(m[pivot, k]) > 0.0:
            return 0.0
        if pivot != k:
            sign = -sign
            for j in range(k, 6):
                m[k, j], m[pivot, j] = m[pivot, j], m[k, j]
        if m[k, k] < 0.0:
            sign = -sign
        for i in range(k + 1, 6):
            factor = m[i, k] / m[k, k]
            for j in range(k + 1, 6):
                m[i, j] -= factor * m[k, j]
    return sign


@njit(cache=True, error_model="numpy")
def _write_speeds(q: Array, pose: Array, rows: Array, rates: Array, speeds: Array) -> None:
    """Write the greatest speed of each leg over all combinations of the coordinates' rates.

    The turns' axes are z, ``Rz y`` and ``Rz Ry x``, the first column of the rotation.
    """
    sine, cosine = math.sin(q[3]), math.cos(q[3])
    for i in range(6):
        r = rows[1 + i]
        speed = abs(r[0]) * rates[0] + abs(r[1]) * rates[1] + abs(r[2]) * rates[2]
        speed += abs(r[5]) * rates[3]
        speed += abs(cosine * r[4] - sine * r[3]) * rates[4]
        speed += abs(pose[3] * r[3] + pose[6] * r[4] + pose[9] * r[5]) * rates[5]
        speeds[i] = speed


@njit(cache=True, error_model="numpy", forceinline=True)
def _write_gram(rows: Array, scale: float, m: Array, g: Array) -> None:
    """Write the scaled Jacobian of one pose's rows, and its product with its transpose."""
    for i in range(6):
        for k in range(6):
            m[i, k] = rows[1 + i, k] if k < 3 else rows[1 + i, k] / scale
    for i in range(6):
        for k in range(i + 1):
            total = 0.0
            for j in range(6):
                total += m[i, j] * m[k, j]
            g[i, k] = g[k, i] = total


@njit(cache=True, error_model="numpy", forceinline=True)
def _write_joint_shares(measured: Array, low: Array, high: Array, shares: Array) -> None:
    """Write the shares left of cones and clearances."""
    for i in range(12):
        shares[BASE_CONE + i] = 1.0 - measured[i] / high[18 + i]
    for i in range(15):
        limit = low[30 + i]
        if limit > 0.0:
            shares[CLEARANCE + i] = measured[12 + i] / limit - 1.0
        else:
            shares[CLEARANCE + i] = np.inf


@njit(cache=True, error_model="numpy", forceinline=True)
def _write_force_shares(forces: Array, limits: Array, shares: Array) -> float:
    """Write the shares left of the forces; return the greatest force.

    A pose without forces is a singular one, which the singular value says: all of them is left.
    """
    greatest = 0.0
    for i in range(6):
        force = abs(forces[i])
        greatest = max(greatest, force)
        shares[FORCE + i] = 1.0 - force / limits[i] if force == force else np.inf
    return greatest


@njit(cache=True, error_model="numpy", forceinline=True)
def _binding(shares: Array) -> int:
    """Number of the limit with the least share left; the first that is not a number, if any."""
    number = 0
    for k in range(1, LIMITS):
        if shares[number] != shares[number]:
            break
        if not shares[k] >= shares[number]:
            number = k
    return number


@njit(cache=True, error_model="numpy")
def judge(
    coordinates: Array,
    poses: Array,
    rows: Array,
    measured: Array,
    low: Array,
    high: Array,
    rates: Array,
    scale: float,
    forces: Array,
    force_limits: Array,
) -> Array:
    """Judge poses: share left of the limit that binds, its number, and the built-in quantities.

    A share is what is left of a limit as a part of it (of half the stroke for a length, of the
    value itself where the limit is 0), below 0 beyond it. What is not a number has none.

    Args:
        coordinates: shape (N, 6).
        poses: packed poses of these, shape (N, 24).
        rows: lengths and Jacobian of each, shape (N, 7, 6).
        measured: measures of each, the singular value not used, shape (N, 28).
        low: least values of an envelope, shape (46,).
        high: greatest values of an envelope, shape (46,).
        rates: greatest rates of the coordinates, shape (6,).
        scale: length that divides the Jacobian's rotation columns [m].
        forces: of the drives at rest [N], shape (N, 6); (0, 6) if they are not judged.
        force_limits: greatest forces [N], shape (6,).

    Returns:
        Shape (N, 7); see the columns above.
    """
    count = coordinates.shape[0]
    out = np.empty((count, COLUMNS))
    g, m, speeds = np.empty((6, 6)), np.empty((6, 6)), np.zeros(6)
    v, p, d, e = np.zeros(6), np.zeros(6), np.empty(6), np.empty(5)
    shares = np.full(LIMITS, np.inf)
    loaded, moving = len(forces) > 0, rates.max() > 0.0
    for n in range(count):
        travel, fastest = np.inf, 0.0
        if moving:
            _write_speeds(coordinates[n], poses[n], rows[n], rates, speeds)
        for i in range(6):
            length, half = rows[n, 0, i], 0.5 * (high[i] - low[i])
            shares[SHORT + i] = (length - low[i]) / half
            shares[LONG + i] = (high[i] - length) / half
            travel = min(travel, length - low[i], high[i] - length)
            shares[SPEED + i] = 1.0 - speeds[i] / high[6 + i]
            fastest = max(fastest, speeds[i])
        _write_joint_shares(measured[n], low, high, shares)
        _write_gram(rows[n], scale, m, g)
        _write_tridiagonal(g, v, p, d, e)
        hold = math.sqrt(max(_least_eigenvalue(d, e), 0.0))
        shares[HOLD] = hold / low[45] - 1.0 if low[45] > 0.0 else hold
        force = _write_force_shares(forces[n], force_limits, shares) if loaded else 0.0
        number = _binding(shares)
        out[n, MARGIN], out[n, LIMIT] = shares[number], number
        out[n, TRAVEL], out[n, SINGULAR_VALUE], out[n, FASTEST] = travel, hold, fastest
        out[n, SIDE], out[n, GREATEST_FORCE] = _side(m), force
    return out


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    limits = np.ones(46)
    limits.setflags(write=False)
    rates = np.zeros(6)
    rates.setflags(write=False)
    judge(
        np.zeros((1, 6)), np.zeros((1, 24)), np.zeros((1, 7, 6)), np.zeros((1, 28)), limits,
        limits, rates, 1.0, np.zeros((0, 6)), limits,
    )  # fmt: skip
