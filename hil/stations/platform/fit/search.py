"""Search for changes that make a motion fit, ended by the proof itself."""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

import numpy as np

from hil.stations.platform.fit.bounds import MotionBounds
from hil.stations.platform.fit.steps import Steps
from hil.stations.platform.fit.units import UnitGuess, in_likely_units, likely_units
from hil.stations.platform.motion.fade import FadedMotion
from hil.stations.platform.motion.recorded_motion import RecordedMotion
from hil.stations.platform.motion.source import MotionSource
from hil.stations.platform.plan.fit_changes import FitChange, changes_between
from hil.stations.platform.plan.motion_build import motion_of, multi_sine
from hil.stations.platform.plan.scenario import (
    MotionSettings,
    MultiSineSettings,
    Plan,
    RecordedSettings,
)
from hil.stations.platform.proof.check import PlanFinding, PlatformProof, check_plan

SMALLEST: Final = 0.001
"""Smallest scale of a motion; one that needs a smaller one does not fit."""
_PER_DECADE: Final = 900
"""Count of numbers with three digits between two powers of ten."""


def largest_scale(passes: Callable[[float], bool], guess: float, most: float) -> float | None:
    """Find a scale that passes while the next of three digits does not, by bisection on the proof.

    Args:
        passes: proves a scale; a scale below one that passes is taken to pass as well.
        guess: first scale, which costs fewer proofs the nearer it is.
        most: largest scale; it need not have three digits.

    Returns:
        `most` if that passes, else a number of three digits; None if nothing down to `SMALLEST`
        passes.
    """
    if guess >= most and passes(most):
        return most
    bottom, top = _index(SMALLEST), _index(most)
    if _number(top) >= most:
        top -= 1
    start = min(_index(guess), top) if guess > SMALLEST else bottom
    if top < bottom:
        return None
    if passes(_number(start)):
        low, high = _last_that_passes(passes, start, top)
        if low == top:
            return most if guess < most and passes(most) else _number(top)
    else:
        low, high = _next_that_passes(passes, start, bottom)
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if passes(_number(middle)) else (low, middle)
    return _number(low) if low >= bottom else None


def next_scale(scale: float, most: float) -> float:
    """Next scale of three digits above one, at most `most`."""
    return min(_number(_index(scale) + 1), most)


def _last_that_passes(passes: Callable[[float], bool], start: int, top: int) -> tuple[int, int]:
    """Search upwards in growing steps: an index that passes, and one that does not."""
    low, step = start, 1
    while low < top:
        probe = min(low + step, top)
        if not passes(_number(probe)):
            return low, probe
        low, step = probe, 2 * step
    return top, top + 1


def _next_that_passes(passes: Callable[[float], bool], start: int, bottom: int) -> tuple[int, int]:
    """Search downwards in growing steps from an index that does not pass; below `bottom` if none.

    `bottom` comes second: where nothing passes that is known after two proofs.
    """
    high, step = start, 1
    while high > bottom:
        probe = max(high - step, bottom)
        if passes(_number(probe)):
            return probe, high
        if step == 1 and not (probe > bottom and passes(_number(bottom))):
            break
        high, step = probe, 2 * step
    return bottom - 1, bottom


def _number(index: int) -> float:
    decade, digits = divmod(index, _PER_DECADE)
    return float(f"{digits + 100}e{decade - 2}")


def _index(value: float) -> int:
    """Index of the last number of three digits that is not above a positive value."""
    decade = math.floor(math.log10(value))
    index = decade * _PER_DECADE + int(value / 10.0 ** (decade - 2)) - 100
    while _number(index) > value:
        index -= 1
    while _number(index + 1) <= value:
        index += 1
    return index


HALF: Final = 0.5
"""First scale of a search where nothing is known before."""


@dataclass(frozen=True, slots=True, eq=False)
class Fit:
    """Changes that make a motion fit."""

    plan: Plan
    """Plan with the changes, which are listed in it."""
    proof: PlatformProof
    """Proof of that plan, without findings."""
    guesses: tuple[UnitGuess, ...]
    """Units that were taken for others."""
    as_said: "Fit | None"
    """Fit with the units as they are given; None if there is none, or no guess."""
    refused_scale: float | None
    """Next larger scale of three digits, which is refused; None if the scale was not changed."""
    refusal: PlanFinding | None
    """First finding of the proof at that scale."""
    share_alone: float
    """Approximate share of the motion that fits without other changes; 1 if unknown."""

    @property
    def changes(self) -> tuple[FitChange, ...]:
        """Changed keys."""
        return self.plan.fitted


FITTED: Final = ("multi_sine", "moves", "recorded", "legs")
"""Kinds of motions that can be scaled down."""


def find_fit(plan: Plan, motion: MotionSource) -> Fit | None:
    """Find changes that make a motion fit that the proof refuses; None if there are none.

    Args:
        motion: motion of the plan.

    Raises:
        ConfigError: if the motion's file has gone meanwhile.
    """
    settings = plan.scenario.motion
    if settings.kind not in FITTED:
        return None
    bounds = MotionBounds(plan)
    guesses: tuple[UnitGuess, ...] = ()
    if isinstance(settings, RecordedSettings) and isinstance(motion, RecordedMotion):
        travel = bounds.envelope.remaining_travel((settings.neutral or plan.rig.neutral).pose())
        reach = np.asarray(travel.travel).max(axis=1)
        guesses = tuple(likely_units(settings, motion.samples(), reach))
    as_said = _proved(plan, _changed(plan, bounds, motion, ()))
    if not guesses:
        return as_said
    fit = _proved(plan, _changed(plan, bounds, motion, guesses))
    return as_said if fit is None else replace(fit, guesses=guesses, as_said=as_said)


class _Found(NamedTuple):
    """Settings with all changes but the scale."""

    settings: Any
    share: float
    """Approximate share of their scale that fits."""
    share_before: float
    """Approximate share that fitted before the changes."""


def _changed(
    plan: Plan, bounds: MotionBounds, motion: MotionSource, guesses: tuple[UnitGuess, ...]
) -> _Found:
    settings = plan.scenario.motion
    if isinstance(settings, RecordedSettings) and isinstance(motion, RecordedMotion):
        if guesses:
            settings, samples = in_likely_units(settings, motion.samples(), guesses)
            motion = RecordedMotion(samples, motion.step_s, motion.neutral, settings.fade_s)
    elif not (isinstance(settings, MultiSineSettings) and isinstance(motion, FadedMotion)):
        share = _share_within(plan, bounds)
        return _Found(settings, share, share)
    steps = Steps(bounds, lambda new: multi_sine(new, plan.rig))
    first = steps.candidate(settings, motion)
    best = steps.best(first)
    return _Found(best.settings, best.limit.scale, first.limit.scale)


def _share_within(plan: Plan, bounds: MotionBounds) -> float:
    """Approximate share of its scale that a motion without rows may have."""
    settings: Any = plan.scenario.motion

    def passes(share: float) -> bool:
        scaled = settings.model_copy(update={"scale": share * settings.scale})
        return bounds.places_inside(motion_of(_with_motion(plan, scaled)))

    return largest_scale(passes, HALF, 1.0) or 0.0


def _proved(plan: Plan, found: _Found) -> Fit | None:
    """Fit at the largest scale that the proof lets pass, begun at the share found."""
    settings = found.settings
    proofs: dict[float, PlatformProof] = {}

    def passes(scale: float) -> bool:
        scaled = _with_motion(plan, settings.model_copy(update={"scale": scale}))
        proofs[scale] = check_plan(scaled, motion_of(scaled))
        return proofs[scale].ok

    most = settings.scale
    scale = largest_scale(passes, found.share * most, most)
    if scale is None:
        return None
    final = settings.model_copy(update={"scale": scale})
    before, after = (one.model_dump(mode="json") for one in (plan.scenario.motion, final))
    fitted = _with_motion(plan, final).model_copy(
        update={"fitted": tuple(changes_between(before, after, "motion"))}
    )
    larger = next_scale(scale, most) if scale < most else None
    refusal = proofs[larger].violations[0] if larger is not None else None
    return Fit(fitted, proofs[scale], (), None, larger, refusal, found.share_before)


def _with_motion(plan: Plan, settings: MotionSettings) -> Plan:
    scenario = plan.scenario.model_copy(update={"motion": settings})
    return plan.model_copy(update={"scenario": scenario})
