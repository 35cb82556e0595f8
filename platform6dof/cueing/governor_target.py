"""Compiled parts of the governor: the accelerations that lead back to the requested motion.

They are the sum of the requested motion's own acceleration and of a correction. The correction
closes the distance: critically damped near the motion, and from further away at a speed from which
a gentle deceleration is sufficient. Speed too high for an end of the box is removed.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.cueing.governor_ends import gentle_deceleration, soften
from platform6dof.cueing.governor_state import KNOWN, WANTED, WANTED_V, Q, V, continues
from platform6dof.cueing.governor_stop import GOOD

Array = NDArray[np.float64]

OMEGA_RAD_S = 25.0
"""Natural frequency of the critically damped return to the requested motion [rad/s]."""
PULL_MAX = 3.0
"""Greatest correction towards the requested motion, in multiples of the legs' acceleration."""
FAR_M, FAR_M_S, FAR_M_S2 = 10.0, 100.0, 1000.0
"""Bounds of the requested motion: values beyond them are replaced by the bounds."""


@njit(cache=True, error_model="numpy")
def _limited(value: float, most: float) -> float:
    return max(-most, min(most, value))


@njit(cache=True, error_model="numpy")
def _make_good(away: float, slower: float, gentle: float) -> float:
    """Acceleration, in addition to the requested motion's own, that closes the distance to it.

    Args:
        away: requested position minus the present one.
        slower: requested speed minus the present one.
        gentle: deceleration on the last part of the path.
    """
    distance, linear = abs(away), gentle / (OMEGA_RAD_S * OMEGA_RAD_S)
    if distance <= linear:
        speed, slope = OMEGA_RAD_S * distance, OMEGA_RAD_S
    else:
        speed = math.sqrt(gentle * (2.0 * distance - linear))
        slope = gentle / speed
    return (OMEGA_RAD_S + slope) * slower + OMEGA_RAD_S * math.copysign(speed, away)


@njit(cache=True, error_model="numpy")
def _desired_accelerations(state: Array, rows: Array, numbers: Array, desired: Array) -> None:
    """Write the accelerations that lead to the requested motion.

    If the rows of the motion continue each other, its own differences are used, so that the
    remaining error vanishes; for any other motion, the derivatives in the row are used.
    """
    dt = numbers[0]
    steady = state[KNOWN] == 2.0 and continues(state, rows, numbers)
    for j in range(6):
        if steady:
            x, v = state[WANTED + j], state[WANTED_V + j]
            a = ((rows[0, j] - x) / dt - v) / dt
        else:
            x, v, a = rows[0, j], rows[1, j], rows[2, j]
        away = _limited(x, FAR_M) - state[Q + j]
        slower = _limited(v, FAR_M_S) - state[V + j]
        gentle = gentle_deceleration(numbers, j)
        desired[j] = _limited(a, FAR_M_S2) + _make_good(away, slower, gentle)


@njit(cache=True, error_model="numpy")
def request_gently(
    legs: Array, pose: Array, buffers: Array, numbers: Array, state: Array, rows: Array, jac: Array,
    desired: Array,
) -> int:  # fmt: skip
    """Write the request, limited where it is too fast for an end or far beyond the legs' ability.

    Args:
        buffers: of the pose's quantities, shape (40,).
        jac: of the legs' lengths by the coordinates, shape (6, 6).
        desired: gets the accelerations of the coordinates, shape (6,).

    Returns:
        Number of the end of the box that limits most, or GOOD.
    """
    q, v = state[Q : Q + 6], state[V : V + 6]
    _desired_accelerations(state, rows, numbers, desired)
    end = soften(pose, buffers, numbers, q, v, desired)
    pull = 1.0
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += jac[i, j] * desired[j]
        pull = max(pull, abs(total) / (PULL_MAX * legs[i, 3]))
    if pull > 1.0:
        for j in range(6):
            desired[j] /= pull
        again = soften(pose, buffers, numbers, q, v, desired)
        end = again if end == GOOD else end
    return end
