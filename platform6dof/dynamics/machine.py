"""Bodies that six drives move: what stands on the platform, tubes, rods, rotors."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import frozen_array
from platform6dof.geometry import HexapodGeometry
from platform6dof.kernels import dynamics as kernel

Array = NDArray[np.float64]

GRAVITY_M_S2: Final = 9.81
"""Acceleration of free fall, as in the worlds of this project [m/s²]."""
TENSOR_TOLERANCE: Final = 1e-9
"""Share of the trace by which a tensor may miss what a body can have: rounding."""

_set = object.__setattr__


class BodyError(ValueError):
    """Numbers that no body has; the text says which and why."""


@dataclass(frozen=True, slots=True, eq=False)
class PlatformBody:
    """A body fixed to the platform.

    Raises:
        BodyError: a mass below 0, a mass of 0 with a moment, a tensor that no body can have, or
            what is not finite.
    """

    name: str
    """Name for people: platform, cabin, person."""
    mass_kg: float
    """Mass [kg]."""
    centre_m: Array
    """Centre of mass in platform axes [m], shape (3,)."""
    inertia_kg_m2: Array
    """Tensor about the centre in platform axes [kg m²], shape (3, 3)."""

    def __post_init__(self) -> None:
        try:
            centre = frozen_array(self.centre_m, (3,), "centre_m")
            tensor = frozen_array(self.inertia_kg_m2, (3, 3), "inertia_kg_m2")
        except ValueError as error:
            raise BodyError(f"body {self.name}: {error}") from None
        if not (math.isfinite(self.mass_kg) and self.mass_kg >= 0.0):
            raise BodyError(f"body {self.name}: mass_kg = {self.mass_kg}: 0 or more is needed")
        if problem := tensor_problem(self.mass_kg, tensor):
            raise BodyError(f"body {self.name}: inertia_kg_m2: {problem}")
        _set(self, "centre_m", centre)
        _set(self, "inertia_kg_m2", tensor)


def tensor_problem(mass_kg: float, tensor: Array) -> str:
    """Say why no body has this central tensor [kg m²], shape (3, 3); empty if one may.

    Principal moments are integrals of y² + z², x² + z², x² + y² over the mass: none is negative,
    and none is greater than the sum of the other two.
    """
    scale = max(float(np.abs(tensor).max()), 1e-300)
    if float(np.abs(tensor - tensor.T).max()) > TENSOR_TOLERANCE * scale:
        return "it is not symmetrical"
    if mass_kg == 0.0 and np.any(tensor != 0.0):
        return "a body of 0 kg has no moments: write zeros, or give its mass_kg"
    a, b, c = np.linalg.eigvalsh(tensor).tolist()
    slack = TENSOR_TOLERANCE * (abs(a) + abs(b) + abs(c))
    moments = f"principal moments {a:.6g}, {b:.6g}, {c:.6g} kg m²"
    if a < -slack:
        return f"{moments}: none may be below 0; check the signs of xy, xz, yz"
    if c > a + b + slack:
        return (
            f"{moments}: the greatest is above the sum of the others, {a + b:.6g}, which no body "
            "has; check the values, and that they are about the centre of mass"
        )
    return ""


@dataclass(frozen=True, slots=True)
class LegBodies:
    """Bodies of each leg, which are alike: tube, rod, rotor with screw.

    Raises:
        BodyError: a number below 0 or not finite.
    """

    tube_kg: float = 0.0
    """Mass of what swings about the base's joint and does not slide: tube, motor [kg]."""
    tube_centre_m: float = 0.0
    """Distance of its centre from the base's joint [m]."""
    tube_inertia_kg_m2: float = 0.0
    """Moment of the tube about its centre, across the leg [kg m²]."""
    rod_kg: float = 0.0
    """Mass of what slides [kg]."""
    rod_centre_m: float = 0.0
    """Distance of its centre from the platform's joint, back along the leg [m]."""
    rod_inertia_kg_m2: float = 0.0
    """Moment of the rod about its centre, across the leg [kg m²]."""
    spin_inertia_kg_m2: float = 0.0
    """Moment of tube and rod about the leg [kg m²]."""
    rotor_kg: float = 0.0
    """Rotor and screw as a mass at the rod: their moment times (2 pi / lead)² [kg]."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise BodyError(f"{name} = {value}: a finite number, 0 or more, is needed")

    def row(self) -> list[float]:
        """Numbers for the kernel, shape (8,)."""
        swing = self.tube_inertia_kg_m2 + self.tube_kg * self.tube_centre_m**2
        return [
            self.tube_kg, self.tube_centre_m, self.rod_kg, self.rod_centre_m, swing,
            self.rod_inertia_kg_m2, self.spin_inertia_kg_m2, self.rotor_kg,
        ]  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Machine:
    """Platform with its bodies on six legs with theirs; all arrays are read-only."""

    geometry: HexapodGeometry
    """Joints and legs."""
    bodies: tuple[PlatformBody, ...]
    """Bodies on the platform, itself among them."""
    legs: LegBodies = LegBodies()
    """Bodies of each leg."""
    gravity_m_s2: Array = field(default_factory=lambda: np.array([0.0, 0.0, -GRAVITY_M_S2]))
    """Acceleration of free fall in base axes [m/s²], shape (3,)."""
    load: Array = field(init=False, repr=False)
    """All bodies on the platform for the kernel, shape (13,)."""
    leg_bodies: Array = field(init=False, repr=False)
    """Bodies of the six legs for the kernel, shape (6, 8)."""

    def __post_init__(self) -> None:
        legs = np.tile(self.legs.row(), (6, 1))
        legs.setflags(write=False)
        _set(self, "bodies", tuple(self.bodies))
        _set(self, "gravity_m_s2", frozen_array(self.gravity_m_s2, (3,), "gravity_m_s2"))
        _set(self, "load", load_numbers(self.bodies))
        _set(self, "leg_bodies", legs)

    @property
    def load_kg(self) -> float:
        """Mass of all bodies on the platform [kg]."""
        return float(self.load[0])

    @property
    def constants(self) -> tuple[Array, Array, Array, Array]:
        """Legs' table, their bodies, load and gravity, as the kernels take them."""
        return self.geometry.table, self.leg_bodies, self.load, self.gravity_m_s2


def load_numbers(bodies: Sequence[PlatformBody]) -> Array:
    """Mass, first moment and tensor about the platform's origin of bodies, shape (13,)."""
    numbers = np.zeros(kernel.LOAD_SIZE)
    tensor = np.zeros((3, 3))
    for body in bodies:
        numbers[0] += body.mass_kg
        numbers[1:4] += body.mass_kg * body.centre_m
        tensor += body.inertia_kg_m2 + point_tensor(body.mass_kg, body.centre_m)
    numbers[4:] = tensor.ravel()
    numbers.setflags(write=False)
    return numbers


def point_tensor(mass_kg: float, at_m: ArrayLike) -> Array:
    """Tensor of a point about the origin, m (|r|² E - r rᵀ) [kg m²], shape (3, 3)."""
    r = np.asarray(at_m, dtype=np.float64)
    return np.asarray(mass_kg * (float(r @ r) * np.eye(3) - np.outer(r, r)), dtype=np.float64)
