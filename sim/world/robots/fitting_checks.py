"""Whether drives, sensors and the bounds of a machine fit the joints and links of a robot."""

from collections.abc import Iterator
from typing import Final

from sim.world.robots.faults import Finding
from sim.world.robots.model import JointType, Robot, RobotDrive
from sim.world.robots.sensor_checks import sensor_findings
from sim.world.robots.tree import drivers_of
from sim.world.robots.value_checks import NOT_FINITE, finite

DRIVEN: Final = (JointType.HINGE, JointType.SLIDE)
"""Types of joint that a drive can move."""


def fitting_findings(robot: Robot) -> Iterator[Finding]:
    """What is wrong with what moves, measures and bounds a robot."""
    moved = {joint.number for joint in drivers_of(robot).values() if joint.type in DRIVEN}
    yield from _drives(robot, moved)
    yield from sensor_findings(robot)
    yield from _machine(robot, moved)


def _drives(robot: Robot, moved: set[int]) -> Iterator[Finding]:
    driven: set[int] = set()
    for index, drive in enumerate(robot.drives):
        subject = f"drive {index + 1}"
        if drive.joint not in moved:
            right = "a hinge or slide that closes no loop"
            problem = "no joint that a drive can move"
            yield Finding(("drive", index, "joint"), subject, drive.joint, problem, right)
        elif drive.joint in driven:
            problem = "another drive moves this joint"
            yield Finding(("drive", index, "joint"), subject, drive.joint, problem, "one drive")
        driven.add(drive.joint)
        for field, problem in _of_drive(drive):
            right = f"above 0 for control by {drive.control}"
            value = getattr(drive, field)
            yield Finding(("drive", index, field), subject, value, problem, right)


def _of_drive(drive: RobotDrive) -> Iterator[tuple[str, str]]:
    """Field and problem."""
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
