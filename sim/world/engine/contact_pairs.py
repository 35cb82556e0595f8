"""Bodies that touch a robot, and their forces: a step at a time, and cheap enough for every step.

A body that a robot bears belongs to it. Forces are those along the normals of all contact points of
a pair, added up; as all that the engine measures they are of the beginning of the last step.
"""

from typing import Any

import numpy as np

from sim.world.engine.step_contacts import StepContacts
from sim.world.engine.world import World

Pair = tuple[str, str]


class ContactPairs:
    """Contact pairs of a world's robots; links by number, the first robot's without its name."""

    def __init__(self, world: World) -> None:
        # A world and what touches in it are two parts of one thing.
        self._model: Any = world._model  # noqa: SLF001
        self._data: Any = world._data  # noqa: SLF001
        shown, owners = self._named(world)
        bodies = self._model.geom_bodyid.tolist()
        self._names = [
            shown.get(body) or self._plain(geom, body) for geom, body in enumerate(bodies)
        ]
        self._owners = np.array([owners.get(body, -1) for body in bodies], dtype=np.intp)
        self._owned = (self._owners >= 0).tolist()
        self._pairs: dict[tuple[int, int], Pair] = {}
        self.contacts: StepContacts = StepContacts(world)
        """Contacts of the step that `now` has read last."""
        self._version = -1
        self._sorted: list[Pair] = []
        self._rows = np.zeros(0, np.intp)

    def now(self) -> dict[Pair, float]:
        """Normal force of each pair of which one is a robot's [N]; that one is the first."""
        if self.contacts.read() != self._version:
            self._sort()
        if not self._sorted:
            return {}
        found = dict.fromkeys(self._sorted, 0.0)
        for pair, force_n in zip(self._sorted, self.contacts.forces_n(self._rows), strict=True):
            found[pair] += force_n
        return found

    def _sort(self) -> None:
        """Find the contacts that press on a robot; they hold until others do."""
        contacts, owned = self.contacts, self._owned
        chosen = [
            (geoms, row) for geoms, row in zip(contacts.geoms, contacts.rows, strict=True)
            if row >= 0 and (owned[geoms[0]] or owned[geoms[1]])
        ]  # fmt: skip
        self._sorted = [self._pair(*geoms) for geoms, _ in chosen]
        self._rows = np.array([row for _, row in chosen], np.intp)
        self._version = contacts.version

    def own(self) -> tuple[str, ...]:
        """Pairs of bodies of the first robot that touch, such as ``link 2 and link 5``."""
        data = self._data
        if not data.ncon:
            return ()
        geoms = data.contact.geom
        chosen = (self._owners[geoms] == 0).all(axis=1)
        found = dict.fromkeys(self._pair(*pair) for pair in geoms[chosen].tolist())
        return tuple(" and ".join(pair) for pair in found)

    def deep(self, least_m: float) -> dict[Pair, float]:
        """Pairs with a penetration above this depth, and their depths [m]."""
        data, found = self._data, dict[Pair, float]()
        for index in range(data.ncon):
            contact = data.contact[index]
            one, other = contact.geom.tolist()
            if max(self._owners[one], self._owners[other]) >= 0 and -contact.dist > least_m:
                pair = self._pair(one, other)
                found[pair] = max(found.get(pair, 0.0), -float(contact.dist))
        return found

    def _pair(self, one: int, other: int) -> Pair:
        """Names of the bodies of two geoms, a robot's first; kept, as steps ask for few again."""
        pair = self._pairs.get((one, other))
        if pair is None:
            (_, first), (_, second) = sorted(
                (self._owners[geom] < 0, self._names[geom]) for geom in (one, other)
            )
            pair = self._pairs[one, other] = first, second
        return pair

    def _named(self, world: World) -> tuple[dict[int, str], dict[int, int]]:
        """Names of links, and the robot of each body, by the engine's numbers of bodies."""
        shown: dict[int, str] = {}
        owners: dict[int, int] = {}
        for number, robot in enumerate(world.robots):
            owner = robot.placed.prefix.removesuffix("/")
            for link, body in robot.bodies().items():
                shown[body] = f"link {link}" if number == 0 else f"{owner} link {link}"
                owners[body] = number
        for body, parent in enumerate(self._model.body_parentid.tolist()):
            if body not in owners and parent in owners:
                owners[body] = owners[parent]
        return shown, owners

    def _plain(self, geom: int, body: int) -> str:
        return self._model.body(body).name if body else self._model.geom(geom).name
