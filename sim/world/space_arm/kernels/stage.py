"""One implicit stage of the whole arm: the rates of its links and motors at its end.

Wanted is V with

    F(V) = D (V - Vr) + hs (bias + Bl V) - hs tau_e(V) = 0,

where tau_e is `drive_law.gear_torque_of_motor` of each joint and never rises with its own V. D is
positive definite, so F is the gradient of a strictly convex function of V: it has one zero, and
Newton's method with the matrix D + diag(...) and a line search finds it from anywhere. The laws are
piecewise linear, so the step from within the right pieces is exact.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import DRAG, HALF_GAP, HOLD, RIGID_GAP
from sim.world.space_arm.kernels.drive_law import free_rate, gear_torque_of_motor
from sim.world.space_arm.kernels.dynamics import ArmArrays, Scratch, mass_and_bias
from sim.world.space_arm.kernels.linear import factorise, solve
from sim.world.space_arm.kernels.vectors import columns, table_of

Array = NDArray[np.float64]

ITERATIONS_MAX = 40
SWEEP_AFTER = 4
"""Number of iterations after which joints are also solved one by one."""
SCALAR_ITERATIONS = 80
HALVINGS_MAX = 30
RATE_TOLERANCE = 1e-11
"""Rate whose momentum is the largest error of a joint in a solved stage [rad/s]."""
ROUNDING = 1e4
"""Number of tolerances within which a residual that no longer falls is taken for rounding."""

# Rows of a stage's table, a column a joint. What it is given:
MASS = 0
"""D at the middle of the step [kg m2], as many rows as joints, of eight."""
BIAS = 8
"""Coriolis, centrifugal and gravity torques there [N m]."""
LINK_R = 9
"""Rates of the links at the stage's reference [rad/s]."""
MOTOR_R = 10
"""Rates of the motors there [rad/s]."""
WINDUP_R = 11
"""Wind-ups of the gears there [rad]."""
COMMAND = 12
"""Commanded rates [rad/s]."""
DRY = 13
"""Dry friction of motors and closed brakes [N m]."""
SIDE = 14
"""Face of a rigid gap that may touch: 1, -1, or 0 for none."""
# What it finds, from guesses in the same rows:
LINK = 15
"""Rates of the links [rad/s]."""
MOTOR = 16
"""Rates of the motors [rad/s]."""
TORQUE = 17
"""Torques through the gears [N m]."""
# Its intermediate results:
REST = 18
"""Residual F [N m s]."""
SLOPE = 19
"""Contribution of drives and drag to the diagonal of its Jacobian [kg m2]."""
STEP = 20
"""Newton's step [rad/s]."""
ORIGIN = 21
"""Rates where the line search begins [rad/s]."""
FACTOR = 22
"""Cholesky factor of the Jacobian, as many rows as joints, of eight."""
FACTORED = 30
"""Diagonal of the factor besides D; NaN if there is no factor of this D."""
FOLLOW = 31
"""Share of its link's rate that each motor follows."""
FREE = 32
"""Rates of the motors if they float in a rigid gap [rad/s]."""
# It is given, too:
MOTOR_TORQUE_R = 33
"""Torques of the motors at the stage's reference, of meaning with inductance [N m]."""
ROWS = 34


def make_stage(joints: int) -> Array:
    """Make a table of zeros, shape (34, joints)."""
    s = table_of(ROWS, joints)
    s[FACTORED] = np.nan
    return s


@njit(cache=True, error_model="numpy")
def put_masses(arm: ArmArrays, q: Array, v: Array, scratch: Scratch, s: Array) -> None:
    """Put mass matrix and bias at angles [rad] and rates [rad/s], shape (n,) each, into a table."""
    mass_and_bias(arm, q, v, scratch, s[MASS : MASS + columns(s)], s[BIAS])
    s[FACTORED, 0] = np.nan


@njit(cache=True, error_model="numpy")
def _float_motors(drive: Array, hs: float, s: Array) -> None:
    """Compute the rates of motors that touch no face of their rigid gaps."""
    if drive[HOLD, 0] == RIGID_GAP:
        for j in range(columns(s)):
            if drive[HALF_GAP, j] > 0.0:
                s[FREE, j] = free_rate(
                    drive, j, hs, s[MOTOR_R, j], s[COMMAND, j], s[DRY, j], 0.0,
                    s[MOTOR_TORQUE_R, j],
                )  # fmt: skip


@njit(cache=True, error_model="numpy", forceinline=True)
def _passed_on(drive: Array, hs: float, s: Array, j: int) -> tuple[float, float]:
    """Compute the torque of gear ``j`` and its fall at the rate in row `LINK`, and its motor."""
    gap = drive[HOLD, j] == RIGID_GAP
    torque, fall, s[MOTOR, j], s[FOLLOW, j] = gear_torque_of_motor(
        drive, j, hs, s[MOTOR_R, j], s[WINDUP_R, j], s[COMMAND, j], s[DRY, j], s[LINK, j],
        s[SIDE, j], s[FREE, j] if gap else s[MOTOR, j], s[MOTOR_TORQUE_R, j],
    )  # fmt: skip
    return torque, fall


@njit(cache=True, error_model="numpy")
def _evaluate(drive: Array, hs: float, s: Array) -> None:
    """Compute residual, slope, torques and motors for the rates in row `LINK`."""
    for j in range(columns(s)):
        torque, fall = _passed_on(drive, hs, s, j)
        s[TORQUE, j] = torque
        s[SLOPE, j] = hs * (drive[DRAG, j] + fall)
    for i in range(columns(s)):
        rest = hs * (s[BIAS, i] + drive[DRAG, i] * s[LINK, i] - s[TORQUE, i])
        for k in range(columns(s)):
            rest += s[MASS + i, k] * (s[LINK, k] - s[LINK_R, k])
        s[REST, i] = rest


@njit(cache=True, error_model="numpy")
def solve_stage(drive: Array, hs: float, s: Array, rate_tolerance: float = RATE_TOLERANCE) -> int:
    """Solve a stage; rows `LINK` and `MOTOR` come as guesses and leave as the solution.

    Args:
        hs: length of the stage [s].
        s: the stage's table.
        rate_tolerance: see `RATE_TOLERANCE` [rad/s].

    Returns:
        Iterations, or -1 if there is no solution (a matrix that is not positive definite, or
        numbers that are not finite).
    """
    tolerance = np.inf
    for j in range(columns(s)):
        tolerance = min(tolerance, rate_tolerance * s[MASS + j, j])
    _float_motors(drive, hs, s)
    _evaluate(drive, hs, s)
    last = np.inf
    for iteration in range(ITERATIONS_MAX):
        worst = 0.0
        for j in range(columns(s)):
            if not abs(s[REST, j]) <= worst:
                worst = abs(s[REST, j])
        if worst <= tolerance or (0.5 * last <= worst <= ROUNDING * tolerance):
            return iteration if _are_finite(s) else -1
        last = worst
        if not (worst < np.inf and _factorise_jacobian(s)):
            return -1
        for j in range(columns(s)):
            s[STEP, j] = s[REST, j]
        solve(s, FACTOR, STEP)
        _search(drive, hs, s)
        if iteration >= SWEEP_AFTER:
            _sweep(drive, hs, s)
    return -1


@njit(cache=True, error_model="numpy")
def _factorise_jacobian(s: Array) -> bool:
    """Factorise the Jacobian unless it is the same as last time, as long as no drive changes."""
    same = True
    for j in range(columns(s)):
        same = same and s[SLOPE, j] == s[FACTORED, j]
    if same:
        return True
    for j in range(columns(s)):
        s[FACTORED, j] = s[SLOPE, j]
    if factorise(s, MASS, SLOPE, FACTOR):
        return True
    s[FACTORED, 0] = np.nan
    return False


@njit(cache=True, error_model="numpy")
def _are_finite(s: Array) -> bool:
    """Whether the motors' rates are numbers; one that floats in its gap is in no other equation."""
    for j in range(columns(s)):  # noqa: SIM110  # numba knows no generators here
        if not abs(s[MOTOR, j]) < np.inf:
            return False
    return True


@njit(cache=True, error_model="numpy")
def _sweep(drive: Array, hs: float, s: Array) -> None:
    """Solve each joint's own equation, one after the other.

    Where dry friction holds a motor firmly to its link, the function is as good as kinked: Newton's
    steps throw joints that stick from one side of their kink to the other. What is kinked depends
    on one rate alone, so that solving joint by joint finds the right side (Tseng 2001), and
    the next step of Newton's is exact.
    """
    for j in range(columns(s)):
        others = hs * s[BIAS, j] - s[MASS + j, j] * s[LINK_R, j]
        for k in range(columns(s)):
            if k != j:
                others += s[MASS + j, k] * (s[LINK, k] - s[LINK_R, k])
        low, high = -np.inf, np.inf
        for _ in range(SCALAR_ITERATIONS):
            v = s[LINK, j]
            torque, fall = _passed_on(drive, hs, s, j)
            rest = s[MASS + j, j] * v + others + hs * (drive[DRAG, j] * v - torque)
            if rest > 0.0:
                high = v
            else:
                low = v
            step = rest / (s[MASS + j, j] + hs * (drive[DRAG, j] + fall))
            if not abs(step) > 1e-15 + 1e-12 * abs(v):
                break
            s[LINK, j] = v - step if low < v - step < high else 0.5 * (low + high)
    _evaluate(drive, hs, s)


@njit(cache=True, error_model="numpy")
def _search(drive: Array, hs: float, s: Array) -> None:
    """Search along Newton's step as far as the convex function falls."""
    fall = 0.0
    for j in range(columns(s)):
        s[ORIGIN, j] = s[LINK, j]
        s[MOTOR, j] -= s[FOLLOW, j] * s[STEP, j]  # exactly there, if no drive changes
        fall += s[REST, j] * s[STEP, j]
    factor = 1.0
    for _ in range(HALVINGS_MAX):
        for j in range(columns(s)):
            s[LINK, j] = s[ORIGIN, j] - factor * s[STEP, j]
        _evaluate(drive, hs, s)
        # It falls as long as its derivative along the step has not turned positive; if it has,
        # the derivative's zero is about where its chord says.
        ahead = 0.0
        for j in range(columns(s)):
            ahead += s[REST, j] * s[STEP, j]
        if ahead >= -0.1 * fall:
            return
        factor *= max(0.1, fall / (fall - ahead))
