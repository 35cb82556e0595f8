"""Edits of robots, as a person makes them in a document, and any number of random ones."""

from dataclasses import replace

import numpy as np

from sim.world.robots.body import BodyShape
from sim.world.robots.model import JointType, Robot, RobotDrive, RobotJoint, RobotLink
from sim.world.robots.tree import spanning_tree


def longer(robot: Robot, number: int, factor: float) -> Robot:
    """All ways in the D-H numbers of a link's frame by a factor: the link before it is longer."""
    return _with_link(robot, number, lambda one: replace(one, dh=tuple(
        value * factor if index % 2 else value for index, value in enumerate(one.dh))))  # fmt: skip


def without_last(robot: Robot) -> Robot:
    """Without the last link that carries nothing, its joint, drive and end."""
    number = spanning_tree(robot).links[-1].number
    gone = {one.number for one in robot.joints if number in (one.parent, one.child)}
    links = tuple(
        replace(one, leaving=tuple(out for out in one.leaving if out not in gone))
        for one in robot.links if one.number != number
    )  # fmt: skip
    return replace(
        robot, links=links, joints=tuple(one for one in robot.joints if one.number not in gone),
        drives=tuple(one for one in robot.drives if one.joint not in gone),
    )  # fmt: skip


def with_link(robot: Robot, on: int, control="torque", kind=JointType.HINGE) -> Robot:
    """A link more, driven, on another one."""
    number = max(one.number for one in robot.links) + 1
    joint = max(one.number for one in robot.joints) + 1
    link = RobotLink(number, (0.0, 0.1, 0.0, 0.05), shape=BodyShape.SPHERE, size_m=(0.03,),
                     density_kg_m3=800.0)  # fmt: skip
    robot = _with_link(robot, on, lambda one: replace(one, leaving=(*one.leaving, joint)))
    moves = RobotJoint(joint, kind, (0.0, 1.0, 0.0), on, number, start=(0.1,), damping=0.1,
                       armature=0.05)  # fmt: skip
    drive = RobotDrive(joint, control, 40.0, 3.0, 20.0)
    return replace(robot, links=(*robot.links, link), joints=(*robot.joints, moves),
                   drives=(*robot.drives, drive))  # fmt: skip


def retyped(robot: Robot, number: int, kind: JointType) -> Robot:
    """A joint of another type, where it rests."""
    return _with_joint(robot, number, lambda one: replace(one, type=kind, start=None, limits=()))


def moved_closing(robot: Robot, index: int, by_m) -> Robot:
    """A joint that closes a loop, moved on its second link."""
    number = [one.number for one in robot.joints if one.closes][index]
    return _with_joint(robot, number, lambda one: replace(
        one, at_child_m=tuple(np.add(one.at_child_m, by_m).tolist())))  # fmt: skip


def randomly(robot: Robot, rng: np.random.Generator) -> Robot:
    """One edit of any kind; what it makes may be refused."""
    moving = [one.number for one in robot.joints
              if one.type in (JointType.HINGE, JointType.SLIDE) and not one.closes]  # fmt: skip
    links = [one.number for one in robot.links]
    closes = [one for one in robot.joints if one.closes]
    match int(rng.integers(9)):
        case 0:
            return longer(robot, int(rng.choice(links)), float(rng.uniform(0.5, 1.5)))
        case 1:
            return with_link(robot, int(rng.choice(links)))
        case 2 if len(links) > 3:
            return without_last(robot)
        case 3:
            kind = JointType(rng.choice(["hinge", "slide", "ball", "universal", "fixed"]))
            return retyped(robot, int(rng.choice(moving)), kind)
        case 4 if closes:
            way = rng.normal(scale=0.01, size=3)
            return moved_closing(robot, int(rng.integers(len(closes))), way)
        case 5:
            return _with_joint(robot, int(rng.choice(moving)), lambda one: replace(
                one, axis=tuple(rng.normal(size=3).tolist()), damping=rng.random()))  # fmt: skip
        case 6:
            return _with_link(robot, int(rng.choice(links)), lambda one: replace(
                one, density_kg_m3=float(rng.choice([-1.0, 0.0, 300.0, 5000.0]))))  # fmt: skip
        case 7:
            low, high = np.sort(rng.uniform(-2.0, 2.0, 2)).tolist()
            return _with_joint(robot, int(rng.choice(moving)),
                               lambda one: replace(one, limits=((low, high),)))  # fmt: skip
        case _:
            factor = float(rng.uniform(0.3, 2.0))
            return _with_link(robot, int(rng.choice(links)), lambda one: replace(
                one, size_m=tuple(value * factor for value in one.size_m)))  # fmt: skip


def _with_link(robot, number, change):
    links = tuple(change(one) if one.number == number else one for one in robot.links)
    return replace(robot, links=links)


def _with_joint(robot, number, change):
    joints = tuple(change(one) if one.number == number else one for one in robot.joints)
    return replace(robot, joints=joints)
