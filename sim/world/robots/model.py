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
"""Number of the link that is not there: before the base, after an end."""
BASE: Final = 0
"""Number of the link that carries all others."""
LINKS_MAX: Final = 2000
"""Links of one robot at most."""
CHAIN_MAX: Final = 150
"""Links that carry one another in a row at most: they are elements in elements of other forms."""
JOINTS_MAX: Final = 4000
"""Joints of one robot at most, those that close loops included."""


class JointType(StrEnum):
    """How a joint lets its link move, in the axes of the link that it moves."""

    HINGE = "hinge"
    """Turns about one axis."""
    SLIDE = "slide"
    """Slides along one axis."""
    UNIVERSAL = "universal"
    """Turns about a first axis, then about a second one that the first carries along."""
    BALL = "ball"
    """Turns freely."""
    FIXED = "fixed"
    """Does not move."""
    FREE = "free"
    """Moves freely in space."""
    END = "end"
    """Moves nothing: a place on a link, such as that of a tool."""


AXES: Final[Mapping[JointType, int]] = MappingProxyType(
    {JointType.HINGE: 1, JointType.SLIDE: 1, JointType.UNIVERSAL: 2}
)
"""Axes of the types that have any."""
REST: Final[Mapping[JointType, Numbers]] = MappingProxyType(
    {
        JointType.HINGE: (0.0,),
        JointType.SLIDE: (0.0,),
        JointType.UNIVERSAL: (0.0, 0.0),
        JointType.BALL: (1.0, 0.0, 0.0, 0.0),
        JointType.FIXED: (),
        JointType.FREE: (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0),
        JointType.END: (),
    }
)
"""Coordinates of each type where it does not move its link: angles [rad], way [m], position [m],
unit quaternion w, x, y, z."""


@dataclass(frozen=True, slots=True)
class RobotLink:
    """A vertex: where its frame is, and what body it has."""

    number: int
    """0 for the base."""
    dh: Numbers
    """Its frame in that of the link before it, D-H numbers (:mod:`sim.world.robots.dh`)."""
    leaving: tuple[int, ...] = ()
    """Joints that leave it (JointT of the paper); its body reaches to the first."""
    shape: BodyShape = BodyShape.NONE
    """Of its body."""
    size_m: Numbers = ()
    """What the shape asks for; without a length the body reaches from joint to joint."""
    colour: Triple = (0.7, 0.7, 0.7)
    """Red, green, blue, 0 to 1."""
    density_kg_m3: float = 0.0
    """Of its body; 0 if its mass is told otherwise."""
    name: str = ""
    """For people; empty if it has none."""
    mass_kg: float | None = None
    """Of its body, instead of a density."""
    inertia: LinkInertia | None = None
    """Instead of both."""
    place: BodyPlace | None = None
    """Of its body; None for one that reaches from joint to joint."""
    visual: LinkVisual | None = None
    """What is seen of it; None for its body."""
    mesh: LinkMesh | None = None
    """Of its body, if that is a mesh."""


@dataclass(frozen=True, slots=True)
class Mimic:
    """A joint that follows another one: coordinate = ratio · other + offset."""

    joint: int
    """The other one."""
    ratio: float = 1.0
    """In units of this joint per unit of the other."""
    offset: float = 0.0
    """In rad of a hinge, m of a slide."""


@dataclass(frozen=True, slots=True)
class RobotJoint:
    """An arc from one link to another; units go with the type, N m and rad or N and m."""

    number: int
    """0 for the base's."""
    type: JointType
    """How it moves."""
    axis: Numbers
    """In the frame of its second link, of any length above 0; two of a universal joint."""
    parent: int
    """The link before it (LinkP of the paper); -1 for the base's joint."""
    child: int
    """The link after it (LinkN of the paper); -1 for an end."""
    at_parent_m: Triple | None = None
    """Its point on the link before it, if it closes a loop or is an end."""
    at_child_m: Triple | None = None
    """Its point on the link after it, if it closes a loop."""
    name: str = ""
    """For people; empty if it has none."""
    start: Numbers | None = None
    """Its coordinates when a run begins, as in `REST`; None for those."""
    limits: tuple[tuple[float, float], ...] = ()
    """Least and greatest of each axis; of a ball joint 0 and the greatest angle; none if empty."""
    friction: float = 0.0
    """Coulomb friction of each axis [N m] or [N]."""
    damping: float = 0.0
    """Viscous friction [N m s/rad] or [N s/m]."""
    armature: float = 0.0
    """Inertia of its rotor, seen at the joint [kg m2] or [kg]."""
    mimic: Mimic | None = None
    """The joint that it follows, if it does."""

    @property
    def closes(self) -> bool:
        """Whether it closes a loop: it has a point on both of its links."""
        return self.at_parent_m is not None and self.at_child_m is not None


@dataclass(frozen=True, slots=True)
class RobotDrive:
    """What moves a joint; units go with the joint's type."""

    joint: int
    """The joint."""
    control: Literal["speed", "torque", "voltage"]
    """What it is commanded by."""
    effort_max: float
    """Greatest torque [N m] or force [N]; of a voltage drive that of its stalled motor."""
    speed_max: float | None = None
    """Speed without load of a voltage drive [rad/s] or [m/s]."""
    speed_gain: float | None = None
    """Of a speed drive [N m s/rad] or [N s/m]."""


@dataclass(frozen=True, slots=True)
class AxisBounds:
    """What a joint of a machine in metal may do, besides its limits; None is no bound."""

    joint: int
    """The joint."""
    speed: float | None = None
    """[rad/s] or [m/s]."""
    acceleration: float | None = None
    """[rad/s2] or [m/s2]."""
    effort: float | None = None
    """[N m] or [N]."""


@dataclass(frozen=True, slots=True)
class MachineBounds:
    """A robot that exists in metal: what its gate holds besides joint limits."""

    joints: tuple[AxisBounds, ...] = ()
    """Of the joints that have any."""
    box_m: tuple[Triple, Triple] | None = None
    """Least and greatest corner of the tool's workspace, in the base."""
    own_bodies: bool = False
    """Whether its links must not touch each other: those that no joint joins, and that do not
    already where it starts. Without it they pass through each other."""


@dataclass(frozen=True, slots=True)
class Robot:
    """The graph of a robot, with what moves and measures it."""

    links: tuple[RobotLink, ...]
    """Its vertices."""
    joints: tuple[RobotJoint, ...]
    """Its arcs."""
    name: str = ""
    """For people; empty if it has none."""
    drives: tuple[RobotDrive, ...] = ()
    """What moves its joints."""
    sensors: tuple[RobotSensor, ...] = ()
    """What measures it."""
    machine: MachineBounds | None = None
    """None for a robot that exists in the virtual environment only."""
    gravity_m_s2: Triple | None = None
    """Of the world that its document has it in, z up; None for that of the earth."""
