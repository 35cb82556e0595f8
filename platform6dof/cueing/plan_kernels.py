"""Compiled inner loops of the predictive algorithm: playing a plan, feeling it, its constraints."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.cueing.vehicle import GRAVITY_M_S2

Array = NDArray[np.float64]


@njit(cache=True, error_model="numpy")
def _play(knots_s: Array, course: Array, after_s: float, out: Array) -> None:
    """Coordinates of a course whose accelerations are straight between its knots.

    Args:
        knots_s: since the beginning, from 0 on, rising, shape (n,).
        course: coordinates and two derivatives at the knots, shape (n, 3, 6).
        after_s: moment since the beginning.
        out: where to write, shape (3, 6).
    """
    last = knots_s.size - 1
    if not after_s < knots_s[last]:
        for c in range(6):
            out[0, c], out[1, c], out[2, c] = course[last, 0, c], 0.0, 0.0
        return
    at = max(after_s, 0.0)
    k = 0
    while knots_s[k + 1] <= at:
        k += 1
    span, t = knots_s[k + 1] - knots_s[k], at - knots_s[k]
    for c in range(6):
        x, v, a = course[k, 0, c], course[k, 1, c], course[k, 2, c]
        jerk = (course[k + 1, 2, c] - a) / span
        out[0, c] = x + t * (v + t * (0.5 * a + t * jerk / 6.0))
        out[1, c] = v + t * (a + 0.5 * t * jerk)
        out[2, c] = a + t * jerk


@njit(cache=True, error_model="numpy")
def play(knots_s: Array, course: Array, after_s: float, out: Array) -> None:
    """Write the coordinates and two derivatives of a course at a moment; see `_play`."""
    _play(knots_s, course, after_s, out)


@njit(cache=True, error_model="numpy")
def play_many(knots_s: Array, course: Array, after_s: Array, out: Array) -> None:
    """`play` at several moments, shape (N,); writes shape (N, 3, 6)."""
    for n in range(after_s.size):
        _play(knots_s, course, after_s[n], out[n])


@njit(cache=True, error_model="numpy")
def integrate(knots_s: Array, begin: Array, accelerations: Array, course: Array) -> None:
    """Write what follows from accelerations that are straight between knots.

    Args:
        knots_s: shape (n,).
        begin: coordinates and two derivatives at the first, shape (3, 6); only two rows count.
        accelerations: at the knots, shape (n, 6).
        course: where to write, shape (n, 3, 6).
    """
    for c in range(6):
        course[0, 0, c], course[0, 1, c] = begin[0, c], begin[1, c]
        course[0, 2, c] = accelerations[0, c]
    for k in range(1, knots_s.size):
        span = knots_s[k] - knots_s[k - 1]
        for c in range(6):
            a, b = accelerations[k - 1, c], accelerations[k, c]
            x, v = course[k - 1, 0, c], course[k - 1, 1, c]
            course[k, 0, c] = x + span * v + span * span * (2.0 * a + b) / 6.0
            course[k, 1, c] = v + span * (a + b) / 2.0
            course[k, 2, c] = b


@njit(cache=True, error_model="numpy")
def _felt(rows: Array, out: Array) -> None:
    """Motion felt by a rider at the head, less rest, in platform axes: force (3), rates (3)."""
    alpha, beta, gamma = rows[0, 3], rows[0, 4], rows[0, 5]
    sa, ca = math.sin(alpha), math.cos(alpha)
    sb, cb = math.sin(beta), math.cos(beta)
    sg, cg = math.sin(gamma), math.cos(gamma)
    ax, ay, az = rows[2, 0], rows[2, 1], rows[2, 2] + GRAVITY_M_S2
    out[0] = ca * cb * ax + sa * cb * ay - sb * az
    out[1] = (ca * sb * sg - sa * cg) * ax + (sa * sb * sg + ca * cg) * ay + cb * sg * az
    out[2] = (ca * sb * cg + sa * sg) * ax + (sa * sb * cg - ca * sg) * ay + cb * cg * az
    out[2] -= GRAVITY_M_S2
    da, db, dg = rows[1, 3], rows[1, 4], rows[1, 5]
    out[3] = dg - sb * da
    out[4] = cg * db + cb * sg * da
    out[5] = -sg * db + cb * cg * da


@njit(cache=True, error_model="numpy")
def felt_many(rows: Array, out: Array) -> None:
    """Motion felt by a rider of a platform's motion, less what rest feels like.

    Args:
        rows: coordinates of the head and two derivatives, shape (N, 3, 6).
        out: specific force [m/s²] and rates [rad/s] in the rider's axes forward, left, up,
            shape (N, 6).
    """
    for n in range(rows.shape[0]):
        _felt(rows[n], out[n])


@njit(cache=True, error_model="numpy")
def sense(phi: Array, before: Array, now: Array, errors: Array, state: Array) -> None:
    """Let the six organs feel a row of errors after another; overwrite their state.

    Args:
        phi: transition of a period, shape (6, 3, 3).
        before: share of the error before, shape (6, 3).
        now: share of this one, shape (6, 3).
        errors: what differs in force and rates, a row a period, shape (N + 1, 6).
        state: of the organs, shape (6, 3).
    """
    new = np.empty(3)
    for n in range(1, errors.shape[0]):
        for axis in range(6):
            u0, u1 = errors[n - 1, axis], errors[n, axis]
            for i in range(3):
                total = before[axis, i] * u0 + now[axis, i] * u1
                for j in range(3):
                    total += phi[axis, i, j] * state[axis, j]
                new[i] = total
            for i in range(3):
                state[axis, i] = new[i]


@njit(cache=True, error_model="numpy")
def _turned(
    alpha: float, beta: float, gamma: float, x: float, y: float, z: float
) -> tuple[float, float, float]:
    """A vector of the platform's axes in those of the base: Rz(alpha) Ry(beta) Rx(gamma) times."""
    sa, ca = math.sin(alpha), math.cos(alpha)
    sb, cb = math.sin(beta), math.cos(beta)
    sg, cg = math.sin(gamma), math.cos(gamma)
    return (
        ca * cb * x + (ca * sb * sg - sa * cg) * y + (ca * sb * cg + sa * sg) * z,
        sa * cb * x + (sa * sb * sg + ca * cg) * y + (sa * sb * cg - ca * sg) * z,
        -sb * x + cb * sg * y + cb * cg * z,
    )


@njit(cache=True, error_model="numpy")
def head_rows(rows: Array, head: Array, origin: Array, angles: Array, out: Array) -> None:
    """Coordinates of the platform from deviations of the head.

    The head is fixed in the platform at ``h``, so the platform's origin is at ``p - R h``, moves
    with ``v - w x R h`` and is accelerated by ``a - dw x R h - w x (w x R h)``.

    Args:
        rows: deviation of the head and two derivatives, shape (N, 3, 6).
        head: h in platform axes [m], shape (3,).
        origin: the head's place at neutral [m], shape (3,).
        angles: alpha, beta, gamma at neutral [rad], shape (3,).
        out: coordinates of the platform and two derivatives, shape (N, 3, 6).
    """
    hx, hy, hz = head[0], head[1], head[2]
    for n in range(rows.shape[0]):
        for d in range(3):
            for c in range(6):
                out[n, d, c] = rows[n, d, c]
        for c in range(3):
            out[n, 0, c] += origin[c]
            out[n, 0, 3 + c] += angles[c]
        alpha, beta, gamma = out[n, 0, 3], out[n, 0, 4], out[n, 0, 5]
        rx, ry, rz = _turned(alpha, beta, gamma, hx, hy, hz)
        sa, ca = math.sin(alpha), math.cos(alpha)
        sb, cb = math.sin(beta), math.cos(beta)
        da, db, dg = rows[n, 1, 3], rows[n, 1, 4], rows[n, 1, 5]
        wx, wy, wz = -sa * db + ca * cb * dg, ca * db + sa * cb * dg, da - sb * dg
        dda, ddb, ddg = rows[n, 2, 3], rows[n, 2, 4], rows[n, 2, 5]
        ux = -sa * ddb + ca * cb * ddg - ca * da * db - (da * sa * cb + db * ca * sb) * dg
        uy = ca * ddb + sa * cb * ddg - sa * da * db + (da * ca * cb - db * sa * sb) * dg
        uz = dda - sb * ddg - db * cb * dg
        ex, ey, ez = wy * rz - wz * ry, wz * rx - wx * rz, wx * ry - wy * rx
        out[n, 0, 0] -= rx
        out[n, 0, 1] -= ry
        out[n, 0, 2] -= rz
        out[n, 1, 0] -= ex
        out[n, 1, 1] -= ey
        out[n, 1, 2] -= ez
        out[n, 2, 0] -= uy * rz - uz * ry + wy * ez - wz * ey
        out[n, 2, 1] -= uz * rx - ux * rz + wz * ex - wx * ez
        out[n, 2, 2] -= ux * ry - uy * rx + wx * ey - wy * ex


@njit(cache=True, error_model="numpy")
def _by_head(jacobian: Array, angles: Array, head: Array, by: Array) -> None:
    """Write the derivative of the lengths by the head's coordinates, shape (6, 6).

    Args:
        jacobian: lengths by ``[v; omega]`` of the platform, shape (6, 6).
        angles: alpha, beta, gamma of the platform [rad], shape (3,).
        head: the head in platform axes [m], shape (3,).
        by: where to write.
    """
    alpha, beta, gamma = angles[0], angles[1], angles[2]
    rx, ry, rz = _turned(alpha, beta, gamma, head[0], head[1], head[2])
    sa, ca = math.sin(alpha), math.cos(alpha)
    sb, cb = math.sin(beta), math.cos(beta)
    for leg in range(6):
        jx, jy, jz = jacobian[leg, 0], jacobian[leg, 1], jacobian[leg, 2]
        # j . (p' - w x r) + m . w = j . p' + (m - r x j) . w
        mx = jacobian[leg, 3] - (ry * jz - rz * jy)
        my = jacobian[leg, 4] - (rz * jx - rx * jz)
        mz = jacobian[leg, 5] - (rx * jy - ry * jx)
        by[leg, 0], by[leg, 1], by[leg, 2] = jx, jy, jz
        by[leg, 3] = mz
        by[leg, 4] = -sa * mx + ca * my
        by[leg, 5] = ca * cb * mx + sa * cb * my - sb * mz


@njit(cache=True, error_model="numpy")
def leg_constraints(
    jacobians: Array,
    states: Array,
    rows: Array,
    head: Array,
    moves: Array,
    free: Array,
    low: Array,
    high: Array,
    matrix: Array,
    lower: Array,
    upper: Array,
) -> None:
    """Write the rows that keep the legs' lengths, speeds and accelerations at some moments.

    Linearised about a motion there: with J the lengths' derivative by the head's coordinates,
    length = l + J (x - x̄), speed = J v, acceleration = l'' + J (a - ā). Row by row of `matrix`:
    moment, then length, speed, acceleration, then leg.

    Args:
        jacobians: lengths by ``[v; omega]`` of the platform at the moments, shape (K, 6, 6).
        states: lengths, speeds, accelerations of the legs there, shape (K, 3, 6).
        rows: coordinates of the platform and two derivatives there, shape (K, 3, 6); of them its
            angles count.
        head: the head in platform axes [m], shape (3,).
        moves: position, velocity, acceleration at a moment by the unknowns of one coordinate,
            shape (K, 3, n).
        free: deviation of the head and two derivatives if all unknowns are 0, less the rows
            linearised about, shape (K, 3, 6).
        low: least length [m] and negative largest speed and acceleration, shape (3, 6).
        high: largest ones, shape (3, 6).
        matrix: where to write, shape (18 K, 6 n).
        lower: the same, shape (18 K,).
        upper: the same, shape (18 K,).
    """
    by = np.empty((6, 6))
    unknowns = moves.shape[2]
    for k in range(rows.shape[0]):
        _by_head(jacobians[k], rows[k, 0, 3:], head, by)
        for d in range(3):
            for leg in range(6):
                row = (k * 3 + d) * 6 + leg
                rest = states[k, d, leg]
                for c in range(6):
                    rest += by[leg, c] * free[k, d, c]
                    for j in range(unknowns):
                        matrix[row, c * unknowns + j] = by[leg, c] * moves[k, d, j]
                lower[row] = low[d, leg] - rest
                upper[row] = high[d, leg] - rest


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    knots, rows, out = np.array([0.0, 1.0]), np.zeros((2, 3, 6)), np.zeros((2, 3, 6))
    knots_read, course_read = knots.copy(), rows.copy()
    knots_read.setflags(write=False)
    course_read.setflags(write=False)
    play(knots_read, course_read, 0.5, out[0])
    play_many(knots_read, course_read, knots, out)
    integrate(knots, out[0], out[0, :2].copy(), out)
    felt_many(rows, np.empty((2, 6)))
    sense(
        np.zeros((6, 3, 3)), np.zeros((6, 3)), np.zeros((6, 3)), np.zeros((2, 6)), np.zeros((6, 3))
    )
