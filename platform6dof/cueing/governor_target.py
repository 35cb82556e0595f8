"""Compiled parts of the governor: the accelerations that lead back to the wanted motion.

They are the wanted motion's own, and what makes the distance to it good, near to it in a critically
damped way, from further off with a speed that a gentle deceleration takes away in time. What comes
too fast to an end of the box is taken off.
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
"""Natural frequency of the critically damped return to the wanted motion [rad/s]."""
PULL_MAX = 3.0
"""Greatest pull to the wanted motion, in accelerations of the legs."""
FAR_M, FAR_M_S, FAR_M_S2 = 10.0, 100.0, 1000.0
"""Bounds of what is wanted: values beyond these count as these."""


@njit(cache=True, error_model="numpy")
def _limited(value: float, most: float) -> float:
    return max(-most, min(most, value))


@njit(cache=True, error_model="numpy")
def _make_good(away: float, slower: float, gentle: float) -> float:
    """Acceleration, beside the wanted motion's own, that makes a distance from it good.

    Args:
        away: the wanted place less the present one.
        slower: the wanted speed less the present one.
        gentle: deceleration on the last part of the way.
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
    """Write the accelerations that lead to the wanted motion.

    For a motion whose rows continue each other by its own differences, so that what is left of the
    error falls to nought; for any other by what the row says.
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
    """Write the request, less what comes too fast to an end or is far beyond the legs' means.

    Args:
        buffers: of the pose's quantities, shape (40,).
        jac: of the legs' lengths by the coordinates, shape (6, 6).
        desired: takes the accelerations of the coordinates, shape (6,).

    Returns:
        Number of the end of the box that took most, or GOOD.
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
