"""Looks for the parameters that make a rider feel most within what a platform can do.

Differential evolution (Storn and Price, J. Global Optimization 11 (1997) 341-359) over the
`Knobs` of the classical filter; the same seed gives the same set. Every trial is kept, so that
the price of travel can be shown: the Pareto front of error against travel.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import numpy as np

from platform6dof.cueing.objectives import RANGES, Knobs, Objective, Trial, TuneBounds
from platform6dof.cueing.parameters import ClassicalParameters

TRIALS: Final = 480
"""Number of sets that are tried if nothing else is asked."""
LEAST_TRIALS: Final = 64
MOST_TRIALS: Final = 100_000
POPULATION: Final = 32
"""Sets of a generation."""
PENALTY: Final = 10.0
"""Addition to the error for a bound that is broken by its whole size."""
LOGARITHMIC: Final = (True, False, True, True)
"""Corners are looked for by their logarithm."""


@dataclass(frozen=True, slots=True)
class Tuned:
    """Result of a search."""

    best: Trial
    """The smallest error of those that keep the bounds."""
    start: Trial
    """The set it began with; it may break the bounds."""
    parameters: ClassicalParameters
    """The whole best set."""
    trials: tuple[Trial, ...]
    """All, in order."""
    bounds: TuneBounds

    @property
    def front(self) -> tuple[Trial, ...]:
        """Sets than which none has less travel and less error, by travel; the rate is kept."""
        kept = sorted(
            (one for one in self.trials if one.tilt_rad_s <= self.bounds.tilt_rad_s * (1 + 1e-9)),
            key=lambda one: (one.travel_m, one.error),
        )
        front: list[Trial] = []
        for one in kept:
            if not front or one.error < front[-1].error:
                front.append(one)
        return tuple(front)


class NothingFitsError(ValueError):
    """No set that was tried keeps the bounds; the text says which came nearest."""


def tune(
    objective: Objective,
    start: Knobs,
    *,
    trials: int = TRIALS,
    seed: int = 0,
    report: Callable[[int], None] | None = None,
) -> Tuned:
    """Look for the best set.

    Args:
        objective: what a set is worth, and its bounds.
        start: the set that is tried first.
        trials: how many sets are tried, `LEAST_TRIALS` to `MOST_TRIALS`; the last generation may
            be cut.
        seed: of the search.
        report: called with the number of sets tried so far.

    Raises:
        ValueError: the number of trials is out of its bounds.
        NothingFitsError: none of them keeps the bounds.
    """
    from scipy.optimize import differential_evolution

    if not LEAST_TRIALS <= trials <= MOST_TRIALS:
        raise ValueError(f"trials is {trials}: {LEAST_TRIALS} to {MOST_TRIALS} can be tried")
    search = _Search(objective, trials, report)
    first = objective.trial(start)
    search.trials.append(first)
    generations = math.ceil(trials / POPULATION) + 1
    with suppress(StopIteration):  # all trials are used
        differential_evolution(
            search,
            [(_into(low, log), _into(high, log)) for (low, high), log in _axes()],
            init=_population(start, seed),  # pyright: ignore[reportArgumentType]
            maxiter=generations,
            tol=0.0,
            rng=np.random.default_rng(seed),
            polish=False,
            mutation=(0.5, 1.0),
            recombination=0.8,
        )
    done = tuple(search.trials)
    best = min(done, key=lambda one: (_cost(one, objective.bounds), one.travel_m))
    if best.excess(objective.bounds) > 0.0:
        bounds = objective.bounds
        raise NothingFitsError(
            f"none of {len(done)} sets keeps travel <= {bounds.travel_m:g} m and tilt <= "
            f"{math.degrees(bounds.tilt_rad_s):g} deg/s; the nearest needs {best.travel_m:.3g} m "
            f"and {math.degrees(best.tilt_rad_s):.3g} deg/s: allow more, or lower the gain"
        )
    return Tuned(best, first, objective.parameters(best.knobs), done, objective.bounds)


class _Search:
    """The function that the search sees: a vector to its cost; remembers every trial."""

    def __init__(
        self, objective: Objective, trials: int, report: Callable[[int], None] | None
    ) -> None:
        self._objective, self._left, self._report = objective, trials, report
        self.trials: list[Trial] = []

    def __call__(self, vector: np.ndarray) -> float:
        if len(self.trials) >= self._left:
            raise StopIteration
        trial = self._objective.trial(_knobs(vector))
        self.trials.append(trial)
        if self._report is not None:
            self._report(len(self.trials))
        return _cost(trial, self._objective.bounds)


def _cost(trial: Trial, bounds: TuneBounds) -> float:
    return trial.error + PENALTY * trial.excess(bounds)


def _axes() -> tuple[tuple[tuple[float, float], bool], ...]:
    return tuple(zip(RANGES, LOGARITHMIC, strict=True))


def _into(value: float, log: bool) -> float:
    return math.log(value) if log else value


def _knobs(vector: np.ndarray) -> Knobs:
    pairs = zip(vector.tolist(), _axes(), strict=True)
    values = (math.exp(one) if log else one for one, (_, log) in pairs)
    bounded = (min(high, max(low, one)) for one, (low, high) in zip(values, RANGES, strict=True))
    return Knobs(*bounded)


def _population(start: Knobs, seed: int) -> np.ndarray:
    """The first generation: the start, brought into the ranges, and a Latin hypercube."""
    from scipy.stats import qmc

    low, high = (np.array([_into(pair[k], log) for pair, log in _axes()]) for k in (0, 1))
    spread = qmc.LatinHypercube(len(RANGES), rng=np.random.default_rng(seed)).random(POPULATION)
    population = low + spread * (high - low)
    own = (start.wn_rad_s, start.damping, start.wb_rad_s, start.wl_rad_s)
    inside = (min(h, max(lo, one)) for one, (lo, h) in zip(own, RANGES, strict=True))
    population[0] = [_into(one, log) for one, log in zip(inside, LOGARITHMIC, strict=True)]
    return population
