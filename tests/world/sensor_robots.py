"""Small robots with sensors, and their readings."""

import numpy as np

from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.sensor_measurement import MeasuredValues
from sim.world.engine.world import World
from sim.world.robots.body import BodyPlace, BodyShape, LinkInertia
from sim.world.robots.model import JointType, Robot, RobotDrive, RobotJoint, RobotLink
from sim.world.robots.robot_checks import checked
from sim.world.robots.sensors import RobotSensor
from sim.world.sensors.distances import ReadingRows
from sim.world.sensors.sensor_signals import sensor_signals

FLAT = (0.0, 0.0, 0.0, 0.0)
G = 9.81


def block(*sensors: RobotSensor, kind=JointType.FREE, half_m=0.1, at_m=0.1, mass_kg=2.0) -> Robot:
    """A cube on nothing, its centre at some height over the origin."""
    edge = 2.0 * half_m
    link = RobotLink(0, FLAT, shape=BodyShape.BOX, size_m=(edge, edge, edge), mass_kg=mass_kg,
                     place=BodyPlace((0.0, 0.0, 0.0)))  # fmt: skip
    start = (0.0, 0.0, at_m, 1.0, 0.0, 0.0, 0.0) if kind is JointType.FREE else None
    base = RobotJoint(0, kind, (), -1, 0, start=start)
    return checked(Robot((link,), (base,), sensors=sensors))


def pendulum(
    *sensors: RobotSensor, kind=JointType.HINGE, axis=(0.0, 1.0, 0.0), centre_m=(0.0, 0.0, -0.5),
    drives=True, **joint,
) -> Robot:  # fmt: skip
    """2 kg on one joint; a torque drive on a hinge or slide."""
    inertia = LinkInertia(2.0, centre_m, (0.02, 0.03, 0.04, 0.0, 0.0, 0.0))
    links = (RobotLink(0, FLAT, (1,)), RobotLink(1, FLAT, inertia=inertia))
    joints = (RobotJoint(0, JointType.FIXED, (), -1, 0), RobotJoint(1, kind, axis, 0, 1, **joint))
    driven = drives and kind in (JointType.HINGE, JointType.SLIDE)
    moved = (RobotDrive(1, "torque", 100.0),) if driven else ()
    return checked(Robot(links, joints, drives=moved, sensors=sensors))


def world_of(robot: Robot, pose=None, **stepping) -> World:
    placed = PlacedRobot(robot) if pose is None else PlacedRobot(robot, pose=pose)
    return World(model_text([placed], Stepping(**stepping)))


def measured(world: World, robot: int = 0) -> dict[str, np.ndarray]:
    """Values without defects, by the names of their signals."""
    document = world.robots[robot].placed.robot
    values = ReadingRows(document).reading(MeasuredValues(world.robots[robot]).now())
    signals = sensor_signals(document)
    assert sum(one.count for one in signals) == len(values)
    return {one.name: values[one.at] for one in signals}
