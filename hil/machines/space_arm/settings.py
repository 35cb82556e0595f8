"""Arms in TOML: joints, gripper frame, payloads (``configs/arms/``)."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import repeat
from pathlib import Path
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator

from hil.config.fields import Coordinate, Positive
from hil.config.settings import ConfigError, Settings, read_toml
from hil.machines.space_arm.joints import (
    ZERO,
    Angle,
    DhRow,
    Inertia,
    JointAngleDeg,
    JointSettings,
    Name,
    Point,
    Vector,
    inertia_matrix,
    rotation_of,
)
from sim.world.space_arm.arm import JOINTS_MAX, JOINTS_MIN, Arm, Body, Link, SpaceArmError
from sim.world.space_arm.mass_check import check_masses

Array = NDArray[np.float64]

TWIST_PARTS = ("x", "y", "z", "wx", "wy", "wz")
"""Names of the components of the gripper's velocity, in base axes."""


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
    """An arm of three to eight joints, with what it may hold and where it starts."""

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
    home_deg: tuple[JointAngleDeg, ...] = ()
    """Angles of the revolute joints at which a run starts, unless its scenario gives others [deg];
    all 0 if left out."""
    home_m: tuple[Coordinate, ...] = ()
    """Travels of the prismatic joints there [m]; all 0 if left out."""
    follow: tuple[Literal["x", "y", "z", "wx", "wy", "wz"], ...] = ()
    """Components of the gripper's velocity in base axes that are followed, the others come as they
    may; all if left out. An arm of fewer than six joints needs as many, or fewer."""
    joint: tuple[JointSettings, ...] = Field(min_length=JOINTS_MIN, max_length=JOINTS_MAX)
    """The joints, from the base on."""
    tool: ToolSettings = ToolSettings()
    """Place of the gripper on the last link."""
    payload: tuple[PayloadSettings, ...] = ()
    """Payloads that the gripper may hold."""

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        for name, unit in (("home_deg", "deg"), ("home_m", "m")):
            for place, text in self.wrong_posture(unit, getattr(self, name)):
                raise ValueError(f"{name}{place}{text}")
        count = len(self.joint)
        if len(set(self.follow)) < len(self.follow):
            raise ValueError(f"follow: {', '.join(self.follow)}: each once")
        if not (self.follow or count >= len(TWIST_PARTS)) or len(self.follow) > count:
            raise ValueError(
                f"follow = [{', '.join(self.follow)}]: {count} joints follow 1 to {count} of "
                f"{', '.join(TWIST_PARTS)}"
            )
        if len({joint.dh is None for joint in self.joint}) > 1:
            raise ValueError("joint: either all have dh, or none")
        for what, entries in (("joint", self.joint), ("payload", self.payload)):
            names = [entry.name for entry in entries]
            if len(set(names)) < len(names):
                raise ValueError(f"{what}: names {names} must differ")
        return self

    def wrong_posture(self, unit: str, values: Sequence[float]) -> Iterator[tuple[str, str]]:
        """Find what is wrong with values of the joints of one unit, deg or m; empty for zeros.

        Returns:
            The place behind the values' key, such as ".2", and the text behind that.
        """
        joints = [joint for joint in self.joint if joint.unit == unit]
        if values and len(values) != len(joints):
            yield "", f": {len(values)} values, must be {len(joints)}, one for each joint in {unit}"
            return
        for k, (value, joint) in enumerate(
            zip(values or (0.0,) * len(joints), joints, strict=True)
        ):
            low, high = joint.travel
            if not low <= value <= high:
                moves = f"{joint.name} of {self.name} moves from {low:g} to {high:g} {unit}"
                yield f".{k}", f" = {value} {unit}: {moves}"

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
            arm = self.arm()
            self.payloads()
            check_masses(arm, self.home_rad())
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
            drives=tuple(joint.joint_drive() for joint in self.joint),
            followed=self.followed(),
        )

    def home_rad(self) -> Array:
        """Joint angles at which a run starts [rad; of prismatic joints m], shape (n,)."""
        return self.posture_rad(self.home_deg, self.home_m)

    def posture_rad(self, angles_deg: Sequence[float], travels_m: Sequence[float]) -> Array:
        """Join angles of the revolute and travels of the prismatic joints [rad; m], shape (n,).

        Args:
            angles_deg: one for each revolute joint, from the base; empty for zeros.
            travels_m: likewise for each prismatic joint [m].
        """
        left = {"deg": iter(angles_deg or repeat(0.0)), "m": iter(travels_m or repeat(0.0))}
        return np.array([joint.in_si(next(left[joint.unit])) for joint in self.joint])

    def in_file_units(self, values: Array) -> Array:
        """Convert joint values from rad to deg; of prismatic joints they stay in m, shape (n,)."""
        return np.where(self.prismatic, values, np.degrees(values))

    @property
    def prismatic(self) -> tuple[bool, ...]:
        """Whether each joint slides."""
        return tuple(joint.prismatic for joint in self.joint)

    def followed(self) -> tuple[bool, ...]:
        """Whether each component of the gripper's velocity in base axes is followed."""
        return tuple(not self.follow or part in self.follow for part in TWIST_PARTS)

    def payloads(self) -> Mapping[str, Body]:
        """Payloads that the gripper may hold, by name."""
        return {payload.name: payload.body() for payload in self.payload}


def load_arm(path: Path) -> Arm:
    """Read the arm that a file describes, without its payloads.

    Raises:
        ConfigError: with one line for each wrong value.
    """
    return ArmSettings.load(path).arm()
