"""A run that is compared: its rows are in memory, or are read from its recording in pieces."""

from bisect import bisect_right
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hil.panel.live.models.feed import RunFacts
from hil.panel.study.models.replay import FileFeed
from hil.recording.row_arrays import let_go

Array = NDArray[np.float64]

_AT_ONCE = 1 << 10
"""Number of places far apart whose times are read before memory is given back."""


class ComparedRun:
    """One of the two.

    Args:
        facts: what does not change during the run.
        rows: all rows, (N, values of the table), or a recording.
    """

    def __init__(self, facts: RunFacts, rows: Array | FileFeed) -> None:
        self.facts = facts
        feed = rows if isinstance(rows, FileFeed) else None
        self._rows = rows if isinstance(rows, np.ndarray) else None
        if feed is not None and feed.piece >= len(feed.times):
            self._rows = feed.table
        self._feed = feed if self._rows is None else None
        self.folder = Path() if feed is None else feed.path.parent
        """Where files may stand that are needed for a while."""
        self.t_s: Array = np.zeros(0)
        """Motion times [s], (N,); of a recording they do not fall."""
        if feed is not None:
            self.t_s = feed.times
        elif self._rows is not None:
            self.t_s = self._rows[:, 1]  # second signal of every table

    @property
    def rows(self) -> Array:
        """All rows, (N, values of the table); of a long recording they take memory."""
        return self.part(0, len(self))

    def __len__(self) -> int:
        return len(self.t_s)

    @property
    def piece(self) -> int:
        """Rows that are inspected together."""
        return max(len(self), 1) if self._feed is None else self._feed.piece

    def part(self, first: int, end: int) -> Array:
        """Rows from a place to before another, (n, values of the table)."""
        if self._feed is not None:
            return self._feed.rows(first, end)
        return (
            np.empty((0, self.facts.signals.values))
            if self._rows is None
            else (self._rows[first:end])
        )

    def column(self, number: int) -> Iterator[Array]:
        """One of the table's columns, in pieces that follow each other, (n,) each."""
        if self._feed is not None:
            yield from self._feed.column(number)
        else:
            yield self.rows[:, number]

    def times_at(self, places: NDArray[np.intp]) -> Array:
        """Times of some rows [s], which need not be near each other, (n,)."""
        found = np.empty(len(places))
        for at in range(0, len(places), _AT_ONCE):
            found[at : at + _AT_ONCE] = self.t_s[places[at : at + _AT_ONCE]]
            self.let_go()
        return found

    def let_go(self) -> None:
        """Give back the memory of times that were looked at."""
        let_go(self.t_s)


def rows_around(times: Array, wanted: Array, shift_s: float = 0.0) -> tuple[int, int]:
    """First row and row behind the last of those between which all values at other times lie.

    Args:
        times: of the rows [s], not falling.
        wanted: rising times [s].
        shift_s: added to those of the rows [s].
    """
    wanted = wanted[np.isfinite(wanted)]
    if not len(wanted):
        return 0, 0

    def shifted_s(row: int) -> float:
        return float(times[row]) + shift_s

    rows = range(len(times))
    low = bisect_right(rows, float(wanted[0]), key=shifted_s)
    high = bisect_right(rows, float(wanted[-1]), key=shifted_s)
    return max(low - 2, 0), min(high + 2, len(times))
