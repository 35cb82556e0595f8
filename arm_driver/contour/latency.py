"""Latency of answers: a histogram of fixed size with quantiles."""

import math
from bisect import bisect_left
from collections.abc import Sequence
from itertools import accumulate
from typing import Final

from arm_driver.link_report import LatencyReport

FIRST_EDGE_S: Final = 1e-6
STEPS_PER_DECADE: Final = 40
_DECADES: Final = 6
BUCKETS: Final = STEPS_PER_DECADE * _DECADES + 2
"""One below 1 µs, 40 a decade up to 1 s, one above."""


class LatencyHistogram:
    """Counts durations in buckets with logarithmic edges; nothing grows with their number."""

    __slots__ = ("_counts", "_last_s", "_longest_s", "_report", "_total")

    def __init__(self) -> None:
        self._counts = [0] * BUCKETS
        self._total = 0
        self._longest_s = 0.0
        self._last_s = 0.0
        self._report: LatencyReport | None = None

    @property
    def counts(self) -> Sequence[int]:
        """Durations in each bucket."""
        return tuple(self._counts)

    def add(self, duration_s: float) -> None:
        """Count one duration [s]; one below zero counts as zero."""
        bucket = 0
        if duration_s > FIRST_EDGE_S:
            steps = math.ceil(math.log10(duration_s / FIRST_EDGE_S) * STEPS_PER_DECADE)
            bucket = min(max(1, steps), BUCKETS - 1)
        self._counts[bucket] += 1
        self._total += 1
        self._longest_s = max(self._longest_s, duration_s)
        self._last_s = duration_s
        self._report = None

    def quantile_s(self, fraction: float) -> float:
        """Return the duration that this fraction of all does not exceed [s].

        Args:
            fraction: 0 to 1.

        Returns:
            Upper edge of its bucket, or the longest of all if that is less; 0 for none measured.
        """
        if not self._total:
            return 0.0
        wanted = max(1, math.ceil(fraction * self._total))
        bucket = bisect_left(list(accumulate(self._counts)), wanted)
        edge_s = FIRST_EDGE_S * 10.0 ** (bucket / STEPS_PER_DECADE)
        return self._longest_s if bucket == BUCKETS - 1 else min(self._longest_s, edge_s)

    def report(self) -> LatencyReport:
        """Return the figures of now; asked far more often than there is anything new."""
        if self._report is None:
            quantiles_s = self.quantile_s(0.5), self.quantile_s(0.99)
            self._report = LatencyReport(self._total, *quantiles_s, self._longest_s, self._last_s)
        return self._report
