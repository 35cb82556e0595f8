"""Contacts of a run: which pair began to touch when, how hard, and when it parted.

A contact is a pair of bodies, one of them a robot's or borne by one, from its first touch until it
has been apart for `APART_S`: a bounce within that time is no contact of its own. Pairs that touch
where the run begins, such as wheels on the floor, and bodies that may be touched are left out.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from sim.world.engine.contact_pairs import Pair, TouchingPairs

APART_S: Final = 0.1
"""That ends a contact."""


@dataclass(slots=True)
class Touch:
    """A contact."""

    pair: Pair
    """Names of both bodies."""
    begun_s: float
    """When it began."""
    force_n: float
    """Along the normals, when it began."""
    peak_n: float
    """Greatest since."""
    last_s: float
    """When it was last there."""

    def __str__(self) -> str:
        """Such as ``link 6 touches table, 12.3 N``."""
        return f"{self.pair[0]} touches {self.pair[1]}, {self.force_n:.1f} N"


@dataclass(frozen=True, slots=True)
class ContactState:
    """All that a watch remembers."""

    resting: tuple[Pair, ...]
    """Pairs that touched where the run began."""
    touches: tuple[Touch, ...]
    """Contacts that have not ended, in their order."""
    count: int
    """Contacts that began."""
    touching: int
    """Pairs that touched in the last step."""
    force_n: float
    """Of these."""


class ContactWatch:
    """Of a world that is where its run begins.

    Args:
        may_touch: names of bodies whose contacts are left out.
    """

    def __init__(self, pairs: TouchingPairs, may_touch: Collection[str] = ()) -> None:
        self._pairs, self._may_touch = pairs, frozenset(may_touch)
        self._resting = frozenset(pairs.now())
        self._open: dict[Pair, Touch] = {}
        self.count: int = 0
        """Contacts that began."""
        self.touching: int = 0
        """Pairs that touch now, those left out among them."""
        self.force_n: float = 0.0
        """Normal forces of all of these, added up."""

    def look(self, t_s: float) -> tuple[list[Touch], list[Touch]]:
        """What began to touch in the last step, and what has parted; once after every step."""
        found = self._pairs.now()
        self.touching, self.force_n = len(found), sum(found.values())
        if not found and not self._open:
            return [], []
        begun: list[Touch] = []
        for pair, force_n in found.items():
            if pair in self._resting or not self._may_touch.isdisjoint(pair):
                continue
            touch = self._open.get(pair)
            if touch is None:
                touch = self._open[pair] = Touch(pair, t_s, force_n, force_n, t_s)
                begun.append(touch)
            touch.last_s, touch.peak_n = t_s, max(touch.peak_n, force_n)
        ended = [one for one in self._open.values() if t_s - one.last_s > APART_S]
        for one in ended:
            del self._open[one.pair]
        self.count += len(begun)
        return begun, ended

    def carry_over(self, old: ContactWatch) -> None:
        """Go on from before an edit; pairs are known by their names."""
        self.resume(old.state())

    def state(self) -> ContactState:
        """All that it remembers."""
        touches = tuple(replace(one) for one in self._open.values())
        return ContactState(
            tuple(sorted(self._resting)), touches, self.count, self.touching, self.force_n
        )

    def resume(self, state: ContactState) -> None:
        """Go on with what another remembers."""
        self._resting = frozenset(state.resting)
        self._open = {one.pair: replace(one) for one in state.touches}
        self.count, self.touching, self.force_n = state.count, state.touching, state.force_n

    def deep(self, least_m: float) -> dict[Pair, float]:
        """Pairs that are more than this in each other, and how far [m]."""
        return self._pairs.deep(least_m)
