"""Compiled parts of the governor: how fast a coordinate comes to an end of its box.

Toward an end no coordinate goes faster than one that stops there with a gentle deceleration, a
small share of what the legs could: v² <= 2 a d, counted in whole cycles. It is the safe set of a
control barrier function (Ames and others, "Control barrier functions: theory and applications",
2019) and binds requests, not the motion: behind it stand the rows of the quadratic program, and the
judgement. Tables are those of `platform6dof.cueing.margins.MarginTables`.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.cueing.governor_stop import GOOD, stop_distance

Array = NDArray[np.float64]

FIRMEST = 4.0
"""Largest deceleration of a coordinate that came too fast, in gentle ones; rows do the rest."""


@njit(cache=True, error_model="numpy")
def gentle_move(distance: float, change: float) -> float:
    """Greatest next movement that, smaller by a change in each cycle, ends within a distance."""
    if not distance > 0.0:
        return 0.0
    changes = distance / change
    k = math.floor(0.5 * (math.sqrt(1.0 + 8.0 * changes) - 1.0))
    return change * (changes + 0.5 * k * (k + 1.0)) / (k + 1.0)


@njit(cache=True, error_model="numpy")
def gentle_deceleration(numbers: Array, j: int) -> float:
    """Gentle deceleration of a coordinate [m/s², rad/s²]."""
    return numbers[6] if j < 3 else numbers[6] / numbers[3]


@njit(cache=True, error_model="numpy")
def _end(pose: Array, buffers: Array, numbers: Array, q: Array, k: int) -> tuple[float, float]:
    """Room before one of the box's twelve ends, and the gentle change of movement per cycle."""
    side, limit = pose[28 + k, 0], pose[28 + k, 1]
    distance = side * (q[k % 6] - limit) - buffers[28 + k]
    return distance, gentle_deceleration(numbers, k % 6) * numbers[0] * numbers[0]


@njit(cache=True, error_model="numpy")
def too_fast(pose: Array, buffers: Array, numbers: Array, before: Array, q: Array) -> int:
    """Number of an end to which a step from one place to the next comes too fast, or GOOD."""
    for k in range(12):
        move = pose[28 + k, 0] * (before[k % 6] - q[k % 6])
        if move <= 0.0:
            continue
        distance, change = _end(pose, buffers, numbers, q, k)
        if move * stop_distance(move / change) > distance:
            return 46 + k
    return GOOD


@njit(cache=True, error_model="numpy")
def soften(pose: Array, buffers: Array, numbers: Array, q: Array, v: Array, desired: Array) -> int:
    """Take from requested accelerations what would come too fast to an end.

    Args:
        v: change of the coordinates over the last cycle by its time, shape (6,).
        desired: accelerations of the coordinates, changed in place, shape (6,).

    Returns:
        Number of the end that took most, or GOOD.
    """
    dt, scale = numbers[0], numbers[3]
    square, number, most = dt * dt, GOOD, 0.0
    for k in range(12):
        j, side = k % 6, pose[28 + k, 0]
        distance, change = _end(pose, buffers, numbers, q, k)
        move = -side * v[j] * dt
        faster = gentle_move(distance, change) - move
        if faster < -change:  # it came too fast: as hard as it needs
            needed = move * move / (2.0 * max(distance, 0.0) + move)
            faster = max(faster, -max(change, min(needed, FIRMEST * change)))
        taken = -side * desired[j] - faster / square
        if taken > 0.0:
            desired[j] = -side * faster / square
            taken *= 1.0 if j < 3 else scale
            if taken > most:
                number, most = 46 + k, taken
    return number
