"""Contacts of bodies by named groups, and speeds: the true state, cheap enough for every step.

As all that the engine measures, contacts and poses are those of the beginning of the last step.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.step_contacts import StepContacts
from sim.world.engine.world import World, WorldRobot


class GroupContact(NamedTuple):
    """Contact of bodies of two groups."""

    groups: tuple[str, str]
    """Groups of the two, in the order of their names."""
    bodies: tuple[str, str]
    """Names of the two bodies in the engine, in the order of the groups."""
    number: int
    """Number of the contact in the list of the engine in this step."""


class BodyGroups:
    """Contacts of a world by groups of bodies.

    Args:
        groups: group of a body by the body's name; what it bears belongs to it.
        other: group of all other bodies.
        contacts: reading that somebody else keeps up to date; None for one of its own.
    """

    def __init__(
        self, world: World, groups: Mapping[str, str], other: str = "other",
        contacts: StepContacts | None = None,
    ) -> None:  # fmt: skip
        # A world and what touches in it are two parts of one thing.
        self._model: Any = world._model  # noqa: SLF001
        self._data: Any = world._data  # noqa: SLF001
        found = self._groups_of_bodies(groups, other)
        geoms = range(self._model.ngeom)
        bodies = self._model.geom_bodyid.tolist()
        self._names = [self._model.body(bodies[one]).name if bodies[one]
                       else self._model.geom(one).name for one in geoms]  # fmt: skip
        self._groups = [found[bodies[one]] if bodies[one] else groups.get(self._names[one], other)
                        for one in geoms]  # fmt: skip
        self._pairs: dict[tuple[int, int], tuple[tuple[str, str], tuple[str, str]]] = {}
        self._contacts = contacts or StepContacts(world)
        self._reads, self._version = contacts is None, -1
        self._now: tuple[GroupContact, ...] = ()

    def _groups_of_bodies(self, groups: Mapping[str, str], other: str) -> list[str]:
        found = [""] * self._model.nbody
        for body, parent in enumerate(self._model.body_parentid.tolist()):
            found[body] = groups.get(self._model.body(body).name, found[parent])
        return [one or other for one in found]

    def now(self) -> tuple[GroupContact, ...]:
        """Contacts that press, in the engine's order: the same object while the same geoms do."""
        contacts = self._contacts
        if self._reads:
            contacts.read()
        if contacts.version != self._version:
            self._version = contacts.version
            pairs = zip(contacts.geoms, contacts.rows, strict=True)
            self._now = tuple(GroupContact(*self._pair(*geoms), number)
                              for number, (geoms, row) in enumerate(pairs) if row >= 0)  # fmt: skip
        return self._now

    def position_m(self, contact: GroupContact) -> tuple[float, float, float]:
        """Position of a contact of this step in the world."""
        x, y, z = self._data.contact.pos[contact.number].tolist()
        return x, y, z

    def force_n(self, contact: GroupContact) -> float:
        """Force along the normal of a contact of this step."""
        data = self._data
        return float(data.efc_force[data.contact.efc_address[contact.number]])

    def _pair(self, one: int, other: int) -> tuple[tuple[str, str], tuple[str, str]]:
        """Groups and names of the bodies of two geoms; kept, as steps ask for few again."""
        pair = self._pairs.get((one, other))
        if pair is None:
            first, second = (one, other)
            if self._groups[other] < self._groups[one]:
                first, second = other, one
            groups = self._groups[first], self._groups[second]
            pair = self._pairs[one, other] = groups, (self._names[first], self._names[second])
        return pair


class JointSpeeds:
    """Speeds of some joints of a robot, those without drives included.

    Args:
        joints: numbers of the joints.
    """

    def __init__(self, world: World, robot: WorldRobot, joints: Sequence[int]) -> None:
        self._data: Any = world._data  # noqa: SLF001  # parts of one thing
        self._at: NDArray[np.int_] = np.concatenate([robot.freedoms(one) for one in joints])

    def any_above(self, limit: float) -> bool:
        """Whether a speed is above a limit at the end of the last step [rad/s] or [m/s].

        A speed that is no number is above every limit.
        """
        return is_any_above(self._data.qvel[self._at].tolist(), limit)


def is_any_above(values: Iterable[float], limit: float) -> bool:
    """Whether the amount of a value is above a limit; what is no number is."""
    return not all(-limit <= one <= limit for one in values)
