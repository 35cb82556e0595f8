"""Compiled parts of the governor: the path of a stop of the six legs, and the margins along it.

The stop is the gate's: all legs are slowed down by one factor along their path. Tables are
those of `platform6dof.cueing.margins.MarginTables`.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.kernels.envelope import measures
from platform6dof.kernels.legs import leg_rows, solve
from platform6dof.kernels.rotation import setpoint_of_coordinates

Array = NDArray[np.float64]

# What a judgement writes: lengths, movements, the smallest normalised margin with the number of its
# quantity, value and limit; then of what is wrong: value and limit.
SMALLEST, NEAREST, NEAREST_VALUE, NEAREST_LIMIT, BAD_VALUE, BAD_LIMIT = 12, 13, 14, 15, 16, 17
TOLD_SIZE = 18

GOOD = -1
"""Code of a row that no quantity forbids."""
HOLD = 45
"""Number of the smallest singular value, also used if no pose is found."""

KNOTS_MAX, KNOT_M = 12, 0.012
"""Largest number of points at which a stop's path is checked, and their usual distance [m]."""
NEWTON_STEPS, NEWTON_M, NEWTON_GOOD_M, NEWTON_FAR = 12, 1e-13, 1e-9, 0.3
"""Steps, residual that ends them, one that is good enough [m], step that leads away [m, rad]."""


@njit(cache=True, error_model="numpy")
def stop_distance(ratio: float) -> float:
    """Distance of a whole stop in multiples of the last movement, as the gate computes it."""
    k = math.floor(ratio)
    return k - k * (k + 1.0) / (2.0 * ratio)


@njit(cache=True, error_model="numpy")
def ratio_of_distance(distance: float) -> float:
    """Ratio of the stop with this distance: the inverse of `stop_distance`, at least 1."""
    if not distance > 0.0:
        return 1.0
    k = math.floor(2.0 * distance + 1.0)
    return max(1.0, k * (k + 1.0) / (2.0 * (k - distance)))


@njit(cache=True, error_model="numpy")
def stop_ratio(move: Array, legs: Array) -> float:
    """Cycles of the stop from a movement, 1 or more, not rounded, as the gate computes it."""
    ratio = 1.0
    for i in range(6):
        ratio = max(ratio, abs(move[i]) / legs[i, 4])
    return ratio


@njit(cache=True, error_model="numpy")
def place(table: Array, q: Array, packed: Array, lengths: Array, jac: Array) -> Array:
    """Write packed pose, lengths and their derivatives by the coordinates; return the leg rows."""
    rows = np.zeros((3, 6))
    for j in range(6):
        rows[0, j] = q[j]
    setpoint_of_coordinates(rows, packed)
    found = leg_rows(table, packed[:3], packed[3:12].reshape(3, 3))
    # The axes of the three turns: z, Rz y and Rz Ry x, the first column of the rotation.
    cos_beta = math.hypot(packed[3], packed[6])
    e2x, e2y = -packed[6] / cos_beta, packed[3] / cos_beta
    for i in range(6):
        row = found[1 + i]
        lengths[i] = found[0, i]
        for k in range(3):
            jac[i, k] = row[k]
        jac[i, 3] = row[5]
        jac[i, 4] = row[3] * e2x + row[4] * e2y
        jac[i, 5] = row[3] * packed[3] + row[4] * packed[6] + row[5] * packed[9]
    return found


@njit(cache=True, error_model="numpy")
def pose_margins(
    joints: Array, pose: Array, scale: float, packed: Array, found: Array, q: Array, out: Array
) -> None:
    """Write the margins of a pose's 40 quantities."""
    values = measures(
        joints[0], joints[1], joints[2], joints[3], scale,
        packed.reshape(1, 24), found.reshape(1, 7, 6), np.inf,
    )  # fmt: skip
    for j in range(28):
        out[j] = pose[j, 0] * (values[0, j] - pose[j, 1])
    for j in range(6):
        out[28 + j] = q[j] - pose[28 + j, 1]
        out[34 + j] = pose[34 + j, 1] - q[j]


@njit(cache=True, error_model="numpy")
def pose_of(table: Array, target: Array, q: Array, packed: Array, jac: Array) -> tuple[bool, Array]:
    """Move coordinates to the pose with these leg lengths (Newton); return whether it was found."""
    lengths, right = np.empty(6), np.empty((6, 1))
    found, worst = place(table, q, packed, lengths, jac), 0.0
    for _ in range(NEWTON_STEPS):
        worst = 0.0
        for i in range(6):
            right[i, 0] = target[i] - lengths[i]
            worst = max(worst, abs(right[i, 0]))
        if worst <= NEWTON_M:
            return True, found
        if not math.isfinite(worst) or not solve(jac.copy(), right):
            return False, found
        step = 0.0
        for j in range(6):
            q[j] += right[j, 0]
            step = max(step, abs(right[j, 0]))
        if step > NEWTON_FAR:
            return False, found
        found = place(table, q, packed, lengths, jac)
    return worst <= NEWTON_GOOD_M, found


@njit(cache=True, error_model="numpy")
def is_far(delta: Array, lengths: Array, numbers: Array, margins: Array, buffers: Array) -> bool:
    """Whether an upper bound of twice the path shows that no margin falls to its buffer.

    A joint moves by no more than the platform's shift and its turn at the furthest joint; a leg's
    direction turns by that over its length; two legs come nearer by no more than twice it; and a
    singular value changes by no more than the matrix does in its Frobenius norm (Weyl).
    """
    shift = 2.0 * math.sqrt(delta[0] ** 2 + delta[1] ** 2 + delta[2] ** 2)
    turn = 2.0 * (abs(delta[3]) + abs(delta[4]) + abs(delta[5]))
    scale, reach = numbers[3], numbers[4]
    joint = shift + turn * reach
    short = lengths[0]
    for i in range(1, 6):
        short = min(short, lengths[i])
    if joint > 0.25 * short:
        return False
    lean = joint / (short - joint)
    by_turn = reach / scale * (lean + turn)
    change = math.sqrt(6.0 * (lean * lean + by_turn * by_turn))
    for j in range(40):
        most = lean
        if j >= 28:
            most = 2.0 * abs(delta[(j - 28) % 6])
        elif j == 27:
            most = change
        elif j >= 12:
            most = 2.0 * joint
        elif j >= 6:
            most = lean + turn
        if not margins[j] - most >= buffers[j]:
            return False
    return True


@njit(cache=True, error_model="numpy")
def check_along(
    table: Array, joints: Array, pose: Array, buffers: Array, numbers: Array,
    q: Array, delta: Array, lengths: Array, travel: Array, findings: Array,
) -> int:  # fmt: skip
    """Check the path of a stop; return the number of the limit it would exceed, or GOOD."""
    packed, jac, margins = np.empty(24), np.empty((6, 6)), np.empty(40)
    here, target = q.copy(), np.empty(6)
    size = math.sqrt(delta[0] ** 2 + delta[1] ** 2 + delta[2] ** 2)
    size += numbers[3] * (abs(delta[3]) + abs(delta[4]) + abs(delta[5]))
    knots = 1 + min(KNOTS_MAX - 1, int(size / KNOT_M))
    for k in range(1, knots + 1):
        for i in range(6):
            target[i] = lengths[i] + travel[i] * k / knots
            here[i] += delta[i] / knots
        known, found = pose_of(table, target, here, packed, jac)
        if not known:
            findings[BAD_VALUE], findings[BAD_LIMIT] = 0.0, 0.0
            return HOLD
        pose_margins(joints, pose, numbers[3], packed, found, here, margins)
        for j in range(40):
            if not margins[j] >= buffers[j]:
                findings[BAD_VALUE] = pose[j, 1] + pose[j, 0] * margins[j]
                findings[BAD_LIMIT] = pose[j, 1]
                return 18 + j
    return GOOD
