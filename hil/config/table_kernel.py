"""Numbers of a block of whole lines, byte by byte, compiled.

The grammar is that of `hil.config.cells.number_in`, and the numbers are the same to the last bit: a
decimal of at most 2**53 and a power of ten of at most 22 are floats without an error, and so one
multiplication or division of them rounds once (Clinger, "How to Read Floating Point Numbers
Accurately", 1990). Any other number is left to a parser that rounds rightly.
"""

from typing import Final

import numpy as np
from numba import njit

SKIPPED: Final = -1
"""Slot of a column that is passed over."""
SPAN: Final = -2
"""Slot of the column whose cells are given by their places."""
NO_SIGN: Final = -1
"""No byte is this: the numbers have no decimals."""
CELL_MOST: Final = 1000
"""Characters of a cell; longer ones are left to the exact reader."""
_EXACT: Final = 2**53
_POWERS: Final = 10.0 ** np.arange(23)
_TAB, _LINE, _RETURN, _SPACE, _QUOTE = (ord(each) for each in '\t\n\r "')
_HASH, _PERCENT, _SLASH = (ord(each) for each in "#%/")
_PLUS, _MINUS, _POINT, _COMMA, _ZERO, _NINE = (ord(each) for each in "+-.,09")
_BIG_D, _BIG_E, _SMALL_D, _SMALL_E = (ord(each) for each in "DEde")


@njit(cache=True, error_model="numpy")
def _past_blanks(data: np.ndarray, at: int, delimiter: int) -> int:
    while data[at] == _SPACE or (data[at] == _TAB and delimiter != _TAB):
        at += 1
    return at


@njit(cache=True, error_model="numpy")
def _end_of_text(data: np.ndarray, at: int, delimiter: int, first: bool) -> int:
    """End of a cell that may hold anything; -1 if it is not for this reader."""
    begin = at
    at = _past_blanks(data, at, delimiter)
    if first and data[at] in (_HASH, _PERCENT, _SLASH):
        return -1
    while True:
        byte = data[at]
        if byte in (delimiter, _LINE, _RETURN):
            return at if at - begin <= CELL_MOST else -1
        if byte == _QUOTE or byte >= 127 or (byte < _SPACE and byte != _TAB):
            return -1
        at += 1


@njit(cache=True, error_model="numpy")
def _number(
    data: np.ndarray, at: int, delimiter: int, decimal: int
) -> tuple[int, int, int, float, bool]:
    """Begin and end of the number of a cell, where the cell ends, its value, whether it is exact.

    It ends at -1 if it is no number.
    """
    begin = at = _past_blanks(data, at, delimiter)
    negative = data[at] == _MINUS
    if negative or data[at] == _PLUS:
        at += 1
    mantissa, places, digits, seen = np.int64(0), 0, 0, False
    while True:
        byte = data[at]
        if _ZERO <= byte <= _NINE:
            digits += 1
            if mantissa <= _EXACT:
                mantissa = 10 * mantissa + np.int64(byte - _ZERO)
            places += seen
        elif byte == decimal and not seen:
            seen = True
        else:
            break
        at += 1
    if digits == 0:
        return begin, at, -1, 0.0, False
    power = 0
    if byte in (_SMALL_E, _BIG_E, _SMALL_D, _BIG_D):
        at += 1
        below = data[at] == _MINUS
        if below or data[at] == _PLUS:
            at += 1
        first = at
        while _ZERO <= data[at] <= _NINE:
            if power < 10_000:
                power = 10 * power + (data[at] - _ZERO)
            at += 1
        if at == first:
            return begin, at, -1, 0.0, False
        power = -power if below else power
    end = at
    at = _past_blanks(data, at, delimiter)
    if at - begin > CELL_MOST:
        return begin, end, -1, 0.0, False
    power -= places
    if mantissa > _EXACT or power > 22 or power < -22:
        return begin, end, at, 0.0, False
    value = mantissa * _POWERS[power] if power >= 0 else mantissa / _POWERS[-power]
    return begin, end, at, -value if negative else value, True


@njit(cache=True, error_model="numpy")
def read_block(
    data: np.ndarray, slots: np.ndarray, delimiter: int, decimal: int, most: float,
    values: np.ndarray, spans: np.ndarray, doubts: np.ndarray, text: np.ndarray,
) -> tuple[int, int, int]:  # fmt: skip
    """Read a block that ends with a line's end.

    Args:
        data: bytes, shape (L,).
        slots: row of `values` that each column of the file goes to, or `SKIPPED`, `SPAN`.
        delimiter: between columns.
        decimal: sign of decimals, or `NO_SIGN`.
        most: greatest magnitude of a number.
        values: becomes the numbers, shape (K, N), N at least the lines of the block.
        spans: becomes begin and end of each cell of the column `SPAN`, shape (N, 2).
        doubts: becomes slot and row of each number that is left to another parser, shape (K N, 2).
        text: becomes these numbers, each with a comma behind it, shape (L + 1,).

    Returns:
        Rows, or -1 if something is not for this reader; how many doubts; length of their text.
    """
    at, row, left, used, last = 0, 0, 0, 0, len(slots) - 1
    while at < len(data):
        for column in range(last + 1):
            slot = slots[column]
            if slot >= 0:
                begin, end, at, value, exact = _number(data, at, delimiter, decimal)
                if at < 0 or not (abs(value) <= most):
                    return -1, 0, 0
                if exact:
                    values[slot, row] = value
                else:
                    doubts[left, 0], doubts[left, 1] = slot, row
                    left += 1
                    used = _copy(data, begin, end, text, used)
            else:
                begin = at
                at = _end_of_text(data, at, delimiter, column == 0)
                if at < 0:
                    return -1, 0, 0
                if slot == SPAN:
                    spans[row, 0], spans[row, 1] = _past_blanks(data, begin, delimiter), at
            if column < last and data[at] != delimiter:
                return -1, 0, 0
            if column == last:
                at += data[at] == _RETURN
                if data[at] != _LINE:
                    return -1, 0, 0
            at += 1
        row += 1
    return row, left, used


@njit(cache=True, error_model="numpy")
def _copy(data: np.ndarray, begin: int, end: int, text: np.ndarray, used: int) -> int:
    for at in range(begin, end):
        byte = data[at]
        if byte == _COMMA:
            byte = _POINT
        elif byte in (_SMALL_D, _BIG_D):
            byte = _SMALL_E
        text[used] = byte
        used += 1
    text[used] = _COMMA
    return used + 1
