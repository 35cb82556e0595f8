"""Chains, inverse kinematics, lines and timing, judged by closed forms, scipy and differences."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from robot_documents import generated, shipped_text
from scipy.spatial.transform import Rotation, Slerp

from sim.world.motion.chain import DRIVABLE, Chain, ChainError
from sim.world.motion.inverse import CoordinateDescent, damped_least_squares, rotation_left
from sim.world.motion.lines import StraightLine
from sim.world.motion.planned_motion import (
    BLOCK,
    JointInterpolation,
    PlannedMotion,
    UnreachableError,
    line_motion,
)
from sim.world.motion.profiles import ShareProfile
from sim.world.robots.model import JointType, Mimic, Robot, RobotDrive, RobotJoint, RobotLink
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.tree import spanning_tree

seeds = st.integers(0, 2**32 - 1)
HOME = np.radians([0.0, 20.0, -20.0, 30.0, 60.0, 0.0])


def documented(name):
    return read_toml(shipped_text(name, "toml"), name)


def arm(name="robot_a"):
    return Chain(spanning_tree(documented(name)))


def turned(angles_deg, position_m=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    pose[:3, :3] = Rotation.from_euler("zyx", angles_deg, degrees=True).as_matrix()
    pose[:3, 3] = position_m
    return pose


@settings(max_examples=40)
@given(seeds, st.sampled_from([None, (1.0, 0.0, 0.0), (0.0, 0.0, -1.0)]))
def test_in_each_joint_s_axes_the_place_is_where_it_is(seed, axis):
    robot = generated(seed, links_max=9)
    moved = [one.number for one in robot.joints if one.type in DRIVABLE and not one.closes]
    drives = tuple(RobotDrive(number, "torque", 1.0) for number in moved)
    joints = robot.joints
    if axis is not None:
        joints = tuple(replace(one, axis=axis) if one.number in moved else one for one in joints)
    try:
        chain = Chain(spanning_tree(replace(robot, joints=joints, drives=drives)))
    except ChainError:
        return
    frames = chain.frames(np.random.default_rng(seed).uniform(-0.5, 0.5, len(chain.joints)))
    rotations, places = chain.ends(frames)
    end = frames[-1]
    for (_, _, z, origin), frame, turn, place in zip(
        chain.axes(frames), frames, rotations, places, strict=False
    ):
        own = end[:3, :3] @ turn  # the joint's axes in the world
        assert np.linalg.det(own) == pytest.approx(1.0, abs=1e-9)
        assert own[:, 2] == pytest.approx(z, abs=1e-9)
        near = frame[:3, 0] if abs(frame[:3, 0] @ z) < 0.999999 else frame[:3, 1]
        best = Rotation.align_vectors([z, near], [[0, 0, 1], [1, 0, 0]], weights=[np.inf, 1.0])[0]
        assert own == pytest.approx(best.as_matrix(), abs=1e-6)
        assert origin + own @ place == pytest.approx(end[:3, 3], abs=1e-9)


@settings(max_examples=40)
@given(seeds)
def test_a_chain_is_where_the_tree_is(seed):
    robot = generated(seed, links_max=15)
    moved = [one.number for one in robot.joints if one.type in DRIVABLE and not one.closes]
    drives = tuple(RobotDrive(number, "torque", 1.0) for number in moved)
    tree = spanning_tree(replace(robot, drives=drives))
    try:
        chain = Chain(tree)
    except ChainError:
        return
    draw = np.random.default_rng(seed)
    q = draw.uniform(-0.5, 0.5, len(chain.joints))
    poses = tree.poses({number: (value,) for number, value in zip(chain.joints, q, strict=True)})
    wanted = poses[tree.links[-1].number]
    if tree.ends:
        wanted = tree.end_poses(poses)[min(end.number for end in tree.ends)]
    np.testing.assert_allclose(chain.pose(q), wanted, atol=1e-12)


@settings(max_examples=40)
@given(seeds)
def test_the_jacobian_is_the_difference_of_poses(seed):
    chain, draw = arm(), np.random.default_rng(seed)
    q, step = draw.uniform(-2, 2, 6), 1e-6
    jacobian = chain.jacobian(chain.frames(q))
    for variable in range(6):
        change = np.zeros(6)
        change[variable] = step
        ahead, behind = chain.pose(q + change), chain.pose(q - change)
        moved = (ahead[:3, 3] - behind[:3, 3]) / (2 * step)
        rotated = Rotation.from_matrix(ahead[:3, :3] @ behind[:3, :3].T).as_rotvec() / (2 * step)
        np.testing.assert_allclose(jacobian[:, variable], [*moved, *rotated], atol=1e-8)


@settings(max_examples=60)
@given(seeds)
def test_rotation_left_is_scipys_rotation_vector(seed):
    draw = np.random.default_rng(seed)
    axis = draw.normal(size=3)
    angle = draw.choice([0.0, 1e-12, 1e-7, 1e-3, 1.0, 3.0, np.pi - 1e-7, np.pi])
    vector = axis / np.linalg.norm(axis) * angle
    first = Rotation.random(rng=seed)
    wanted = (Rotation.from_rotvec(vector) * first).as_matrix()
    found = rotation_left(wanted, first.as_matrix())
    again = Rotation.from_rotvec(found) * first
    np.testing.assert_allclose(again.as_matrix(), wanted, atol=1e-7)
    assert np.linalg.norm(found) == pytest.approx(angle, abs=2e-7)


@settings(max_examples=40)
@given(seeds)
def test_damped_least_squares_come_to_poses_nearby(seed):
    chain, draw = arm(), np.random.default_rng(seed)
    start = HOME + draw.uniform(-0.3, 0.3, 6)
    goal = start + draw.uniform(-0.4, 0.4, 6)
    smallest = min(
        np.linalg.svd(chain.jacobian(chain.frames(start + share * (goal - start))))[1][-1]
        for share in (0.0, 0.5, 1.0)
    )
    assume(smallest > 0.05)
    found = damped_least_squares(chain, start, chain.pose(goal))
    assert found.reached, found
    np.testing.assert_allclose(chain.pose(found.q), chain.pose(goal), atol=4e-9)


@settings(max_examples=25)
@given(seeds)
def test_coordinate_descent_never_gets_worse_and_goes_on_in_the_next_tick(seed):
    chain, draw = arm(), np.random.default_rng(seed)
    goal = chain.pose(HOME + draw.uniform(-0.2, 0.2, 6))
    whole, parts = CoordinateDescent(chain, HOME, goal), CoordinateDescent(chain, HOME, goal)
    cost = whole.cost()
    for _ in range(6):
        parts.sweep(5)
        assert parts.cost() <= cost + 1e-12
        cost = parts.cost()
    found = whole.sweep(30)
    np.testing.assert_array_equal(found.q, parts.now().q)
    assert found.sweeps == parts.now().sweeps


def test_coordinate_descent_arrives():
    chain, draw = arm(), np.random.default_rng(4)
    sweeps = []
    for _ in range(20):
        goal = chain.pose(HOME + draw.uniform(-0.1, 0.1, 6))
        found = CoordinateDescent(chain, HOME, goal).sweep(3000)
        assert found.error_m < 1e-6, found
        assert found.error_rad < 1e-5, found
        sweeps.append(found.sweeps)
    assert np.median(sweeps) < 1500


def limited(robot, joint, least, greatest):
    joints = [
        replace(one, limits=((least, greatest),)) if one.number == joint else one
        for one in robot.joints
    ]
    return replace(robot, joints=tuple(joints))


@pytest.mark.parametrize("way", ["least squares", "descent"])
def test_limits_of_joints_are_kept_and_the_rest_goes_as_near_as_it_can(way):
    chain = Chain(spanning_tree(limited(documented("robot_a"), 1, -0.1, 0.2)))
    goal = chain.pose(HOME + np.array([0.6, 0, 0, 0, 0, 0]))
    if way == "descent":
        found = CoordinateDescent(chain, HOME, goal).sweep(200)
    else:
        found = damped_least_squares(chain, HOME, goal)
    assert not found.reached
    assert (found.q >= chain.least).all()
    assert (found.q <= chain.greatest).all()
    reach = np.linalg.norm(chain.pose(HOME)[:3, 3] - goal[:3, 3])
    assert found.error_m < reach


def slider():
    """A slide, a hinge, and two hinges that follow it."""
    flat = (0.0, 0.0, 0.0, 0.0)
    along = (0.0, 0.3, 0.0, 0.0)
    links = [RobotLink(number, flat if number < 2 else along) for number in range(5)]
    joints = [RobotJoint(0, JointType.FIXED, (), -1, 0),
              RobotJoint(1, JointType.SLIDE, (0.0, 0.0, 2.0), 0, 1)]  # fmt: skip
    for number in (2, 3, 4):
        mimic = Mimic(2, 0.5, 0.1) if number > 2 else None
        joints.append(
            RobotJoint(number, JointType.HINGE, (0.0, 1.0, 0.0), number - 1, number, mimic=mimic)
        )
    drives = tuple(RobotDrive(number, "torque", 10.0) for number in (1, 2))
    return Robot(tuple(links), tuple(joints), drives=drives)


def test_followers_move_with_their_leader():
    chain = Chain(spanning_tree(slider()))
    assert chain.joints == (1, 2)
    x, z, angle = 0.3, 0.2, 0.4
    wanted, at = 0.0, np.array([0.3, 0.0, z])
    for turn_rad in (angle, 0.5 * angle + 0.1):
        wanted += turn_rad
        at += [x * np.cos(wanted), 0.0, -x * np.sin(wanted)]
    wanted += 0.5 * angle + 0.1
    pose = chain.pose(np.array([z, angle]))
    np.testing.assert_allclose(pose[:3, 3], at, atol=1e-12)
    np.testing.assert_allclose(pose[:3, :3], Rotation.from_euler("y", wanted).as_matrix())
    goal = chain.pose(np.array([0.35, 0.9]))
    for found in (
        damped_least_squares(chain, np.array([z, angle]), goal),
        CoordinateDescent(chain, np.array([z, angle]), goal).sweep(500),
    ):
        np.testing.assert_allclose(found.q, [0.35, 0.9], atol=1e-6)


def test_a_place_that_is_not_there_is_told():
    with pytest.raises(ChainError, match="there are: 7"):
        Chain(spanning_tree(documented("robot_a")), 3)


@settings(max_examples=40)
@given(seeds, st.floats(0.0, 1.0))
def test_slerp_is_scipys(seed, share):
    first, last = Rotation.random(2, rng=seed)
    line = StraightLine(pose_of(first, (1, 2, 3)), pose_of(last, (2, 0, 1)))
    found = line.at(share)
    wanted = Slerp([0.0, 1.0], Rotation.concatenate([first, last]))(share).as_matrix()
    np.testing.assert_allclose(found[:3, :3], wanted, atol=1e-9)
    np.testing.assert_allclose(found[:3, 3], [1 + share, 2 - 2 * share, 3 - 2 * share], atol=1e-12)


def pose_of(rotation, position_m):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = rotation.as_matrix(), position_m
    return pose


def test_three_part_rotation_turns_about_x_then_y_then_z_of_the_world():
    start = pose_of(Rotation.from_euler("xyz", [10, 20, 30], degrees=True), (0, 0, 0))
    turn = Rotation.from_euler("xyz", [40, -50, 60], degrees=True)
    goal = pose_of(turn * Rotation.from_matrix(start[:3, :3]), (0.9, 0, 0))
    line = StraightLine(start, goal, "three_part", (0.25, 0.75))
    way = {0.125: (20, 0, 0), 0.25: (40, 0, 0), 0.5: (40, -25, 0), 0.75: (40, -50, 0),
           0.875: (40, -50, 30), 1.0: (40, -50, 60)}  # fmt: skip
    for share, angles in way.items():
        wanted = Rotation.from_euler("xyz", angles, degrees=True).as_matrix() @ start[:3, :3]
        np.testing.assert_allclose(line.at(share)[:3, :3], wanted, atol=1e-12)
    with pytest.raises(ValueError, match="two rising shares"):
        StraightLine(start, goal, "three_part", (0.75, 0.25))


def test_profiles_end_at_rest_and_their_rates_are_their_differences():
    jerk = ShareProfile.of_phases([(1.0, (0, 0, 0, 6.0)), (1.0, (1.0, 3.0, 6.0, -6.0))], 3.0)
    quintic = ShareProfile.quintic(3.0)
    times = np.linspace(0.0, 3.0, 4001)
    for profile in (jerk, quintic):
        share, rate, second = profile.at(times)
        inside = slice(2, -2)
        np.testing.assert_allclose(np.gradient(share, times)[inside], rate[inside], atol=1e-5)
        np.testing.assert_allclose(np.gradient(rate, times)[inside], second[inside], atol=1e-2)
    share, rate, second = quintic.at(np.array([-1.0, 0.0, 1.5, 3.0, 9.0]))
    np.testing.assert_allclose(share, [0, 0, 0.5, 1, 1], atol=1e-12)
    np.testing.assert_allclose(rate, [0, 0, 1.875 / 3, 0, 0], atol=1e-12)
    np.testing.assert_allclose(second, 0.0, atol=1e-12)
    share, rate, _ = ShareProfile.uniform(2.0).at(np.array([0.0, 0.5, 1.0, 2.0]))
    np.testing.assert_allclose(share, [0, 0.25, 0.5, 1])
    np.testing.assert_allclose(rate, [0, 0.5, 0.5, 0])
    with pytest.raises(ValueError, match=r"limits ask for 2\.0000 s"):
        ShareProfile.of_phases([(2.0, (0, 0, 0, 0))], 1.0)


def test_a_line_of_robot_b_is_straight_and_ends_at_the_known_angles():
    """Joint 1 by +45° and joint 4 by -45°: 758 mm, and the inverse arrives at those angles."""
    chain = arm("robot_b")
    start = np.radians([0.0, 30.0, -10.0, 30.0, 70.0, 0.0])
    goal = start + np.radians([45.0, 0, 0, -45.0, 0, 0])
    line = StraightLine(chain.pose(start), chain.pose(goal))
    assert line.length_m == pytest.approx(0.75807, abs=1e-5)
    plan = line_motion(chain, start, line, ShareProfile.quintic(3.0), 0.01)
    np.testing.assert_allclose(plan.positions[-1], goal, atol=1e-6)
    points = np.array([chain.pose(q)[:3, 3] for q in plan.positions])
    way = line.goal[:3, 3] - line.start[:3, 3]
    away = np.linalg.norm(np.cross(points - points[0], way), axis=1) / np.linalg.norm(way)
    assert away.max() < 2e-9
    assert plan.duration_s == pytest.approx(3.0)
    assert np.abs(plan.speeds[[0, -1]]).max() < 1e-4


@pytest.mark.parametrize(("sweeps", "off_m"), [(2, 2e-3), (5, 5e-4), (10, 1e-4)])
def test_a_line_by_so_many_sweeps_a_tick_goes_on_until_it_arrives(sweeps, off_m):
    chain, counts = arm("robot_b"), []
    start = np.radians([0.0, 30.0, -10.0, 30.0, 70.0, 0.0])
    goal = start + np.radians([45.0, 0, 0, -45.0, 0, 0])
    line = StraightLine(chain.pose(start), chain.pose(goal))
    sweep = CoordinateDescent.sweep

    class Counted(CoordinateDescent):
        def sweep(self, count):
            counts.append(count)
            return sweep(self, count)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sim.world.motion.planned_motion.CoordinateDescent", Counted)
        plan = line_motion(chain, start, line, ShareProfile.quintic(3.0), 0.01, sweeps)
    assert set(counts) == {sweeps}
    assert len(counts) == len(plan.positions) >= 301
    assert (len(plan.positions) > 301) == (sweeps == 2)
    np.testing.assert_allclose(plan.positions[-1], goal, atol=2e-5)
    points = np.array([chain.pose(q)[:3, 3] for q in plan.positions])
    way = line.goal[:3, 3] - line.start[:3, 3]
    away = np.linalg.norm(np.cross(points - points[0], way), axis=1) / np.linalg.norm(way)
    assert away.max() < off_m


@settings(max_examples=15)
@given(seeds)
def test_whatever_the_line_coordinate_descent_keeps_the_limits_of_joints(seed):
    draw = np.random.default_rng(seed)
    robot = documented("robot_a")
    for joint in range(1, 7):
        at, room = HOME[joint - 1], draw.uniform(0.02, 0.6, 2)
        robot = limited(robot, joint, at - room[0], at + room[1])
    chain = Chain(spanning_tree(robot))
    goal = chain.pose(HOME)
    goal[:3, 3] += draw.uniform(-0.15, 0.15, 3)
    descent = CoordinateDescent(chain, HOME, goal)
    line = StraightLine(chain.pose(HOME), goal)
    for share in np.linspace(0.0, 1.0, 40):
        descent.aim(line.at(share))
        found = descent.sweep(2)
        assert (found.q >= chain.least).all()
        assert (found.q <= chain.greatest).all()


def test_too_few_sweeps_for_a_line_are_told():
    chain = arm("robot_b")
    start = np.radians([0.0, 30.0, -10.0, 30.0, 70.0, 0.0])
    goal = start + np.radians([45.0, 0, 0, -45.0, 0, 0])
    line = StraightLine(chain.pose(start), chain.pose(goal))
    with pytest.raises(UnreachableError, match="% of the line: the nearest is"):
        line_motion(chain, start, line, ShareProfile.quintic(3.0), 0.01, 1)


def test_a_line_out_of_reach_is_refused_where_it_ends():
    chain = arm()
    start, goal = chain.pose(HOME), chain.pose(HOME)
    goal[:3, 3] += [3.0, 0, 0]
    with pytest.raises(UnreachableError, match="% of the line: the nearest is"):
        line_motion(chain, HOME, StraightLine(start, goal), ShareProfile.quintic(2.0), 0.05)


def test_joints_run_in_step_and_parts_join_without_a_second_row():
    quintic = ShareProfile.quintic(1.0)
    first = JointInterpolation(np.zeros(2), np.array([1.0, -3.0]), quintic, 0.01).whole()
    second = JointInterpolation(np.array([1.0, -3.0]), np.zeros(2), quintic, 0.01).whole()
    np.testing.assert_allclose(first.positions[:, 1], -3.0 * first.positions[:, 0])
    both = PlannedMotion.joined([first, second])
    assert len(both.positions) == 201
    assert both.duration_s == pytest.approx(2.0)
    with pytest.raises(ValueError, match="read-only"):
        both.positions[0, 0] = 1.0


def test_each_turn_of_coordinate_descent_is_the_best_one():
    chain = arm()
    descent = CoordinateDescent(chain, HOME, chain.pose(HOME + 0.2))
    for variable in reversed(range(6)):
        value = descent._q[variable] = descent._best(variable)
        cost = descent._cost_at(variable)
        assert cost(value) <= min(cost(value + 1e-4), cost(value - 1e-4))


def test_pushed_against_a_limit_the_others_do_what_is_best_without_it():
    chain = Chain(spanning_tree(limited(documented("robot_a"), 2, -0.1, 0.4)))
    goal = chain.pose(HOME + np.array([0.1, 0.5, 0, 0, 0, 0]))
    found = damped_least_squares(chain, HOME, goal, iterations=3000)
    assert found.q[1] == pytest.approx(0.4)
    frames = chain.frames(found.q)
    error = [*(goal[:3, 3] - frames[-1][:3, 3]), *rotation_left(goal[:3, :3], frames[-1][:3, :3])]
    slope = chain.jacobian(frames).T @ error
    assert slope[1] > 0.01
    assert np.abs(np.delete(slope, 1)).max() < 1e-3 * slope[1]


def test_a_motion_of_joints_is_laid_out_in_pieces_that_are_the_whole():
    profile = ShareProfile.quintic(17.3)
    motion = JointInterpolation(np.zeros(2), np.array([1.0, -3.0]), profile, 0.002)
    whole = motion.whole()
    assert len(motion) == len(whole) > 2 * BLOCK
    assert motion.duration_s == whole.duration_s
    for index in (0, 1, BLOCK - 1, BLOCK, 7, 2 * BLOCK, len(whole) - 1):
        for found, wanted in zip(motion.row(index), whole.row(index), strict=True):
            assert found.tolist() == wanted.tolist()


def test_a_motion_of_a_day_takes_no_more_memory_than_one_of_a_minute():
    import tracemalloc

    tracemalloc.start()
    try:
        profile = ShareProfile.quintic(86_400.0)
        motion = JointInterpolation(np.zeros(6), np.ones(6), profile, 0.001)
        middle, _, _ = motion.row(len(motion) // 2)
        end, _, _ = motion.row(len(motion) - 1)
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert len(motion) == 86_400_001
    np.testing.assert_allclose(middle, 0.5)
    assert end.tolist() == [1.0] * 6
    assert peak < 5e6
