"""Compiled parts of the governor: the state of a motion from cycle to cycle.

A row is requested or governed coordinates and their first and second derivatives, shape (3, 6). The
state is one array: coordinates, their change over the last cycle divided by its time, lengths,
their movement in the last cycle; then of the request: coordinates, change over the last cycle
divided by its time, rates; the number of known rows of the request; the distance of the governed
rows from them in this cycle and the last; and 1 before the first row.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.cueing.governor_stop import place

Array = NDArray[np.float64]

Q, V, LENGTH, MOVE, WANTED, WANTED_V, WANTED_DQ, KNOWN, OFF, OFF_BEFORE, FIRST = (
    0, 6, 12, 18, 24, 30, 36, 42, 43, 44, 45
)  # fmt: skip
STATE_SIZE = 46

STEADY_M_S = 0.02
"""Largest difference between rates and movement of a row that continues the last one [m/s]."""


@njit(cache=True, error_model="numpy")
def start(table: Array, q: Array, state: Array) -> None:
    """Write the state of rest at coordinates, which are also the request."""
    packed, jac = np.empty(24), np.empty((6, 6))
    for k in range(STATE_SIZE):
        state[k] = 0.0
    place(table, q, packed, state[LENGTH : LENGTH + 6], jac)
    for j in range(6):
        state[Q + j] = state[WANTED + j] = q[j]
    state[KNOWN] = 2.0
    state[FIRST] = 1.0


@njit(cache=True, error_model="numpy")
def continues(state: Array, rows: Array, numbers: Array) -> bool:
    """Whether a requested row continues the last one: its rates match its movement."""
    for j in range(6):
        unit = 1.0 if j < 3 else numbers[3]
        slope = (rows[0, j] - state[WANTED + j]) / numbers[0]
        middle = 0.5 * (rows[1, j] + state[WANTED_DQ + j])
        if not abs(slope - middle) * unit <= STEADY_M_S:
            return False
    return True


@njit(cache=True, error_model="numpy")
def commit(state: Array, rows: Array, findings: Array, dt: float) -> None:
    """Store a governed row in the state, with its lengths and movements."""
    for j in range(6):
        state[V + j] = (rows[0, j] - state[Q + j]) / dt
        state[Q + j] = rows[0, j]
        state[LENGTH + j] = findings[j]
        state[MOVE + j] = findings[6 + j]
    state[FIRST] = 0.0


@njit(cache=True, error_model="numpy")
def remember(state: Array, rows: Array, numbers: Array) -> None:
    """Store the request in the state, with the distance of the governed row from it."""
    dt, scale, off = numbers[0], numbers[3], 0.0
    steady = state[KNOWN] > 0.0 and continues(state, rows, numbers)
    for j in range(6):
        unit = 1.0 if j < 3 else scale
        state[WANTED_V + j] = (rows[0, j] - state[WANTED + j]) / dt
        state[WANTED + j] = rows[0, j]
        state[WANTED_DQ + j] = rows[1, j]
        off = max(off, abs(rows[0, j] - state[Q + j]) * unit)
    state[KNOWN] = min(2.0, state[KNOWN] + 1.0) if steady else 1.0
    state[OFF_BEFORE] = state[OFF]
    state[OFF] = off
