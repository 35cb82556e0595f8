"""Forces of the six drives for a motion, and what each part of the machine contributes.

A force is that of a drive along its rod, positive when it pushes outwards, without the friction of
its screw: what a drive measures that knows no friction. Equations: `platform6dof.kernels.dynamics`.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.legs import SixFloats
from platform6dof.dynamics.machine import Machine
from platform6dof.kernels import dynamics as kernel
from platform6dof.kernels import legs, rotation
from platform6dof.pose import PlatformSetpoint

Array = NDArray[np.float64]

PARTS: Final = ("bodies", "across", "rod", "rotor")
"""Parts of a force: bodies on the platform, tube and rod across the leg, rod along it, rotor."""


@dataclass(frozen=True, slots=True, eq=False)
class LegLoads:
    """Motion of the legs and forces of their drives at N moments."""

    length_m: Array
    """Lengths [m], shape (N, 6)."""
    speed_m_s: Array
    """Speeds, outwards positive [m/s], shape (N, 6)."""
    acceleration_m_s2: Array
    """Accelerations [m/s²], shape (N, 6)."""
    parts_n: Array
    """Forces by `PARTS` [N], shape (N, 4, 6)."""

    @property
    def force_n(self) -> Array:
        """Forces of the drives [N], shape (N, 6)."""
        return self.parts_n.sum(axis=1)

    @property
    def thrust_n(self) -> Array:
        """Forces that screws exert on their rods, without the rotors' own [N], shape (N, 6)."""
        return self.parts_n[:, :3].sum(axis=1)


def forces(machine: Machine, setpoint: PlatformSetpoint) -> Array:
    """Parts of the drives' forces at one setpoint [N], shape (4, 6); not numbers where singular."""
    packed = np.array(setpoint.packed)
    states, rows = leg_states(machine, packed[None])
    parts = np.empty((kernel.PARTS, 6))
    kernel.force_parts(*machine.constants, packed, states[0], rows[0, 1:], parts)
    return parts


def leg_states(machine: Machine, setpoints: Array) -> tuple[Array, Array]:
    """States and rows of the legs for the kernels; room for them where no rod winds.

    Args:
        setpoints: packed, shape (N, 24).

    Returns:
        Shapes (N, 3, 6) and (N, 7, 6).
    """
    if machine.geometry.screw_lead_m != 0.0:
        return legs.leg_states_and_rows(machine.geometry.table, setpoints)
    return np.empty((len(setpoints), 3, 6)), np.empty((len(setpoints), 7, 6))


def expected_force_n(machine: Machine, setpoint: PlatformSetpoint) -> SixFloats:
    """Forces of the drives at one setpoint [N], as plain numbers; called every tick."""
    one, two, three, four, five, six = forces(machine, setpoint).sum(axis=0).tolist()
    return one, two, three, four, five, six


def loads_of_setpoints(machine: Machine, setpoints: Array) -> LegLoads:
    """Forces of packed setpoints, shape (N, 24); a singular one is not a number, and no other."""
    return loads_of_states(machine, setpoints, *leg_states(machine, setpoints))


def loads_of_states(machine: Machine, setpoints: Array, states: Array, rows: Array) -> LegLoads:
    """Forces of packed setpoints with their legs, as `leg_states` or their own kernel gives them.

    Args:
        setpoints: shape (N, 24).
        states: lengths, speeds, accelerations of the legs, shape (N, 3, 6).
        rows: lengths and rows of the Jacobian, shape (N, 7, 6).
    """
    parts = np.empty((len(setpoints), kernel.PARTS, 6))
    kernel.force_parts_of(*machine.constants, setpoints, states, rows, parts)
    return LegLoads(states[:, 0], states[:, 1], states[:, 2], parts)


def loads_of_coordinates(
    machine: Machine, coordinates: ArrayLike, rates: ArrayLike, second_rates: ArrayLike
) -> LegLoads:
    """Forces of many poses with their speeds and accelerations.

    Args:
        coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).
        rates: their time derivatives, shape (N, 6).
        second_rates: their second time derivatives, shape (N, 6).

    Raises:
        ValueError: the shapes are not (N, 6) and equal.
    """
    three = [
        np.ascontiguousarray(one, dtype=np.float64) for one in (coordinates, rates, second_rates)
    ]
    if three[0].ndim != 2 or any(one.shape != (len(three[0]), 6) for one in three):
        raise ValueError(f"coordinates and derivatives {[one.shape for one in three]}: all (N, 6)")
    return loads_of_setpoints(machine, rotation.setpoints_of_coordinates(*three))
