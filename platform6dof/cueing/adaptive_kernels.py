"""Compiled step of the adaptive filter; no allocation, all memory is passed in."""

import math
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

PLANES: Final = 4  # surge with pitch, sway with minus roll, heave, yaw
TABLE_COLUMNS: Final = 70
"""Columns of a plane: translation block (24), rotation block (24), then what follows."""
LEAST, MOST, START, STEP, BACK = 48, 51, 54, 57, 60  # three each
RATE_WEIGHT, SPEED_WEIGHT, TRAVEL_WEIGHT, TILT_RATE, GRAVITY, PERIOD = 63, 64, 65, 66, 67, 68
MEMORY_COLUMNS: Final = 20
"""Columns of a plane: five blocks of three states, three gains, last turn's rate, one unused."""
GAIN: Final = 15
RATE: Final = 18


@njit(cache=True, error_model="numpy")
def _run(table: Array, at: int, memory: Array, of: int, u: float, out: Array) -> None:
    """One step of a packed block (`blocks`)."""
    a, b, c = memory[of], memory[of + 1], memory[of + 2]
    for k in range(3):
        row = at + 12 + 3 * k
        out[k] = table[row] * a + table[row + 1] * b + table[row + 2] * c + table[at + 21 + k] * u
    for k in range(3):
        row = at + 3 * k
        memory[of + k] = (
            table[row] * a + table[row + 1] * b + table[row + 2] * c + table[at + 9 + k] * u
        )


@njit(cache=True, error_model="numpy")
def _plane(f: float, q: float, table: Array, memory: Array, work: Array, out: Array) -> None:
    """One plane: displacement and turn, then the gains a step down the slope of the cost.

    Args:
        f: wanted force [m/s²], with q the wanted rate [rad/s].
        table: of the plane, shape (TABLE_COLUMNS,).
        memory: of the plane, shape (MEMORY_COLUMNS,).
        work: scratch, shape (5, 3).
        out: displacement and turn with their derivatives, shape (2, 3).
    """
    g, period, weight = table[GRAVITY], table[PERIOD], table[RATE_WEIGHT]
    p1, p2, p3 = memory[GAIN], memory[GAIN + 1], memory[GAIN + 2]
    most = table[TILT_RATE]
    tilt = min(most, max(-most, p2 * f))
    _run(table, 0, memory, 0, p1 * f, work[0])
    _run(table, 0, memory, 3, f, work[1])  # sensitivity of the displacement to p1
    _run(table, 24, memory, 6, tilt + p3 * q, work[2])
    free = 1.0 if abs(p2 * f) < most else 0.0
    _run(table, 24, memory, 9, free * f, work[3])  # of the turn to p2
    _run(table, 24, memory, 12, q, work[4])  # of the turn to p3
    lack = f - (work[0, 2] + g * work[2, 0])
    slip = q - work[2, 1]
    for k in range(3):
        if k == 0:
            slope = -lack * work[1, 2] + table[SPEED_WEIGHT] * work[0, 1] * work[1, 1]
            slope += table[TRAVEL_WEIGHT] * work[0, 0] * work[1, 0]
        else:
            slope = -lack * g * work[2 + k, 0] - weight * slip * work[2 + k, 1]
        gain = memory[GAIN + k]
        change = -table[STEP + k] * slope + table[BACK + k] * (table[START + k] - gain)
        memory[GAIN + k] = min(table[MOST + k], max(table[LEAST + k], gain + period * change))
    for k in range(3):
        out[0, k] = work[0, k]
    out[1, 0], out[1, 1] = work[2, 0], work[2, 1]
    out[1, 2] = (work[2, 1] - memory[RATE]) / period
    memory[RATE] = work[2, 1]


@njit(cache=True, error_model="numpy")
def _scaled(scales: Array, channel: int, u: float) -> float:
    """Scale and limit, as of the classical filter."""
    at = 6 * channel
    most = scales[at + 2]
    if scales[at] == 0.0:
        return min(most, max(-most, scales[at + 1] * u))
    size = min(abs(u), scales[at + 3])
    y = size * (scales[at + 1] + size * (scales[at + 4] + size * scales[at + 5]))
    return math.copysign(min(y, most), u)


@njit(cache=True, error_model="numpy")
def adaptive(
    fx: float, fy: float, fz: float, p: float, q: float, r: float, weight: float,
    scales: Array, table: Array, memory: Array, work: Array, out: Array, rows: Array,
) -> bool:  # fmt: skip
    """One cycle of the adaptive filter.

    Args:
        fx: specific force forward, with fy right, fz down [m/s²].
        p: roll rate, with q pitch, r yaw [rad/s].
        weight: share of what differs from rest that is wanted.
        scales: of six channels, shape (36,).
        table: of the planes, shape (PLANES, TABLE_COLUMNS).
        memory: changed, shape (PLANES, MEMORY_COLUMNS).
        work: scratch, shape (5, 3).
        out: scratch, shape (2, 3).
        rows: where to write the deviation from neutral and derivatives, shape (3, 6).

    Returns:
        Whether the input is finite; nothing is changed if it is not.
    """
    if not (math.isfinite(fx) and math.isfinite(fy) and math.isfinite(fz)):
        return False
    if not (math.isfinite(p) and math.isfinite(q) and math.isfinite(r) and math.isfinite(weight)):
        return False
    fx, fy = _scaled(scales, 0, weight * fx), _scaled(scales, 1, weight * fy)
    fz = _scaled(scales, 2, weight * (fz + table[0, GRAVITY]))
    p, q = _scaled(scales, 3, weight * p), _scaled(scales, 4, weight * q)
    r = _scaled(scales, 5, weight * r)
    _plane(fx, q, table[0], memory[0], work, out)
    for k in range(3):
        rows[k, 0], rows[k, 4] = out[0, k], -out[1, k]
    _plane(fy, -p, table[1], memory[1], work, out)
    for k in range(3):
        rows[k, 1], rows[k, 5] = -out[0, k], -out[1, k]
    _plane(fz, 0.0, table[2], memory[2], work, out)
    for k in range(3):
        rows[k, 2] = -out[0, k]
    _plane(0.0, r, table[3], memory[3], work, out)
    for k in range(3):
        rows[k, 3] = -out[1, k]
    return True


def warm() -> None:
    """Compile the kernels for the types that a run calls them with."""
    table = np.ones((PLANES, TABLE_COLUMNS))
    table.setflags(write=False)
    scales = np.ones(36)
    scales.setflags(write=False)
    memory, work, out = np.zeros((PLANES, MEMORY_COLUMNS)), np.zeros((5, 3)), np.zeros((2, 3))
    rows = np.empty((3, 6))
    adaptive(0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, scales, table, memory, work, out, rows)
