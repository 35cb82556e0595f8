"""The pose of given lengths: Newton's steps with halving, and a chord method from row to row.

Tables of constants are those of `platform6dof.kernels.legs`.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.kernels.legs import TABLE_COLUMNS, cross, dot, fill_rows, solve

Array = NDArray[np.float64]

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


@njit(cache=True, error_model="numpy")
def _copy(source: Array, target: Array) -> None:
    """Copy all numbers in their order; compiles in a fraction of the time of ``target[:] =``."""
    from_, to = source.ravel(), target.ravel()
    for k in range(from_.size):
        to[k] = from_[k]


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
    square = dot(w, w)
    if square < 1e-8:
        sine, cosine = 1.0 - square / 6.0, 0.5 - square / 24.0
    else:
        angle = math.sqrt(square)
        sine, cosine = math.sin(angle) / angle, (1.0 - math.cos(angle)) / square
    for k in range(3):
        column = (r[0, k], r[1, k], r[2, k])
        once = cross(w, column)
        twice = cross(w, once)
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
        fill_rows(table, p_new, r_new, here[0], here[1:])
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
        fill_rows(table, p, r, here[0], here[1:])
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
        fill_rows(table, p, r, here[0], here[1:])
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
            fill_rows(table, p, r, here[0], here[1:])
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
    vector, matrix = np.ones(3), np.eye(3)
    for array in (table, pairs, vector, matrix):
        array.setflags(write=False)
    pose_of_lengths(table, pairs, np.zeros(6), vector, matrix, 1.0, 1e-12, 1, np.empty(17))
    rows = np.zeros((0, 6)), np.empty(3), np.empty((3, 3))
    poses_of_lengths(table, pairs, *rows, 1.0, 1e-12, 1, np.empty((0, 17)))
