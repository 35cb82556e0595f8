"""A robot of a document as elements of MJCF: bodies, joints, loops, drives.

Coordinates are those of the document: a free joint is three slides and a ball, as it moves in the
axes of its link, wherever the link before it is. Joints that close loops tie sites of two links
where the document has its points; the second point of a hinge, and the axes of a fixed joint, are
taken where the robot starts, its loops closed.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from sim.world.engine.mjcf_meshes import MeshAssets, is_plain
from sim.world.engine.mjcf_text import place
from sim.world.robots.bodies import PlacedBody, placed_bodies
from sim.world.robots.body import BodyShape, LinkVisual, Numbers, Triple
from sim.world.robots.dh import pose_of
from sim.world.robots.driven_universals import with_hinges
from sim.world.robots.loops import closed_loops
from sim.world.robots.model import NOWHERE, JointType, Robot, RobotDrive, RobotJoint, RobotLink
from sim.world.robots.rotations import quaternion_of
from sim.world.robots.tree import spanning_tree, unit
from sim.world.robots.xml_writer import add

Array = NDArray[np.float64]

HINGE_ARM_M: Final = 0.05
"""Distance from the first to the second point that ties a hinge which closes a loop."""
TIE_IMPEDANCE: Final = (0.999, 0.9999, 0.0001, 0.5, 2.0)
"""``solimp`` of ties: 7 µm at the median under ±1 g, where (.9, .95, .001, .5, 2) leaves 27 µm."""
TIE_STEPS: Final = 2.0
"""Time constant of ties in steps, the least that is stable."""
MASSLESS: Final = 1e-13
"""Mass [kg] and moment [kg m2] of a moving link that has none; the engine asks for 1e-15."""
SLACK: Final = 1e-9
"""Tolerance of moments of inertia, in parts of the greatest: as documents are judged."""
EVERYTHING: Final = 0x7FFFFFFF
"""Contact bits of all that may touch: 1 of bodies, 2 and more of robots."""
SLIDES: Final = ("x", "y", "z")
"""Suffixes of a free joint's slides; its ball has the joint's own name."""


@dataclass(frozen=True, slots=True)
class MjcfParts:
    """Sections of a model's text to which robots and bodies add their elements."""

    world: Element
    """Element ``worldbody``."""
    equality: Element
    """Element of ties of loops and of joints that follow others."""
    actuator: Element
    """Element of the drives."""
    sensor: Element
    """Element of the sensors."""
    contact: Element
    """Element of pairs of bodies that do not touch."""
    meshes: MeshAssets
    """Meshes of the links."""


@dataclass(frozen=True, slots=True)
class PlacedRobot:
    """Robot placed in a world."""

    robot: Robot
    """Document of the robot, checked; universal joints that are driven are two hinges."""
    prefix: str = ""
    """Prefix of the names of its elements, so that two robots may have the same numbers."""
    pose: Array = field(default_factory=lambda: np.eye(4))
    """Pose of its base, before the D-H frame of the base itself, shape (4, 4)."""
    group: int = 0
    """Group among the world's robots, 0 to 29; links of one robot do not touch each other."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "robot", with_hinges(self.robot))

    @property
    def contact_bit(self) -> int:
        """Contact bit of its group."""
        return 2 << self.group


def joint_names(joint: RobotJoint, prefix: str = "") -> tuple[str, ...]:
    """Names of the engine's joints for one joint of a document, in the order of its coordinates."""
    name = f"{prefix}j{joint.number}"
    kinds = [kind for kind, _ in joint.motions]
    if kinds[-1:] == ["ball"]:
        return *(f"{name}{axis}" for axis, _ in zip(SLIDES, kinds[:-1], strict=False)), name
    return (
        (name,) if len(kinds) == 1 else tuple(f"{name}{'abcdef'[at]}" for at in range(len(kinds)))
    )


def link_name(number: int, prefix: str = "") -> str:
    """Name of the engine's body of a link."""
    return f"{prefix}l{number}"


def geom_name(number: int, prefix: str = "") -> str:
    """Name of the engine's shape of a link, which touches others."""
    return f"{prefix}g{number}"


def end_name(joint: RobotJoint, prefix: str = "") -> str:
    """Name of the engine's site of an end."""
    return f"{prefix}e{joint.number}"


def add_robot(
    parts: MjcfParts, placed: PlacedRobot, step_s: float, bearer: Element | None = None
) -> dict[int, Numbers]:
    """Add a robot's elements.

    Args:
        step_s: of the engine, which bounds how stiff ties can be.
        bearer: the body that bears it; None for the world.

    Returns:
        Coordinates of every joint of its tree where it starts, its loops closed, by joint.
    """
    robot, tree = placed.robot, spanning_tree(placed.robot)
    start = closed_loops(tree).coordinates if tree.loops else tree.coordinates({})
    bodies = placed_bodies(robot)
    elements: dict[int, Element] = {NOWHERE: parts.world if bearer is None else bearer}
    for link in tree.links:
        joint = tree.drivers[link.number]
        elements[link.number] = _body(elements[joint.parent], placed, link, joint, bodies)
        _geoms(elements[link.number], parts.meshes, placed, link, bodies[link.number])
    for end in tree.ends:
        at = end.at_parent_m or (0.0, 0.0, 0.0)
        add(elements[end.parent], "site", name=end_name(end, placed.prefix), pos=at)
    poses = tree.poses(start)
    for loop in tree.loops:
        _tie(parts.equality, placed.prefix, elements, loop, poses, step_s)
    for joint in tree.drivers.values():
        _follow(parts.equality, placed.prefix, joint, step_s)
    kinds = {joint.number: joint for joint in tree.drivers.values()}
    for drive in robot.drives:
        _drive(parts.actuator, placed.prefix, drive, kinds[drive.joint])
    return start


def _body(
    parent: Element,
    placed: PlacedRobot,
    link: RobotLink,
    joint: RobotJoint,
    bodies: Mapping[int, PlacedBody],
) -> Element:
    """Add a link with the joint that moves it and its shapes."""
    rest = pose_of(link.dh)
    pose = placed.pose @ rest if joint.parent == NOWHERE else rest
    body = add(parent, "body", name=link_name(link.number, placed.prefix), **place(pose))
    what = bodies[link.number]
    for each in joint_attributes(joint, placed.prefix):
        add(body, "joint", **each)
    if what.mass.mass_kg > 0.0:
        add(body, "inertial", pos=what.mass.centre_m, mass=what.mass.mass_kg,
            **engine_moments(what.mass.inertia_kg_m2))  # fmt: skip
    elif joint.type not in (JointType.FIXED, JointType.END):
        add(body, "inertial", pos=(0.0, 0.0, 0.0), mass=MASSLESS, diaginertia=(MASSLESS,) * 3)
    return body


def engine_moments(tensor: Array) -> dict[str, Numbers]:
    """Adjust an inertia to pass the engine's checks after rounding: A + B > C, all above 0.

    What is nearer to the bounds than `SLACK` of the greatest moment is moved off by as little; a
    mass at a point, which the engine takes of links that are fixed to others, stays one.
    """
    least, middle, greatest = np.linalg.eigvalsh(tensor).tolist()
    if greatest == 0.0:
        return {"diaginertia": (0.0, 0.0, 0.0)}
    slack = max(SLACK * greatest, MASSLESS)
    more = max(0.0, slack - min(least, least + middle - greatest))
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = tensor.tolist()
    return {"fullinertia": (xx + more, yy + more, zz + more, xy, xz, yz)}


def _geoms(
    body: Element, meshes: MeshAssets, placed: PlacedRobot, link: RobotLink, what: PlacedBody
) -> None:
    """Add the shape that touches others, and the visible one if it differs."""
    own, seen = placed.contact_bit, link.visual
    if seen is None and what.mesh is not None and not is_plain(what.mesh):
        centre, turned = _triple(what.position_m), quaternion_of(what.rotation)
        seen = LinkVisual(BodyShape.MESH, (), centre, turned, what.mesh)
    if what.shape is not BodyShape.NONE:
        forms = [{"mesh": name} for name in meshes.touched(what.mesh)] if what.mesh else [{}]
        for index, form in enumerate(forms):
            add(body, "geom", name=f"{geom_name(link.number, placed.prefix)}{_more(index)}",
                type=what.shape.value, **form, size=half_sizes(what.shape, what.size_m) or None,
                pos=what.position_m, quat=quaternion_of(what.rotation),
                rgba=(*link.colour, 1.0 if seen is None else 0.0),
                contype=own, conaffinity=EVERYTHING & ~own)  # fmt: skip
    if seen is not None and seen.shape is not BodyShape.NONE:
        for index, appearance in enumerate(_appearance(meshes, seen, link.colour)):
            add(body, "geom", name=f"{placed.prefix}v{link.number}{_more(index)}",
                type=seen.shape.value, pos=seen.position_m, quat=seen.quaternion, **appearance,
                contype=0, conaffinity=0)  # fmt: skip


def _appearance(meshes: MeshAssets, seen: LinkVisual, colour: Triple) -> list[dict[str, object]]:
    """Form and colour of each visible body of a link."""
    if seen.mesh is None:
        return [{"size": half_sizes(seen.shape, seen.size_m), "rgba": (*colour, 1.0)}]
    return [
        {"mesh": mesh, "material": appearance}
        for mesh, appearance in meshes.seen(seen.mesh, colour)
    ]


def _triple(values: Array) -> Triple:
    x, y, z = values.tolist()
    return x, y, z


def _more(index: int) -> str:
    """Suffix of a link's second body and those after it."""
    return f"_{index}" if index else ""


def half_sizes(shape: BodyShape, size_m: Numbers) -> tuple[float, ...]:
    """Convert to the engine's sizes: half of a box's edges, radius and half of a length."""
    match shape:
        case BodyShape.BOX:
            return tuple(0.5 * edge for edge in size_m)
        case BodyShape.CYLINDER | BodyShape.CAPSULE:
            return size_m[0], 0.5 * size_m[1]
        case _:
            return size_m


def joint_attributes(joint: RobotJoint, prefix: str) -> Iterator[dict[str, object]]:
    """Attributes of the engine's joints for one of a document."""
    limits: Sequence[tuple[float, float] | None] = (*joint.limits, None, None, None, None)
    names = joint_names(joint, prefix)
    for name, (kind, axis), bounds in zip(names, joint.motions, limits, strict=False):
        yield {
            "name": name,
            "type": kind,
            "axis": unit(axis) if axis else None,
            "limited": bounds is not None,
            "range": bounds,
            "damping": joint.damping or None,
            "frictionloss": joint.friction or None,
            "armature": joint.armature or None,
        }


def _tie(
    equality: Element,
    prefix: str,
    bodies: Mapping[int, Element],
    loop: RobotJoint,
    poses: Mapping[int, Array],
    step_s: float,
) -> None:
    """Close a loop by sites at its points on both links."""
    turned = poses[loop.parent][:3, :3].T @ poses[loop.child][:3, :3]
    at_parent, at_child = np.array(loop.at_parent_m), np.array(loop.at_child_m)
    pairs = [(at_parent, at_child)]
    if loop.type is JointType.HINGE:
        arm = HINGE_ARM_M * unit(loop.axis)
        pairs.append((at_parent + turned @ arm, at_child + arm))
    tag = "weld" if loop.type is JointType.FIXED else "connect"
    for index, (first, second) in enumerate(pairs):
        names = [f"{prefix}c{loop.number}{side}{index or ''}" for side in "pn"]
        axes = quaternion_of(turned) if tag == "weld" else None
        add(bodies[loop.parent], "site", name=names[0], pos=first, quat=axes)
        add(bodies[loop.child], "site", name=names[1], pos=second)
        add(equality, tag, name=f"{prefix}c{loop.number}{index or ''}", site1=names[0],
            site2=names[1], solref=(TIE_STEPS * step_s, 1.0), solimp=TIE_IMPEDANCE)  # fmt: skip


def _follow(equality: Element, prefix: str, joint: RobotJoint, step_s: float) -> None:
    """Keep a joint at its ratio to another one."""
    if joint.mimic is None:
        return
    add(equality, "joint", name=f"{prefix}m{joint.number}", joint1=f"{prefix}j{joint.number}",
        joint2=f"{prefix}j{joint.mimic.joint}",
        polycoef=(joint.mimic.offset, joint.mimic.ratio, 0.0, 0.0, 0.0),
        solref=(TIE_STEPS * step_s, 1.0), solimp=TIE_IMPEDANCE)  # fmt: skip


def _drive(actuator: Element, prefix: str, drive: RobotDrive, joint: RobotJoint) -> None:
    """Add the drive of a joint; torques and speeds as they are, voltages from -1 to 1.

    A motor's torque is ``M_s (U - ω / ω_idle)``: eq. (3) of Strashnov and Mikhaylyuk (2019).
    """
    name, effort = f"{prefix}d{drive.joint}", drive.effort_max
    gain, bias, command = 1.0, None, (-effort, effort)
    if drive.control == "speed":
        gain, command = drive.speed_gain or 0.0, None
        bias = (0.0, 0.0, -gain)
    elif drive.control == "voltage":
        gain, command = effort, (-1.0, 1.0)
        bias = (0.0, 0.0, -effort / (drive.speed_max or 1.0))
    force = (-effort, effort) if drive.control == "speed" else None
    add(actuator, "general", name=name, joint=f"{prefix}j{joint.number}", gainprm=(gain,),
        biastype=bias and "affine", biasprm=bias, ctrllimited=command is not None,
        ctrlrange=command, forcelimited=force is not None, forcerange=force)  # fmt: skip
