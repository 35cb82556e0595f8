"""Blocks that remember something, and compute each element alone: outputs and next states."""

from numba import njit

from hil.diagram.kernel.codes import FAST, INLINE, STATEFUL_FIRST, Array, Places
from hil.diagram.kernel.numbers import clipped, flag

# Kinds in capitals, in the order of the functions below.
(
    UNITDELAY, DELAY, MOVINGAVERAGE, SAMPLEHOLD, LATCH, EDGE, TOGGLE, COUNTER, ONDELAY, OFFDELAY,
    MERGE, HYSTERESIS, BACKLASH, RATELIMIT,
    INTEGRAL, INTEGRALFORWARD, LIMITEDINTEGRAL, RESETTINGINTEGRAL, LAG, HIGHPASS, LEADLAG,
    DERIVATIVE, PI, PID,
    *_,
) = range(STATEFUL_FIRST, STATEFUL_FIRST + 100)  # fmt: skip


@njit(**FAST)
def pid_values(
    v: Array, p: int, s: int, setpoint: float, measured: float, feedforward: float
) -> tuple[float, float, float, float]:
    """Weighted error, filtered derivative, integral, and the output before it is limited."""
    w = v[p + 3] * setpoint - measured
    d = 0.0
    if v[s + 6] != 0.0:
        d = (v[s + 1] + v[p + 4] * (measured - v[s + 2])) / v[p + 5]
    moved = (v[s] + (v[s + 4] - v[p]) * v[s + 3]) + (v[p + 2] - v[s + 5]) * v[s + 1]
    return w, d, moved, ((v[p] * w + moved) - v[p + 2] * d) + feedforward


@njit(**INLINE)
def stateful_value(code: int, v: Array, x: Places, a: int, b: int, c: int, q: int, beside: int,
                   s: int, p: int) -> float:  # fmt: skip
    """Output of a block that remembers something; a second one goes to the place beside."""
    if code <= OFFDELAY:
        return memory_value(code, v, a, b, s, p)
    if code == MERGE:
        y, count = v[s], int(v[p])
        for n in range(count - 1, -1, -1):
            if v[x[q + count + n]] != 0.0:
                y = v[x[q + n]]
        return y
    if code <= RATELIMIT:
        return bounded_value(code, v, v[a], s, p)
    return law_value(code, v, a, b, c, beside, s, p)


@njit(**INLINE)
def memory_value(code: int, v: Array, a: int, b: int, s: int, p: int) -> float:
    """Output of a block that remembers inputs, or counts and times them."""
    if code == UNITDELAY:
        return v[s]
    if code == DELAY:
        return v[s + 1 + int(v[s])]
    if code == MOVINGAVERAGE:
        y = v[a]
        for n in range(1, int(v[p])):
            y = y + v[s + n]
        return y / v[p]
    if code == SAMPLEHOLD:
        return v[s] if v[b] != 0.0 else v[a]
    if code == LATCH:
        return flag((v[s] != 0.0 or v[a] != 0.0) and v[b] == 0.0)
    if code == EDGE:
        now, before = v[a] != 0.0, v[s] != 0.0
        if v[p] == 0.0:
            return flag(now and not before)
        return flag(before and not now) if v[p] == 1.0 else flag(now != before)
    if code == TOGGLE:
        turned = v[a] != 0.0 and v[s] == 0.0
        return flag((v[s + 1] != 0.0) != turned)
    if code == COUNTER:
        if v[b] != 0.0:
            return 0.0
        y = v[s + 1] + flag(v[a] != 0.0 and v[s] == 0.0)
        return 0.0 if v[p] > 0.0 and y >= v[p] else y
    if code == ONDELAY:
        return flag(v[a] != 0.0 and v[s] + 1.0 > v[p])
    return flag(v[a] != 0.0 or v[s] + 1.0 <= v[p])  # OFFDELAY


@njit(**INLINE)
def bounded_value(code: int, v: Array, u: float, s: int, p: int) -> float:
    """Output of a switch, a gap or a rate that is limited."""
    y = v[s]
    if code == HYSTERESIS:
        return 1.0 if u >= v[p] else 0.0 if u <= v[p + 1] else y
    if code == BACKLASH:
        return u - v[p] if u - v[p] > y else u + v[p] if u + v[p] < y else y
    # RATELIMIT
    return y + v[p] if u - y > v[p] else y - v[p + 1] if u - y < -v[p + 1] else u


@njit(**INLINE)
def law_value(code: int, v: Array, a: int, b: int, c: int, beside: int, s: int, p: int) -> float:
    """Output of an integral, a filter or a controller; whether a limit holds goes beside."""
    if code == INTEGRALFORWARD or code == LAG:
        return v[s]
    if code == HIGHPASS:
        return v[a] - v[s]
    if code == LEADLAG:
        return (v[p] * v[a] + v[p + 1] * v[s]) - v[p + 2] * v[s + 1]
    if code == DERIVATIVE:
        return (v[s + 1] + v[p] * (v[a] - v[s])) / v[p + 1] if v[s + 2] != 0.0 else 0.0
    if code == PID:
        _, _, _, free = pid_values(v, p, s, v[a], v[b], v[c])
        v[beside] = flag(free < v[p + 7] or free > v[p + 8])
        return clipped(free, v[p + 7], v[p + 8])
    total = v[s] if code != RESETTINGINTEGRAL else 0.0
    if v[s + 2] != 0.0:
        total = v[s] + v[p] * (v[s + 1] + v[a])
    if code == LIMITEDINTEGRAL:
        return clipped(total, v[p + 1], v[p + 2])
    return (v[b] + v[p + 1] * v[a]) + v[p + 2] * total if code == PI else total


@njit(**INLINE)
def advance_element(code: int, v: Array, a: int, b: int, c: int, o: int, s: int, p: int) -> None:
    """Next states of one element."""
    u, y = v[a], v[o]
    if code == UNITDELAY or code == EDGE:
        v[s] = u
    elif (
        code == SAMPLEHOLD
        or code == MERGE
        or code == LATCH
        or code == HYSTERESIS
        or code == BACKLASH
        or code == RATELIMIT
    ):
        v[s] = y
    elif code == DELAY:
        count = int(v[p])
        head = int(v[s])
        v[s + 1 + head] = u
        v[s] = float(head + 1 if head + 1 < count else 0)
    elif code == MOVINGAVERAGE:
        count = int(v[p])
        if count > 1:
            head = int(v[s])
            v[s + 1 + head] = u
            v[s] = float(head + 1 if head + 2 < count else 0)
    elif code == TOGGLE or code == COUNTER:
        v[s] = u
        v[s + 1] = y
    elif code == ONDELAY:
        v[s] = 0.0 if u == 0.0 else clipped(v[s] + 1.0, 0.0, v[p] + 1.0)
    elif code == OFFDELAY:
        v[s] = 0.0 if u != 0.0 else clipped(v[s] + 1.0, 0.0, v[p] + 1.0)
    else:
        advance_law(code, v, a, b, c, o, s, p)


@njit(**INLINE)
def advance_law(code: int, v: Array, a: int, b: int, c: int, o: int, s: int, p: int) -> None:
    """Next states of an integral, a filter or a controller."""
    u, y = v[a], v[o]
    if code == INTEGRAL or code == LIMITEDINTEGRAL:
        v[s] = y
        v[s + 1] = u
        v[s + 2] = 1.0
    elif code == INTEGRALFORWARD:
        v[s] = v[s] + v[p] * u
    elif code == RESETTINGINTEGRAL:
        v[s] = y
        v[s + 1] = u
        v[s + 2] = v[s + 2] + 1.0 if v[s + 2] + 1.0 < v[p + 1] else 0.0
    elif code == LAG or code == HIGHPASS:
        v[s] = v[s] + v[p] * (u - v[s])
    elif code == LEADLAG:
        v[s] = u
        v[s + 1] = y
    elif code == DERIVATIVE:
        v[s] = u
        v[s + 1] = y
        v[s + 2] = 1.0
    elif code == PI:
        if v[s + 2] != 0.0:
            v[s] = v[s] + v[p] * (v[s + 1] + u)
        v[s + 1] = u
        v[s + 2] = 1.0
    elif code == PID:
        measured = v[b]
        w, d, moved, free = pid_values(v, p, s, u, measured, v[c])
        v[s] = (moved + v[p + 1] * (u - measured)) + v[p + 6] * (y - free)
        v[s + 1] = d
        v[s + 2] = measured
        v[s + 3] = w
        v[s + 4] = v[p]
        v[s + 5] = v[p + 2]
        v[s + 6] = 1.0
