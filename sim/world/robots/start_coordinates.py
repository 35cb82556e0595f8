"""Start coordinates of joints whose limits exclude the usual ones: the nearest inside.

A form without a word for it starts at 0 by convention alone, and other programs clamp it likewise.
"""

from sim.world.robots.body import Numbers
from sim.world.robots.model import REST, JointType
from sim.world.robots.named_parts import NamedJoint
from sim.world.robots.xml_nodes import named
from sim.world.robots.xml_values import XmlValues


def start_inside(values: XmlValues, joints: list[NamedJoint], *, keep_given: bool) -> None:
    """Move the starts of joints inside their limits; each change is a loss.

    Args:
        keep_given: whether starts in the document are moved, too.
    """
    for joint in joints:
        if joint.type in (JointType.BALL, JointType.FREE) or (
            joint.start is not None and not keep_given
        ):
            continue
        start = REST[joint.type] if joint.start is None else joint.start
        if len(start) != len(joint.limits) or any(least >= most for least, most in joint.limits):
            continue
        pairs = zip(start, joint.limits, strict=True)
        inside = tuple(min(max(one, least), most) for one, (least, most) in pairs)
        if inside != start:
            joint.start = inside
            reason = f"outside {_shown(joint.limits)}: it starts at {_some(inside)}, the nearest"
            subject = f"joint {joint.label}" if joint.label else named(joint.node)
            values.losses.append(joint.node.loss("start", _some(start), reason, subject))


def _some(numbers: Numbers) -> str:
    return ", ".join(f"{one:.9g}" for one in numbers)


def _shown(limits: tuple[tuple[float, float], ...]) -> str:
    return ", ".join(f"[{least:.9g}, {most:.9g}]" for least, most in limits)
