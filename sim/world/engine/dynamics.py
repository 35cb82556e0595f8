"""Efforts that a robot's drives need, from the engine's own dynamics.

Drives of closed chains carry what hangs on the other joints, too: with ``G`` the rates of all
joints per rate of the driven ones, that the ties allow, ``τ = Gᵀ (M G a + bias - passive)``, as
inverse dynamics of constrained mechanisms go (Featherstone 2008, Rigid Body Dynamics Algorithms,
eq. 8.17); ``Ġ`` is left out.
"""

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.ties_kernel import bear, follow
from sim.world.engine.world import World, WorldRobot

Array = NDArray[np.float64]

DEPENDENT: Final = 1e-9
"""Part of the greatest entry below which a tie is taken to follow from the others."""


def _make_factors(others: int, count: int) -> tuple[Array, NDArray[np.int_], Array, Array]:
    """Allocate the arrays for the factors of ties."""
    return np.zeros((others, count)), np.zeros(others, int), np.zeros(others), np.zeros(others)


class RobotDynamics:
    """Dynamics of one robot of a world, at the state of its last step."""

    def __init__(self, world: World, robot: WorldRobot) -> None:
        # World, robot and dynamics are three parts of one thing.
        self._engine: Any = world._engine  # noqa: SLF001
        self._model: Any = world._model  # noqa: SLF001
        self._data: Any = world._data  # noqa: SLF001
        self._driven: NDArray[np.int_] = robot._freedoms  # noqa: SLF001
        self._freedoms: int = int(self._model.nv)
        self._others = np.setdiff1d(np.arange(self._freedoms), self._driven)
        self._in_order = np.array_equal(self._driven, np.arange(self._freedoms))
        self._accelerations = np.zeros(self._freedoms)
        self._inertial = np.zeros(self._freedoms)
        self._none = np.zeros(self._freedoms)
        self._bias: Array = self._data.qfrc_bias  # views of arrays that the engine keeps writing
        self._passive: Array = self._data.qfrc_passive
        self._factors = _make_factors(0, 0)
        self._tied, self._tied_bytes, self._rates = np.empty(0), b"", np.empty((0, 0))
        self._sparse = bool(self._engine.mj_isSparse(self._model))
        self._still = np.zeros(len(self._driven))
        self.holding()  # compiles the kernels before a run

    def holding(self) -> Array:
        """Efforts against gravity, velocity terms and damping, shape (drives,) [N m] or [N]."""
        count, others = int(self._data.ne), len(self._others)
        if self._in_order or (count and 0 < others <= count):
            return self.moving(self._still)
        needed = self._none + self._bias - self._passive  # no mass is accelerated
        if not count or not others:
            return needed[self._driven]
        rates = self._solve_ties(self._entries(count)[: count * self._freedoms])
        return self._with_others(needed, rates)

    def moving(self, accelerations: Array) -> Array:
        """Efforts that also give the driven joints accelerations, shape (drives,) each."""
        if self._in_order:  # the driven joints are all that moves
            self._engine.mj_mulM(self._model, self._data, self._inertial, accelerations)
            return self._inertial + self._bias - self._passive
        count, others = int(self._data.ne), len(self._others)
        if count and others:
            entries = self._entries(count)
            if others <= count:
                if self._factors[0].shape != (others, count):
                    self._factors = _make_factors(others, count)
                if follow(
                    entries, self._driven, self._others, DEPENDENT, *self._factors,
                    accelerations, self._accelerations,
                ):  # fmt: skip
                    return self._borne(entries)
            rates = self._solve_ties(entries[: count * self._freedoms])
            self._accelerations[self._others] = rates @ accelerations
            return self._with_others(self._needed(accelerations), rates)
        self._accelerations[self._others] = 0.0
        return self._needed(accelerations)[self._driven]

    def _solve_ties(self, entries: Array) -> Array:
        """Rates of the other joints per rate of each driven one, shape (others, drives).

        They are kept while the ties are as they were, as those of joints that follow others are.
        """
        if entries.tobytes() != self._tied_bytes and not np.array_equal(entries, self._tied):
            self._tied, self._tied_bytes = entries.copy(), entries.tobytes()
            jacobian = entries.reshape(-1, self._freedoms)
            sides = jacobian[:, self._others], -jacobian[:, self._driven]
            self._rates = np.asarray(np.linalg.lstsq(*sides, rcond=DEPENDENT)[0], np.float64)
        return self._rates

    def _with_others(self, needed: Array, rates: Array) -> Array:
        """Efforts at the driven joints, which bear those at the others, shape (drives,)."""
        return needed[self._driven] + rates.T @ needed[self._others]

    def _needed(self, accelerations: Array) -> Array:
        """Efforts at all freedoms, shape (freedoms,)."""
        self._accelerations[self._driven] = accelerations
        self._engine.mj_mulM(self._model, self._data, self._inertial, self._accelerations)
        return self._inertial + self._bias - self._passive

    def _borne(self, entries: Array) -> Array:
        """Efforts at the driven joints, by the factors of ties that decide all rates."""
        self._engine.mj_mulM(self._model, self._data, self._inertial, self._accelerations)
        found = np.empty(len(self._driven))
        bear(
            entries, self._driven, self._others, *self._factors,
            self._inertial, self._bias, self._passive, found,
        )  # fmt: skip
        return found

    def _entries(self, count: int) -> Array:
        """Entries of the Jacobian of the ties, row by row, flat; perhaps more behind them."""
        data = self._data
        if not self._sparse:
            return data.efc_J
        jacobian = np.zeros((count, self._freedoms))
        for row in range(count):
            at = data.efc_J_rowadr[row]
            here = slice(at, at + data.efc_J_rownnz[row])
            jacobian[row, data.efc_J_colind[here]] = data.efc_J[here]
        return jacobian.ravel()

    def inertias(self) -> Array:
        """Inertia of each drive while the others rest, ``diag(Gᵀ M G)``, shape (drives,)."""
        found = np.zeros(len(self._driven))
        rest = self.moving(np.zeros(len(found)))
        for index in range(len(found)):
            one = np.zeros(len(found))
            one[index] = 1.0
            found[index] = (self.moving(one) - rest)[index]
        return found
