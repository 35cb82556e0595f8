"""Margins to a limit: rules for quantities of a frame, and the shares that colours begin at.

A share of 1 is the middle of the travel, 0 is a limit, below 0 is beyond it.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rule = Callable[[Array], tuple[Array, Array, list[str]]]
"""Values → what is left, the same as a share, and words for the nearer limit with ``{left}``."""

WARN_SHARE: Final = 0.15
FAULT_SHARE: Final = 0.05
"""A leg is near or at its limit with less than this share of half its travel left."""
REST_SHARE: Final = 0.01
"""Share of half its travel by which a resting quantity may be nearer to its limit than at rest."""
FULL_LEASTS: Final = 10.0
"""A distance from a singularity that is so many times its least above it fills the bar."""
_TO_LOW, _TO_HIGH = "{left} to the lower end", "{left} to the upper end"


class RestState(Enum):
    """Meaning of measured lengths in a mode."""

    UNHOMED = auto()
    """Nothing: the drives have not found their references."""
    AT_REST = auto()
    """The machine is in its place of rest, or on the way from it or to it: being there is well."""
    FREE = auto()
    """It may be anywhere."""


class RestWatch:
    """Meaning of lengths now, by the modes that have passed.

    Args:
        codes: names of the modes, by their codes.
        rest_states: mode → what lengths mean in it; one that is not there, such as a fault, leaves
            it as it was.
    """

    def __init__(self, codes: Sequence[str], rest_states: Mapping[str, RestState]) -> None:
        self._of = {
            code: rest_states[name] for code, name in enumerate(codes) if name in rest_states
        }
        self.now = RestState.FREE
        """Free until a mode has said otherwise: a warning too many is better than one too few."""

    def take(self, modes: Array) -> None:
        """Learn of the modes of new frames, by their codes, oldest first, shape (n,)."""
        for code in dict.fromkeys(modes[::-1].tolist()):
            if code in self._of:
                self.now = self._of[code]
                return


@dataclass(frozen=True, slots=True)
class MarginGroup:
    """Quantities side by side in the frame: names, field, and what is left."""

    names: tuple[str, ...]
    units: tuple[str, ...]
    """SI, or as they are shown: % and ms of windows."""
    field: str
    of: Rule
    warn_share: float = WARN_SHARE
    """Share below which people are warned."""
    rest: Array | None = None
    """Values in the machine's place of rest; None if it has none."""

    def at_rest(self, share: Array, ends: Sequence[str]) -> list[bool]:
        """Mark those no nearer to a limit than in the rest position, if that limit is the same.

        Args:
            share: what is left, as `of` gives it.
            ends: words for the nearer limit, as `of` gives them.
        """
        if self.rest is None:
            return [False] * len(ends)
        _, least, rest_ends = self.of(self.rest)
        near = (share >= least - REST_SHARE).tolist()
        return [at and end == rest for at, end, rest in zip(near, ends, rest_ends, strict=True)]

    def roles(self, values: Array, rest_state: RestState) -> list[str]:
        """Colour role of each: ``ok``, ``warn``, ``fault``, or ``unknown``."""
        if rest_state is RestState.UNHOMED:
            return ["unknown"] * len(self.names)
        _, share, ends = self.of(values)
        resting = rest_state is RestState.AT_REST
        return [
            "ok" if resting and at else self._role(part)
            for at, part in zip(self.at_rest(share, ends), share.tolist(), strict=True)
        ]

    def _role(self, share: float) -> str:
        return "warn" if WARN_SHARE <= share < self.warn_share else margin_role(share)


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
