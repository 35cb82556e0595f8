"""From the JSON of a frame to numbers, a gigabyte in a few seconds, without the interpreter's lock.

All frames of a recording are written by one function: the same keys in the same order. So the
order of the values is learnt from one frame by an ordinary JSON reader, and the others are read by
a kernel that collects values, and a sum over the keys to see that they are the same. A frame that
the kernel does not understand is told, and read the ordinary way.

Decimal to binary: the digits make a whole number below 2⁶⁴, which times a power of ten is computed
in twice the precision (T. J. Dekker, "A floating-point technique for extending the available
precision", Numer. Math. 18, 1971) and rounded once: the nearest double, as the ordinary reader
finds it.
"""

from fractions import Fraction
from typing import Any, Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

LOWEST_EXPONENT: Final = -270
HIGHEST_EXPONENT: Final = 270
"""Powers of ten beyond these are left to the ordinary reader."""

_HASH_START: Final = np.uint64(14695981039346656037)  # FNV-1a, 64 bits
_HASH_STEP: Final = np.uint64(1099511628211)


def _powers() -> Array:
    """Powers of ten as sums of two doubles, (exponents, 2)."""
    table = np.empty((HIGHEST_EXPONENT - LOWEST_EXPONENT + 1, 2))
    for row, exponent in enumerate(range(LOWEST_EXPONENT, HIGHEST_EXPONENT + 1)):
        exact = Fraction(10) ** exponent
        table[row, 0] = float(exact)
        table[row, 1] = float(exact - Fraction(float(exact)))
    table.setflags(write=False)
    return table


POWERS: Final = _powers()


def text_hash(words: bytes) -> int:
    """FNV-1a of a text, as the kernel computes it."""
    value = int(_HASH_START)
    for byte in words:
        value = ((value ^ byte) * int(_HASH_STEP)) % 2**64
    return value


@njit(cache=True, error_model="numpy", nogil=True)
def scaled(digits: np.uint64, exponent: int, powers: Any) -> float:
    """Digits times ten to the exponent, rounded to the nearest double.

    Args:
        digits: a whole number.
        exponent: between the lowest and the highest one.
        powers: `POWERS`.
    """
    high = float(digits)
    if high >= 18446744073709551616.0:
        low = -float(np.uint64(0) - digits)  # it was rounded up to 2⁶⁴ itself
    else:
        back = np.uint64(high)
        low = float(digits - back) if digits >= back else -float(back - digits)
    p_high, p_low = powers[exponent + 270, 0], powers[exponent + 270, 1]
    product = high * p_high
    big = 134217729.0 * high
    a1 = big - (big - high)
    a2 = high - a1
    big = 134217729.0 * p_high
    b1 = big - (big - p_high)
    b2 = p_high - b1
    error = ((a1 * b1 - product) + a1 * b2 + a2 * b1) + a2 * b2
    return product + (error + (high * p_low + low * p_high))


@njit(cache=True, error_model="numpy", nogil=True)
def _number(data: Any, at: int, end: int, powers: Any) -> tuple[float, int]:
    """A JSON number from `at` on: its value and the place behind; the place is -1 if none."""
    negative = data[at] == 45
    if negative:
        at += 1
    if at >= end or data[at] < 48 or data[at] > 57:
        return 0.0, -1
    digits = np.uint64(0)
    kept, exponent = 0, 0
    point = False
    while at < end:
        byte = data[at]
        if 48 <= byte <= 57:
            if kept < 19:
                digits = digits * np.uint64(10) + np.uint64(byte - 48)
                if digits > 0:
                    kept += 1
                if point:
                    exponent -= 1
            else:
                return 0.0, -1  # more digits than a double ever needs
        elif byte == 46 and not point:
            point = True
        else:
            break
        at += 1
    if at < end and (data[at] == 101 or data[at] == 69):
        at += 1
        sign = 1
        if at < end and (data[at] == 45 or data[at] == 43):
            sign = -1 if data[at] == 45 else 1
            at += 1
        power, first = 0, at
        while at < end and 48 <= data[at] <= 57 and power < 1000:
            power = power * 10 + (data[at] - 48)
            at += 1
        if at == first:
            return 0.0, -1
        exponent += sign * power
    if digits == 0:
        return (-0.0 if negative else 0.0), at
    if exponent < -270 or exponent > 270:
        return 0.0, -1
    value = scaled(digits, exponent, powers)
    return (-value if negative else value), at


@njit(cache=True, error_model="numpy", nogil=True)
def read_frames(
    data: Any, spans: Any, order: Any, keys: Any, words: Any, powers: Any, table: Any, read: Any
) -> None:
    """Read the frames of a chunk.

    Args:
        data: the chunk, uint8.
        spans: first byte of each frame's JSON and the one behind, (n, 2).
        order: column of each value in the order of the JSON, (values,).
        keys: hash of all keys of a frame after each other, uint64, (1,).
        words: hash of a text and the number that stands for it, uint64, (m, 2).
        powers: `POWERS`.
        table: where the values go, (n, values).
        read: becomes 1 for each frame that was understood, else 0, uint8, (n,).
    """
    for row in range(len(spans)):
        at, end = spans[row, 0], spans[row, 1]
        found, right = 0, True
        seen = np.uint64(14695981039346656037)
        while at < end and right:
            byte = data[at]
            value = np.nan
            if byte == 34:  # a text: a key if a colon follows
                word = np.uint64(14695981039346656037)
                start = at + 1
                at = start
                while at < end and data[at] != 34:
                    if data[at] == 92:
                        right = False  # an escape: not of our making
                    word = (word ^ np.uint64(data[at])) * np.uint64(1099511628211)
                    at += 1
                at += 1
                if at < end and data[at] == 58:
                    seen = (seen ^ word) * np.uint64(1099511628211)
                    at += 1
                    continue
                known = False
                for number in range(len(words)):
                    if words[number, 0] == word:
                        value = float(words[number, 1])
                        known = True
                right = right and known
            elif byte == 110:  # null
                at += 4
            elif byte == 45 or 48 <= byte <= 57:
                value, at = _number(data, at, end, powers)
                if at < 0:
                    right = False
                    break
            else:
                at += 1  # brackets and commas
                continue
            if found >= len(order):
                right = False
                break
            table[row, order[found]] = value
            found += 1
        read[row] = 1 if right and found == len(order) and seen == keys[0] else 0
