"""Joints of URDF, one by one: type, place, limits, friction, drive and bounds."""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.body import Numbers
from sim.world.robots.model import AXES, REST, AxisBounds, JointType, Mimic, RobotDrive
from sim.world.robots.named_parts import NamedJoint
from sim.world.robots.urdf_words import CLOSING, PARTS, TYPES, UNBOUNDED_M, UNKNOWN
from sim.world.robots.value_checks import NUMBER_MAX
from sim.world.robots.xml_nodes import XmlNode, named
from sim.world.robots.xml_values import XmlValues, is_beyond

Array = NDArray[np.float64]

KINDS: Final = {one.value: one for one in (*PARTS, JointType.END)}
"""Types of ours that stand beside the type of URDF."""
UNLIMITED: Final = "left out or equal, as exporters write what they do not know: it has no limits"
"""Why a joint whose type asks for limits has none."""


def read_joint(values: XmlValues, node: XmlNode) -> NamedJoint:
    """A joint of the tree; a planar one is a slide along its first axis (`axes_of_plane`)."""
    word = values.word(node, "type", {**TYPES, "planar": None})
    kind = TYPES.get(word, JointType.SLIDE if word == "planar" else JointType.FIXED)
    name = values.name(node)
    joint = NamedJoint(node, name, name, kind, _end(values, node, "parent"),
                      _end(values, node, "child"), values.place(node),
                       number=values.own_number(node))  # fmt: skip
    if (label := node.get("label")) is not None:
        joint.label = label
    axis = node.one("axis")
    if AXES.get(kind) or axis is not None:
        joint.axis = values.numbers(axis, "xyz", (1.0, 0.0, 0.0))
    if (whole := node.get("kind")) is not None and whole not in KINDS:
        values.fault(node, whole, "kind: no such word", f"one of {', '.join(KINDS)}")
    rest = REST[KINDS.get(joint.kind, kind)]
    joint.start = values.numbers(node, "start", rest) if node.get("start") is not None else None
    if word == "planar":
        reason = "it is two slides and a hinge, with links of nothing between"
        values.losses.append(node.loss("type", word, reason))
        for one in [one for one in node.children if one.tag in ("limit", "dynamics", "mimic")]:
            values.losses.append(one.loss(f"<{one.tag}>", None, "it is of one axis", _of(joint)))
            node.take(one, whole=True)
        return joint
    _read_dynamics(values, joint)
    _read_limits(values, joint, word)
    _read_mimic(values, joint)
    _read_drive(values, joint)
    return joint


def read_loop(values: XmlValues, node: XmlNode) -> NamedJoint:
    """A joint that closes a loop."""
    kind = CLOSING.get(values.word(node, "type", CLOSING), JointType.FIXED)
    name, label = values.name(node), node.get("label")
    points = tuple(
        values.numbers(node.one(side), "xyz", (0.0, 0.0, 0.0)) for side in ("parent", "child")
    )
    joint = NamedJoint(node, name, name if label is None else label, kind,
                      _end(values, node, "parent"), _end(values, node, "child"), np.eye(4),
                      points=(points[0], points[1]), number=values.own_number(node))  # fmt: skip
    if (axis := node.one("axis")) is not None or kind is JointType.HINGE:
        joint.axis = values.numbers(axis, "xyz", (1.0, 0.0, 0.0))
    return joint


def _end(values: XmlValues, joint: XmlNode, side: str) -> str:
    if (node := joint.one(side)) is None:
        values.fault(joint, None, f"{named(joint)} has no <{side}>", f'<{side} link="..."/>')
        return ""
    return values.word(node, "link")


def _read_dynamics(values: XmlValues, joint: NamedJoint) -> None:
    node = joint.node.one("dynamics")
    found = [values.number(node, one, 0.0) for one in ("damping", "friction", "armature")]
    if not REST[joint.type] and any(found) and node is not None:
        values.losses.append(node.loss("dynamics", tuple(found), "it does not move", _of(joint)))
    elif REST[joint.type]:
        joint.damping, joint.friction, joint.armature = found


def _read_limits(values: XmlValues, joint: NamedJoint, word: str) -> None:
    node = joint.node.one("limit")
    if joint.type not in (JointType.HINGE, JointType.SLIDE):
        if joint.kind != "end" and node is not None:
            _untaken(values, joint, node, "such a joint has no limits")
        cone = values.some(joint.node, "limit")
        joint.limits = () if cone is None else ((0.0, cone),)
        return
    if (cone := values.some(joint.node, "limit")) is not None:
        joint.limits = ((0.0, cone),)  # of a ball, whose last hinge this is
    if node is None:
        if word in ("revolute", "prismatic"):
            values.losses.append(joint.node.loss("<limit>", None, UNLIMITED, _of(joint)))
        return
    effort, speed = (_bound(values, joint, node, one) for one in ("effort", "velocity"))
    if effort:
        joint.drive = RobotDrive(0, "torque", effort)
    if speed:
        joint.bounds = AxisBounds(0, speed=speed)
    if word == "continuous" or node.get("limited") == "false":
        for name in ("lower", "upper"):
            node.get(name)  # the type says that they do not count
        return
    if not {"lower", "upper"} & node.attributes.keys() and node.unknown("limited"):
        values.absent(node, "upper")
        return
    joint.limits = _range(values, joint, node)


def _range(values: XmlValues, joint: NamedJoint, node: XmlNode) -> tuple[tuple[float, float], ...]:
    """Least and greatest; none where they are left out, equal, or beyond `NUMBER_MAX`.

    Exporters write all three for what they do not know; the engine reads a range of equal ends as
    none (its XML reference, joint/limited), and so does this.
    """
    ends = [node.get(name) for name in ("lower", "upper")]
    if all(word is not None and is_beyond(word) for word in ends):
        reason = f"beyond {NUMBER_MAX:g}: the joint has no limits"
        values.losses.append(node.loss("limit", " … ".join(map(str, ends)), reason, _of(joint)))
        return ()
    far = math.tau if joint.type is JointType.HINGE else UNBOUNDED_M
    for name, word in zip(("lower", "upper"), ends, strict=True):
        if word is not None and is_beyond(word):
            reason = f"beyond {NUMBER_MAX:g}: {far:.9g} stands instead"
            values.losses.append(node.loss(name, word, reason, _of(joint)))
    found = [
        values.number(node, name, 0.0) if word is None or not is_beyond(word) else end
        for name, word, end in zip(("lower", "upper"), ends, (-far, far), strict=True)
    ]
    least, greatest = found
    if least == greatest:
        limit = None if ends == [None, None] else (least, greatest)
        values.losses.append(node.loss("limit", limit, UNLIMITED, _of(joint)))
        return ()
    if joint.type is JointType.HINGE and max(-least, greatest) > math.tau:
        reason = "more than a turn either way, as angles are in rad: a turn stands instead"
        values.losses.append(node.loss("limit", (least, greatest), reason, _of(joint)))
        least, greatest = max(least, -math.tau), min(greatest, math.tau)
    return ((least, greatest),)


def _bound(values: XmlValues, joint: NamedJoint, node: XmlNode, name: str) -> float:
    """Greatest effort or velocity; 0 where none is known, or one beyond `NUMBER_MAX` is told."""
    word = node.get(name)
    if word is None or not is_beyond(word):
        if (found := values.number(node, name, UNKNOWN)) < 0.0:
            right = "above 0, or 0 where none is known"
            values.fault(node, found, f"{_of(joint)} {name}: below 0", right)
            return UNKNOWN
        return found
    reason = f"beyond {NUMBER_MAX:g}: no bound is known"
    values.losses.append(node.loss(name, word, reason, _of(joint)))
    return UNKNOWN


def _read_mimic(values: XmlValues, joint: NamedJoint) -> None:
    if (node := joint.node.one("mimic")) is None:
        return
    ratio, offset = values.number(node, "multiplier", 1.0), values.number(node, "offset", 0.0)
    joint.leader, joint.mimic = values.word(node, "joint"), Mimic(0, ratio, offset)


def _read_drive(values: XmlValues, joint: NamedJoint) -> None:
    """Ours, which count before what ``<limit>`` says of effort and velocity."""
    drive, bounds = joint.node.one("drive"), joint.node.one("bounds")
    if drive is not None:
        controls = {"speed": None, "torque": None, "voltage": None}
        control = values.word(drive, "control", controls)
        joint.drive = RobotDrive(
            0,
            "speed" if control == "speed" else "voltage" if control == "voltage" else "torque",
            values.needed(drive, "effort"),
            values.some(drive, "speed"),
            values.some(drive, "gain"),
        )
    elif bounds is not None:
        joint.drive = None
    if bounds is not None:
        found = [values.some(bounds, one) for one in ("speed", "acceleration", "effort")]
        joint.bounds = AxisBounds(0, *found)
    elif drive is not None:
        joint.bounds = None


def _untaken(values: XmlValues, joint: NamedJoint, node: XmlNode, reason: str) -> None:
    for name in sorted(node.attributes):
        values.losses.append(node.loss(name, node.get(name), reason, _of(joint)))


def _of(joint: NamedJoint) -> str:
    return named(joint.node)


def axes_of_plane(normal: Numbers) -> tuple[Numbers, Numbers]:
    """Two directions that span a plane, right-handed with its normal; x and y for z."""
    z = np.array(normal) / np.linalg.norm(normal)
    x = np.eye(3)[0] if abs(z[0]) < 0.9 else np.eye(3)[1]
    x = x - (x @ z) * z
    x /= np.linalg.norm(x)
    return tuple(x.tolist()), tuple(np.cross(z, x).tolist())
