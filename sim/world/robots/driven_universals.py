"""Universal joints that drives move, as two hinges each, which is what moves a robot.

A drive names a joint, and of a universal joint one of its axes. The hinge about the first axis
keeps the number of the joint; that about the second, and the link without a body between them, have
the number of the joint and of its link plus `SECOND`. The motion is the same: both axes lie in the
frame of the link, the second is carried by the first.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from sim.world.robots.model import AxisBounds, JointType, Robot, RobotDrive, RobotJoint, RobotLink

SECOND: Final = 10_000
"""Difference from the number of a universal joint to that of the hinge about its second axis."""
_STILL: Final = (0.0, 0.0, 0.0, 0.0)


def driven_universals(robot: Robot) -> frozenset[int]:
    """Numbers of the universal joints that a drive moves."""
    driven = {drive.joint for drive in robot.drives if drive.axis_number}
    kinds = {joint.number: joint.type for joint in robot.joints}
    return frozenset(one for one in driven if kinds.get(one) is JointType.UNIVERSAL)


def with_hinges(robot: Robot) -> Robot:
    """Copy of a checked robot with two hinges for each universal joint that a drive moves.

    A robot without such joints is returned as it is.
    """
    universal = driven_universals(robot)
    if not universal:
        return robot
    links = {link.number: link for link in robot.links}
    joints, between = list[RobotJoint](), list[RobotLink]()
    for joint in robot.joints:
        if joint.number not in universal:
            joints.append(joint)
            continue
        first, second = _hinges(joint)
        joints += [first, second]
        link = links[joint.child]
        between.append(RobotLink(link.number + SECOND, link.dh, (second.number,)))
        links[link.number] = replace(link, dh=_STILL)
    sensors = tuple(
        replace(one, joints=tuple(_numbers(one.joints, universal))) for one in robot.sensors
    )
    machine = robot.machine
    if machine is not None:
        machine = replace(machine, joints=tuple(_bounds(machine.joints, universal)))
    drives = tuple(_drive(one) for one in robot.drives)
    return replace(
        robot, links=(*links.values(), *between), joints=tuple(joints), drives=drives,
        sensors=sensors, machine=machine,
    )  # fmt: skip


def _hinges(joint: RobotJoint) -> tuple[RobotJoint, RobotJoint]:
    """Hinges about the first and the second axis of a universal joint."""
    middle = joint.child + SECOND
    starts = [None, None] if joint.start is None else [(one,) for one in joint.start]
    limits = [(one,) for one in joint.limits] or [(), ()]
    first = replace(
        joint, type=JointType.HINGE, axis=joint.axis[:3], child=middle, start=starts[0],
        limits=limits[0],
    )  # fmt: skip
    second = replace(
        joint, number=joint.number + SECOND, type=JointType.HINGE, axis=joint.axis[3:],
        parent=middle, start=starts[1], limits=limits[1],
        name=f"{joint.name}_second" if joint.name else "",
    )  # fmt: skip
    return first, second


def _drive(drive: RobotDrive) -> RobotDrive:
    """Drive of a hinge, in place of an axis."""
    more = SECOND if drive.axis_number == 2 else 0
    return replace(drive, joint=drive.joint + more, axis_number=0)


def _numbers(joints: tuple[int, ...], universal: frozenset[int]) -> Iterator[int]:
    """Numbers of joints with both hinges of each that was a universal one."""
    for number in joints:
        yield number
        if number in universal:
            yield number + SECOND


def _bounds(bounds: tuple[AxisBounds, ...], universal: frozenset[int]) -> Iterator[AxisBounds]:
    """Bounds of joints, of a universal one for each of its axes."""
    for one in bounds:
        yield one
        if one.joint in universal:
            yield replace(one, joint=one.joint + SECOND)
