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

SMALLEST_PIVOT = 1e-14
MAX_TURN_RAD = 0.5
MAX_HALVINGS = 12

MAX_CHORDS = 8
SLOWEST = 0.2
"""A step of the chord method that leaves more than this of the residual ends it."""
MAX_FOLLOWED_RAD = 0.05

# Status of a search for the pose of given lengths.
CONVERGED = 0
NOT_FINITE = 1
NOT_POSITIVE = 2
TOO_UNEQUAL = 3
TOO_SHORT = 4
TOO_MANY_STEPS = 5
SINGULAR = 6
STALLED = 7


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
def _cross(a: Vector, b: Vector) -> Vector:
    return (
        a[1] * b[2] - a[2] * b[1],
        a[2] * b[0] - a[0] * b[2],
        a[0] * b[1] - a[1] * b[0],
    )


@njit(cache=True, error_model="numpy", forceinline=True)
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


@njit(cache=True, error_model="numpy", forceinline=True)
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
def _write_state(
    table: Array, p: Array, r: Array, twist: Array, acceleration: Array, rows: Array, out: Array
) -> None:
    """Write the states of the six legs, and their rows of the Jacobian besides."""
    omega = (twist[3], twist[4], twist[5])
    omega_dot = (acceleration[3], acceleration[4], acceleration[5])
    for i in range(6):
        row = rows[i]
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


@njit(cache=True, error_model="numpy")
def leg_state(table: Array, setpoint: Array, out: Array) -> None:
    """Write lengths [m], speeds [m/s] and accelerations [m/s²] of the six legs, shape (3, 6).

    Args:
        table: constants of the legs, shape (6, 14).
        setpoint: packed: position (3), rotation (9), ``[v; omega]`` (6), its derivative (6).
        out: where to write.
    """
    p, r = setpoint[:3], setpoint[3:12].reshape(3, 3)
    _write_state(table, p, r, setpoint[12:18], setpoint[18:24], np.empty((6, 6)), out)


@njit(cache=True, error_model="numpy")
def leg_states(table: Array, setpoints: Array) -> Array:
    """``leg_state`` of packed setpoints, shape (N, 24); returns shape (N, 3, 6)."""
    count = setpoints.shape[0]
    out, rows = np.empty((count, 3, 6)), np.empty((6, 6))
    for n in range(count):
        s = setpoints[n]
        p, r = s[:3], s[3:12].reshape(3, 3)
        _write_state(table, p, r, s[12:18], s[18:24], rows, out[n])
    return out


@njit(cache=True, error_model="numpy")
def leg_states_and_rows(table: Array, setpoints: Array) -> tuple[Array, Array]:
    """``leg_states`` and ``leg_rows_of_poses`` of packed setpoints, shape (N, 24), in one pass."""
    count = setpoints.shape[0]
    out, rows = np.empty((count, 3, 6)), np.empty((count, 7, 6))
    for n in range(count):
        s = setpoints[n]
        p, r = s[:3], s[3:12].reshape(3, 3)
        _write_state(table, p, r, s[12:18], s[18:24], rows[n, 1:], out[n])
        for i in range(6):
            rows[n, 0, i] = out[n, 0, i]
    return out, rows


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
def leg_rows_of_poses(table: Array, poses: Array) -> Array:
    """``leg_rows`` of packed poses, shape (N, 12); returns shape (N, 7, 6)."""
    count = poses.shape[0]
    out = np.empty((count, 7, 6))
    for n in range(count):
        _fill(table, poses[n, :3], poses[n, 3:12].reshape(3, 3), out[n, 0], out[n, 1:])
    return out


@njit(cache=True, error_model="numpy")
def _copy(source: Array, target: Array) -> None:
    """Copy all numbers in their order; compiles in a fraction of the time of ``target[:] =``."""
    from_, to = source.ravel(), target.ravel()
    for k in range(from_.size):
        to[k] = from_[k]


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


@njit(cache=True, error_model="numpy")
def _invert(rows: Array, scale: float, inverse: Array) -> float:
    """Write the inverse of the Jacobian; return its condition number in the 1-norm.

    In both, its rotation columns are divided by ``scale``.
    """
    matrix, norm = np.empty((6, 6)), 0.0
    for k in range(6):
        total = 0.0
        for i in range(6):
            inverse[i, k] = 1.0 if i == k else 0.0
            matrix[i, k] = rows[i, k] if k < 3 else rows[i, k] / scale
            total += abs(matrix[i, k])
        norm = max(norm, total)
    if not solve(matrix, inverse):
        return np.inf
    inverse_norm = 0.0
    for k in range(6):
        total = 0.0
        for i in range(6):
            total += abs(inverse[i, k])
        inverse_norm = max(inverse_norm, total)
    return norm * inverse_norm


@njit(cache=True, error_model="numpy")
def _move(p: Array, r: Array, step: Array, p_out: Array, r_out: Array) -> None:
    """Write p + v and exp([w]x) R, with [v; w] = step: a turn about base axes; perhaps in place."""
    for k in range(3):
        p_out[k] = p[k] + step[k]
    w = (step[3], step[4], step[5])
    square = _dot(w, w)
    if square < 1e-8:
        sine, cosine = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        angle = math.sqrt(square)
        sine, cosine = math.sin(angle) / angle, (1.0 - math.cos(angle)) / square
    for k in range(3):
        column = (r[0, k], r[1, k], r[2, k])
        once = _cross(w, column)
        twice = _cross(w, once)
        for i in range(3):
            r_out[i, k] = column[i] + sine * once[i] + cosine * twice[i]


@njit(cache=True, error_model="numpy")
def _square_up(r: Array) -> None:
    """Pull R back to the rotations, R (3 - R^T R) / 2, so that warm starts never drift away."""
    old = np.empty((3, 3))
    _copy(r, old)
    for i in range(3):
        for k in range(3):
            total = 1.5 * old[i, k]
            for j in range(3):
                product = old[0, j] * old[0, k] + old[1, j] * old[1, k] + old[2, j] * old[2, k]
                total -= 0.5 * old[i, j] * product
            r[i, k] = total


@njit(cache=True, error_model="numpy")
def _impossible(lengths: Array, pair_limits: Array, slack: float) -> tuple[int, int]:
    """Status and place (leg or pair) of lengths that no pose has; (CONVERGED, 0) if none.

    Two legs and the two lines between their joints are a quadrilateral: no side is longer than
    the other three together. A wound screw moves each length by at most ``slack``.
    """
    for i in range(6):
        if not math.isfinite(lengths[i]):
            return NOT_FINITE, i
    for i in range(6):
        if lengths[i] <= 0.0:
            return NOT_POSITIVE, i
    pair = 0
    for i in range(6):
        for j in range(i + 1, 6):
            if abs(lengths[i] - lengths[j]) > pair_limits[pair, 0] + 2.0 * slack:
                return TOO_UNEQUAL, pair
            if lengths[i] + lengths[j] < pair_limits[pair, 1] - 2.0 * slack:
                return TOO_SHORT, pair
            pair += 1
    return CONVERGED, 0


@njit(cache=True, error_model="numpy")
def _misfit(wanted: Array, reached: Array, residual: Array) -> tuple[float, float]:
    """Write the residual of the lengths; return its largest magnitude and its sum of squares."""
    largest, square = 0.0, 0.0
    for i in range(6):
        error = wanted[i] - reached[i]
        residual[i, 0] = error
        square += error * error
        largest = abs(error) if not abs(error) <= largest else largest
    return largest, square


@njit(cache=True, error_model="numpy")
def _descend(
    table: Array,
    wanted: Array,
    p: Array,
    r: Array,
    here: Array,
    step: Array,
    largest: float,
    square: float,
) -> tuple[float, float, bool]:
    """Go along ``step`` as far as the residual falls; overwrite p, r, here; step := residual.

    Returns the residual's largest magnitude, its sum of squares, and whether it fell at all.
    """
    turn = math.sqrt(step[3, 0] ** 2 + step[4, 0] ** 2 + step[5, 0] ** 2)
    factor = min(1.0, MAX_TURN_RAD / turn) if turn > 0.0 else 1.0
    p_new, r_new, residual = np.empty(3), np.empty((3, 3)), np.empty((6, 1))
    part = np.empty(6)
    for _ in range(MAX_HALVINGS):
        for k in range(6):
            part[k] = factor * step[k, 0]
        _move(p, r, part, p_new, r_new)
        _fill(table, p_new, r_new, here[0], here[1:])
        largest_new, square_new = _misfit(wanted, here[0], residual)
        if square_new < square:
            _copy(p_new, p)
            _copy(r_new, r)
            _copy(residual, step)
            return largest_new, square_new, True
        factor *= 0.5
    return largest, square, False


@njit(cache=True, error_model="numpy")
def pose_of_lengths(
    table: Array,
    pair_limits: Array,
    lengths: Array,
    p: Array,
    r: Array,
    scale: float,
    tolerance: float,
    limit: int,
    out: Array,
) -> None:
    """Newton's method on the group of motions, started from the pose (p, r).

    The step [v; w] solves J [v; w] = residual; it is cut to MAX_TURN_RAD, so that a far start
    does not jump to another branch, and halved while the sum of squares does not fall.

    Args:
        table: constants of the legs, shape (6, 14).
        pair_limits: see ``HexapodGeometry.pair_limits_m``, shape (15, 2).
        lengths: wanted lengths [m], shape (6,).
        p: position to start from [m], shape (3,).
        r: rotation to start from, shape (3, 3).
        scale: length that divides the rotation columns for the condition number [m].
        tolerance: largest residual of a length that counts as converged [m].
        limit: largest number of steps.
        out: where to write the packed pose, the steps taken, the largest residual [m], the
            condition number, the status and the place it speaks of, shape (17,).
    """
    slack = math.pi * abs(table[0, 13])
    status, place = _impossible(lengths, pair_limits, slack)
    steps, largest = 0, np.nan
    _copy(p, out[:3])
    _copy(r, out[3:12])
    p, r = out[:3], out[3:12].reshape(3, 3)  # from here on the pose is moved in its place
    here, matrix, step = np.empty((7, 6)), np.empty((6, 6)), np.empty((6, 1))
    if status == CONVERGED:
        _fill(table, p, r, here[0], here[1:])
        largest, square = _misfit(lengths, here[0], step)
        while not largest <= tolerance:
            if steps == limit:
                status = TOO_MANY_STEPS
                break
            _copy(here[1:], matrix)
            if not solve(matrix, step):
                status = SINGULAR
                break
            largest, square, fell = _descend(table, lengths, p, r, here, step, largest, square)
            if not fell:
                status = STALLED
                break
            steps += 1
    _square_up(r)
    out[12], out[13] = steps, largest
    out[14] = _invert(here[1:], scale, matrix) if status == CONVERGED else np.inf
    out[15], out[16] = status, place


@njit(cache=True, error_model="numpy")
def _follow(
    table: Array, wanted: Array, p: Array, r: Array, inverse: Array, tolerance: float, here: Array
) -> tuple[int, float]:
    """Newton's method with one inverse for all steps (chord method); p and r are moved.

    Returns the steps taken, -1 where it goes too slowly or too far, and the largest residual [m].
    """
    before = np.inf
    for steps in range(MAX_CHORDS + 1):
        _fill(table, p, r, here[0], here[1:])
        largest = 0.0
        for i in range(6):
            here[0, i] = wanted[i] - here[0, i]
            largest = abs(here[0, i]) if not abs(here[0, i]) <= largest else largest
        if largest <= tolerance:
            return steps, largest
        if not largest <= SLOWEST * before:
            break
        before = largest
        turn = 0.0
        for k in range(6):
            total = 0.0
            for i in range(6):
                total += inverse[k, i] * here[0, i]
            here[1, k] = total  # the Jacobian that lies there is not asked for any more
            turn += total * total if k >= 3 else 0.0
        if not turn <= MAX_FOLLOWED_RAD**2:
            break
        _move(p, r, here[1], p, r)
    return -1, before


@njit(cache=True, error_model="numpy", nogil=True)
def poses_of_lengths(
    table: Array,
    pair_limits: Array,
    lengths: Array,
    p: Array,
    r: Array,
    scale: float,
    tolerance: float,
    limit: int,
    out: Array,
) -> None:
    """`pose_of_lengths` of many lengths, each started from the last pose that was found.

    A row near the one before is followed with the inverse that its condition number needed
    anyway; where that goes too slowly, the search of one pose begins anew.

    Args:
        lengths: wanted lengths [m], shape (N, 6).
        p: position to start from [m], shape (3,); overwritten.
        r: rotation to start from, shape (3, 3); overwritten.
        out: as of `pose_of_lengths`, shape (N, 17); the others are as there.
    """
    slack = math.pi * abs(table[0, 13])
    here, inverse, known = np.empty((7, 6)), np.empty((6, 6)), False
    p_last, r_last, row = p.copy(), r.copy(), np.empty(17)
    for n in range(lengths.shape[0]):
        wanted = lengths[n]
        steps = -1
        if known and _impossible(wanted, pair_limits, slack)[0] == CONVERGED:
            steps, out[n, 13] = _follow(table, wanted, p, r, inverse, tolerance, here)
        if steps >= 0:
            if n % 16 == 0:
                _square_up(r)
            out[n, 12], out[n, 15], out[n, 16] = steps, CONVERGED, 0
        else:
            pose_of_lengths(
                table, pair_limits, wanted, p_last, r_last, scale, tolerance, limit, row
            )
            _copy(row, out[n])
            if row[15] != CONVERGED:
                _copy(p_last, p)
                _copy(r_last, r)
                continue
            _copy(row[:3], p)
            _copy(row[3:12], r)
            _fill(table, p, r, here[0], here[1:])
        out[n, 14] = _invert(here[1:], scale, inverse)
        known = math.isfinite(out[n, 14])
        for k in range(3):
            p_last[k] = out[n, k] = p[k]
            for j in range(3):
                r_last[k, j] = out[n, 3 + 3 * k + j] = r[k, j]
                inverse[3 + k, j] /= scale
                inverse[3 + k, 3 + j] /= scale


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    table, pairs = np.zeros((6, TABLE_COLUMNS)), np.zeros((15, 2))
    vector, matrix, setpoint = np.ones(3), np.eye(3), np.zeros(24)
    for array in (table, pairs, vector, matrix, setpoint):
        array.setflags(write=False)
    leg_state(table, setpoint, np.empty((3, 6)))
    leg_rows(table, vector, matrix)
    leg_states(table, np.zeros((1, 24)))
    leg_states_and_rows(table, np.zeros((1, 24)))
    leg_rows_of_poses(table, np.zeros((1, 24)))
    pose_of_lengths(table, pairs, np.zeros(6), vector, matrix, 1.0, 1e-12, 1, np.empty(17))
    rows = np.zeros((0, 6)), np.empty(3), np.empty((3, 3))
    poses_of_lengths(table, pairs, *rows, 1.0, 1e-12, 1, np.empty((0, 17)))
