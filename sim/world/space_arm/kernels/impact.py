"""Rigid gaps: which motor is past a face of its gap, and the blow when it meets the face.

A blow is plastic and takes no time: motor and link go on together, and the momentum of the whole
arm is kept,

    D (V+ - V) = p,   Jr (W+ - W) = -p,   p >= 0 where V+ = W+, else 0   (at an upper face),

for the joint that hits and for all that touch already. With P = V+ unknown it is once more the
gradient of a convex function.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import DriveArrays
from sim.world.space_arm.kernels.linear import factorise, solve
from sim.world.space_arm.kernels.stage import StageWork

Array = NDArray[np.float64]

HIT_TOLERANCE_RAD = 1e-9
"""A face is met when the wind-up is this near [rad]."""
ITERATIONS_MAX = 30


@njit(cache=True, error_model="numpy")
def farthest_out(drive: DriveArrays, windup: Array, side: Array) -> tuple[int, float]:
    """The joint that is farthest beyond a face that did not touch, and how far [rad].

    Args:
        drive: the drives.
        windup: wind-ups at the end of a step [rad], shape (6,).
        side: faces that touch already: 1, -1 or 0, shape (6,).
    """
    worst, excess = -1, -np.inf
    for j in range(6):
        upper = windup[j] - drive.half_gap[j] if side[j] <= 0.0 else -np.inf
        lower = -windup[j] - drive.half_gap[j] if side[j] >= 0.0 else -np.inf
        if max(upper, lower) > excess:
            worst, excess = j, max(upper, lower)
    return worst, excess


@njit(cache=True, error_model="numpy")
def _pushes(side: float, motor: float, link: float) -> bool:
    """Whether a motor at a face is faster than its link, so that they push each other."""
    return side * (motor - link) > 0.0


@njit(cache=True, error_model="numpy")
def _rest(
    drive: DriveArrays, mass: Array, link: Array, motor: Array, side: Array, trial: Array,
    work: StageWork,
) -> None:  # fmt: skip
    """Momentum that is left over with the rates ``trial`` after the blow, and its slope."""
    for j in range(6):
        work.momentum[j] = trial[j] - link[j]
    for i in range(6):
        rest, work.slope[i] = 0.0, 0.0
        for k in range(6):
            rest += mass[i, k] * work.momentum[k]
        if _pushes(side[i], motor[i], trial[i]):
            rest += drive.inertia[i] * (trial[i] - motor[i])
            work.slope[i] = drive.inertia[i]
        work.rest[i] = rest


@njit(cache=True, error_model="numpy")
def strike(
    drive: DriveArrays, mass: Array, link: Array, motor: Array, side: Array, after: Array,
    work: StageWork,
) -> bool:  # fmt: skip
    """Let the motors that touch strike; ``link`` and ``motor`` become the rates after the blow.

    A gear with a clutch passes on no blow: the clutch slips until both are equally fast.

    Args:
        drive: the drives.
        mass: D [kg m2], shape (6, 6).
        link: rates of the links [rad/s], shape (6,).
        motor: rates of the motors [rad/s], shape (6,).
        side: faces that touch: 1, -1 or 0, shape (6,).
        after: work space, shape (6,).
        work: more of it.

    Returns:
        Whether a solution was found; if not, nothing is changed.
    """
    for j in range(6):
        after[j] = link[j]
        if drive.clutch[j] < np.inf:
            side[j] = 0.0
    found = False
    for _ in range(ITERATIONS_MAX):
        _rest(drive, mass, link, motor, side, after, work)
        if not factorise(mass, work.slope, work.factor):
            return False
        for j in range(6):
            work.step[j] = work.rest[j]
        solve(work.factor, work.step)
        change = 0.0
        for j in range(6):
            after[j] -= work.step[j]
            change = max(change, abs(work.step[j]))
        if change <= 1e-15:
            found = True
            break
    if not found:
        return False
    for j in range(6):
        if _pushes(side[j], motor[j], after[j] - 1e-12 * side[j]):
            motor[j] = after[j]
        link[j] = after[j]
    return True
