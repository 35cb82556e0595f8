"""What a robot's document says in TOML, as a model: for its JSON schema, and for forms.

It judges nothing: the reader of documents does (`sim.world.robots.robot_toml_reader`).
"""

from __future__ import annotations

from typing import Any, Literal

from hil.config.settings import Settings

Shape = Literal["none", "box", "cylinder", "capsule", "sphere", "mesh"]
Triple = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class DhSettings(Settings):
    """Modified Denavit-Hartenberg numbers: four, or six of a branch."""

    gamma_rad: float | None = None
    """Of a branch: turn about z before all others."""
    b_m: float | None = None
    """Of a branch: way along z before all others."""
    alpha_rad: float
    """Turn about x."""
    d_m: float
    """Way along x."""
    theta_rad: float
    """Turn about z."""
    r_m: float
    """Way along z."""


class LinkInertiaSettings(Settings):
    """Mass and inertia given outright."""

    mass_kg: float
    """Of the link."""
    centre_m: Triple
    """Centre of mass in the link's frame."""
    inertia_kg_m2: tuple[float, float, float, float, float, float]
    """About it, in the link's axes: xx, yy, zz, xy, xz, yz."""


class BodyPlaceSettings(Settings):
    """Where a body is, if it does not reach from joint to joint."""

    position_m: Triple
    """Of its centre in the link's frame."""
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)
    """Of its axes: w, x, y, z."""


class MeshSettings(Settings):
    """Files of a surface of triangles, STL or OBJ."""

    file: str
    """Path from the document's folder."""
    scale: Triple = (1.0, 1.0, 1.0)
    """Metres per unit of the file, along its axes."""
    parts: tuple[str, ...] = ()
    """Files of convex parts that touch others in its place."""
    contents: dict[str, str] | None = None
    """Bytes by paths, as a recording has them."""


class LinkVisualSettings(Settings):
    """What is seen of a link, if not its body."""

    shape: Shape
    """Of what is seen."""
    size_m: tuple[float, ...] | None = None
    """All numbers of the shape, if it is no mesh."""
    mesh: MeshSettings | None = None
    """Of a mesh."""
    position_m: Triple = (0.0, 0.0, 0.0)
    """Of its centre in the link's frame."""
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)
    """Of its axes: w, x, y, z."""


class RobotLinkSettings(Settings):
    """A link; the joint whose child it is moves it (JointD of the paper)."""

    number: int
    """No: 0 for the base."""
    name: str = ""
    """For people."""
    dh: DhSettings
    """Its frame in that of the link before it."""
    leaving: tuple[int, ...] = ()
    """JointT: joints that leave it; its body reaches to the first."""
    shape: Shape = "none"
    """Of its body."""
    size_m: tuple[float, ...] = ()
    """Box: width, height; cylinder, capsule, sphere: radius; then the length, if the joints do not
    tell it."""
    colour: Triple = (0.7, 0.7, 0.7)
    """Red, green, blue, 0 to 1."""
    density_kg_m3: float = 0.0
    """Of its body; 0 if its mass is told otherwise."""
    mass_kg: float | None = None
    """Instead of a density."""
    inertia: LinkInertiaSettings | None = None
    """Instead of both."""
    place: BodyPlaceSettings | None = None
    """Of its body; left out, it reaches from joint to joint."""
    visual: LinkVisualSettings | None = None
    """What is seen of it; left out, its body."""
    mesh: MeshSettings | None = None
    """Of its body, if that is a mesh."""


class MimicSettings(Settings):
    """A joint that follows another one: ratio times its coordinate, and an offset."""

    joint: int
    """Number of the other one."""
    ratio: float = 1.0
    """In units of this joint per unit of the other."""
    offset_rad: float | None = None
    """Of a hinge."""
    offset_m: float | None = None
    """Of a slide."""


class RobotJointSettings(Settings):
    """A joint; what ends in m, n, n_s_m or kg is of a slide."""

    number: int
    """No: 0 for the base's."""
    name: str = ""
    """For people."""
    type: Literal["hinge", "slide", "universal", "ball", "fixed", "free", "end"]
    """How it moves its link; an end is a place, such as a tool's."""
    axis: tuple[float, ...] = ()
    """In the frame of the link after it; six numbers of a universal joint."""
    parent: int
    """LinkP: the link before it; -1 before the base."""
    child: int
    """LinkN: the link after it; -1 after an end."""
    at_parent_m: Triple | None = None
    """AtP: its point on the link before it, if it closes a loop or is an end."""
    at_child_m: Triple | None = None
    """AtN: its point on the link after it, if it closes a loop."""
    start_rad: tuple[float, ...] | None = None
    """Where it begins: a hinge, or a universal joint."""
    start_m: tuple[float, ...] | None = None
    """Where it begins: a slide."""
    start_quaternion: Quaternion | None = None
    """Where it begins: a ball joint."""
    start_m_quaternion: tuple[float, float, float, float, float, float, float] | None = None
    """Where it begins: a free one."""
    limits_rad: tuple[float, float] | tuple[tuple[float, float], ...] | None = None
    """Least and greatest; a pair for each axis of a universal joint."""
    limits_m: tuple[float, float] | None = None
    """Least and greatest."""
    friction_nm: float | None = None
    """Coulomb friction."""
    friction_n: float | None = None
    """Coulomb friction."""
    damping_nm_s: float | None = None
    """Viscous friction per rad/s."""
    damping_n_s_m: float | None = None
    """Viscous friction."""
    armature_kg_m2: float | None = None
    """Inertia of its rotor, seen at the joint."""
    armature_kg: float | None = None
    """Inertia of its rotor, seen at the joint."""
    mimic: MimicSettings | None = None
    """The joint that it follows, if it does."""


class RobotDriveSettings(Settings):
    """What moves a joint; what ends in n, m_s or n_s_m is of a slide."""

    joint: int
    """Its number."""
    control: Literal["torque", "speed", "voltage"]
    """What it is commanded by."""
    effort_max_nm: float | None = None
    """Greatest torque; of a motor by voltage that of its stall."""
    effort_max_n: float | None = None
    """Greatest force; of a motor by voltage that of its stall."""
    speed_max_rad_s: float | None = None
    """Without load, of a motor by voltage."""
    speed_max_m_s: float | None = None
    """Without load, of a motor by voltage."""
    speed_gain_nm_s: float | None = None
    """Of a drive by speed, per rad/s."""
    speed_gain_n_s_m: float | None = None
    """Of a drive by speed."""


class AxisBoundsSettings(Settings):
    """What a joint in metal may do, besides its limits."""

    joint: int
    """Its number."""
    speed_rad_s: float | None = None
    """Greatest of a hinge."""
    speed_m_s: float | None = None
    """Greatest of a slide."""
    acceleration_rad_s2: float | None = None
    """Greatest of a hinge."""
    acceleration_m_s2: float | None = None
    """Greatest of a slide."""
    effort_nm: float | None = None
    """Greatest of a hinge."""
    effort_n: float | None = None
    """Greatest of a slide."""


class MetalSettings(Settings):
    """A robot that exists in metal: what its gate holds besides the limits of joints."""

    box_m: tuple[Triple, Triple] | None = None
    """Least and greatest corner of the tool's workspace, in the base."""
    own_bodies: bool = False
    """Whether its links must not touch each other."""
    joint: tuple[AxisBoundsSettings, ...] = ()
    """Of the joints that have any."""


class RobotDocumentSettings(Settings):
    """A jointed robot: its links, its joints, and what moves and measures it."""

    name: str = ""
    """For people."""
    gravity_m_s2: Triple | None = None
    """Of a world of its own, z up; left out for that of the earth."""
    link: tuple[RobotLinkSettings, ...]
    """Its links, the base first."""
    joint: tuple[RobotJointSettings, ...]
    """Its joints."""
    drive: tuple[RobotDriveSettings, ...] = ()
    """What moves its joints."""
    sensor: tuple[dict[str, Any], ...] = ()
    """What measures it; kept as they stand."""
    machine: MetalSettings | None = None
    """Left out for a robot that exists in the virtual environment only."""
