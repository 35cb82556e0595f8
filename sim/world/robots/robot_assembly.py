"""A robot assembled from named links and joints: numbers for them, D-H numbers too.

D-H numbers that do not hold a frame to `EXACT`, as those of nearly parallel axes do, get a fixed
link of nothing before it, so that both frames hold.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.dh import dh_of, pose_of
from sim.world.robots.missing_inertia import with_moments
from sim.world.robots.model import (
    BASE,
    NOWHERE,
    REST,
    JointType,
    MachineBounds,
    Robot,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.named_parts import NamedJoint, NamedLink
from sim.world.robots.urdf_words import WORLD
from sim.world.robots.xml_nodes import XmlNode
from sim.world.robots.xml_values import XmlValues, triple

Array = NDArray[np.float64]

EXACT: Final = 1e-13
"""Greatest error of a frame's numbers [m, 1] for which its D-H numbers are taken as they are."""
UPRIGHT: Final = pose_of((0.5 * math.pi, 0.0, 0.0, 0.0))
"""A quarter of a turn about x."""


@dataclass(frozen=True, slots=True)
class NamedParts:
    """Parts of a robot."""

    links: list[NamedLink]
    """Links in the order of the document."""
    joints: list[NamedJoint]
    """Joints of the tree, and ends."""
    loops: list[NamedJoint]
    """Joints that close loops."""


def between(joint: NamedJoint, links: list[NamedLink], index: int) -> str:
    """Add an empty link before the one that a joint moves; return its name."""
    names = {link.name for link in links}
    name = f"{joint.child}_{index}"
    while name in names:
        name += "_"
    node = XmlNode("link", {}, joint.node.line, joint.node.column)
    links.append(NamedLink(node, name, {"name": name}))
    return name


def resolve_mimic_chains(values: XmlValues, joints: list[NamedJoint]) -> None:
    """Make joints that follow a follower follow its leader; drop those without a leader."""
    known = {joint.name: joint for joint in joints}
    for joint in joints:
        passed = {joint.name}
        while joint.leader and (leader := known.get(joint.leader)) is not None:
            if leader.leader in passed or not leader.leader:
                break
            passed.add(leader.name)
            first, then = leader.mimic, joint.mimic
            joint.mimic = replace(then, ratio=then.ratio * first.ratio,
                                  offset=then.ratio * first.offset + then.offset)  # fmt: skip
            joint.leader = leader.leader
        if joint.leader and (reason := _why_not(joint, known.get(joint.leader))):
            node = joint.node.one("mimic") or joint.node
            values.losses.append(node.loss("mimic", joint.leader, reason, f"joint {joint.name}"))
            joint.leader = ""


def _why_not(joint: NamedJoint, leader: NamedJoint | None) -> str:
    """Reason why a joint cannot follow another one; empty if it can."""
    if leader is None:
        return "no joint of the tree has this name"
    if len(REST[leader.type]) != 1:
        return f"a {leader.type} joint has no coordinate to follow"
    return "" if len(REST[joint.type]) == 1 else f"a {joint.type} joint does not follow"


def exact(joints: list[NamedJoint], links: list[NamedLink]) -> list[NamedJoint]:
    """Put a fixed joint before each whose D-H numbers do not hold its frame."""
    found: list[NamedJoint] = []
    for joint in joints:
        error = np.abs(pose_of(dh_of(joint.place)) - joint.place).max()
        if joint.type is not JointType.END and error > EXACT:
            middle = between(joint, links, 1)
            first = NamedJoint(joint.node, f"{joint.name}_1", f"{joint.label}_1",
                               JointType.FIXED, joint.parent, middle,
                               joint.place @ UPRIGHT.T)  # fmt: skip
            found.append(first)
            joint = replace(joint, parent=middle, place=UPRIGHT)
        found.append(joint)
    return found


def assemble_robot(
    values: XmlValues, parts: NamedParts, name: str, box: MachineBounds | None
) -> Robot:  # fmt: skip
    """Assemble the robot without judging its values; note where they are in the document.

    Args:
        name: of the robot.
        box: of a machine in metal, without the bounds of its joints; None for no such machine.
    """
    links, joints, loops = parts.links, parts.joints, parts.loops
    bearing = _bearing(links, [*joints, *loops])
    base = bearing.child if bearing else _root(links, joints)
    ends = {joint.child for joint in joints if joint.type is JointType.END}
    links = [one for one in links if one.name not in ends]
    links = [one for one in links if not (bearing and one.name == WORLD)]
    of_links = _numbered(links, base, 0)
    of_joints = _numbered([*joints, *loops], bearing.name if bearing else "", 1)
    if bearing:
        of_links[WORLD] = NOWHERE
    arcs = [_arc(joint, of_links, of_joints) for joint in [*joints, *loops]]
    if bearing is None:
        arcs.insert(0, RobotJoint(0, JointType.FIXED, (), NOWHERE, BASE))
    for index, one in enumerate([*joints, *loops], start=bearing is None):
        values.faults.put(("joint", index), one.node.line, one.node.column)
    for index, one in enumerate(links):
        values.faults.put(("link", index), one.node.line, one.node.column)
    left: dict[int, list[int]] = {}
    for arc in arcs:
        left.setdefault(arc.parent, []).append(arc.number)
    places = {joint.child: joint.place for joint in joints}
    made = [
        RobotLink(number := of_links[one.name], dh_of(places.get(one.name, np.eye(4))),
                  leaving=tuple(left.get(number, ())), **one.fields)
        for one in links
    ]  # fmt: skip
    ranked = sorted(joints, key=lambda one: one.rank)
    drives = [
        replace(drive, joint=of_joints[one.name])
        for one in ranked
        for drive in (one.drive, one.second_drive)
        if drive
    ]
    bounds = tuple(replace(one.bounds, joint=of_joints[one.name]) for one in joints if one.bounds)
    machine = replace(box or MachineBounds(), joints=bounds) if box or bounds else None
    robot = Robot(tuple(made), tuple(arcs), name, tuple(drives), machine=machine)
    robot, given = with_moments(robot)
    nodes = {"link": [one.node for one in links], "joint": [one.node for one in [*joints, *loops]]}
    for one in given:
        node = nodes[one.kind][one.index - (one.kind == "joint" and bearing is None)]
        values.losses.append(node.loss(one.field, None, one.reason))
    return robot


def _numbered(
    rows: Sequence[NamedLink] | Sequence[NamedJoint], first: str, least: int
) -> dict[str, int]:
    """Number by names: numbers in the document, others after them, 0 for the first."""
    numbers = {one.name: one.number for one in rows if one.number is not None}
    if first in numbers or not numbers:
        numbers.setdefault(first, 0)
    elif first:
        numbers = {first: 0}
    following = max(least, 1 + max(numbers.values(), default=0))
    for one in rows:
        if one.name not in numbers:
            numbers[one.name] = following
            following += 1
    return numbers


def _bearing(links: list[NamedLink], joints: list[NamedJoint]) -> NamedJoint | None:
    """Find the joint that bears the base, if it leaves a link that is the world."""
    is_world = any(link.name == WORLD and link.is_bare for link in links)
    leaving = [joint for joint in joints if joint.parent == WORLD]
    if not is_world or len(leaving) != 1 or any(joint.child == WORLD for joint in joints):
        return None
    bears = leaving[0].type in (JointType.FIXED, JointType.FREE)
    return leaving[0] if bears and leaving[0].points is None else None


def _root(links: list[NamedLink], joints: list[NamedJoint]) -> str:
    """Find the first link that no joint moves, or else the first."""
    moved = {joint.child for joint in joints}
    return next((link.name for link in links if link.name not in moved), links[0].name)


def _arc(joint: NamedJoint, links: Mapping[str, int], joints: Mapping[str, int]) -> RobotJoint:
    at_parent, at_child = None, None
    child = links.get(joint.child, NOWHERE)
    if joint.type is JointType.END:
        at_parent = triple(joint.place[:3, 3])
    elif joint.points is not None:
        at_parent, at_child = triple(joint.points[0]), triple(joint.points[1])
    return RobotJoint(
        joints[joint.name], joint.type, joint.axis, links[joint.parent], child, at_parent, at_child,
        joint.label, joint.start, joint.limits, joint.friction, joint.damping, joint.armature,
        replace(joint.mimic, joint=joints[joint.leader]) if joint.leader else None,
    )  # fmt: skip
