"""Checks of drives, sensors and the bounds of a machine against a robot's joints and links."""

from collections.abc import Iterator

from sim.world.robots.driven_universals import SECOND, driven_universals
from sim.world.robots.faults import Finding
from sim.world.robots.model import DRIVEN, JointType, Robot, RobotDrive
from sim.world.robots.sensor_checks import sensor_findings
from sim.world.robots.tree import drivers_of
from sim.world.robots.value_checks import NOT_FINITE, finite


def fitting_findings(robot: Robot) -> Iterator[Finding]:
    """Find what is wrong with a robot's drives, sensors and bounds."""
    moved = {joint.number for joint in drivers_of(robot).values() if joint.type in DRIVEN}
    turned = {
        joint.number for joint in drivers_of(robot).values() if joint.type is JointType.UNIVERSAL
    }
    yield from _drives(robot, moved, turned)
    yield from _numbers_of_axes(robot)
    yield from sensor_findings(robot)
    yield from _machine(robot, moved | driven_universals(robot))


def _drives(robot: Robot, moved: set[int], turned: set[int]) -> Iterator[Finding]:
    """Find drives of joints that none can move, or that another one moves.

    Args:
        moved: numbers of the hinges and slides.
        turned: numbers of the universal joints.
    """
    driven: set[tuple[int, int]] = set()
    for index, drive in enumerate(robot.drives):
        subject, own = f"drive {index + 1}", (drive.joint, drive.axis_number)
        axes = (1, 2) if drive.joint in turned else (0,)
        if drive.joint not in moved | turned:
            right = "a hinge, slide or axis of a universal joint that closes no loop"
            problem = "no joint that a drive can move"
            yield Finding(("drive", index, "joint"), subject, drive.joint, problem, right)
        elif drive.axis_number not in axes:
            right = "1 or 2 of a universal joint" if drive.joint in turned else "leave it out"
            problem = f"no axis of joint {drive.joint} that a drive can move"
            field = ("drive", index, "axis_number")
            yield Finding(field, subject, drive.axis_number, problem, right)
        elif own in driven:
            problem = "another drive moves this joint"
            yield Finding(("drive", index, "joint"), subject, drive.joint, problem, "one drive")
        driven.add(own)
        for field, problem in _of_drive(drive):
            right = f"above 0 for control by {drive.control}"
            value = getattr(drive, field)
            yield Finding(("drive", index, field), subject, value, problem, right)


def _numbers_of_axes(robot: Robot) -> Iterator[Finding]:
    """Find numbers that the hinge about a second axis, or the link before it, would have too."""
    links = {link.number for link in robot.links}
    joints = {joint.number: joint for joint in robot.joints}
    universal = driven_universals(robot)
    for index, drive in enumerate(robot.drives):
        if drive.joint not in universal:
            continue
        number, link = drive.joint + SECOND, joints[drive.joint].child + SECOND
        if number in joints or link in links:
            problem = f"joint {number} or link {link} is there, which its second axis makes"
            right = f"numbers below {SECOND}"
            yield Finding(("drive", index, "joint"), f"drive {index + 1}", drive.joint, problem,
                          right)  # fmt: skip


def _of_drive(drive: RobotDrive) -> Iterator[tuple[str, str]]:
    """List the field and problem of a drive."""
    asked = {"effort_max": True, "speed_max": drive.control == "voltage",
             "speed_gain": drive.control == "speed"}  # fmt: skip
    for field, is_asked in asked.items():
        value = getattr(drive, field)
        if value is None and is_asked:
            yield field, "not told"
        elif value is not None and not finite(value):
            yield field, NOT_FINITE[0]
        elif value is not None and value <= 0.0:
            yield field, "not above 0"


def _machine(robot: Robot, moved: set[int]) -> Iterator[Finding]:
    if robot.machine is None:
        return
    if robot.machine.box_m is not None:
        least, greatest = robot.machine.box_m
        corners_hold = all(low < high for low, high in zip(least, greatest, strict=True))
        if not finite(robot.machine.box_m) or not corners_hold:
            problem, right = "its corners span no box", "the least corner first, of finite numbers"
            key = ("machine", "box_m")
            yield Finding(key, "machine", robot.machine.box_m, problem, right)
    seen: set[int] = set()
    for index, bounds in enumerate(robot.machine.joints):
        key, subject = ("machine", "joint", index), f"machine joint {index + 1}"
        if bounds.joint not in moved or bounds.joint in seen:
            problem = "told twice" if bounds.joint in seen else "no joint that a drive can move"
            right = "each hinge or slide that closes no loop once"
            yield Finding((*key, "joint"), subject, bounds.joint, problem, right)
        seen.add(bounds.joint)
        for field in ("speed", "acceleration", "effort"):
            value = getattr(bounds, field)
            if value is not None and not (finite(value) and value > 0.0):
                right = "above 0, at most 1e12, or left out for no bound"
                yield Finding((*key, field), subject, value, "no bound", right)
