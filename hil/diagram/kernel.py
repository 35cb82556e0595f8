"""The compiled kernel: one function that runs the table of any diagram.

A row of the table is an element of a block, or a part of one, in the order of computation. All
numbers stand in one array, ``v``: base period, inputs, ports, states, numbers of the equations.
First every row computes its outputs, then those that have states compute the next ones. Nothing is
allocated.

Compiled functions that call each other stand in this one file, because what is kept on disk is told
apart by the time stamp of the caller's file alone. Sums are loops, powers are products, and fast
mathematics is off, so that the interpreter gives the same bits.
"""

import math
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numba import njit, types
from numba.extending import intrinsic
from numpy.typing import NDArray

from hil.diagram.kind import BlockKind

Rows = NDArray[np.int64]
Places = Sequence[int]
"""Whole numbers: an array, typed as what its entries are."""
Array = NDArray[np.float64]

COLUMNS: Final = 15
(
    CODE, RATE, OFFSET, PART, INPUTS, OUTPUTS, CHECKED, COUNT, STATES, NUMBERS, SIZE, ENABLE,
    FIRST, SECOND, THIRD,
) = range(COLUMNS)  # fmt: skip
"""Kind, base ticks per tick, first tick, part (-1: whole), place of the list of inputs, of the
outputs, of the outputs to be checked, how many those are, places of states and numbers, elements of
the block, place of the condition (-1: none), of the first three inputs."""

KINDS: Final = 126
# Kinds in capitals. Up to ENABLEDOUTPUT each element has a row.
(
    CONSTANT, CONSTANTBOOLEAN, CONSTANTINTEGER, STEP, RAMP, SINE, CHIRP, PULSE, PULSEBOOLEAN,
    TIMETABLE, UNIFORMNOISE, NORMALNOISE, CLOCK, TICKCOUNT,
    SUM, MULTIPLY, DIVIDE, GAIN, BIAS, NEGATE, ABS, SIGN, SQUARE, SQRT, RECIPROCAL, POWER, EXP, LOG,
    LOG10, MINIMUM, MAXIMUM, HYPOT, MODULO, FLOOR, CEIL, ROUND,
    SIN, COS, TAN, ASIN, ACOS, ATAN, TANH, WRAPANGLE, ATAN2, CONVERT,
    LESS, LESSEQUAL, GREATER, GREATEREQUAL, NEAR, WITHIN, AND, OR, XOR, NAND, NOR, NOT,
    BOOLEANTOREAL, INTEGERTOREAL, REALTOINTEGER,
    UNITDELAY, DELAY, MOVINGAVERAGE, SAMPLEHOLD, LATCH, EDGE, TOGGLE, COUNTER, ONDELAY, OFFDELAY,
    SATURATION, DEADZONE, QUANTISER, HYSTERESIS, BACKLASH, RATELIMIT, POLYNOMIAL, LOOKUP1, LOOKUP2,
    INTEGRAL, INTEGRALFORWARD, LIMITEDINTEGRAL, RESETTINGINTEGRAL, LAG, HIGHPASS, LEADLAG,
    DERIVATIVE,
    PI, PID, SWITCH, MULTIPORTSWITCH, RATETRANSITION, SCALE, ENABLEDOUTPUT,
    SHIFTREGISTER, TRANSFERFUNCTION, STATESPACE, MUX, DEMUX, SELECT, MATRIXGAIN, DOT, CROSS, NORM,
    SUMELEMENTS, MATRIXPRODUCT, ROTATE, ROTATEBACK, ROTATIONABOUT, FORCETRANSFORM, STATEMACHINE,
    TRANSPOSE, ROTATIONFROMANGLES, ANGLESFROMROTATION, ROTATIONVECTOR, ROTATIONFROMVECTOR,
    QUATERNIONFROMROTATION, ROTATIONFROMQUATERNION, FORWARDKINEMATICS, JACOBIAN, DAMPEDLEASTSQUARES,
    COORDINATEDESCENT, HEXAPODLENGTHS,
    RESTART, PYTHONBLOCK,
) = range(KINDS)  # fmt: skip
CODES: Final[dict[str, int]] = {
    name: code for name, code in list(globals().items()) if name.isupper() and type(code) is int
}
"""Name of a kind in capitals → its code."""


def code_of(kind: BlockKind) -> int:
    """The code of a kind."""
    return PYTHONBLOCK if kind.functions is not None else CODES[kind.name.upper()]


FAST: Final[dict[str, Any]] = {"cache": True, "error_model": "numpy"}
INLINE: Final[dict[str, Any]] = {**FAST, "forceinline": True}
"""Of what is called once, or is short."""
SIGNATURE: Final = "int64(int64[:, ::1], int64[::1], float64[::1], int64)"


@intrinsic
def _start_of(typing_context: Any, array: Any) -> Any:
    """Pointer to the first entry of an array.

    Compiled functions that are given arrays count references to them at each call, a third of the
    time of a small block; pointers are plain numbers.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return context.make_array(signature.args[0])(context, builder, arguments[0]).data

    return types.CPointer(array.dtype)(array), generate


@intrinsic
def _call(
    typing_context: Any, address: Any, v: Any, u: Any, nu: Any, y: Any, ny: Any, x: Any, nx: Any,
    p: Any, count: Any, period: Any,
) -> Any:  # fmt: skip
    """Call a compiled function by its address, with places in the array and how many numbers."""
    pointer, whole = types.CPointer(types.float64), types.int64
    kinds = [pointer, whole] * 4 + [types.float64]
    called = types.ExternalFunctionPointer(types.int64(*kinds), None)

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        at, array, *places, h = arguments
        function = builder.inttoptr(at, context.get_value_type(called))
        given = [builder.gep(array, [one]) if n % 2 == 0 else one for n, one in enumerate(places)]
        return builder.call(function, [*given, h])

    return whole(whole, v, *(8 * [whole]), types.float64), generate


@njit(**INLINE)
def _floor(value: float) -> float:
    """The whole number below; 0 and not -0 for -0, as in Python."""
    return np.floor(value) + 0.0


@njit(**INLINE)
def _flag(value: bool) -> float:
    return 1.0 if value else 0.0


@njit(**INLINE)
def _clipped(value: float, low: float, high: float) -> float:
    return low if value < low else high if value > high else value


@njit(**FAST)
def _length(a: float, b: float) -> float:
    """Of a vector of two; libraries differ in the last bit of theirs."""
    long, short = (a, b) if a > b else (b, a)
    ratio = short / long if long > 0.0 else 0.0
    return long * math.sqrt(1.0 + ratio * ratio)


@njit(**FAST)
def _random(high: float, low: float, tick: int) -> float:
    """53 bits in [0, 1) of a seed and a counter: SplitMix64 (Steele, Lea, Flood 2014)."""
    z = (np.uint64(high) << np.uint64(32)) | np.uint64(low)
    z += (np.uint64(tick) + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    z = z ^ (z >> np.uint64(31))
    return np.float64(z >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit(**FAST)
def _interval(v: Array, p: int, count: int, u: float) -> int:
    """Number of the interval of an increasing table in which a value lies, the ends held."""
    low, high = 0, count - 1
    while high - low > 1:
        middle = (low + high) // 2
        if u < v[p + middle]:
            high = middle
        else:
            low = middle
    return low


@njit(**FAST)
def _fraction(v: Array, p: int, low: int, u: float) -> float:
    """Where a value lies within an interval, from 0 to 1."""
    first, last = v[p + low], v[p + low + 1]
    if u <= first:
        return 0.0
    return 1.0 if u >= last else (u - first) / (last - first)


@njit(**INLINE)
def _between(first: float, last: float, fraction: float) -> float:
    return last if fraction == 1.0 else first + (last - first) * fraction


@njit(**FAST)
def _pid(
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
def _element(code: int, tick: int, v: Array, x: Places, a: int, b: int, c: int, q: int, o: int,
             s: int, p: int, size: int) -> None:  # fmt: skip
    """Outputs of one element."""
    y = 0.0
    if code <= TICKCOUNT:
        y = _source(code, tick, v, p)
    elif code == SUM:
        y = v[p + 1] * v[a]
        for n in range(1, int(v[p])):
            y = y + v[p + 1 + n] * v[x[q + n]]
    elif code <= REALTOINTEGER:  # of one or two inputs alone
        y = _plain(code, v, p, v[a], v[b])
    elif code == UNITDELAY or code == INTEGRALFORWARD or code == LAG:
        y = v[s]
    elif code == DELAY:
        first = s
        y = v[first + 1 + int(v[first])]
    elif code == MOVINGAVERAGE:
        count = int(v[p])
        y = v[a]
        for n in range(1, count):
            y = y + v[s + n]
        y = y / v[p]
    elif code == SAMPLEHOLD:
        y = v[s] if v[b] != 0.0 else v[a]
    elif code == LATCH:
        y = _flag((v[s] != 0.0 or v[a] != 0.0) and v[b] == 0.0)
    elif code == EDGE:
        now, before = v[a] != 0.0, v[s] != 0.0
        if v[p] == 0.0:
            y = _flag(now and not before)
        elif v[p] == 1.0:
            y = _flag(before and not now)
        else:
            y = _flag(now != before)
    elif code == TOGGLE:
        turned = v[a] != 0.0 and v[s] == 0.0
        y = _flag((v[s + 1] != 0.0) != turned)
    elif code == COUNTER:
        if v[b] == 0.0:
            risen = v[a] != 0.0 and v[s] == 0.0
            y = v[s + 1] + _flag(risen)
            if v[p] > 0.0 and y >= v[p]:
                y = 0.0
    elif code == ONDELAY:
        y = _flag(v[a] != 0.0 and v[s] + 1.0 > v[p])
    elif code == OFFDELAY:
        y = _flag(v[a] != 0.0 or v[s] + 1.0 <= v[p])
    elif code == SATURATION:
        u = v[a]
        y = _clipped(u, v[p], v[p + 1])
        v[o + size] = _flag(u < v[p] or u > v[p + 1])
    elif code == DEADZONE:
        u = v[a]
        y = u - v[p] if u > v[p] else u + v[p] if u < -v[p] else 0.0
    elif code == QUANTISER:
        y = v[p] * _floor(v[a] / v[p] + 0.5)
    elif code == HYSTERESIS:
        u = v[a]
        y = 1.0 if u >= v[p] else 0.0 if u <= v[p + 1] else v[s]
    elif code == BACKLASH:
        u, y = v[a], v[s]
        y = u - v[p] if u - v[p] > y else u + v[p] if u + v[p] < y else y
    elif code == RATELIMIT:
        u, y = v[a], v[s]
        y = y + v[p] if u - y > v[p] else y - v[p + 1] if u - y < -v[p + 1] else u
    elif code == POLYNOMIAL:
        count = int(v[p])
        y = v[p + count]
        for n in range(count - 1, 0, -1):
            y = y * v[a] + v[p + n]
    elif code == LOOKUP1:
        u, count = v[a], int(v[p])
        low = _interval(v, p + 1, count, u)
        first = p + 1 + count + low
        y = _between(v[first], v[first + 1], _fraction(v, p + 1, low, u))
    elif code == LOOKUP2:
        u, w = v[a], v[b]
        rows, columns = int(v[p]), int(v[p + 1])
        row, column = _interval(v, p + 2, rows, u), _interval(v, p + 2 + rows, columns, w)
        along = _fraction(v, p + 2, row, u)
        first = p + 2 + rows + columns + row * columns + column
        y = _between(_between(v[first], v[first + columns], along),
                     _between(v[first + 1], v[first + columns + 1], along),
                     _fraction(v, p + 2 + rows, column, w))  # fmt: skip
    elif code == INTEGRAL or code == LIMITEDINTEGRAL:
        z = s
        y = v[z]
        if v[z + 2] != 0.0:
            y = v[z] + v[p] * (v[z + 1] + v[a])
        if code == LIMITEDINTEGRAL:
            y = _clipped(y, v[p + 1], v[p + 2])
    elif code == RESETTINGINTEGRAL:
        z = s
        if v[z + 2] != 0.0:
            y = v[z] + v[p] * (v[z + 1] + v[a])
    elif code == HIGHPASS:
        y = v[a] - v[s]
    elif code == LEADLAG:
        z = s
        y = (v[p] * v[a] + v[p + 1] * v[z]) - v[p + 2] * v[z + 1]
    elif code == DERIVATIVE:
        z = s
        y = (v[z + 1] + v[p] * (v[a] - v[z])) / v[p + 1]
    elif code == PI:
        z, e = s, v[a]
        total = v[z]
        if v[z + 2] != 0.0:
            total = v[z] + v[p] * (v[z + 1] + e)
        y = (v[b] + v[p + 1] * e) + v[p + 2] * total
    elif code == PID:
        _, _, _, free = _pid(v, p, s, v[a], v[b], v[c])
        y = _clipped(free, v[p + 7], v[p + 8])
        v[o + size] = _flag(free < v[p + 7] or free > v[p + 8])
    elif code == SWITCH:
        y = v[b] if v[a] != 0.0 else v[c]
    elif code == MULTIPORTSWITCH:
        y = v[x[q + int(_clipped(v[a], 1.0, v[p]))]]
    elif code == RATETRANSITION:
        y = v[a]
    elif code == SCALE:
        y = v[a] * v[b]
    elif code == ENABLEDOUTPUT:
        y = v[b] if v[a] != 0.0 else 0.0
    v[o] = y


@njit(**INLINE)
def _source(code: int, tick: int, v: Array, p: int) -> float:
    """Output of a source."""
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
        low = _interval(v, p + 2, count, t)
        first = p + 2 + count + low
        return _between(v[first], v[first + 1], _fraction(v, p + 2, low, t))
    if code == UNIFORMNOISE:
        return v[p + 2] + (v[p + 3] - v[p + 2]) * _random(v[p], v[p + 1], tick)
    if code == NORMALNOISE:
        radius = math.sqrt(-2.0 * math.log(1.0 - _random(v[p], v[p + 1], 2 * tick)))
        angle = 2.0 * math.pi * _random(v[p], v[p + 1], 2 * tick + 1)
        return v[p + 2] + v[p + 3] * (radius * math.cos(angle))
    return tick * v[p] if code == CLOCK else float(tick)


@njit(**INLINE)
def _plain(code: int, v: Array, p: int, a: float, b: float) -> float:
    """Of one or two inputs, without states."""
    if code == MULTIPLY:
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
        return _length(abs(a), abs(b))
    if code == MODULO:
        return a - v[p] * _floor(a / v[p])
    if code == FLOOR:
        return _floor(a)
    if code == CEIL:
        return -_floor(-a)
    if code == ROUND or code == REALTOINTEGER:
        return _floor(a + 0.5)
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
        return a - 2.0 * math.pi * _floor(a / (2.0 * math.pi) + 0.5)
    if code == ATAN2:
        return math.atan2(a, b)
    return _truth(code, v, p, a, b)


@njit(**INLINE)
def _truth(code: int, v: Array, p: int, a: float, b: float) -> float:
    """Comparison and logic."""
    if code == LESS:
        return _flag(a < b)
    if code == LESSEQUAL:
        return _flag(a <= b)
    if code == GREATER:
        return _flag(a > b)
    if code == GREATEREQUAL:
        return _flag(a >= b)
    if code == NEAR:
        return _flag(abs(a - b) <= v[p])
    if code == WITHIN:
        return _flag(v[p] <= a and a <= v[p + 1])
    if code == AND:
        return _flag(a != 0.0 and b != 0.0)
    if code == OR:
        return _flag(a != 0.0 or b != 0.0)
    if code == XOR:
        return _flag((a != 0.0) != (b != 0.0))
    if code == NAND:
        return _flag(not (a != 0.0 and b != 0.0))
    if code == NOR:
        return _flag(not (a != 0.0 or b != 0.0))
    if code == NOT:
        return _flag(a == 0.0)
    if code == BOOLEANTOREAL:
        return _flag(a != 0.0)
    return a  # INTEGERTOREAL


@njit(**FAST)
def _whole(code: int, part: int, v: Array, x: Places, q: int, o: int, s: int, p: int,
           size: int) -> None:  # fmt: skip
    """Outputs of a block whose elements hang together."""
    if code == SHIFTREGISTER:
        for n in range(size):
            v[o + n] = v[s + n]
    elif code == TRANSFERFUNCTION or code == STATESPACE:
        n, m, count = int(v[p]), int(v[p + 1]), int(v[p + 2])
        c = p + 3 + n * n + n * m
        d = c + count * n
        for j in range(count):
            if part < 0 or part == j:
                total = 0.0
                for k in range(n):
                    total = total + v[c + j * n + k] * v[s + k]
                for k in range(m):
                    if v[d + j * m + k] != 0.0:
                        total = total + v[d + j * m + k] * v[x[q + k]]
                v[o + j] = total
    elif code == MUX:
        for n in range(size):
            v[o + n] = v[x[q + n]]
    elif code == DEMUX:
        for n in range(size):
            v[o + n] = v[x[q] + n]
    elif code == SELECT:
        v[o] = v[x[q] + int(v[p + 1]) - 1]
    elif code == MATRIXGAIN:
        columns = int(v[p])
        for j in range(size):
            total = 0.0
            for k in range(columns):
                total = total + v[p + 1 + j * columns + k] * v[x[q] + k]
            v[o + j] = total
    elif code == DOT or code == NORM:
        total = 0.0
        other = x[q + 1] if code == DOT else x[q]
        for n in range(size):
            total = total + v[x[q] + n] * v[other + n]
        v[o] = total if code == DOT else math.sqrt(total)
    elif code == SUMELEMENTS:
        total = 0.0
        for n in range(size):
            total = total + v[x[q] + n]
        v[o] = total
    elif code == CROSS:
        a, b = x[q], x[q + 1]
        v[o] = v[a + 1] * v[b + 2] - v[a + 2] * v[b + 1]
        v[o + 1] = v[a + 2] * v[b] - v[a] * v[b + 2]
        v[o + 2] = v[a] * v[b + 1] - v[a + 1] * v[b]
    elif code == MATRIXPRODUCT:
        a, b = x[q], x[q + 1]
        for j in range(3):
            for k in range(3):
                v[o + 3 * j + k] = (v[a + 3 * j] * v[b + k] + v[a + 3 * j + 1] * v[b + 3 + k]) + v[
                    a + 3 * j + 2
                ] * v[b + 6 + k]
    elif code == ROTATE or code == ROTATEBACK:
        a, b = x[q], x[q + 1]
        row, column = (3, 1) if code == ROTATE else (1, 3)
        for j in range(3):
            v[o + j] = (v[a + row * j] * v[b] + v[a + row * j + column] * v[b + 1]) + v[
                a + row * j + 2 * column
            ] * v[b + 2]
    elif code == ROTATIONABOUT:
        _rotation(v, o, int(v[p]), math.cos(v[x[q]]), math.sin(v[x[q]]))
    elif code == FORCETRANSFORM:
        for j in range(size):
            rotation, position = x[q + 2] + 9 * j, x[q + 3] + 3 * j
            total = 0.0
            for k in range(3):
                arm = v[rotation + 3 * k + 1] * v[position] - v[rotation + 3 * k] * v[position + 1]
                total = total + v[x[q] + k] * arm
            for k in range(3):
                total = total + v[x[q + 1] + k] * v[rotation + 3 * k + 2]
            v[o + j] = total
    elif code == STATEMACHINE:
        taken, count = _taken(v, x, q, s, p), int(v[p + 1])
        state = int(v[s] if taken < 0 else v[taken + 1])
        first = p + 2 + 3 * int(v[p]) + state * count
        for n in range(count):
            v[o + n] = v[first + n]
        v[o + count] = state + 1.0
        v[o + count + 1] = v[s + 1] if taken < 0 else 0.0
    elif code >= TRANSPOSE and code <= ROTATIONFROMQUATERNION:
        _turned(code, v, x[q], o)
    elif code == FORWARDKINEMATICS:
        f = _chain(v, p, x[q]) + 12 * int(v[p])
        for n in range(3):
            v[o + n] = v[f + 9 + n]
        for n in range(9):
            v[o + 3 + n] = v[f + n]
    elif code == JACOBIAN:
        _jacobian(v, p, x[q], o)
    elif code == DAMPEDLEASTSQUARES:
        _least_squares(v, x, q, o, p)
    elif code == COORDINATEDESCENT:
        _descend(v, x, q, o, s, p)
    elif code == HEXAPODLENGTHS:
        a, b = x[q], x[q + 1]
        for j in range(size):
            low, high = p + 3 * j, p + 3 * size + 3 * j
            total = 0.0
            for k in range(3):
                turned = (v[b + 3 * k] * v[high] + v[b + 3 * k + 1] * v[high + 1]) + v[
                    b + 3 * k + 2
                ] * v[high + 2]
                apart = (v[a + k] + turned) - v[low + k]
                total = total + apart * apart
            v[o + j] = math.sqrt(total)
    elif code == PYTHONBLOCK:
        _python(0, v, x, q, o, s, p)
    elif code == RESTART and v[x[q]] != 0.0 and v[s] == 0.0:
        first = int(v[p])
        for n in range(int(v[p + 1])):
            v[first + n] = v[p + 2 + n]


@njit(**FAST)
def _python(which: int, v: Array, x: Places, q: int, o: int, s: int, p: int) -> None:
    """A block of another distribution. What it does not write is nan, and all of it if it fails.

    Numbers: inputs, size of each; outputs, states, parameters; period; parameters; room for inputs.
    """
    ports = int(v[p])
    n = p + 1 + ports
    outputs, states, count = int(v[n]), int(v[n + 1]), int(v[n + 2])
    first = n + 4
    inputs, u = first + count, first + count
    for port in range(ports):
        for element in range(int(v[p + 1 + port])):
            v[u] = v[x[q + port] + element]
            u += 1
    address = x[q + ports + which]
    if address != 0:
        if which == 0:
            for element in range(outputs):
                v[o + element] = math.nan
        _call(  # pyright: ignore[reportCallIssue]
            address, v, inputs, u - inputs, o, outputs, s, states, first, count, v[n + 3]
        )


@njit(**FAST)
def _taken(v: Array, x: Places, q: int, s: int, p: int) -> int:
    """Place of the numbers of the transition that is taken; -1 if none is."""
    for n in range(int(v[p])):
        t = p + 2 + 3 * n
        if (v[t] < 0.0 or v[t] == v[s]) and v[x[q + int(v[t + 2])]] != 0.0:
            return t
    return -1


@njit(**FAST)
def _turned(code: int, v: Array, u: int, o: int) -> None:
    """Forms of a rotation."""
    if code == TRANSPOSE:
        for j in range(3):
            for k in range(3):
                v[o + 3 * j + k] = v[u + 3 * k + j]
    elif code == ROTATIONFROMANGLES:
        ca, sa = math.cos(v[u]), math.sin(v[u])
        cb, sb = math.cos(v[u + 1]), math.sin(v[u + 1])
        cc, sc = math.cos(v[u + 2]), math.sin(v[u + 2])
        v[o] = cc * cb
        v[o + 1] = cc * sb * sa - sc * ca
        v[o + 2] = cc * sb * ca + sc * sa
        v[o + 3] = sc * cb
        v[o + 4] = sc * sb * sa + cc * ca
        v[o + 5] = sc * sb * ca - cc * sa
        v[o + 6] = -sb
        v[o + 7] = cb * sa
        v[o + 8] = cb * ca
    elif code == ANGLESFROMROTATION:
        v[o] = math.atan2(v[u + 7], v[u + 8])
        v[o + 1] = math.atan2(-v[u + 6], _length(abs(v[u]), abs(v[u + 3])))
        v[o + 2] = math.atan2(v[u + 3], v[u])
    elif code == ROTATIONVECTOR:
        _logarithm(v, u, o)
    elif code == ROTATIONFROMVECTOR:
        a, b, c = v[u], v[u + 1], v[u + 2]
        angle = math.sqrt(a * a + b * b + c * c)
        first, half = 1.0, 0.5
        if angle > 0.0:
            first, half = math.sin(angle) / angle, math.sin(0.5 * angle) / angle
        second = 2.0 * half * half
        v[o] = 1.0 - second * (b * b + c * c)
        v[o + 1] = second * (a * b) - first * c
        v[o + 2] = second * (a * c) + first * b
        v[o + 3] = second * (a * b) + first * c
        v[o + 4] = 1.0 - second * (a * a + c * c)
        v[o + 5] = second * (b * c) - first * a
        v[o + 6] = second * (a * c) - first * b
        v[o + 7] = second * (b * c) + first * a
        v[o + 8] = 1.0 - second * (a * a + b * b)
    elif code == QUATERNIONFROMROTATION:
        _quaternion(v, u, o)
    else:
        w, a, b, c = v[u], v[u + 1], v[u + 2], v[u + 3]
        second = 2.0 / (w * w + a * a + b * b + c * c)
        v[o] = 1.0 - second * (b * b + c * c)
        v[o + 1] = second * (a * b - w * c)
        v[o + 2] = second * (a * c + w * b)
        v[o + 3] = second * (a * b + w * c)
        v[o + 4] = 1.0 - second * (a * a + c * c)
        v[o + 5] = second * (b * c - w * a)
        v[o + 6] = second * (a * c - w * b)
        v[o + 7] = second * (b * c + w * a)
        v[o + 8] = 1.0 - second * (a * a + b * b)


@njit(**FAST)
def _quaternion(v: Array, u: int, o: int) -> None:
    """Of a rotation, by the greatest of its four numbers (Shepperd 1978)."""
    trace = v[u] + v[u + 4] + v[u + 8]
    most, value = -1, trace
    for n in range(3):
        if v[u + 4 * n] > value:
            most, value = n, v[u + 4 * n]
    if most < 0:
        root = math.sqrt(1.0 + trace)
        part = 0.5 / root
        v[o] = 0.5 * root
        v[o + 1] = part * (v[u + 7] - v[u + 5])
        v[o + 2] = part * (v[u + 2] - v[u + 6])
        v[o + 3] = part * (v[u + 3] - v[u + 1])
    else:
        j, k = (most + 1) % 3, (most + 2) % 3
        root = math.sqrt(1.0 + (v[u + 4 * most] - v[u + 4 * j] - v[u + 4 * k]))
        part = 0.5 / root
        v[o] = part * (v[u + 3 * k + j] - v[u + 3 * j + k])
        v[o + 1 + most] = 0.5 * root
        v[o + 1 + j] = part * (v[u + 3 * j + most] + v[u + 3 * most + j])
        v[o + 1 + k] = part * (v[u + 3 * k + most] + v[u + 3 * most + k])


@njit(**FAST)
def _logarithm(v: Array, u: int, o: int) -> None:
    """Axis times angle of a rotation; near half a turn by the greatest column of R + 1."""
    a = 0.5 * (v[u + 7] - v[u + 5])
    b = 0.5 * (v[u + 2] - v[u + 6])
    c = 0.5 * (v[u + 3] - v[u + 1])
    sine = math.sqrt(a * a + b * b + c * c)
    cosine = 0.5 * (v[u] + v[u + 4] + v[u + 8] - 1.0)
    angle = math.atan2(sine, cosine)
    if cosine > -0.99:
        part = angle / sine if sine > 0.0 else 1.0
        v[o], v[o + 1], v[o + 2] = part * a, part * b, part * c
        return
    most = 0
    for n in range(1, 3):
        if v[u + 4 * n] > v[u + 4 * most]:
            most = n
    total = 0.0
    for n in range(3):
        one = 0.5 * (v[u + 3 * n + most] + v[u + 3 * most + n])
        if n == most:
            one = one - cosine
        v[o + n] = one
        total = total + one * one
    along = v[o] * a + v[o + 1] * b + v[o + 2] * c
    part = angle / math.sqrt(total)
    if along < 0.0:
        part = -part
    for n in range(3):
        v[o + n] = part * v[o + n]


@njit(**FAST)
def _chain(v: Array, p: int, q: int) -> int:
    """Poses of an arm's joints and of its end, as matrix and place each; where the first stands."""
    joints = int(v[p])
    f = p + 1 + 5 * joints
    for n in range(12):
        v[f + n] = 1.0 if n == 0 or n == 4 or n == 8 else 0.0
    for i in range(joints):
        r, g = p + 1 + 5 * i, f + 12 * i
        angle = v[r] + v[q + i]
        c, s, d, a, ca, sa = (
            math.cos(angle),
            math.sin(angle),
            v[r + 1],
            v[r + 2],
            v[r + 3],
            v[r + 4],
        )
        for k in range(3):
            x, y, z = v[g + 3 * k], v[g + 3 * k + 1], v[g + 3 * k + 2]
            h = g + 12 + 3 * k
            v[h] = x * c + y * s
            v[h + 1] = (y * (c * ca) - x * (s * ca)) + z * sa
            v[h + 2] = (x * (s * sa) - y * (c * sa)) + z * ca
            v[g + 21 + k] = v[g + 9 + k] + ((x * (a * c) + y * (a * s)) + z * d)
    return f


@njit(**FAST)
def _jacobian(v: Array, p: int, q: int, o: int) -> None:
    joints = int(v[p])
    f = _chain(v, p, q)
    end, angular = f + 12 * joints + 9, o + 3 * joints
    for i in range(joints):
        g = f + 12 * i
        a, b, c = v[g + 2], v[g + 5], v[g + 8]
        x, y, z = v[end] - v[g + 9], v[end + 1] - v[g + 10], v[end + 2] - v[g + 11]
        v[o + i] = b * z - c * y
        v[o + joints + i] = c * x - a * z
        v[o + 2 * joints + i] = a * y - b * x
        v[angular + i], v[angular + joints + i], v[angular + 2 * joints + i] = a, b, c


@njit(**FAST)
def _least_squares(v: Array, x: Places, q: int, o: int, p: int) -> None:
    """Cholesky's factor of J J^T + damping^2 1 stands behind the numbers, then the solution."""
    joints, damping, length = int(v[p]), v[p + 1], v[p + 2]
    m, e = p + 3, p + 39
    for j in range(6):
        for k in range(j + 1):
            total = damping * damping if j == k else 0.0
            for n in range(joints):
                first = v[x[q + j // 3] + (j % 3) * joints + n]
                other = v[x[q + k // 3] + (k % 3) * joints + n]
                first = first / length if j < 3 else first
                other = other / length if k < 3 else other
                total = total + first * other
            for n in range(k):
                total = total - v[m + 6 * j + n] * v[m + 6 * k + n]
            v[m + 6 * j + k] = math.sqrt(total) if j == k else total / v[m + 7 * k]
    for j in range(6):
        total = v[x[q + 2 + j // 3] + j % 3]
        total = total / length if j < 3 else total
        for n in range(j):
            total = total - v[m + 6 * j + n] * v[e + n]
        v[e + j] = total / v[m + 7 * j]
    for j in range(5, -1, -1):
        total = v[e + j]
        for n in range(j + 1, 6):
            total = total - v[m + 6 * n + j] * v[e + n]
        v[e + j] = total / v[m + 7 * j]
    for n in range(joints):
        total = 0.0
        for j in range(6):
            one = v[x[q + j // 3] + (j % 3) * joints + n]
            total = total + (one / length if j < 3 else one) * v[e + j]
        v[o + n] = total


@njit(**FAST)
def _descend(v: Array, x: Places, q: int, o: int, s: int, p: int) -> None:
    """Sweeps from the last joint to the first; the end's pose is turned along."""
    joints, place, matrix = int(v[p]), x[q], x[q + 1]
    f = p + 1 + 5 * joints
    w = f + 12 * (joints + 1)
    low, high, angles = w + 3, w + 3 + joints, w + 3 + 2 * joints
    for n in range(joints):
        v[angles + n] = v[s + n]
    weight = 0.5 * (v[w + 2] * v[w + 2])
    for _ in range(int(v[w])):
        _chain(v, p, angles)
        end = f + 12 * joints
        for i in range(joints - 1, -1, -1):
            g = f + 12 * i
            a, b = _gains(v, g, place, g + 9, end + 9, g + 9, 1)
            if weight > 0.0:
                for k in range(3):
                    more, turned = _gains(v, g, matrix + k, -1, end + k, -1, 3)
                    a, b = a + weight * more, b + weight * turned
            turn = math.atan2(b, a) if a != 0.0 or b != 0.0 else 0.0
            turn = _clipped(turn, -v[w + 1], v[w + 1])
            wanted = _clipped(v[angles + i] + turn, v[low + i], v[high + i])
            turn = wanted - v[angles + i]
            v[angles + i] = wanted
            c, t = math.cos(turn), math.sin(turn)
            _turn_about(v, g, end + 9, g + 9, 1, c, t)
            for k in range(3):
                _turn_about(v, g, end + k, -1, 3, c, t)
    total = 0.0
    for k in range(3):
        apart = v[f + 12 * joints + 9 + k] - v[place + k]
        total = total + apart * apart
    for n in range(joints):
        v[o + n] = v[angles + n]
    v[o + joints] = math.sqrt(total)


@njit(**FAST)
def _gains(v: Array, g: int, t: int, less: int, r: int, from_: int, step: int
           ) -> tuple[float, float]:  # fmt: skip
    """What cosine and sine of a turn of r about a pose's z bring along t."""
    x, y, z = v[r], v[r + step], v[r + 2 * step]
    i, j, k = v[t], v[t + step], v[t + 2 * step]
    if less >= 0:
        x, y, z = x - v[from_], y - v[from_ + 1], z - v[from_ + 2]
        i, j, k = i - v[less], j - v[less + 1], k - v[less + 2]
    a, b, c = v[g + 2], v[g + 5], v[g + 8]
    along = (a * x + b * y) + c * z
    upon = (a * i + b * j) + c * k
    both = (x * i + y * j) + z * k
    sine = (i * (b * z - c * y) + j * (c * x - a * z)) + k * (a * y - b * x)
    return both - along * upon, sine


@njit(**FAST)
def _turn_about(v: Array, g: int, r: int, from_: int, step: int, c: float, t: float) -> None:
    """Turn a place, or an axis, about a pose's z."""
    x, y, z = v[r], v[r + step], v[r + 2 * step]
    i, j, k = 0.0, 0.0, 0.0
    if from_ >= 0:
        i, j, k = v[from_], v[from_ + 1], v[from_ + 2]
    x, y, z = x - i, y - j, z - k
    a, b, d = v[g + 2], v[g + 5], v[g + 8]
    along = ((a * x + b * y) + d * z) * (1.0 - c)
    v[r] = i + ((c * x + t * (b * z - d * y)) + along * a)
    v[r + step] = j + ((c * y + t * (d * x - a * z)) + along * b)
    v[r + 2 * step] = k + ((c * z + t * (a * y - b * x)) + along * d)


@njit(**FAST)
def _rotation(v: Array, o: int, axis: int, c: float, s: float) -> None:
    """Rows of a rotation about x, y or z."""
    for n in range(9):
        v[o + n] = 0.0
    after, last = (axis + 1) % 3, (axis + 2) % 3
    v[o + 4 * axis] = 1.0
    v[o + 4 * after] = c
    v[o + 4 * last] = c
    v[o + 3 * after + last] = -s
    v[o + 3 * last + after] = s


@njit(**INLINE)
def _advance(code: int, v: Array, a: int, b: int, c: int, o: int, s: int, p: int) -> None:
    """Next states of one element."""
    u, y = v[a], v[o]
    if code == UNITDELAY or code == EDGE:
        v[s] = u
    elif (
        code == SAMPLEHOLD
        or code == LATCH
        or code == HYSTERESIS
        or code == BACKLASH
        or code == RATELIMIT
    ):
        v[s] = y
    elif code == DELAY:
        count = int(v[p])
        first = s
        head = int(v[first])
        v[first + 1 + head] = u
        v[first] = float(head + 1 if head + 1 < count else 0)
    elif code == MOVINGAVERAGE:
        count = int(v[p])
        if count > 1:
            first = s
            head = int(v[first])
            v[first + 1 + head] = u
            v[first] = float(head + 1 if head + 2 < count else 0)
    elif code == TOGGLE or code == COUNTER:
        v[s] = u
        v[s + 1] = y
    elif code == ONDELAY:
        v[s] = 0.0 if u == 0.0 else _clipped(v[s] + 1.0, 0.0, v[p] + 1.0)
    elif code == OFFDELAY:
        v[s] = 0.0 if u != 0.0 else _clipped(v[s] + 1.0, 0.0, v[p] + 1.0)
    elif code == INTEGRAL or code == LIMITEDINTEGRAL:
        z = s
        v[z] = y
        v[z + 1] = u
        v[z + 2] = 1.0
    elif code == INTEGRALFORWARD:
        v[s] = v[s] + v[p] * u
    elif code == RESETTINGINTEGRAL:
        z = s
        v[z] = y
        v[z + 1] = u
        v[z + 2] = v[z + 2] + 1.0 if v[z + 2] + 1.0 < v[p + 1] else 0.0
    elif code == LAG or code == HIGHPASS:
        v[s] = v[s] + v[p] * (u - v[s])
    elif code == LEADLAG or code == DERIVATIVE:
        v[s] = u
        v[s + 1] = y
    elif code == PI:
        z = s
        if v[z + 2] != 0.0:
            v[z] = v[z] + v[p] * (v[z + 1] + u)
        v[z + 1] = u
        v[z + 2] = 1.0
    elif code == PID:
        z, measured = s, v[b]
        w, d, moved, free = _pid(v, p, z, u, measured, v[c])
        v[z] = (moved + v[p + 1] * (u - measured)) + v[p + 6] * (y - free)
        v[z + 1] = d
        v[z + 2] = measured
        v[z + 3] = w
        v[z + 4] = v[p]
        v[z + 5] = v[p + 2]
        v[z + 6] = 1.0


@njit(**FAST)
def _advance_whole(code: int, v: Array, x: Places, q: int, o: int, s: int, p: int) -> None:
    """Next states of a block whose elements hang together."""
    if code == SHIFTREGISTER:
        for n in range(int(v[p]) - 1, 0, -1):
            v[s + n] = v[s + n - 1]
        v[s] = v[x[q]]
    elif code == TRANSFERFUNCTION or code == STATESPACE:
        n, m = int(v[p]), int(v[p + 1])
        a = p + 3
        b = a + n * n
        for j in range(n):
            total = 0.0
            for k in range(n):
                total = total + v[a + j * n + k] * v[s + k]
            for k in range(m):
                total = total + v[b + j * m + k] * v[x[q + k]]
            v[s + n + j] = total
        for j in range(n):
            v[s + j] = v[s + n + j]
    elif code == STATEMACHINE:
        taken = _taken(v, x, q, s, p)
        if taken >= 0:
            v[s] = v[taken + 1]
            v[s + 1] = 0.0
        v[s + 1] = v[s + 1] + 1.0
    elif code == COORDINATEDESCENT:
        joints = int(v[p])
        first = p + 16 + 19 * joints
        for n in range(joints):
            v[s + n] = v[first + n]
    elif code == PYTHONBLOCK:
        _python(1, v, x, q, o, s, p)
    elif code == RESTART:
        v[s] = v[x[q]]


@njit(SIGNATURE, **FAST)
def step(rows: Rows, index: Places, values: Array, tick: int) -> int:
    """Compute a tick; the first row that made a number that is not finite, -1 if none did.

    Args:
        rows: The table, shape (R, 15).
        index: Place and number of the rows that have states; lists of places of inputs; those rows.
        values: All numbers, written.
        tick: Base ticks since the start.
    """
    x, v = _start_of(index), _start_of(values)  # pyright: ignore[reportCallIssue]
    for r in range(rows.shape[0]):
        rate = rows[r, RATE]
        if rate != 1 and (tick < rows[r, OFFSET] or (tick - rows[r, OFFSET]) % rate != 0):
            continue
        enable = rows[r, ENABLE]
        if enable >= 0 and v[enable] == 0.0:
            continue
        code, q, o, s = rows[r, CODE], rows[r, INPUTS], rows[r, OUTPUTS], rows[r, STATES]
        p, size = rows[r, NUMBERS], rows[r, SIZE]
        if code <= ENABLEDOUTPUT:
            a, b, c = rows[r, FIRST], rows[r, SECOND], rows[r, THIRD]
            _element(code, tick, v, x, a, b, c, q, o, s, p, size)
            if not (v[o] - v[o] == 0.0):
                return r
        else:
            _whole(code, rows[r, PART], v, x, q, o, s, p, size)
            first = rows[r, CHECKED]
            for place in range(first, first + rows[r, COUNT]):
                if not (v[place] - v[place] == 0.0):
                    return r
    for n in range(x[0], x[0] + x[1]):
        r = x[n]
        rate = rows[r, RATE]
        if rate != 1 and (tick < rows[r, OFFSET] or (tick - rows[r, OFFSET]) % rate != 0):
            continue
        enable = rows[r, ENABLE]
        if enable >= 0 and v[enable] == 0.0:
            continue
        code, s, p = rows[r, CODE], rows[r, STATES], rows[r, NUMBERS]
        if code <= ENABLEDOUTPUT:
            a, b, c = rows[r, FIRST], rows[r, SECOND], rows[r, THIRD]
            _advance(code, v, a, b, c, rows[r, OUTPUTS], s, p)
        else:
            _advance_whole(code, v, x, rows[r, INPUTS], rows[r, OUTPUTS], s, p)
    return -1
