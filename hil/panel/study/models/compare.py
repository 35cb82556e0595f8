"""Two runs of one station over each other: how far apart their signals are, which settings differ.

The second run is shifted in time, then taken at the times of the first by straight lines between
its samples; across a hole of it there is nothing. Long runs are taken piece by piece.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hil.panel.live.models.feed import RunFacts
from hil.panel.scope.models.channels import Channel, channels_of
from hil.panel.scope.models.ring import GAP_PERIODS
from hil.panel.study.models.compared_run import ComparedRun, rows_around

Array = NDArray[np.float64]

_NEVER_COMPARED: Final = frozenset({"index", "t_s"})
_MOST_BESIDE: Final = 2
"""Rows of the second run that are read at once, by those of one of its pieces."""
_SHORT: Final = 64
"""Characters of a setting that are shown."""


class CompareError(ValueError):
    """Two runs that cannot be compared; the message says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """One signal of both runs, at times of the first one."""

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
    """Differences of a signal, in its unit; NaN if the runs have nothing in common."""

    channel: Channel
    """The signal."""
    largest: float
    """The difference of largest magnitude, with its sign."""
    at_s: float
    """Time of that difference, in the first run's time [s]."""
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


class Places(NamedTuple):
    """Between which samples some times lie."""

    low: NDArray[np.intp]
    """Sample before each, (m,)."""
    high: NDArray[np.intp]
    """Sample behind it, (m,)."""
    share: Array
    """Share of the distance from the one to the other, 0 to 1."""
    nowhere: NDArray[np.bool_]
    """Whether it lies outside the samples or in one of their holes."""


@dataclass(frozen=True, slots=True, eq=False)
class PairedRows:
    """Rows of the first run that follow each other, and the second one's rows around them."""

    t_s: Array
    """Times of the first run's rows [s], (n,)."""
    first: Array
    """Its columns, (values of the table, n)."""
    second: Array
    """Columns of the second run's rows, (values of the table, m)."""
    places: Places
    """Places of the times among the second run's rows."""

    def difference(self, channel: Channel) -> Difference:
        """One signal of both."""
        held = channel.unit in ("code", "bits")
        moved = _taken(self.second[channel.column], self.places, held=held)
        return Difference(channel, self.t_s, self.first[channel.column], moved)


def paired(first: ComparedRun, second: ComparedRun, shift_s: float) -> Iterator[PairedRows]:
    """All rows of the first run in order, each with what the second one has at its time.

    Args:
        first: the run that stays.
        second: the run that is shifted.
        shift_s: added to the second run's times [s].
    """
    most, gap_s = _MOST_BESIDE * second.piece, GAP_PERIODS * second.facts.period_s
    at = 0
    while at < len(first):
        end = min(at + first.piece, len(first))
        low, high = rows_around(second.t_s, first.t_s[at:end], shift_s)
        while high - low > most and end - at > 1:  # its rows are closer to each other
            end = at + (end - at) // 2
            low, high = rows_around(second.t_s, first.t_s[at:end], shift_s)
        t_s = np.array(first.t_s[at:end])
        yield PairedRows(
            t_s,
            np.ascontiguousarray(first.part(at, end).T),
            np.ascontiguousarray(second.part(low, high).T),
            _places(second.t_s[low:high] + shift_s, t_s, gap_s),
        )
        for run in (first, second):
            run.let_go()
        at = end


class FiguresSoFar:
    """Differences of a signal over the pieces of two runs so far."""

    def __init__(self, channel: Channel) -> None:
        self._channel = channel
        self._largest = self._at_s = math.nan
        self._squares = self._sum = 0.0
        self._count = 0

    def add(self, of: Difference) -> None:
        """Take the next piece."""
        values = of.values
        known = np.flatnonzero(np.isfinite(values))
        if not len(known):
            return
        there = values[known]
        worst = int(np.argmax(np.abs(there)))
        if not self._count or abs(there[worst]) > abs(self._largest):
            self._largest, self._at_s = float(there[worst]), float(of.t_s[known[worst]])
        self._squares += float(np.square(there).sum())
        self._sum += float(there.sum())
        self._count += len(there)

    @property
    def figures(self) -> DifferenceFigures:
        """Those of all pieces."""
        rms = mean = math.nan
        if self._count:
            rms, mean = math.sqrt(self._squares / self._count), self._sum / self._count
        return DifferenceFigures(self._channel, self._largest, self._at_s, rms, mean)


def values_at(times: Array, values: Array, wanted: Array, gap_s: float, *, held: bool) -> Array:
    """Values at other times; NaN outside the samples and in their holes.

    Args:
        times: of the samples [s], rising, (n,).
        values: of the samples, (n,).
        wanted: times to know the values at [s], (m,).
        gap_s: samples further apart than this have a hole between them [s].
        held: between samples the one before counts; else a straight line.
    """
    return _taken(values, _places(times, wanted, gap_s), held=held)


def _places(times: Array, wanted: Array, gap_s: float) -> Places:
    count = len(wanted)
    if not len(times):
        none = np.zeros(count, np.intp)
        return Places(none, none, np.zeros(count), np.ones(count, np.bool_))
    after = np.searchsorted(times, wanted, side="right")
    low = np.clip(after - 1, 0, len(times) - 1)
    high = np.clip(after, 0, len(times) - 1)
    gap = times[high] - times[low]
    share = np.divide(wanted - times[low], gap, out=np.zeros(count), where=gap > 0.0)
    # A sample hit to within a millionth of a step counts by itself: times are sums of decimals.
    share[share < 1e-6] = 0.0
    share[share > 1.0 - 1e-6] = 1.0
    edge_s = 1e-6 * gap_s
    outside = (wanted < times[0] - edge_s) | (wanted > times[-1] + edge_s) | np.isnan(wanted)
    within_hole = (gap > gap_s) & (share > 0.0) & (share < 1.0)
    return Places(low, high, share, outside | within_hole)


def _taken(values: Array, places: Places, *, held: bool) -> Array:
    low, high, share, nowhere = places
    if not len(values):
        return np.full(len(low), math.nan)
    before, behind = values[low], values[high]
    if held:
        found = np.where(share >= 1.0, behind, before)
    else:
        found = np.where(share > 0.0, before + share * (behind - before), before)
        found = np.where(share >= 1.0, behind, found)
    found[nowhere] = math.nan
    return found


@dataclass(frozen=True, slots=True)
class Setting:
    """One fact that differs between the runs; empty where a run has none."""

    name: str
    """Path of keys, such as ``scenario.motion.amplitude``."""
    first: str
    """Value in the first run."""
    second: str
    """Value in the second run."""


def settings_that_differ(first: RunFacts, second: RunFacts) -> tuple[Setting, ...]:
    """Rig, scenario, limits and all other facts of the headers, where the runs are not the same."""
    a, b = (_flat(facts.header.scenario) | _metadata(facts) for facts in (first, second))
    names = sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))
    return tuple(Setting(name, a.get(name, ""), b.get(name, "")) for name in names)


def _metadata(facts: RunFacts) -> dict[str, str]:
    return {f"run.{name}": value for name, value in facts.header.metadata.items()}


def _flat(raw: Any, path: str = "") -> dict[str, str]:
    """Leaves of nested tables and lists by their paths."""
    if isinstance(raw, Mapping):
        items = [(str(key), value) for key, value in raw.items()]
    elif isinstance(raw, list | tuple) and any(isinstance(v, Mapping | list) for v in raw):
        items = [(str(number), value) for number, value in enumerate(raw, start=1)]
    else:
        return {path: str(raw)[:_SHORT]}
    found: dict[str, str] = {}
    for key, value in items:
        found |= _flat(value, f"{path}.{key}" if path else key)
    return found
