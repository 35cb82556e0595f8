"""URDF read as a robot: the words of :mod:`sim.world.robots.urdf_words` and URDF's own.

What is not taken is a loss each, with its line; what cannot be understood is a fault.
"""

from dataclasses import replace
from typing import Final

import numpy as np

from sim.world.meshes.mesh_reader import MeshFiles, no_files
from sim.world.robots.faults import called
from sim.world.robots.losses import Loss
from sim.world.robots.model import JointType, MachineBounds, Robot
from sim.world.robots.named_parts import NamedJoint, NamedLink
from sim.world.robots.robot_assembly import (
    NamedParts,
    assemble_robot,
    between,
    exact,
    resolve_mimic_chains,
)
from sim.world.robots.robot_checks import findings_of
from sim.world.robots.start_coordinates import start_inside
from sim.world.robots.urdf_joint_groups import merged
from sim.world.robots.urdf_joints import axes_of_plane, read_joint, read_loop
from sim.world.robots.urdf_links import read_colour, read_link
from sim.world.robots.xml_nodes import XmlNode, read_nodes
from sim.world.robots.xml_values import XmlValues, triple

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
        self._values = XmlValues(source, files)
        if self._root.tag != "robot":
            self._refuse(f"<{self._root.tag}>", "no URDF", "<robot> is the outermost element")
        if (macro := _macro(self._root)) is not None:
            node, name = macro
            right = "run xacro first, and read what it wrote: xacro in.xacro > out.urdf"
            self._values.fault(node, name, "macros are not expanded", right)
            self._values.faults.end()
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
        self._check_names(links, joints + loops)
        values.faults.end()
        joints = self._planes(self._one_parent(joints), links)
        joints, links = merged(values, joints, links)
        start_inside(values, joints, keep_given=False)
        resolve_mimic_chains(values, joints)
        joints = exact(joints, links)
        parts = NamedParts(links, joints, loops)
        robot = assemble_robot(values, parts, root.get("name") or "", self._machine())
        losses = values.losses + list(root.untaken(REASONS))
        values.faults.take(called(findings_of(robot, whole=not values.faults.faults), robot))
        values.faults.end()
        return robot, tuple(sorted(losses, key=lambda one: (one.line, one.column)))

    def _check_names(self, links: list[NamedLink], joints: list[NamedJoint]) -> None:
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
                is_given = name or any(one.tag == side for one in joint.node.children)
                if is_given and name not in names:
                    right = "a link that is there"
                    self._values.fault(joint.node, name, "no such link", right)
        if not links:
            self._refuse(None, "no links", '<link name="..."/>')

    def _one_parent(self, joints: list[NamedJoint]) -> list[NamedJoint]:
        """The joints without those that move a link which another one moves already."""
        drivers: dict[str, NamedJoint] = {}
        for joint in joints:
            if (first := drivers.setdefault(joint.child, joint)) is not joint:
                reason = f"{first.name} moves this link; a <loop_joint> closes a loop"
                self._values.losses.append(joint.node.loss("child", joint.child, reason))
        return list(drivers.values())

    def _planes(self, joints: list[NamedJoint], links: list[NamedLink]) -> list[NamedJoint]:
        """Two slides and a hinge for each joint in a plane."""
        found: list[NamedJoint] = []
        for joint in joints:
            if joint.node.attributes.get("type") != "planar":
                found.append(joint)
                continue
            middle = [between(joint, links, index) for index in (1, 2)]
            x, y = axes_of_plane(joint.axis)
            found += [
                replace(joint, name=f"{joint.name}_1", label=f"{joint.label}_1",
                        child=middle[0], axis=x, number=None),
                replace(joint, name=f"{joint.name}_2", label=f"{joint.label}_2",
                        parent=middle[0], child=middle[1], axis=y, place=np.eye(4),
                        number=None),
                replace(joint, type=JointType.HINGE, parent=middle[1], place=np.eye(4)),
            ]  # fmt: skip
        return found

    def _machine(self) -> MachineBounds | None:
        """Of ``<machine>``, without the bounds of joints."""
        if (node := self._root.one("machine")) is None:
            return None
        apart = node.get("own_bodies") or "false"
        if apart not in ("true", "false"):
            right = 'own_bodies="true" or "false"'
            self._values.fault(node, apart, "machine own_bodies is not read", right)
        box_m = None
        if node.get("box") is not None:
            corners = self._values.numbers(node, "box", (0.0, 0.0, 0.0, 1.0, 1.0, 1.0))
            box_m = triple(corners[:3]), triple(corners[3:])
        return MachineBounds((), box_m, apart == "true")


def _macro(root: XmlNode) -> tuple[XmlNode, str] | None:
    """The first element of xacro's, or with an expression of its; None if there is none."""
    waiting = [root]
    while waiting:
        node = waiting.pop()
        waiting += [one for one in reversed(node.children) if one.tag not in REASONS]
        if node.tag.startswith("xacro:"):
            return node, f"<{node.tag}>"
        for value in node.attributes.values():
            if "${" in value or "$(" in value:
                return node, value[:80]
    return None
