"""Rigid bodies of an arm: a joint with the link that it moves, and a payload."""

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROTATION_TOLERANCE = 1e-9
"""Largest entry of ``R R^T - E``, and largest error of a unit vector's length."""

SMALLEST_MOMENT = -1e-9
"""Least principal moment of inertia, in parts of the largest: 0 but for rounding."""

_set = object.__setattr__


class SpaceArmError(ValueError):
    """Numbers that do not describe an arm; the message says which and why."""


@dataclass(frozen=True, slots=True, eq=False)
class Link:
    """One joint and the link that it moves. Arrays are read-only.

    Raises:
        SpaceArmError: not finite, wrong shape, no unit vector, no rotation, no inertia, empty
            travel.
    """

    name: str
    """Name of the joint."""
    axis: Array
    """Unit vector of the joint's axis in L_i, shape (3,)."""
    offset_m: Array
    """Origin of L_i in the frame of the link before it [m], shape (3,)."""
    rotation: Array
    """Axes of L_i at q = 0 in the frame of the link before it, as columns, shape (3, 3)."""
    mass_kg: float
    """Mass of the link; 0 for a massless one."""
    com_m: Array
    """Centre of mass in L_i [m], shape (3,)."""
    inertia_kg_m2: Array
    """Inertia about its centre of mass, in axes of L_i, shape (3, 3)."""
    position_min_rad: float
    """Lower end of the joint's travel [rad]; of a prismatic one [m]."""
    position_max_rad: float
    """Upper end of the joint's travel [rad]; of a prismatic one [m]."""
    rate_max_rad_s: float
    """Largest rate of the joint [rad/s]; of a prismatic one [m/s]."""
    prismatic: bool = False
    """Whether the joint slides along its axis instead of turning about it."""

    def __post_init__(self) -> None:
        place = f"joint {self.name}"
        axis = numbers(self.axis, (3,), f"{place}: axis")
        length = float(np.linalg.norm(axis))
        if abs(length - 1.0) > ROTATION_TOLERANCE:
            raise SpaceArmError(f"{place}: axis {axis.tolist()} has length {length:g}, must be 1")
        _set(self, "axis", axis)
        _set(self, "offset_m", numbers(self.offset_m, (3,), f"{place}: offset_m"))
        _set(self, "rotation", rotation_matrix(self.rotation, f"{place}: rotation"))
        _set_masses(self, place)
        low, high, unit = self.position_min_rad, self.position_max_rad, self.unit
        if not (math.isfinite(low) and math.isfinite(high) and low < high):
            raise SpaceArmError(
                f"{place}: travel from {low!r} to {high!r} {unit}, must rise and be finite"
            )
        if not (math.isfinite(self.rate_max_rad_s) and self.rate_max_rad_s > 0.0):
            raise SpaceArmError(
                f"{place}: largest rate {self.rate_max_rad_s!r} {unit}/s, must be finite and "
                f"above 0 {unit}/s"
            )

    @property
    def unit(self) -> str:
        """Unit of the joint's coordinate."""
        return "m" if self.prismatic else "rad"


@dataclass(frozen=True, slots=True, eq=False)
class Body:
    """A rigid body in the gripper's frame G: a payload. Arrays are read-only.

    Raises:
        SpaceArmError: not finite, wrong shape, or no mass or inertia of a body.
    """

    mass_kg: float
    """Mass of the body."""
    com_m: Array
    """Centre of mass in G [m], shape (3,)."""
    inertia_kg_m2: Array
    """Inertia about its centre of mass, in axes of G, shape (3, 3)."""

    def __post_init__(self) -> None:
        _set_masses(self, "body")


def joined(first: Link | Body, second: Link | Body) -> tuple[float, Array, Array]:
    """Join two bodies: mass [kg], centre of mass [m] and inertia about it [kg m2] in one frame.

    Args:
        first: one body.
        second: the other, its numbers in the same frame.
    """
    mass = first.mass_kg + second.mass_kg
    if mass == 0.0:
        return 0.0, np.zeros(3), first.inertia_kg_m2 + second.inertia_kg_m2
    share = second.mass_kg / mass
    apart = second.com_m - first.com_m
    reduced = first.mass_kg * share  # m1 m2 / (m1 + m2)
    inertia = first.inertia_kg_m2 + second.inertia_kg_m2 + reduced * steiner(apart)
    return mass, first.com_m + share * apart, inertia


def steiner(lever_m: Array) -> Array:
    """Compute the inertia of a unit mass at a lever's end, |r|^2 E - r r^T [m2], shape (3, 3)."""
    return float(lever_m @ lever_m) * np.eye(3) - np.outer(lever_m, lever_m)


def merged(link: Link, tool_rotation: Array, tool_offset_m: Array, body: Body) -> Link:
    """Merge a firmly held body into a link (parallel axis theorem).

    Args:
        link: the link, in its own frame L.
        tool_rotation: axes of the body's frame G in L, shape (3, 3).
        tool_offset_m: origin of G in L [m], shape (3,).
        body: the body, in G.
    """
    held = Body(
        mass_kg=body.mass_kg,
        com_m=tool_offset_m + tool_rotation @ body.com_m,
        inertia_kg_m2=rotate_tensor(tool_rotation, body.inertia_kg_m2),
    )  # in L
    mass, com, inertia = joined(link, held)
    return replace(link, mass_kg=mass, com_m=com, inertia_kg_m2=inertia)


def rotate_tensor(rotation: Array, tensor: Array) -> Array:
    """Compute R I R^T, symmetric to the last bit."""
    turned = rotation @ tensor @ rotation.T
    return 0.5 * (turned + turned.T)


def numbers(value: Any, shape: tuple[int, ...], name: str) -> Array:
    """Copy finite numbers of a given shape into a read-only array.

    Raises:
        SpaceArmError: not numbers, wrong shape, or not finite.
    """
    try:
        array = np.array(value, dtype=np.float64, order="C")
    except (TypeError, ValueError) as error:
        raise SpaceArmError(f"{name}: not an array of numbers: {value!r}") from error
    if array.shape != shape:
        raise SpaceArmError(f"{name}: shape {array.shape}, must be {shape}")
    if not np.isfinite(array).all():
        raise SpaceArmError(f"{name}: {array.tolist()}: every number must be finite")
    array.setflags(write=False)
    return array


def rotation_matrix(value: Any, name: str) -> Array:
    """Copy a proper rotation into a read-only array.

    Raises:
        SpaceArmError: not one to 1e-9.
    """
    array = numbers(value, (3, 3), name)
    error = float(np.abs(array @ array.T - np.eye(3)).max())
    if error > ROTATION_TOLERANCE or np.linalg.det(array) < 0.0:
        raise SpaceArmError(
            f"{name}: {array.tolist()} is no rotation: R R^T - E is up to {error:.3g} (at most "
            f"{ROTATION_TOLERANCE:g}), and the determinant must be 1"
        )
    return array


def _set_masses(owner: Link | Body, place: str) -> None:
    """Check and freeze mass, centre of mass and inertia."""
    if not (math.isfinite(owner.mass_kg) and owner.mass_kg >= 0.0):
        raise SpaceArmError(
            f"{place}: mass_kg = {owner.mass_kg!r} kg, must be finite and 0 or more"
        )
    inertia = numbers(owner.inertia_kg_m2, (3, 3), f"{place}: inertia_kg_m2")
    if not np.array_equal(inertia, inertia.T):
        raise SpaceArmError(f"{place}: inertia_kg_m2 {inertia.tolist()} must be symmetric")
    moments = np.linalg.eigvalsh(inertia)
    if moments[0] < SMALLEST_MOMENT * max(moments[-1], 0.0) or moments[-1] < 0.0:
        raise SpaceArmError(
            f"{place}: inertia_kg_m2 has a principal moment of {moments[0]:.6g} kg m2, "
            "must be 0 or more"
        )
    _set(owner, "com_m", numbers(owner.com_m, (3,), f"{place}: com_m"))
    _set(owner, "inertia_kg_m2", inertia)
