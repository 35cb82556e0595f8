"""Robots for the tests: those that are shipped, and any number of generated ones."""

import math
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np

from hil.config.file_search import configs_dir
from sim.world.robots.body import BodyPlace, BodyShape, LinkInertia
from sim.world.robots.model import (
    REST,
    AxisBounds,
    JointType,
    MachineBounds,
    Mimic,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.sensor_checks import value_counts
from sim.world.robots.sensor_values import measured_joints
from sim.world.robots.sensors import (
    KEYS,
    OF_JOINTS,
    UNITS,
    RobotSensor,
    SensorKind,
    ValueDefects,
)
from sim.world.robots.text import read_text
from sim.world.robots.tree import spanning_tree

SHIPPED = ("robot_a", "robot_b", "four_bar")
MOVING = (JointType.HINGE, JointType.SLIDE, JointType.UNIVERSAL, JointType.BALL, JointType.FIXED)
SIZES = {
    BodyShape.BOX: 3, BodyShape.CYLINDER: 2, BodyShape.CAPSULE: 2, BodyShape.SPHERE: 1,
}  # fmt: skip


def shipped_path(name: str, ending: str = "txt") -> Path:
    return configs_dir() / "world" / "robots" / f"{name}.{ending}"


def shipped_text(name: str, ending: str = "txt") -> str:
    return shipped_path(name, ending).read_text(encoding="utf-8")


def shipped(name: str) -> Robot:
    return read_text(shipped_text(name), name)


def generated(seed: int, links_max: int = 20, loops_max: int = 3) -> Robot:
    """A robot that is right: a tree of every joint and shape, with loops closed where it starts."""
    rng = np.random.default_rng(seed)
    count = int(rng.integers(1, links_max + 1))
    links, joints = [_link(rng, 0)], [_base(rng)]
    for number in range(1, count + 1):
        links.append(_link(rng, number))
        parent = int(rng.integers(0, number))
        joints.append(_joint(rng, number, parent, number))
    if joints[0].type is JointType.FIXED and rng.random() < 0.2:
        joints[-1] = replace(joints[-1], type=JointType.FREE, axis=(), parent=0)
    end = (float(rng.normal()), 0.0, 0.1)
    joints.append(RobotJoint(count + 1, JointType.END, (0.0, 0.0, 1.0), count, -1, end))
    poses = spanning_tree(Robot(tuple(links), tuple(joints))).poses()
    for number in range(count + 2, count + 2 + int(rng.integers(0, loops_max + 1))):
        parent, child = (int(one) for one in rng.choice(count + 1, 2, replace=False))
        joints.append(_closing(rng, number, parent, child, poses))
    robot = Robot(tuple(links), tuple(joints))
    return replace(robot, links=tuple(replace(one, leaving=_leaving(robot, one)) for one in links))


def any_axis(rng: np.random.Generator) -> tuple[float, ...]:
    return tuple(rng.normal(size=3).tolist())


def _leaving(robot: Robot, link: RobotLink) -> tuple[int, ...]:
    found = [joint.number for joint in robot.joints if joint.parent == link.number]
    return tuple(reversed(found))


def _base(rng: np.random.Generator) -> RobotJoint:
    kind = JointType.FREE if rng.random() < 0.3 else JointType.FIXED
    return RobotJoint(0, kind, (), -1, 0)


def _link(rng: np.random.Generator, number: int) -> RobotLink:
    shape = BodyShape(rng.choice([*SIZES]))
    angles, ways = rng.uniform(-math.pi, math.pi, 3), rng.uniform(-0.5, 0.5, 3)
    six = [value for pair in zip(angles.tolist(), ways.tolist(), strict=True) for value in pair]
    return RobotLink(
        number,
        tuple(six if rng.random() < 0.5 else six[2:]),
        shape=shape,
        size_m=tuple(rng.uniform(0.01, 0.2, SIZES[shape]).tolist()),
        colour=tuple(rng.uniform(size=3).tolist()),
        density_kg_m3=float(rng.uniform(100.0, 8000.0)),
    )


def _joint(rng: np.random.Generator, number: int, parent: int, child: int) -> RobotJoint:
    kind = JointType(rng.choice([*MOVING]))
    axis = any_axis(rng) if kind in (JointType.HINGE, JointType.SLIDE) else ()
    if kind is JointType.UNIVERSAL:
        first, other = np.array(any_axis(rng)), np.array(any_axis(rng))
        axis = (*first.tolist(), *np.cross(first, other).tolist())
    return RobotJoint(number, kind, axis, parent, child)


def _closing(rng, number, parent, child, poses) -> RobotJoint:
    kind = JointType(rng.choice([JointType.HINGE, JointType.BALL, JointType.FIXED]))
    axis = any_axis(rng) if kind is JointType.HINGE else ()
    point = rng.uniform(-0.3, 0.3, 3)
    world = poses[parent][:3, :3] @ point + poses[parent][:3, 3]
    other = poses[child][:3, :3].T @ (world - poses[child][:3, 3])
    return RobotJoint(
        number, kind, axis, parent, child, tuple(point.tolist()), tuple(other.tolist())
    )


def coordinates(robot: Robot, seed: int) -> dict[int, tuple[float, ...]]:
    """Of every joint of the tree, anywhere."""
    rng = np.random.default_rng(seed)
    found = {}
    for joint in robot.joints:
        values = rng.uniform(-3.0, 3.0, len(REST[joint.type]))
        if joint.type in (JointType.BALL, JointType.FREE):
            values[-4:] /= np.linalg.norm(values[-4:])
        if not joint.closes and joint.type is not JointType.END:
            found[joint.number] = tuple(values.tolist())
    return found


def furnished(seed: int) -> Robot:
    """A generated robot with all that only TOML carries."""
    robot = generated(seed, links_max=8)
    rng = np.random.default_rng(seed + 7)
    links = tuple(_furnished_link(rng, link) for link in robot.links)
    joints = tuple(_furnished_joint(rng, joint) for joint in robot.joints)
    moved = [
        one for one in joints if one.type in (JointType.HINGE, JointType.SLIDE) and not one.closes
    ]
    for follower in moved[1:2]:
        offset = 0.0 if any(one.closes for one in joints) else 0.25
        own = replace(follower, mimic=Mimic(moved[0].number, float(rng.normal()), offset))
        joints = tuple(own if one.number == own.number else one for one in joints)
    drives = tuple(
        RobotDrive(one.number, control, 10.0 / 3.0, float(rng.uniform(1, 2)), 200.0)
        for one, control in zip(moved, ("speed", "torque", "voltage"), strict=False)
    )
    bounds = tuple(AxisBounds(one.number, float(rng.uniform(1, 2)), None, 5.0) for one in moved[:3])
    machine = MachineBounds(bounds, ((-1.0, -1.0, 0.0), (1.0, 1.0, 1.0 / 3.0)), own_bodies=True)
    robot = Robot(links, joints, "a [robot] # 1", drives, machine=machine)
    return replace(robot, sensors=tuple(some_sensors(robot, rng)))


def some_sensors(robot: Robot, rng: np.random.Generator) -> Iterator[RobotSensor]:
    """One of each kind, with all that it can have; those of joints only if there are any."""
    end = next(one.number for one in robot.joints if one.type is JointType.END)
    turned = rng.normal(size=4)
    turned /= np.linalg.norm(turned)
    place = BodyPlace(tuple(rng.normal(size=3).tolist()), tuple(turned.tolist()))
    own = {
        SensorKind.WRENCH: {"tool_mass_kg": 1.0 / 3.0, "tool_centre_m": (0.0, 0.1, 0.2)},
        SensorKind.TOUCH: {"shape": BodyShape.BOX, "size_m": (0.1, 0.2, 0.3)},
        SensorKind.RANGEFINDER: {
            "directions": ((1.0, 0.0, 0.0), (0.0, 1.0, 0.1)), "range_m": 10.0 / 3.0,
        },
        SensorKind.CAMERA: {"width_px": 320, "height_px": 200, "fov_rad": 1.1},
    }  # fmt: skip
    for kind in SensorKind:
        sensor = RobotSensor(kind, f"{kind}_{rng.integers(10)}", **own.get(kind, {}))
        if kind in OF_JOINTS:
            found = measured_joints(robot, sensor)
            if not found:
                continue
            if rng.random() < 0.5:
                sensor = replace(sensor, joints=tuple(one.number for one in found[:2]))
        elif "end" in KEYS[kind]:
            on_end = rng.random() < 0.5
            sensor = replace(
                sensor, end=end if on_end else None, link=None if on_end else 0, place=place
            )
        else:
            sensor = replace(sensor, link=0)
        if kind is SensorKind.CAMERA:
            yield sensor
            continue
        values = rng.uniform(0.01, 0.9, 8).tolist()
        defects = []
        for unit in UNITS[kind]:
            if count := value_counts(robot, sensor).get(unit):
                bias = rng.normal(size=count if rng.random() < 0.5 else 1)
                step = 0.0 if (kind, unit) == (SensorKind.LINK_POSE, "rad") else values[1]
                defects.append(ValueDefects(unit, values[0], tuple(bias.tolist()), step))
        yield replace(
            sensor, defects=tuple(defects), delay_s=values[2], rate_hz=100.0 / 3.0,
            cutoff_hz=values[3], dropout=values[4],
        )  # fmt: skip


def _furnished_link(rng: np.random.Generator, link: RobotLink) -> RobotLink:
    turned = rng.normal(size=4)
    turned /= np.linalg.norm(turned)
    place = BodyPlace((0.1, -0.2, 1.0 / 3.0), tuple(turned.tolist()))
    link = replace(link, name=f"link {link.number}", place=place)
    if rng.random() < 0.3:
        return replace(link, density_kg_m3=0.0, mass_kg=float(rng.uniform(1.0, 5.0)))
    if rng.random() < 0.3:
        told = LinkInertia(2.0, (0.1, 0.2, 0.3), (0.1, 0.11, 0.12, 0.01, 0.0, -0.01))
        return replace(link, density_kg_m3=0.0, inertia=told)
    return link


def _furnished_joint(rng: np.random.Generator, joint: RobotJoint) -> RobotJoint:
    joint = replace(joint, name=f"joint {joint.number}")
    count = len(REST[joint.type])
    if count == 0 or joint.closes or joint.type is JointType.FREE:
        return joint
    limits = ((-2.0, 2.0),) * count if joint.type is not JointType.BALL else ((0.0, 1.5),)
    values = rng.uniform(0.01, 1.0, 3).tolist()
    return replace(
        joint,
        start=REST[joint.type],
        limits=limits,
        friction=values[0],
        damping=values[1],
        armature=values[2],
    )
