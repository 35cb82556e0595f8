"""The wake-up latency of this machine, measured with the loop's own clock and judged in words."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.timing.clock import Clock

# Bins of the histogram [us]: fine where good machines are, coarse up to a second.
HISTOGRAM_EDGES_US: Final = (0.0, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 1e5, 1e6)

# Parts of the period. The gate stops the platform at three periods of lateness, so a machine that
# reaches that with an empty loop cannot run at this rate; one that misses no deadline has reserve.
GOOD_P99_PART: Final = 0.10
GOOD_MAX_PART: Final = 1.0
USABLE_P99_PART: Final = 0.50
USABLE_MAX_PART: Final = 3.0


@dataclass(frozen=True, slots=True)
class LatencyResult:
    """Lateness of wake-ups at one rate."""

    rate_hz: float
    """Ticks per second."""
    cycles: int
    """Ticks measured."""
    p50_us: float
    """Median lateness [us]."""
    p99_us: float
    """99th percentile [us]."""
    max_us: float
    """Largest [us]."""
    overruns: int
    """Deadlines given up."""
    histogram: tuple[int, ...]
    """Wake-ups per bin of `HISTOGRAM_EDGES_US`; the last bin also holds all later ones."""

    @property
    def grade(self) -> str:
        """One of "good", "usable", "unfit" for motion at this rate."""
        period_us = 1e6 / self.rate_hz
        if self.p99_us <= GOOD_P99_PART * period_us and self.max_us <= GOOD_MAX_PART * period_us:
            return "good"
        if (
            self.p99_us <= USABLE_P99_PART * period_us
            and self.max_us <= USABLE_MAX_PART * period_us
        ):
            return "usable"
        return "unfit"

    def __str__(self) -> str:
        return (
            f"{self.rate_hz:g} Hz: {self.grade}; woken {self.p50_us:.0f} us late in the median, "
            f"{self.p99_us:.0f} us at the 99th percentile, {self.max_us:.0f} us at worst, of "
            f"{1e6 / self.rate_hz:.0f} us per cycle; {self.overruns} deadlines given up"
        )


def latency_test(clock: Clock, rate_hz: float, duration_s: float) -> LatencyResult:
    """Run an empty loop and see how late it is woken.

    Args:
        clock: what paces it; the real clock for a measurement.
        duration_s: how long [s]; at least one tick is measured.

    Raises:
        ValueError: if the rate or the duration is not finite and positive.
    """
    if not (0.0 < rate_hz < float("inf") and 0.0 < duration_s < float("inf")):
        raise ValueError(
            f"rate_hz = {rate_hz!r} Hz, duration_s = {duration_s!r} s: both finite and above 0"
        )
    cycles = max(1, round(rate_hz * duration_s))
    late_us = np.zeros(cycles)
    overruns_before = clock.overruns
    for tick in islice(clock.ticks(1.0 / rate_hz), cycles):
        late_us[tick.index] = tick.late_s * 1e6
    return summarise(late_us, rate_hz, clock.overruns - overruns_before)


def summarise(late_us: NDArray[np.float64], rate_hz: float, overruns: int) -> LatencyResult:
    """Return the figures of a set of latenesses.

    Args:
        late_us: wake-up minus deadline of each tick [us], (N,), N ≥ 1.
        overruns: deadlines given up.
    """
    edges_us = np.array(HISTOGRAM_EDGES_US)
    counts, _ = np.histogram(np.clip(late_us, edges_us[0], edges_us[-1]), edges_us)
    p50_us, p99_us = np.percentile(late_us, (50.0, 99.0))
    return LatencyResult(
        rate_hz=rate_hz,
        cycles=len(late_us),
        p50_us=float(p50_us),
        p99_us=float(p99_us),
        max_us=float(late_us.max()),
        overruns=overruns,
        histogram=tuple(int(count) for count in counts),
    )
