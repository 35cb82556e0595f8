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
    """Point at which bodies of two groups touch."""

    groups: tuple[str, str]
    """Groups of the two, in the order of their names."""
    bodies: tuple[str, str]
    """Names of the two bodies in the engine, in the order of the groups."""
    position_m: tuple[float, float, float]
    """Position in the world."""
    force_n: float
    """Force along the normal."""


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

    def _groups_of_bodies(self, groups: Mapping[str, str], other: str) -> list[str]:
        found = [""] * self._model.nbody
        for body, parent in enumerate(self._model.body_parentid.tolist()):
            found[body] = groups.get(self._model.body(body).name, found[parent])
        return [one or other for one in found]

    def now(self) -> list[GroupContact]:
        """Contacts that press, in the engine's order."""
        data = self._data
        if not data.ncon or not data.nefc:
            return []
        contacts, found = data.contact, list[GroupContact]()
        rows, places_m = contacts.efc_address.tolist(), contacts.pos.tolist()
        for at, (one, other) in enumerate(contacts.geom.tolist()):
            if rows[at] >= 0:
                groups, bodies = self._pair(one, other)
                x, y, z = places_m[at]
                force_n = float(data.efc_force[rows[at]])
                found.append(GroupContact(groups, bodies, (x, y, z), force_n))
        return found

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
