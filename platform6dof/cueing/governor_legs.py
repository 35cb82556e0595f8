"""Compiled parts of the governor: what its program asks of the legs.

Of each leg an interval of accelerations: what it can do, then narrowed by its speed, its ends and
the stop that must remain possible. See `platform6dof.cueing.governor_state` for the state, and
`platform6dof.cueing.margins.MarginTables` for tables.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.cueing.governor_state import LENGTH, MOVE
from platform6dof.cueing.governor_stop import ratio_of_distance, stop_distance, stop_ratio

Array = NDArray[np.float64]
Int = NDArray[np.int64]

HARDNESS = 0.8
"""Share of the legs' accelerations with which a near margin is counted on to be kept."""


@njit(cache=True, error_model="numpy")
def leg_reach(
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
def longest_stop(
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
            margin = end - kept - side * state[LENGTH + i]
            slowest = side * (coast[i] + square * (low[i] if side > 0.0 else high[i]))
            if slowest > 0.0:
                ratio = min(ratio, ratio_of_distance((margin - slowest * (1.0 + growth)) / slowest))
    now = stop_ratio(move, legs)
    traveled = stop_distance(now)
    for n in range(count):
        j = chosen[n]
        margin, best = margins[j] - buffers[j], 0.0
        for i in range(6):
            slope = by_leg[i, n]
            middle, half = 0.5 * (low[i] + high[i]), 0.5 * (high[i] - low[i])
            margin -= slope * move[i] * traveled
            best += slope * (coast[i] + square * middle) + HARDNESS * square * abs(slope) * half
        if best < 0.0:
            ratio = min(ratio, ratio_of_distance(float(margin / -best - 1.0)))
    return max(ratio, now - 1.0, 1.0)


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
def leg_bounds(
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
    there = 1.0 + stop_distance(ratio) + growth
    # On the way off an end the window grows at first faster than the room.
    back = growth - 1.0 - stop_distance(least)
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
