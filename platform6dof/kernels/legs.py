"""Legs of one pose: lengths, speeds, accelerations, Jacobian, and the pose of given lengths.

A leg's row in the table of constants (see ``HexapodGeometry.table``), metres and unit vectors:
base joint a (3), platform joint b (3), base fork direction in base axes (3), platform fork
direction in platform axes (3), twist between the forks at the neutral pose [rad], screw lead
divided by 2 pi [m/rad].
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

Vector = tuple[float, float, float]

TABLE_COLUMNS = 14


@njit(cache=True, error_model="numpy")
def _vector(table: Array, i: int, p: Array, r: Array) -> tuple[Vector, Vector, float]:
    """Arm c = M b [m], unit leg direction u and joint distance [m] of leg ``i``."""
    bx, by, bz = table[i, 3], table[i, 4], table[i, 5]
    cx = r[0, 0] * bx + r[0, 1] * by + r[0, 2] * bz
    cy = r[1, 0] * bx + r[1, 1] * by + r[1, 2] * bz
    cz = r[2, 0] * bx + r[2, 1] * by + r[2, 2] * bz
    dx = p[0] + cx - table[i, 0]
    dy = p[1] + cy - table[i, 1]
    dz = p[2] + cz - table[i, 2]
    length = math.sqrt(dx * dx + dy * dy + dz * dz)
    scale = 1.0 / length
    return (cx, cy, cz), (dx * scale, dy * scale, dz * scale), length


@njit(cache=True, error_model="numpy")
def _cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@njit(cache=True, error_model="numpy")
def _dot(a: Vector, b: Vector) -> float:
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]


@njit(cache=True, error_model="numpy")
def _twist(table: Array, i: int, r: Array, u: Vector) -> tuple[float, Vector, Vector, Vector]:
    """Twist of leg ``i`` from the neutral pose [rad], its gradients by u and m, and m.

    f is the base fork's direction, m = M g the platform fork's. Projected on the plane normal to
    u, the angle from f to m is atan2(N, D), N = u . (f x m), D = f . m - (f . u)(m . u).
    """
    f = (table[i, 6], table[i, 7], table[i, 8])
    gx, gy, gz = table[i, 9], table[i, 10], table[i, 11]
    m = (
        r[0, 0] * gx + r[0, 1] * gy + r[0, 2] * gz,
        r[1, 0] * gx + r[1, 1] * gy + r[1, 2] * gz,
        r[2, 0] * gx + r[2, 1] * gy + r[2, 2] * gz,
    )
    f_cross_m = _cross(f, m)
    u_cross_f = _cross(u, f)
    fu = _dot(f, u)
    mu = _dot(m, u)
    n = _dot(u, f_cross_m)
    d = _dot(f, m) - fu * mu
    square = n * n + d * d
    n, dn = n / square, d / square
    by_u = (
        dn * f_cross_m[0] + n * (mu * f[0] + fu * m[0]),
        dn * f_cross_m[1] + n * (mu * f[1] + fu * m[1]),
        dn * f_cross_m[2] + n * (mu * f[2] + fu * m[2]),
    )
    by_m = (
        dn * u_cross_f[0] - n * (f[0] - fu * u[0]),
        dn * u_cross_f[1] - n * (f[1] - fu * u[1]),
        dn * u_cross_f[2] - n * (f[2] - fu * u[2]),
    )
    turn = math.atan2(n, dn) - table[i, 12]
    # The branch cut must lie half a turn away from the neutral pose, not from a zero twist.
    turn -= 2.0 * math.pi * np.rint(turn / (2.0 * math.pi))
    return turn, by_u, by_m, m


@njit(cache=True, error_model="numpy")
def _row(
    table: Array, i: int, p: Array, r: Array, row: Array
) -> tuple[Vector, Vector, float, float]:
    """Write leg ``i``'s row of the Jacobian; return its arm, direction, distance and length."""
    c, u, distance = _vector(table, i, p, r)
    lead = table[i, 13]
    if lead == 0.0:
        w = _cross(c, u)
        for k in range(3):
            row[k] = u[k]
            row[3 + k] = w[k]
        return c, u, distance, distance
    turn, by_u, by_m, m = _twist(table, i, r, u)
    # The direction turns with (1 - u u^T)(v + omega x c)/distance, the fork with omega x m.
    along = _dot(by_u, u)
    scale = lead / distance
    h = (
        u[0] - scale * (by_u[0] - along * u[0]),
        u[1] - scale * (by_u[1] - along * u[1]),
        u[2] - scale * (by_u[2] - along * u[2]),
    )
    w = _cross(c, h)
    s = _cross(m, by_m)
    for k in range(3):
        row[k] = h[k]
        row[3 + k] = w[k] - lead * s[k]
    return c, u, distance, distance - lead * turn


@njit(cache=True, error_model="numpy")
def leg_state(table: Array, p: Array, r: Array, twist: Array, acceleration: Array) -> Array:
    """Lengths [m], speeds [m/s] and accelerations [m/s²] of the six legs, shape (3, 6).

    Args:
        table: constants of the legs, shape (6, 14).
        p: position of the platform [m], shape (3,).
        r: its rotation, shape (3, 3).
        twist: ``[v; omega]``, base axes, shape (6,).
        acceleration: ``[a; domega/dt]``, base axes, shape (6,).
    """
    out = np.empty((3, 6))
    row = np.empty(6)
    omega = (twist[3], twist[4], twist[5])
    omega_dot = (acceleration[3], acceleration[4], acceleration[5])
    for i in range(6):
        c, u, distance, out[0, i] = _row(table, i, p, r, row)
        speed = 0.0
        for k in range(6):
            speed += row[k] * twist[k]
        out[1, i] = speed
        e = _cross(omega, c)
        g = _cross(omega, e)
        h = _cross(omega_dot, c)
        joint = (twist[0] + e[0], twist[1] + e[1], twist[2] + e[2])  # velocity of the joint
        along = _dot(u, joint)
        push = (
            acceleration[0] + h[0] + g[0],
            acceleration[1] + h[1] + g[1],
            acceleration[2] + h[2] + g[2],
        )
        out[2, i] = _dot(u, push) + (_dot(joint, joint) - along * along) / distance
    return out


@njit(cache=True, error_model="numpy")
def _fill(table: Array, p: Array, r: Array, lengths: Array, rows: Array) -> None:
    """Write the six lengths [m] and the six rows of the Jacobian."""
    for i in range(6):
        _, _, _, lengths[i] = _row(table, i, p, r, rows[i])


@njit(cache=True, error_model="numpy")
def leg_rows(table: Array, p: Array, r: Array) -> Array:
    """Lengths [m] in row 0 and the Jacobian in rows 1..6, shape (7, 6)."""
    out = np.empty((7, 6))
    _fill(table, p, r, out[0], out[1:])
    return out


@njit(cache=True, error_model="numpy")
def lengths_and_speeds(table: Array, poses: Array, twists: Array) -> tuple[Array, Array]:
    """Lengths [m] and speeds [m/s], each (N, 6), of packed poses (N, 12) and twists (N, 6)."""
    count = poses.shape[0]
    lengths = np.empty((count, 6))
    speeds = np.empty((count, 6))
    rows = np.empty((6, 6))
    for n in range(count):
        _fill(table, poses[n, :3], poses[n, 3:].reshape(3, 3), lengths[n], rows)
        for i in range(6):
            total = 0.0
            for k in range(6):
                total += rows[i, k] * twists[n, k]
            speeds[n, i] = total
    return lengths, speeds


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    table = np.zeros((6, TABLE_COLUMNS))
    vector, matrix, twist = np.ones(3), np.eye(3), np.zeros(6)
    for array in (table, vector, matrix, twist):
        array.setflags(write=False)
    leg_state(table, vector, matrix, twist, twist)
    leg_rows(table, vector, matrix)
    lengths_and_speeds(table, np.zeros((1, 12)), np.zeros((1, 6)))
