"""Compiled parts of the governor: what its program asks of the pose.

A margin that is near where a stop would end, rather than where the platform is, gets a row: there,
in the place of the stop from the next cycle on, it is to keep its buffer. See
`platform6dof.cueing.governor_state` for the state, `platform6dof.cueing.margins.MarginTables` for
tables.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.cueing.governor_state import LENGTH, MOVE, Q, V
from platform6dof.cueing.governor_stop import (
    place,
    pose_margins,
    pose_of,
    stop_distance,
    stop_ratio,
)
from platform6dof.kernels.legs import solve

Array = NDArray[np.float64]
Int = NDArray[np.int64]

NEAR_ROWS = 10
"""Most near margins that get a row."""
RECOVERY_PER_S = 20.0
"""Rate at which a margin below its buffer is to come back to it [1/s]."""
STEP = 1e-6
"""Step of the difference quotient for a slope [m, rad]."""


@njit(cache=True, error_model="numpy")
def _gradient(
    table: Array, joints: Array, pose: Array, numbers: Array, q: Array, margins: Array,
    chosen: Int, count: int, out: Array,
) -> None:  # fmt: skip
    """Write the gradients of chosen margins by the coordinates, by differences."""
    measured = False
    for n in range(count):
        measured = measured or chosen[n] < 28
        for j in range(6):
            out[n, j] = 0.0
        if chosen[n] >= 28:
            out[n, (chosen[n] - 28) % 6] = 1.0 if chosen[n] < 34 else -1.0
    if not measured:
        return
    moved, lengths, jac, packed = q.copy(), np.empty(6), np.empty((6, 6)), np.empty(24)
    there = np.empty(40)
    for j in range(6):
        moved[j] = q[j] + STEP
        found = place(table, moved, packed, lengths, jac)
        pose_margins(joints, pose, numbers[3], packed, found, moved, there)
        moved[j] = q[j]
        for n in range(count):
            if chosen[n] < 28:
                out[n, j] = (there[chosen[n]] - margins[chosen[n]]) / STEP


@njit(cache=True, error_model="numpy")
def _choose(margins: Array, pose: Array, buffers: Array, chosen: Int) -> int:
    """Write the numbers of the nearest margins, those that are near at all; return how many."""
    count = 0
    nearness = np.empty(NEAR_ROWS)
    for j in range(40):
        share = (margins[j] - buffers[j]) / pose[j, 3]
        if not share < 1.0:
            continue
        at = count
        while at > 0 and nearness[at - 1] > share:
            at -= 1
        if at >= NEAR_ROWS:
            continue
        count = min(count + 1, NEAR_ROWS)
        for k in range(count - 1, at, -1):
            nearness[k], chosen[k] = nearness[k - 1], chosen[k - 1]
        nearness[at], chosen[at] = share, j
    return count


@njit(cache=True, error_model="numpy")
def near_margins(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, numbers: Array,
    state: Array, margins: Array, chosen: Int, by_leg: Array,
) -> int:  # fmt: skip
    """Write the margins where a stop would end, which are near, and their slopes by the lengths.

    Returns:
        How many are near; -1 if that place is not known.
    """
    dt = numbers[0]
    packed, jac, slopes = np.empty(24), np.empty((6, 6)), np.empty((NEAR_ROWS, 6))
    distance = stop_distance(stop_ratio(state[MOVE : MOVE + 6], legs))
    end = state[Q : Q + 6] + state[V : V + 6] * (dt * distance)
    target = state[LENGTH : LENGTH + 6] + state[MOVE : MOVE + 6] * distance
    known, found = pose_of(table, target, end, packed, jac)
    if not known:
        return -1
    pose_margins(joints, pose, numbers[3], packed, found, end, margins)
    count = _choose(margins, pose, buffers, chosen)
    _gradient(table, joints, pose, numbers, end, margins, chosen, count, slopes)
    across = np.empty((6, 6))
    for i in range(6):
        for n in range(NEAR_ROWS):
            by_leg[i, n] = slopes[n, i] if n < count else 0.0
        for j in range(6):
            across[i, j] = jac[j, i]
    return count if solve(across, by_leg) else -1


@njit(cache=True, error_model="numpy")
def near_rows(
    legs: Array, buffers: Array, numbers: Array, state: Array, coast: Array, jac: Array,
    ratio: float, margins: Array, chosen: Int, count: int, by_leg: Array, matrix: Array, low: Array,
    codes: Int,
) -> None:  # fmt: skip
    """Write rows for the margins that are near where a stop ends.

    Where a stop from the next cycle on would end is linear in the legs' next movement, and a margin
    there is, to first order in how far that place shifts, linear in it too.
    """
    dt = numbers[0]
    now, distance = stop_distance(stop_ratio(state[MOVE : MOVE + 6], legs)), stop_distance(ratio)
    recovery = min(1.0, RECOVERY_PER_S * dt)
    for n in range(count):
        j, row = chosen[n], n
        norm, constant = 0.0, 0.0
        for i in range(6):
            constant += by_leg[i, n] * (coast[i] * (1.0 + distance) - state[MOVE + i] * now)
        for c in range(6):
            entry = 0.0
            for i in range(6):
                entry += by_leg[i, n] * jac[i, c]
            matrix[row, c] = entry * (1.0 + distance) * dt * dt
            weight = 1.0 if c < 3 else numbers[3]
            norm += (matrix[row, c] / weight) ** 2
        norm = math.sqrt(norm)
        if not norm > 0.0:
            norm = 1.0
        wanted = buffers[j]
        if margins[j] < wanted:
            wanted = margins[j] + recovery * (wanted - margins[j])
        for c in range(6):
            matrix[row, c] /= norm
        matrix[row, 6] = 1.0
        low[row] = (wanted - margins[j] - constant) / norm
        codes[row, 0] = codes[row, 1] = 18 + j
