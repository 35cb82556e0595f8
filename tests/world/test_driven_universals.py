"""Drives on universal joints: two hinges move as the joint does, in documents and the engine."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from robot_documents import shipped_text

from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.motion.chain import Chain
from sim.world.robots.driven_universals import SECOND, with_hinges
from sim.world.robots.faults import RobotDocumentError
from sim.world.robots.model import AxisBounds, JointType, MachineBounds
from sim.world.robots.robot_checks import checked
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.sensors import RobotSensor, SensorKind
from sim.world.robots.tree import spanning_tree
from sim.world.robots.urdf_reader import read_urdf
from sim.world.robots.urdf_writer import write_urdf
from sim.world.scenes.model import Stepping

ARM = """
name = "arm"
link = [
    { number = 0, dh = { alpha_rad = 0, d_m = 0, theta_rad = 0, r_m = 0 }, leaving = [1], shape = "sphere", size_m = [0.05], mass_kg = 1.0, place = { position_m = [0, 0, 0] } },
    { number = 1, dh = { alpha_rad = 0.3, d_m = 0.1, theta_rad = 0.5, r_m = 0.2 }, leaving = [2], shape = "capsule", size_m = [0.03], mass_kg = 1.0 },
    { number = 2, dh = { alpha_rad = -0.7, d_m = 0.2, theta_rad = 0.1, r_m = 0.3 }, leaving = [3], shape = "box", size_m = [0.05, 0.03, 0.1], mass_kg = 0.7, place = { position_m = [0.1, 0.02, 0.03] } },
]
joint = [
    { number = 0, type = "fixed", parent = -1, child = 0 },
    { number = 1, type = "universal", name = "root", axis = [1, 0, 0.2, 0, 1, 0], parent = 0, child = 1, start_rad = [0.1, -0.2], limits_rad = [[-0.5, 0.6], [-0.7, 0.8]], damping_nm_s = 0.1, armature_kg_m2 = 0.01 },
    { number = 2, type = "universal", axis = [0, 0, 1, 1, 0, 0], parent = 1, child = 2, start_rad = [0.3, 0.1] },
    { number = 3, type = "end", axis = [0, 0, 1], parent = 2, child = -1, at_parent_m = [0.2, 0, 0] },
]
drive = [
    { joint = 1, axis = 1, control = "torque", effort_max_nm = 60 },
    { joint = 1, axis = 2, control = "torque", effort_max_nm = 50 },
    { joint = 2, axis = 2, control = "torque", effort_max_nm = 40 },
]
"""  # noqa: E501  a line of a table is a line
ANGLE = st.floats(-1.0, 1.0)


def arm():
    return read_toml(ARM, "arm.toml")


@given(angles=st.lists(ANGLE, min_size=4, max_size=4))
def test_the_hinges_put_every_link_where_the_joint_does(angles):
    robot = arm()
    whole = spanning_tree(robot).poses({1: tuple(angles[:2]), 2: tuple(angles[2:])})
    hinges = {1: angles[0], 1 + SECOND: angles[1], 2: angles[2], 2 + SECOND: angles[3]}
    apart = spanning_tree(with_hinges(robot)).poses({n: (q,) for n, q in hinges.items()})
    for link in (0, 1, 2):
        np.testing.assert_allclose(apart[link], whole[link], atol=1e-12)


def test_the_engine_swings_both_alike():
    robot = arm()
    bare = replace(robot, drives=())
    assert {joint.type for joint in bare.joints} == {"fixed", "universal", "end"}
    worlds = [
        World(model_text([PlacedRobot(one)], Stepping(0.0005, "RK4"))) for one in (bare, robot)
    ]
    for _ in range(1000):
        for world in worlds:
            world.step()
    for link in (1, 2):
        one, other = (world.robots[0].pose(link) for world in worlds)
        np.testing.assert_allclose(one, other, atol=1e-7)
        assert np.abs(one - worlds[0].robots[0].pose(0)).max() > 0.1
    assert worlds[1].robots[0].positions().shape == (3,)


def test_drives_limits_sensors_and_bounds_go_with_their_axis():
    sensors = (RobotSensor(SensorKind.JOINT_ANGLE, joints=(2, 1)),)
    machine = MachineBounds((AxisBounds(1, speed=2.0),))
    robot = with_hinges(checked(replace(arm(), sensors=sensors, machine=machine)))
    assert [one.joint for one in robot.drives] == [1, 1 + SECOND, 2 + SECOND]
    assert [one.effort_max for one in robot.drives] == [60.0, 50.0, 40.0]
    joints = {joint.number: joint for joint in robot.joints}
    first, second = joints[1], joints[1 + SECOND]
    assert (first.start, first.limits, first.axis) == ((0.1,), ((-0.5, 0.6),), (1.0, 0.0, 0.2))
    assert (second.start, second.limits, second.axis) == ((-0.2,), ((-0.7, 0.8),), (0, 1, 0))
    assert second.damping == first.damping == 0.1
    assert {joint.type for joint in joints.values()} == {"fixed", "hinge", "end"}
    assert robot.sensors[0].joints == (2, 2 + SECOND, 1, 1 + SECOND)
    assert robot.machine is not None
    assert [(one.joint, one.speed) for one in robot.machine.joints] == [(1, 2.0), (1 + SECOND, 2.0)]
    assert with_hinges(robot) is robot
    assert Chain(spanning_tree(arm())).joints == (1, 1 + SECOND, 2 + SECOND)
    checked(robot)


def test_a_document_keeps_its_universal_joints():
    again = read_toml(write_toml(arm(), whole=True), "arm.toml")
    assert again == arm()
    assert [one.axis_number for one in again.drives] == [1, 2, 2]
    assert again.joints[1].type is JointType.UNIVERSAL


@pytest.mark.parametrize("axes", [(1, 2), (1,), (2,)])
def test_urdf_keeps_each_drive_with_its_axis(axes):
    robot = arm()
    machine = MachineBounds((AxisBounds(1, speed=2.0),))
    drives = tuple(one for one in robot.drives if one.joint != 1 or one.axis_number in axes)
    again = read_urdf(write_urdf(replace(robot, drives=drives, machine=machine)), "arm.urdf")[0]
    assert again.drives == drives
    assert again.machine == machine
    for joint, other in zip(again.joints, robot.joints, strict=True):
        assert (joint.type, joint.axis, joint.start) == (other.type, other.axis, other.start)
        assert joint.limits == other.limits


def test_hinges_of_urdf_that_others_changed_keep_their_drives():
    text = write_urdf(arm())
    at = text.index("<mass ")
    part = '<link name="link1_1" />'
    assert part in text
    heavy = f'<link name="link1_1"><inertial>{text[at : text.index("</inertial>", at)]}'
    robot, losses = read_urdf(text.replace(part, f"{heavy}</inertial></link>"), "arm.urdf")
    assert [one.field for one in losses] == ["kind"]
    kinds = {joint.number: joint.type for joint in robot.joints}
    hinges = [one for one in robot.drives if kinds[one.joint] is JointType.HINGE]
    assert [one.effort_max for one in hinges] == [60.0, 50.0]
    assert [one.effort_max for one in robot.drives if one.axis_number] == [40.0]


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        ("axis = 1, control", "control", "no axis of joint 1 that a drive can move"),
        ("axis = 1, control", "axis = 3, control", "1 or 2 of a universal joint"),
        ("axis = 1, control", "axis = 2, control", "another drive moves this joint"),
        ("number = 2, dh", "number = 10001, dh", "is there, which its second axis makes"),
    ],
)
def test_a_drive_of_no_axis_is_refused(old, new, words):
    text = ARM.replace(old, new, 1)
    if "10001" in new:
        text = text.replace("parent = 1, child = 2", "parent = 1, child = 10001")
        text = text.replace("parent = 2, child = -1", "parent = 10001, child = -1")
    with pytest.raises(RobotDocumentError) as refused:
        read_toml(text, "arm.toml")
    assert words in str(refused.value)


def test_an_axis_of_a_hinge_is_refused():
    text = shipped_text("robot_a", "toml").replace("[[drive]]\n", "[[drive]]\naxis = 1\n", 1)
    with pytest.raises(RobotDocumentError, match="leave it out"):
        read_toml(text, "robot_a.toml")
