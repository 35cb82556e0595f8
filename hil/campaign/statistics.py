"""What the rows of a campaign show: a rate and its interval, and what goes with failures."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any, Final

from hil.campaign.table import RunRow

Z_95: Final = 1.959963984540054
"""Quantile of the standard normal distribution at 97.5 %."""
WORST: Final = 5
"""Runs that are shown as the worst."""
TIMES: Final = ("_us", "real_time_factor", "_pause_max_ms")
"""Endings of measures that depend on the speed of the computer, not on the run."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Part of the runs that succeeded."""

    succeeded: int
    runs: int

    @property
    def value(self) -> float:
        """The part itself; not a number without runs."""
        return self.succeeded / self.runs if self.runs else math.nan

    def interval(self) -> tuple[float, float]:
        """Bounds within which the true rate lies with 95 % confidence.

        E. B. Wilson, "Probable inference, the law of succession, and statistical inference", 1927:
        the p for which the observed rate is z standard deviations away.
        """
        n, p, z2 = self.runs, self.value, Z_95 * Z_95
        if not n:
            return 0.0, 1.0
        centre = (p + z2 / (2 * n)) / (1 + z2 / n)
        half = Z_95 / (1 + z2 / n) * math.sqrt(p * (1 - p) / n + z2 / (4 * n * n))
        low = 0.0 if self.succeeded == 0 else centre - half
        return low, 1.0 if self.succeeded == n else centre + half


def rate_of(rows: Sequence[RunRow]) -> Rate:
    """Rate of rows."""
    return Rate(sum(row.succeeded for row in rows), len(rows))


def reasons_of(rows: Sequence[RunRow]) -> list[tuple[str, int]]:
    """Reasons of failures, the most frequent first; texts that differ in numbers are one."""
    counts = Counter(failure_name(row) for row in rows if not row.succeeded)
    return sorted(counts.items(), key=lambda one: (-one[1], one[0]))


def failure_name(row: RunRow) -> str:
    """Reason of a failed run without its numbers."""
    return re.sub(r"-?\d+(\.\d+)?(e[-+]?\d+)?", "#", row.reason) or row.outcome.value


@dataclass(frozen=True, slots=True)
class Relation:
    """How a drawn value goes with something."""

    drawn: str
    """Key of the drawn value."""
    other: str
    """Measure that it goes with; empty for failure."""
    strength: float
    """For failure, the chance that the value of a failed run is greater than that of one that
    succeeded, from 0 to 1, 0.5 if it plays no part; for a measure, Spearman's rank correlation."""
    p: float
    """Chance of so strong a relation if there is none."""


def relations_to_failure(rows: Sequence[RunRow]) -> list[Relation]:
    """How each drawn value goes with failures, the surest first.

    H. B. Mann, D. R. Whitney, "On a test of whether one of two random variables is stochastically
    larger than the other", 1947: by ranks, so that neither unit nor distribution matters.
    """
    from scipy.stats import mannwhitneyu

    found = list[Relation]()
    for key in _keys(rows):
        good, bad = ([row.drawn[key] for row in rows if key in row.drawn and row.succeeded is well]
                     for well in (True, False))  # fmt: skip
        if not good or not bad or len({*good, *bad}) < 2:
            continue
        test: Any = mannwhitneyu(bad, good, alternative="two-sided")
        chance = float(test.statistic) / (len(good) * len(bad))
        found.append(Relation(key, "", chance, float(test.pvalue)))
    return sorted(found, key=lambda one: (one.p, one.drawn))


def relations_to_measures(rows: Sequence[RunRow], most: int = 20) -> list[Relation]:
    """How drawn values go with measures of runs that moved, the strongest first."""
    from scipy.stats import spearmanr

    found = list[Relation]()
    for key in _keys(rows):
        for name in measure_names(rows):
            pairs = [(row.drawn[key], row.measures[name]) for row in rows
                     if key in row.drawn and name in row.measures]  # fmt: skip
            first, second = ([pair[side] for pair in pairs] for side in (0, 1))
            if len({*first}) < 3 or len({*second}) < 3:
                continue
            test: Any = spearmanr(first, second)
            found.append(Relation(key, name, float(test.statistic), float(test.pvalue)))
    sure = [one for one in found if one.p < 0.01 / max(1, len(found))]
    return sorted(sure, key=lambda one: (-abs(one.strength), one.drawn, one.other))[:most]


def _keys(rows: Sequence[RunRow]) -> list[str]:
    return sorted({key for row in rows for key in row.drawn})


def measure_names(rows: Sequence[RunRow]) -> list[str]:
    """Names of the measures of rows, in their order, without those of the computer's speed."""
    names = dict.fromkeys(name for row in rows for name in row.measures)
    return [name for name in names if not name.endswith(TIMES)]


def medians_of(rows: Sequence[RunRow], names: Sequence[str]) -> dict[str, float]:
    """Median of each measure over the runs that succeeded; without those that none has."""
    found = {
        name: [row.measures[name] for row in rows if row.succeeded and name in row.measures]
        for name in names
    }
    return {name: float(median(values)) for name, values in found.items() if values}


def worst_rows(rows: Sequence[RunRow], most: int = WORST) -> list[RunRow]:
    """The worst runs: failures first, then those whose measures are farthest from the others'.

    Of the failures one of each reason comes first, beginning with the rarest.
    """
    far = _distances(rows)
    counts = Counter(failure_name(row) for row in rows if not row.succeeded)
    turns = Counter[str]()
    keyed = list[tuple[tuple[float, ...], int, RunRow]]()
    for number, row in sorted(enumerate(rows), key=lambda one: -far[one[0]]):
        if row.succeeded:
            keyed.append(((1.0, -far[number]), number, row))
            continue
        name = failure_name(row)
        keyed.append(((0.0, float(turns[name]), float(counts[name]), -far[number]), number, row))
        turns[name] += 1
    return [row for _, _, row in sorted(keyed, key=lambda one: one[:2])[:most]]


def _distances(rows: Sequence[RunRow]) -> list[float]:
    """Greatest distance of each row's measures from their medians, in median deviations."""
    far = [0.0] * len(rows)
    for name in measure_names(rows):
        values = [row.measures[name] for row in rows if name in row.measures]
        middle = median(values)
        spread = median(abs(value - middle) for value in values)
        for number, row in enumerate(rows):
            if name in row.measures and spread > 0.0:
                far[number] = max(far[number], abs(row.measures[name] - middle) / spread)
    return far
