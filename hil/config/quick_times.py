"""Times of many rows at once: stamps, and numbers that are counted from the first.

They are the same to the last bit as `hil.config.cells.TimeCells` gives them one by one. What is
not plainly of one form is not judged here: the answer is None.
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.cells import STAMP, TimeCells, stamp_ns_in

_DIGITS_MOST: Final = 18
"""Most digits that fit into 64 bits."""
_NS: Final = 10**9
_ZERO, _NINE = ord("0"), ord("9")


def read_times(
    data: NDArray[np.uint8], spans: NDArray[np.int64], clock: TimeCells, decimal: str
) -> NDArray[np.float64] | None:
    """Times of cells [s], or in their own unit, from the first one that the clock took.

    Args:
        data: bytes of a block, shape (L,).
        spans: begin and end of each cell without the blanks before it, shape (N, 2).
        clock: of the file, begun.
        decimal: sign of decimals, or empty.

    Returns:
        Shape (N,); None if a cell is for the exact reader, or may be.
    """
    widths = spans[:, 1] - spans[:, 0]
    if not widths.all():
        return None
    times = np.empty(len(spans))
    for width in np.unique(widths):
        rows = np.flatnonzero(widths == width)
        begins = spans[rows, 0]
        cells = np.array([data[begins + k] for k in range(width)])
        found = _stamps(cells, clock) if clock.kind == "stamps" else _long(cells, clock, decimal)
        if found is None:
            return None
        times[rows] = found
    return times


def _stamps(cells: NDArray[np.uint8], clock: TimeCells) -> NDArray[np.float64] | None:
    """Times of stamps that are written as the first of them is, shape (N,)."""
    form = STAMP.fullmatch(_cell(cells, 0))
    if form is None or not _same_form(cells, form.start(9) if form[9] else len(cells)):
        return None
    hour, minute, second = (_whole(cells, *form.span(group)) for group in (4, 6, 7))
    if hour.max() > 23 or minute.max() > 59 or second.max() > 59:
        return None
    part = _whole(cells, *form.span(8)) * 10 ** (9 - len(form[8])) if form[8] else 0
    of_day = (3600 * hour + 60 * minute + second) * _NS + part
    if form[1] is None:
        days = np.zeros_like(of_day)
    else:
        days = sum(_whole(cells, *form.span(group)) * 100 ** (3 - group) for group in (1, 2, 3))
    times = np.empty(len(of_day))
    for day in np.unique(days):
        rows = np.flatnonzero(days == day)
        stamp = stamp_ns_in(_cell(cells, rows[0]))
        if stamp is None or stamp[1] != clock.zoned:
            return None
        away = int(stamp[0] - clock.first)
        if abs(away) > 2**62:
            return None
        times[rows] = (away + (of_day[rows] - of_day[rows[0]])) / 1e9
    return times


def _cell(cells: NDArray[np.uint8], row: int) -> str:
    return cells[:, row].tobytes().decode("ascii")


def _same_form(cells: NDArray[np.uint8], free: int) -> bool:
    """Whether cells have digits and signs where the first has them, and its zone from `free` on."""
    for place, column in enumerate(cells):
        digits = _are_digits(column)
        same = digits if place < free and digits[0] else column == column[0]
        if not same.all():
            return False
    return True


def _are_digits(cells: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return cells - np.uint8(_ZERO) <= _NINE - _ZERO  # what is below zero wraps around


def _whole(cells: NDArray[np.uint8], begin: int, end: int) -> NDArray[np.int64]:
    """The whole number in some digits of each cell, shape (N,)."""
    number = np.zeros(cells.shape[1], np.int64)
    for column in cells[begin:end]:
        number = 10 * number + (column - np.uint8(_ZERO))
    return number


def _long(cells: NDArray[np.uint8], clock: TimeCells, decimal: str) -> NDArray[np.float64] | None:
    """Numbers less the first one, as exact as it, shape (N,)."""
    width = len(cells)
    points = np.flatnonzero(cells[:, 0] == ord(decimal)) if decimal else np.array([], np.int64)
    places = width - 1 - int(points[0]) if len(points) else 0
    digits = np.ones(width, np.bool_)
    digits[points] = False
    first_places = max(0, -int(clock.first.as_tuple().exponent))
    more = max(0, first_places - places)
    if (
        len(points) > 1 or width - len(points) + more > _DIGITS_MOST or places > 12
        or width - len(points) == places
        or not _are_digits(cells[digits]).all() or not (cells[points] == ord(decimal or ".")).all()
    ):  # fmt: skip
        return None
    scale = 10 ** (places + more)
    if abs(clock.first) * scale >= 10**_DIGITS_MOST:
        return None
    number = _whole(cells[digits], 0, width - len(points)) * 10**more
    away = number - int(clock.first * scale)
    if np.abs(away).max() > 2**53:
        return None
    return away / float(scale)
