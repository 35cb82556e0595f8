"""Compiled parts of the governor: judge a row, let it pass, continue with accelerations, or brake.

Tables are those of `platform6dof.cueing.margins.MarginTables`; rows and state are described in
`platform6dof.cueing.governor_state`.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.cueing.governor_ends import too_fast
from platform6dof.cueing.governor_state import (
    FIRST,
    KNOWN,
    LENGTH,
    MOVE,
    OFF,
    OFF_BEFORE,
    Q,
    V,
    commit,
    remember,
)
from platform6dof.cueing.governor_stop import (
    BAD_LIMIT,
    BAD_VALUE,
    GOOD,
    NEAREST,
    NEAREST_LIMIT,
    NEAREST_VALUE,
    SMALLEST,
    check_along,
    is_far,
    pose_margins,
    pose_of,
    stop_distance,
    stop_ratio,
)
from platform6dof.kernels.legs import leg_rows, leg_state, solve
from platform6dof.kernels.rotation import setpoint_of_coordinates

Array = NDArray[np.float64]

NOT_FINITE = 58
"""Number for a value that is not finite; see `platform6dof.cueing.margins.QUANTITIES`."""
TOGETHER = 0.02
"""Share of the movement that one cycle's acceleration makes: a nearer requested motion is followed
again, and the legs' acceleration changes by this share for a cycle."""


@njit(cache=True, error_model="numpy")
def _nearest(findings: Array, number: int, margin: float, value: float, limit: float) -> None:
    if margin < findings[SMALLEST]:
        findings[SMALLEST], findings[NEAREST] = margin, number
        findings[NEAREST_VALUE], findings[NEAREST_LIMIT] = value, limit


@njit(cache=True, error_model="numpy")
def judge(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, rows: Array, findings: Array,
) -> int:  # fmt: skip
    """Judge whether a row may follow the state: all limits, the gate's own rules, and the stop.

    Args:
        buffers: least margins of the pose's quantities, shape (40,).
        shares: of speed, of acceleration, and the buffer at a leg's end [m], shape (3,).
        findings: gets lengths, movements, the smallest margin and the violation, shape (18,).

    Returns:
        GOOD, or the number of the quantity that forbids the row.
    """
    dt = numbers[0]
    packed, out = np.empty(24), np.empty((3, 6))
    findings[SMALLEST], findings[NEAREST] = np.inf, GOOD
    if not setpoint_of_coordinates(rows, packed):
        return NOT_FINITE
    leg_state(table, packed, out)
    bad = GOOD
    for i in range(6):
        move = out[0, i] - state[LENGTH + i]
        change = move - state[MOVE + i]
        findings[i], findings[6 + i] = out[0, i], move
        _leg_margins(i, legs[i], out[:, i], findings)
        # The first row of a stream must be at the pose in which the platform is held.
        jump = numbers[5] if state[FIRST] == 1.0 else np.inf
        if bad == GOOD:
            bad = _judge_leg(i, legs[i], shares, dt, out[:, i], move, change, jump, findings)
    if not math.isfinite(findings[SMALLEST]):
        return NOT_FINITE
    if bad == GOOD:
        bad = _stop_ends(legs, shares[2], numbers, findings)
    found = leg_rows(table, packed[:3], packed[3:12].reshape(3, 3))
    margins = np.empty(40)
    pose_margins(joints, pose, numbers[3], packed, found, rows[0], margins)
    for j in range(40):
        value = pose[j, 1] + pose[j, 0] * margins[j]
        _nearest(findings, 18 + j, margins[j] / pose[j, 2], value, pose[j, 1])
        if bad == GOOD and not margins[j] >= buffers[j]:
            bad, findings[BAD_VALUE], findings[BAD_LIMIT] = 18 + j, value, pose[j, 1]
    if bad != GOOD:
        return bad
    distance = stop_distance(stop_ratio(findings[6:12], legs))
    if distance == 0.0:
        return GOOD
    delta = (rows[0] - state[Q : Q + 6]) * distance
    if is_far(delta, findings[:6], numbers, margins, buffers):
        return GOOD
    travel = findings[6:12] * distance
    return check_along(
        table, joints, pose, buffers, numbers, rows[0], delta, findings[:6], travel, findings
    )


@njit(cache=True, error_model="numpy")
def _leg_margins(leg: int, limits: Array, row: Array, findings: Array) -> None:
    """Update the smallest margin with those of a leg's length, speed and acceleration."""
    length, speed, acceleration = row[0], row[1], row[2]
    low, high, fast, hard = limits[0], limits[1], limits[2], limits[3]
    half = 0.5 * (high - low)
    nearer = low if length - low < high - length else high
    _nearest(findings, leg, min(length - low, high - length) / half, length, nearer)
    _nearest(findings, 6 + leg, 1.0 - abs(speed) / fast, speed, math.copysign(fast, speed))
    _nearest(
        findings, 12 + leg, 1.0 - abs(acceleration) / hard, acceleration,
        math.copysign(hard, acceleration),
    )  # fmt: skip


@njit(cache=True, error_model="numpy")
def _judge_leg(
    leg: int, limits: Array, shares: Array, dt: float, row: Array, move: float, change: float,
    jump: float, findings: Array,
) -> int:  # fmt: skip
    """Judge whether length, speed, acceleration and movement of a leg are within its limits.

    Args:
        limits: ends, speed and acceleration of the leg, shape (4,).
        row: its length, speed and acceleration, shape (3,).
        move: of this cycle [m].
        change: of `move` since the last cycle [m].
        jump: largest permitted `change`, apart from the limit by acceleration [m].

    Returns:
        GOOD, or the number of the quantity that is beyond its limit.
    """
    length, speed, acceleration = row[0], row[1], row[2]
    low, high, fast, hard = limits[0], limits[1], limits[2], limits[3]
    quick, sharp = shares[0] * fast, shares[1] * hard
    if not low <= length <= high:
        findings[BAD_VALUE] = length
        findings[BAD_LIMIT] = low if length - low < high - length else high
        return leg
    if not (abs(move) <= quick * dt and abs(speed) <= quick):
        findings[BAD_VALUE] = move / dt if abs(move) > abs(speed) * dt else speed
        findings[BAD_LIMIT] = math.copysign(fast, findings[BAD_VALUE])
        return 6 + leg
    if not (
        abs(change) <= min(jump, sharp * dt * dt)
        and abs(acceleration) <= sharp
        and abs(speed - move / dt) <= sharp * dt
    ):
        value = change / (dt * dt)
        findings[BAD_VALUE] = value if abs(value) > abs(acceleration) else acceleration
        findings[BAD_LIMIT] = math.copysign(hard, findings[BAD_VALUE])
        return 12 + leg
    return GOOD


@njit(cache=True, error_model="numpy")
def _stop_ends(legs: Array, buffer: float, numbers: Array, findings: Array) -> int:
    """Whether a stop of all legs with one factor ends inside the ends less the gate's margin."""
    distance = stop_distance(stop_ratio(findings[6:12], legs))
    for i in range(6):
        move = findings[6 + i]
        end = findings[i] + move * distance
        kept = numbers[1] + numbers[2] * abs(move) + buffer
        if not legs[i, 0] + kept <= end <= legs[i, 1] - kept:
            findings[BAD_VALUE] = end
            findings[BAD_LIMIT] = (
                legs[i, 1] if end > 0.5 * (legs[i, 0] + legs[i, 1]) else legs[i, 0]
            )
            return i
    return GOOD


@njit(cache=True, error_model="numpy")
def pass_through(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, rows: Array, findings: Array,
) -> tuple[bool, int]:  # fmt: skip
    """Pass a requested row if no limit is near and the governed motion equals the requested one.

    An end of the box is near if it is approached faster than gently.

    Args:
        buffers: as in the tables, shape (2, 40).
        shares: as in the tables, shape (2, 3).

    Returns:
        Whether it passed, and the number of the quantity that forbids it, or GOOD.
    """
    bad = judge(table, joints, legs, pose, buffers[0], shares[0], numbers, state, rows, findings)
    if bad != GOOD:
        return False, bad
    bad = too_fast(pose, buffers[0], numbers, state[Q : Q + 6], rows[0])
    if bad != GOOD:
        return False, bad
    least = legs[0, 3]
    for i in range(1, 6):
        least = min(least, legs[i, 3])
    near = TOGETHER * least * numbers[0] * numbers[0]
    if state[KNOWN] == 0.0 or state[OFF] > near or state[OFF_BEFORE] > near:
        return False, GOOD
    commit(state, rows, findings, numbers[0])
    remember(state, rows, numbers)
    return True, GOOD


@njit(cache=True, error_model="numpy")
def advance(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, wanted: Array, acceleration: Array, rows: Array, findings: Array,
) -> int:  # fmt: skip
    """Advance with accelerations of the coordinates if the resulting row is permitted.

    Args:
        acceleration: of the coordinates, shape (6,).
        rows: gets the governed row, shape (3, 6).

    Returns:
        GOOD, or the number of the quantity that forbids it; nothing has changed then.
    """
    dt = numbers[0]
    for j in range(6):
        speed = state[V + j] + dt * acceleration[j]
        rows[0, j] = state[Q + j] + dt * speed
        rows[1, j] = speed + 0.5 * dt * acceleration[j]
        rows[2, j] = acceleration[j]
    bad = judge(table, joints, legs, pose, buffers[1], shares[1], numbers, state, rows, findings)
    if bad == GOOD:
        commit(state, rows, findings, dt)
        remember(state, wanted, numbers)
    return bad


@njit(cache=True, error_model="numpy")
def brake(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, wanted: Array, finite: bool, rows: Array, findings: Array,
) -> int:  # fmt: skip
    """Brake all six legs with one factor along their path, as the gate would.

    Args:
        wanted: the requested row; ignored unless it is finite.
        rows: gets the governed row, shape (3, 6).

    Returns:
        GOOD, or the number of a limit that even braking exceeds.
    """
    dt = numbers[0]
    ratio = stop_ratio(state[MOVE : MOVE + 6], legs)
    for j in range(6):
        rows[0, j], rows[1, j], rows[2, j] = state[Q + j], 0.0, 0.0
    if ratio > 1.0:
        share = 1.0 - 1.0 / ratio
        packed, jac, target = np.empty(24), np.empty((6, 6)), np.empty(6)
        for i in range(6):
            target[i] = state[LENGTH + i] + share * state[MOVE + i]
            rows[0, i] += share * dt * state[V + i]
        pose_of(table, target, rows[0], packed, jac)
        right, out = np.empty((6, 1)), np.empty((3, 6))
        for i in range(6):
            right[i, 0] = share * state[MOVE + i] / dt
        if solve(jac.copy(), right):
            for j in range(6):
                rows[1, j] = right[j, 0]
        setpoint_of_coordinates(rows, packed)
        leg_state(table, packed, out)
        for i in range(6):
            right[i, 0] = (share - 1.0) * state[MOVE + i] / (dt * dt) - out[2, i]
        if solve(jac, right):
            for j in range(6):
                rows[2, j] = right[j, 0]
    bad = judge(table, joints, legs, pose, buffers[1], shares[1], numbers, state, rows, findings)
    if bad == NOT_FINITE:  # no pose was found: rather stand where it is than go nowhere
        for j in range(6):
            rows[0, j], rows[1, j], rows[2, j] = state[Q + j], 0.0, 0.0
        bad = judge(
            table, joints, legs, pose, buffers[1], shares[1], numbers, state, rows, findings
        )
    commit(state, rows, findings, dt)
    if finite:
        remember(state, wanted, numbers)
    else:
        state[KNOWN] = 0.0
    return bad
