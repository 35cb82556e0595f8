"""Outputs of blocks that compute each element alone."""

import math

from numba import njit

from hil.diagram.kernel import codes
from hil.diagram.kernel.codes import FAST, INLINE, Array, Places
from hil.diagram.kernel.numbers import (
    between,
    clipped,
    flag,
    floor_of,
    fraction_of,
    interval_of,
    length_of,
    random_number,
)


@njit(**FAST)
def pid_values(
    v: Array, p: int, s: int, setpoint: float, measured: float, feedforward: float
) -> tuple[float, float, float, float]:
    """Compute weighted error, filtered derivative, integral, and the unlimited output."""
    w = v[p + 3] * setpoint - measured
    d = 0.0
    if v[s + 6] != 0.0:
        d = (v[s + 1] + v[p + 4] * (measured - v[s + 2])) / v[p + 5]
    moved = (v[s] + (v[s + 4] - v[p]) * v[s + 3]) + (v[p + 2] - v[s + 5]) * v[s + 1]
    return w, d, moved, ((v[p] * w + moved) - v[p + 2] * d) + feedforward


@njit(**INLINE)
def compute_element(code: int, tick: int, v: Array, x: Places, a: int, b: int, c: int, q: int,
                    o: int, s: int, p: int, size: int) -> None:  # fmt: skip
    """Outputs of one element."""
    y = 0.0
    if code <= codes.TICKCOUNT:
        y = source_value(code, tick, v, p)
    elif code == codes.SUM:
        y = v[p + 1] * v[a]
        for n in range(1, int(v[p])):
            y = y + v[p + 1 + n] * v[x[q + n]]
    elif code <= codes.REALTOINTEGER:  # of one or two inputs alone
        y = plain_value(code, v, p, v[a], v[b])
    elif code <= codes.OFFDELAY:
        y = memory_value(code, v, a, b, s, p)
    elif code <= codes.RATELIMIT:
        y = bounded_value(code, v, v[a], o + size, s, p)
    elif code <= codes.LOOKUP2:
        y = curve_value(code, v, p, v[a], v[b])
    elif code <= codes.PID:
        y = law_value(code, v, a, b, c, o + size, s, p)
    elif code == codes.SWITCH:
        y = v[b] if v[a] != 0.0 else v[c]
    elif code == codes.MULTIPORTSWITCH:
        y = v[x[q + int(clipped(v[a], 1.0, v[p]))]]
    elif code == codes.MERGE:
        y, count = v[s], int(v[p])
        for n in range(count - 1, -1, -1):
            if v[x[q + count + n]] != 0.0:
                y = v[x[q + n]]
    elif code == codes.RATETRANSITION:
        y = v[a]
    elif code == codes.SCALE:
        y = v[a] * v[b]
    elif code == codes.ENABLEDOUTPUT:
        y = v[b] if v[a] != 0.0 else 0.0
    v[o] = y


@njit(**INLINE)
def memory_value(code: int, v: Array, a: int, b: int, s: int, p: int) -> float:
    """Return the output of a block that remembers inputs, or counts and times them."""
    if code == codes.UNITDELAY:
        return v[s]
    if code == codes.DELAY:
        return v[s + 1 + int(v[s])]
    if code == codes.MOVINGAVERAGE:
        y = v[a]
        for n in range(1, int(v[p])):
            y = y + v[s + n]
        return y / v[p]
    if code == codes.SAMPLEHOLD:
        return v[s] if v[b] != 0.0 else v[a]
    if code == codes.LATCH:
        return flag((v[s] != 0.0 or v[a] != 0.0) and v[b] == 0.0)
    if code == codes.EDGE:
        now, before = v[a] != 0.0, v[s] != 0.0
        if v[p] == 0.0:
            return flag(now and not before)
        return flag(before and not now) if v[p] == 1.0 else flag(now != before)
    if code == codes.TOGGLE:
        turned = v[a] != 0.0 and v[s] == 0.0
        return flag((v[s + 1] != 0.0) != turned)
    if code == codes.COUNTER:
        if v[b] != 0.0:
            return 0.0
        y = v[s + 1] + flag(v[a] != 0.0 and v[s] == 0.0)
        return 0.0 if v[p] > 0.0 and y >= v[p] else y
    if code == codes.ONDELAY:
        return flag(v[a] != 0.0 and v[s] + 1.0 > v[p])
    return flag(v[a] != 0.0 or v[s] + 1.0 <= v[p])  # codes.OFFDELAY


@njit(**INLINE)
def bounded_value(code: int, v: Array, u: float, beside: int, s: int, p: int) -> float:
    """Compute a limit, a gap or steps; whether a saturation holds goes to the place beside."""
    if code == codes.SATURATION:
        v[beside] = flag(u < v[p] or u > v[p + 1])
        return clipped(u, v[p], v[p + 1])
    if code == codes.DEADZONE:
        return u - v[p] if u > v[p] else u + v[p] if u < -v[p] else 0.0
    if code == codes.QUANTISER:
        return v[p] * floor_of(u / v[p] + 0.5)
    y = v[s]
    if code == codes.HYSTERESIS:
        return 1.0 if u >= v[p] else 0.0 if u <= v[p + 1] else y
    if code == codes.BACKLASH:
        return u - v[p] if u - v[p] > y else u + v[p] if u + v[p] < y else y
    # codes.RATELIMIT
    return y + v[p] if u - y > v[p] else y - v[p + 1] if u - y < -v[p + 1] else u


@njit(**INLINE)
def curve_value(code: int, v: Array, p: int, u: float, w: float) -> float:
    """Return the value of a polynomial, or of a table of one or two inputs."""
    if code == codes.POLYNOMIAL:
        count = int(v[p])
        y = v[p + count]
        for n in range(count - 1, 0, -1):
            y = y * u + v[p + n]
        return y
    if code == codes.LOOKUP1:
        count = int(v[p])
        low = interval_of(v, p + 1, count, u)
        first = p + 1 + count + low
        return between(v[first], v[first + 1], fraction_of(v, p + 1, low, u))
    rows, columns = int(v[p]), int(v[p + 1])
    row, column = interval_of(v, p + 2, rows, u), interval_of(v, p + 2 + rows, columns, w)
    along = fraction_of(v, p + 2, row, u)
    first = p + 2 + rows + columns + row * columns + column
    return between(between(v[first], v[first + columns], along),
                   between(v[first + 1], v[first + columns + 1], along),
                   fraction_of(v, p + 2 + rows, column, w))  # fmt: skip


@njit(**INLINE)
def law_value(code: int, v: Array, a: int, b: int, c: int, beside: int, s: int, p: int) -> float:
    """Compute an integral, a filter or a controller; whether a limit holds goes beside."""
    if code == codes.INTEGRALFORWARD or code == codes.LAG:
        return v[s]
    if code == codes.HIGHPASS:
        return v[a] - v[s]
    if code == codes.LEADLAG:
        return (v[p] * v[a] + v[p + 1] * v[s]) - v[p + 2] * v[s + 1]
    if code == codes.DERIVATIVE:
        return (v[s + 1] + v[p] * (v[a] - v[s])) / v[p + 1] if v[s + 2] != 0.0 else 0.0
    if code == codes.PID:
        _, _, _, free = pid_values(v, p, s, v[a], v[b], v[c])
        v[beside] = flag(free < v[p + 7] or free > v[p + 8])
        return clipped(free, v[p + 7], v[p + 8])
    total = v[s] if code != codes.RESETTINGINTEGRAL else 0.0
    if v[s + 2] != 0.0:
        total = v[s] + v[p] * (v[s + 1] + v[a])
    if code == codes.LIMITEDINTEGRAL:
        return clipped(total, v[p + 1], v[p + 2])
    return (v[b] + v[p + 1] * v[a]) + v[p + 2] * total if code == codes.PI else total


@njit(**INLINE)
def source_value(code: int, tick: int, v: Array, p: int) -> float:
    """Return the output of a source."""
    if code <= codes.CONSTANTINTEGER:
        return v[p]
    if code == codes.STEP:
        return v[p + 2] if tick >= v[p] else v[p + 1]
    if code == codes.RAMP:
        return v[p + 2] + v[p + 1] * ((tick - v[p]) * v[p + 3]) if tick > v[p] else v[p + 2]
    if code == codes.SINE:
        return v[p + 3] + v[p] * math.sin(v[p + 1] * (tick * v[p + 4]) + v[p + 2])
    if code == codes.CHIRP:
        t, end = tick * v[p + 5], v[p + 3]
        if t <= end:
            return v[p] * math.sin(v[p + 1] * t + v[p + 2] * t * t)
        return v[p] * math.sin((v[p + 1] * end + v[p + 2] * end * end) + v[p + 4] * (t - end))
    if code == codes.PULSE or code == codes.PULSEBOOLEAN:
        since = tick - int(v[p + 2])
        return v[p + 4] if since >= 0 and since % int(v[p]) < v[p + 1] else v[p + 3]
    if code == codes.TIMETABLE:
        t, count = tick * v[p], int(v[p + 1])
        low = interval_of(v, p + 2, count, t)
        first = p + 2 + count + low
        return between(v[first], v[first + 1], fraction_of(v, p + 2, low, t))
    if code == codes.UNIFORMNOISE:
        return v[p + 2] + (v[p + 3] - v[p + 2]) * random_number(v[p], v[p + 1], tick)
    if code == codes.NORMALNOISE:
        radius = math.sqrt(-2.0 * math.log(1.0 - random_number(v[p], v[p + 1], 2 * tick)))
        angle = 2.0 * math.pi * random_number(v[p], v[p + 1], 2 * tick + 1)
        return v[p + 2] + v[p + 3] * (radius * math.cos(angle))
    return tick * v[p] if code == codes.CLOCK else float(tick)


@njit(**INLINE)
def plain_value(code: int, v: Array, p: int, a: float, b: float) -> float:
    """Return a function of one or two inputs, without states."""
    if code == codes.MULTIPLY:
        return a * b
    if code == codes.DIVIDE:
        return a / b
    if code == codes.GAIN or code == codes.CONVERT:
        return v[p] * a
    if code == codes.BIAS:
        return a + v[p]
    if code == codes.NEGATE:
        return -a
    if code == codes.ABS:
        return -a if a < 0.0 else a
    if code == codes.SIGN:
        return 1.0 if a > 0.0 else -1.0 if a < 0.0 else 0.0
    if code == codes.SQUARE:
        return a * a
    if code == codes.SQRT:
        return math.sqrt(a)
    if code == codes.RECIPROCAL:
        return 1.0 / a
    if code == codes.POWER:
        return a ** v[p]
    if code == codes.EXP:
        return math.exp(a)
    if code == codes.LOG:
        return math.log(a)
    if code == codes.LOG10:
        return math.log10(a)
    if code == codes.MINIMUM:
        return a if a < b else b
    if code == codes.MAXIMUM:
        return a if a > b else b
    if code == codes.HYPOT:
        return length_of(abs(a), abs(b))
    if code == codes.MODULO:
        return a - v[p] * floor_of(a / v[p])
    if code == codes.FLOOR:
        return floor_of(a)
    if code == codes.CEIL:
        return -floor_of(-a)
    if code == codes.ROUND or code == codes.REALTOINTEGER:
        return floor_of(a + 0.5)
    if codes.SIN <= code <= codes.ATAN2:
        return angle_value(code, a, b)
    return truth_value(code, v, p, a, b)


@njit(**INLINE)
def angle_value(code: int, a: float, b: float) -> float:
    """Return a function of an angle, or an angle."""
    if code == codes.SIN:
        return math.sin(a)
    if code == codes.COS:
        return math.cos(a)
    if code == codes.TAN:
        return math.tan(a)
    if code == codes.ASIN:
        return math.asin(a)
    if code == codes.ACOS:
        return math.acos(a)
    if code == codes.ATAN:
        return math.atan(a)
    if code == codes.TANH:
        return math.tanh(a)
    if code == codes.WRAPANGLE:
        return a - 2.0 * math.pi * floor_of(a / (2.0 * math.pi) + 0.5)
    return math.atan2(a, b)


@njit(**INLINE)
def truth_value(code: int, v: Array, p: int, a: float, b: float) -> float:
    """Return a comparison or logical operation."""
    if code == codes.LESS:
        return flag(a < b)
    if code == codes.LESSEQUAL:
        return flag(a <= b)
    if code == codes.GREATER:
        return flag(a > b)
    if code == codes.GREATEREQUAL:
        return flag(a >= b)
    if code == codes.NEAR:
        return flag(abs(a - b) <= v[p])
    if code == codes.WITHIN:
        return flag(v[p] <= a and a <= v[p + 1])
    if code == codes.AND:
        return flag(a != 0.0 and b != 0.0)
    if code == codes.OR:
        return flag(a != 0.0 or b != 0.0)
    if code == codes.XOR:
        return flag((a != 0.0) != (b != 0.0))
    if code == codes.NAND:
        return flag(not (a != 0.0 and b != 0.0))
    if code == codes.NOR:
        return flag(not (a != 0.0 or b != 0.0))
    if code == codes.NOT:
        return flag(a == 0.0)
    if code == codes.BOOLEANTOREAL:
        return flag(a != 0.0)
    return a  # codes.INTEGERTOREAL
