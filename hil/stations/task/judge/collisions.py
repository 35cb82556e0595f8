"""Contacts that a task does not allow: one reading for all judges, what is allowed as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from hil.stations.task.plan.reasons import TaskFinding

if TYPE_CHECKING:
    from sim.world.engine.body_groups import BodyGroups, GroupContact

Point = tuple[float, float, float]
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class AllowedContacts:
    """Contacts that a task allows, by groups of bodies; a pair has its groups in order."""

    pairs: frozenset[Pair]
    """Pairs of groups that may touch anywhere."""
    among: frozenset[str] = frozenset()
    """Groups whose bodies may touch those of all of these groups."""
    within: Mapping[Pair, Callable[[Point], bool]] = field(
        default_factory=dict[Pair, Callable[[Point], bool]]
    )
    """Pairs that may touch at some places in the world [m]."""

    def anywhere(self, pair: Pair) -> bool:
        """Whether bodies of two groups may touch wherever they are."""
        return pair in self.pairs or self.among.issuperset(pair)

    def at(self, pair: Pair, place_m: Point) -> bool:
        """Whether bodies of two groups may touch at a place [m]."""
        inside = self.within.get(pair)
        return inside is not None and inside(place_m)


class Collisions:
    """Contacts of a run that are not allowed, each found once from touch to parting.

    Args:
        contacts: contacts of the world by groups.
        shown: names for people by the engine's names of bodies.
    """

    def __init__(
        self, contacts: BodyGroups, allowed: AllowedContacts, shown: Mapping[str, str]
    ) -> None:
        self._contacts, self._allowed, self._shown = contacts, allowed, shown
        self._known: tuple[GroupContact, ...] | None = None
        self._doubtful: list[GroupContact] = []
        self._open: set[Pair] = set()
        self.count: int = 0
        """Number of pairs of bodies that touched, each from touch to parting."""

    def find(self, t_s: float, contacts: tuple[GroupContact, ...]) -> list[TaskFinding]:
        """Findings about contacts that began with this step.

        Args:
            contacts: all contacts of this step; the same object while the same bodies touch.
        """
        if contacts is not self._known:
            self._known = contacts
            self._doubtful = [one for one in contacts if not self._allowed.anywhere(one.groups)]
        if not self._doubtful:
            if self._open:
                self._open = set()
            return []
        found: list[TaskFinding] = []
        now: set[Pair] = set()
        for one in self._doubtful:
            position_m = self._contacts.position_m(one)
            if self._allowed.at(one.groups, position_m):
                continue
            if one.bodies not in self._open and one.bodies not in now:
                found.append(self._finding(t_s, one, position_m))
            now.add(one.bodies)
        self.count += len(found)
        self._open = now
        return found

    def _finding(self, t_s: float, contact: GroupContact, position_m: Point) -> TaskFinding:
        first, second = (self._shown.get(body, body) for body in contact.bodies)
        text, force_n = f"{first} and {second} touch", self._contacts.force_n(contact)
        return TaskFinding("collision", t_s, text, position_m, force_n, 0.0, "N")
