"""Integration of the arm by an implicit Runge-Kutta method with error control.

SDIRK2 (Alexander 1977): gamma = 1 - 1/sqrt 2, L-stable and stiffly accurate, so that neither the
stiff speed loops nor the contacts of gears bound the step. Its second stage is a first one from
another reference, y + (1 - gamma)/gamma (Y1 - y). Each stage is convex (`stage`), so it has exactly
one solution, whatever regimes the drives pass through.

The local error is estimated from how the accelerations at 0, gamma h and h bend; at a contact, a
limit or the end of sticking they bend sharply, so the steps become small there by themselves.
"""

import math
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.world.space_arm.drive import (
    CLUTCH,
    ELASTIC,
    HALF_GAP,
    HOLD,
    RIGID_GAP,
    STIFFNESS,
    WINDING,
)
from sim.world.space_arm.kernels.drive_law import torque_after
from sim.world.space_arm.kernels.dynamics import ArmArrays, Scratch, make_scratch
from sim.world.space_arm.kernels.impact import HIT_TOLERANCE_RAD, farthest_out, strike
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

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
ONWARD = (1.0 - GAMMA) / GAMMA
EARLY, LATE = 1.0 / GAMMA, 1.0 / (1.0 - GAMMA)
ERROR_CONSTANT = 0.0404
"""Coefficient of h^3 y''': |1/6 - b A c| of the method."""

Q, V, W, L, T, SLIP = 0, 1, 2, 3, 4, 5
"""Rows of a state: angle and rate of the link, rate of the motor, wind-up, torque of the motor's
current with inductance (0 without), slip of the clutch."""
STATE_ROWS = 6

DONE, COARSE, FAILED = 0, 1, 2
"""Outcome of a span: as accurate as wanted; the work was capped; no solution, state as before."""

STEPS, REJECTED, ITERATIONS, REFRESHED, HITS = 0, 1, 2, 3, 4
"""Rows of the counts."""
COUNTERS = 5

HIT_TRIALS = 12
HELD_STEPS = 4.0
"""Most steps for which D and bias are held."""
FIRST_STEP_S = 1e-4

# Rows of a step's table: rates and wind-ups after each stage,
V1, W1, L1, V2, W2, L2 = 0, 1, 2, 3, 4, 5
# accelerations of links and motors at 0, gamma h and h,
A0, A1, A2, B0, B1, B2 = 6, 7, 8, 9, 10, 11
# where D is computed, and the rates when it last was.
Q_MID, V_MID, V_LAST = 12, 13, 14
# Torques of motors with inductance after each stage.
T1, T2 = 15, 16
STEP_ROWS = 17


class StepControl(NamedTuple):
    """Accuracy, and the most work."""

    tolerance_m: float  # error of a step, brought to the gripper [m]
    rate_time_s: float  # for how long an error of a rate counts [s]
    lever: Array  # distance at which an error of a joint's angle counts [m], shape (n,)
    step_min_s: float  # a step this short is taken whatever its error [s]
    step_max_s: float  # [s]
    refresh_s: float  # D and bias are recomputed after this time at the latest [s]
    steps_max: int  # of a span, rejected ones included; then it goes on with the largest step
    coriolis: bool  # whether velocities bend the motion
    rate_tolerance: float  # error that a stage may leave of a rate [rad/s]


class Sdirk2Work(NamedTuple):
    """Arrays that a span of time writes into."""

    step: Array  # (17, n)
    stage: Array
    scratch: Scratch


def make_span_work(joints: int) -> Sdirk2Work:
    """Make the arrays for an arm of so many joints."""
    return Sdirk2Work(table_of(STEP_ROWS, joints), make_stage(joints), make_scratch())


@njit(cache=True, error_model="numpy")
def _refresh(
    arm: ArmArrays, coriolis: bool, state: Array, ahead_s: float, age_s: float, work: Sdirk2Work
) -> None:
    """Compute D and bias for the middle of the next ``ahead_s``.

    ``age_s`` is the time since the last ones. If it was about as long, the rates are led on by half
    their change; from a short one no long one ahead can be predicted.
    """
    w, s = work.step, work.stage
    lead = 0.5 * ahead_s / age_s if age_s > 0.4 * ahead_s else 0.0
    for j in range(columns(state)):
        v = state[V, j]
        w[Q_MID, j] = state[Q, j] + 0.5 * ahead_s * v
        w[V_MID, j] = v + lead * (v - w[V_LAST, j]) if coriolis else 0.0
        w[V_LAST, j] = v
    put_masses(arm, w[Q_MID], w[V_MID], work.scratch, s)


@njit(cache=True, error_model="numpy")
def keep_torques(drive: Array, hs: float, s: Array, out: Array, row: int) -> None:
    """Put the torques of motors with inductance at the end of a solved stage into a table's row."""
    for j in range(columns(out)):
        out[row, j] = torque_after(drive, j, hs, s[MOTOR_TORQUE_R, j], s[MOTOR, j], s[COMMAND, j])[
            0
        ]


@njit(cache=True, error_model="numpy")
def _try_step(
    drive: Array, control: StepControl, state: Array, h: float, w: Array, s: Array
) -> int:
    """Solve both stages of a step of ``h`` into ``w``; return iterations, or -1 for no solution."""
    hs = GAMMA * h
    per_s = 1.0 / hs
    winding = drive[WINDING, 0] > 0.0
    if winding:
        s[MOTOR_TORQUE_R] = state[T]
    for j in range(columns(s)):
        s[LINK_R, j], s[MOTOR_R, j], s[WINDUP_R, j] = state[V, j], state[W, j], state[L, j]
        s[LINK, j] = state[V, j] + hs * w[A0, j]
        s[MOTOR, j] = state[W, j] + hs * w[B0, j]
    first = solve_stage(drive, hs, s, control.rate_tolerance)
    if first < 0:
        return -1
    if winding:
        keep_torques(drive, hs, s, w, T1)
        for j in range(columns(w)):
            s[MOTOR_TORQUE_R, j] = state[T, j] + ONWARD * (w[T1, j] - state[T, j])
    for j in range(columns(s)):
        w[V1, j], w[W1, j] = s[LINK, j], s[MOTOR, j]
        w[L1, j] = state[L, j] + hs * (w[W1, j] - w[V1, j])
        w[A1, j] = (w[V1, j] - state[V, j]) * per_s
        w[B1, j] = (w[W1, j] - state[W, j]) * per_s
        s[LINK_R, j] = state[V, j] + ONWARD * (w[V1, j] - state[V, j])
        s[MOTOR_R, j] = state[W, j] + ONWARD * (w[W1, j] - state[W, j])
        s[WINDUP_R, j] = state[L, j] + ONWARD * (w[L1, j] - state[L, j])
        s[LINK, j] = s[LINK_R, j] + hs * w[A1, j]
        s[MOTOR, j] = s[MOTOR_R, j] + hs * w[B1, j]
    second = solve_stage(drive, hs, s, control.rate_tolerance)
    if second < 0:
        return -1
    if winding:
        keep_torques(drive, hs, s, w, T2)
    for j in range(columns(s)):
        w[V2, j], w[W2, j] = s[LINK, j], s[MOTOR, j]
        w[L2, j] = s[WINDUP_R, j] + hs * (w[W2, j] - w[V2, j])
        w[A2, j] = (w[V2, j] - s[LINK_R, j]) * per_s
        w[B2, j] = (w[W2, j] - s[MOTOR_R, j]) * per_s
    return first + second


@njit(cache=True, error_model="numpy", forceinline=True)
def _bend(y0: float, y1: float, y2: float) -> float:
    """Compute h^2 times the second divided difference of values at 0, gamma h and h."""
    return abs(LATE * (y2 - y1) - EARLY * (y1 - y0))


@njit(cache=True, error_model="numpy")
def _error(control: StepControl, state: Array, h: float, known: bool, w: Array) -> float:
    """Estimate the local error of a step in tolerances.

    Where the acceleration at its beginning is not known, that at gamma h is taken for it.
    """
    worst = 0.0
    scale = 2.0 * ERROR_CONSTANT * h
    for j in range(columns(w)):
        a0 = w[A0, j] if known else w[A1, j]
        b0 = w[B0, j] if known else w[B1, j]
        bend = max(_bend(state[V, j], w[V1, j], w[V2, j]), _bend(state[W, j], w[W1, j], w[W2, j]))
        rate = max(_bend(a0, w[A1, j], w[A2, j]), _bend(b0, w[B1, j], w[B2, j]))
        off = control.lever[j] * scale * (bend + control.rate_time_s * rate)
        if not off <= worst:
            worst = off
    return worst / control.tolerance_m


@njit(cache=True, error_model="numpy")
def _take(drive: Array, state: Array, h: float, w: Array) -> None:
    """Accept a step into the state; a clutch that was overloaded has slipped."""
    hs = GAMMA * h
    for j in range(columns(w)):
        state[Q, j] += ONWARD * hs * w[V1, j] + hs * w[V2, j]
        state[V, j], state[W, j] = w[V2, j], w[W2, j]
        end = drive[HALF_GAP, j]
        if drive[HOLD, j] == ELASTIC:
            end += drive[CLUTCH, j] / drive[STIFFNESS, j]
        state[L, j] = min(max(w[L2, j], -end), end)
        state[SLIP, j] += w[L2, j] - state[L, j]
        w[A0, j], w[B0, j] = w[A2, j], w[B2, j]
    if drive[WINDING, 0] > 0.0:
        state[T] = w[T2]


@njit(cache=True, error_model="numpy")
def mark_face_contacts(drive: Array, state: Array, s: Array) -> None:
    """Mark which faces of rigid gaps touch; there a wind-up is brought onto the face exactly."""
    for j in range(columns(s)):
        s[SIDE, j] = 0.0
        if abs(state[L, j]) >= drive[HALF_GAP, j] - HIT_TOLERANCE_RAD:
            s[SIDE, j] = 1.0 if state[L, j] > 0.0 else -1.0
            state[L, j] = s[SIDE, j] * drive[HALF_GAP, j]


@njit(cache=True, error_model="numpy")
def _find_hit(
    drive: Array,
    control: StepControl,
    state: Array,
    h: float,
    w: Array,
    s: Array,
    count: NDArray[np.int64],
) -> tuple[int, float]:
    """Shorten a step that went through a face so that it ends there.

    Returns:
        The joint that hits, or -1, and the length of the step whose results are in ``w`` [s].
    """
    hit, excess = farthest_out(drive, w, L2, s)
    if excess <= HIT_TOLERANCE_RAD:
        return -1, h
    low, high = 0.0, h
    for _ in range(HIT_TRIALS):
        # Newton's step: how far out the motor is at the end falls by its speed there.
        outward = 1.0 if w[L2, hit] > 0.0 else -1.0
        h -= excess / (outward * (w[W2, hit] - w[V2, hit]))
        if not low < h < high:
            h = 0.5 * (low + high)
        if _try_step(drive, control, state, h, w, s) < 0:
            return -1, h
        count[REJECTED] += 1
        hit, excess = farthest_out(drive, w, L2, s)
        if abs(excess) <= HIT_TOLERANCE_RAD:
            break
        if excess > 0.0:
            high = h
        else:
            low = h
    if excess < -HIT_TOLERANCE_RAD:
        return -1, h
    return hit, h


@njit(cache=True, error_model="numpy")
def _blow(drive: Array, state: Array, s: Array) -> None:
    """Apply the blow of the motors that have just met a face to their links."""
    mark_face_contacts(drive, state, s)
    for j in range(columns(s)):
        s[LINK_R, j], s[MOTOR_R, j] = state[V, j], state[W, j]
    strike(drive, s)
    for j in range(columns(s)):
        state[V, j], state[W, j] = s[LINK, j], s[MOTOR, j]


@njit(cache=True, error_model="numpy")
def _end_step(
    drive: Array, control: StepControl, state: Array, h: float, w: Array, s: Array,
    count: NDArray[np.int64],
) -> tuple[float, bool]:  # fmt: skip
    """Accept a step that was solved, up to the first blow in it.

    Returns:
        The time that has passed [s], and whether rates are what the step has left them.
    """
    if drive[HOLD, 0] != RIGID_GAP:
        _take(drive, state, h, w)
        return h, True
    hit, h_hit = _find_hit(drive, control, state, h, w, s, count)
    _take(drive, state, h_hit, w)
    if hit >= 0:
        _blow(drive, state, s)
        count[HITS] += 1
    return h_hit, hit < 0


@njit(cache=True, error_model="numpy")
def _share_rest(h: float, left_s: float) -> float:
    """Return the length of a step [s]; the last two of a span are equally long."""
    if h > 0.999999 * left_s:
        return left_s
    return 0.5 * left_s if h > 0.5 * left_s else h


@njit(cache=True, error_model="numpy")
def _next_step(h: float, error: float, coarse: bool, control: StepControl) -> float:
    """Return the length of the step that follows one of this length and error [s]."""
    if coarse:
        return control.step_max_s
    h = min(control.step_max_s, h * min(2.5, 0.85 * max(error, 1e-9) ** (-1.0 / 3.0)))
    return max(h, control.step_min_s)


@njit(cache=True, error_model="numpy")
def advance(
    arm: ArmArrays, drive: Array, control: StepControl, state: Array, command: Array, dry: Array,
    span_s: float, work: Sdirk2Work, count: NDArray[np.int64],
) -> int:  # fmt: skip
    """Lead a state through a span of time with constant commands.

    The result depends on the arguments alone, bit for bit; nothing is remembered from span to span.

    Args:
        control: accuracy and work.
        state: rows `Q`, `V`, `W`, `L`, `T`, `SLIP`, shape (6, n); changed in place.
        command: rates that are asked for [rad/s], shape (n,).
        dry: dry friction of motors and closed brakes [N m], shape (n,).
        span_s: length of the span [s].
        work: arrays to write into.
        count: what is counted is added here, shape (5,).

    Returns:
        `DONE`, `COARSE` or `FAILED`.
    """
    t, h = 0.0, min(FIRST_STEP_S, span_s, control.step_max_s)
    h = max(h, min(control.step_min_s, span_s))
    valid_until, refreshed_at = -1.0, -1.0
    known, coarse = False, False
    begun = count[STEPS] + count[REJECTED]
    w, s = work.step, work.stage
    w[A0], w[B0], s[COMMAND], s[DRY], s[SIDE] = 0.0, 0.0, command, dry, 0.0
    while t < span_s:
        left = span_s - t
        h = _share_rest(h, left)
        if t + h > valid_until + 1e-12:
            # Short steps mean that rates are changing, and with them what depends on them.
            ahead = min(max(h, min(control.refresh_s, HELD_STEPS * h)), left)
            age = t - refreshed_at if refreshed_at >= 0.0 else 0.0
            _refresh(arm, control.coriolis, state, ahead, age, work)
            refreshed_at, valid_until = t, t + ahead
            count[REFRESHED] += 1
        if drive[HOLD, 0] == RIGID_GAP:
            mark_face_contacts(drive, state, s)
        least = h <= 1.000001 * control.step_min_s or coarse
        solved = _try_step(drive, control, state, h, w, s)
        coarse = coarse or count[STEPS] + count[REJECTED] - begun >= control.steps_max
        error = np.inf if solved < 0 else _error(control, state, h, known, w)
        if solved < 0 and least:
            return FAILED
        if not error <= 1.0 and not least:
            count[REJECTED] += 1
            h = max(control.step_min_s, h * max(0.2, 0.85 * error ** (-1.0 / 3.0)))
            continue
        count[STEPS] += 1
        count[ITERATIONS] += solved
        passed_s, known = _end_step(drive, control, state, h, w, s, count)
        t = t + passed_s
        if not known:
            refreshed_at = -1.0  # rates have jumped: there is nothing to lead them on by
        h = _next_step(h, error, coarse, control)
    return COARSE if coarse else DONE
