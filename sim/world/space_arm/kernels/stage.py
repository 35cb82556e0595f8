"""One implicit stage of the whole arm: the rates of six links and six motors at its end.

Wanted is V with

    F(V) = D (V - Vr) + hs (bias + Bl V) - hs tau_e(V) = 0,

where tau_e is `drive_law.passed_on` of each joint and never rises with its own V. D is positive
definite, so F is the gradient of a strictly convex function of V: it has one zero, and Newton's
method with the matrix D + diag(...) and a line search finds it from anywhere. The laws are
piecewise linear, so the step from within the right pieces is exact.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import DriveArrays
from sim.world.space_arm.kernels.drive_law import passed_on
from sim.world.space_arm.kernels.linear import factorise, solve

Array = NDArray[np.float64]

ITERATIONS_MAX = 40
HALVINGS_MAX = 30
RATE_TOLERANCE = 1e-11
"""A stage is solved when no joint's momentum is off by more than this rate's [rad/s]."""
ROUNDING = 1e4
"""Within this many tolerances a residual that no longer falls is taken for rounding."""


class StageWork(NamedTuple):
    """Arrays that a stage writes into; shapes (6,) but for the factor."""

    factor: Array  # (6, 6)
    rest: Array  # F [N m s]
    slope: Array  # what the drives add to the diagonal of its Jacobian [kg m2]
    step: Array  # Newton's [rad/s]
    trial: Array  # rates of the links that are being tried [rad/s]
    torque: Array  # through the gears [N m]
    momentum: Array  # work space


def make_stage_work() -> StageWork:
    """New arrays for one arm."""
    return StageWork(np.zeros((6, 6)), *(np.zeros(6) for _ in range(6)))


@njit(cache=True, error_model="numpy")
def _evaluate(
    drive: DriveArrays,
    mass: Array,
    bias: Array,
    hs: float,
    link_r: Array,
    motor_r: Array,
    windup_r: Array,
    command: Array,
    dry: Array,
    side: Array,
    link: Array,
    motor: Array,
    work: StageWork,
) -> None:
    """Fill ``work.rest``, ``work.slope``, ``work.torque`` and ``motor`` for the rates ``link``."""
    for j in range(6):
        torque, fall, w = passed_on(
            drive, j, hs, motor_r[j], windup_r[j], command[j], dry[j], link[j], side[j], motor[j]
        )
        motor[j] = w
        work.torque[j] = torque
        work.slope[j] = hs * (drive.drag[j] + fall)
        work.momentum[j] = link[j] - link_r[j]
    for i in range(6):
        rest = hs * (bias[i] + drive.drag[i] * link[i] - work.torque[i])
        for k in range(6):
            rest += mass[i, k] * work.momentum[k]
        work.rest[i] = rest


@njit(cache=True, error_model="numpy")
def solve_stage(
    drive: DriveArrays,
    mass: Array,
    bias: Array,
    hs: float,
    link_r: Array,
    motor_r: Array,
    windup_r: Array,
    command: Array,
    dry: Array,
    side: Array,
    link: Array,
    motor: Array,
    work: StageWork,
) -> int:
    """Solve a stage; ``link`` and ``motor`` come as guesses and leave as the solution.

    Args:
        drive: the drives.
        mass: D at the middle of the step [kg m2], shape (6, 6).
        bias: Coriolis, centrifugal and gravity torques there [N m].
        hs: length of the stage [s].
        link_r: rates of the links at the stage's reference [rad/s].
        motor_r: rates of the motors there [rad/s].
        windup_r: wind-ups of the gears there [rad].
        command: rates that are asked for [rad/s].
        dry: dry friction of motors and closed brakes [N m].
        side: face of a rigid gap that may touch, 1 or -1, or 0.
        link: rates of the links [rad/s].
        motor: rates of the motors [rad/s].
        work: arrays to write into; ``work.torque`` holds the torques through the gears at the end.

    Returns:
        Iterations, or -1 if there is no solution (a matrix that is not positive definite, or
        numbers that are not finite).
    """
    smallest = mass[0, 0]
    for j in range(1, 6):
        smallest = min(smallest, mass[j, j])
    tolerance = RATE_TOLERANCE * smallest
    _evaluate(
        drive, mass, bias, hs, link_r, motor_r, windup_r, command, dry, side, link, motor, work
    )
    last = np.inf
    for iteration in range(ITERATIONS_MAX):
        worst = 0.0
        for j in range(6):
            if not abs(work.rest[j]) <= worst:
                worst = abs(work.rest[j])
        if worst <= tolerance or (0.5 * last <= worst <= ROUNDING * tolerance):
            return iteration
        last = worst
        if not factorise(mass, work.slope, work.factor):
            return -1
        fall = 0.0
        for j in range(6):
            work.step[j] = work.rest[j]
        solve(work.factor, work.step)
        for j in range(6):
            fall += work.rest[j] * work.step[j]
        factor = 1.0
        for _ in range(HALVINGS_MAX):
            for j in range(6):
                work.trial[j] = link[j] - factor * work.step[j]
            _evaluate(
                drive, mass, bias, hs, link_r, motor_r, windup_r, command, dry, side, work.trial,
                motor, work,
            )  # fmt: skip
            # The convex function falls along the step as long as its derivative has not turned
            # positive; if it has, its zero is about where the chord of the derivative says.
            ahead = 0.0
            for j in range(6):
                ahead += work.rest[j] * work.step[j]
            if ahead >= -0.1 * fall:
                break
            factor *= max(0.1, fall / (fall - ahead))
        for j in range(6):
            link[j] = work.trial[j]
    return -1
