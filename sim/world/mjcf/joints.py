"""Joints of a body, and which of them make one joint of a document."""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.mjcf.values import MjcfValues
from sim.world.robots.body import Numbers, Triple
from sim.world.robots.model import JointType
from sim.world.robots.shapes import Array as Array
from sim.world.robots.xml_nodes import XmlNode
from sim.world.robots.xml_values import triple

KINDS: Final = {
    "hinge": JointType.HINGE, "slide": JointType.SLIDE, "ball": JointType.BALL,
    "free": JointType.FREE,
}  # fmt: skip
"""Types of joint."""
MORE_THAN_A_TURN: Final = "more than a turn either way: a turn stands instead"
"""Why a hinge has other limits than its model."""
LEVEL: Final = 1e-9
"""Cosine of two axes below which they are perpendicular."""


@dataclass(frozen=True, slots=True)
class MjcfJoint:
    """A joint of a body."""

    node: XmlNode
    """Its element."""
    name: str
    """By which others know it."""
    type: JointType
    """Of ours."""
    axis: Numbers = ()
    """In the body's axes."""
    at_m: Triple = (0.0, 0.0, 0.0)
    """Where it is, in the body's frame."""
    limits: tuple[tuple[float, float], ...] = ()
    """From where the model has it."""
    friction: float = 0.0
    """As in `RobotJoint`."""
    damping: float = 0.0
    """As in `RobotJoint`."""
    armature: float = 0.0
    """As in `RobotJoint`."""
    refs: Numbers = (0.0,)
    """Of a hinge, slide or universal joint, the model's coordinates at its rest."""
    is_made: bool = False
    """Whether it moves freely by three slides and a ball."""


def read_joints(
    values: MjcfValues, body: str, nodes: list[tuple[XmlNode, NDArray[np.float64]]],
    asked_for: frozenset[str],
) -> list[MjcfJoint]:  # fmt: skip
    """The joints of a body, in their order, those that make one put together.

    Args:
        body: name of the body.
        nodes: elements, each with the frame around it.
        asked_for: names of joints that are driven or followed, and stay as they are.
    """
    found: list[MjcfJoint] = []
    for node, around in nodes:
        name = node.get("name") or f"{body}_joint{len(found) + 1}"
        if node.tag == "freejoint":
            found.append(MjcfJoint(node, name, JointType.FREE))
        else:
            found.append(_joint(values, node, name, around))
    return _together(found, asked_for)


def _joint(values: MjcfValues, node: XmlNode, name: str, around: Array) -> MjcfJoint:
    kind = JointType.HINGE
    if node.get("type") is not None:
        kind = KINDS.get(values.word(node, "type", KINDS), JointType.HINGE)
    axis = np.array(values.numbers(node, "axis", (0.0, 0.0, 1.0)))
    at = np.array(values.numbers(node, "pos", (0.0, 0.0, 0.0)))
    damping = values.listed(node, "damping", 3)
    if any(damping[1:]):
        reason = "joints are damped in proportion to their speed"
        values.losses.append(node.loss("damping", damping, reason))
    axes: Numbers = ()
    if kind in (JointType.HINGE, JointType.SLIDE):
        axes = tuple((around[:3, :3] @ axis).tolist())
    return MjcfJoint(
        node, name, kind, axes, triple(around[:3, :3] @ at + around[:3, 3]),
        _limits(values, node, kind), values.number(node, "frictionloss", 0.0),
        damping[0] if damping else 0.0, values.number(node, "armature", 0.0),
        (_ref(values, node, kind),),
    )  # fmt: skip


def _ref(values: MjcfValues, node: XmlNode, kind: JointType) -> float:
    """The model's coordinate where the document's is 0."""
    reference = values.number(node, "ref", 0.0)
    return values.angle(node, reference) if kind is JointType.HINGE else reference


def _limits(
    values: MjcfValues, node: XmlNode, kind: JointType
) -> tuple[tuple[float, float], ...]:  # fmt: skip
    """Of its axis, from where the model has it; of a ball its greatest angle."""
    bounds = values.listed(node, "range", 2)
    limited = node.get("limited") or "auto"
    is_bounded = limited == "true"
    if limited == "auto":
        is_bounded = (
            values.units_of(node).has_limits and bool(bounds) and kind is not JointType.FREE
        )
    if not is_bounded or len(bounds) != 2 or kind is JointType.FREE:
        return ()
    if bounds[0] == bounds[1] and limited == "auto":
        reason = "its ends are equal: it has no limits"
        values.losses.append(node.loss("range", bounds, reason))
        return ()
    if kind is JointType.SLIDE:
        return ((bounds[0] - _ref(values, node, kind), bounds[1] - _ref(values, node, kind)),)
    least, greatest = values.angle(node, bounds[0]), values.angle(node, bounds[1])
    if kind is JointType.BALL:
        return ((0.0, greatest),)
    zero = _ref(values, node, kind)
    least, greatest = least - zero, greatest - zero
    if max(-least, greatest) > math.tau * (1.0 + 1e-9):
        values.losses.append(node.loss("range", bounds, MORE_THAN_A_TURN))
        least, greatest = max(least, -math.tau), min(greatest, math.tau)
    return ((least, greatest),)


def _together(joints: list[MjcfJoint], asked_for: frozenset[str]) -> list[MjcfJoint]:
    """Three slides and a ball move freely, two hinges across each other are universal."""
    kinds = [one.type for one in joints]
    free = [JointType.SLIDE] * 3 + [JointType.BALL]
    if kinds == free and _is_free(joints) and not asked_for & {one.name for one in joints}:
        last = joints[-1]
        return [replace(last, type=JointType.FREE, axis=(), limits=(), is_made=True)]
    found: list[MjcfJoint] = []
    for joint in joints:
        before = found[-1] if found else None
        if (
            before is not None
            and not asked_for & {before.name, joint.name}
            and (_cross(before, joint))
        ):
            name = joint.name[:-1] if _is_pair(before.name, joint.name) else before.name
            found[-1] = replace(
                joint, name=name, type=JointType.UNIVERSAL, axis=(*before.axis, *joint.axis),
                limits=before.limits + joint.limits, refs=before.refs + joint.refs,
            )  # fmt: skip
        else:
            found.append(joint)
    return found


def _is_pair(one: str, other: str) -> bool:
    return len(other) > 1 and (one[-1:], other[-1:]) == ("a", "b") and one[:-1] == other[:-1]


def _is_free(joints: list[MjcfJoint]) -> bool:
    plain = all(not any((*one.at_m, one.friction, one.damping, one.armature, *one.limits))
                for one in joints)  # fmt: skip
    return plain and [one.axis for one in joints[:3]] == [tuple(row) for row in np.eye(3).tolist()]


def _cross(one: MjcfJoint, other: MjcfJoint) -> bool:
    """Whether two joints are the axes of a universal one."""
    if (one.type, other.type) != (JointType.HINGE, JointType.HINGE):
        return False
    same = ("at_m", "friction", "damping", "armature")
    if any(getattr(one, field) != getattr(other, field) for field in same):
        return False
    if bool(one.limits) != bool(other.limits):
        return False
    first, second = np.array(one.axis), np.array(other.axis)
    lengths = float(np.linalg.norm(first) * np.linalg.norm(second))
    return lengths > 0.0 and abs(float(first @ second)) <= LEVEL * lengths
