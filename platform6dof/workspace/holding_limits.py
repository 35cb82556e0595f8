"""Forces that hold a machine at rest, as limits of a map and of a proof."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.pose import frozen_array
from platform6dof.dynamics.machine import Machine
from platform6dof.kernels import legs, rotation, statics
from platform6dof.limits import EnvelopeViolation

Array = NDArray[np.float64]

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class HoldingLimits:
    """A machine with its bodies, and the greatest force of each drive that holds it at rest.

    Raises:
        ValueError: a limit that is not above 0, or not six of them.
    """

    machine: Machine
    """Bodies and legs."""
    limit_n: Array
    """Greatest force of each drive, in either direction [N], shape (6,), read-only."""

    def __post_init__(self) -> None:
        limits = frozen_array(self.limit_n, (6,), "limit_n")
        if not (limits > 0.0).all():
            raise ValueError(f"limit_n: {limits.tolist()}, every one must be above 0")
        _set(self, "limit_n", limits)

    def forces_n(self, coordinates: Array) -> Array:
        """Forces that hold poses [N], outwards positive, shape (N, 6); not numbers if singular.

        Args:
            coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).
        """
        zero = np.zeros_like(coordinates)
        setpoints = rotation.setpoints_of_coordinates(np.ascontiguousarray(coordinates), zero, zero)
        _, rows = legs.leg_states_and_rows(self.machine.geometry.table, setpoints)
        return self.forces_of_legs_n(setpoints, rows)

    def forces_of_legs_n(self, setpoints: Array, rows: Array) -> Array:
        """Forces as `forces_n`, of packed poses (N, 24) with their rows (N, 7, 6)."""
        return statics.holding_forces(*self.machine.constants, setpoints, rows)

    def violations(self, coordinates: Array) -> tuple[EnvelopeViolation, ...]:
        """Limits that a pose passes, shape (6,); a singular one passes none of these."""
        forces = self.forces_n(coordinates[None, :])[0].tolist()
        return tuple(
            EnvelopeViolation("holding force", leg, abs(force), limit, "N")
            for leg, (force, limit) in enumerate(zip(forces, self.limit_n.tolist(), strict=True), 1)
            if abs(force) > limit
        )
