"""D-H rows of a robot's chain: their product, by plain matrices, is the pose of its tool."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from robot_documents import generated, shipped_text
from scipy.spatial.transform import Rotation

from sim.world.motion.chain import Chain, ChainError
from sim.world.motion.chain_rows import dh_rows, rotation_from_z
from sim.world.robots.model import JointType, Mimic, RobotDrive
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.tree import spanning_tree


def document(name):
    return read_toml(shipped_text(name, "toml"), name)


def product(rows, q):
    """Homogeneous matrices of the four numbers of each row, multiplied one after another."""
    whole, angles = np.eye(4), iter(q)
    for theta, d, a, alpha, turns in rows:
        turn, twist = np.eye(4), np.eye(4)
        about = theta + (next(angles) if turns else 0.0)
        turn[:3, :3] = Rotation.from_euler("z", about).as_matrix()
        twist[:3, :3] = Rotation.from_euler("x", alpha).as_matrix()
        twist[:3, 3] = a, 0.0, d
        whole = whole @ turn @ twist
    return whole


@pytest.mark.parametrize("name", ["robot_a", "robot_b", "seven_r"])
def test_rows_of_a_shipped_robot_are_the_pose_of_its_tool(name):
    chain, draw = Chain(spanning_tree(document(name))), np.random.default_rng(3)
    rows = dh_rows(chain)
    assert [row[4] for row in rows] == [0.0, *[1.0] * len(chain.joints), 0.0]
    for q in draw.uniform(-3.0, 3.0, (50, len(chain.joints))):
        np.testing.assert_allclose(product(rows, q), chain.pose(q), atol=1e-9)


def test_rows_of_any_chain_of_hinges_are_its_pose():
    """Axes any way, frames any way; joints that are driven all turn, each for itself."""
    found = 0
    for seed in range(400):
        robot, draw = generated(seed, links_max=9, loops_max=0), np.random.default_rng(seed)
        joints = tuple(replace(one, mimic=None) for one in robot.joints)
        drives = tuple(RobotDrive(one.number, "torque", 1.0) for one in joints
                       if one.type is JointType.HINGE)  # fmt: skip
        try:
            chain = Chain(spanning_tree(replace(robot, joints=joints, drives=drives)))
            rows = dh_rows(chain)
        except ChainError:
            continue
        found += 1
        for q in draw.uniform(-3.0, 3.0, (5, len(chain.joints))):
            np.testing.assert_allclose(product(rows, q), chain.pose(q), atol=1e-7)
    assert found > 100


@given(st.tuples(*[st.floats(-1.0, 1.0)] * 3).filter(lambda one: np.linalg.norm(one) > 1e-3))
def test_z_is_turned_onto_any_axis(axis):
    unit = np.array(axis) / np.linalg.norm(axis)
    pose = rotation_from_z(unit)
    np.testing.assert_allclose(pose[:3, 2], unit, atol=1e-12)
    np.testing.assert_allclose(pose[:3, :3] @ pose[:3, :3].T, np.eye(3), atol=1e-12)
    assert np.linalg.det(pose[:3, :3]) == pytest.approx(1.0)
    for exact in ((0.0, 0.0, 1.0), (0.0, 0.0, -1.0)):
        np.testing.assert_array_equal(rotation_from_z(np.array(exact))[:3, 2], exact)


def led(robot, number, **changes):
    """The chain of a robot with one joint changed."""
    joints = tuple(replace(one, **changes) if one.number == number else one for one in robot.joints)
    follows = {one.number for one in joints if one.mimic is not None}
    drives = tuple(one for one in robot.drives if one.joint not in follows)
    return Chain(spanning_tree(replace(robot, joints=joints, drives=drives)))


def test_chains_that_are_no_rows_are_refused_with_the_reason():
    robot = document("robot_a")
    last = robot.drives[-1].joint
    for chain, why in (
        (led(robot, 3, type=JointType.SLIDE), "a joint of the chain slides"),
        (led(replace(robot, drives=robot.drives[::-1]), last), "not in the order of its joints"),
        (led(robot, last, mimic=Mimic(robot.drives[0].joint, 0.5, 0.0)), "not in the order"),
        (led(replace(robot, drives=robot.drives[:1]), last), ""),
    ):
        if why:
            with pytest.raises(ChainError, match=why):
                dh_rows(chain)
        else:
            assert [row[4] for row in dh_rows(chain)] == [0.0, 1.0, 0.0]
