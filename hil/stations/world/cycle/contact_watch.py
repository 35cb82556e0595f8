"""Contacts of a run: pair, beginning, force and end.

A contact is a pair of bodies, one of them a robot's or borne by one, from its first touch until it
has been apart for `APART_S`: a bounce within that time is no contact of its own. Pairs that touch
where the run begins, such as wheels on the floor, and bodies that may be touched are left out.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sim.world.engine.contact_pairs import ContactPairs, Pair

APART_S: Final = 0.1
"""Time apart that ends a contact [s]."""


@dataclass(slots=True)
class Touch:
    """Contact of two bodies."""

    pair: Pair
    """Names of both bodies."""
    begun_s: float
    """Time of its beginning [s]."""
    force_n: float
    """Force along the normals at its beginning [N]."""
    peak_n: float
    """Greatest force since then [N]."""
    last_s: float
    """Time of the last step in which it existed [s]."""

    def __str__(self) -> str:
        """Sentence such as ``link 6 touches table, 12.3 N``."""
        return f"{self.pair[0]} touches {self.pair[1]}, {self.force_n:.1f} N"


@dataclass(frozen=True, slots=True)
class ContactState:
    """State of a watch."""

    resting: tuple[Pair, ...]
    """Pairs that touched where the run began."""
    touches: tuple[Touch, ...]
    """Contacts that have not ended, in their order."""
    count: int
    """Number of contacts that began."""
    touching: int
    """Number of pairs that touched in the last step."""
    force_n: float
    """Sum of these pairs' normal forces [N]."""


class ContactWatch:
    """Watch of the contacts of a world, from where its run begins.

    Args:
        may_touch: names of bodies whose contacts are left out.
    """

    def __init__(self, pairs: ContactPairs, may_touch: Collection[str] = ()) -> None:
        self.pairs: ContactPairs = pairs
        """Pairs of the world that is watched."""
        self._may_touch = frozenset(may_touch)
        self._resting = frozenset(pairs.now())
        self._left_out = set(self._resting)
        self._open: dict[Pair, Touch] = {}
        self.count: int = 0
        """Number of contacts that began."""
        self.touching: int = 0
        """Number of pairs that touch now, those left out among them."""
        self.force_n: float = 0.0
        """Sum of these pairs' normal forces [N]."""

    def look(self, t_s: float) -> tuple[list[Touch], list[Touch]]:
        """Update after every step; returns the contacts that began, and those that ended."""
        found = self.pairs.now()
        self.touching, self.force_n = len(found), sum(found.values())
        if not found and not self._open:
            return [], []
        begun: list[Touch] = []
        for pair, force_n in found.items():
            if pair in self._left_out:
                continue
            if not self._may_touch.isdisjoint(pair):
                self._left_out.add(pair)
                continue
            touch = self._open.get(pair)
            if touch is None:
                touch = self._open[pair] = Touch(pair, t_s, force_n, force_n, t_s)
                begun.append(touch)
            touch.last_s, touch.peak_n = t_s, max(touch.peak_n, force_n)
        if not self._open:
            return begun, []
        ended = [one for one in self._open.values() if t_s - one.last_s > APART_S]
        for one in ended:
            del self._open[one.pair]
        self.count += len(begun)
        return begun, ended

    def carry_over(self, old: ContactWatch) -> None:
        """Continue from before an edit; pairs are known by their names."""
        self.resume(old.state())

    def state(self) -> ContactState:
        """State of the watch."""
        touches = tuple(replace(one) for one in self._open.values())
        return ContactState(
            tuple(sorted(self._resting)), touches, self.count, self.touching, self.force_n
        )

    def resume(self, state: ContactState) -> None:
        """Continue from the state of another watch."""
        self._resting = frozenset(state.resting)
        self._left_out = set(self._resting)
        self._open = {one.pair: replace(one) for one in state.touches}
        self.count, self.touching, self.force_n = state.count, state.touching, state.force_n

    def deep(self, least_m: float) -> dict[Pair, float]:
        """Pairs that overlap by more than this, and their overlap [m]."""
        return self.pairs.deep(least_m)
