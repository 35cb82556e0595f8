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
    """By which joints know it."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Of `RobotLink`, but its number, its frame and the joints that leave it."""
    number: int | None = None
    """Its own, if the document tells one."""

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
    """By which others know it."""
    label: str
    """For people."""
    type: JointType
    """Of ours."""
    parent: str
    """Link before it."""
    child: str
    """Link after it."""
    place: Array
    """Frame of the link after it in that of the link before it, shape (4, 4)."""
    axis: Numbers = ()
    """In the link after it."""
    points: tuple[Numbers, Numbers] | None = None
    """On both links, if it closes a loop."""
    start: Numbers | None = None
    """Its coordinates when a run begins."""
    limits: tuple[tuple[float, float], ...] = ()
    """Least and greatest of each axis."""
    friction: float = 0.0
    """As in `RobotJoint`."""
    damping: float = 0.0
    """As in `RobotJoint`."""
    armature: float = 0.0
    """As in `RobotJoint`."""
    leader: str = ""
    """The joint that it follows."""
    mimic: Mimic = field(default_factory=lambda: Mimic(0))
    """How."""
    drive: RobotDrive | None = None
    """What moves it."""
    rank: int = 0
    """Of its drive among all, where they have an order of their own."""
    bounds: AxisBounds | None = None
    """Of a machine in metal."""
    number: int | None = None
    """Its own, if the document tells one."""

    @property
    def kind(self) -> str:
        """``universal`` or ``ball``, if it is the last of several that make one; ``end``."""
        return self.node.attributes.get("kind", "")
