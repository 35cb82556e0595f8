"""Compiled parts of the governor: judge a row, write the program of a cycle, brake on the legs.

A row is wanted or governed coordinates and their first and second derivatives, shape (3, 6). The
tables are those of `platform6dof.cueing.margins.MarginTables`. A governor's state is one array:
coordinates, their change over the last cycle by its time, lengths, their movement in the last
cycle, then of what was wanted: coordinates, change over the last cycle by its time, rates; how many
rows of that are known, how far the governed ones were from them in this cycle and the last; and 1
before the first row.
"""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

from platform6dof.kernels.envelope import measures
from platform6dof.kernels.legs import leg_rows, leg_state, solve
from platform6dof.kernels.rotation import setpoint_of_coordinates

Array = NDArray[np.float64]
Int = NDArray[np.int64]

Q, V, LENGTH, MOVE, WANTED, WANTED_V, WANTED_DQ, KNOWN, OFF, OFF_BEFORE, FIRST = (
    0, 6, 12, 18, 24, 30, 36, 42, 43, 44, 45
)  # fmt: skip
STATE_SIZE = 46

# What a judgement writes: lengths, movements, the smallest normalised margin with the number of its
# quantity, value and limit; then of what is wrong: value and limit.
SMALLEST, NEAREST, NEAREST_VALUE, NEAREST_LIMIT, BAD_VALUE, BAD_LIMIT = 12, 13, 14, 15, 16, 17
TOLD_SIZE = 18

GOOD, NOT_FINITE = -1, 58
LEG_ROWS, NEAR_ROWS = 6, 10
ROWS = LEG_ROWS + NEAR_ROWS
UNKNOWNS = 7
"""Six accelerations of the coordinates and a slack of what the pose keeps."""
FREE = 1e30
"""A bound that is none, as the solver has it."""

KNOTS_MAX, KNOT_M = 12, 0.012
"""Places at which a stop's path is looked at, and about how far they are apart."""
NEWTON_STEPS, NEWTON_M = 12, 1e-13
RECOVERY_PER_S = 20.0
"""How fast a margin that is below its buffer is to come back to it."""
OMEGA_RAD_S = 25.0
"""Of the critically damped way back to the wanted motion."""
PULL_MAX = 3.0
"""Greatest pull to the wanted motion, in accelerations of the legs."""
HARDNESS = 0.8
"""Share of the legs' accelerations with which a near margin is counted on to be kept."""
FAR_M, FAR_M_S, FAR_M_S2 = 10.0, 100.0, 1000.0
"""What is wanted beyond these counts as these."""
STEADY_M_S = 0.02
"""A wanted row whose rates differ by more from its own movement does not continue the last one."""
TOGETHER = 0.02
"""The wanted motion is taken up when it is nearer than this share of what one cycle's acceleration
moves: the legs' acceleration changes by this share for a cycle."""


@njit(cache=True, error_model="numpy")
def _way(ratio: float) -> float:
    """Way of a whole stop in movements of the last cycle, as the gate has it."""
    k = math.floor(ratio)
    return k - k * (k + 1.0) / (2.0 * ratio)


@njit(cache=True, error_model="numpy")
def _ratio(way: float) -> float:
    """Ratio of the stop that has this way; its inverse, at least 1."""
    if not way > 0.0:
        return 1.0
    k = math.floor(2.0 * way + 1.0)
    return max(1.0, k * (k + 1.0) / (2.0 * (k - way)))


@njit(cache=True, error_model="numpy")
def _stop_ratio(move: Array, legs: Array) -> float:
    ratio = 1.0
    for i in range(6):
        ratio = max(ratio, abs(move[i]) / legs[i, 4])
    return ratio


@njit(cache=True, error_model="numpy")
def _place(table: Array, q: Array, packed: Array, lengths: Array, jac: Array) -> Array:
    """Write packed pose, lengths and their derivatives by the coordinates; return the leg rows."""
    rows = np.zeros((3, 6))
    for j in range(6):
        rows[0, j] = q[j]
    setpoint_of_coordinates(rows, packed)
    found = leg_rows(table, packed[:3], packed[3:12].reshape(3, 3))
    # The axes of the three turns: z, Rz y and Rz Ry x, the first column of the rotation.
    cos_beta = math.hypot(packed[3], packed[6])
    e2x, e2y = -packed[6] / cos_beta, packed[3] / cos_beta
    for i in range(6):
        row = found[1 + i]
        lengths[i] = found[0, i]
        for k in range(3):
            jac[i, k] = row[k]
        jac[i, 3] = row[5]
        jac[i, 4] = row[3] * e2x + row[4] * e2y
        jac[i, 5] = row[3] * packed[3] + row[4] * packed[6] + row[5] * packed[9]
    return found


@njit(cache=True, error_model="numpy")
def _margins(
    joints: Array, pose: Array, scale: float, packed: Array, found: Array, q: Array, out: Array
) -> None:
    """Write the margins of a pose's 40 quantities."""
    values = measures(
        joints[0], joints[1], joints[2], joints[3], scale,
        packed.reshape(1, 24), found.reshape(1, 7, 6), np.inf,
    )  # fmt: skip
    for j in range(28):
        out[j] = pose[j, 0] * (values[0, j] - pose[j, 1])
    for j in range(6):
        out[28 + j] = q[j] - pose[28 + j, 1]
        out[34 + j] = pose[34 + j, 1] - q[j]


@njit(cache=True, error_model="numpy")
def _pose_of(
    table: Array, target: Array, q: Array, packed: Array, jac: Array
) -> tuple[bool, Array]:
    """Move coordinates to where the legs have these lengths (Newton); whether that is known."""
    lengths, right = np.empty(6), np.empty((6, 1))
    found, worst = _place(table, q, packed, lengths, jac), 0.0
    for _ in range(NEWTON_STEPS):
        worst = 0.0
        for i in range(6):
            right[i, 0] = target[i] - lengths[i]
            worst = max(worst, abs(right[i, 0]))
        if worst <= NEWTON_M:
            return True, found
        if not math.isfinite(worst) or not solve(jac.copy(), right):
            return False, found
        step = 0.0
        for j in range(6):
            q[j] += right[j, 0]
            step = max(step, abs(right[j, 0]))
        if step > 0.3:
            return False, found
        found = _place(table, q, packed, lengths, jac)
    return worst <= 1e-9, found


@njit(cache=True, error_model="numpy")
def _far(delta: Array, lengths: Array, numbers: Array, margins: Array, buffers: Array) -> bool:
    """Whether no margin can fall to its buffer on a way, twice which is bounded from above.

    A joint moves by no more than the platform's shift and its turn at the furthest joint; a leg's
    direction turns by that over its length; two legs come nearer by no more than twice it; and a
    singular value changes by no more than the matrix does in its Frobenius norm (Weyl).
    """
    shift = 2.0 * math.sqrt(delta[0] ** 2 + delta[1] ** 2 + delta[2] ** 2)
    turn = 2.0 * (abs(delta[3]) + abs(delta[4]) + abs(delta[5]))
    scale, reach = numbers[3], numbers[4]
    joint = shift + turn * reach
    short = lengths[0]
    for i in range(1, 6):
        short = min(short, lengths[i])
    if joint > 0.25 * short:
        return False
    lean = joint / (short - joint)
    by_turn = reach / scale * (lean + turn)
    change = math.sqrt(6.0 * (lean * lean + by_turn * by_turn))
    for j in range(40):
        most = lean
        if j >= 28:
            most = 2.0 * abs(delta[(j - 28) % 6])
        elif j == 27:
            most = change
        elif j >= 12:
            most = 2.0 * joint
        elif j >= 6:
            most = lean + turn
        if not margins[j] - most >= buffers[j]:
            return False
    return True


@njit(cache=True, error_model="numpy")
def _stop_path(
    table: Array, joints: Array, pose: Array, buffers: Array, numbers: Array,
    q: Array, delta: Array, lengths: Array, travel: Array, told: Array,
) -> int:  # fmt: skip
    """Look along a stop; return the number of what it would pass, or GOOD."""
    packed, jac, margins = np.empty(24), np.empty((6, 6)), np.empty(40)
    here, target = q.copy(), np.empty(6)
    size = math.sqrt(delta[0] ** 2 + delta[1] ** 2 + delta[2] ** 2)
    size += numbers[3] * (abs(delta[3]) + abs(delta[4]) + abs(delta[5]))
    knots = 1 + min(KNOTS_MAX - 1, int(size / KNOT_M))
    for k in range(1, knots + 1):
        for i in range(6):
            target[i] = lengths[i] + travel[i] * k / knots
            here[i] += delta[i] / knots
        known, found = _pose_of(table, target, here, packed, jac)
        if not known:
            told[BAD_VALUE], told[BAD_LIMIT] = 0.0, 0.0
            return 45
        _margins(joints, pose, numbers[3], packed, found, here, margins)
        for j in range(40):
            if not margins[j] >= buffers[j]:
                told[BAD_VALUE] = pose[j, 1] + pose[j, 0] * margins[j]
                told[BAD_LIMIT] = pose[j, 1]
                return 18 + j
    return GOOD


@njit(cache=True, error_model="numpy")
def _nearest(told: Array, number: int, margin: float, value: float, limit: float) -> None:
    if margin < told[SMALLEST]:
        told[SMALLEST], told[NEAREST] = margin, number
        told[NEAREST_VALUE], told[NEAREST_LIMIT] = value, limit


@njit(cache=True, error_model="numpy")
def judge(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, rows: Array, told: Array,
) -> int:  # fmt: skip
    """Whether a row may follow the state: all limits, the gate's own rules, and room for a stop.

    Args:
        buffers: least margins of the pose's quantities, shape (40,).
        shares: of speed, of acceleration, and the buffer at a leg's end [m], shape (3,).
        told: takes lengths, movements, the smallest margin and what is wrong, shape (18,).

    Returns:
        GOOD, or the number of a quantity that forbids it.
    """
    dt = numbers[0]
    packed, out = np.empty(24), np.empty((3, 6))
    told[SMALLEST], told[NEAREST] = np.inf, GOOD
    if not setpoint_of_coordinates(rows, packed):
        return NOT_FINITE
    leg_state(table, packed, out)
    bad = GOOD
    for i in range(6):
        length, speed, acceleration = out[0, i], out[1, i], out[2, i]
        move = length - state[LENGTH + i]
        change = move - state[MOVE + i]
        told[i], told[6 + i] = length, move
        low, high, fast, hard = legs[i, 0], legs[i, 1], legs[i, 2], legs[i, 3]
        half = 0.5 * (high - low)
        nearer = low if length - low < high - length else high
        _nearest(told, i, min(length - low, high - length) / half, length, nearer)
        _nearest(told, 6 + i, 1.0 - abs(speed) / fast, speed, math.copysign(fast, speed))
        _nearest(
            told, 12 + i, 1.0 - abs(acceleration) / hard, acceleration,
            math.copysign(hard, acceleration),
        )  # fmt: skip
        quick, sharp = shares[0] * fast, shares[1] * hard
        # The first row of a stream must be where the platform is held.
        jump = numbers[5] if state[FIRST] == 1.0 else sharp * dt * dt
        wrong, value, limit = GOOD, 0.0, 0.0
        if not low <= length <= high:
            wrong, value, limit = i, length, nearer
        elif not (abs(move) <= quick * dt and abs(speed) <= quick):
            value = move / dt if abs(move) > abs(speed) * dt else speed
            wrong, limit = 6 + i, math.copysign(fast, value)
        elif not (
            abs(change) <= min(jump, sharp * dt * dt)
            and abs(acceleration) <= sharp
            and abs(speed - move / dt) <= sharp * dt
        ):
            value = change / (dt * dt)
            value = value if abs(value) > abs(acceleration) else acceleration
            wrong, limit = 12 + i, math.copysign(hard, value)
        if wrong != GOOD and bad == GOOD:
            bad, told[BAD_VALUE], told[BAD_LIMIT] = wrong, value, limit
    if not math.isfinite(told[SMALLEST]):
        return NOT_FINITE
    if bad == GOOD:
        bad = _stop_ends(legs, shares[2], numbers, told)
    found = leg_rows(table, packed[:3], packed[3:12].reshape(3, 3))
    margins = np.empty(40)
    _margins(joints, pose, numbers[3], packed, found, rows[0], margins)
    for j in range(40):
        value = pose[j, 1] + pose[j, 0] * margins[j]
        _nearest(told, 18 + j, margins[j] / pose[j, 2], value, pose[j, 1])
        if bad == GOOD and not margins[j] >= buffers[j]:
            bad, told[BAD_VALUE], told[BAD_LIMIT] = 18 + j, value, pose[j, 1]
    if bad != GOOD:
        return bad
    way = _way(_stop_ratio(told[6:12], legs))
    if way == 0.0:
        return GOOD
    delta = (rows[0] - state[Q : Q + 6]) * way
    if _far(delta, told[:6], numbers, margins, buffers):
        return GOOD
    travel = told[6:12] * way
    return _stop_path(table, joints, pose, buffers, numbers, rows[0], delta, told[:6], travel, told)


@njit(cache=True, error_model="numpy")
def _stop_ends(legs: Array, buffer: float, numbers: Array, told: Array) -> int:
    """Whether a stop of all legs with one factor ends within the ends, less what the gate keeps."""
    way = _way(_stop_ratio(told[6:12], legs))
    for i in range(6):
        move = told[6 + i]
        end = told[i] + move * way
        kept = numbers[1] + numbers[2] * abs(move) + buffer
        if not legs[i, 0] + kept <= end <= legs[i, 1] - kept:
            told[BAD_VALUE] = end
            told[BAD_LIMIT] = legs[i, 1] if end > 0.5 * (legs[i, 0] + legs[i, 1]) else legs[i, 0]
            return i
    return GOOD


@njit(cache=True, error_model="numpy")
def start(table: Array, q: Array, state: Array) -> None:
    """Write the state of standing at coordinates, with that wanted."""
    packed, jac = np.empty(24), np.empty((6, 6))
    for k in range(STATE_SIZE):
        state[k] = 0.0
    _place(table, q, packed, state[LENGTH : LENGTH + 6], jac)
    for j in range(6):
        state[Q + j] = state[WANTED + j] = q[j]
    state[KNOWN] = 2.0
    state[FIRST] = 1.0


@njit(cache=True, error_model="numpy")
def _commit(state: Array, rows: Array, told: Array, dt: float) -> None:
    for j in range(6):
        state[V + j] = (rows[0, j] - state[Q + j]) / dt
        state[Q + j] = rows[0, j]
        state[LENGTH + j] = told[j]
        state[MOVE + j] = told[6 + j]
    state[FIRST] = 0.0


@njit(cache=True, error_model="numpy")
def _remember(state: Array, rows: Array, numbers: Array) -> None:
    """Take what was wanted into the state, and how far the governed row was from it."""
    dt, scale, off = numbers[0], numbers[3], 0.0
    steady = state[KNOWN] > 0.0
    for j in range(6):
        unit = 1.0 if j < 3 else scale
        slope = (rows[0, j] - state[WANTED + j]) / dt
        middle = 0.5 * (rows[1, j] + state[WANTED_DQ + j])
        steady = steady and abs(slope - middle) * unit <= STEADY_M_S
        state[WANTED_V + j] = slope
        state[WANTED + j] = rows[0, j]
        state[WANTED_DQ + j] = rows[1, j]
        off = max(off, abs(rows[0, j] - state[Q + j]) * unit)
    state[KNOWN] = min(2.0, state[KNOWN] + 1.0) if steady else 1.0
    state[OFF_BEFORE] = state[OFF]
    state[OFF] = off


@njit(cache=True, error_model="numpy")
def pass_through(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, rows: Array, told: Array,
) -> tuple[bool, int]:  # fmt: skip
    """Let a wanted row through if nothing is near and the governed motion is the wanted one.

    Args:
        buffers: as in the tables, shape (2, 40).
        shares: as in the tables, shape (2, 3).

    Returns:
        Whether it passed, and the number of what forbids it, or GOOD.
    """
    bad = judge(table, joints, legs, pose, buffers[0], shares[0], numbers, state, rows, told)
    if bad != GOOD:
        return False, bad
    least = legs[0, 3]
    for i in range(1, 6):
        least = min(least, legs[i, 3])
    near = TOGETHER * least * numbers[0] * numbers[0]
    if state[KNOWN] == 0.0 or state[OFF] > near or state[OFF_BEFORE] > near:
        return False, GOOD
    _commit(state, rows, told, numbers[0])
    _remember(state, rows, numbers)
    return True, GOOD


@njit(cache=True, error_model="numpy")
def _limited(value: float, most: float) -> float:
    return max(-most, min(most, value))


@njit(cache=True, error_model="numpy")
def _wish(state: Array, rows: Array, numbers: Array, wish: Array) -> None:
    """Write the accelerations that lead to the wanted motion.

    For a motion whose rows continue each other by its own differences, so that what is left of the
    error falls to nought; for any other by what the row says.
    """
    dt, scale = numbers[0], numbers[3]
    steady = state[KNOWN] == 2.0
    for j in range(6):
        unit = 1.0 if j < 3 else scale
        slope = (rows[0, j] - state[WANTED + j]) / dt
        middle = 0.5 * (rows[1, j] + state[WANTED_DQ + j])
        steady = steady and abs(slope - middle) * unit <= STEADY_M_S
    for j in range(6):
        if steady:
            x, v = state[WANTED + j], state[WANTED_V + j]
            a = ((rows[0, j] - x) / dt - v) / dt
        else:
            x, v, a = rows[0, j], rows[1, j], rows[2, j]
        away = _limited(x, FAR_M) - state[Q + j]
        slower = _limited(v, FAR_M_S) - state[V + j]
        wish[j] = _limited(a, FAR_M_S2) + OMEGA_RAD_S * (2.0 * slower + OMEGA_RAD_S * away)


@njit(cache=True, error_model="numpy")
def _tighten(
    low: Array, high: Array, codes: Int, i: int, lowest: float, highest: float, code: int
) -> None:
    """Narrow a leg's interval by another, as far as its accelerations reach."""
    if lowest > low[i]:
        low[i] = min(lowest, high[i])
        codes[i, 0] = code
    if highest < high[i]:
        high[i] = max(highest, low[i])
        codes[i, 1] = code


@njit(cache=True, error_model="numpy")
def _reach(
    legs: Array, sharp: float, dt: float, state: Array, coast: Array, bias: Array, low: Array,
    high: Array, codes: Int,
) -> None:  # fmt: skip
    """Write the interval of each leg's acceleration by what it can do, as row and as movement."""
    for i in range(6):
        most, change = sharp * legs[i, 3], (state[MOVE + i] - coast[i]) / (dt * dt)
        low[i] = max(change - most, -most - bias[i])
        high[i] = min(change + most, most - bias[i])
        codes[i, 0] = codes[i, 1] = 12 + i
        if low[i] > high[i]:
            low[i] = high[i] = 0.5 * (low[i] + high[i])


@njit(cache=True, error_model="numpy")
def _longest_stop(
    legs: Array, shares: Array, numbers: Array, state: Array, coast: Array, low: Array, high: Array,
    margins: Array, buffers: Array, chosen: Int, count: int, by_leg: Array,
) -> float:  # fmt: skip
    """Ratio of the longest stop that may follow the next cycle.

    The stop is that of all legs with one factor, so its length goes with the fastest leg. That one
    may become faster as far as nothing on its way to a limit has to brake harder than it can.
    """
    dt = numbers[0]
    square, move = dt * dt, state[MOVE : MOVE + 6]
    ratio, most = 1.0, np.inf
    for i in range(6):
        ratio = max(ratio, (abs(move[i]) + shares[1] * legs[i, 3] * square) / legs[i, 4])
        most = min(most, shares[0] * legs[i, 2] * dt / legs[i, 4])
    ratio = min(ratio, most)
    kept, growth = numbers[1] + shares[2], numbers[2]
    for i in range(6):
        for side in (1.0, -1.0):
            end = legs[i, 1] if side > 0.0 else -legs[i, 0]
            room = end - kept - side * state[LENGTH + i]
            slowest = side * (coast[i] + square * (low[i] if side > 0.0 else high[i]))
            if slowest > 0.0:
                ratio = min(ratio, _ratio((room - slowest * (1.0 + growth)) / slowest))
    now = _stop_ratio(move, legs)
    traveled = _way(now)
    for n in range(count):
        j = chosen[n]
        room, best = margins[j] - buffers[j], 0.0
        for i in range(6):
            slope = by_leg[i, n]
            middle, half = 0.5 * (low[i] + high[i]), 0.5 * (high[i] - low[i])
            room -= slope * move[i] * traveled
            best += slope * (coast[i] + square * middle) + HARDNESS * square * abs(slope) * half
        if best < 0.0:
            ratio = min(ratio, _ratio(float(room / -best - 1.0)))
    return max(ratio, now - 1.0, 1.0)


@njit(cache=True, error_model="numpy")
def _leg_bounds(
    legs: Array, shares: Array, numbers: Array, state: Array, coast: Array, speed0: Array,
    ratio: float, low: Array, high: Array, codes: Int,
) -> None:  # fmt: skip
    """Narrow the interval of each leg's acceleration by its speed, its ends and the stop."""
    dt = numbers[0]
    square, least = dt * dt, 1.0
    for i in range(6):
        slower = abs(state[MOVE + i]) - shares[1] * legs[i, 3] * square
        least = max(least, slower / legs[i, 4])
    kept, growth = numbers[1] + shares[2], numbers[2]
    there = 1.0 + _way(ratio) + growth
    # On the way off an end the window grows at first faster than the room.
    back = growth - 1.0 - _way(least)
    for i in range(6):
        quick = shares[0] * legs[i, 2]
        top = min(quick * dt, ratio * legs[i, 4])
        _tighten(low, high, codes, i, (-top - coast[i]) / square, (top - coast[i]) / square, 6 + i)
        _tighten(
            low, high, codes, i, (-quick - speed0[i]) / (1.5 * dt),
            (quick - speed0[i]) / (1.5 * dt), 6 + i,
        )  # fmt: skip
        up = legs[i, 1] - kept - state[LENGTH + i]
        down = state[LENGTH + i] - legs[i, 0] - kept
        lowest, highest = -down / there, up / there
        if back > 0.0:
            spare = 0.9 * shares[2]
            lowest = max(lowest, -max(up + spare, 0.0) / back)
            highest = min(highest, max(down + spare, 0.0) / back)
        _tighten(
            low, high, codes, i, (lowest - coast[i]) / square, (highest - coast[i]) / square, i
        )


@njit(cache=True, error_model="numpy")
def _gradient(
    table: Array, joints: Array, pose: Array, numbers: Array, q: Array, margins: Array,
    chosen: Int, count: int, out: Array,
) -> None:  # fmt: skip
    """Write the gradients of chosen margins by the coordinates, by differences."""
    measured = False
    for n in range(count):
        measured = measured or chosen[n] < 28
        for j in range(6):
            out[n, j] = 0.0
        if chosen[n] >= 28:
            out[n, (chosen[n] - 28) % 6] = 1.0 if chosen[n] < 34 else -1.0
    if not measured:
        return
    step = 1e-6
    moved, lengths, jac, packed = q.copy(), np.empty(6), np.empty((6, 6)), np.empty(24)
    there = np.empty(40)
    for j in range(6):
        moved[j] = q[j] + step
        found = _place(table, moved, packed, lengths, jac)
        _margins(joints, pose, numbers[3], packed, found, moved, there)
        moved[j] = q[j]
        for n in range(count):
            if chosen[n] < 28:
                out[n, j] = (there[chosen[n]] - margins[chosen[n]]) / step


@njit(cache=True, error_model="numpy")
def _choose(margins: Array, pose: Array, buffers: Array, chosen: Int) -> int:
    """Write the numbers of the nearest margins, those that are near at all; return how many."""
    count = 0
    nearness = np.empty(NEAR_ROWS)
    for j in range(40):
        share = (margins[j] - buffers[j]) / pose[j, 3]
        if not share < 1.0:
            continue
        place = count
        while place > 0 and nearness[place - 1] > share:
            place -= 1
        if place >= NEAR_ROWS:
            continue
        count = min(count + 1, NEAR_ROWS)
        for k in range(count - 1, place, -1):
            nearness[k], chosen[k] = nearness[k - 1], chosen[k - 1]
        nearness[place], chosen[place] = share, j
    return count


@njit(cache=True, error_model="numpy")
def _near(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, numbers: Array,
    state: Array, margins: Array, chosen: Int, by_leg: Array,
) -> int:  # fmt: skip
    """Write the margins where a stop would end, which are near, and their slopes by the lengths.

    Returns:
        How many are near; -1 if that place is not known.
    """
    dt = numbers[0]
    packed, jac, slopes = np.empty(24), np.empty((6, 6)), np.empty((NEAR_ROWS, 6))
    way = _way(_stop_ratio(state[MOVE : MOVE + 6], legs))
    end = state[Q : Q + 6] + state[V : V + 6] * (dt * way)
    target = state[LENGTH : LENGTH + 6] + state[MOVE : MOVE + 6] * way
    known, found = _pose_of(table, target, end, packed, jac)
    if not known:
        return -1
    _margins(joints, pose, numbers[3], packed, found, end, margins)
    count = _choose(margins, pose, buffers, chosen)
    _gradient(table, joints, pose, numbers, end, margins, chosen, count, slopes)
    across = np.empty((6, 6))
    for i in range(6):
        for n in range(NEAR_ROWS):
            by_leg[i, n] = slopes[n, i] if n < count else 0.0
        for j in range(6):
            across[i, j] = jac[j, i]
    return count if solve(across, by_leg) else -1


@njit(cache=True, error_model="numpy")
def _near_rows(
    legs: Array, buffers: Array, numbers: Array, state: Array, coast: Array, jac: Array,
    ratio: float, margins: Array, chosen: Int, count: int, by_leg: Array, matrix: Array, low: Array,
    codes: Int,
) -> None:  # fmt: skip
    """Write rows for the margins that are near where a stop ends.

    Where a stop from the next cycle on would end is linear in the legs' next movement, and a margin
    there is, to first order in how far that place shifts, linear in it too.
    """
    dt = numbers[0]
    now, way = _way(_stop_ratio(state[MOVE : MOVE + 6], legs)), _way(ratio)
    recovery = min(1.0, RECOVERY_PER_S * dt)
    for n in range(count):
        j, row = chosen[n], LEG_ROWS + n
        norm, constant = 0.0, 0.0
        for i in range(6):
            constant += by_leg[i, n] * (coast[i] * (1.0 + way) - state[MOVE + i] * now)
        for c in range(6):
            entry = 0.0
            for i in range(6):
                entry += by_leg[i, n] * jac[i, c]
            matrix[row, c] = entry * (1.0 + way) * dt * dt
            weight = 1.0 if c < 3 else numbers[3]
            norm += (matrix[row, c] / weight) ** 2
        norm = math.sqrt(norm)
        if not norm > 0.0:
            norm = 1.0
        wanted = buffers[j]
        if margins[j] < wanted:
            wanted = margins[j] + recovery * (wanted - margins[j])
        for c in range(6):
            matrix[row, c] /= norm
        matrix[row, 6] = 1.0
        low[row] = (wanted - margins[j] - constant) / norm
        codes[row, 0] = codes[row, 1] = 18 + j


@njit(cache=True, error_model="numpy")
def program(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, rows: Array, slower: bool, wish: Array, matrix: Array, low: Array,
    high: Array, codes: Int,
) -> tuple[int, bool]:  # fmt: skip
    """Write the quadratic program of a cycle: nearest to the wish, within the rows.

    Args:
        slower: the fastest leg becomes slower, as in a stop.
        wish: takes the wanted accelerations of the coordinates, shape (6,).
        matrix: takes the rows, six of the legs, then of near margins, shape (16, 7).
        low: takes their lower bounds, shape (16,).
        high: takes their upper bounds, shape (16,).
        codes: takes the numbers of the quantities that bound below and above, shape (16, 2).

    Returns:
        How many near rows there are, -1 if the end of a stop is not known; and whether the wish is
        within all rows.
    """
    dt = numbers[0]
    packed, jac, coast = np.empty(24), np.empty((6, 6)), np.empty(6)
    coasting, out, bias, speed0 = np.zeros((3, 6)), np.empty((3, 6)), np.empty(6), np.empty(6)
    margins, by_leg = np.empty(40), np.empty((6, NEAR_ROWS))
    chosen = np.zeros(NEAR_ROWS, np.int64)
    for j in range(6):
        coasting[0, j] = state[Q + j] + dt * state[V + j]
        coasting[1, j] = state[V + j]
    _place(table, coasting[0], packed, coast, jac)
    setpoint_of_coordinates(coasting, packed)
    leg_state(table, packed, out)
    for i in range(6):
        coast[i] = out[0, i] - state[LENGTH + i]
        speed0[i], bias[i] = out[1, i], out[2, i]
    for r in range(ROWS):
        low[r], high[r] = -FREE, FREE
        for c in range(UNKNOWNS):
            matrix[r, c] = jac[r, c] if r < 6 and c < 6 else 0.0
    _reach(legs, shares[0, 1], dt, state, coast, bias, low, high, codes)
    count = _near(table, joints, legs, pose, buffers[0], numbers, state, margins, chosen, by_leg)
    if count < 0:
        return -1, False
    ratio = max(1.0, _stop_ratio(state[MOVE : MOVE + 6], legs) - 1.0)
    if not slower:
        ratio = _longest_stop(
            legs, shares[0], numbers, state, coast, low, high, margins, buffers[0], chosen, count,
            by_leg,
        )  # fmt: skip
    _leg_bounds(legs, shares[0], numbers, state, coast, speed0, ratio, low, high, codes)
    _near_rows(
        legs, buffers[0], numbers, state, coast, jac, ratio, margins, chosen, count, by_leg,
        matrix, low, codes,
    )  # fmt: skip
    _wish(state, rows, numbers, wish)
    pull = 1.0
    for i in range(6):
        total = 0.0
        for j in range(6):
            total += jac[i, j] * wish[j]
        pull = max(pull, abs(total) / (PULL_MAX * legs[i, 3]))
    for j in range(6):
        wish[j] /= pull
    within = True
    for r in range(LEG_ROWS + count):
        total = 0.0
        for c in range(6):
            total += matrix[r, c] * wish[c]
        within = within and low[r] <= total <= high[r]
    return count, within


@njit(cache=True, error_model="numpy")
def advance(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, wanted: Array, acceleration: Array, rows: Array, told: Array,
) -> int:  # fmt: skip
    """Go on with accelerations of the coordinates if the row that follows may, else do nothing.

    Args:
        acceleration: of the coordinates, shape (6,).
        rows: takes the governed row, shape (3, 6).

    Returns:
        GOOD, or the number of what forbids it.
    """
    dt = numbers[0]
    for j in range(6):
        speed = state[V + j] + dt * acceleration[j]
        rows[0, j] = state[Q + j] + dt * speed
        rows[1, j] = speed + 0.5 * dt * acceleration[j]
        rows[2, j] = acceleration[j]
    bad = judge(table, joints, legs, pose, buffers[1], shares[1], numbers, state, rows, told)
    if bad == GOOD:
        _commit(state, rows, told, dt)
        _remember(state, wanted, numbers)
    return bad


@njit(cache=True, error_model="numpy")
def brake(
    table: Array, joints: Array, legs: Array, pose: Array, buffers: Array, shares: Array,
    numbers: Array, state: Array, wanted: Array, finite: bool, rows: Array, told: Array,
) -> int:  # fmt: skip
    """Brake all six legs with one factor along the way they go, as the gate would.

    Args:
        wanted: what was wanted; not looked at unless it is finite.
        rows: takes the governed row, shape (3, 6).

    Returns:
        GOOD, or the number of a limit that even this passes.
    """
    dt = numbers[0]
    ratio = _stop_ratio(state[MOVE : MOVE + 6], legs)
    for j in range(6):
        rows[0, j], rows[1, j], rows[2, j] = state[Q + j], 0.0, 0.0
    if ratio > 1.0:
        share = 1.0 - 1.0 / ratio
        packed, jac, target = np.empty(24), np.empty((6, 6)), np.empty(6)
        for i in range(6):
            target[i] = state[LENGTH + i] + share * state[MOVE + i]
            rows[0, i] += share * dt * state[V + i]
        _pose_of(table, target, rows[0], packed, jac)
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
    bad = judge(table, joints, legs, pose, buffers[1], shares[1], numbers, state, rows, told)
    _commit(state, rows, told, dt)
    if finite:
        _remember(state, wanted, numbers)
    else:
        state[KNOWN] = 0.0
    return bad
