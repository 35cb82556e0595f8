"""Efforts that a robot's drives need, from the engine's own dynamics.

Drives of closed chains carry what hangs on the other joints, too: with ``G`` the rates of all
joints per rate of the driven ones, that the ties allow, ``τ = Gᵀ (M G a + bias - passive)``, as
inverse dynamics of constrained mechanisms go (Featherstone 2008, Rigid Body Dynamics Algorithms,
eq. 8.17); ``Ġ`` is left out.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.world import World, WorldRobot

Array = NDArray[np.float64]


class RobotDynamics:
    """Of one robot of a world, at the state of its last step."""

    def __init__(self, world: World, robot: WorldRobot) -> None:
        # World, robot and dynamics are three parts of one thing.
        self._engine: Any = world._engine  # noqa: SLF001
        self._model: Any = world._model  # noqa: SLF001
        self._data: Any = world._data  # noqa: SLF001
        self._driven: NDArray[np.int_] = robot._freedoms  # noqa: SLF001
        self._others = np.setdiff1d(np.arange(self._model.nv), self._driven)
        self._accelerations = np.zeros(self._model.nv)
        self._inertial = np.zeros(self._model.nv)

    def holding(self) -> Array:
        """Efforts against gravity, velocity terms and damping, shape (drives,) [N m] or [N]."""
        return self._at_drives(self._data.qfrc_bias - self._data.qfrc_passive)

    def moving(self, accelerations: Array) -> Array:
        """Efforts for accelerations of the driven joints besides, shape (drives,) each."""
        ties = self._ties()
        self._accelerations[self._driven] = accelerations
        self._accelerations[self._others] = 0.0 if ties is None else ties @ accelerations
        self._engine.mj_mulM(self._model, self._data, self._inertial, self._accelerations)
        needed = self._inertial + self._data.qfrc_bias - self._data.qfrc_passive
        driven = needed[self._driven]
        return driven if ties is None else driven + ties.T @ needed[self._others]

    def _at_drives(self, efforts: Array) -> Array:
        ties, driven = self._ties(), efforts[self._driven]
        return driven if ties is None else driven + ties.T @ efforts[self._others]

    def _ties(self) -> Array | None:
        """Rates of the other joints per rate of the driven ones; None if nothing ties them."""
        count = int(self._data.ne)
        if not count or not len(self._others):
            return None
        jacobian = self._jacobian(count)
        others, driven = jacobian[:, self._others], jacobian[:, self._driven]
        return np.asarray(np.linalg.lstsq(others, -driven, rcond=1e-9)[0], np.float64)

    def _jacobian(self, count: int) -> Array:
        """Of the ties, shape (count, freedoms)."""
        data, freedoms = self._data, self._model.nv
        if not self._engine.mj_isSparse(self._model):
            return data.efc_J[: count * freedoms].reshape(count, freedoms)
        jacobian = np.zeros((count, freedoms))
        for row in range(count):
            at = data.efc_J_rowadr[row]
            here = slice(at, at + data.efc_J_rownnz[row])
            jacobian[row, data.efc_J_colind[here]] = data.efc_J[here]
        return jacobian

    def inertias(self) -> Array:
        """What each drive accelerates while the others stand, ``diag(Gᵀ M G)``, shape (drives,)."""
        found = np.zeros(len(self._driven))
        rest = self.moving(np.zeros(len(found)))
        for index in range(len(found)):
            one = np.zeros(len(found))
            one[index] = 1.0
            found[index] = (self.moving(one) - rest)[index]
        return found
