"""Comparison of algorithms on one ride; a simple algorithm that is best is named too."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hil.config.errors import ConfigError
from hil.stations.simulator.cue.score import CueRequest, at_gain, plan_of
from hil.stations.simulator.figures.felt_ride import REST_SIGNALS, FeltRide, gain_of, shares_of
from hil.stations.simulator.plan.scenario import RidePlan
from hil.stations.simulator.run.rehearsal import Rehearsal, rehearse
from platform6dof.cueing.score import Score

SIMPLE: Final = "classical"
EVEN: Final = 0.01
"""Scores nearer to each other than this share are as good as each other: the simpler one wins."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One algorithm on the ride."""

    algorithm: str
    preset: str
    score: Score
    travel_m: float
    """Largest surge or sway from neutral."""
    governed_share: float
    margin_min: float
    """Smallest share left of a limit; NaN without a governor."""

    @property
    def mean(self) -> float:
        """Mean NRMSE of surge and sway; NaN if either was not wanted."""
        return self.score.mean_nrmse()


@dataclass(frozen=True, slots=True)
class CueComparison:
    """Scores of several algorithms on the same ride."""

    rows: tuple[Compared, ...]
    """Scores in the order in which the algorithms were requested."""
    gain: float

    @property
    def best(self) -> Compared:
        """The smallest mean error; a simpler one that is as good goes first."""
        least = min(one.mean for one in self.rows)
        good = [one for one in self.rows if one.mean <= least * (1.0 + EVEN)]
        simple = [one for one in good if one.algorithm == SIMPLE]
        return simple[0] if simple else good[0]

    @property
    def words(self) -> str:
        """Name of the best one, in a line."""
        best = self.best
        others = [one for one in self.rows if one is not best]
        text = f"best: {best.preset} by {best.algorithm}, mean NRMSE {best.mean:.3f}"
        if not others:
            return text
        second = min(others, key=lambda one: one.mean)
        text += f"; next {second.preset} by {second.algorithm} {second.mean:.3f}"
        if best.algorithm == SIMPLE:
            text += "; nothing beats the simple one here"
        return text


def compare(
    request: CueRequest,
    candidates: tuple[tuple[str, str], ...],
    report: Callable[[str], None] | None = None,
) -> CueComparison:
    """Ride the same motion by several algorithms, at the same gain, without a platform.

    Args:
        request: the ride; algorithm and preset are those of each candidate.
        candidates: pairs of algorithm and preset.
        report: called with the name of each that begins.

    Raises:
        ConfigError: if one cannot be had, or the ride wants no surge or no sway.
    """
    if not candidates:
        raise ConfigError("command line", ["no algorithm to compare"])
    rows: list[Compared] = []
    gain = request.gain
    for algorithm, preset in candidates:
        if report is not None:
            report(f"{algorithm} ({preset})")
        predictive = algorithm == "mpc"
        one = replace(
            request,
            algorithm=algorithm,
            preset=preset,
            gain=None,
            preview_s=request.preview_s if predictive else None,
        )
        plan = plan_of(one)
        gain = gain_of(plan) if gain is None else gain
        plan = at_gain(plan, gain)
        rows.append(_row(plan, rehearse(plan), algorithm, preset))
    if not all(math.isfinite(one.mean) for one in rows):
        line = "the ride wants no surge or no sway: there is nothing to compare by"
        raise ConfigError(str(request.record), [line])
    return CueComparison(tuple(rows), 0.0 if gain is None else gain)


def ridden(plan: RidePlan, ride: Rehearsal) -> FeltRide:
    """Return the signals of a ride without a platform."""
    following = np.flatnonzero(ride.weight > 0.0)
    span = slice(int(following[0]), int(following[-1]) + 1)
    shares = shares_of(plan.presets[0], plan.scenario.cueing.algorithm)
    wanted = REST_SIGNALS + shares * (ride.wanted[span] - REST_SIGNALS)
    return FeltRide(ride.t_s[span], ride.period_s, wanted, ride.felt[span], ride.active[span])


def _row(plan: RidePlan, ride: Rehearsal, algorithm: str, preset: str) -> Compared:
    away = ride.rows[:, 0, :2] - np.array(plan.rig.neutral.coordinates())[:2]
    margins = ride.margin[np.isfinite(ride.margin)]
    return Compared(
        algorithm=algorithm,
        preset=preset,
        score=ridden(plan, ride).score(),
        travel_m=float(np.abs(away).max()),
        governed_share=float(ride.active.mean()),
        margin_min=float(margins.min()) if len(margins) else math.nan,
    )
