"""Numbers of one output over the ticks that are kept."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


class Trace:
    """The newest ticks of an output; to add one takes a constant time.

    Args:
        size: Numbers of the output.
        most: Ticks that are kept.
    """

    def __init__(self, size: int, most: int) -> None:
        self.size = size
        """Numbers of the output."""
        self._most = max(1, most)
        self._ticks = np.zeros(2 * self._most, np.int64)
        self._rows = np.zeros((2 * self._most, size))
        self._begin = self._end = 0

    def append(self, tick: int, values: NDArray[np.float64]) -> None:
        """Add what the output has after a tick."""
        if self._end == len(self._ticks):
            kept = slice(self._end - self._most + 1, self._end)
            count = self._most - 1
            self._ticks[:count], self._rows[:count] = self._ticks[kept], self._rows[kept]
            self._begin, self._end = 0, count
        self._ticks[self._end], self._rows[self._end] = tick, values
        self._end += 1
        self._begin = max(self._begin, self._end - self._most)

    def cut(self, tick: int) -> None:
        """Forget what is later than a tick."""
        self._end = self._begin + int(np.searchsorted(self.ticks, tick, side="right"))

    @property
    def ticks(self) -> NDArray[np.int64]:
        """Numbers of the ticks, shape (N,)."""
        return self._ticks[self._begin : self._end]

    @property
    def rows(self) -> NDArray[np.float64]:
        """Values of the output after each, shape (N, size)."""
        return self._rows[self._begin : self._end]
