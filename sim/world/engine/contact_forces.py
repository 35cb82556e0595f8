"""What presses on a robot, or on what it bears, and with which force."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.mjcf_robot import link_name
from sim.world.engine.world import World, WorldRobot


class ContactForces:
    """Of one robot of a world: pairs of bodies of which one is the robot's or borne by it."""

    def __init__(self, world: World, robot: WorldRobot) -> None:
        self._engine: Any = world._engine  # noqa: SLF001  # parts of one thing
        self._model: Any = world._model  # noqa: SLF001
        self._data: Any = world._data  # noqa: SLF001
        self._own: NDArray[np.bool_] = self._model.geom_contype == robot.placed.contact_bit
        self._links = {
            link_name(link.number, one.placed.prefix): f"{one.placed.prefix}{link.name or at}"
            for one in world.robots
            for at, link in enumerate(one.placed.robot.links)
        }
        self._wrench = np.zeros(6)

    @property
    def any(self) -> bool:
        """Whether anything in the world touches anything; quick."""
        return self._data.ncon > 0

    def forces_n(self) -> dict[tuple[str, str], float]:
        """Of the last step, by the names of the other body and of the robot's own [N]."""
        found: dict[tuple[str, str], NDArray[np.float64]] = {}
        for pair, index in self._pairs():
            self._engine.mj_contactForce(self._model, self._data, index, self._wrench)
            force_n = self._data.contact.frame[index].reshape(3, 3).T @ self._wrench[:3]
            found[pair] = found.get(pair, np.zeros(3)) + force_n
        return {pair: float(np.linalg.norm(force_n)) for pair, force_n in found.items()}

    def depths_m(self) -> dict[tuple[str, str], float]:
        """How deep the bodies of each pair are in each other [m]."""
        found: dict[tuple[str, str], float] = {}
        for pair, index in self._pairs():
            depth_m = -float(self._data.contact.dist[index])
            found[pair] = max(depth_m, found.get(pair, depth_m))
        return found

    def _pairs(self) -> list[tuple[tuple[str, str], int]]:
        """Names of each pair, the robot's own body last, and the contact's number."""
        geoms = self._data.contact.geom
        own = self._own[geoms]
        found: list[tuple[tuple[str, str], int]] = []
        for index in np.flatnonzero(own.any(axis=1)).tolist():
            first, second = geoms[index].tolist()
            if own[index, 0]:
                first, second = second, first
            found.append(((self._name(first), self._name(second)), index))
        return found

    def _name(self, geom: int) -> str:
        body = int(self._model.geom_bodyid[geom])
        if not body:
            return str(self._model.geom(geom).name)
        name = str(self._model.body(body).name)
        return self._links.get(name, name)
