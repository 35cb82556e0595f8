"""Mass, centre and inertia of simple bodies in closed form, and tensors in other axes.

Bodies have their centre at the origin and their length along z. Formulas: any table of moments of
inertia; the capsule's ends are half balls with their centres 3/8 of the radius from their planes.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.body import BodyShape

Array = NDArray[np.float64]

SIZES: Final[Mapping[BodyShape, tuple[str, ...]]] = MappingProxyType(
    {
        BodyShape.NONE: (),
        BodyShape.BOX: ("width", "height", "length"),
        BodyShape.CYLINDER: ("radius", "length"),
        BodyShape.CAPSULE: ("radius", "length"),
        BodyShape.SPHERE: ("radius",),
        BodyShape.MESH: (),
    }
)
"""Meanings of the numbers of a size. The length may be left out: from joint to joint."""
SLACK: Final = 1e-9
"""Tolerance of principal moments, in parts of the largest."""


@dataclass(frozen=True, slots=True, eq=False)
class MassProperties:
    """Mass properties of a rigid body, in some frame. Arrays are read-only."""

    mass_kg: float
    """Mass of the body."""
    centre_m: Array
    """Centre of mass, shape (3,)."""
    inertia_kg_m2: Array
    """Inertia about the centre of mass, shape (3, 3)."""

    def __post_init__(self) -> None:
        for name in ("centre_m", "inertia_kg_m2"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def seen_from(self, rotation: Array, position_m: Array) -> "MassProperties":
        """Express the body in a frame in which its own is at a place.

        Args:
            rotation: its own axes in that frame, as columns, shape (3, 3).
            position_m: its own origin in that frame, shape (3,).
        """
        tensor = rotation @ self.inertia_kg_m2 @ rotation.T
        return MassProperties(
            self.mass_kg, position_m + rotation @ self.centre_m, 0.5 * (tensor + tensor.T)
        )


def volume_m3(shape: BodyShape, size_m: Sequence[float]) -> float:
    """Compute the volume [m3]; 0 of no body, and of one without a full size."""
    match shape, tuple(size_m):
        case BodyShape.BOX, (width, height, length):
            return width * height * length
        case BodyShape.CYLINDER, (radius, length):
            return math.pi * radius**2 * length
        case BodyShape.CAPSULE, (radius, length):
            return math.pi * radius**2 * (length + 4.0 / 3.0 * radius)
        case BodyShape.SPHERE, (radius,):
            return 4.0 / 3.0 * math.pi * radius**3
        case _:
            return 0.0


def solid(shape: BodyShape, size_m: Sequence[float], mass_kg: float) -> MassProperties:
    """Compute a homogeneous body of this shape, all numbers of its size given."""
    moments = [mass_kg * one for one in _moments_m2(shape, size_m)]
    return MassProperties(mass_kg, np.zeros(3), np.diag(moments))


def _moments_m2(shape: BodyShape, size_m: Sequence[float]) -> tuple[float, float, float]:
    """Compute the moments about the body's axes per unit of mass [m2]."""
    match shape, tuple(size_m):
        case BodyShape.BOX, (x, y, z):
            return (y**2 + z**2) / 12.0, (x**2 + z**2) / 12.0, (x**2 + y**2) / 12.0
        case BodyShape.CYLINDER, (radius, length):
            across = radius**2 / 4.0 + length**2 / 12.0
            return across, across, radius**2 / 2.0
        case BodyShape.CAPSULE, (radius, length):
            ball = 4.0 / 3.0 * radius / (length + 4.0 / 3.0 * radius)
            tube = 1.0 - ball
            across = tube * (radius**2 / 4.0 + length**2 / 12.0) + ball * (
                0.4 * radius**2 + length**2 / 4.0 + 0.375 * length * radius
            )
            return across, across, tube * radius**2 / 2.0 + ball * 0.4 * radius**2
        case BodyShape.SPHERE, (radius,):
            moment = 0.4 * radius**2
            return moment, moment, moment
        case _:
            return 0.0, 0.0, 0.0


def principal_moments(entries: Sequence[float]) -> Array:
    """Compute the principal moments of xx, yy, zz, xy, xz, yz [kg m2], ascending, shape (3,)."""
    return np.asarray(np.linalg.eigvalsh(tensor_of(entries)), dtype=np.float64)


def tensor_of(entries: Sequence[float]) -> Array:
    """Build the tensor xx, yy, zz, xy, xz, yz, shape (3, 3)."""
    xx, yy, zz, xy, xz, yz = entries
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def nearest_inertia(entries: Sequence[float]) -> Array | None:
    """Find the nearest inertia that a body can have; None if this one can be.

    Negative moments become those of a rod, or all 0 of a point; one beyond the sum of the others
    shares the excess.
    """
    if not any(entries):
        return None
    moments, axes = np.linalg.eigh(tensor_of(entries))
    least, middle, greatest = moments.tolist()
    slack = SLACK * greatest
    if greatest <= 0.0:
        return np.zeros((3, 3))
    if least >= -slack and greatest <= least + middle + slack:
        return None
    excess = greatest - least - middle
    nearest = np.array([least + excess / 3.0, middle + excess / 3.0, greatest - excess / 3.0])
    if nearest[0] < 0.0:
        nearest = np.array([0.0, 0.5 * (middle + greatest), 0.5 * (middle + greatest)])
    return axes @ np.diag(nearest) @ axes.T
