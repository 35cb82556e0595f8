"""URDF read as a robot: the words of :mod:`sim.world.robots.urdf_words` and URDF's own.

What is not taken is a loss each, with its line; what cannot be understood is a fault. D-H numbers
that do not hold a frame to `EXACT`, as those of nearly parallel axes do, get a fixed link of
nothing before it, so that both frames hold.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.meshes.reading import MeshFiles, no_files
from sim.world.robots.dh import dh_of, pose_of
from sim.world.robots.judge import findings_of
from sim.world.robots.losses import Loss
from sim.world.robots.model import (
    BASE,
    NOWHERE,
    AxisBounds,
    JointType,
    MachineBounds,
    Robot,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.urdf_joints import UrdfJoint, axes_of_plane, read_joint, read_loop
from sim.world.robots.urdf_links import UrdfLink, read_colour, read_link
from sim.world.robots.urdf_merging import merged
from sim.world.robots.urdf_values import UrdfValues, triple
from sim.world.robots.urdf_words import WORLD
from sim.world.robots.xml_nodes import XmlNode, read_nodes

Array = NDArray[np.float64]

EXACT: Final = 1e-13
"""Greatest error of a frame's numbers [m, 1] for which its D-H numbers are taken as they are."""
NUMBER_DIGITS: Final = 9
"""Digits of a number at most."""
UPRIGHT: Final = pose_of((0.5 * math.pi, 0.0, 0.0, 0.0))
"""A quarter of a turn about x."""
REASONS: Final = {
    "transmission": "what moves a joint is its <drive>, or the effort of its <limit>",
    "gazebo": "another simulator's",
    "ros2_control": "another program's",
    "safety_controller": "soft limits are the gate's",
    "calibration": "a joint's zero is where its coordinate is 0",
    "sensor": "sensors are not read from URDF",
    "texture": "textures are those of a mesh's own materials",
}
"""Why elements are not taken."""


def read_urdf(
    text: str, source: str, files: MeshFiles = no_files
) -> tuple[Robot, tuple[Loss, ...]]:
    """The robot of a document, and what of the document it does not have, in its order.

    Args:
        source: the document, for error texts.
        files: where its meshes are had from.

    Raises:
        RobotDocumentError: with every fault.
    """
    return _Reader(text, source, files).robot()


class _Reader:
    """One document while it is read."""

    def __init__(self, text: str, source: str, files: MeshFiles) -> None:
        self._root = read_nodes(text, source)
        self._values = UrdfValues(source, files)
        if self._root.tag != "robot":
            self._refuse(f"<{self._root.tag}>", "no URDF", "<robot> is the outermost element")
        if any(one.tag.startswith("xacro:") for one in self._root.children):
            self._refuse(None, "macros are not expanded", "run xacro first, and read what it wrote")
        self._root.get("version")

    def _refuse(self, value: object, problem: str, remedy: str) -> None:
        self._values.fault(self._root, value, problem, remedy)
        self._values.faults.end()

    def robot(self) -> tuple[Robot, tuple[Loss, ...]]:
        root, values = self._root, self._values
        colours = {
            material.get("name") or "": colour
            for material in root.all("material")
            if (colour := read_colour(values, material)) is not None
        }
        links = [read_link(values, node, colours) for node in root.all("link")]
        joints = [read_joint(values, node) for node in root.all("joint")]
        loops = [read_loop(values, node) for node in root.all("loop_joint")]
        self._known_once(links, joints + loops)
        values.faults.end()
        joints = self._planes(self._one_parent(joints), links)
        joints, links = merged(values, joints, links)
        self._leaders(joints)
        joints = self._exact(joints, links)
        robot = self._assembled(links, joints, loops)
        losses = values.losses + list(root.untaken(REASONS))
        values.faults.take(findings_of(robot, whole=not values.faults.faults))
        values.faults.end()
        return robot, tuple(sorted(losses, key=lambda one: (one.line, one.column)))

    def _known_once(self, links: list[UrdfLink], joints: list[UrdfJoint]) -> None:
        """Note names that two have, and links that joints name and nobody has."""
        for rows in (links, joints):
            seen: set[str] = set()
            for one in rows:
                if one.name in seen:
                    right = "a name that no other has"
                    self._values.fault(one.node, one.name, "told twice", right)
                seen.add(one.name)
        names = {link.name for link in links}
        for joint in joints:
            for side, name in (("parent", joint.parent), ("child", joint.child)):
                told = name or any(one.tag == side for one in joint.node.children)
                if told and name not in names:
                    right = "a link that is there"
                    self._values.fault(joint.node, name, "no such link", right)
        if not links:
            self._refuse(None, "no links", '<link name="..."/>')

    def _one_parent(self, joints: list[UrdfJoint]) -> list[UrdfJoint]:
        """The joints without those that move a link which another one moves already."""
        drivers: dict[str, UrdfJoint] = {}
        for joint in joints:
            if (first := drivers.setdefault(joint.child, joint)) is not joint:
                reason = f"{first.name} moves this link; a <loop_joint> closes a loop"
                self._values.losses.append(joint.node.loss("child", joint.child, reason))
        return list(drivers.values())

    def _planes(self, joints: list[UrdfJoint], links: list[UrdfLink]) -> list[UrdfJoint]:
        """Two slides and a hinge for each joint in a plane."""
        found: list[UrdfJoint] = []
        for joint in joints:
            if joint.node.attributes.get("type") != "planar":
                found.append(joint)
                continue
            between = [self._more(joint, links, index) for index in (1, 2)]
            x, y = axes_of_plane(joint.axis)
            found += [
                replace(joint, name=f"{joint.name}_1", label=f"{joint.label}_1",
                        child=between[0], axis=x),
                replace(joint, name=f"{joint.name}_2", label=f"{joint.label}_2",
                        parent=between[0], child=between[1], axis=y, place=np.eye(4)),
                replace(joint, type=JointType.HINGE, parent=between[1], place=np.eye(4)),
            ]  # fmt: skip
        return found

    def _more(self, joint: UrdfJoint, links: list[UrdfLink], index: int) -> str:
        """A link of nothing before the one that a joint moves."""
        names = {link.name for link in links}
        name = f"{joint.child}_{index}"
        while name in names:
            name += "_"
        links.append(UrdfLink(XmlNode("link", {}, joint.node.line, joint.node.column), name,
                              {"name": name}))  # fmt: skip
        return name

    def _leaders(self, joints: list[UrdfJoint]) -> None:
        """Joints that follow one that follows follow the first; those that nobody leads, none."""
        known = {joint.name: joint for joint in joints}
        for joint in joints:
            way = {joint.name}
            while joint.leader and (leader := known.get(joint.leader)) is not None:
                if leader.leader in way or not leader.leader:
                    break
                way.add(leader.name)
                first, then = leader.mimic, joint.mimic
                joint.mimic = replace(then, ratio=then.ratio * first.ratio,
                                      offset=then.ratio * first.offset + then.offset)  # fmt: skip
                joint.leader = leader.leader
            if joint.leader and joint.leader not in known:
                reason = "no joint of the tree has this name"
                node = joint.node.one("mimic") or joint.node
                self._values.losses.append(
                    node.loss("mimic", joint.leader, reason, f"joint {joint.name}")
                )
                joint.leader = ""

    def _exact(self, joints: list[UrdfJoint], links: list[UrdfLink]) -> list[UrdfJoint]:
        """The joints, with a fixed one before each whose D-H numbers do not hold its frame."""
        found: list[UrdfJoint] = []
        for joint in joints:
            error = np.abs(pose_of(dh_of(joint.place)) - joint.place).max()
            if joint.type is not JointType.END and error > EXACT:
                between = self._more(joint, links, 1)
                first = UrdfJoint(joint.node, f"{joint.name}_1", f"{joint.label}_1",
                                  JointType.FIXED, joint.parent, between,
                                  joint.place @ UPRIGHT.T)  # fmt: skip
                found.append(first)
                joint = replace(joint, parent=between, place=UPRIGHT)
            found.append(joint)
        return found

    def _assembled(
        self, links: list[UrdfLink], joints: list[UrdfJoint], loops: list[UrdfJoint]
    ) -> Robot:
        """Numbers for names, and D-H numbers for frames."""
        bearing = _bearing(links, [*joints, *loops])
        base = bearing.child if bearing else _root(links, joints)
        ends = {joint.child for joint in joints if joint.type is JointType.END}
        links = [one for one in links if one.name not in ends]
        links = [one for one in links if not (bearing and one.name == WORLD)]
        of_links = self._numbered(links, base, 0)
        of_joints = self._numbered([*joints, *loops], bearing.name if bearing else "", 1)
        if bearing:
            of_links[WORLD] = NOWHERE
        arcs = [_arc(joint, of_links, of_joints) for joint in [*joints, *loops]]
        if bearing is None:
            arcs.insert(0, RobotJoint(0, JointType.FIXED, (), NOWHERE, BASE))
        for index, one in enumerate([*joints, *loops], start=bearing is None):
            self._values.faults.put(("joint", index), one.node.line, one.node.column)
        for index, one in enumerate(links):
            self._values.faults.put(("link", index), one.node.line, one.node.column)
        left: dict[int, list[int]] = {}
        for arc in arcs:
            left.setdefault(arc.parent, []).append(arc.number)
        places = {joint.child: joint.place for joint in joints}
        made = [
            RobotLink(number := of_links[one.name], dh_of(places.get(one.name, np.eye(4))),
                      leaving=tuple(left.get(number, ())), **one.fields)
            for one in links
        ]  # fmt: skip
        drives = [replace(one.drive, joint=of_joints[one.name]) for one in joints if one.drive]
        bounds = [replace(one.bounds, joint=of_joints[one.name]) for one in joints if one.bounds]
        name = self._root.get("name") or ""
        machine = self._machine(tuple(bounds))
        return Robot(tuple(made), tuple(arcs), name, tuple(drives), machine=machine)

    def _numbered(
        self, rows: Sequence[UrdfLink | UrdfJoint], first: str, least: int
    ) -> dict[str, int]:
        """Numbers by names: those that the document tells, others after them, 0 for the first."""
        told: dict[str, int] = {}
        for one in rows:
            word = one.node.get("number") if one.node.attributes.get("name") == one.name else None
            if word is not None and word.isdecimal() and len(word) < NUMBER_DIGITS:
                told[one.name] = int(word)
            elif word is not None:
                right = "a whole number of few digits"
                self._values.fault(one.node, word, "number is not read", right)
        if first in told or not told:
            told.setdefault(first, 0)
        elif first:
            told = {first: 0}
        following = max(least, 1 + max(told.values(), default=0))
        for one in rows:
            if one.name not in told:
                told[one.name] = following
                following += 1
        return told

    def _machine(self, bounds: tuple[AxisBounds, ...]) -> MachineBounds | None:
        if (node := self._root.one("machine")) is None:
            return MachineBounds(bounds) if bounds else None
        apart = node.get("own_bodies") or "false"
        if apart not in ("true", "false"):
            right = 'own_bodies="true" or "false"'
            self._values.fault(node, apart, "machine own_bodies is not read", right)
        if node.get("box") is None:
            return MachineBounds(bounds, own_bodies=apart == "true")
        corners = self._values.numbers(node, "box", (0.0, 0.0, 0.0, 1.0, 1.0, 1.0))
        box_m = triple(corners[:3]), triple(corners[3:])
        return MachineBounds(bounds, box_m, apart == "true")


def _bearing(links: list[UrdfLink], joints: list[UrdfJoint]) -> UrdfJoint | None:
    """The joint that bears the base, if it leaves a link that is the world."""
    is_world = any(link.name == WORLD and link.is_bare for link in links)
    leaving = [joint for joint in joints if joint.parent == WORLD]
    if not is_world or len(leaving) != 1 or any(joint.child == WORLD for joint in joints):
        return None
    bears = leaving[0].type in (JointType.FIXED, JointType.FREE)
    return leaving[0] if bears and leaving[0].points is None else None


def _root(links: list[UrdfLink], joints: list[UrdfJoint]) -> str:
    """The first link that no joint moves, or else the first."""
    moved = {joint.child for joint in joints}
    return next((link.name for link in links if link.name not in moved), links[0].name)


def _arc(joint: UrdfJoint, links: Mapping[str, int], joints: Mapping[str, int]) -> RobotJoint:
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
