"""Actuators of joints as drives by torque, speed or voltage; what fits none of them is told."""

from typing import Final

from sim.world.mjcf.defaults import ACTUATORS
from sim.world.mjcf.values import MjcfValues
from sim.world.robots.body import Numbers
from sim.world.robots.model import JointType, RobotDrive
from sim.world.robots.named_parts import NamedJoint
from sim.world.robots.xml_nodes import XmlNode

PLAIN: Final = ("general", "motor", "velocity", "position", "damper")
"""Of those, that are read."""
UNTOLD: Final = (
    "its greatest effort is not told: forcerange, ctrlrange, or actuatorfrcrange of the joint"
)
"""Why an actuator is no drive."""
DRIVEN: Final = (JointType.HINGE, JointType.SLIDE)
"""Joints that a drive moves."""


def read_drives(values: MjcfValues, root: XmlNode, joints: list[NamedJoint]) -> None:
    """Give joints their drives."""
    known = {one.name: one for one in joints}
    for section in root.all("actuator"):
        for node in section.children:
            if node.tag not in ACTUATORS:
                continue
            section.take(node)
            node.get("name")
            reason = f"<{node.tag}> is no drive that is read: {', '.join(PLAIN[:4])}"
            joint = known.get(node.get("joint") or "")
            if node.tag in PLAIN and node.tag != "damper":
                reason = _why_not(node, joint)
            drive = None if reason or joint is None else _drive(values, node, joint.node)
            if drive is None or joint is None:
                reason = reason or UNTOLD
                values.losses.append(node.loss(f"<{node.tag}>", node.get("name"), reason))
                node.asked.update(node.attributes)
            else:
                joint.drive = drive
                joint.rank = 1 + max(one.rank for one in joints)


def joints_asked_for(root: XmlNode) -> frozenset[str]:
    """Names of joints that actuators drive, or that follow or lead others."""
    found: set[str] = set()
    for section in root.children:
        if section.tag in ("actuator", "equality"):
            for node in section.children:
                words = ("joint", "joint1", "joint2", "jointinparent")
                found.update(node.attributes[one] for one in words if one in node.attributes)
    return frozenset(found)


def _why_not(node: XmlNode, joint: NamedJoint | None) -> str:
    other = [one for one in ("jointinparent", "tendon", "site", "body", "cranksite", "refsite",
                             "slidersite") if one in node.attributes]  # fmt: skip
    if joint is None:
        return f"it moves by {other[0]}" if other else "it moves no joint that is there"
    if joint.type not in DRIVEN:
        return f"a {joint.type} joint has no drive"
    if joint.drive is not None:
        return "another one drives this joint"
    if node.tag != "general":  # it says by itself what its force is made of
        return ""
    if (node.get("dyntype") or "none") != "none":
        return "drives have no dynamics of their own"
    for name, usual in (("gaintype", ("fixed",)), ("biastype", ("none", "affine"))):
        if (found := node.get(name)) is not None and found not in usual:
            return f"{name} {found} is no drive's"
    return ""


def _drive(values: MjcfValues, node: XmlNode, joint: XmlNode) -> RobotDrive | None:
    """None if neither it nor its joint tells its greatest effort."""
    gear = (values.listed(node, "gear", 6) or (1.0,))[0]
    force, command = (_bounds(values, node, one) for one in ("force", "ctrl"))
    gain, bias = _law(values, node)
    efforts = (abs(gear) * force, _bounds(values, joint, "actuatorfrc"))
    effort_max = min((one for one in efforts if one), default=None)
    if node.tag == "position" or bias[1]:
        if effort_max is not None:
            reason = "a servo of positions is a drive by torque; a law gives its command"
            values.losses.append(node.loss(f"<{node.tag}>", node.get("name"), reason))
        return _by_torque(effort_max)
    if bias[2] == 0.0:
        by_command = abs(gain * gear) * command if command else None
        limits = [one for one in (effort_max, by_command) if one is not None]
        for name in ("forcerange", "ctrlrange"):
            least, greatest = (*values.listed(node, name, 2), 0.0, 0.0)[:2]
            if limits and least != -greatest:
                reason = "a drive acts as far both ways: by the greater of the two"
                values.losses.append(node.loss(name, (least, greatest), reason))
        return _by_torque(min(limits) if limits else None)
    slowing = -bias[2] * gear * gear
    if slowing <= 0.0:
        return None
    if gain * gear * gear == slowing and effort_max is not None:
        return RobotDrive(0, "speed", effort_max, speed_gain=slowing)
    if command:
        stalled = abs(gain * gear) * command
        return RobotDrive(0, "voltage", stalled, stalled / slowing)
    return None


def _by_torque(effort_max: float | None) -> RobotDrive | None:
    return RobotDrive(0, "torque", effort_max) if effort_max else None


def _law(values: MjcfValues, node: XmlNode) -> tuple[float, Numbers]:
    """Force per command, and its constant, per position, per speed."""
    match node.tag:
        case "motor":
            return 1.0, (0.0, 0.0, 0.0)
        case "velocity":
            gain = values.number(node, "kv", _gain(values, node))
            return gain, (0.0, 0.0, -gain)
        case "position":
            gain = values.number(node, "kp", _gain(values, node))
            return gain, (0.0, -gain, -values.number(node, "kv", 0.0))
        case _:
            gain = _gain(values, node)
            bias = (*values.listed(node, "biasprm", 10), 0.0, 0.0, 0.0)[:3]
            return gain, bias if node.get("biastype") == "affine" else (0.0, 0.0, 0.0)


def _gain(values: MjcfValues, node: XmlNode) -> float:
    """Of a ``general`` itself, or of one in the defaults."""
    return (values.listed(node, "gainprm", 10) or (1.0,))[0]


def _bounds(values: MjcfValues, node: XmlNode, what: str) -> float:
    """Greatest magnitude of force or command; 0 if it is not bounded."""
    range_given = values.listed(node, f"{what}range", 2)
    limited = node.get(f"{what}limited") or "auto"
    bounded = limited == "true" or (limited == "auto" and values.units_of(node).has_limits)
    return max(map(abs, range_given)) if bounded and len(range_given) == 2 else 0.0
