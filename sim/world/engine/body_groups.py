"""Contacts of bodies by named groups, and speeds: the true state, cheap enough for every step.

As all that the engine measures, contacts and poses are those of the beginning of the last step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

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
    """

    def __init__(self, world: World, groups: Mapping[str, str], other: str = "other") -> None:
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
        self._touching = b""
        self._now: tuple[GroupContact, ...] = ()

    def _groups_of_bodies(self, groups: Mapping[str, str], other: str) -> list[str]:
        found = [""] * self._model.nbody
        for body, parent in enumerate(self._model.body_parentid.tolist()):
            found[body] = groups.get(self._model.body(body).name, found[parent])
        return [one or other for one in found]

    def now(self) -> tuple[GroupContact, ...]:
        """Contacts that press, in the engine's order: the same object while the same geoms do."""
        data = self._data
        if not data.ncon or not data.nefc:
            self._touching, self._now = b"", ()
            return self._now
        contacts = data.contact
        geoms, presses = contacts.geom, contacts.efc_address >= 0
        touching = geoms.tobytes() + presses.tobytes()
        if touching != self._touching:
            self._touching = touching
            chosen = np.flatnonzero(presses).tolist()
            pairs = geoms.tolist()
            self._now = tuple(GroupContact(*self._pair(*pairs[at]), at) for at in chosen)
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

    def greatest(self) -> float:
        """Greatest amount of a speed at the end of the last step [rad/s] or [m/s]."""
        return float(np.abs(self._data.qvel[self._at]).max(initial=0.0))
