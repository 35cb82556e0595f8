"""The arm through a span of time by an implicit Runge-Kutta method with error control.

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
from sim.world.space_arm.kernels.dynamics import ArmArrays, Scratch, make_scratch, mass_and_bias

from sim.world.space_arm.drive import ELASTIC, RIGID_GAP, DriveArrays
from sim.world.space_arm.kernels.impact import HIT_TOLERANCE_RAD, farthest_out, strike
from sim.world.space_arm.kernels.stage import StageWork, make_stage_work, solve_stage

Array = NDArray[np.float64]

GAMMA = 1.0 - 1.0 / math.sqrt(2.0)
ONWARD = (1.0 - GAMMA) / GAMMA
ERROR_CONSTANT = 0.0404
"""Of h^3 y''': |1/6 - b A c| of the method."""

Q, V, W, L, SLIP = 0, 1, 2, 3, 4
"""Rows of a state: angle and rate of the link, rate of the motor, wind-up, slip of the clutch."""
STATE_ROWS = 5

DONE, COARSE, FAILED = 0, 1, 2
"""Outcome of a span: as accurate as wanted; the work was capped; no solution, state as before."""

STEPS, REJECTED, ITERATIONS, REFRESHED, HITS = 0, 1, 2, 3, 4
"""What is counted."""
COUNTERS = 5

HIT_TRIALS = 12
FIRST_STEP_S = 1e-3


class StepControl(NamedTuple):
    """How accurate, and with how much work at most."""

    tolerance_m: float  # error of a step, brought to the gripper [m]
    rate_time_s: float  # for how long an error of a rate counts [s]
    lever: Array  # distance at which an error of a joint's angle counts [m], shape (6,)
    step_min_s: float  # a step this short is taken whatever its error [s]
    step_max_s: float  # [s]
    refresh_s: float  # D and bias are computed anew after this time at the latest [s]
    steps_max: int  # of a span, rejected ones included; then it goes on with the largest step
    coriolis: bool  # whether velocities bend the motion


class SpanWork(NamedTuple):
    """Arrays that a span of time writes into."""

    mass: Array  # (6, 6)
    bias: Array
    q_mid: Array
    v_mid: Array
    v_last: Array  # rates of the links when D was last computed
    v1: Array  # rates of links and motors and wind-ups after each stage, and references
    w1: Array
    l1: Array
    v2: Array
    w2: Array
    l2: Array
    vr: Array
    wr: Array
    lr: Array
    a: Array  # accelerations of links at 0, gamma h and h (3, 6)
    b: Array  # of motors (3, 6)
    side: Array
    stage: StageWork
    scratch: Scratch


def make_span_work() -> SpanWork:
    """New arrays for one arm."""
    vectors = [np.zeros(6) for _ in range(13)]
    return SpanWork(
        np.zeros((6, 6)), *vectors, np.zeros((3, 6)), np.zeros((3, 6)), np.zeros(6),
        make_stage_work(), make_scratch(),
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def _refresh(
    arm: ArmArrays, coriolis: bool, state: Array, ahead_s: float, age_s: float, work: SpanWork
) -> None:
    """Compute D and bias for the middle of the next ``ahead_s``.

    ``age_s`` is the time since the last ones, by which the rates are led on; 0 if unknown.
    """
    lead = 0.5 * ahead_s / age_s if age_s > 0.0 else 0.0
    for j in range(6):
        v = state[V, j]
        work.q_mid[j] = state[Q, j] + 0.5 * ahead_s * v
        work.v_mid[j] = v + lead * (v - work.v_last[j]) if coriolis else 0.0
        work.v_last[j] = v
    mass_and_bias(arm, work.q_mid, work.v_mid, work.scratch, work.mass, work.bias)


@njit(cache=True, error_model="numpy")
def _try_step(
    drive: DriveArrays, state: Array, command: Array, dry: Array, h: float, work: SpanWork
) -> int:
    """Both stages of a step of ``h``; results in ``work``. Iterations, or -1 for no solution."""
    hs = GAMMA * h
    for j in range(6):
        work.v1[j] = state[V, j] + hs * work.a[0, j]
        work.w1[j] = state[W, j]
    first = solve_stage(
        drive, work.mass, work.bias, hs, state[V], state[W], state[L], command, dry, work.side,
        work.v1, work.w1, work.stage,
    )  # fmt: skip
    if first < 0:
        return -1
    for j in range(6):
        work.l1[j] = state[L, j] + hs * (work.w1[j] - work.v1[j])
        work.vr[j] = state[V, j] + ONWARD * (work.v1[j] - state[V, j])
        work.wr[j] = state[W, j] + ONWARD * (work.w1[j] - state[W, j])
        work.lr[j] = state[L, j] + ONWARD * (work.l1[j] - state[L, j])
        work.a[1, j] = (work.v1[j] - state[V, j]) / hs
        work.b[1, j] = (work.w1[j] - state[W, j]) / hs
        work.v2[j] = work.vr[j] + hs * work.a[1, j]
        work.w2[j] = work.w1[j]
    second = solve_stage(
        drive, work.mass, work.bias, hs, work.vr, work.wr, work.lr, command, dry, work.side,
        work.v2, work.w2, work.stage,
    )  # fmt: skip
    if second < 0:
        return -1
    for j in range(6):
        work.l2[j] = work.lr[j] + hs * (work.w2[j] - work.v2[j])
        work.a[2, j] = (work.v2[j] - work.vr[j]) / hs
        work.b[2, j] = (work.w2[j] - work.wr[j]) / hs
    return first + second


@njit(cache=True, error_model="numpy", forceinline=True)
def _bend(y0: float, y1: float, y2: float) -> float:
    """h^2 times the second divided difference of values at 0, gamma h and h."""
    return abs((y2 - y1) / (1.0 - GAMMA) - (y1 - y0) / GAMMA)


@njit(cache=True, error_model="numpy")
def _error(control: StepControl, state: Array, h: float, known: bool, work: SpanWork) -> float:
    """Estimate the local error of a step in tolerances.

    Where the acceleration at its beginning is not known, that at gamma h is taken for it.
    """
    worst = 0.0
    scale = 2.0 * ERROR_CONSTANT * h
    for j in range(6):
        a0 = work.a[0, j] if known else work.a[1, j]
        b0 = work.b[0, j] if known else work.b[1, j]
        link = _bend(state[V, j], work.v1[j], work.v2[j])
        motor = _bend(state[W, j], work.w1[j], work.w2[j])
        rate = max(_bend(a0, work.a[1, j], work.a[2, j]), _bend(b0, work.b[1, j], work.b[2, j]))
        off = control.lever[j] * scale * (max(link, motor) + control.rate_time_s * rate)
        if not off <= worst:
            worst = off
    return worst / control.tolerance_m


@njit(cache=True, error_model="numpy")
def _take(drive: DriveArrays, state: Array, h: float, work: SpanWork) -> None:
    """Make the step the state's; a clutch that was asked for too much has slipped."""
    hs = GAMMA * h
    for j in range(6):
        q1 = state[Q, j] + hs * work.v1[j]
        state[Q, j] += ONWARD * (q1 - state[Q, j]) + hs * work.v2[j]
        state[V, j] = work.v2[j]
        state[W, j] = work.w2[j]
        windup = work.l2[j]
        if drive.hold == ELASTIC:
            end = drive.half_gap[j] + drive.clutch[j] / drive.stiffness[j]
        else:
            end = drive.half_gap[j]
        over = windup - min(max(windup, -end), end)
        if over != 0.0:
            state[SLIP, j] += over
            windup -= over
        state[L, j] = windup
        work.a[0, j] = work.a[2, j]
        work.b[0, j] = work.b[2, j]


@njit(cache=True, error_model="numpy")
def touching_sides(drive: DriveArrays, state: Array, side: Array) -> None:
    """Which faces of rigid gaps touch; there a wind-up is brought onto the face exactly."""
    for j in range(6):
        side[j] = 0.0
        if abs(state[L, j]) >= drive.half_gap[j] - HIT_TOLERANCE_RAD:
            side[j] = 1.0 if state[L, j] > 0.0 else -1.0
            state[L, j] = side[j] * drive.half_gap[j]


@njit(cache=True, error_model="numpy")
def _find_hit(
    drive: DriveArrays, state: Array, command: Array, dry: Array, h: float, work: SpanWork,
    count: NDArray[np.int64],
) -> tuple[int, float]:  # fmt: skip
    """Shorten a step that went through a face so that it ends there.

    Returns:
        The joint that hits, or -1, and the length of the step whose results are in ``work`` [s].
    """
    hit, excess = farthest_out(drive, work.l2, work.side)
    if excess <= HIT_TOLERANCE_RAD:
        return -1, h
    high, high_out = h, excess
    low = 0.0
    low_out = farthest_out(drive, state[L], work.side)[1]
    for trial in range(HIT_TRIALS):
        # The chord, or the middle when the chord creeps up from one side.
        share = low_out / (low_out - high_out) if trial % 3 != 2 else 0.5
        h = low + min(max(share, 0.01), 0.99) * (high - low)
        if _try_step(drive, state, command, dry, h, work) < 0:
            return -1, h
        count[REJECTED] += 1
        hit, excess = farthest_out(drive, work.l2, work.side)
        if abs(excess) <= HIT_TOLERANCE_RAD:
            break
        if excess > 0.0:
            high, high_out = h, excess
        else:
            low, low_out = h, excess
    if excess < -HIT_TOLERANCE_RAD:
        return -1, h
    return hit, h


@njit(cache=True, error_model="numpy")
def advance(
    arm: ArmArrays,
    drive: DriveArrays,
    control: StepControl,
    state: Array,
    command: Array,
    dry: Array,
    span_s: float,
    work: SpanWork,
    count: NDArray[np.int64],
) -> int:
    """Lead a state through a span of time with constant commands.

    The result depends on the arguments alone, bit for bit; nothing is remembered from span to span.

    Args:
        arm: the arm with its payload.
        drive: its drives.
        control: accuracy and work.
        state: rows `Q`, `V`, `W`, `L`, `SLIP`, shape (5, 6); changed in place.
        command: rates that are asked for [rad/s], shape (6,).
        dry: dry friction of motors and closed brakes [N m], shape (6,).
        span_s: length of the span [s].
        work: arrays to write into; ``work.stage.torque`` are the gears' torques at the end.
        count: what is counted is added here, shape (5,).

    Returns:
        `DONE`, `COARSE` or `FAILED`.
    """
    t, h = 0.0, min(FIRST_STEP_S, span_s, control.step_max_s)
    h = max(h, min(control.step_min_s, span_s))
    valid_until, refreshed_at = -1.0, -1.0
    known, coarse = False, False
    begun = count[STEPS] + count[REJECTED]
    for j in range(6):
        work.a[0, j] = 0.0
        work.b[0, j] = 0.0
    while t < span_s:
        left = span_s - t
        if h > 0.999999 * left:
            h = left
        elif h > 0.5 * left:
            h = 0.5 * left
        if t + h > valid_until + 1e-12:
            ahead = min(max(h, control.refresh_s), left)
            age = t - refreshed_at if refreshed_at >= 0.0 else 0.0
            _refresh(arm, control.coriolis, state, ahead, age, work)
            refreshed_at, valid_until = t, t + ahead
            count[REFRESHED] += 1
        if drive.hold == RIGID_GAP:
            touching_sides(drive, state, work.side)
        least = h <= 1.000001 * control.step_min_s or coarse
        solved = _try_step(drive, state, command, dry, h, work)
        coarse = coarse or count[STEPS] + count[REJECTED] - begun >= control.steps_max
        error = np.inf if solved < 0 else _error(control, state, h, known, work)
        if solved < 0 and least:
            return FAILED
        if not error <= 1.0 and not least:
            count[REJECTED] += 1
            h = max(control.step_min_s, h * max(0.2, 0.85 * error ** (-1.0 / 3.0)))
            continue
        count[STEPS] += 1
        count[ITERATIONS] += solved
        if drive.hold == RIGID_GAP:
            hit, h_hit = _find_hit(drive, state, command, dry, h, work, count)
            _take(drive, state, h_hit, work)
            t, known = t + h_hit, hit < 0
            if hit >= 0:
                touching_sides(drive, state, work.side)
                strike(drive, work.mass, state[V], state[W], work.side, work.v1, work.stage)
                count[HITS] += 1
        else:
            _take(drive, state, h, work)
            t, known = t + h, True
        if coarse:
            h = control.step_max_s
        else:
            h = min(control.step_max_s, h * min(2.5, 0.85 * max(error, 1e-9) ** (-1.0 / 3.0)))
            h = max(h, control.step_min_s)
    return COARSE if coarse else DONE
