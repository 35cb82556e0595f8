"""JSON object of the choice of a space arm's simulation: its keys and their meaning."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    from sim.world.space_arm.model_choice import ModelChoice, TriedModel


class TriedModelSummary(TypedDict):
    """A simulation that was tried."""

    model: str
    """Letter of its drive model."""
    omitted: list[str]
    """Parts of the dynamics that it leaves out."""
    error: float | None
    """Largest error with that of the reference, in `unit`; null without a solution."""


class ModelChoiceSummary(TypedDict):
    """Choice of the cheapest simulation within a bound."""

    taken: TriedModelSummary
    """Simulation that is taken."""
    bound: float
    """Largest error that is allowed, in `unit`."""
    unit: str
    """Unit of bound and errors: `mm`, or `%` of the range."""
    reference: str
    """Letter of the drive model that it is compared with."""
    reference_error: float
    """Largest distance of two references, in `unit`."""
    tried: list[TriedModelSummary]
    """Every simulation that was tried, the cheapest first."""


def summarize_choice(choice: ModelChoice) -> ModelChoiceSummary:
    """Return a choice as JSON values."""
    return ModelChoiceSummary(
        taken=_tried(choice.taken),
        bound=choice.bound.value,
        unit=choice.bound.unit,
        reference=choice.reference.value,
        reference_error=choice.reference_error,
        tried=[_tried(one) for one in choice.tried],
    )


def _tried(one: TriedModel) -> TriedModelSummary:
    return TriedModelSummary(
        model=one.candidate.model.value,
        omitted=sorted(omission.value for omission in one.candidate.omitted),
        error=one.error if math.isfinite(one.error) else None,
    )
