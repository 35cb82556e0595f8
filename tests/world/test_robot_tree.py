"""Where links are, judged by products of matrices that are made here from SciPy's rotations."""

import math
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from robot_documents import coordinates, generated, shipped
from scipy.spatial.transform import Rotation

from sim.world.robots import loops
from sim.world.robots.bodies import placed_bodies
from sim.world.robots.body import BodyPlace
from sim.world.robots.loops import CLOSED_M, closed_loops
from sim.world.robots.model import JointType, Mimic
from sim.world.robots.robot_checks import checked
from sim.world.robots.tree import spanning_tree

seeds = st.integers(0, 2**32 - 1)


def affine(rotation=None, position=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    pose[:3, :3] = np.eye(3) if rotation is None else rotation.as_matrix()
    pose[:3, 3] = position
    return pose


def of_dh(numbers):
    gamma, b, alpha, d, theta, r = (0.0,) * (6 - len(numbers)) + tuple(numbers)
    return (
        affine(Rotation.from_euler("z", gamma), (0, 0, b))
        @ affine(Rotation.from_euler("x", alpha), (d, 0, 0))
        @ affine(Rotation.from_euler("z", theta), (0, 0, r))
    )


def about(axis, angle):
    return Rotation.from_rotvec(angle * np.array(axis) / np.linalg.norm(axis))


def of_joint(joint, q):
    match joint.type:
        case JointType.HINGE:
            return affine(about(joint.axis, q[0]))
        case JointType.SLIDE:
            return affine(None, q[0] * np.array(joint.axis) / np.linalg.norm(joint.axis))
        case JointType.UNIVERSAL:
            return affine(about(joint.axis[:3], q[0]) * about(joint.axis[3:], q[1]))
        case JointType.BALL:
            return affine(Rotation.from_quat(q, scalar_first=True))
        case JointType.FREE:
            return affine(Rotation.from_quat(q[3:], scalar_first=True), q[:3])
    return np.eye(4)


def product(robot, number, q):
    """From the world to a link, joint by joint."""
    link = next(one for one in robot.links if one.number == number)
    joint = next(one for one in robot.joints if one.child == number and not one.closes)
    own = of_dh(link.dh) @ of_joint(joint, q[joint.number])
    return own if joint.parent == -1 else product(robot, joint.parent, q) @ own


@given(seeds)
def test_poses_are_the_product_of_dh_and_joints(seed):
    robot = generated(seed, links_max=60)
    q = coordinates(robot, seed + 1)
    poses = spanning_tree(robot).poses(q)
    assert poses.keys() == {link.number for link in robot.links}
    for number, pose in poses.items():
        assert np.abs(pose - product(robot, number, q)).max() < 1e-12


def test_a_hinge_about_z_adds_to_theta():
    robot = shipped("robot_a")
    q = dict(enumerate(np.radians([10.0, 20.0, -20.0, 30.0, 60.0, 5.0]).tolist(), start=1))
    wanted = np.eye(4)
    for link in robot.links:
        alpha, d, theta, r = link.dh
        wanted = wanted @ of_dh((alpha, d, theta + q.get(link.number, 0.0), r))
    found = spanning_tree(robot).poses({number: (value,) for number, value in q.items()})
    assert np.abs(found[6] - wanted).max() < 1e-14


def tool(name, degrees):
    tree = spanning_tree(shipped(name))
    q = {number: (math.radians(value),) for number, value in enumerate(degrees, start=1)}
    return tree.end_poses(tree.poses(q))[7][:3, 3]


def test_the_tool_of_robot_a_is_where_its_experiment_begins():
    assert (
        np.abs(tool("robot_a", (0, 20, -20, 30, 60, 0)) - [0.78101, 0.05196, 0.82985]).max() < 5e-6
    )


def test_the_line_of_robot_b_is_as_long_as_its_experiment_wants():
    before, after = (
        tool("robot_b", (0, 30, -10, 30, 70, 0)),
        tool("robot_b", (45, 30, -10, -15, 70, 0)),
    )
    assert np.abs(before - [1.078, 0.047, 0.7822]).max() < 5e-5
    assert np.abs(after - [0.7772, 0.7428, 0.7733]).max() < 5e-5
    assert np.linalg.norm(after - before) == pytest.approx(0.7581, abs=5e-5)


def test_a_joint_starts_where_it_is_told_and_followers_follow():
    robot = shipped("robot_a")
    joints = list(robot.joints)
    joints[2] = replace(joints[2], start=(0.4,))
    joints[3] = replace(joints[3], mimic=Mimic(2, -2.0, 0.1))
    tree = spanning_tree(checked(replace(robot, joints=tuple(joints))))
    assert tree.coordinates({})[2] == (0.4,)
    assert tree.coordinates({})[3] == (-2.0 * 0.4 + 0.1,)
    assert tree.coordinates({2: (1.0,)})[3] == (-1.9,)


@given(seeds)
def test_generated_robots_are_right_and_their_loops_closed(seed):
    robot = checked(generated(seed))
    found = closed_loops(spanning_tree(robot))
    assert len(found.gaps_m) == len(spanning_tree(robot).loops)
    assert found.gap_max_m < 1e-12


@given(seeds)
def test_loops_are_closed_again_from_elsewhere(seed):
    """Coordinates a little off: the least gap is found again, and points do meet there."""
    robot = generated(seed, links_max=8, loops_max=2)
    tree = spanning_tree(robot)
    rng = np.random.default_rng(seed)
    moved = [
        replace(one, start=(float(rng.normal(scale=0.02)),))
        if one.type in (JointType.HINGE, JointType.SLIDE) and not one.closes
        else one
        for one in robot.joints
    ]
    off = spanning_tree(replace(robot, joints=tuple(moved)))
    found = closed_loops(off)
    poses = tree.poses(found.coordinates)
    for loop in tree.loops:
        points = [
            poses[number] @ [*at, 1.0]
            for number, at in ((loop.parent, loop.at_parent_m), (loop.child, loop.at_child_m))
        ]
        gap = np.linalg.norm(points[0] - points[1])
        assert gap == pytest.approx(found.gaps_m[loop.number], abs=1e-12)
    assert found.gap_max_m < CLOSED_M


@given(seeds)
def test_gaps_change_with_freedoms_as_they_are_said_to(seed):
    tree = spanning_tree(generated(seed, links_max=8))
    at = tree.coordinates(coordinates(tree.robot, seed))
    leaders = [one for one in tree.drivers.values() if one.type in loops.FREEDOMS]
    ends = np.cumsum([loops.FREEDOMS[one.type] for one in leaders]).tolist()
    columns = {one.number: end - loops.FREEDOMS[one.type]
               for one, end in zip(leaders, ends, strict=True)}  # fmt: skip
    count = ends[-1] if ends else 0
    found = loops._jacobian(tree, at, columns, count)
    for column in range(count):
        sides = []
        for way in (1e-6, -1e-6):
            step = np.zeros(count)
            step[column] = way
            moved = {one.number: loops._moved(one, at[one.number], step[columns[one.number] :])
                     for one in leaders}  # fmt: skip
            sides.append(loops._gaps_m(tree, tree.coordinates(moved)).ravel())
        assert np.abs((sides[0] - sides[1]) / 2e-6 - found[:, column]).max(initial=0.0) < 1e-7


def test_the_four_bar_closes_as_the_law_of_cosines_says():
    tree = spanning_tree(shipped("four_bar"))
    found = closed_loops(tree)
    assert found.gap_max_m < 1e-9
    poses = tree.poses(found.coordinates)
    crank, rocker = poses[1], poses[3]
    pin = (crank @ [0.2, 0.0, 0.0, 1.0])[:3]
    across = np.array([0.5, 0.0, 0.0]) - pin
    far = (rocker @ [0.4, 0.0, 0.0, 1.0])[:3]
    assert np.linalg.norm(far - pin) == pytest.approx(0.55, abs=1e-9)
    assert abs(far[1]) < 1e-12
    length = np.linalg.norm(across)
    cosine = (0.4**2 + length**2 - 0.55**2) / (2 * 0.4 * length)
    back = far - [0.5, 0.0, 0.0]
    assert back @ -across / (0.4 * length) == pytest.approx(cosine, abs=1e-9)


def test_limits_are_kept_when_loops_are_closed():
    robot = shipped("four_bar")
    joints = list(robot.joints)
    joints[1] = replace(joints[1], limits=((0.05, 0.1),), start=(0.05,))
    found = closed_loops(spanning_tree(replace(robot, joints=tuple(joints))))
    assert found.gap_max_m < CLOSED_M
    assert 0.05 <= found.coordinates[1][0] <= 0.1


@given(seeds)
def test_bodies_reach_from_joint_to_joint(seed):
    robot = generated(seed)
    links = [replace(one, size_m=one.size_m[:-1] or one.size_m) for one in robot.links]
    bodies = placed_bodies(replace(robot, links=tuple(links)))
    for link in links:
        if not link.leaving or link.shape == "sphere":
            continue
        first = next(one for one in robot.joints if one.number == link.leaving[0])
        far = first.at_parent_m
        if far is None:
            far = of_dh(next(one.dh for one in links if one.number == first.child))[:3, 3]
        body = bodies[link.number]
        half = 0.5 * body.size_m[-1] * body.rotation[:, 2]
        assert np.abs(body.position_m - half).max() < 1e-12
        assert np.abs(body.position_m + half - far).max() < 1e-12
        assert np.abs(body.rotation @ body.rotation.T - np.eye(3)).max() < 1e-14
        assert np.linalg.det(body.rotation) == pytest.approx(1.0, abs=1e-12)


def test_last_links_and_placed_ones_lie_where_it_is_said():
    robot = shipped("robot_a")
    links = list(robot.links)
    links[5] = replace(links[5], place=BodyPlace((0.1, 0.2, 0.3), (0.0, 1.0, 0.0, 0.0)))
    joints = robot.joints[:-1]
    links[6] = replace(links[6], leaving=(), size_m=(0.04, 0.2))
    bodies = placed_bodies(checked(replace(robot, links=tuple(links), joints=joints)))
    assert bodies[6].position_m.tolist() == [0.0, 0.0, 0.1]
    assert bodies[5].position_m.tolist() == [0.1, 0.2, 0.3]
    assert bodies[5].rotation.tolist() == np.diag([1.0, -1.0, -1.0]).tolist()
    assert bodies[4].position_m.tolist() == [0.0, 0.0, 0.0]
