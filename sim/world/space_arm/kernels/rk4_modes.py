"""Modes of joints between RK4's steps: moving together, sticking, slipping clutches.

A joint's mode holds for a whole step. It begins as the state has it: equally fast at a face means
together, at rest means stuck. Then, as long as the accelerations contradict a mode (friction or
clutch overcharged, a face that pulls, ends of a gear that would run through each other), the one
that is contradicted most is changed.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import (
    CLUTCH,
    DRAG,
    ELASTIC,
    HALF_GAP,
    HOLD,
    INERTIA,
    RIGID_GAP,
    TORQUE_MAX,
    WINDING,
)
from sim.world.space_arm.kernels.drive_law import gear_torque, motor_torque
from sim.world.space_arm.kernels.linear import factorise, solve
from sim.world.space_arm.kernels.sdirk2 import L, T, V, W
from sim.world.space_arm.kernels.vectors import columns

Array = NDArray[np.float64]

ROUNDING_NM = 1e-10
"""Excess of a torque over its limit that is taken for rounding [N m]."""
NOTHING, STICK, SLIDE_ON, ENGAGE, PART, SLIP_ON = 0, 1, 2, 3, 4, 5
"""Changes that a joint's mode may need."""

# Rows of a step's table `s`: D, D without joints that are held, its factor,
MASS, WHOLE, FACTOR = 0, 8, 16
# bias, what drives add to the diagonal of D, torque of the motor less friction,
BIAS, DIAGONAL, DRIVING = 24, 25, 26
# torque through a gear whose ends move apart, and the mode: direction in which dry friction is
# overcome (1, -1 or 0), whether motor and link go together, whether friction holds the motor,
PASSED, SLIDE, FIRM, STUCK = 27, 28, 29, 30
# accelerations of links and motors, rates that bend the motion,
A, B, BENDING = 31, 32, 33
# rows Q, V, W, L, T of a state within the step, of its derivative, and of their weighted sum,
TRIAL, SLOPE, TOTAL = 34, 39, 44
# and the state before the step.
LAST = 49
ROWS = 55


@njit(cache=True, error_model="numpy", forceinline=True)
def bilateral(drive: Array, j: int) -> bool:
    """Whether motor ``j`` holds its link firmly in both directions."""
    return drive[HOLD, j] != RIGID_GAP or drive[HALF_GAP, j] == 0.0


@njit(cache=True, error_model="numpy", forceinline=True)
def face_of(drive: Array, windup: float, j: int) -> float:
    """Find the face of a rigid gap that touches: 1, -1, or 0 for none."""
    if abs(windup) < drive[HALF_GAP, j]:
        return 0.0
    return 1.0 if windup > 0.0 else -1.0


@njit(cache=True, error_model="numpy")
def modes_of_state(drive: Array, state: Array, dry: Array, s: Array) -> None:
    """Set the modes of joints, together, stuck or slipping, as far as the state alone decides.

    Args:
        state: angles, rates and wind-ups, see `sdirk2`.
        dry: dry friction of motors and closed brakes [N m], shape (n,).
        s: the step's table.
    """
    for j in range(columns(s)):
        ahead = state[W, j] - state[V, j]
        resting = state[W, j] == 0.0
        s[STUCK, j] = 1.0 if resting and dry[j] > 0.0 else 0.0
        s[SLIDE, j] = np.sign(state[W, j])
        s[PASSED, j] = 0.0
        s[FIRM, j] = 0.0
        if drive[HOLD, j] == ELASTIC:
            continue
        face = face_of(drive, state[L, j], j)
        if bilateral(drive, j) or face != 0.0:
            s[FIRM, j] = 1.0 if ahead == 0.0 else 0.0
            if drive[CLUTCH, j] < np.inf and (bilateral(drive, j) or face * ahead > 0.0):
                s[PASSED, j] = np.sign(ahead) * drive[CLUTCH, j]


@njit(cache=True, error_model="numpy", forceinline=True)
def _held(s: Array, j: int) -> bool:
    """Whether friction holds the link itself."""
    return s[FIRM, j] != 0.0 and s[STUCK, j] != 0.0


@njit(cache=True, error_model="numpy")
def solve_free(right: int, s: Array) -> bool:
    """Solve (D + row `DIAGONAL` on its diagonal) x = row ``right``, in place.

    Links that are held have x = 0.

    Returns:
        Whether the matrix is positive definite.
    """
    held = False
    for j in range(columns(s)):
        if _held(s, j):
            held = True
            s[right, j] = 0.0
    matrix = MASS
    if held:
        matrix = WHOLE
        for i in range(columns(s)):
            for k in range(columns(s)):
                left_out = _held(s, i) or _held(s, k)
                s[WHOLE + i, k] = (1.0 if i == k else 0.0) if left_out else s[MASS + i, k]
    if not factorise(s, matrix, DIAGONAL, FACTOR):
        return False
    solve(s, FACTOR, right)
    return True


@njit(cache=True, error_model="numpy")
def solve_links(drive: Array, right: int, s: Array) -> bool:
    """Solve as `solve_free`, with the inertia of those motors that move with their links."""
    for j in range(columns(s)):
        s[DIAGONAL, j] = drive[INERTIA, j] * s[FIRM, j]
    return solve_free(right, s)


@njit(cache=True, error_model="numpy")
def accelerate(
    drive: Array, state: Array, first: int, command: Array, dry: Array, s: Array
) -> bool:
    """Compute the rows `A` and `B`, the accelerations in the present modes.

    Args:
        state: table with rows as those of a state.
        first: which of its rows is the first of these.
        command: rates that are asked for [rad/s], shape (n,).
        dry: dry friction [N m], shape (n,).
        s: the step's table; holds D, bias and modes.

    Returns:
        Whether the mass matrix is positive definite.
    """
    for j in range(columns(s)):
        v, w = state[first + V, j], state[first + W, j]
        if drive[WINDING, j] > 0.0:  # within a step it may run past its limit
            torque = min(max(state[first + T, j], -drive[TORQUE_MAX, j]), drive[TORQUE_MAX, j])
        else:
            torque, _ = motor_torque(drive, j, w, command[j])
        s[DRIVING, j] = torque if s[STUCK, j] != 0.0 else torque - s[SLIDE, j] * dry[j]
        through = s[DRIVING, j]
        if s[FIRM, j] == 0.0:
            if drive[HOLD, j] == ELASTIC:
                s[PASSED, j], _ = gear_torque(drive, j, state[first + L, j], w - v, 0.0)
            through = s[PASSED, j]
            s[B, j] = (s[DRIVING, j] - through) / drive[INERTIA, j] * (1.0 - s[STUCK, j])
        s[A, j] = through - s[BIAS, j] - drive[DRAG, j] * v
    if not solve_links(drive, A, s):
        return False
    for j in range(columns(s)):
        if s[FIRM, j] != 0.0:
            s[B, j] = s[A, j]
    return True


@njit(cache=True, error_model="numpy")
def _through(drive: Array, state: Array, j: int, s: Array) -> float:
    """Compute the torque through gear ``j`` that the accelerations of the links require [N m]."""
    if s[FIRM, j] == 0.0:
        return s[PASSED, j]
    through = s[BIAS, j] + drive[DRAG, j] * state[V, j]
    for k in range(columns(s)):
        through += s[MASS + j, k] * s[A, k]
    return through


@njit(cache=True, error_model="numpy")
def _wrong(drive: Array, state: Array, dry: Array, j: int, s: Array) -> tuple[int, float]:
    """Find how joint ``j`` contradicts its mode, and by how much torque [N m]."""
    face = face_of(drive, state[L, j], j)
    through = _through(drive, state, j, s)
    change, excess = NOTHING, ROUNDING_NM
    if s[FIRM, j] != 0.0:
        over = abs(through) - drive[CLUTCH, j]
        if over > excess:
            change, excess = SLIP_ON, over
        if not bilateral(drive, j) and -face * through > excess:
            change, excess = PART, -face * through
    elif (
        drive[HOLD, j] != ELASTIC
        and state[W, j] == state[V, j]
        and (bilateral(drive, j) or face != 0.0)
    ):
        # It was let go in this step: in the direction in which motor and link go apart?
        direction = np.sign(through) if through != 0.0 else -face
        back = drive[INERTIA, j] * direction * (s[A, j] - s[B, j])
        if back > excess:
            change, excess = ENGAGE, back
    if s[STUCK, j] != 0.0:
        over = abs(s[DRIVING, j] - through) - dry[j]
        if over > excess:
            change, excess = SLIDE_ON, over
    elif dry[j] > 0.0 and state[W, j] == 0.0:
        back = -s[SLIDE, j] * s[B, j] * drive[INERTIA, j]
        if back > excess:
            change, excess = STICK, back
    return change, excess


@njit(cache=True, error_model="numpy")
def correct(drive: Array, state: Array, dry: Array, s: Array) -> bool:
    """Change the mode that the accelerations contradict most.

    Args:
        state: the state at the step's beginning.
        dry: dry friction [N m], shape (n,).
        s: the step's table, as `accelerate` left it.

    Returns:
        Whether there was one.
    """
    j, change, worst = -1, NOTHING, 0.0
    for i in range(columns(s)):
        kind, excess = _wrong(drive, state, dry, i, s)
        if kind != NOTHING and excess > worst:
            j, change, worst = i, kind, excess
    if change == NOTHING:
        return False
    through = _through(drive, state, j, s)
    if change == SLIDE_ON:
        s[SLIDE, j] = np.sign(s[DRIVING, j] - through)
        s[STUCK, j] = 0.0
    elif change == STICK:
        s[SLIDE, j] = 0.0
        s[STUCK, j] = 1.0
    elif change == ENGAGE:
        s[FIRM, j] = 1.0
    else:
        s[PASSED, j] = np.sign(through) * drive[CLUTCH, j] if change == SLIP_ON else 0.0
        s[FIRM, j] = 0.0
    return True
