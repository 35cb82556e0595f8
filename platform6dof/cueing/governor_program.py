"""Compiled parts of the governor: the quadratic program of a cycle.

Unknown are the accelerations of the coordinates. Six rows bound the legs' next movement, as the
gate does; further ones bound each near margin where a stop from the next cycle on would end. See
`platform6dof.cueing.governor_judge` for rows and state.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.cueing.governor_judge import LENGTH, MOVE, Q, V
from platform6dof.cueing.governor_stop import (
    GOOD,
    place,
    pose_margins,
    pose_of,
    ratio_of_way,
    stop_ratio,
    stop_way,
)
from platform6dof.cueing.governor_wish import wish_gently
from platform6dof.kernels.legs import leg_state, solve
from platform6dof.kernels.rotation import setpoint_of_coordinates

Array = NDArray[np.float64]
Int = NDArray[np.int64]

LEG_ROWS, NEAR_ROWS = 6, 10
ROWS = LEG_ROWS + NEAR_ROWS
UNKNOWNS = 7
"""Six accelerations of the coordinates and a slack of what the pose keeps."""
FREE = 1e30
"""A bound that is none, as the solver has it."""
RECOVERY_PER_S = 20.0
"""How fast a margin that is below its buffer is to come back to it."""
HARDNESS = 0.8
"""Share of the legs' accelerations with which a near margin is counted on to be kept."""
STEP = 1e-6
"""Of a difference that stands for a slope [m, rad]."""


@njit(cache=True, error_model="numpy")
def _tighten(
    low: Array, high: Array, codes: Int, i: int, lowest: float, highest: float, code: int
) -> None:
    """Narrow a leg's interval by another, as far as its accelerations reach."""
    if lowest > low[i]:
        low[i] = min(lowest, high[i])
        codes[i, 0] = code
    if highest < high[i]:
        high[i] = max(highest, low[i])
        codes[i, 1] = code


@njit(cache=True, error_model="numpy")
def _reach(
    legs: Array, sharp: float, dt: float, state: Array, coast: Array, bias: Array, low: Array,
    high: Array, codes: Int,
) -> None:  # fmt: skip
    """Write the interval of each leg's acceleration by what it can do, as row and as movement."""
    for i in range(6):
        most, change = sharp * legs[i, 3], (state[MOVE + i] - coast[i]) / (dt * dt)
        low[i] = max(change - most, -most - bias[i])
        high[i] = min(change + most, most - bias[i])
        codes[i, 0] = codes[i, 1] = 12 + i
        if low[i] > high[i]:
            low[i] = high[i] = 0.5 * (low[i] + high[i])


@njit(cache=True, error_model="numpy")
def _longest_stop(
    legs: Array, shares: Array, numbers: Array, state: Array, coast: Array, low: Array, high: Array,
    margins: Array, buffers: Array, chosen: Int, count: int, by_leg: Array,
) -> float:  # fmt: skip
    """Ratio of the longest stop that may follow the next cycle.

    The stop is that of all legs with one factor, so its length goes with the fastest leg. That one
    may become faster as far as nothing on its way to a limit has to brake harder than it can.
    """
    dt = numbers[0]
    square, move = dt * dt, state[MOVE : MOVE + 6]
    ratio, most = 1.0, np.inf
    for i in range(6):
        ratio = max(ratio, (abs(move[i]) + shares[1] * legs[i, 3] * square) / legs[i, 4])
        most = min(most, shares[0] * legs[i, 2] * dt / legs[i, 4])
    ratio = min(ratio, most)
    kept, growth = numbers[1] + shares[2], numbers[2]
    for i in range(6):
        for side in (1.0, -1.0):
            end = legs[i, 1] if side > 0.0 else -legs[i, 0]
            room = end - kept - side * state[LENGTH + i]
            slowest = side * (coast[i] + square * (low[i] if side > 0.0 else high[i]))
            if slowest > 0.0:
                ratio = min(ratio, ratio_of_way((room - slowest * (1.0 + growth)) / slowest))
    now = stop_ratio(move, legs)
    traveled = stop_way(now)
    for n in range(count):
        j = chosen[n]
        room, best = margins[j] - buffers[j], 0.0
        for i in range(6):
            slope = by_leg[i, n]
            middle, half = 0.5 * (low[i] + high[i]), 0.5 * (high[i] - low[i])
            room -= slope * move[i] * traveled
            best += slope * (coast[i] + square * middle) + HARDNESS * square * abs(slope) * half
        if best < 0.0:
            ratio = min(ratio, ratio_of_way(float(room / -best - 1.0)))
    return max(ratio, now - 1.0, 1.0)


@njit(cache=True, error_model="numpy")
def _leg_bounds(
    legs: Array, shares: Array, numbers: Array, state: Array, coast: Array, speed0: Array,
    ratio: float, low: Array, high: Array, codes: Int,
) -> None:  # fmt: skip
    """Narrow the interval of each leg's acceleration by its speed, its ends and the stop."""
    dt = numbers[0]
    square, least = dt * dt, 1.0
    for i in range(6):
        slower = abs(state[MOVE + i]) - shares[1] * legs[i, 3] * square
        least = max(least, slower / legs[i, 4])
    kept, growth = numbers[1] + shares[2], numbers[2]
    there = 1.0 + stop_way(ratio) + growth
    # On the way off an end the window grows at first faster than the room.
    back = growth - 1.0 - stop_way(least)
    for i in range(6):
        quick = shares[0] * legs[i, 2]
        top = min(quick * dt, ratio * legs[i, 4])
        _tighten(low, high, codes, i, (-top - coast[i]) / square, (top - coast[i]) / square, 6 + i)
        _tighten(
            low, high, codes, i, (-quick - speed0[i]) / (1.5 * dt),
            (quick - speed0[i]) / (1.5 * dt), 6 + i,
        )  # fmt: skip
        up = legs[i, 1] - kept - state[LENGTH + i]
        down = state[LENGTH + i] - legs[i, 0] - kept
        lowest, highest = -down / there, up / there
        if back > 0.0:
            spare = 0.9 * shares[2]
            lowest = max(lowest, -max(up + spare, 0.0) / back)
            highest = min(highest, max(down + spare, 0.0) / back)
        _tighten(
            low, high, codes, i, (lowest - coast[i]) / square, (highest - coast[i]) / square, i
        )


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
def _near(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, numbers: Array,
    state: Array, margins: Array, chosen: Int, by_leg: Array,
) -> int:  # fmt: skip
    """Write the margins where a stop would end, which are near, and their slopes by the lengths.

    Returns:
        How many are near; -1 if that place is not known.
    """
    dt = numbers[0]
    packed, jac, slopes = np.empty(24), np.empty((6, 6)), np.empty((NEAR_ROWS, 6))
    way = stop_way(stop_ratio(state[MOVE : MOVE + 6], legs))
    end = state[Q : Q + 6] + state[V : V + 6] * (dt * way)
    target = state[LENGTH : LENGTH + 6] + state[MOVE : MOVE + 6] * way
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
def _near_rows(
    legs: Array, buffers: Array, numbers: Array, state: Array, coast: Array, jac: Array,
    ratio: float, margins: Array, chosen: Int, count: int, by_leg: Array, matrix: Array, low: Array,
    codes: Int,
) -> None:  # fmt: skip
    """Write rows for the margins that are near where a stop ends.

    Where a stop from the next cycle on would end is linear in the legs' next movement, and a margin
    there is, to first order in how far that place shifts, linear in it too.
    """
    dt = numbers[0]
    now, way = stop_way(stop_ratio(state[MOVE : MOVE + 6], legs)), stop_way(ratio)
    recovery = min(1.0, RECOVERY_PER_S * dt)
    for n in range(count):
        j, row = chosen[n], LEG_ROWS + n
        norm, constant = 0.0, 0.0
        for i in range(6):
            constant += by_leg[i, n] * (coast[i] * (1.0 + way) - state[MOVE + i] * now)
        for c in range(6):
            entry = 0.0
            for i in range(6):
                entry += by_leg[i, n] * jac[i, c]
            matrix[row, c] = entry * (1.0 + way) * dt * dt
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


@njit(cache=True, error_model="numpy")
def program(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, rows: Array, slower: bool, wish: Array, matrix: Array, low: Array,
    high: Array, codes: Int,
) -> tuple[int, bool, int]:  # fmt: skip
    """Write the quadratic program of a cycle: nearest to the wish, within the rows.

    Args:
        slower: the fastest leg becomes slower, as in a stop.
        wish: takes the wanted accelerations of the coordinates, shape (6,).
        matrix: takes the rows, six of the legs, then of near margins, shape (16, 7).
        low: takes their lower bounds, shape (16,).
        high: takes their upper bounds, shape (16,).
        codes: takes the numbers of the quantities that bound below and above, shape (16, 2).

    Returns:
        How many near rows there are, -1 if the end of a stop is not known; whether the wish is
        within all rows; and the number of the end of the box that took most of it, or GOOD.
    """
    dt = numbers[0]
    packed, jac, coast = np.empty(24), np.empty((6, 6)), np.empty(6)
    coasting, out, bias, speed0 = np.zeros((3, 6)), np.empty((3, 6)), np.empty(6), np.empty(6)
    margins, by_leg = np.empty(40), np.empty((6, NEAR_ROWS))
    chosen = np.zeros(NEAR_ROWS, np.int64)
    for j in range(6):
        coasting[0, j] = state[Q + j] + dt * state[V + j]
        coasting[1, j] = state[V + j]
    place(table, coasting[0], packed, coast, jac)
    setpoint_of_coordinates(coasting, packed)
    leg_state(table, packed, out)
    for i in range(6):
        coast[i] = out[0, i] - state[LENGTH + i]
        speed0[i], bias[i] = out[1, i], out[2, i]
    for r in range(ROWS):
        low[r], high[r] = -FREE, FREE
        for c in range(UNKNOWNS):
            matrix[r, c] = jac[r, c] if r < 6 and c < 6 else 0.0
    _reach(legs, shares[0, 1], dt, state, coast, bias, low, high, codes)
    count = _near(table, joints, legs, pose, buffers[0], numbers, state, margins, chosen, by_leg)
    if count < 0:
        return -1, False, GOOD
    ratio = max(1.0, stop_ratio(state[MOVE : MOVE + 6], legs) - 1.0)
    if not slower:
        ratio = _longest_stop(
            legs, shares[0], numbers, state, coast, low, high, margins, buffers[0], chosen, count,
            by_leg,
        )  # fmt: skip
    _leg_bounds(legs, shares[0], numbers, state, coast, speed0, ratio, low, high, codes)
    _near_rows(
        legs, buffers[0], numbers, state, coast, jac, ratio, margins, chosen, count, by_leg,
        matrix, low, codes,
    )  # fmt: skip
    end = wish_gently(legs, pose, buffers[0], numbers, state, rows, jac, wish)
    within = True
    for r in range(LEG_ROWS + count):
        total = 0.0
        for c in range(6):
            total += matrix[r, c] * wish[c]
        within = within and low[r] <= total <= high[r]
    return count, within, end
