"""Two runs of one station over each other: how far apart their signals are.

The second run is shifted in time, then taken at the times of the first by straight lines between
its samples; across a hole of it there is nothing.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.live.models.feed import RunFacts
from hil.panel.scope.models.channels import Channel, channels_of
from hil.panel.scope.models.ring import GAP_PERIODS

Array = NDArray[np.float64]

_NEVER_COMPARED: Final = frozenset({"index", "t_s"})


class CompareError(ValueError):
    """Two runs that cannot be compared; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class ComparedRun:
    """One of the two."""

    facts: RunFacts
    """What does not change during the run."""
    rows: Array
    """All rows, (N, values of the table)."""

    @property
    def t_s(self) -> Array:
        """Motion times [s], (N,)."""
        return self.rows[:, 1]  # second signal of every table


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """One signal of both runs, at the times of the first one."""

    channel: Channel
    """The signal."""
    t_s: Array
    """Times of the first run [s], (n,)."""
    first: Array
    """Values of the first run, (n,)."""
    second: Array
    """Values of the second one, shifted, (n,); NaN where it has none."""

    @property
    def values(self) -> Array:
        """Second minus first, (n,)."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class DifferenceFigures:
    """How far apart a signal is, in its unit; NaN if the runs have nothing in common."""

    channel: Channel
    """The signal."""
    largest: float
    """The difference of largest magnitude, with its sign."""
    at_s: float
    """When it was, in the first run's time [s]."""
    rms: float
    """Root of the mean square."""
    mean: float
    """Average difference."""


def comparable(first: RunFacts, second: RunFacts) -> tuple[Channel, ...]:
    """Signals that can be compared.

    Raises:
        CompareError: if the runs are of two stations.
    """
    if first.station != second.station:
        raise CompareError(f"one is of the {first.station}, the other of the {second.station}")
    return tuple(c for c in channels_of(first.signals) if c.name not in _NEVER_COMPARED)


def difference(
    first: ComparedRun, second: ComparedRun, channel: Channel, shift_s: float
) -> Difference:
    """One signal of both runs at the times of the first.

    Args:
        first: the run that stays.
        second: the run that is shifted.
        shift_s: added to the second run's times [s].
    """
    held = channel.unit in ("code", "bits")
    moved = values_at(
        second.t_s + shift_s, second.rows[:, channel.column], first.t_s,
        GAP_PERIODS * second.facts.period_s, held=held,
    )  # fmt: skip
    return Difference(channel, first.t_s, first.rows[:, channel.column], moved)


def figures(of: Difference) -> DifferenceFigures:
    """How far apart a signal is."""
    values = of.values
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return DifferenceFigures(of.channel, math.nan, math.nan, math.nan, math.nan)
    there = values[known]
    worst = int(np.argmax(np.abs(there)))
    return DifferenceFigures(
        of.channel,
        float(there[worst]),
        float(of.t_s[known[worst]]),
        float(np.sqrt(np.mean(np.square(there)))),
        float(there.mean()),
    )


def values_at(times: Array, values: Array, wanted: Array, gap_s: float, *, held: bool) -> Array:
    """Values at other times; NaN outside the samples and in their holes.

    Args:
        times: of the samples [s], rising, (n,).
        values: of the samples, (n,).
        wanted: times to know the values at [s], (m,).
        gap_s: samples further apart than this have a hole between them [s].
        held: between samples the one before counts; else a straight line.
    """
    if not len(times):
        return np.full(len(wanted), math.nan)
    after = np.searchsorted(times, wanted, side="right")
    low = np.clip(after - 1, 0, len(times) - 1)
    high = np.clip(after, 0, len(times) - 1)
    gap = times[high] - times[low]
    share = np.divide(wanted - times[low], gap, out=np.zeros(len(wanted)), where=gap > 0.0)
    # A sample hit to within a millionth of a step counts by itself: times are sums of decimals.
    share[share < 1e-6] = 0.0
    share[share > 1.0 - 1e-6] = 1.0
    before, behind = values[low], values[high]
    if held:
        found = np.where(share >= 1.0, behind, before)
    else:
        found = np.where(share > 0.0, before + share * (behind - before), before)
        found = np.where(share >= 1.0, behind, found)
    edge_s = 1e-6 * gap_s
    outside = (wanted < times[0] - edge_s) | (wanted > times[-1] + edge_s)
    within_hole = (gap > gap_s) & (share > 0.0) & (share < 1.0)
    found[outside | within_hole] = math.nan
    return found
