"""A hexapod as a robot's document: a free platform on six universal-slide legs, closed by balls.

Link 0 is the base, link 1 the platform; leg n (1 to 6) has its cylinder as link 2n and its rod as
link 2n + 1. The rod's slide counts the leg's extension from its inner end.

Not modelled: a nut that turns with the joints (a lead of the screw), limits of the universal and
ball joints, the elasticity of screw and plate.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sim.world.robots.dh import dh_of
from sim.world.robots.model import (
    BASE,
    NOWHERE,
    BodyPlace,
    BodyShape,
    JointType,
    LinkInertia,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)

Array = NDArray[np.float64]

LEGS: Final = 6
PLATFORM: Final = 1
"""Number of the platform's link, and of the joint that lets it move."""
FLAT: Final = (0.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class LegParts:
    """What one leg weighs; ordinary numbers of an electro-cylinder of 0.7 m stroke and 4 kN."""

    cylinder_kg: float = 25.0
    """Of what does not slide."""
    cylinder_centre_m: float = 0.3
    """Its centre of mass from the base's joint, along the leg."""
    rod_kg: float = 8.0
    """Of what slides."""
    rod_centre_m: float = 0.3
    """Its centre of mass from the platform's joint, back along the leg."""
    rotor_kg: float = 20.0
    """Rotor and screw, seen at the rod."""
    cylinder_radius_m: float = 0.06
    rod_radius_m: float = 0.035

    @property
    def own_kg(self) -> float:
        """What a drive moves without any platform."""
        return self.rod_kg + self.rotor_kg


@dataclass(frozen=True, slots=True)
class PlatformBody:
    """Platform and payload as one round plate."""

    mass_kg: float
    """Of both together."""
    centre_m: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """Their centre of mass in the platform's frame."""
    radius_m: float = 0.7
    """Of the plate, which says how they resist turning."""
    thickness_m: float = 0.06

    def __post_init__(self) -> None:
        for name in ("mass_kg", "radius_m", "thickness_m"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0.0):
                raise ValueError(f"platform's {name} = {value!r}: a finite number > 0 is needed")

    @property
    def inertia(self) -> LinkInertia:
        """Of a homogeneous disc."""
        m, r, h = self.mass_kg, self.radius_m, self.thickness_m
        across = m * (3.0 * r * r + h * h) / 12.0
        moments = (across, across, 0.5 * m * r * r, 0.0, 0.0, 0.0)
        return LinkInertia(m, self.centre_m, moments)


@dataclass(frozen=True, slots=True, eq=False)
class HexapodFrame:
    """Where the joints of a hexapod are, and how far its rods go."""

    base_joints_m: Array
    """In the base's axes, shape (6, 3)."""
    platform_joints_m: Array
    """In the platform's axes, shape (6, 3)."""
    closed_length_m: Array
    """Of each leg between its joints with the rod fully in, shape (6,)."""
    stroke_m: Array
    """Of each rod, shape (6,)."""
    height_m: float
    """Of the level platform's origin over the base's, at which the document starts."""
    force_max_n: Array
    """Of each drive, shape (6,)."""

    def __post_init__(self) -> None:
        for name, shape in (
            ("base_joints_m", (6, 3)), ("platform_joints_m", (6, 3)), ("closed_length_m", (6,)),
            ("stroke_m", (6,)), ("force_max_n", (6,)),
        ):  # fmt: skip
            array = np.array(getattr(self, name), dtype=np.float64)
            if array.shape != shape or not np.isfinite(array).all():
                raise ValueError(f"{name}: {shape} finite numbers are needed, not {array.shape}")
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def legs_m(self) -> Array:
        """From base joint to platform joint where the document starts, shape (6, 3)."""
        up_m = np.array((0.0, 0.0, self.height_m))
        return self.platform_joints_m + up_m - self.base_joints_m


def hexapod_robot(
    frame: HexapodFrame, body: PlatformBody, parts: LegParts = LegParts(), name: str = "hexapod"
) -> Robot:
    """The document of a hexapod with a body on it; each slide has a drive of forces."""
    links = [
        RobotLink(BASE, FLAT),
        RobotLink(
            PLATFORM,
            FLAT,
            shape=BodyShape.CYLINDER,
            size_m=(body.radius_m, body.thickness_m),
            inertia=body.inertia,
            place=BodyPlace(body.centre_m),
        ),
    ]
    level = (0.0, 0.0, frame.height_m, 1.0, 0.0, 0.0, 0.0)
    joints = [
        RobotJoint(BASE, JointType.FIXED, (), NOWHERE, BASE),
        RobotJoint(PLATFORM, JointType.FREE, (), BASE, PLATFORM, start=level),
    ]
    drives: list[RobotDrive] = []
    for leg, along in enumerate(frame.legs_m()):
        cylinder, rod, closing = 2 * leg + 2, 2 * leg + 3, 2 * (LEGS + 1) + leg
        closed, stroke = float(frame.closed_length_m[leg]), float(frame.stroke_m[leg])
        start = min(max(float(np.linalg.norm(along)) - closed, 0.0), stroke)
        links += _leg_links(frame.base_joints_m[leg], along, cylinder, closed, parts)
        joints += [
            RobotJoint(cylinder, JointType.UNIVERSAL, (1, 0, 0, 0, 1, 0), BASE, cylinder),
            RobotJoint(
                rod, JointType.SLIDE, (0, 0, 1), cylinder, rod, start=(start,),
                limits=((0.0, stroke),), armature=parts.rotor_kg,
            ),
            RobotJoint(
                closing, JointType.BALL, (), rod, PLATFORM, at_parent_m=(0.0, 0.0, 0.0),
                at_child_m=_triple(frame.platform_joints_m[leg]),
            ),
        ]  # fmt: skip
        drives.append(RobotDrive(rod, "torque", float(frame.force_max_n[leg])))
    leaving = {n: tuple(j.number for j in joints if j.parent == n) for n in range(len(links))}
    told = tuple(replace(link, leaving=leaving[link.number]) for link in links)
    return Robot(told, tuple(joints), name=name, drives=tuple(drives))


def _leg_links(
    at_m: ArrayLike, along_m: Array, number: int, closed_m: float, parts: LegParts
) -> list[RobotLink]:
    """Cylinder and rod of a leg, their z axes along it where the document starts."""
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = _axes_along(along_m), at_m
    outwards = np.eye(4)
    outwards[2, 3] = closed_m
    return [
        _tube(number, pose, parts.cylinder_kg, parts.cylinder_centre_m, parts.cylinder_radius_m),
        _tube(number + 1, outwards, parts.rod_kg, -parts.rod_centre_m, parts.rod_radius_m),
    ]


def _tube(number: int, pose: Array, mass_kg: float, centre_m: float, radius_m: float) -> RobotLink:
    """A link that is a solid cylinder along its z axis, twice as long as its centre is away."""
    length_m = 2.0 * abs(centre_m)
    across = mass_kg * (3.0 * radius_m**2 + length_m**2) / 12.0
    moments = (across, across, 0.5 * mass_kg * radius_m**2, 0.0, 0.0, 0.0)
    centre = (0.0, 0.0, centre_m)
    return RobotLink(
        number,
        dh_of(pose),
        shape=BodyShape.CYLINDER,
        size_m=(radius_m, length_m),
        inertia=LinkInertia(mass_kg, centre, moments),
        place=BodyPlace(centre),
    )


def _axes_along(direction_m: Array) -> Array:
    """Axes whose z has a direction, shape (3, 3)."""
    z = direction_m / np.linalg.norm(direction_m)
    x = np.cross((0.0, 1.0, 0.0) if abs(z[1]) < 0.9 else (1.0, 0.0, 0.0), z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def _triple(values: Sequence[float] | Array) -> tuple[float, float, float]:
    x, y, z = (float(value) for value in values)
    return x, y, z
