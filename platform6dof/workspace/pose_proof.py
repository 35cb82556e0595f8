"""Proof that a machine holds in a whole box of poses, and the largest box in which it does."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from platform6dof.envelope import Envelope
from platform6dof.workspace.box_search import (
    STILL,
    BoxSearch,
    Budget,
    ViolatingPose,
    search_box,
)
from platform6dof.workspace.holding_limits import HoldingLimits
from platform6dof.workspace.leg_extremes import PoseBox, corners
from platform6dof.workspace.worst_poses import WorstPoses, violations_of, worst_poses

Array = NDArray[np.float64]

SCALE_STEP = 1e-4
"""Width at which the bisection on a box's scale ends."""
GREATEST_SCALE = 8.0
"""Greatest scale that is tried."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseProof:
    """Proof of a box."""

    box: PoseBox
    """Box that was examined."""
    search: BoxSearch
    """Verdict, shares and number of boxes of the search by bounds."""
    worst: WorstPoses
    """Worst poses that were found in it."""

    @property
    def holds(self) -> bool:
        """Whether every pose of the box keeps every limit."""
        return self.search.verdict == "holds"

    @property
    def violating(self) -> tuple[ViolatingPose, ...]:
        """Poses that pass a limit, of each quantity the farthest beyond."""
        found = self.worst.violating
        one = self.search.violating
        return found or (() if one is None else (one,))


def scaled_box(box: PoseBox, scale: float) -> PoseBox:
    """Box of the same proportions about the same centre.

    Raises:
        ValueError: a scale that is not finite or below 0.
    """
    if not (np.isfinite(scale) and scale >= 0.0):
        raise ValueError(f"scale: {scale}, must be finite and 0 or more")
    centre, half = 0.5 * (box.lower + box.upper), 0.5 * (box.upper - box.lower)
    return PoseBox(centre - scale * half, centre + scale * half)


def prove_box(
    envelope: Envelope,
    box: PoseBox,
    budget: Budget | None = None,
    rates: Array = STILL,
    holding: HoldingLimits | None = None,
) -> PoseProof:
    """Prove a box: a violating pose is looked for first, then all of it is decided by bounds.

    Args:
        rates: see `search_box`.
        holding: see `search_box`.
    """
    worst = worst_poses(envelope, box, rates, holding)
    if worst.violating:
        search = BoxSearch("violated", worst.violating[0], 0.0, 1.0, 0)
    else:
        search = search_box(envelope, box, budget, rates, holding)
    return PoseProof(box, search, worst)


@dataclass(frozen=True, slots=True, eq=False)
class LargestBox:
    """Largest box of given proportions that was proved."""

    scale: float
    """Scale of the proved box; 0 if not even the centre is inside."""
    box: PoseBox
    """Proved box."""
    next_scale: float | None
    """Least scale that was tried and not proved; None if there was none up to the greatest."""
    limited_by: ViolatingPose | None
    """Pose of the box of `next_scale` that passes a limit; None if that one is undecided."""
    boxes: int
    """Number of boxes examined."""


def largest_box(
    envelope: Envelope,
    box: PoseBox,
    budget: Budget | None = None,
    rates: Array = STILL,
    holding: HoldingLimits | None = None,
) -> LargestBox:
    """Find the largest proved box of a box's proportions about its centre, by bisection.

    The corners give the first bound from above, since they violate the limits first as a rule.
    Whatever holds in a box holds in each smaller one.
    """
    low, (high, limited_by) = 0.0, _first_bad_corner(envelope, box, rates, holding)
    tried, boxes = high is not None and high <= 0.0, 0
    scale = GREATEST_SCALE if high is None else high - 0.8 * SCALE_STEP
    while not tried:
        scale = max(scale, 0.0)
        found = search_box(envelope, scaled_box(box, scale), budget, rates, holding)
        boxes += found.boxes
        if found.verdict == "holds":
            low = scale
        else:
            high, limited_by = scale, found.violating
        tried = high is None or high - low <= SCALE_STEP
        scale = 0.5 * (low + (high or 0.0))
    return LargestBox(low, scaled_box(box, low), high, limited_by, boxes)


def _first_bad_corner(
    envelope: Envelope, box: PoseBox, rates: Array, holding: HoldingLimits | None
) -> tuple[float | None, ViolatingPose | None]:
    """Least scale at which a corner violates a limit, to a tenth of the step, and what it is."""

    def bad(scale: float) -> ViolatingPose | None:
        found = violations_of(envelope, list(corners(scaled_box(box, scale))), rates, holding)
        return found[0] if found else None

    if (limit := bad(0.0)) is not None:
        return 0.0, limit
    high = 1.0
    while (limit := bad(high)) is None:
        if high >= GREATEST_SCALE:
            return None, None
        high *= 2.0
    low = 0.0
    while high - low > 0.1 * SCALE_STEP:
        middle = 0.5 * (low + high)
        found = bad(middle)
        low, high, limit = (middle, high, limit) if found is None else (low, middle, found)
    return high, limit
