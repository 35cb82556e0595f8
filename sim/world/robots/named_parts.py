"""Links and joints by their names, while a document of XML is read."""

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.body import Numbers
from sim.world.robots.model import AxisBounds, JointType, Mimic, RobotDrive
from sim.world.robots.xml_nodes import XmlNode

Array = NDArray[np.float64]


@dataclass(slots=True)
class NamedLink:
    """A link while its document is read."""

    node: XmlNode
    """Its element."""
    name: str
    """Name by which joints refer to it."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Fields of `RobotLink`, without its number, its frame and the joints that leave it."""
    number: int | None = None
    """Number of its own, if the document has one."""

    @property
    def is_bare(self) -> bool:
        """Whether it has neither mass nor body."""
        return not self.fields.keys() & {"inertia", "shape", "visual"}


@dataclass(slots=True)
class NamedJoint:
    """A joint while its document is read; numbers of links and joints come later."""

    node: XmlNode
    """Its element."""
    name: str
    """Name by which others refer to it."""
    label: str
    """Name for people."""
    type: JointType
    """Type in the robot's graph."""
    parent: str
    """Name of the link before it."""
    child: str
    """Name of the link after it."""
    place: Array
    """Frame of the link after it in that of the link before it, shape (4, 4)."""
    axis: Numbers = ()
    """Axis in the link after it."""
    points: tuple[Numbers, Numbers] | None = None
    """Points on both links, if it closes a loop."""
    start: Numbers | None = None
    """Its coordinates when a run begins."""
    limits: tuple[tuple[float, float], ...] = ()
    """Least and greatest of each axis."""
    friction: float = 0.0
    """Friction as in `RobotJoint`."""
    damping: float = 0.0
    """Damping as in `RobotJoint`."""
    armature: float = 0.0
    """Armature as in `RobotJoint`."""
    leader: str = ""
    """Name of the joint that it follows."""
    mimic: Mimic = field(default_factory=lambda: Mimic(0))
    """Ratio and offset to that joint."""
    drive: RobotDrive | None = None
    """Drive of the joint; of a universal one, of its first axis."""
    second_drive: RobotDrive | None = None
    """Drive of the second axis of a universal joint."""
    rank: int = 0
    """Rank of its drive among all, where they have an order of their own."""
    bounds: AxisBounds | None = None
    """Bounds in a real machine."""
    number: int | None = None
    """Number of its own, if the document has one."""

    @property
    def kind(self) -> str:
        """Kind ``universal`` or ``ball`` of the last of several that make one; or ``end``."""
        return self.node.attributes.get("kind", "")
