"""Values over the rows of a recording, thinned to what a picture of them shows."""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

MAX_POINTS = 4000
"""More points than this in one line are thinned out; a picture is about 1000 pixels wide."""


class Line(NamedTuple):
    """What is drawn of a value over the rows of a run."""

    places: NDArray[np.intp]
    """Rows, rising."""
    values: Array
    """There."""


class Decimator:
    """Values to draw of many: of each stretch the lowest and the highest, as of `decimate`.

    Args:
        count: of all values that will come.
    """

    def __init__(self, count: int, max_points: int = MAX_POINTS) -> None:
        if max_points < 2:
            raise ValueError(f"max_points = {max_points}; at least 2 are needed for a line")
        self._count = count
        self._size = 1 if count <= max_points else -(-count // (max_points // 2))
        stretches = -(-count // self._size)
        self._low = np.full(stretches, np.inf)
        self._high = np.full(stretches, -np.inf)
        self._places = np.tile(np.arange(stretches) * self._size, (2, 1))
        self._values = np.full((2, stretches), np.nan)
        """Of the lowest and the highest so far."""
        self._ends = [np.nan, np.nan]
        self._at = 0

    def add(self, values: Array) -> None:
        """Take the next values, shape (n,); NaN = not there."""
        if not len(values):
            return
        size, begin = self._size, self._at % self._size
        first = self._at // size
        stretches = -(-(begin + len(values)) // size)
        padded = np.full(stretches * size, np.nan)
        padded[begin : begin + len(values)] = values
        table = padded.reshape(stretches, size)
        there = np.isfinite(table)
        here = slice(first, first + stretches)
        opening = np.arange(stretches) * size + first * size >= self._at
        for row, (best, find, none) in enumerate(
            ((self._low, np.argmin, np.inf), (self._high, np.argmax, -np.inf))
        ):
            shown = np.where(there, table, none)
            inside = find(shown, axis=1)
            found = shown[np.arange(stretches), inside]
            better = found < best[here] if row == 0 else found > best[here]
            best[here] = np.where(better, found, best[here])
            places = (np.arange(stretches) + first) * size + inside
            self._places[row, here] = np.where(better, places, self._places[row, here])
            candidates = table[np.arange(stretches), inside]
            self._values[row, here] = np.where(
                better | opening, candidates, self._values[row, here]
            )
        self._ends = [self._ends[0] if self._at else float(values[0]), float(values[-1])]
        self._at += len(values)

    def line(self) -> Line:
        """What is drawn of all of them."""
        if not self._at:
            return Line(np.zeros(0, np.intp), np.zeros(0))
        places = np.concatenate((self._places.ravel(), [0, self._count - 1]))
        values = np.concatenate((self._values.ravel(), self._ends))
        chosen, at = np.unique(places, return_index=True)
        return Line(chosen, values[at])


def decimate(values: NDArray[np.float64], max_points: int = MAX_POINTS) -> NDArray[np.intp]:
    """Indices of the values to draw: of each stretch the lowest and the highest.

    The first, the last, the least and the greatest value are always among them. A stretch without
    any number keeps one place, so that a hole in a line stays a hole.

    Args:
        values: one line, shape (N,); NaN = not there.
        max_points: about how many to keep, at least 2; all of them if there are no more.

    Returns:
        Rising indices, shape (M,), M at most ``max_points`` + 2.
    """
    if max_points < 2:
        raise ValueError(f"max_points = {max_points}; at least 2 are needed for a line")
    count = len(values)
    if count <= max_points:
        return np.arange(count)
    size = -(-count // (max_points // 2))
    stretches = -(-count // size)
    padded = np.full(stretches * size, np.nan)
    padded[:count] = values
    table = padded.reshape(stretches, size)
    there = np.isfinite(table)
    first = np.arange(stretches) * size
    lowest = first + np.argmin(np.where(there, table, np.inf), axis=1)
    highest = first + np.argmax(np.where(there, table, -np.inf), axis=1)
    return np.unique(np.concatenate((lowest, highest, [0, count - 1])))
