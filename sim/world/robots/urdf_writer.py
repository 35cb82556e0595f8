"""A robot as URDF text, with all digits and the words of :mod:`sim.world.robots.urdf_words`.

Joints that URDF has no type for become hinges with massless links between them: two for a universal
joint, each with the drive of its axis, three about x, y and z for a ball. What is left out is
listed by `urdf_losses`.
"""

from collections.abc import Iterator, Mapping
from typing import Final
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.bodies import PlacedBody, placed_bodies
from sim.world.robots.body import BodyShape, LinkMesh, Numbers
from sim.world.robots.dh import pose_of
from sim.world.robots.losses import Loss
from sim.world.robots.model import (
    AXES,
    NOWHERE,
    AxisBounds,
    JointType,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.rotations import rpy_of
from sim.world.robots.shapes import SIZES
from sim.world.robots.tree import rotation_of
from sim.world.robots.urdf_words import (
    BALL_AXES,
    CLOSING,
    INERTIA,
    PARTS,
    UNBOUNDED_M,
    UNKNOWN,
    VERSION,
    WORLD,
)
from sim.world.robots.xml_writer import add, document

Array = NDArray[np.float64]

DEFAULT_COLOUR: Final = RobotLink(0, ()).colour


def write_urdf(robot: Robot) -> str:
    """Write the URDF of a robot; what it cannot express is left out (`urdf_losses`)."""
    return document(_Writer(robot).root)


def urdf_losses(robot: Robot) -> Iterator[Loss]:
    """List each value that URDF does not have."""
    if robot.gravity_m_s2 is not None:
        yield Loss("robot", "gravity_m_s2", robot.gravity_m_s2, "URDF has no gravity")
    if robot.own_contacts:
        yield Loss("robot", "own_contacts", True, "URDF does not say it")
    for link in robot.links:
        if link.density_kg_m3:
            reason = "its mass and inertia are written instead"
            yield Loss(f"link {link.number}", "density_kg_m3", link.density_kg_m3, reason)
        bare = link.visual is None and link.shape is BodyShape.NONE
        if bare and link.colour != DEFAULT_COLOUR:
            yield Loss(f"link {link.number}", "colour", link.colour, "there is nothing to be seen")
    for joint in robot.joints:
        for field in ("start", "limits", "friction", "damping", "armature"):
            if joint.closes and (value := getattr(joint, field)):
                reason = "a joint that closes a loop has points and an axis only"
                yield Loss(f"joint {joint.number}", field, value, reason)
        if _is_split(joint):
            reason = "joints in a row, with links of nothing between, stand for it"
            yield Loss(f"joint {joint.number}", "type", joint.type.value, reason)
            if joint.start is not None:
                yield Loss(f"joint {joint.number}", "start", joint.start, reason)
    for index, sensor in enumerate(robot.sensors):
        reason = "URDF has no sensors"
        yield Loss(f"sensor {index + 1}", "kind", sensor.kind.value, reason)


class _Writer:
    """Writer of one robot."""

    def __init__(self, robot: Robot) -> None:
        capsules = any(
            BodyShape.CAPSULE in (one.shape, one.visual and one.visual.shape) for one in robot.links
        )
        self.root = Element("robot", {"name": robot.name})
        if capsules:
            self.root.set("version", VERSION)
        self._drives = {
            (drive.joint, max(drive.axis_number - 1, 0)): drive for drive in robot.drives
        }
        machine = robot.machine
        self._bounds = {one.joint: one for one in (machine.joints if machine else ())}
        self._names = _Names({WORLD}), _Names(set())
        of_links, of_joints = self._names
        self._links = {
            one.number: of_links.free(one.name or f"link{one.number}") for one in robot.links
        }
        self._joints = {
            one.number: of_joints.free(one.name or f"joint{one.number}") for one in robot.joints
        }
        self._dh = {link.number: link.dh for link in robot.links}
        bodies = placed_bodies(robot)
        if any(_is_placed(joint, self._dh) for joint in robot.joints):
            add(self.root, "link", name=WORLD)
            self._links[NOWHERE] = WORLD
        for link in robot.links:
            self._link(link, bodies[link.number])
        for joint in robot.joints:
            if joint.closes:
                self._loop(joint)
            elif joint.parent != NOWHERE or NOWHERE in self._links:
                self._joint(joint)
        if machine is not None:
            corners = machine.box_m and (*machine.box_m[0], *machine.box_m[1])
            add(self.root, "machine", box=corners, own_bodies=machine.own_bodies or None)

    def _numbered(
        self, tag: str, row: RobotLink | RobotJoint, name: str, **attributes: object
    ) -> Element:
        label = None if name == row.name else row.name
        return add(self.root, tag, name=name, number=row.number, label=label, **attributes)

    def _link(self, link: RobotLink, body: PlacedBody) -> None:
        element = self._numbered("link", link, self._links[link.number])
        if body.mass.mass_kg > 0.0:
            inertial = add(element, "inertial")
            add(inertial, "origin", xyz=body.mass.centre_m)
            add(inertial, "mass", value=body.mass.mass_kg)
            tensor = body.mass.inertia_kg_m2
            entries = (*np.diag(tensor), tensor[0, 1], tensor[0, 2], tensor[1, 2])
            add(inertial, "inertia", **dict(zip(INERTIA, map(float, entries), strict=True)))
        seen = link.visual
        if seen is None:
            shown = (body.shape, body.size_m, body.position_m, body.rotation, body.mesh)
        else:
            shown = (seen.shape, seen.size_m, np.array(seen.position_m),
                     rotation_of(seen.quaternion), seen.mesh)  # fmt: skip
        if shown[0] is not BodyShape.NONE:
            visual = _geometry(element, "visual", *shown)
            material = add(visual, "material", name=f"{self._links[link.number]}_colour")
            add(material, "color", rgba=(*link.colour, 1.0))
        if body.shape is not BodyShape.NONE:
            _geometry(element, "collision", body.shape, body.size_m, body.position_m, body.rotation,
                      body.mesh)  # fmt: skip

    def _joint(self, joint: RobotJoint) -> None:
        """Write the elements of a joint of the tree, or of an end."""
        name, place = self._joints[joint.number], np.eye(4)
        parent = self._links[joint.parent]
        if joint.type is JointType.END:
            place[:3, 3] = joint.at_parent_m or ()
            child = self._between(f"{name}_end")
        else:
            place, child = pose_of(self._dh[joint.child]), self._links[joint.child]
        parts = _parts(joint)
        for index, (axis, kind) in enumerate(parts[:-1]):
            between = self._between(f"{child}_{index + 1}")
            part = add(
                self.root, "joint", name=self._names[1].free(f"{name}_{index + 1}"), type=kind
            )
            _ends(part, place, parent, between)
            self._moves(part, joint, axis, index)
            place, parent = np.eye(4), between
        whole = joint.type.value if joint.type in (*PARTS, JointType.END) else None
        cone = joint.limits[0][1] if joint.type is JointType.BALL and joint.limits else None
        start = None if _is_split(joint) else joint.start
        axis, kind = parts[-1]
        last = self._numbered("joint", joint, name, type=kind, kind=whole, limit=cone, start=start)
        _ends(last, place, parent, child)
        self._moves(last, joint, axis, len(parts) - 1)

    def _between(self, name: str) -> str:
        """Write an empty link."""
        found = self._names[0].free(name)
        add(self.root, "link", name=found)
        return found

    def _moves(self, element: Element, joint: RobotJoint, axis: Numbers, index: int) -> None:
        """Write axis, limits, friction and drive of one of the joints that make one of ours."""
        if axis:
            add(element, "axis", xyz=axis)
        drive, bounds = self._drives.get((joint.number, index)), self._bounds.get(joint.number)
        if AXES.get(joint.type):
            limits = joint.limits[index] if joint.limits else None
            limited = None
            if limits is None and element.get("type") == "prismatic":
                limits, limited = (-UNBOUNDED_M, UNBOUNDED_M), False
            least, greatest = limits or (None, None)
            effort, speed = _efforts(drive, bounds)
            if limits or effort or speed:
                add(element, "limit", lower=least, upper=greatest, effort=effort, velocity=speed,
                    limited=limited)  # fmt: skip
        if joint.friction or joint.damping or joint.armature:
            add(element, "dynamics", damping=joint.damping, friction=joint.friction,
                armature=joint.armature or None)  # fmt: skip
        if joint.mimic is not None:
            add(element, "mimic", joint=self._joints[joint.mimic.joint],
                multiplier=joint.mimic.ratio, offset=joint.mimic.offset)  # fmt: skip
        if drive is not None:
            add(element, "drive", control=drive.control, effort=drive.effort_max,
                speed=drive.speed_max, gain=drive.speed_gain)  # fmt: skip
        if bounds is not None:
            add(element, "bounds", speed=bounds.speed, acceleration=bounds.acceleration,
                effort=bounds.effort)  # fmt: skip

    def _loop(self, joint: RobotJoint) -> None:
        words = {kind: word for word, kind in CLOSING.items()}
        name = self._joints[joint.number]
        element = self._numbered("loop_joint", joint, name, type=words[joint.type])
        for side, link, at in (("parent", joint.parent, joint.at_parent_m),
                               ("child", joint.child, joint.at_child_m)):  # fmt: skip
            add(element, side, link=self._links[link], xyz=at)
        if joint.axis:
            add(element, "axis", xyz=joint.axis)


class _Names:
    """Names that are taken."""

    def __init__(self, taken: set[str]) -> None:
        self._taken = taken

    def free(self, name: str) -> str:
        """Reserve this name, or one like it that is free."""
        found, count = name, 1
        while found in self._taken:
            count += 1
            found = f"{name}_{count}"
        self._taken.add(found)
        return found


def _is_placed(joint: RobotJoint, dh: Mapping[int, Numbers]) -> bool:
    """Whether a joint bears the base otherwise than fixed and in the world's own frame."""
    at_rest = joint.type is JointType.FIXED and not joint.name
    return joint.parent == NOWHERE and not (at_rest and not any(dh[joint.child]))


def _parts(joint: RobotJoint) -> list[tuple[Numbers, str]]:
    """Axis and type of the joints that make one of ours."""
    if joint.type is JointType.FREE:
        return [((), "floating")]
    if joint.type is JointType.BALL:
        return [(axis, "continuous") for axis in BALL_AXES]
    words = {"hinge": "revolute" if joint.limits else "continuous", "slide": "prismatic"}
    return [(axis, words[kind]) for kind, axis in joint.motions] or [(joint.axis, "fixed")]


def _is_split(joint: RobotJoint) -> bool:
    """Whether joints in a row stand for it that nothing makes one again."""
    return len(_parts(joint)) > 1 and joint.type not in PARTS


def _efforts(drive: RobotDrive | None, bounds: AxisBounds | None) -> tuple[float, float]:
    """Greatest effort and velocity, `UNKNOWN` where no such limit is known."""
    efforts = (bounds and bounds.effort, drive and drive.effort_max)
    speeds = (bounds and bounds.speed, drive and drive.speed_max)
    return tuple(min(filter(None, pair), default=UNKNOWN) for pair in (efforts, speeds))  # type: ignore[return-value]


def _ends(element: Element, place: Array, parent: str, child: str) -> None:
    _origin(element, place[:3, 3], place[:3, :3])
    add(element, "parent", link=parent)
    add(element, "child", link=child)


def _geometry(
    link: Element,
    tag: str,
    shape: BodyShape,
    size_m: Numbers,
    position_m: Array,
    rotation: Array,
    mesh: LinkMesh | None,
) -> Element:
    """Write the visible body of a link, or the one that touches others."""
    element = add(link, tag)
    _origin(element, position_m, rotation)
    geometry = add(element, "geometry")
    if shape is BodyShape.BOX:
        add(geometry, "box", size=size_m)
    elif mesh is not None:
        mesh_node = add(geometry, "mesh", filename=mesh.file, scale=mesh.scale)
        for part in mesh.parts if tag == "collision" else ():
            add(mesh_node, "part", filename=part)
    else:
        add(geometry, shape.value, **dict(zip(SIZES[shape], size_m, strict=True)))
    return element


def _origin(element: Element, position_m: Array, rotation: Array) -> None:
    add(element, "origin", xyz=position_m, rpy=rpy_of(rotation))
