"""Shipped robots that move: hands, parallel arms, tracks and legs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from shipped_worlds import a_world, documented, on_a_floor

from sim.world.robots.loops import closed_loops
from sim.world.robots.tree import spanning_tree

FINGERS = ("index", "middle", "ring", "little")
SIDES = ("left", "right")
BASE_M, ARM_M, ROD_M, PLATE_M = 0.2, 0.25, 0.65, 0.06
"""Of the delta: base's radius to the arms' hinges, arm, rod, platform's radius to the rods."""


def test_fingers_follow_at_their_ratios_while_a_hand_closes():
    robot = documented("anthropomorph")
    world = a_world(robot)
    (one,) = world.robots
    numbers = {joint.name: joint.number for joint in robot.joints}
    names = {joint.number: joint.name for joint in robot.joints}
    moves = (*FINGERS, "thumb_2")
    closing = [0.3 * any(one in names[drive.joint] for one in moves) for drive in robot.drives]
    one.command(closing)
    for _ in range(25):
        world.step(10)
        q = one.coordinates()
        for side in SIDES:
            for finger in FINGERS:
                first, second, third = (q[numbers[f"{side}_{finger}_{k}"]][0] for k in (1, 2, 3))
                assert second == pytest.approx(1.05 * first, abs=2e-3)
                assert third == pytest.approx(0.7 * first, abs=2e-3)
            second, third = (q[numbers[f"{side}_thumb_{k}"]][0] for k in (2, 3))
            assert third == pytest.approx(0.8 * second, abs=2e-3)
            assert second > 0.0
    assert all(q[numbers[f"{side}_{finger}_1"]][0] > 0.3 for side in SIDES for finger in FINGERS)


def test_closing_fingers_go_to_the_palm_of_their_own_hand():
    """Palms of hanging arms face the body: the left hand's fingers go to the right."""
    robot = documented("anthropomorph")
    tree = spanning_tree(robot)
    numbers = {joint.name: joint.number for joint in robot.joints}
    flat = {numbers[f"{side}_elbow"]: (0.0,) for side in SIDES}
    closed = {numbers[f"{s}_{f}_1"]: (1.0,) for s in SIDES for f in FINGERS} | flat
    tips = [
        {name: tree.end_poses(tree.poses(q))[numbers[name]][:3, 3]
         for name in ("left_index", "right_index", "left_palm")}
        for q in (flat, closed)
    ]  # fmt: skip
    assert tips[0]["left_palm"][1] == pytest.approx(0.22)
    assert tips[0]["left_palm"][2] == pytest.approx(0.8 + 0.12 + 0.4 - 0.28 - 0.26 - 0.1)
    assert tips[1]["left_index"][1] < tips[0]["left_index"][1] - 0.05
    assert tips[1]["right_index"][1] > tips[0]["right_index"][1] + 0.05
    assert tips[0]["left_index"][2] < tips[0]["left_palm"][2]


def arm_angles(at_m):
    """Of a delta's arms for its platform's place in the base, closed form; 0 is level, + is down.

    (x - L cos θ)² + y² + (z + L sin θ)² = l² in the arm's plane, x outwards from its hinge:
    x cos θ - z sin θ = (x² + y² + z² + L² - l²) / 2L, the elbow outwards.
    """
    found = []
    for turn in (0.0, 120.0, 240.0):
        x, y, z = Rotation.from_euler("z", -turn, degrees=True).apply(at_m)
        x += PLATE_M - BASE_M
        right = (x * x + y * y + z * z + ARM_M**2 - ROD_M**2) / (2.0 * ARM_M)
        found.append(math.atan2(-z, x) - math.acos(right / math.hypot(x, z)))
    return found


def test_the_deltas_arms_are_its_inverse_kinematics():
    robot, rng = documented("delta"), np.random.default_rng(2)
    arms = [joint.number for joint in robot.joints if joint.name.startswith("arm_")]
    angles: list[list[float]] = []
    assert arm_angles((0.0, 0.0, -0.52)) == pytest.approx([0.0] * 3, abs=1e-12)
    for _ in range(20):
        begun = dict(zip(arms, rng.uniform(-0.6, 0.8, 3).tolist(), strict=True))
        joints = (
            replace(one, start=(begun[one.number],)) if one.number in begun else one
            for one in robot.joints
        )
        tree = spanning_tree(replace(robot, joints=tuple(joints)))
        closed = closed_loops(tree)
        assert closed.gap_max_m < 2e-9
        pose = tree.poses(closed.coordinates)[1]
        np.testing.assert_allclose(pose[:3, :3], np.eye(3), atol=1e-7)
        angles.append([closed.coordinates[number][0] for number in arms])
        assert angles[-1] == pytest.approx(arm_angles(pose[:3, 3] - (0.0, 0.0, 1.0)), abs=1e-7)
    assert np.ptp(angles, axis=0).min() > 0.1


@pytest.mark.parametrize("axis", [0, 2])
def test_the_held_deltas_loops_stay_closed_while_its_base_is_shaken(axis):
    """±1 g at 5 Hz beside gravity, drives told speed 0, steps of 2 ms."""
    world, gaps_m = a_world(documented("delta")), []
    world.robots[0].command((0.0, 0.0, 0.0))
    for index in range(500):
        pull = [0.0, 0.0, -9.81]
        pull[axis] += 9.81 * math.sin(math.tau * 5.0 * 0.002 * index)
        world.pull(pull)
        world.step()
        gaps_m.append(world.gap_max_m)
    assert 0.0 < max(gaps_m) <= 20e-6


def test_a_snapshot_holds_the_pull():
    world = a_world(documented("robot_a"))
    world.pull((1.0, 2.0, 3.0))
    kept = world.snapshot()
    world.step(10)
    expected = world.robots[0].coordinates()
    world.pull((0.0, 0.0, 0.0))
    world.restore(kept)
    world.step(10)
    assert world.robots[0].coordinates() == expected
    for wrong in ((0.0, 0.0), (0.0, 0.0, math.nan)):
        with pytest.raises(ValueError, match="three finite numbers"):
            world.pull(wrong)
    bare = a_world(documented("robot_a"), gravity_m_s2=(1.0, 2.0, 3.0))
    bare.step(10)
    assert bare.robots[0].coordinates() == expected


def driven(world, robot, left, right, seconds):
    """Where an mf4 is after its tracks were given voltages, jaws and arm none."""
    names = {joint.number: joint.name for joint in robot.joints}
    volts = {"left_wheel_1": left, "right_wheel_1": right}
    world.robots[0].command([volts.get(names[drive.joint], 0.0) for drive in robot.drives])
    world.step(round(seconds / world.step_s))
    return world.robots[0].pose(0)


def test_the_tracked_robot_drives_straight_on():
    robot = documented("mf4")
    world = on_a_floor(robot)
    start = driven(world, robot, 0.0, 0.0, 0.5)
    pose = driven(world, robot, 0.3, 0.3, 3.0)
    way = pose[:3, 3] - start[:3, 3]
    assert way[0] > 0.4
    assert abs(way[1]) < 0.01
    assert abs(way[2]) < 0.01
    assert pose[0, 0] > math.cos(0.01)
    wheels = {j.number: j for j in robot.joints if "wheel" in j.name}
    turned = [world.robots[0].coordinates()[number][0] for number in wheels]
    assert len(turned) == 8
    np.testing.assert_allclose(0.08 * np.array(turned), way[0], rtol=0.03)
    back = driven(world, robot, -0.3, -0.3, 3.5)
    assert back[0, 3] < pose[0, 3] - 0.4


def test_the_tracked_robot_turns_on_the_spot():
    """Clockwise with the left track ahead, which seen from above is a turn about -z."""
    robot = documented("mf4")
    for left, sign in ((0.5, -1.0), (-0.5, 1.0)):
        world = on_a_floor(robot)
        start = driven(world, robot, 0.0, 0.0, 0.5)
        pose = driven(world, robot, left, -left, 4.0)
        yaw = math.atan2(pose[1, 0], pose[0, 0])
        assert 0.5 < sign * yaw < 3.0
        assert np.linalg.norm(pose[:2, 3] - start[:2, 3]) < 0.1
        assert pose[2, 2] > math.cos(0.03)


def test_jaws_open_and_close_together_on_one_motor():
    robot = documented("mf4")
    numbers = {joint.name: joint.number for joint in robot.joints}
    world = a_world(replace(robot, joints=tuple(
        replace(one, type="fixed", start=None) if one.number == 0 else one for one in robot.joints
    )))  # fmt: skip
    (one,) = world.robots
    for command, least, most in ((0.3, 0.035, 0.051), (-0.3, -0.001, 0.02)):
        one.command([command * (d.joint == numbers["left_jaw"]) for d in robot.drives])
        world.step(700)
        world.settle()
        left, right = (one.coordinates()[numbers[f"{side}_jaw"]][0] for side in SIDES)
        assert left == pytest.approx(right, abs=2e-4)
        assert least < left < most
        apart = np.linalg.norm(
            one.pose(numbers["left_jaw"])[:3, 3] - one.pose(numbers["right_jaw"])[:3, 3]
        )
        assert apart == pytest.approx(left + right, abs=1e-9)


def test_the_walker_stands_on_its_six_feet():
    robot = documented("walker")
    world = on_a_floor(robot)
    world.robots[0].command([0.0] * len(robot.drives))
    world.step(250)
    trunk = world.robots[0].pose(0)
    assert trunk[2, 2] > math.cos(0.02)
    assert 0.1 < trunk[2, 3] < 0.17  # it started at this height
    tree = spanning_tree(robot)
    poses = {link.number: world.robots[0].pose(link.number) for link in robot.links}
    for end in tree.end_poses(poses).values():
        assert -0.005 < end[2, 3] < 0.03  # its capsule's radius is 18 mm
