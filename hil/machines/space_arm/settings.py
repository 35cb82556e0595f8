"""Arms in TOML: six joints with links and drives, gripper frame, payloads (``configs/arms/``).

Joints are written in one of two ways. Either each has its ``axis``, and an ``offset_m`` with
``rpy_rad`` from the link frame before it; or each has a row ``dh`` of Denavit and Hartenberg's
standard table. In the latter the masses are given, as is usual, in the table's own frame i, which
moves with link i but sits on joint i + 1.
"""

import math
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from hil.config.fields import Coordinate, NotNegative, Positive, RateDeg
from hil.config.settings import ConfigError, Settings, read_toml
from hil.machines.space_arm.drives import DriveSettings
from sim.world.space_arm.arm import Arm, Body, Link, SpaceArmError

Array = NDArray[np.float64]

Vector = tuple[float, float, float]
Point = tuple[Coordinate, Coordinate, Coordinate]
Angle = Annotated[float, Field(ge=-2.0 * math.pi, le=2.0 * math.pi)]
JointAngleDeg = Annotated[float, Field(ge=-720.0, le=720.0)]
Inertia = Vector | tuple[float, float, float, float, float, float]
Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,40}$")]

ZERO = (0.0, 0.0, 0.0)


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
    position_deg: tuple[JointAngleDeg, JointAngleDeg]
    """Smallest and largest angle [deg]."""
    rate_max_deg_s: RateDeg
    """Largest rate [deg/s]."""
    drive: DriveSettings
    """Its motor and gear."""

    @model_validator(mode="after")
    def _one_form(self) -> Self:
        if (self.axis is None) == (self.dh is None):
            raise ValueError("must have either axis or dh")
        if self.dh is not None and (self.offset_m != ZERO or self.rpy_rad != ZERO):
            raise ValueError("has dh: offset_m and rpy_rad must be left out")
        if self.axis is not None and math.hypot(*self.axis) < 1e-6:
            raise ValueError("axis must not be 0")
        return self

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
            position_min_rad=math.radians(self.position_deg[0]),
            position_max_rad=math.radians(self.position_deg[1]),
            rate_max_rad_s=math.radians(self.rate_max_deg_s),
        )


class ToolSettings(Settings):
    """Gripper frame G in the last link's frame (with ``dh``: in the table's last frame)."""

    offset_m: Point = ZERO
    """Offset of the gripper's origin [m]."""
    rpy_rad: tuple[Angle, Angle, Angle] = ZERO
    """Turn of the gripper's axes: Rz(yaw) Ry(pitch) Rx(roll) [rad]."""


class PayloadSettings(Settings):
    """A payload that the gripper can hold, in the gripper's frame G."""

    name: Name
    """Name of the payload in a scenario."""
    mass_kg: Positive
    """Mass of the payload [kg]."""
    com_m: Point
    """Centre of mass of the payload [m]."""
    inertia_kg_m2: Inertia
    """Inertia about the centre of mass: xx, yy, zz, or xx, yy, zz, xy, xz, yz."""

    def body(self) -> Body:
        """Make the body for the simulator."""
        return Body(self.mass_kg, np.array(self.com_m), inertia_matrix(self.inertia_kg_m2))


class ArmSettings(Settings):
    """An arm of six revolute joints, with what it may hold and where it starts."""

    name: Name
    """Name in files and refusals: small letters, digits, underscores."""
    description: str = ""
    """One-line description for the reader."""
    gravity_m_s2: Vector = ZERO
    """Gravity in base axes [m/s²]; zeros in orbit."""
    rate_overshoot: Annotated[float, Field(ge=1.0, le=2.0)] = 1.0
    """Factor by which the simulated joints may swing above ``rate_max_deg_s``: with elastic gears
    the links go on when the motors slow down."""
    acceleration_overshoot: Annotated[float, Field(ge=1.0, le=20.0)] = 1.0
    """Factor on mean accelerations over a period, above those that are programmed."""
    home_deg: tuple[JointAngleDeg, ...] = Field(default=(0.0,) * 6, min_length=6, max_length=6)
    """Joint angles at which a run starts, unless its scenario gives others [deg]."""
    joint: tuple[JointSettings, ...] = Field(min_length=6, max_length=6)
    """The six joints, from the base on."""
    tool: ToolSettings = ToolSettings()
    """Place of the gripper on the last link."""
    payload: tuple[PayloadSettings, ...] = ()
    """Payloads that the gripper may hold."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for number, (home, joint) in enumerate(zip(self.home_deg, self.joint, strict=True)):
            low, high = joint.position_deg
            if not low < high:
                raise ValueError(f"joint.{number}.position_deg: {low} is not below {high} deg")
            if not low <= home <= high:
                raise ValueError(f"home_deg.{number} = {home} deg outside [{low}, {high}] deg")
        if len({joint.dh is None for joint in self.joint}) > 1:
            raise ValueError("joint: either all six have dh, or none")
        for what, entries in (("joint", self.joint), ("payload", self.payload)):
            names = [entry.name for entry in entries]
            if len(set(names)) < len(names):
                raise ValueError(f"{what}: names {names} must differ")
        return self

    @classmethod
    def load(cls, path: Path) -> Self:
        """Read and check an arm's file.

        Raises:
            ConfigError: with one line for each wrong value.
        """
        settings = cls.build(read_toml(path), str(path))
        settings.check(str(path))
        return settings

    def check(self, source: str) -> None:
        """Refuse what no single field can show to be wrong.

        Raises:
            ConfigError: naming the source.
        """
        try:
            self.arm()
            self.payloads()
        except SpaceArmError as error:
            raise ConfigError(source, [str(error)]) from None

    def arm(self) -> Arm:
        """Make the arm for the simulator.

        Raises:
            SpaceArmError: numbers that are valid each but together describe no arm.
        """
        links: list[Link] = []
        before: DhRow | None = None
        for joint in self.joint:
            offset, rotation = np.array(joint.offset_m), rotation_of(joint.rpy_rad)
            if joint.dh is not None:
                offset = np.zeros(3) if before is None else before.offset_m()
                place = np.eye(3) if before is None else before.rotation()
                rotation = place @ rotation_of((0.0, 0.0, joint.dh.theta_rad))
                before = joint.dh
            links.append(joint.link(offset, rotation))
        tool, turn = np.array(self.tool.offset_m), rotation_of(self.tool.rpy_rad)
        if before is not None:
            tool = before.offset_m() + before.rotation() @ tool
            turn = before.rotation() @ turn
        return Arm(
            name=self.name,
            links=tuple(links),
            tool_rotation=turn,
            tool_offset_m=tool,
            gravity_m_s2=np.array(self.gravity_m_s2),
            drives=tuple(joint.drive.drive() for joint in self.joint),
        )

    def home_rad(self) -> Array:
        """Joint angles at which a run starts [rad], shape (6,)."""
        return np.radians(self.home_deg)

    def payloads(self) -> Mapping[str, Body]:
        """Payloads that the gripper may hold, by name."""
        return {payload.name: payload.body() for payload in self.payload}


def load_arm(path: Path) -> Arm:
    """Read the arm that a file describes, without its payloads.

    Raises:
        ConfigError: with one line for each wrong value.
    """
    return ArmSettings.load(path).arm()


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
