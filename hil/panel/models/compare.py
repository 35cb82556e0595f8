"""Two runs of one station over each other: how far apart their signals are, and why perhaps.

The second run is shifted in time, then taken at the times of the first by straight lines between
its samples; across a hole of it there is nothing.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.models.feed import RunFacts
from hil.panel.models.scope_channels import Channel, channels_of
from hil.panel.models.scope_ring import GAP_PERIODS

Array = NDArray[np.float64]

MOVING: Final = {"platform": ("ENGAGED",), "arm": ("STREAMING",)}
"""Modes in which a station moves as its motion wants."""
_NEVER_COMPARED: Final = frozenset({"index", "t_s"})
_AT_REST: Final = 1e-12
_LEAST_COMMON: Final = 0.5
"""Share of the shorter run that must lie over the other."""
_LEAST_SPREAD: Final = 0.05
"""Share of a signal's spread that must be in the common part: rest over rest tells nothing."""
_SHORT: Final = 64
"""Characters of a setting that are shown."""


class CompareError(ValueError):
    """Two runs that cannot be compared; the message is a key of the panel's texts, and values.

    Args:
        key: of the text.
        values: of it.
    """

    def __init__(self, key: str, **values: object) -> None:
        super().__init__(f"{key} {values}")
        self.key = key
        self.values = values


class Align(Enum):
    """What is made to happen at one time in both runs."""

    NONE = "none"
    """Nothing: motion times are what they are."""
    ENGAGED = "engaged"
    """The motion begins."""
    CORRELATION = "correlation"
    """One signal is most alike."""


@dataclass(frozen=True, slots=True, eq=False)
class Run:
    """One of the two.

    Args:
        facts: of the run.
        rows: all frames, (N, values of the layout).
    """

    facts: RunFacts
    rows: Array

    @property
    def t_s(self) -> Array:
        """Motion times [s], (N,)."""
        return self.rows[:, 1]  # second field of every layout


@dataclass(frozen=True, slots=True, eq=False)
class Difference:
    """One signal of both runs, at the times of the first one.

    Args:
        channel: the signal.
        t_s: times of the first run [s], (n,).
        first: values of the first run, (n,).
        second: values of the second one, shifted, (n,); NaN where it has none.
    """

    channel: Channel
    t_s: Array
    first: Array
    second: Array

    @property
    def values(self) -> Array:
        """Second minus first, (n,)."""
        return self.second - self.first


@dataclass(frozen=True, slots=True)
class Figures:
    """How far apart a signal is, in its unit; NaN if the runs have nothing in common.

    Args:
        channel: the signal.
        largest: the difference of largest magnitude, with its sign.
        at_s: when it was, in the first run's time [s].
        rms: root of the mean square.
        mean: average difference.
    """

    channel: Channel
    largest: float
    at_s: float
    rms: float
    mean: float


@dataclass(frozen=True, slots=True)
class Setting:
    """One fact that differs between the runs; empty where a run has none.

    Args:
        name: path of keys, such as ``scenario.motion.amplitude``.
        first: of the first run.
        second: of the second one.
    """

    name: str
    first: str
    second: str


def comparable(first: RunFacts, second: RunFacts) -> tuple[Channel, ...]:
    """Signals that can be compared.

    Raises:
        CompareError: if the runs are of two stations.
    """
    if first.station != second.station:
        raise CompareError("compare.stations", first=first.station, second=second.station)
    return tuple(c for c in channels_of(first.layout) if c.name not in _NEVER_COMPARED)


def shift_between(first: Run, second: Run, align: Align, channel: Channel | None = None) -> float:
    """Time to add to the second run's times so that it lies over the first [s].

    Args:
        first: the run that stays.
        second: the run that is shifted.
        align: by what.
        channel: the signal, for `Align.CORRELATION`.

    Raises:
        CompareError: if one of the runs has nothing to be aligned by.
    """
    if align is Align.ENGAGED:
        return motion_start_s(first) - motion_start_s(second)
    if align is Align.CORRELATION and channel is not None:
        return _shift_of_likeness(first, second, channel)
    return 0.0


def motion_start_s(run: Run) -> float:
    """When the run's motion begins [s].

    Raises:
        CompareError: if it never does.
    """
    codes = [
        code
        for code, name in enumerate(run.facts.header.modes)
        if name.upper() in MOVING[run.facts.station]
    ]
    column = next(c.column for c in channels_of(run.facts.layout) if c.field in ("mode", "state"))
    places = np.flatnonzero(np.isin(run.rows[:, column], codes))
    if not len(places):
        raise CompareError("compare.no_motion", name=run.facts.name)
    return float(run.t_s[places[0]])


def difference(first: Run, second: Run, channel: Channel, shift_s: float) -> Difference:
    """One signal of both runs at the times of the first.

    Args:
        first: the run that stays.
        second: the run that is shifted.
        channel: the signal.
        shift_s: added to the second run's times [s].
    """
    held = channel.unit in ("code", "bits")
    moved = _at(
        second.t_s + shift_s, second.rows[:, channel.column], first.t_s,
        GAP_PERIODS * second.facts.period_s, held=held,
    )  # fmt: skip
    return Difference(channel, first.t_s, first.rows[:, channel.column], moved)


def figures(of: Difference) -> Figures:
    """How far apart a signal is."""
    values = of.values
    known = np.flatnonzero(np.isfinite(values))
    if not len(known):
        return Figures(of.channel, math.nan, math.nan, math.nan, math.nan)
    there = values[known]
    worst = int(np.argmax(np.abs(there)))
    return Figures(
        of.channel,
        float(there[worst]),
        float(of.t_s[known[worst]]),
        float(np.sqrt(np.mean(np.square(there)))),
        float(there.mean()),
    )


def table(
    first: Run, second: Run, channels: Sequence[Channel], shift_s: float
) -> tuple[Figures, ...]:
    """Figures of many signals; those that neither run has are left out."""
    found = (figures(difference(first, second, channel, shift_s)) for channel in channels)
    return tuple(row for row in found if math.isfinite(row.rms))


def settings_that_differ(first: RunFacts, second: RunFacts) -> tuple[Setting, ...]:
    """Rig, scenario, limits and whatever else the headers tell, where the runs are not the same."""
    a, b = (_flat(facts.header.scenario) | _metadata(facts) for facts in (first, second))
    names = sorted(name for name in a.keys() | b.keys() if a.get(name) != b.get(name))
    return tuple(Setting(name, a.get(name, ""), b.get(name, "")) for name in names)


def _at(times: Array, values: Array, wanted: Array, gap_s: float, *, held: bool) -> Array:
    """Values at other times: between samples by a straight line, or the one before if held."""
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


def _shift_of_likeness(first: Run, second: Run, channel: Channel) -> float:
    """Shift at which the signals' correlation coefficient is largest, to a fraction of a sample.

    The coefficient is taken over the samples that both have at a shift, of which there must be half
    of the shorter run's; so neither offsets nor ends nor holes matter. The peak is refined by the
    parabola through it and its two neighbours.
    """
    step_s = max(first.facts.period_s, second.facts.period_s)
    start_a, a, known_a = _even(first, channel, step_s)
    start_b, b, known_b = _even(second, channel, step_s)
    if not (a.any() and b.any()):
        raise CompareError("compare.no_likeness", signal=channel.name)
    likeness = _coefficient(a, known_a, b, known_b)
    peak = int(np.argmax(likeness))
    if not likeness[peak] > 0.0:
        raise CompareError("compare.no_likeness", signal=channel.name)
    fraction = 0.0
    if 0 < peak < len(likeness) - 1:
        left, middle, right = likeness[peak - 1 : peak + 2].tolist()
        bend = left - 2.0 * middle + right
        fraction = 0.5 * (left - right) / bend if -math.inf < bend < 0.0 else 0.0
    lag = peak - (len(b) - 1) + fraction
    return start_a - start_b + lag * step_s


def _coefficient(a: Array, known_a: Array, b: Array, known_b: Array) -> Array:
    """Correlation coefficient at each lag from -(len(b) - 1) on; -inf where too little is common.

    Args:
        a: signal, 0 where it is not known.
        known_a: 1 where it is known, else 0.
        b: the other signal.
        known_b: likewise.
    """

    def sums(left: Array, right: Array) -> Array:
        from scipy.signal import correlate  # here: it takes a second to load

        return np.asarray(correlate(left, right, mode="full", method="fft"), dtype=np.float64)

    count = np.maximum(np.round(sums(known_a, known_b)), 1.0)
    sum_a, sum_b = sums(a, known_b), sums(known_a, b)
    spread_a = sums(a * a, known_b) - sum_a**2 / count
    spread_b = sums(known_a, b * b) - sum_b**2 / count
    common = sums(a, b) - sum_a * sum_b / count
    enough = count >= _LEAST_COMMON * min(known_a.sum(), known_b.sum())
    enough &= spread_a > _LEAST_SPREAD * float(a @ a)
    enough &= spread_b > _LEAST_SPREAD * float(b @ b)
    found = np.full(len(count), -math.inf)
    found[enough] = common[enough] / np.sqrt(spread_a[enough] * spread_b[enough])
    return found


def _even(run: Run, channel: Channel, step_s: float) -> tuple[float, Array, Array]:
    """Start [s], values without their mean on an even grid, and 1 where they are known, else 0."""
    t_s = run.t_s
    if not len(t_s):
        return 0.0, np.zeros(1), np.zeros(1)
    count = round((float(t_s[-1]) - float(t_s[0])) / step_s) + 1
    wanted = np.asarray(float(t_s[0]) + step_s * np.arange(count), dtype=np.float64)
    values = _at(
        t_s, run.rows[:, channel.column], wanted, GAP_PERIODS * run.facts.period_s, held=False
    )
    known = np.isfinite(values)
    if not known.any():
        return float(t_s[0]), np.zeros(count), np.zeros(count)
    centred = np.where(known, values - values[known].mean(), 0.0)
    at_rest = np.abs(centred).max() <= _AT_REST
    return float(t_s[0]), np.zeros(count) if at_rest else centred, known.astype(np.float64)


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
