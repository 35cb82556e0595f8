"""Groups of URDF joints that make one joint of ours, merged again."""

from dataclasses import replace
from typing import Final

import numpy as np

from sim.world.robots.body import Numbers
from sim.world.robots.model import JointType
from sim.world.robots.named_parts import NamedJoint, NamedLink
from sim.world.robots.urdf_joints import KINDS
from sim.world.robots.urdf_words import BALL_AXES, PARTS
from sim.world.robots.xml_nodes import named
from sim.world.robots.xml_values import XmlValues

NOT_ONE: Final = "its parts are no longer as they were written: they stay joints of their own"


def merged(
    values: XmlValues, joints: list[NamedJoint], links: list[NamedLink]
) -> tuple[list[NamedJoint], list[NamedLink]]:
    """Merge the joints and links of each group.

    A joint whose parts were changed by others since it was written is left as they are: a loss.
    """
    by_child = {joint.child: joint for joint in joints}
    bare = {link.name for link in links if link.is_bare}
    gone_links: set[str] = set()
    gone_joints: set[str] = set()
    found: dict[str, NamedJoint] = {}
    for joint in joints:
        if (kind := KINDS.get(joint.kind)) is None:
            continue
        parts = [joint]
        while len(parts) < PARTS.get(kind, 1) and (before := by_child.get(parts[0].parent)):
            parts.insert(0, before)
        between = {part.parent for part in parts[1:]}
        leaving = [one for one in joints if one.parent in between | {joint.child} - {joint.parent}]
        if kind is JointType.END:
            whole = joint.type is JointType.FIXED and joint.child in bare
            whole = whole and not any(one.parent == joint.child for one in joints)
            whole = whole and np.array_equal(joint.place[:3, :3], np.eye(3))
            made = replace(joint, type=kind)
        else:
            whole = len(parts) == PARTS[kind] and between <= bare and _follow(kind, parts)
            whole = whole and sum(one.parent in between for one in leaving) == len(between)
            made = _one(kind, parts)
        if not whole:
            values.losses.append(joint.node.loss("kind", joint.kind, NOT_ONE, named(joint.node)))
            found[joint.name] = replace(joint, start=None, limits=joint.limits[:1])
            continue
        gone_links |= between
        gone_joints |= {part.name for part in parts[:-1]}
        found[joint.name] = made
    kept = [found.get(one.name, one) for one in joints if one.name not in gone_joints]
    return kept, [link for link in links if link.name not in gone_links]


def _follow(kind: JointType, parts: list[NamedJoint]) -> bool:
    """Whether joints turn about one point, and a ball's about x, y and z."""
    hinges = all(part.type is JointType.HINGE for part in parts)
    at_rest = all(np.array_equal(part.place, np.eye(4)) for part in parts[1:])
    axes: list[Numbers] = [part.axis for part in parts]
    return hinges and at_rest and (kind is JointType.UNIVERSAL or axes == [*BALL_AXES])


def _one(kind: JointType, parts: list[NamedJoint]) -> NamedJoint:
    """Make the one joint of a group."""
    first, last = parts[0], parts[-1]
    if kind is not JointType.UNIVERSAL:
        return replace(last, type=kind, parent=first.parent, place=first.place, axis=())
    drives = [
        part.drive and replace(part.drive, axis_number=number)
        for number, part in enumerate(parts, start=1)
    ]
    return replace(last, type=kind, parent=first.parent, place=first.place,
                   axis=(*first.axis, *last.axis), limits=first.limits + last.limits,
                   drive=drives[0], second_drive=drives[1])  # fmt: skip
