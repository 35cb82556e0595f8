"""Rigid gaps: motors past a face of their gaps, and the blow when one meets the face.

A blow is plastic and takes no time: motor and link go on together, and the momentum of the whole
arm is kept,

    D (V+ - V) = p,   Jr (W+ - W) = -p,   p >= 0 where V+ = W+, else 0   (at an upper face),

for the joint that hits and for all that touch already. With V+ unknown it is once more the
gradient of a convex function.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import CLUTCH, HALF_GAP, INERTIA
from sim.world.space_arm.kernels.linear import factorise, solve
from sim.world.space_arm.kernels.stage import (
    FACTOR,
    FACTORED,
    LINK,
    LINK_R,
    MASS,
    MOTOR,
    MOTOR_R,
    REST,
    SIDE,
    SLOPE,
    STEP,
)
from sim.world.space_arm.kernels.vectors import columns

Array = NDArray[np.float64]

HIT_TOLERANCE_RAD = 1e-9
"""Distance of the wind-up from a face at which the face is met [rad]."""
ITERATIONS_MAX = 30


@njit(cache=True, error_model="numpy")
def farthest_out(drive: Array, windup: Array, row: int, s: Array) -> tuple[int, float]:
    """Find the joint farthest beyond a face that did not touch, and its distance [rad].

    Args:
        windup: a table with the wind-ups at the end of a step [rad].
        row: their row in it.
        s: the stage's table, for the faces that touch already.
    """
    worst, excess = -1, -np.inf
    for j in range(columns(s)):
        upper = windup[row, j] - drive[HALF_GAP, j] if s[SIDE, j] <= 0.0 else -np.inf
        lower = -windup[row, j] - drive[HALF_GAP, j] if s[SIDE, j] >= 0.0 else -np.inf
        if max(upper, lower) > excess:
            worst, excess = j, max(upper, lower)
    return worst, excess


@njit(cache=True, error_model="numpy")
def _evaluate(drive: Array, s: Array) -> None:
    """Compute the momentum left over with the rates in row `LINK` after the blow, and its slope."""
    for i in range(columns(s)):
        rest, s[SLOPE, i] = 0.0, 0.0
        for k in range(columns(s)):
            rest += s[MASS + i, k] * (s[LINK, k] - s[LINK_R, k])
        if drive[HALF_GAP, i] == 0.0 or s[SIDE, i] * (s[MOTOR_R, i] - s[LINK, i]) > 0.0:
            rest += drive[INERTIA, i] * (s[LINK, i] - s[MOTOR_R, i])
            s[SLOPE, i] = drive[INERTIA, i]
        s[REST, i] = rest


@njit(cache=True, error_model="numpy")
def strike(drive: Array, s: Array) -> bool:
    """Apply the blow of the motors that touch to their links.

    A joint without a gap is held firmly whatever happens.
    A gear with a clutch passes on no blow: the clutch slips until both are equally fast.

    Args:
        s: the stage's table: `MASS`, `SIDE`, and the rates before in `LINK_R` and `MOTOR_R`; those
            after the blow come into `LINK` and `MOTOR`.

    Returns:
        Whether a solution was found; if not, the rates after are those before.
    """
    for j in range(columns(s)):
        s[LINK, j] = s[LINK_R, j]
        s[MOTOR, j] = s[MOTOR_R, j]
        if drive[CLUTCH, j] < np.inf:
            s[SIDE, j] = 0.0
    found = False
    s[FACTORED, 0] = np.nan  # the factor is of another matrix from now on
    for _ in range(ITERATIONS_MAX):
        _evaluate(drive, s)
        if not factorise(s, MASS, SLOPE, FACTOR):
            break
        change = 0.0
        for j in range(columns(s)):
            s[STEP, j] = s[REST, j]
        solve(s, FACTOR, STEP)
        for j in range(columns(s)):
            s[LINK, j] -= s[STEP, j]
            change = max(change, abs(s[STEP, j]))
        if change <= 1e-15:
            found = True
            break
    for j in range(columns(s)):
        if not found:
            s[LINK, j] = s[LINK_R, j]
        elif drive[HALF_GAP, j] == 0.0 or s[SIDE, j] * (s[MOTOR_R, j] - s[LINK, j]) > -1e-12 * abs(
            s[SIDE, j]
        ):
            s[MOTOR, j] = s[LINK, j]
    return found
