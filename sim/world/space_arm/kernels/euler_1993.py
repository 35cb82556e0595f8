"""The scheme of 1993: implicit Euler without iterations, one linear solution for a step.

In given regimes of all drives (`regimes`) the equations of a step of length h are linear in the
rates V, W at its end (Belousov 1993, equations 2-7). With tau_m = alpha - beta W and, at a face,
tau_e = E (L + h (W - V) - eps) + c (W - V), the motors are eliminated, W = s'' V + s', and what
is left is an equation for each V. If a limit of current, voltage or gap is crossed within the step,
the state is set to where the first of them is met, by linear interpolation; that regime is
switched, and the rest of the step is solved again. D is computed once for many steps.

Three things are not in the original: damping c of the mesh, bounded at the onset of a contact, and
drag of the bearings, because these drives have them (0 gives the original's equations), and dry
friction as one more regime. How the original was kept from switching for ever is not known; here
a step is taken as it is after `SWITCHES_MAX` of them.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import (
    DAMPING,
    DRAG,
    ELASTIC,
    HALF_GAP,
    HOLD,
    INERTIA,
    RIGID_GAP,
    STIFFNESS,
)
from sim.world.space_arm.kernels.drive_law import ONSET
from sim.world.space_arm.kernels.dynamics import ArmArrays, Scratch
from sim.world.space_arm.kernels.regimes import line_of, lower_bound, regime_of, share_to
from sim.world.space_arm.kernels.rk4 import finite, refresh, strike
from sim.world.space_arm.kernels.rk4_modes import (
    BIAS,
    DIAGONAL,
    FIRM,
    LAST,
    MASS,
    SLIDE,
    STUCK,
    face_of,
    solve_free,
)
from sim.world.space_arm.kernels.rk4_modes import ROWS as MODE_ROWS
from sim.world.space_arm.kernels.sdirk2 import (
    DONE,
    FAILED,
    HITS,
    REJECTED,
    STATE_ROWS,
    STEPS,
    L,
    Q,
    V,
    W,
)
from sim.world.space_arm.kernels.vectors import columns

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

SWITCHES_MAX = 24
"""Most switches of regimes in a step; after them it is taken as it is."""
ROUNDING = 1e-12
"""Greatest crossing that is taken for rounding [rad/s, rad; N m: a thousand times]."""

# Rows of the table besides those of `rk4_modes`: rates of links and motors, wind-ups and torques
# through the gears at the end of a step, friction that a motor at rest needs,
V_END, W_END, L_END, THROUGH, FRICTION = (MODE_ROWS + row for row in range(5))
# the torques at its beginning, the regime of the motor, the face that touches (or 0),
THROUGH_0, FRICTION_0, REGIME, TOUCH = (MODE_ROWS + row for row in range(5, 9))
# s', s'', stiffness times h plus damping of a gear that is engaged,
S1, S2, RIGIDITY = (MODE_ROWS + row for row in range(9, 12))
# whether the onset of a contact bounds its torque.
STEEP = MODE_ROWS + 12
ROWS = MODE_ROWS + 13

NOWHERE, MOTOR, GAP, REST, BOUND = 0, 1, 2, 3, 4
"""Kinds of crossing: none, a limit of a motor, one of a gap, rest or the end of sticking, the bound
of a contact's torque at its onset."""


@njit(cache=True, error_model="numpy", forceinline=True)
def _bilateral(drive: Array, j: int) -> bool:
    """Whether the gear has no gap."""
    return drive[HALF_GAP, j] == 0.0


@njit(cache=True, error_model="numpy", forceinline=True)
def _engaging_torque(drive: Array, j: int, side: float, windup: float, ahead: float) -> float:
    """Compute the torque with which an elastic face is engaged [N m]; below 0 if it is not.

    Both the spring and, with the damping of the mesh, the whole torque have to push.
    """
    spring = drive[STIFFNESS, j] * (side * windup - drive[HALF_GAP, j])
    return min(spring, spring + drive[DAMPING, j] * side * ahead)


@njit(cache=True, error_model="numpy", forceinline=True)
def _onset(drive: Array, j: int, side: float, windup: float, ahead: float) -> float:
    """Compute the torque of the damping beyond the bound of a contact's onset [N m]."""
    if _bilateral(drive, j) or side == 0.0:
        return -np.inf
    spring = drive[STIFFNESS, j] * (side * windup - drive[HALF_GAP, j])
    return drive[DAMPING, j] * side * ahead - (ONSET - 1.0) * spring


@njit(cache=True, error_model="numpy")
def _set_regimes(drive: Array, state: Array, command: Array, dry: Array, s: Array) -> None:
    """Set the regimes from the state; the torques before it are not known."""
    for j in range(columns(s)):
        v, w, windup = state[V, j], state[W, j], state[L, j]
        s[REGIME, j] = regime_of(drive, j, command[j], w)
        s[STUCK, j] = 1.0 if dry[j] > 0.0 and w == 0.0 else 0.0
        s[SLIDE, j] = np.sign(w)
        s[THROUGH_0, j] = np.nan
        s[FRICTION_0, j] = np.nan
        if drive[HOLD, j] == ELASTIC:
            side = 1.0 if windup > 0.0 else -1.0
            engaged = _bilateral(drive, j) or _engaging_torque(drive, j, side, windup, w - v) > 0.0
            s[TOUCH, j] = side if engaged else 0.0
            s[STEEP, j] = 1.0 if _onset(drive, j, side, windup, w - v) > 0.0 else 0.0
        else:
            side = face_of(drive, windup, j)
            engaged = _bilateral(drive, j) or (side != 0.0 and w == v)
            s[TOUCH, j] = (side if side != 0.0 else 1.0) if engaged else 0.0


@njit(cache=True, error_model="numpy")
def _eliminate_motor(
    drive: Array, state: Array, command: Array, dry: Array, j: int, h: float, s: Array
) -> None:
    """Enter joint ``j`` into the equations of the links: its diagonal and its right-hand side."""
    alpha, beta = line_of(drive, j, command[j], int(s[REGIME, j]))
    alpha -= s[SLIDE, j] * dry[j]
    inertia, w, windup = drive[INERTIA, j], state[W, j], state[L, j]
    touches = s[TOUCH, j] != 0.0
    s[FIRM, j] = 1.0 if touches and drive[HOLD, j] != ELASTIC else 0.0
    s[DIAGONAL, j] = h * drive[DRAG, j]
    s[V_END, j] -= h * s[BIAS, j]
    if s[FIRM, j] != 0.0:
        s[DIAGONAL, j] += inertia + h * beta
        s[V_END, j] += inertia * w + h * alpha
        s[S2, j], s[S1, j] = 1.0, 0.0
        return
    rigidity, spring = 0.0, 0.0
    if touches:
        steep = s[STEEP, j] != 0.0
        stiffness = drive[STIFFNESS, j] * (ONSET if steep else 1.0)
        rigidity = h * stiffness + (0.0 if steep else drive[DAMPING, j])
        spring = stiffness * (windup - s[TOUCH, j] * drive[HALF_GAP, j])
    den = inertia + h * beta + h * rigidity
    s[S2, j] = h * rigidity / den
    s[S1, j] = (inertia * w + h * (alpha - spring)) / den
    if s[STUCK, j] != 0.0:
        s[S2, j], s[S1, j] = 0.0, 0.0
    s[RIGIDITY, j] = rigidity
    s[DIAGONAL, j] += h * rigidity * (1.0 - s[S2, j])
    s[V_END, j] += h * (spring + rigidity * s[S1, j])


@njit(cache=True, error_model="numpy")
def _solve(drive: Array, state: Array, command: Array, dry: Array, h: float, s: Array) -> bool:
    """Solve one linear step in the present regimes, into the rows of the end.

    Returns:
        Whether the matrix is positive definite.
    """
    for i in range(columns(s)):
        momentum = 0.0
        for k in range(columns(s)):
            momentum += s[MASS + i, k] * state[V, k]
        s[V_END, i] = momentum
        _eliminate_motor(drive, state, command, dry, i, h, s)
    for i in range(columns(s)):
        # A link that is held ends with the rate 0: it takes no part in the others' equations.
        if s[FIRM, i] != 0.0 and s[STUCK, i] != 0.0:
            s[DIAGONAL, i] = 0.0
    if not solve_free(V_END, s):
        return False
    for i in range(columns(s)):
        v, w = s[V_END, i], s[S2, i] * s[V_END, i] + s[S1, i]
        s[W_END, i] = w
        s[L_END, i] = state[L, i] + h * (w - v)
        s[THROUGH, i] = s[BIAS, i] + drive[DRAG, i] * v
        for k in range(columns(s)):
            s[THROUGH, i] += s[MASS + i, k] * (s[V_END, k] - state[V, k]) / h
        alpha, beta = line_of(drive, i, command[i], int(s[REGIME, i]))
        s[FRICTION, i] = alpha - beta * w - s[THROUGH, i]
    return True


@njit(cache=True, error_model="numpy")
def _motor_share(state: Array, drive: Array, command: Array, j: int, s: Array) -> float:
    """Part of the step after which motor ``j`` leaves its regime; 2 if it does not."""
    low = lower_bound(drive, j, command[j], int(s[REGIME, j]))
    high = lower_bound(drive, j, command[j], int(s[REGIME, j]) + 1)
    if s[W_END, j] < low - ROUNDING:
        return share_to(state[W, j], s[W_END, j], low)
    if s[W_END, j] > high + ROUNDING:
        return share_to(state[W, j], s[W_END, j], high)
    return 2.0


@njit(cache=True, error_model="numpy")
def _gap_share(drive: Array, state: Array, j: int, s: Array) -> float:
    """Part of the step after which gear ``j`` leaves its face or meets one; 2 if it does not."""
    if _bilateral(drive, j):
        return 2.0
    touch = s[TOUCH, j]
    side = touch if touch != 0.0 else (1.0 if s[L_END, j] > 0.0 else -1.0)
    if drive[HOLD, j] == ELASTIC:
        after = _engaging_torque(drive, j, side, s[L_END, j], s[W_END, j] - s[V_END, j])
        before = _engaging_torque(drive, j, side, state[L, j], state[W, j] - state[V, j])
        crossed = after < -1e3 * ROUNDING if touch != 0.0 else after > 1e3 * ROUNDING
        return share_to(before, after, 0.0) if crossed else 2.0
    if touch == 0.0:
        face = side * drive[HALF_GAP, j]
        out = side * (s[L_END, j] - face) > ROUNDING
        return share_to(state[L, j], s[L_END, j], face) if out else 2.0
    if side * s[THROUGH, j] >= -1e3 * ROUNDING:
        return 2.0
    known = side * s[THROUGH_0, j] > 0.0
    return share_to(s[THROUGH_0, j], s[THROUGH, j], 0.0) if known else 0.0


@njit(cache=True, error_model="numpy")
def _onset_share(drive: Array, state: Array, j: int, s: Array) -> float:
    """Part of the step after which an elastic contact's torque crosses its bound; 2 if none."""
    side = s[TOUCH, j]
    if drive[HOLD, j] != ELASTIC or side == 0.0 or _bilateral(drive, j):
        return 2.0
    after = _onset(drive, j, side, s[L_END, j], s[W_END, j] - s[V_END, j])
    if after < -1e3 * ROUNDING if s[STEEP, j] != 0.0 else after > 1e3 * ROUNDING:
        before = _onset(drive, j, side, state[L, j], state[W, j] - state[V, j])
        return share_to(before, after, 0.0)
    return 2.0


@njit(cache=True, error_model="numpy")
def _rest_share(state: Array, dry: Array, j: int, s: Array) -> float:
    """Part of the step after which motor ``j`` with friction stops or starts; 2 if it does not."""
    if dry[j] == 0.0:
        return 2.0
    if s[STUCK, j] == 0.0:
        turned = s[W_END, j] * s[SLIDE, j] < 0.0
        return share_to(state[W, j], s[W_END, j], 0.0) if turned else 2.0
    if abs(s[FRICTION, j]) <= dry[j] + 1e3 * ROUNDING:
        return 2.0
    known = abs(s[FRICTION_0, j]) < dry[j]
    return share_to(abs(s[FRICTION_0, j]), abs(s[FRICTION, j]), dry[j]) if known else 0.0


@njit(cache=True, error_model="numpy")
def _first_crossing(
    drive: Array, state: Array, command: Array, dry: Array, s: Array
) -> tuple[float, int, int]:
    """Find the first crossing: the part of the step before it, the joint, and the kind."""
    first, joint, kind = 1.5, -1, NOWHERE
    for j in range(columns(s)):
        motor = _motor_share(state, drive, command, j, s)
        gap = _gap_share(drive, state, j, s)
        rest = _rest_share(state, dry, j, s)
        if motor < first:
            first, joint, kind = motor, j, MOTOR
        if gap < first:
            first, joint, kind = gap, j, GAP
        onset = _onset_share(drive, state, j, s)
        if rest < first:
            first, joint, kind = rest, j, REST
        if onset < first:
            first, joint, kind = onset, j, BOUND
    return min(first, 1.0), joint, kind


@njit(cache=True, error_model="numpy")
def _go(state: Array, h: float, share: float, s: Array) -> None:
    """Advance by a part of a solved step; to its end if ``share`` is 1."""
    for j in range(columns(s)):
        state[Q, j] += share * h * s[V_END, j]
        for row, end in ((V, V_END), (W, W_END), (L, L_END)):
            whole = s[end, j] - state[row, j]
            state[row, j] = s[end, j] if share == 1.0 else state[row, j] + share * whole
        if share > 0.0:
            for row, end in ((THROUGH_0, THROUGH), (FRICTION_0, FRICTION)):
                whole = s[end, j] - s[row, j]
                s[row, j] = s[end, j] if share == 1.0 else s[row, j] + share * whole


@njit(cache=True, error_model="numpy")
def _switch(drive: Array, state: Array, j: int, kind: int, s: Array, count: Counts) -> bool:
    """Switch the regime of joint ``j`` at the limit that it has met.

    Returns:
        Whether a blow, if there was one, has a solution.
    """
    if kind == MOTOR:
        s[REGIME, j] += 1.0 if s[W_END, j] > state[W, j] else -1.0
    elif kind == BOUND:
        s[STEEP, j] = 1.0 - s[STEEP, j]
    elif kind == REST and s[STUCK, j] != 0.0:
        s[SLIDE, j] = np.sign(s[FRICTION, j])
        s[STUCK, j] = 0.0
    elif kind == REST:
        state[W, j] = 0.0
        if s[FIRM, j] != 0.0:
            state[V, j] = 0.0
        s[SLIDE, j] = 0.0
        s[STUCK, j] = 1.0
        s[FRICTION_0, j] = np.nan
    elif s[TOUCH, j] != 0.0:
        s[TOUCH, j] = 0.0
    else:
        s[TOUCH, j] = 1.0 if s[L_END, j] > 0.0 else -1.0
        ahead = state[W, j] - state[V, j]
        s[STEEP, j] = 1.0 if _onset(drive, j, s[TOUCH, j], state[L, j], ahead) > 0.0 else 0.0
        if drive[HOLD, j] == RIGID_GAP:
            state[L, j] = s[TOUCH, j] * drive[HALF_GAP, j]
            count[HITS] += 1
            return _meet(drive, state, s)
    return True


@njit(cache=True, error_model="numpy")
def _meet(drive: Array, state: Array, s: Array) -> bool:
    """Apply the plastic blow at rigid faces; joints that are equally fast after it touch."""
    sound = strike(drive, state, 0.0, s)
    for j in range(columns(s)):
        s[THROUGH_0, j] = np.nan
        s[FRICTION_0, j] = np.nan
        if not _bilateral(drive, j):
            equal = state[W, j] == state[V, j]
            s[TOUCH, j] = face_of(drive, state[L, j], j) if equal else 0.0
        if state[W, j] != 0.0:
            s[STUCK, j] = 0.0
            s[SLIDE, j] = np.sign(state[W, j])
    return sound


@njit(cache=True, error_model="numpy")
def _step(
    drive: Array, state: Array, command: Array, dry: Array, h: float, s: Array, count: Counts
) -> bool:
    """Take one step with its switches of regimes; return whether all matrices were definite."""
    left = h
    for _ in range(SWITCHES_MAX):
        if not _solve(drive, state, command, dry, left, s):
            return False
        share, joint, kind = _first_crossing(drive, state, command, dry, s)
        _go(state, left, share, s)
        if joint < 0:
            return True
        left *= 1.0 - share
        count[REJECTED] += 1
        if not _switch(drive, state, joint, kind, s, count):
            return False
        if left <= 1e-9 * h:
            return True
    if not _solve(drive, state, command, dry, left, s):
        return False
    _go(state, left, 1.0, s)
    if drive[HOLD, 0] == RIGID_GAP:
        for j in range(columns(s)):
            state[L, j] = min(max(state[L, j], -drive[HALF_GAP, j]), drive[HALF_GAP, j])
        count[HITS] += 1
        if not _meet(drive, state, s):
            return False
    _set_regimes(drive, state, command, dry, s)
    return True


@njit(cache=True, error_model="numpy")
def advance(
    arm: ArmArrays, drive: Array, coriolis: bool, state: Array, command: Array, dry: Array,
    span_s: float, steps: int, steps_of_mass: int, s: Array, scratch: Scratch, count: Counts,
) -> int:  # fmt: skip
    """Lead a state through a span of time in equal steps, with constant commands.

    The result depends on the arguments alone, bit for bit.

    Args:
        coriolis: whether velocities bend the motion; if so, as at each computation of D.
        state: rows `Q`, `V`, `W`, `L`, `T`, `SLIP` of `sdirk2`, shape (6, n); changed in place.
        command: rates that are asked for [rad/s], shape (n,).
        dry: dry friction of motors and closed brakes [N m], shape (n,).
        span_s: length of the span [s].
        steps: into how many steps it is divided.
        steps_of_mass: for how many steps D is kept.
        s: table to write into, shape (64, n).
        count: steps, switches (as `REJECTED`) and blows are added here, see `sdirk2`.

    Returns:
        `DONE`, or `FAILED` with the state before the first step that gave no finite numbers.
    """
    for j in range(columns(s)):
        if drive[HOLD, j] == RIGID_GAP and abs(state[L, j]) > drive[HALF_GAP, j]:
            state[L, j] = np.sign(state[L, j]) * drive[HALF_GAP, j]
    _set_regimes(drive, state, command, dry, s)
    for step in range(steps):
        s[LAST : LAST + STATE_ROWS] = state
        if step % steps_of_mass == 0:
            refresh(arm, coriolis, state, 0, s, scratch)
        sound = _step(drive, state, command, dry, span_s / steps, s, count)
        if not (sound and finite(state)):
            state[:] = s[LAST : LAST + STATE_ROWS]
            return FAILED
        count[STEPS] += 1
    return DONE
