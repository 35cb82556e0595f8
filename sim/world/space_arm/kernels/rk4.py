"""The classical Runge-Kutta method in fixed steps, the reference for the other methods.

Links, motors and gears are integrated as they are, with mass matrix and Coriolis torques at each of
the four evaluations. What has no derivative is decided between steps only: modes at the beginning
(`rk4_modes`); at the end what ran through rest stops (Karnopp 1985), a clutch whose slip turned
holds again, and what met a face strikes. No control of the error, no other safeguard.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import (
    CLUTCH,
    ELASTIC,
    HALF_GAP,
    HOLD,
    INERTIA,
    RIGID_GAP,
    STIFFNESS,
    TORQUE_MAX,
    WINDING,
)
from sim.world.space_arm.kernels.drive_law import torque_rate
from sim.world.space_arm.kernels.dynamics import ArmArrays, Scratch, mass_and_bias
from sim.world.space_arm.kernels.rk4_modes import (
    BENDING,
    BIAS,
    FIRM,
    LAST,
    MASS,
    PASSED,
    SLIDE,
    SLOPE,
    STUCK,
    TOTAL,
    TRIAL,
    A,
    B,
    accelerate,
    bilateral,
    correct,
    face_of,
    modes_of_state,
    solve_links,
)
from sim.world.space_arm.kernels.sdirk2 import (
    DONE,
    FAILED,
    HITS,
    SLIP,
    STATE_ROWS,
    STEPS,
    L,
    Q,
    T,
    V,
    W,
)
from sim.world.space_arm.kernels.vectors import columns

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

PASSES = 24
"""Most changes of modes at the beginning of a step, and of partners in a blow."""


@njit(cache=True, error_model="numpy")
def refresh(
    arm: ArmArrays, coriolis: bool, state: Array, first: int, s: Array, scratch: Scratch
) -> None:
    """Compute D and bias for the state that begins with row ``first`` of a table."""
    for j in range(columns(s)):
        s[BENDING, j] = state[first + V, j] if coriolis else 0.0
    mass_and_bias(arm, state[first + Q], s[BENDING], scratch, s[MASS : MASS + columns(s)], s[BIAS])


@njit(cache=True, error_model="numpy")
def _share(drive: Array, state: Array, s: Array) -> bool:
    """Apply a blow on some links, the momenta of row `A`, to the rates of all.

    Returns:
        Whether the mass matrix is positive definite; if not, nothing is changed.
    """
    if not solve_links(drive, A, s):
        return False
    for j in range(columns(s)):
        state[V, j] += s[A, j]
        if s[FIRM, j] != 0.0:
            state[W, j] = state[V, j]
    return True


@njit(cache=True, error_model="numpy")
def _stop(drive: Array, state: Array, dry: Array, s: Array) -> bool:
    """Stop motors with friction whose rate changed its sign within the step.

    A link that stops with its motor gives the others what momentum it shared with them.
    """
    links = False
    for j in range(columns(s)):
        s[A, j] = 0.0
    for j in range(columns(s)):
        if dry[j] == 0.0 or state[W, j] * s[SLIDE, j] >= 0.0:
            continue
        s[STUCK, j] = 1.0
        state[W, j] = 0.0
        if s[FIRM, j] != 0.0:
            for i in range(columns(s)):
                s[A, i] += s[MASS + i, j] * state[V, j]
            state[V, j] = 0.0
            links = True
    return not links or _share(drive, state, s)


@njit(cache=True, error_model="numpy")
def _bound_windups(drive: Array, state: Array, s: Array) -> bool:
    """Bring wind-ups back to the bounds of faces and clutches; return whether a face was met."""
    met = False
    for j in range(columns(s)):
        end = drive[HALF_GAP, j]
        if drive[HOLD, j] == ELASTIC:
            end += drive[CLUTCH, j] / drive[STIFFNESS, j]
        if abs(state[L, j]) <= end:
            continue
        bound = end if state[L, j] > 0.0 else -end
        if drive[HOLD, j] == RIGID_GAP and s[PASSED, j] == 0.0:
            met = True
        else:
            state[SLIP, j] += state[L, j] - bound
        state[L, j] = bound
    return met


@njit(cache=True, error_model="numpy")
def _partners(drive: Array, state: Array, slack: float, s: Array) -> bool:
    """Change one motor's part in a blow that the rates after it contradict; return whether one was.

    A motor takes part if it is at a face and would otherwise run on through it; a clutch passes on
    no blow. The rates after the blow are those of the links and row `A`.
    """
    worst, which = 0.0, -1
    for j in range(columns(s)):
        face = face_of(drive, state[L, j], j)
        if bilateral(drive, j) or face == 0.0 or drive[CLUTCH, j] < np.inf:
            continue
        pushed = face * (state[W, j] - state[V, j] - s[A, j])
        off = -pushed - slack if s[FIRM, j] != 0.0 else pushed - 1e-15
        if off > worst:
            worst, which = off, j
    if which < 0:
        return False
    s[FIRM, which] = 1.0 - s[FIRM, which]
    return True


@njit(cache=True, error_model="numpy")
def strike(drive: Array, state: Array, slack: float, s: Array) -> bool:
    """Apply the plastic blow of the motors that are at a face and faster than their links.

    (D + Jr of those that take part) dV = Jr (W - V) of those, whatever friction there is. Those
    that touch already are not parted by less than ``slack`` [rad/s]: without it, contacts that
    close a step too late would part each other by turns for ever.

    Returns:
        Whether the mass matrix is positive definite.
    """
    for j in range(columns(s)):
        s[STUCK, j] = 0.0
        s[A, j] = 0.0
        inseparable = bilateral(drive, j) and drive[CLUTCH, j] == np.inf
        touches = face_of(drive, state[L, j], j) != 0.0 and state[W, j] == state[V, j]
        s[FIRM, j] = 1.0 if inseparable or (touches and drive[CLUTCH, j] == np.inf) else 0.0
    for _ in range(PASSES):
        changed = _partners(drive, state, slack, s)
        for j in range(columns(s)):
            s[A, j] = s[FIRM, j] * drive[INERTIA, j] * (state[W, j] - state[V, j])
        if not changed or not solve_links(drive, A, s):
            break
    return _share(drive, state, s)


@njit(cache=True, error_model="numpy")
def _hold_again(drive: Array, state: Array, s: Array) -> bool:
    """Make motors and links equally fast where the slip of a clutch ended.

    So are those that nothing can part at all, but that a blow or the state's owner made unequal.
    """
    again = False
    for j in range(columns(s)):
        ahead = state[W, j] - state[V, j]
        touches = bilateral(drive, j) or face_of(drive, state[L, j], j) != 0.0
        s[FIRM, j] = 1.0 if touches and ahead == 0.0 else 0.0
        s[STUCK, j] = s[STUCK, j] if state[W, j] == 0.0 else 0.0
        s[A, j] = 0.0
        inseparable = bilateral(drive, j) and drive[CLUTCH, j] == np.inf
        if (inseparable and ahead != 0.0) or s[PASSED, j] * ahead < 0.0:
            if not bilateral(drive, j):
                state[L, j] = drive[HALF_GAP, j] * np.sign(s[PASSED, j])
            s[FIRM, j] = 1.0
            s[STUCK, j] = 0.0
            s[A, j] = drive[INERTIA, j] * ahead
            again = True
    return not again or _share(drive, state, s)


@njit(cache=True, error_model="numpy")
def _slack(drive: Array, state: Array, s: Array) -> float:
    """Compute the part of a blow that is due to the length of the step [rad/s].

    It is what the rates of motors that meet their faces changed by, relative to their links.
    """
    slack = 0.0
    for j in range(columns(s)):
        ahead = state[W, j] - state[V, j]
        before = s[LAST + W, j] - s[LAST + V, j]
        if face_of(drive, state[L, j], j) * ahead > 0.0:
            slack = max(slack, 2.0 * abs(ahead - before))
    return slack


@njit(cache=True, error_model="numpy")
def _settle(drive: Array, state: Array, dry: Array, s: Array, count: Counts) -> bool:
    """Apply all events between two steps; return whether all of them have a solution."""
    for j in range(columns(state)):  # what ran past the limit of current within the step
        state[T, j] = min(max(state[T, j], -drive[TORQUE_MAX, j]), drive[TORQUE_MAX, j])
    sound = _stop(drive, state, dry, s)
    if _bound_windups(drive, state, s):
        count[HITS] += 1
        sound = strike(drive, state, _slack(drive, state, s), s) and sound
    if drive[HOLD, 0] != ELASTIC:
        sound = _hold_again(drive, state, s) and sound
    return sound


@njit(cache=True, error_model="numpy")
def _add_slope(
    drive: Array, state: Array, first: int, command: Array, weight: float, s: Array
) -> None:
    """Compute the derivative of a state and add it to the weighted sum."""
    for j in range(columns(s)):
        s[SLOPE + Q, j] = state[first + V, j]
        s[SLOPE + V, j] = s[A, j]
        s[SLOPE + W, j] = s[B, j]
        s[SLOPE + L, j] = state[first + W, j] - state[first + V, j]
        s[SLOPE + T, j] = 0.0
        if drive[WINDING, j] > 0.0:
            torque, w = state[first + T, j], state[first + W, j]
            s[SLOPE + T, j] = torque_rate(drive, j, torque, w, command[j])
    for i in range(SLIP):  # all rows before it
        for j in range(columns(s)):
            s[TOTAL + i, j] += weight * s[SLOPE + i, j]


@njit(cache=True, error_model="numpy")
def _step(
    arm: ArmArrays, drive: Array, coriolis: bool, state: Array, command: Array, dry: Array,
    h: float, s: Array, scratch: Scratch,
) -> bool:  # fmt: skip
    """Take one step without its end events; return whether the mass matrices were definite."""
    modes_of_state(drive, state, dry, s)
    refresh(arm, coriolis, state, 0, s, scratch)
    for _ in range(PASSES):
        if not accelerate(drive, state, 0, command, dry, s):
            return False
        if not correct(drive, state, dry, s):
            break
    s[TOTAL : TOTAL + SLIP] = 0.0
    _add_slope(drive, state, 0, command, 1.0 / 6.0, s)
    for evaluation in range(1, 4):
        span_s = h if evaluation == 3 else 0.5 * h
        for i in range(SLIP):
            for j in range(columns(s)):
                s[TRIAL + i, j] = state[i, j] + span_s * s[SLOPE + i, j]
        refresh(arm, coriolis, s, TRIAL, s, scratch)
        if not accelerate(drive, s, TRIAL, command, dry, s):
            return False
        _add_slope(drive, s, TRIAL, command, 1.0 / 6.0 if evaluation == 3 else 1.0 / 3.0, s)
    for i in range(SLIP):
        for j in range(columns(s)):
            state[i, j] += h * s[TOTAL + i, j]
    return True


@njit(cache=True, error_model="numpy")
def finite(state: Array) -> bool:
    """Whether all numbers of a state are."""
    total = 0.0
    for i in range(STATE_ROWS):
        for j in range(columns(state)):
            total += abs(state[i, j])
    return total < np.inf


@njit(cache=True, error_model="numpy")
def advance(
    arm: ArmArrays, drive: Array, coriolis: bool, state: Array, command: Array, dry: Array,
    span_s: float, steps: int, s: Array, scratch: Scratch, count: Counts,
) -> int:  # fmt: skip
    """Lead a state through a span of time in equal steps, with constant commands.

    The result depends on the arguments alone, bit for bit.

    Args:
        coriolis: whether velocities bend the motion.
        state: rows `Q`, `V`, `W`, `L`, `T`, `SLIP` of `sdirk2`, shape (6, n); changed in place.
        command: rates that are asked for [rad/s], shape (n,).
        dry: dry friction of motors and closed brakes [N m], shape (n,).
        span_s: length of the span [s].
        steps: into how many steps it is divided.
        s: table to write into, shape (55, n).
        count: steps and blows are added here, see `sdirk2`.

    Returns:
        `DONE`, or `FAILED` with the state before the first step that gave no finite numbers.
    """
    h = span_s / steps
    s[LAST : LAST + STATE_ROWS] = state
    modes_of_state(drive, state, dry, s)
    refresh(arm, coriolis, state, 0, s, scratch)
    sound = _settle(drive, state, dry, s, count)
    for _ in range(steps):
        if sound:
            s[LAST : LAST + STATE_ROWS] = state
            sound = _step(arm, drive, coriolis, state, command, dry, h, s, scratch)
            sound = sound and _settle(drive, state, dry, s, count) and finite(state)
        if not sound:
            state[:] = s[LAST : LAST + STATE_ROWS]
            return FAILED
        count[STEPS] += 1
    return DONE
