"""Extremes, effective values and hardest windows of six columns that come in blocks."""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

BINS: Final = 50
"""Parts of a window: it moves on by one of them."""


@dataclass(frozen=True, slots=True)
class Extreme:
    """Extremes of six columns over time."""

    min: float
    """Least value of any leg."""
    max: float
    """Greatest value of any leg."""
    rms: float
    """Greatest effective value of a leg over the whole time."""
    leg: int
    """Leg of the greatest magnitude, 1 to 6."""
    at_s: float
    """Time of the greatest magnitude [s]."""


@dataclass(frozen=True, slots=True)
class Excess:
    """Excess of a leg over its limit."""

    leg: int
    """Leg, 1 to 6."""
    first_s: float
    """Time at which the limit is first passed [s]."""
    value: float
    """Greatest magnitude."""
    limit: float
    """Limit of the magnitude."""


class Extremes:
    """Collector of the extremes of six columns, and where they pass their limits.

    Args:
        limit: limits of the magnitudes, shape (6,); inf where there is none.
    """

    def __init__(self, limit: Array) -> None:
        self.limit = limit
        self.low, self.high, self.count = math.inf, -math.inf, 0
        self.squares, self.worst, self.worst_s = np.zeros(6), np.zeros(6), np.zeros(6)
        self.first_s = np.full(6, math.inf)

    def take(self, times_s: Array, values: Array) -> None:
        """Take a block of values, shape (N, 6); one that is no number counts as infinite."""
        if not len(values):
            return
        size = np.abs(values)
        if not math.isfinite(float(size.sum())):
            size = np.where(np.isnan(size), math.inf, size)
            values = np.where(np.isnan(values), math.inf, values)
        self.low = min(self.low, float(values.min()))
        self.high = max(self.high, float(values.max()))
        self.squares += np.einsum("ij,ij->j", values, values)
        self.count += len(values)
        rows = size.argmax(axis=0)
        peak = size[rows, np.arange(6)]
        better = peak > self.worst
        self.worst = np.where(better, peak, self.worst)
        self.worst_s = np.where(better, times_s[rows], self.worst_s)
        for leg in np.flatnonzero((peak > self.limit) & np.isinf(self.first_s)):
            self.first_s[leg] = times_s[int((size[:, leg] > self.limit[leg]).argmax())]

    def extreme(self) -> Extreme:
        """Extremes of all that came."""
        leg = int(self.worst.argmax())
        rms = math.sqrt(float(self.squares.max()) / max(1, self.count))
        return Extreme(self.low, self.high, rms, leg + 1, float(self.worst_s[leg]))

    def excesses(self) -> list[Excess]:
        """Legs that pass their limits."""
        return [
            Excess(
                leg + 1, float(self.first_s[leg]), float(self.worst[leg]), float(self.limit[leg])
            )
            for leg in range(6)
            if math.isfinite(self.first_s[leg])
        ]


class WindowMeans:
    """Means of six columns over the whole time and over the hardest window.

    Args:
        window_s: length of a window [s]; a shorter motion is one window.
        period_s: time from row to row [s].
    """

    def __init__(self, window_s: float, period_s: float) -> None:
        self._bin_s = max(window_s / BINS, period_s)
        self._window_s, self._period_s = window_s, period_s
        self._sums = np.zeros((0, 6))
        self._count = 0

    def take(self, times_s: Array, values: Array) -> None:
        """Take a block of values, shape (N, 6), at times since the begin [s]."""
        if not len(values):
            return
        bins = (times_s / self._bin_s).astype(np.int64)
        begins = np.flatnonzero(np.diff(bins, prepend=bins[0] - 1))
        sums = np.add.reduceat(values, begins, axis=0)
        missing = int(bins[-1]) + 1 - len(self._sums)
        if missing > 0:
            self._sums = np.concatenate([self._sums, np.zeros((missing, 6))])
        self._sums[bins[begins]] += sums
        self._count += len(values)

    @property
    def mean(self) -> Array:
        """Mean over the whole time, shape (6,)."""
        return self._sums.sum(axis=0) / max(1, self._count)

    def hardest(self) -> tuple[Array, Array]:
        """Greatest mean of a window, and when it begins [s], each of shape (6,)."""
        many = max(1, round(self._window_s / self._bin_s))
        if len(self._sums) <= many:
            return self.mean, np.zeros(6)
        total = np.concatenate([np.zeros((1, 6)), self._sums.cumsum(axis=0)])
        means = (total[many:] - total[:-many]) * (self._period_s / (many * self._bin_s))
        rows = means.argmax(axis=0)
        return means[rows, np.arange(6)], rows * self._bin_s
