"""Integration of the arm by an implicit Runge-Kutta method of fourth order.

SDIRK4 of Hairer and Wanner (Solving Ordinary Differential Equations II, 1996, table IV.6.5): five
stages, gamma = 1/4, L-stable and stiffly accurate, with an embedded method of third order that
estimates the local error. Each stage is the convex problem of `stage`, as in `sdirk2`.

It is for tolerances that the second order cannot pay: between contacts its error falls with the
fourth power of the step, and at a contact the error control shortens the step. D and bias are those
of the middle of each step, which is of second order in what they change, but that is slow.

Where an acceleration jumps, as of a motor that begins to stick, no error is small enough, and
coefficients of both signs throw the motor back and forth across its rest. So the shortest steps are
taken by the implicit Euler method, which lets it stick. For the same reason a current that a stage
finds held at its limit counts as one that does not change. Rigid gaps are not this method's
business: their blows would have to be found.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import (
    CLUTCH,
    ELASTIC,
    HALF_GAP,
    HOLD,
    STIFFNESS,
    TORQUE_MAX,
    WINDING,
)
from sim.world.space_arm.kernels.dynamics import ArmArrays, Scratch, make_scratch
from sim.world.space_arm.kernels.sdirk2 import (
    COARSE,
    DONE,
    FAILED,
    FIRST_STEP_S,
    ITERATIONS,
    REFRESHED,
    REJECTED,
    SLIP,
    STEPS,
    L,
    Q,
    StepControl,
    T,
    V,
    W,
    keep_torques,
)
from sim.world.space_arm.kernels.stage import (
    COMMAND,
    DRY,
    LINK,
    LINK_R,
    MOTOR,
    MOTOR_R,
    MOTOR_TORQUE_R,
    SIDE,
    WINDUP_R,
    make_stage,
    put_masses,
    solve_stage,
)
from sim.world.space_arm.kernels.vectors import columns, table_of

Array = NDArray[np.float64]

STAGES = 5
GAMMA = 0.25
TABLEAU = np.array(
    [
        [0.0, 0.0, 0.0, 0.0],
        [1.0 / 2.0, 0.0, 0.0, 0.0],
        [17.0 / 50.0, -1.0 / 25.0, 0.0, 0.0],
        [371.0 / 1360.0, -137.0 / 2720.0, 15.0 / 544.0, 0.0],
        [25.0 / 24.0, -49.0 / 48.0, 125.0 / 16.0, -85.0 / 12.0],
    ]
)
"""The coefficients a_ij before the diagonal, which is gamma; the last row is b."""
WEIGHTS = np.array([25.0 / 24.0, -49.0 / 48.0, 125.0 / 16.0, -85.0 / 12.0, 1.0 / 4.0])
ERROR_WEIGHTS = np.array([-3.0 / 16.0, -27.0 / 32.0, 25.0 / 32.0, 0.0, 1.0 / 4.0])
"""Weights of the method less those of the embedded one of third order."""

# Rows of a step's table: rates of links and motors at the stages, and their accelerations, five
# each; accelerations at the end of the step before; where D and bias are computed.
LINKS, MOTORS, A, B = 0, 5, 10, 15
A_LAST, B_LAST, Q_MID, V_MID = 20, 21, 22, 23
# Angle and wind-up after the step.
Q_END, L_END = 24, 25
# Torques of motors with inductance at the stages, and how fast they change there.
TORQUES, C = 26, 31
STEP_ROWS = 36


class Sdirk4Work(NamedTuple):
    """Arrays that a span of time writes into."""

    step: Array  # (36, n)
    stage: Array
    scratch: Scratch


def make_span_work(joints: int) -> Sdirk4Work:
    """Make the arrays for an arm of so many joints."""
    return Sdirk4Work(table_of(STEP_ROWS, joints), make_stage(joints), make_scratch())


@njit(cache=True, error_model="numpy")
def _refresh(arm: ArmArrays, coriolis: bool, state: Array, h: float, work: Sdirk4Work) -> None:
    """Compute D and bias for the middle of a step of ``h``."""
    w = work.step
    for j in range(columns(state)):
        v, a = state[V, j], w[A_LAST, j]
        w[Q_MID, j] = state[Q, j] + 0.5 * h * (v + 0.25 * h * a)
        w[V_MID, j] = v + 0.5 * h * a if coriolis else 0.0
    put_masses(arm, w[Q_MID], w[V_MID], work.scratch, work.stage)


@njit(cache=True, error_model="numpy")
def _lead_torques(state: Array, h: float, w: Array, s: Array, stage: int) -> None:
    """Put the motors' torques at the reference of a stage into its table, from those before it."""
    for j in range(columns(w)):
        torque = state[T, j]
        for k in range(stage):
            torque += h * TABLEAU[stage, k] * w[C + k, j]
        s[MOTOR_TORQUE_R, j] = torque


@njit(cache=True, error_model="numpy")
def _try_step(
    drive: Array, control: StepControl, state: Array, h: float, w: Array, s: Array
) -> int:
    """Solve all stages of a step of ``h`` into ``w``; return iterations, or -1 for no solution."""
    hs = GAMMA * h
    total = 0
    winding = drive[WINDING, 0] > 0.0
    for i in range(STAGES):
        for j in range(columns(s)):
            v, m, windup = state[V, j], state[W, j], state[L, j]
            for k in range(i):
                part = h * TABLEAU[i, k]
                v += part * w[A + k, j]
                m += part * w[B + k, j]
                windup += part * (w[MOTORS + k, j] - w[LINKS + k, j])
            s[LINK_R, j], s[MOTOR_R, j], s[WINDUP_R, j] = v, m, windup
            s[LINK, j] = v + hs * (w[A + i - 1, j] if i else w[A_LAST, j])
            s[MOTOR, j] = m + hs * (w[B + i - 1, j] if i else w[B_LAST, j])
        if winding:
            _lead_torques(state, h, w, s, i)
        found = solve_stage(drive, hs, s, control.rate_tolerance)
        if found < 0:
            return -1
        total += found
        for j in range(columns(s)):
            w[LINKS + i, j], w[MOTORS + i, j] = s[LINK, j], s[MOTOR, j]
            w[A + i, j] = (s[LINK, j] - s[LINK_R, j]) / hs
            w[B + i, j] = (s[MOTOR, j] - s[MOTOR_R, j]) / hs
        if winding:
            keep_torques(drive, hs, s, w, TORQUES + i)
            for j in range(columns(w)):
                held = abs(w[TORQUES + i, j]) >= drive[TORQUE_MAX, j]
                w[C + i, j] = 0.0 if held else (w[TORQUES + i, j] - s[MOTOR_TORQUE_R, j]) / hs
    for j in range(columns(s)):
        w[Q_END, j] = state[Q, j]
        for k in range(STAGES):
            w[Q_END, j] += h * WEIGHTS[k] * w[LINKS + k, j]
        w[L_END, j] = s[WINDUP_R, j] + hs * (s[MOTOR, j] - s[LINK, j])
    return total


@njit(cache=True, error_model="numpy")
def _euler_step(
    drive: Array, control: StepControl, state: Array, h: float, w: Array, s: Array
) -> int:
    """Take one implicit Euler step of ``h``, with the results and return value of `_try_step`."""
    for j in range(columns(s)):
        s[LINK_R, j], s[MOTOR_R, j], s[WINDUP_R, j] = state[V, j], state[W, j], state[L, j]
        s[LINK, j] = state[V, j] + h * w[A_LAST, j]
        s[MOTOR, j] = state[W, j] + h * w[B_LAST, j]
    s[MOTOR_TORQUE_R] = state[T]
    found = solve_stage(drive, h, s, control.rate_tolerance)
    last = STAGES - 1
    if drive[WINDING, 0] > 0.0:
        keep_torques(drive, h, s, w, TORQUES + last)
    for j in range(columns(s)):
        w[LINKS + last, j], w[MOTORS + last, j] = s[LINK, j], s[MOTOR, j]
        w[A + last, j] = (s[LINK, j] - state[V, j]) / h
        w[B + last, j] = (s[MOTOR, j] - state[W, j]) / h
        w[Q_END, j] = state[Q, j] + h * s[LINK, j]
        w[L_END, j] = state[L, j] + h * (s[MOTOR, j] - s[LINK, j])
    return found


@njit(cache=True, error_model="numpy")
def _error(control: StepControl, h: float, w: Array) -> float:
    """Estimate the local error of a step in tolerances."""
    worst = 0.0
    for j in range(columns(w)):
        link = motor = speed_up = motor_up = 0.0
        for k in range(STAGES):
            link += ERROR_WEIGHTS[k] * w[LINKS + k, j]
            motor += ERROR_WEIGHTS[k] * w[MOTORS + k, j]
            speed_up += ERROR_WEIGHTS[k] * w[A + k, j]
            motor_up += ERROR_WEIGHTS[k] * w[B + k, j]
        error, rate = max(abs(link), abs(motor)), max(abs(speed_up), abs(motor_up))
        off = control.lever[j] * h * (error + control.rate_time_s * rate)
        if not off <= worst:
            worst = off
    return worst / control.tolerance_m


@njit(cache=True, error_model="numpy")
def _take(drive: Array, state: Array, w: Array) -> None:
    """Accept a step into the state; a clutch that was overloaded has slipped."""
    last = STAGES - 1
    for j in range(columns(w)):
        state[Q, j] = w[Q_END, j]
        state[V, j], state[W, j] = w[LINKS + last, j], w[MOTORS + last, j]
        w[A_LAST, j], w[B_LAST, j] = w[A + last, j], w[B + last, j]
        end = drive[HALF_GAP, j]
        if drive[HOLD, j] == ELASTIC:
            end += drive[CLUTCH, j] / drive[STIFFNESS, j]
        state[L, j] = min(max(w[L_END, j], -end), end)
        state[SLIP, j] += w[L_END, j] - state[L, j]
    if drive[WINDING, 0] > 0.0:
        state[T] = w[TORQUES + last]


@njit(cache=True, error_model="numpy")
def advance(
    arm: ArmArrays,
    drive: Array,
    control: StepControl,
    state: Array,
    command: Array,
    dry: Array,
    span_s: float,
    work: Sdirk4Work,
    count: NDArray[np.int64],
) -> int:
    """Lead a state through a span of time with constant commands; as `sdirk2.advance`.

    D and bias are computed at every step, whatever `StepControl.refresh_s` says.
    """
    t, h = 0.0, max(min(FIRST_STEP_S, span_s, control.step_max_s), min(control.step_min_s, span_s))
    coarse = False
    begun = count[STEPS] + count[REJECTED]
    w, s = work.step, work.stage
    for j in range(columns(state)):
        w[A_LAST, j] = w[B_LAST, j] = 0.0
        s[COMMAND, j], s[DRY, j], s[SIDE, j] = command[j], dry[j], 0.0
    while t < span_s:
        left = span_s - t
        if h > 0.999999 * left:
            h = left
        elif h > 0.5 * left:
            h = 0.5 * left
        shortest = h <= 1.000001 * control.step_min_s
        least = shortest or coarse
        _refresh(arm, control.coriolis, state, h, work)
        count[REFRESHED] += 1
        if shortest:
            solved = _euler_step(drive, control, state, h, w, s)
        else:
            solved = _try_step(drive, control, state, h, w, s)
        coarse = coarse or count[STEPS] + count[REJECTED] - begun >= control.steps_max
        error = np.inf if solved < 0 else 0.0 if shortest else _error(control, h, w)
        if solved < 0 and least:
            return FAILED
        if not error <= 1.0 and not least:
            count[REJECTED] += 1
            h = max(control.step_min_s, h * max(0.1, 0.85 * error**-0.25))
            continue
        count[STEPS] += 1
        count[ITERATIONS] += solved
        _take(drive, state, w)
        t += h
        h = control.step_max_s if coarse else h * min(4.0, 0.85 * max(error, 1e-9) ** -0.25)
        h = min(max(h, control.step_min_s), control.step_max_s)
    return COARSE if coarse else DONE
