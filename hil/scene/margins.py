"""What is left to a limit: rules for quantities of a frame, and the shares that colours begin at.

A share of 1 is the middle of the travel, 0 is a limit, below 0 is beyond it.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rule = Callable[[Array], tuple[Array, Array, list[str]]]
"""Values → what is left, the same as a share, and words for the nearer limit with ``{left}``."""

WARN_SHARE: Final = 0.15
FAULT_SHARE: Final = 0.05
"""A leg is yellow or red with less than this share of half its travel left."""
FULL_LEASTS: Final = 10.0
"""A distance from a singularity that is so many times its least above it fills the bar."""
_TO_LOW, _TO_HIGH = "{left} to the lower end", "{left} to the upper end"


@dataclass(frozen=True, slots=True)
class MarginGroup:
    """Quantities that stand side by side in the frame: names, field, and what is left."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    """SI, or as they are shown: % and ms of windows."""
    field: str
    of: Rule
    warn_share: float = WARN_SHARE
    """Below this share people are warned."""


def margin_role(share: float) -> str:
    """Colour role for the travel left, as a share of half of all; NaN is not known."""
    if share != share:
        return "unknown"
    if share < FAULT_SHARE:
        return "fault"
    return "warn" if share < WARN_SHARE else "ok"


def travel(low: Array, high: Array) -> Rule:
    """Rule for a quantity between two limits, (n,): left, share, and words of the nearer limit."""

    def of(values: Array) -> tuple[Array, Array, list[str]]:
        down, up = values - low, high - values
        left = np.minimum(down, up)
        ends = np.where(down < up, _TO_LOW, _TO_HIGH).tolist()
        return left, left / (0.5 * (high - low)), ends

    return of


def above(least: Array) -> Rule:
    """Rule for a distance that must not go below its least, which is above 0, shape (n,)."""

    def of(values: Array) -> tuple[Array, Array, list[str]]:
        left = values - least
        return left, left / (FULL_LEASTS * least), ["{left} to the least"] * len(least)

    return of


def windows(limits: Array, factors: Array, ends: Sequence[str]) -> Rule:
    """Rule for what counts up from 0 to the edge of a window, all shape (n,).

    Args:
        factors: from the unit of the values to the one that is shown.
        ends: words for each, with ``{left}``.
    """

    def of(values: Array) -> tuple[Array, Array, list[str]]:
        left = limits - values
        return factors * left, left / limits, list(ends)

    return of
