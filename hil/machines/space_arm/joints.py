"""Joints of a space arm in TOML: each with its link, and a row of a table or an axis.

Joints are written in one of two ways. Either each has its ``axis``, and an ``offset_m`` with
``rpy_rad`` from the link frame before it; or each has a row ``dh`` of Denavit and Hartenberg's
standard table. In the latter the masses are given, as is usual, in the table's own frame i, which
moves with link i but sits on joint i + 1.

A joint is revolute, in degrees, or prismatic (``type``), in metres: then ``position_m``,
``rate_max_m_s`` and ``slide_drive`` take the place of ``position_deg``, ``rate_max_deg_s`` and
``drive``, and its row ``dh`` slides along d.
"""

import math
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from hil.config.fields import Coordinate, NotNegative, RateDeg, Speed
from hil.config.settings import Settings
from hil.machines.space_arm.drives import DriveSettings, SlideDriveSettings
from sim.world.space_arm.arm import Link
from sim.world.space_arm.drive import JointDrive

Array = NDArray[np.float64]

Vector = tuple[float, float, float]
Point = tuple[Coordinate, Coordinate, Coordinate]
Angle = Annotated[float, Field(ge=-2.0 * math.pi, le=2.0 * math.pi)]
JointAngleDeg = Annotated[float, Field(ge=-720.0, le=720.0)]
Inertia = Vector | tuple[float, float, float, float, float, float]
Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,40}$")]

ZERO = (0.0, 0.0, 0.0)
TURNING = ("position_deg", "rate_max_deg_s", "drive")
SLIDING = ("position_m", "rate_max_m_s", "slide_drive")
"""Keys of a revolute joint, and of a prismatic one."""


class DhRow(Settings):
    """One row of a standard Denavit-Hartenberg table: Rz(theta + q) Tz(d) Tx(a) Rx(alpha)."""

    d_m: Coordinate
    """Offset along the joint's axis [m]."""
    a_m: Coordinate
    """Offset along the x axis that follows [m]."""
    alpha_rad: Angle
    """Turn about that x axis [rad]."""
    theta_rad: Angle = 0.0
    """Constant added to the joint's angle [rad]."""

    def offset_m(self) -> Array:
        """Offset of the table's frame i from joint i, in axes of link i [m], shape (3,)."""
        return np.array([self.a_m, 0.0, self.d_m])

    def rotation(self) -> Array:
        """Axes of the table's frame i in axes of link i, shape (3, 3)."""
        return rotation_of((self.alpha_rad, 0.0, 0.0))


class JointSettings(Settings):
    """One joint and the link that it moves."""

    name: Name
    """Name in refusals and tables."""
    type: Literal["revolute", "prismatic"] = "revolute"
    """Whether it turns about its axis or slides along it."""
    axis: Vector | None = None
    """Direction of the joint's axis in its link's frame; any length but 0."""
    offset_m: Point = ZERO
    """Offset from the link before (the base) to this joint, in that link's frame [m]."""
    rpy_rad: tuple[Angle, Angle, Angle] = ZERO
    """Turn of the link's frame from the one before at angle 0: Rz(yaw) Ry(pitch) Rx(roll)."""
    dh: DhRow | None = None
    """Row of the table that replaces axis, offset and rpy."""
    mass_kg: NotNegative
    """Mass of its link [kg]."""
    com_m: Point
    """The link's centre of mass, in its frame [m]."""
    inertia_kg_m2: Inertia
    """Inertia about the centre of mass: xx, yy, zz, or xx, yy, zz, xy, xz, yz (tensor entries)."""
    position_deg: tuple[JointAngleDeg, JointAngleDeg] | None = None
    """Smallest and largest angle of a revolute joint [deg]."""
    rate_max_deg_s: RateDeg | None = None
    """Largest rate of a revolute joint [deg/s]."""
    drive: DriveSettings | None = None
    """Motor and gear of a revolute joint."""
    position_m: tuple[Coordinate, Coordinate] | None = None
    """Smallest and largest travel of a prismatic joint [m]."""
    rate_max_m_s: Speed | None = None
    """Largest speed of a prismatic joint [m/s]."""
    slide_drive: SlideDriveSettings | None = None
    """Motor and spindle of a prismatic joint."""

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.axis is None) == (self.dh is None):
            raise ValueError("must have either axis or dh")
        if self.dh is not None and (self.offset_m != ZERO or self.rpy_rad != ZERO):
            raise ValueError("has dh: offset_m and rpy_rad must be left out")
        if self.axis is not None and math.hypot(*self.axis) < 1e-6:
            raise ValueError("axis must not be 0")
        return self

    @model_validator(mode="after")
    def _one_type(self) -> Self:
        right, wrong = (SLIDING, TURNING) if self.prismatic else (TURNING, SLIDING)
        for name in wrong:
            if getattr(self, name) is not None:
                raise ValueError(
                    f"is {self.type}: {name} must be left out; it has {', '.join(right)}"
                )
        for name in right:
            if getattr(self, name) is None:
                raise ValueError(f"is {self.type}: {name} is missing")
        low, high = self.travel
        if not low < high:
            raise ValueError(f"{right[0]}: {low} is not below {high} {self.unit}")
        return self

    @property
    def prismatic(self) -> bool:
        """Whether the joint slides along its axis."""
        return self.type == "prismatic"

    @property
    def unit(self) -> str:
        """Unit of its travel in the file."""
        return "m" if self.prismatic else "deg"

    @property
    def travel(self) -> tuple[float, float]:
        """Smallest and largest value [deg, or m]."""
        travel = self.position_m if self.prismatic else self.position_deg
        if travel is None:
            raise AssertionError("checked by _one_type")
        return travel

    @property
    def rate_max(self) -> float:
        """Largest rate [deg/s, or m/s]."""
        return (self.rate_max_m_s if self.prismatic else self.rate_max_deg_s) or 0.0

    def joint_drive(self) -> JointDrive:
        """Make the drive for the simulator."""
        drive = self.slide_drive if self.prismatic else self.drive
        if drive is None:
            raise AssertionError("checked by _one_type")
        return drive.drive()

    def in_si(self, value: float) -> float:
        """Convert a value of this joint's from the file's unit [rad, or m]."""
        return value if self.prismatic else math.radians(value)

    def link(self, offset_m: Array, rotation: Array) -> Link:
        """Make the link, its frame placed in the one before [m]."""
        com, inertia = np.array(self.com_m), inertia_matrix(self.inertia_kg_m2)
        if self.dh is not None:
            turn = self.dh.rotation()
            com = self.dh.offset_m() + turn @ com
            inertia = turn @ inertia @ turn.T
            inertia = 0.5 * (inertia + inertia.T)
        axis = np.array(self.axis or (0.0, 0.0, 1.0))
        return Link(
            name=self.name,
            axis=axis / np.linalg.norm(axis),
            offset_m=offset_m,
            rotation=rotation,
            mass_kg=self.mass_kg,
            com_m=com,
            inertia_kg_m2=inertia,
            position_min_rad=self.in_si(self.travel[0]),
            position_max_rad=self.in_si(self.travel[1]),
            rate_max_rad_s=self.in_si(self.rate_max),
            prismatic=self.prismatic,
        )


def rotation_of(rpy_rad: tuple[float, float, float]) -> Array:
    """Compute Rz(yaw) Ry(pitch) Rx(roll), shape (3, 3); exact for a multiple of a quarter turn."""
    (sx, cx), (sy, cy), (sz, cz) = (_sine_cosine(angle) for angle in rpy_rad)
    roll = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    pitch = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    yaw = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    return yaw @ pitch @ roll


def _sine_cosine(angle_rad: float) -> tuple[float, float]:
    """Sine and cosine; exact for a quarter turn written with the sixteen digits of pi/2."""
    quarters = angle_rad / (0.5 * math.pi)
    if quarters == round(quarters):
        return ((0.0, 1.0), (1.0, 0.0), (0.0, -1.0), (-1.0, 0.0))[round(quarters) % 4]
    return math.sin(angle_rad), math.cos(angle_rad)


def inertia_matrix(entries: tuple[float, ...]) -> Array:
    """Build the tensor of xx, yy, zz or xx, yy, zz, xy, xz, yz [kg m2], shape (3, 3)."""
    xx, yy, zz, xy, xz, yz = entries if len(entries) == 6 else (*entries, 0.0, 0.0, 0.0)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
