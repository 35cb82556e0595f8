"""Compiled parts of the governor: the quadratic program of a cycle.

Unknown are the accelerations of the coordinates. Six rows bound the legs' next movement, as the
gate does (`governor_legs`); further ones bound each near margin where a stop from the next cycle on
would end (`governor_near`); and nearest they shall be to the desired ones (`governor_target`).
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.cueing.governor_legs import leg_bounds, leg_reach, longest_stop
from platform6dof.cueing.governor_near import NEAR_ROWS, near_margins, near_rows
from platform6dof.cueing.governor_state import LENGTH, MOVE, Q, V
from platform6dof.cueing.governor_stop import GOOD, place, stop_ratio
from platform6dof.cueing.governor_target import request_gently
from platform6dof.kernels.legs import leg_state
from platform6dof.kernels.rotation import setpoint_of_coordinates

Array = NDArray[np.float64]
Int = NDArray[np.int64]

LEG_ROWS = 6
ROWS = LEG_ROWS + NEAR_ROWS
UNKNOWNS = 7
"""Six accelerations of the coordinates and a slack of what the pose keeps."""
FREE = 1e30
"""A bound that is none, as the solver has it."""


@njit(cache=True, error_model="numpy")
def program(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, rows: Array, slower: bool, desired: Array, matrix: Array,
    low: Array, high: Array, codes: Int,
) -> tuple[int, bool, int]:  # fmt: skip
    """Write the quadratic program of a cycle: nearest to the request, within the rows.

    Args:
        slower: the fastest leg becomes slower, as in a stop.
        desired: takes the wanted accelerations of the coordinates, shape (6,).
        matrix: takes the rows, six of the legs, then of near margins, shape (16, 7).
        low: takes their lower bounds, shape (16,).
        high: takes their upper bounds, shape (16,).
        codes: takes the numbers of the quantities that bound below and above, shape (16, 2).

    Returns:
        How many near rows there are, -1 if the end of a stop is not known; whether the desired one
        is within all rows; and the number of the end of the box that took most of it, or GOOD.
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
    leg_reach(legs, shares[0, 1], dt, state, coast, bias, low, high, codes)
    count = near_margins(
        table, joints, legs, pose, buffers[0], numbers, state, margins, chosen, by_leg
    )
    if count < 0:
        return -1, False, GOOD
    ratio = max(1.0, stop_ratio(state[MOVE : MOVE + 6], legs) - 1.0)
    if not slower:
        ratio = longest_stop(
            legs, shares[0], numbers, state, coast, low, high, margins, buffers[0], chosen, count,
            by_leg,
        )  # fmt: skip
    leg_bounds(legs, shares[0], numbers, state, coast, speed0, ratio, low, high, codes)
    near_rows(
        legs, buffers[0], numbers, state, coast, jac, ratio, margins, chosen, count, by_leg,
        matrix[LEG_ROWS:], low[LEG_ROWS:], codes[LEG_ROWS:],
    )  # fmt: skip
    end = request_gently(legs, pose, buffers[0], numbers, state, rows, jac, desired)
    return count, _is_within(matrix, desired, low, high, LEG_ROWS + count), end


@njit(cache=True, error_model="numpy")
def _is_within(matrix: Array, desired: Array, low: Array, high: Array, rows: int) -> bool:
    """Whether a request keeps the bounds of the first rows."""
    within = True
    for r in range(rows):
        total = 0.0
        for c in range(6):
            total += matrix[r, c] * desired[c]
        within = within and low[r] <= total <= high[r]
    return within
