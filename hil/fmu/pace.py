"""Steps of a model beside the cycles of a loop: several in one, or one in several."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from hil.config.errors import ConfigError
from hil.fmu.description import Description

WHOLE_STEPS: Final = 1e-9
"""Largest relative distance of a quotient of two times from a whole number."""


@dataclass(frozen=True, slots=True)
class ModelPace:
    """Ratio of a model's steps to a loop's cycles: one of both is 1."""

    step_s: float
    """Communication step [s]."""
    in_cycle: int
    """Steps in a cycle."""
    cycles: int
    """Cycles in a step."""


def steps_of(
    model: Description, period_s: float, step_s: float | None, source: str, *, between: bool
) -> ModelPace:
    """Find the ratio of a model's steps to a loop's cycles.

    FMI 2 only hints at a fixed step of a model: there what is given counts.

    Args:
        period_s: of the loop [s].
        step_s: communication step that is asked for [s]; None: the period, or the model's own fixed
            step if that is longer.
        source: for errors.
        between: whether it is said what is done between steps that are longer than a cycle.

    Raises:
        ConfigError: if no whole number of one goes into the other, or steps are longer than a cycle
            and nothing is said of it; with what works.
    """
    fixed_s = model.fixed_step_s if model.major == "3" or step_s is None else None
    if step_s is None:
        step_s = fixed_s if fixed_s is not None and fixed_s > period_s else period_s
    if fixed_s is not None and not _whole(step_s, fixed_s):
        wrong = f"the fixed step of {model.path.name}, {fixed_s:g} s, does not divide {step_s:g} s"
        raise ConfigError(source, [f"{wrong}; {_remedy(period_s, fixed_s)}, step_s left out"])
    if count := _whole(period_s, step_s):
        return ModelPace(step_s, count, 1)
    if not (cycles := _whole(step_s, period_s)):
        wrong = f"a step of {step_s:g} s does not divide {period_s:g} s, a cycle, nor that one it"
        fits_s = period_s / math.ceil(period_s / step_s) if step_s > 0.0 else period_s
        other = "" if fixed_s is not None else f", or a step of {fits_s:g} s"
        raise ConfigError(source, [f"{wrong}; {_remedy(period_s, step_s)}{other}"])
    if not between:
        wrong = f"a step of {step_s:g} s takes {cycles} cycles of {period_s:g} s"
        raise ConfigError(source, [f"{wrong}; {BETWEEN_WORDS}"])
    return ModelPace(step_s, 1, cycles)


BETWEEN_WORDS: Final = (
    'write between = "hold" in [source] (the newest values stay) or "line" (straight from one to '
    "the next, a step later)"
)


def _remedy(period_s: float, step_s: float) -> str:
    """Rate whose cycle has whole steps, near the one that is asked for."""
    if step_s <= 0.0:
        return "it must be above 0 s"
    if step_s <= period_s:
        rate_hz = 1.0 / (step_s * round(period_s / step_s))
        return f"a whole number must fit, as at a rate of {rate_hz:.9g} Hz"
    rate_hz = round(step_s / period_s) / step_s
    return f"whole cycles must fit, as at a rate of {rate_hz:.9g} Hz; {BETWEEN_WORDS}"


def _whole(span_s: float, step_s: float) -> int:
    """Number of steps in a span; 0 if that is no whole number."""
    count = round(span_s / step_s) if step_s > 0.0 else 0
    return count if count >= 1 and abs(span_s / step_s - count) <= WHOLE_STEPS * count else 0
