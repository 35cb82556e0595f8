"""Model of a robot's document in TOML, for its JSON schema and for forms.

It checks nothing: the reader of documents does (`sim.world.robots.robot_toml_reader`).
"""

from __future__ import annotations

from typing import Any, Literal

from hil.config.settings import Settings

Shape = Literal["none", "box", "cylinder", "capsule", "sphere", "mesh"]
Triple = tuple[float, float, float]
Quaternion = tuple[float, float, float, float]


class DhSettings(Settings):
    """Modified Denavit-Hartenberg parameters: four, or six of a branch."""

    gamma_rad: float | None = None
    """Rotation of a branch about z before all others."""
    b_m: float | None = None
    """Travel of a branch along z before all others."""
    alpha_rad: float
    """Rotation about x."""
    d_m: float
    """Travel along x."""
    theta_rad: float
    """Rotation about z."""
    r_m: float
    """Travel along z."""


class LinkInertiaSettings(Settings):
    """Mass and inertia, given directly."""

    mass_kg: float
    """Mass of the link."""
    centre_m: Triple
    """Centre of mass in the link's frame."""
    inertia_kg_m2: tuple[float, float, float, float, float, float]
    """Inertia about that centre, in the link's axes: xx, yy, zz, xy, xz, yz."""


class BodyPlaceSettings(Settings):
    """Place of a body that does not reach from joint to joint."""

    position_m: Triple
    """Position of the body's centre in the link's frame."""
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)
    """Orientation of the body's axes: w, x, y, z."""


class MeshSettings(Settings):
    """Files of a surface of triangles, STL or OBJ."""

    file: str
    """Path from the document's folder."""
    scale: Triple = (1.0, 1.0, 1.0)
    """Metres per unit of the file, along its axes."""
    parts: tuple[str, ...] = ()
    """Files of convex parts that make contact in its place."""
    contents: dict[str, str] | None = None
    """Bytes by paths, as a recording has them."""


class LinkVisualSettings(Settings):
    """Visible shape of a link, if it is not its body."""

    shape: Shape
    """Kind of the visible shape."""
    size_m: tuple[float, ...] | None = None
    """Dimensions of the shape, if it is not a mesh."""
    mesh: MeshSettings | None = None
    """Mesh of the visible shape, if it is one."""
    position_m: Triple = (0.0, 0.0, 0.0)
    """Position of the shape's centre in the link's frame."""
    quaternion: Quaternion = (1.0, 0.0, 0.0, 0.0)
    """Orientation of the shape's axes: w, x, y, z."""


class RobotLinkSettings(Settings):
    """Link; the joint whose child it is moves it (JointD of the paper)."""

    number: int
    """No: number of the link, 0 for the base."""
    name: str = ""
    """Name for people."""
    dh: DhSettings
    """Frame of the link in that of the link before it."""
    leaving: tuple[int, ...] = ()
    """JointT: joints that leave it; its body reaches to the first."""
    shape: Shape = "none"
    """Shape of the link's body."""
    size_m: tuple[float, ...] = ()
    """Dimensions. Box: width, height; cylinder, capsule, sphere: radius; then the length, if the
    joints do not define it."""
    colour: Triple = (0.7, 0.7, 0.7)
    """Red, green, blue, 0 to 1."""
    density_kg_m3: float = 0.0
    """Density of the body; 0 if the mass is given otherwise."""
    mass_kg: float | None = None
    """Mass of the link, instead of a density."""
    inertia: LinkInertiaSettings | None = None
    """Mass and inertia, instead of both."""
    place: BodyPlaceSettings | None = None
    """Place of the body; left out, it reaches from joint to joint."""
    visual: LinkVisualSettings | None = None
    """Visible shape; left out, that of the body."""
    mesh: MeshSettings | None = None
    """Mesh of the body, if it is one."""


class MimicSettings(Settings):
    """Joint that follows another one: ratio times its coordinate, and an offset."""

    joint: int
    """Number of the joint that is followed."""
    ratio: float = 1.0
    """Units of this joint per unit of the other."""
    offset_rad: float | None = None
    """Offset of a hinge."""
    offset_m: float | None = None
    """Offset of a slide."""


class RobotJointSettings(Settings):
    """Joint; keys that end in m, n, n_s_m or kg are of a slide."""

    number: int
    """No: number of the joint, 0 for the base's."""
    name: str = ""
    """Name for people."""
    type: Literal["hinge", "slide", "universal", "ball", "fixed", "free", "end"]
    """Type of movement; an end is a place, such as a tool's."""
    axis: tuple[float, ...] = ()
    """Axis in the frame of the link after it; six numbers of a universal joint."""
    parent: int
    """LinkP: the link before it; -1 before the base."""
    child: int
    """LinkN: the link after it; -1 after an end."""
    at_parent_m: Triple | None = None
    """AtP: joint's point on the link before it, if it closes a loop or is an end."""
    at_child_m: Triple | None = None
    """AtN: joint's point on the link after it, if it closes a loop."""
    start_rad: tuple[float, ...] | None = None
    """Start of a hinge, or of a universal joint."""
    start_m: tuple[float, ...] | None = None
    """Start of a slide."""
    start_quaternion: Quaternion | None = None
    """Start of a ball joint."""
    start_m_quaternion: tuple[float, float, float, float, float, float, float] | None = None
    """Start of a free joint."""
    limits_rad: tuple[float, float] | tuple[tuple[float, float], ...] | None = None
    """Least and greatest angle; a pair for each axis of a universal joint."""
    limits_m: tuple[float, float] | None = None
    """Least and greatest position of a slide."""
    friction_nm: float | None = None
    """Coulomb friction of a hinge."""
    friction_n: float | None = None
    """Coulomb friction of a slide."""
    damping_nm_s: float | None = None
    """Viscous friction of a hinge, per rad/s."""
    damping_n_s_m: float | None = None
    """Viscous friction of a slide, per m/s."""
    armature_kg_m2: float | None = None
    """Inertia of a hinge's rotor, seen at the joint."""
    armature_kg: float | None = None
    """Inertia of a slide's rotor, seen at the joint."""
    mimic: MimicSettings | None = None
    """Joint that it follows; left out, none."""


class RobotDriveSettings(Settings):
    """Drive of a joint; keys that end in n, m_s or n_s_m are of a slide."""

    joint: int
    """Number of the joint."""
    axis: Literal[1, 2] | None = None
    """Axis of a universal joint, the first or the second; left out of others."""
    control: Literal["torque", "speed", "voltage"]
    """Quantity that commands the drive."""
    effort_max_nm: float | None = None
    """Greatest torque; for a motor by voltage that of its stall."""
    effort_max_n: float | None = None
    """Greatest force; for a motor by voltage that of its stall."""
    speed_max_rad_s: float | None = None
    """Speed without load of a hinge's motor by voltage."""
    speed_max_m_s: float | None = None
    """Speed without load of a slide's motor by voltage."""
    speed_gain_nm_s: float | None = None
    """Gain of a hinge's drive by speed, per rad/s."""
    speed_gain_n_s_m: float | None = None
    """Gain of a slide's drive by speed, per m/s."""


class AxisBoundsSettings(Settings):
    """Bounds of a joint in metal, besides its limits."""

    joint: int
    """Number of the joint."""
    speed_rad_s: float | None = None
    """Greatest speed of a hinge."""
    speed_m_s: float | None = None
    """Greatest speed of a slide."""
    acceleration_rad_s2: float | None = None
    """Greatest acceleration of a hinge."""
    acceleration_m_s2: float | None = None
    """Greatest acceleration of a slide."""
    effort_nm: float | None = None
    """Greatest torque of a hinge."""
    effort_n: float | None = None
    """Greatest force of a slide."""


class MetalSettings(Settings):
    """Bounds of a robot that exists in metal, which its gate holds besides the limits of joints."""

    box_m: tuple[Triple, Triple] | None = None
    """Least and greatest corner of the tool's workspace, in the base."""
    own_bodies: bool = False
    """Whether its links must not touch each other."""
    joint: tuple[AxisBoundsSettings, ...] = ()
    """Bounds of the joints that have any."""


class RobotDocumentSettings(Settings):
    """Jointed robot: its links and joints, with the drives and sensors of these."""

    name: str = ""
    """Name for people."""
    gravity_m_s2: Triple | None = None
    """Gravity in a world of its own, z up; left out, that of the earth."""
    own_contacts: bool = False
    """Whether its links touch each other, those that no joint joins and that are apart at the
    start; left out, they pass through each other."""
    link: tuple[RobotLinkSettings, ...]
    """Links, the base first."""
    joint: tuple[RobotJointSettings, ...]
    """Joints between the links."""
    drive: tuple[RobotDriveSettings, ...] = ()
    """Drives of the joints."""
    sensor: tuple[dict[str, Any], ...] = ()
    """Sensors, as they are written."""
    machine: MetalSettings | None = None
    """Bounds of a robot in metal; left out for one of the virtual environment only."""
