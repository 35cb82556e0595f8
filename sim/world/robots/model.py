"""A jointed robot as a graph of frozen values: links are its vertices, joints its arcs.

A link's frame lies on the joint that moves it. Joints with a point on both of their links close
loops; the others make a tree that begins at link 0. Plain values: nothing is judged here
(:mod:`sim.world.robots.value_checks` does), and nothing is computed from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final, Literal

from sim.world.robots.body import (
    BodyPlace,
    BodyShape,
    LinkInertia,
    LinkMesh,
    LinkVisual,
    Numbers,
    Triple,
)
from sim.world.robots.sensors import RobotSensor

NOWHERE: Final = -1
"""Number of a missing link: before the base, after an end."""
BASE: Final = 0
"""Number of the link that carries all others."""
LINKS_MAX: Final = 2000
"""Links of one robot at most."""
CHAIN_MAX: Final = 150
"""Most links that carry one another in a row: they are nested elements of other forms."""
JOINTS_MAX: Final = 4000
"""Joints of one robot at most, those that close loops included."""


class JointType(StrEnum):
    """Type of a joint: how its link moves, in the axes of that link."""

    HINGE = "hinge"
    """Turn about one axis."""
    SLIDE = "slide"
    """Slide along one axis."""
    UNIVERSAL = "universal"
    """Turn about a first axis, then about a second one that the first carries along."""
    BALL = "ball"
    """Free turn about any axis."""
    FIXED = "fixed"
    """No motion."""
    FREE = "free"
    """Free motion in space."""
    END = "end"
    """Place on a link, such as that of a tool; moves nothing."""


@dataclass(frozen=True, slots=True)
class MotionPart:
    """One of the motions that a type of joint is made of."""

    kind: Literal["hinge", "slide", "ball"]
    """Turn about an axis, slide along one, or free turn."""
    axis: int | Triple | None = None
    """Index of the axis in the document, or a fixed axis; None for a ball."""


MOTIONS: Final[Mapping[JointType, tuple[MotionPart, ...]]] = MappingProxyType(
    {
        JointType.HINGE: (MotionPart("hinge", 0),),
        JointType.SLIDE: (MotionPart("slide", 0),),
        JointType.UNIVERSAL: (MotionPart("hinge", 0), MotionPart("hinge", 1)),
        JointType.BALL: (MotionPart("ball"),),
        JointType.FIXED: (),
        JointType.FREE: (
            MotionPart("slide", (1.0, 0.0, 0.0)), MotionPart("slide", (0.0, 1.0, 0.0)),
            MotionPart("slide", (0.0, 0.0, 1.0)), MotionPart("ball"),
        ),
        JointType.END: (),
    }
)  # fmt: skip
"""Motions of each type, each carried by the one before; slides come before turns."""
AT_REST: Final[Mapping[str, Numbers]] = MappingProxyType(
    {"hinge": (0.0,), "slide": (0.0,), "ball": (1.0, 0.0, 0.0, 0.0)}
)
"""Coordinates of each kind of motion where it does not move its link: angle [rad], way [m], unit
quaternion w, x, y, z."""
AXES: Final[Mapping[JointType, int]] = MappingProxyType(
    {
        kind: count
        for kind, motions in MOTIONS.items()
        if (count := len({one.axis for one in motions if isinstance(one.axis, int)}))
    }
)
"""Axes of the types that have any in the document."""
REST: Final[Mapping[JointType, Numbers]] = MappingProxyType(
    {
        kind: tuple(value for one in motions for value in AT_REST[one.kind])
        for kind, motions in MOTIONS.items()
    }
)
"""Coordinates of each type where it does not move its link, as in `AT_REST`."""
DRIVEN: Final = (JointType.HINGE, JointType.SLIDE)
"""Types that a drive can move, and inverse kinematics uses."""


@dataclass(frozen=True, slots=True)
class RobotLink:
    """Vertex of the graph: a link's frame and body."""

    number: int
    """Number of the link, 0 for the base."""
    dh: Numbers
    """Its frame in that of the link before it, D-H numbers (:mod:`sim.world.robots.dh`)."""
    leaving: tuple[int, ...] = ()
    """Joints that leave it (JointT of the paper); its body reaches to the first."""
    shape: BodyShape = BodyShape.NONE
    """Shape of its body."""
    size_m: Numbers = ()
    """Numbers of the shape; without a length the body reaches from joint to joint."""
    colour: Triple = (0.7, 0.7, 0.7)
    """Colour red, green, blue, 0 to 1."""
    density_kg_m3: float = 0.0
    """Density of its body; 0 if its mass is given otherwise."""
    name: str = ""
    """Name for people; empty if it has none."""
    mass_kg: float | None = None
    """Mass of its body, instead of a density."""
    inertia: LinkInertia | None = None
    """Mass and inertia, instead of both."""
    place: BodyPlace | None = None
    """Place of its body; None for one that reaches from joint to joint."""
    visual: LinkVisual | None = None
    """Visible body; None for its body."""
    mesh: LinkMesh | None = None
    """Mesh of a body of that shape."""


@dataclass(frozen=True, slots=True)
class Mimic:
    """Coupling to another joint: coordinate = ratio · other + offset."""

    joint: int
    """Number of the other joint."""
    ratio: float = 1.0
    """Ratio in units of this joint per unit of the other."""
    offset: float = 0.0
    """Offset in rad of a hinge, m of a slide."""


@dataclass(frozen=True, slots=True)
class RobotJoint:
    """Arc from one link to another; units follow the type, N m and rad or N and m."""

    number: int
    """Number of the joint, 0 for the base's."""
    type: JointType
    """Type of the joint."""
    axis: Numbers
    """Axis in the frame of its second link, of any length above 0; two of a universal joint."""
    parent: int
    """The link before it (LinkP of the paper); -1 for the base's joint."""
    child: int
    """The link after it (LinkN of the paper); -1 for an end."""
    at_parent_m: Triple | None = None
    """Point on the link before it, if it closes a loop or is an end."""
    at_child_m: Triple | None = None
    """Point on the link after it, if it closes a loop."""
    name: str = ""
    """Name for people; empty if it has none."""
    start: Numbers | None = None
    """Its coordinates when a run begins, as in `REST`; None for those."""
    limits: tuple[tuple[float, float], ...] = ()
    """Least and greatest of each axis; of a ball joint 0 and the greatest angle; empty for none."""
    friction: float = 0.0
    """Coulomb friction of each axis [N m] or [N]."""
    damping: float = 0.0
    """Viscous friction [N m s/rad] or [N s/m]."""
    armature: float = 0.0
    """Inertia of its rotor, seen at the joint [kg m2] or [kg]."""
    mimic: Mimic | None = None
    """The joint that it follows, if it does."""

    @property
    def motions(self) -> tuple[tuple[str, Numbers], ...]:
        """Kind and axis of each of its motions, in order of coordinates; a ball has no axis."""
        return tuple(
            (one.kind, self.axis[3 * one.axis : 3 * one.axis + 3])
            if isinstance(one.axis, int)
            else (one.kind, one.axis or ())
            for one in MOTIONS[self.type]
        )

    @property
    def closes(self) -> bool:
        """Whether it closes a loop: it has a point on both of its links."""
        return self.at_parent_m is not None and self.at_child_m is not None


@dataclass(frozen=True, slots=True)
class RobotDrive:
    """Drive of a joint; units follow the joint's type."""

    joint: int
    """Number of the joint."""
    control: Literal["speed", "torque", "voltage"]
    """Quantity in which it is commanded."""
    effort_max: float
    """Greatest torque [N m] or force [N]; of a voltage drive that of its stalled motor."""
    speed_max: float | None = None
    """Speed of a voltage drive without load [rad/s] or [m/s]."""
    speed_gain: float | None = None
    """Gain of a speed drive [N m s/rad] or [N s/m]."""
    axis_number: int = 0
    """Axis of a universal joint, 1 or 2 (:mod:`sim.world.robots.driven_universals`); 0 of a joint
    with one axis."""


@dataclass(frozen=True, slots=True)
class AxisBounds:
    """Bounds of a joint of a real machine, besides its limits; None is no bound."""

    joint: int
    """Number of the joint."""
    speed: float | None = None
    """Greatest speed [rad/s] or [m/s]."""
    acceleration: float | None = None
    """Greatest acceleration [rad/s2] or [m/s2]."""
    effort: float | None = None
    """Greatest effort [N m] or [N]."""


@dataclass(frozen=True, slots=True)
class MachineBounds:
    """Bounds of a real machine, which its gate holds besides joint limits."""

    joints: tuple[AxisBounds, ...] = ()
    """Bounds of the joints that have any."""
    box_m: tuple[Triple, Triple] | None = None
    """Least and greatest corner of the tool's workspace, in the base."""
    own_bodies: bool = False
    """Whether its links must not touch each other: those that no joint joins, and that do not
    already where it starts. Without it they pass through each other."""


@dataclass(frozen=True, slots=True)
class Robot:
    """Graph of a robot, with its drives and sensors."""

    links: tuple[RobotLink, ...]
    """Vertices of the graph."""
    joints: tuple[RobotJoint, ...]
    """Arcs of the graph."""
    name: str = ""
    """Name for people; empty if it has none."""
    drives: tuple[RobotDrive, ...] = ()
    """Drives of its joints."""
    sensors: tuple[RobotSensor, ...] = ()
    """Sensors of the robot."""
    machine: MachineBounds | None = None
    """Bounds of the machine; None for a robot that exists in the virtual environment only."""
    gravity_m_s2: Triple | None = None
    """Gravity of the document's world, z up; None for that of the earth."""
    own_contacts: bool = False
    """Whether its links touch each other: those that no joint joins, and that are apart where it
    starts. Without it they pass through each other."""
