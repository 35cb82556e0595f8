"""Legs of one pose: lengths, speeds, accelerations, Jacobian, and six linear equations.

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

SMALLEST_PIVOT = 1e-14


@njit(cache=True, error_model="numpy", forceinline=True)
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


@njit(cache=True, error_model="numpy", forceinline=True)
def cross(a: Vector, b: Vector) -> Vector:
    """Vector at right angles to both, as long as the area between them."""
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
def dot(a: Vector, b: Vector) -> float:
    """Sum of the products of all three numbers."""
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
    f_cross_m = cross(f, m)
    u_cross_f = cross(u, f)
    fu = dot(f, u)
    mu = dot(m, u)
    n = dot(u, f_cross_m)
    d = dot(f, m) - fu * mu
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


@njit(cache=True, error_model="numpy", forceinline=True)
def _row(
    table: Array, i: int, p: Array, r: Array, row: Array
) -> tuple[Vector, Vector, float, float]:
    """Write leg ``i``'s row of the Jacobian; return its arm, direction, distance and length."""
    c, u, distance = _vector(table, i, p, r)
    lead = table[i, 13]
    if lead == 0.0:
        w = cross(c, u)
        for k in range(3):
            row[k] = u[k]
            row[3 + k] = w[k]
        return c, u, distance, distance
    turn, by_u, by_m, m = _twist(table, i, r, u)
    # The direction turns with (1 - u u^T)(v + omega x c)/distance, the fork with omega x m.
    along = dot(by_u, u)
    scale = lead / distance
    h = (
        u[0] - scale * (by_u[0] - along * u[0]),
        u[1] - scale * (by_u[1] - along * u[1]),
        u[2] - scale * (by_u[2] - along * u[2]),
    )
    w = cross(c, h)
    s = cross(m, by_m)
    for k in range(3):
        row[k] = h[k]
        row[3 + k] = w[k] - lead * s[k]
    return c, u, distance, distance - lead * turn


@njit(cache=True, error_model="numpy")
def _write_state(
    table: Array, p: Array, r: Array, twist: Array, acceleration: Array, row: Array, out: Array
) -> None:
    omega = (twist[3], twist[4], twist[5])
    omega_dot = (acceleration[3], acceleration[4], acceleration[5])
    for i in range(6):
        c, u, distance, out[0, i] = _row(table, i, p, r, row)
        speed = 0.0
        for k in range(6):
            speed += row[k] * twist[k]
        out[1, i] = speed
        e = cross(omega, c)
        g = cross(omega, e)
        h = cross(omega_dot, c)
        joint = (twist[0] + e[0], twist[1] + e[1], twist[2] + e[2])  # velocity of the joint
        along = dot(u, joint)
        push = (
            acceleration[0] + h[0] + g[0],
            acceleration[1] + h[1] + g[1],
            acceleration[2] + h[2] + g[2],
        )
        out[2, i] = dot(u, push) + (dot(joint, joint) - along * along) / distance


@njit(cache=True, error_model="numpy")
def leg_state(table: Array, setpoint: Array, out: Array) -> None:
    """Write lengths [m], speeds [m/s] and accelerations [m/s²] of the six legs, shape (3, 6).

    Args:
        table: constants of the legs, shape (6, 14).
        setpoint: packed: position (3), rotation (9), ``[v; omega]`` (6), its derivative (6).
        out: where to write.
    """
    p, r = setpoint[:3], setpoint[3:12].reshape(3, 3)
    _write_state(table, p, r, setpoint[12:18], setpoint[18:24], np.empty(6), out)


@njit(cache=True, error_model="numpy")
def leg_states(table: Array, setpoints: Array) -> Array:
    """``leg_state`` of packed setpoints, shape (N, 24); returns shape (N, 3, 6)."""
    count = setpoints.shape[0]
    out, row = np.empty((count, 3, 6)), np.empty(6)
    for n in range(count):
        s = setpoints[n]
        p, r = s[:3], s[3:12].reshape(3, 3)
        _write_state(table, p, r, s[12:18], s[18:24], row, out[n])
    return out


@njit(cache=True, error_model="numpy")
def fill_rows(table: Array, p: Array, r: Array, lengths: Array, rows: Array) -> None:
    """Write the six lengths [m] and the six rows of the Jacobian."""
    for i in range(6):
        _, _, _, lengths[i] = _row(table, i, p, r, rows[i])


@njit(cache=True, error_model="numpy")
def leg_rows(table: Array, p: Array, r: Array) -> Array:
    """Lengths [m] in row 0 and the Jacobian in rows 1..6, shape (7, 6)."""
    out = np.empty((7, 6))
    fill_rows(table, p, r, out[0], out[1:])
    return out


@njit(cache=True, error_model="numpy")
def leg_rows_of_poses(table: Array, poses: Array) -> Array:
    """``leg_rows`` of packed poses, shape (N, 12); returns shape (N, 7, 6)."""
    count = poses.shape[0]
    out = np.empty((count, 7, 6))
    for n in range(count):
        fill_rows(table, poses[n, :3], poses[n, 3:12].reshape(3, 3), out[n, 0], out[n, 1:])
    return out


@njit(cache=True, error_model="numpy")
def solve(matrix: Array, right: Array) -> bool:
    """Replace ``right`` (6, k) by the solution of ``matrix @ x = right``; false if singular.

    Elimination with row pivoting; ``matrix`` is destroyed.
    """
    columns = right.shape[1]
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
            for j in range(columns):
                right[k, j], right[pivot, j] = right[pivot, j], right[k, j]
        for i in range(k + 1, 6):
            factor = matrix[i, k] / matrix[k, k]
            for j in range(k + 1, 6):
                matrix[i, j] -= factor * matrix[k, j]
            for j in range(columns):
                right[i, j] -= factor * right[k, j]
    for k in range(5, -1, -1):
        for j in range(columns):
            total = right[k, j]
            for i in range(k + 1, 6):
                total -= matrix[k, i] * right[i, j]
            right[k, j] = total / matrix[k, k]
    return True


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    table = np.zeros((6, TABLE_COLUMNS))
    vector, matrix, setpoint = np.ones(3), np.eye(3), np.zeros(24)
    for array in (table, vector, matrix, setpoint):
        array.setflags(write=False)
    leg_state(table, setpoint, np.empty((3, 6)))
    leg_rows(table, vector, matrix)
    leg_states(table, np.zeros((1, 24)))
    leg_rows_of_poses(table, np.zeros((1, 24)))
