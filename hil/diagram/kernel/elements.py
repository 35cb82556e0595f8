"""Blocks that remember nothing, and compute each element alone; and all that do, at once."""

import math

from numba import njit

from hil.diagram.kernel.codes import (
    INLINE,
    PLAIN_FIRST,
    SEVERAL_FIRST,
    SOURCES_FIRST,
    STATEFUL_FIRST,
    Array,
    Places,
)
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
from hil.diagram.kernel.stateful import stateful_value

# Kinds in capitals, by the function that computes them.
(
    CONSTANT, CONSTANTBOOLEAN, CONSTANTINTEGER, STEP, RAMP, SINE, CHIRP, PULSE, PULSEBOOLEAN,
    TIMETABLE, UNIFORMNOISE, NORMALNOISE, CLOCK, TICKCOUNT,
    *_,
) = range(SOURCES_FIRST, SOURCES_FIRST + 100)  # fmt: skip
(
    MULTIPLY, DIVIDE, GAIN, CONVERT, SCALE, BIAS, NEGATE, ABS, SIGN, SQUARE, SQRT, RECIPROCAL,
    POWER, EXP, LOG, LOG10, MINIMUM, MAXIMUM, HYPOT, MODULO, FLOOR, CEIL, ROUND, REALTOINTEGER,
    DEADZONE, QUANTISER, RATETRANSITION, INTEGERTOREAL, ENABLEDOUTPUT,
    SIN, COS, TAN, ASIN, ACOS, ATAN, TANH, WRAPANGLE, ATAN2,
    LESS, LESSEQUAL, GREATER, GREATEREQUAL, NEAR, WITHIN, AND, OR, XOR, NAND, NOR, NOT,
    BOOLEANTOREAL,
    POLYNOMIAL, LOOKUP1, LOOKUP2,
    *_,
) = range(PLAIN_FIRST, PLAIN_FIRST + 100)  # fmt: skip
(SUM, SATURATION, SWITCH, MULTIPORTSWITCH, *_) = range(SEVERAL_FIRST, SEVERAL_FIRST + 100)


@njit(**INLINE)
def compute_element(code: int, tick: int, v: Array, x: Places, a: int, b: int, c: int, q: int,
                    o: int, s: int, p: int, size: int) -> None:  # fmt: skip
    """Outputs of one element."""
    if code < PLAIN_FIRST:
        v[o] = source_value(code, tick, v, p)
    elif code < SEVERAL_FIRST:
        v[o] = plain_value(code, v, p, v[a], v[b])
    elif code < STATEFUL_FIRST:
        v[o] = value_of_several(code, v, x, a, b, c, q, o + size, p)
    else:
        v[o] = stateful_value(code, v, x, a, b, c, q, o + size, s, p)


@njit(**INLINE)
def value_of_several(code: int, v: Array, x: Places, a: int, b: int, c: int, q: int, beside: int,
                     p: int) -> float:  # fmt: skip
    """Of more than two inputs or of two outputs, the second at the place beside."""
    if code == SUM:
        y = v[p + 1] * v[a]
        for n in range(1, int(v[p])):
            y = y + v[p + 1 + n] * v[x[q + n]]
        return y
    if code == SATURATION:
        v[beside] = flag(v[a] < v[p] or v[a] > v[p + 1])
        return clipped(v[a], v[p], v[p + 1])
    if code == SWITCH:
        return v[b] if v[a] != 0.0 else v[c]
    return v[x[q + int(clipped(v[a], 1.0, v[p]))]]  # MULTIPORTSWITCH


@njit(**INLINE)
def source_value(code: int, tick: int, v: Array, p: int) -> float:
    """Return the output of a source."""
    if code <= CONSTANTINTEGER:
        return v[p]
    if code == STEP:
        return v[p + 2] if tick >= v[p] else v[p + 1]
    if code == RAMP:
        return v[p + 2] + v[p + 1] * ((tick - v[p]) * v[p + 3]) if tick > v[p] else v[p + 2]
    if code == SINE:
        return v[p + 3] + v[p] * math.sin(v[p + 1] * (tick * v[p + 4]) + v[p + 2])
    if code == CHIRP:
        t, end = tick * v[p + 5], v[p + 3]
        if t <= end:
            return v[p] * math.sin(v[p + 1] * t + v[p + 2] * t * t)
        return v[p] * math.sin((v[p + 1] * end + v[p + 2] * end * end) + v[p + 4] * (t - end))
    if code == PULSE or code == PULSEBOOLEAN:
        since = tick - int(v[p + 2])
        return v[p + 4] if since >= 0 and since % int(v[p]) < v[p + 1] else v[p + 3]
    if code == TIMETABLE:
        t, count = tick * v[p], int(v[p + 1])
        low = interval_of(v, p + 2, count, t)
        first = p + 2 + count + low
        return between(v[first], v[first + 1], fraction_of(v, p + 2, low, t))
    if code == UNIFORMNOISE:
        return v[p + 2] + (v[p + 3] - v[p + 2]) * random_number(v[p], v[p + 1], tick)
    if code == NORMALNOISE:
        radius = math.sqrt(-2.0 * math.log(1.0 - random_number(v[p], v[p + 1], 2 * tick)))
        angle = 2.0 * math.pi * random_number(v[p], v[p + 1], 2 * tick + 1)
        return v[p + 2] + v[p + 3] * (radius * math.cos(angle))
    return tick * v[p] if code == CLOCK else float(tick)


@njit(**INLINE)
def plain_value(code: int, v: Array, p: int, a: float, b: float) -> float:
    """Return a function of one or two inputs, without states."""
    if code == MULTIPLY or code == SCALE:
        return a * b
    if code == DIVIDE:
        return a / b
    if code == GAIN or code == CONVERT:
        return v[p] * a
    if code == BIAS:
        return a + v[p]
    if code == NEGATE:
        return -a
    if code == ABS:
        return -a if a < 0.0 else a
    if code == SIGN:
        return 1.0 if a > 0.0 else -1.0 if a < 0.0 else 0.0
    if code == SQUARE:
        return a * a
    if code == SQRT:
        return math.sqrt(a)
    if code == RECIPROCAL:
        return 1.0 / a
    if code == POWER:
        return a ** v[p]
    if code == EXP:
        return math.exp(a)
    if code == LOG:
        return math.log(a)
    if code == LOG10:
        return math.log10(a)
    if code == MINIMUM:
        return a if a < b else b
    if code == MAXIMUM:
        return a if a > b else b
    if code == HYPOT:
        return length_of(abs(a), abs(b))
    if code == MODULO:
        return a - v[p] * floor_of(a / v[p])
    if code == FLOOR:
        return floor_of(a)
    if code == CEIL:
        return -floor_of(-a)
    if code == ROUND or code == REALTOINTEGER:
        return floor_of(a + 0.5)
    if code == DEADZONE:
        return a - v[p] if a > v[p] else a + v[p] if a < -v[p] else 0.0
    if code == QUANTISER:
        return v[p] * floor_of(a / v[p] + 0.5)
    if code == RATETRANSITION or code == INTEGERTOREAL:
        return a
    if code == ENABLEDOUTPUT:
        return b if a != 0.0 else 0.0
    if SIN <= code <= ATAN2:
        return angle_value(code, a, b)
    if code <= BOOLEANTOREAL:
        return truth_value(code, v, p, a, b)
    return curve_value(code, v, p, a, b)


@njit(**INLINE)
def angle_value(code: int, a: float, b: float) -> float:
    """Return a function of an angle, or an angle."""
    if code == SIN:
        return math.sin(a)
    if code == COS:
        return math.cos(a)
    if code == TAN:
        return math.tan(a)
    if code == ASIN:
        return math.asin(a)
    if code == ACOS:
        return math.acos(a)
    if code == ATAN:
        return math.atan(a)
    if code == TANH:
        return math.tanh(a)
    if code == WRAPANGLE:
        return a - 2.0 * math.pi * floor_of(a / (2.0 * math.pi) + 0.5)
    return math.atan2(a, b)


@njit(**INLINE)
def truth_value(code: int, v: Array, p: int, a: float, b: float) -> float:
    """Return a comparison or logical operation."""
    if code == LESS:
        return flag(a < b)
    if code == LESSEQUAL:
        return flag(a <= b)
    if code == GREATER:
        return flag(a > b)
    if code == GREATEREQUAL:
        return flag(a >= b)
    if code == NEAR:
        return flag(abs(a - b) <= v[p])
    if code == WITHIN:
        return flag(v[p] <= a and a <= v[p + 1])
    if code == AND:
        return flag(a != 0.0 and b != 0.0)
    if code == OR:
        return flag(a != 0.0 or b != 0.0)
    if code == XOR:
        return flag((a != 0.0) != (b != 0.0))
    if code == NAND:
        return flag(not (a != 0.0 and b != 0.0))
    if code == NOR:
        return flag(not (a != 0.0 or b != 0.0))
    if code == NOT:
        return flag(a == 0.0)
    return flag(a != 0.0)  # BOOLEANTOREAL


@njit(**INLINE)
def curve_value(code: int, v: Array, p: int, u: float, w: float) -> float:
    """Return the value of a polynomial, or of a table of one or two inputs."""
    if code == POLYNOMIAL:
        count = int(v[p])
        y = v[p + count]
        for n in range(count - 1, 0, -1):
            y = y * u + v[p + n]
        return y
    if code == LOOKUP1:
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
