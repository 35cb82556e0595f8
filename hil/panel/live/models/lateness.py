"""Lateness and working time of the cycle: counts in logarithmic bins of the last minute.

Each block of time has its own counts, so that old ones are forgotten by clearing a row; nothing is
sorted and nothing grows.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.live.models.feed import Batch, RunFacts, column
from hil.run.registry import missing

Array = NDArray[np.float64]
Counts = NDArray[np.int64]

WINDOW_S: Final = 60.0
BLOCKS: Final = 60
"""The window is forgotten in so many steps."""
LEAST_S: Final = 1e-6
MOST_S: Final = 10.0
PER_DECADE: Final = 20
"""Bins a decade: a bin is 12 % wide, and so exact is a percentile."""
_DECADES: Final = round(math.log10(MOST_S / LEAST_S))
BINS: Final = PER_DECADE * _DECADES + 2
"""One below `LEAST_S` and one above `MOST_S` are the first and the last."""
EDGES_S: Final = LEAST_S * 10.0 ** (np.arange(BINS - 1) / PER_DECADE)
"""Borders between the bins [s], shape (BINS - 1,)."""
EDGES_S.setflags(write=False)


@dataclass(frozen=True, slots=True)
class Spread:
    """Figures of a quantity in the window."""

    name: str
    """Key of the quantity: ``late``, ``busy`` or ``answer``."""
    count: int
    """Number of cycles."""
    p50_s: float
    """Half of them are below this [s]."""
    p99_s: float
    """99 of 100 are below this [s]."""
    largest_s: float
    """Largest of them all [s]."""


class LatenessModel:
    """Histograms of a run's lateness and work; empty for one on the virtual clock."""

    def __init__(self, facts: RunFacts) -> None:
        series = facts.views.lateness
        self.names = tuple(name for name, _ in series)
        """Keys of the quantities."""
        virtual = facts.header.metadata.get("clock") == "virtual"
        self.problem = "Virtual clock: not measured" if virtual else ""
        """Why nothing is counted: a virtual clock is never late, and only a station knows what it
        times; empty if it is."""
        if not series:
            self.problem = missing(facts.header)
        self._places = tuple(column(facts.signals, field).start for _, field in series)
        self._time = column(facts.signals, "t_s").start
        shape = (len(series), BLOCKS)
        self._counts: Counts = np.zeros((*shape, BINS), np.int64)
        self._largest: Array = np.full(shape, -math.inf)
        self._block: int | None = None
        self.serial = 0
        """Rises whenever the counts change."""

    def take(self, batch: Batch, now_s: float) -> None:
        """Count what the feed brought."""
        if batch.restart:
            self._clear()
        rows = batch.rows
        if self.problem or not len(rows):
            return
        self.serial += 1
        times = np.floor(rows[:, self._time] * (BLOCKS / WINDOW_S))
        chosen = np.flatnonzero(np.isfinite(times))
        blocks = times[chosen].astype(np.int64)
        if not len(blocks):
            return
        if self._block is not None and blocks[0] < self._block:
            self._clear()  # another run's time
        self._forget(int(blocks[-1]))
        young = blocks > blocks[-1] - BLOCKS
        chosen, blocks = chosen[young], blocks[young] % BLOCKS
        for number, place in enumerate(self._places):
            self._count(number, rows[chosen, place], blocks)

    def counts(self, name: str) -> Counts:
        """Number of cycles of the window in each bin, shape (BINS,)."""
        return self._counts[self.names.index(name)].sum(axis=0)

    def spread(self, name: str) -> Spread:
        """Median, 99th percentile (upper borders of their bins) and largest of the window."""
        number = self.names.index(name)
        counts, largest_s = self.counts(name), float(self._largest[number].max())
        total = int(counts.sum())
        if not total:
            return Spread(name, 0, math.nan, math.nan, math.nan)
        p50_s, p99_s = (min(_percentile(counts, part), largest_s) for part in (0.5, 0.99))
        return Spread(name, total, p50_s, p99_s, largest_s)

    def _count(self, number: int, values_s: Array, blocks: NDArray[np.int64]) -> None:
        known = np.isfinite(values_s)
        values_s, blocks = values_s[known], blocks[known]
        bins = np.searchsorted(EDGES_S, values_s, side="left")
        flat = np.bincount(blocks * BINS + bins, minlength=BLOCKS * BINS)
        self._counts[number] += flat.reshape(BLOCKS, BINS)
        np.maximum.at(self._largest[number], blocks, values_s)

    def _forget(self, newest: int) -> None:
        """Clear the blocks of the time between the last row and a new one."""
        if self._block is not None:
            passed = np.arange(self._block + 1, min(newest, self._block + BLOCKS) + 1) % BLOCKS
            if newest - self._block >= BLOCKS:
                passed = np.arange(BLOCKS)
            self._counts[:, passed] = 0
            self._largest[:, passed] = -math.inf
        self._block = newest

    def _clear(self) -> None:
        self._counts[:] = 0
        self._largest[:] = -math.inf
        self._block = None
        self.serial += 1


def _percentile(counts: Counts, part: float) -> float:
    """Upper border of the bin in which so great a part of all is reached [s]."""
    reached = np.cumsum(counts)
    place = int(np.searchsorted(reached, math.ceil(part * reached[-1])))
    return float(EDGES_S[place]) if place < len(EDGES_S) else math.inf
