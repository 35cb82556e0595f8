"""Shipped robots that move: hands, parallel arms, tracks and legs."""

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from shipped_worlds import a_world, documented, on_a_floor

from sim.world.control.laws import Gains, JointLaw, JointMotion
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


TRACK_M, WHEEL_M = 0.5, 0.08
"""Of both mf4: from the left wheels' middle to the right ones', and the wheels' radius."""


def driven(world, robot, left, right, seconds):
    """Time, x, y, yaw and the angles of the driven wheels while both sides have a voltage, a row a
    step: the arm and the jaws have none."""
    one = world.robots[0]
    names = {joint.number: joint.name for joint in robot.joints}
    sides = [names[drive.joint].removesuffix("_wheel_1").removesuffix("_wheel")
             for drive in robot.drives]  # fmt: skip
    volts = {"left": left, "right": right}
    one.command([volts.get(side, 0.0) for side in sides])
    rows = []
    for _ in range(round(seconds / world.step_s)):
        world.step()
        pose, angles = one.pose(0), one.positions()
        wheels = (float(angles[sides.index(side)]) for side in SIDES)
        yaw = math.atan2(pose[1, 0], pose[0, 0])
        rows.append((world.time_s, pose[0, 3], pose[1, 3], yaw, *wheels))
        assert pose[2, 2] > math.cos(0.06)
    found = np.array(rows)
    found[:, 3] = np.unwrap(found[:, 3])
    return found


def of_no_slip(rows):
    """Way along and yaw, from the wheels' angles alone."""
    left, right = WHEEL_M * (rows[-1, 4:] - rows[0, 4:])
    return (left + right) / 2.0, (right - left) / TRACK_M


@pytest.mark.parametrize("name", ["mf4", "mf4_wheels"])
@pytest.mark.parametrize("volts", [0.3, -0.3])
def test_a_mobile_robot_drives_straight_as_far_as_its_wheels_roll(name, volts):
    robot = documented(name)
    world = on_a_floor(robot)
    driven(world, robot, 0.0, 0.0, 0.5)
    rows = driven(world, robot, volts, volts, 3.0)
    way, turned = of_no_slip(rows)
    moved = rows[-1, 1:4] - rows[0, 1:4]
    assert math.copysign(1.0, volts) * way > 0.4
    assert moved[0] == pytest.approx(way, rel=0.01)
    np.testing.assert_allclose(moved[1:], (0.0, turned), atol=1e-3)


def test_wheels_turn_at_the_yaw_rate_of_no_slip():
    """ψ' = R (ω_r - ω_l) / B, and the way is an arc."""
    robot = documented("mf4_wheels")
    for left, right in ((0.5, -0.5), (-0.5, 0.5), (0.5, 0.1), (0.2, 0.4), (0.3, 0.0)):
        world = on_a_floor(robot)
        driven(world, robot, 0.0, 0.0, 0.5)
        rows = driven(world, robot, left, right, 4.0)
        way, turned = of_no_slip(rows)
        assert abs(turned) > 0.4
        assert rows[-1, 3] - rows[0, 3] == pytest.approx(turned, rel=0.01)
        along = np.diff(rows[:, 1:3], axis=0)
        middle = (rows[1:, 3] + rows[:-1, 3]) / 2.0
        ahead = np.sum(along * np.column_stack([np.cos(middle), np.sin(middle)]))
        assert ahead == pytest.approx(way, rel=0.01, abs=0.02)


def test_tracks_skid_in_turns():
    """The yaw rate is a third to a half of that of no slip, as feet of 0.48 m are dragged along;
    voltages that differ less than the drag go straight on."""
    robot, shares = documented("mf4"), []
    for left in (0.5, -0.5, 0.7, -0.7):
        world = on_a_floor(robot)
        start = driven(world, robot, 0.0, 0.0, 0.5)[-1]
        rows = driven(world, robot, left, -left, 4.0)
        late = rows[len(rows) // 2 :]
        shares.append((late[-1, 3] - late[0, 3]) / of_no_slip(late)[1])
        assert np.linalg.norm(rows[-1, 1:3] - start[1:3]) < 0.1
    assert all(0.25 < share < 0.55 for share in shares), shares
    assert shares[0] == pytest.approx(shares[1], rel=0.25)
    world = on_a_floor(robot)
    driven(world, robot, 0.0, 0.0, 0.5)
    rows = driven(world, robot, 0.4, 0.2, 2.0)
    assert abs(rows[-1, 3] - rows[0, 3]) < 0.01


@pytest.mark.parametrize("name", ["mf4", "mf4_wheels"])
def test_a_mobile_robot_sees_by_five_rays_to_the_left_to_the_front_and_to_the_right(name):
    sensors = {one.name: one for one in documented(name).sensors}
    for side, axis, sign in (("left", 1, 1.0), ("front", 0, 1.0), ("right", 1, -1.0)):
        ways = np.array(sensors[side].directions)
        assert len(ways) == 5
        np.testing.assert_allclose(np.linalg.norm(ways, axis=1), 1.0, atol=1e-6)
        assert (sign * ways[:, axis] > 0.7).all()
        assert sensors[side].range_m == 12.0


@pytest.mark.parametrize("name", ["mf4", "mf4_wheels"])
def test_jaws_open_and_close_together_on_one_motor(name):
    robot = documented(name)
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


GAIT_S, SWING_RAD, LIFT_RAD = 1.2, 0.2, 0.5
"""Of the tripod gait below: a cycle, a hip's swing to each side, a thigh's lift."""
OUTWARDS = np.radians((30.0, 90.0, 150.0, 210.0, 270.0, 330.0))
"""Of the legs' hips, seen from above."""


def gait(start, phase):
    """Angles of all joints: three legs swing ahead in the air, the others push."""
    wanted = start.copy()
    for leg, way in enumerate(np.sin(OUTWARDS)):
        own = (phase + 0.5 * (leg % 2)) % 1.0
        share = own / 0.5 % 1.0
        swing, lift = 1.0 - 2.0 * share, 0.0
        if own < 0.5:
            swing, lift = -math.cos(math.pi * share), math.sin(math.pi * share) ** 2
        wanted[3 * leg] -= SWING_RAD * way * swing
        wanted[3 * leg + 1] -= LIFT_RAD * lift
    return wanted


def test_the_walker_steps_five_times_with_three_legs_each_and_does_not_fall():
    robot = documented("walker")
    world, tree = on_a_floor(robot), spanning_tree(robot)
    (one,) = world.robots
    gains = Gains(np.full(18, 150.0), np.full(18, 100.0), np.full(18, 6.0))
    law = JointLaw(robot.drives, "speed", "pid", gains, world.step_s)
    start, still, begin = one.positions().copy(), np.zeros(18), np.eye(4)
    heights_m, last = [], start.copy()
    for index in range(250 + round(5 * GAIT_S / world.step_s)):
        if index == 250:
            begin, last = one.pose(0).copy(), gait(start, 0.0)
        phase = max(index - 250, 0) * world.step_s / GAIT_S
        wanted = start if index < 250 else gait(start, phase)
        asked = JointMotion(wanted, (wanted - last) / world.step_s, still)
        one.command(law.command(asked, JointMotion(one.positions(), one.speeds(), still), still))
        last = wanted
        world.step()
        pose = one.pose(0)
        assert pose[2, 2] > math.cos(math.radians(12.0))
        assert 0.1 < pose[2, 3] < 0.18
        if index >= 250 and abs(phase % 0.5 - 0.25) < 0.01:
            poses = {link.number: one.pose(link.number) for link in robot.links}
            feet = [end[2, 3] for end in tree.end_poses(poses).values()]
            heights_m.append((min(feet[0::2]), min(feet[1::2])))
    lifted = np.array(heights_m)  # one of the two tripods is in the air at a time
    assert len(lifted) > 50
    assert (lifted.max(axis=1) > 0.05).all()
    assert (lifted.min(axis=1) < 0.03).all()
    # Feet that stand are pushed back by two swings a cycle, each by its hip's arm and its angle.
    arm_m = 0.06 + 0.15 * math.cos(0.4) + 0.16 * math.cos(1.2)
    pushes = 2.0 * arm_m * SWING_RAD * np.sin(OUTWARDS) ** 2
    ahead = one.pose(0)[0, 3] - begin[0, 3]
    assert 10.0 * pushes.min() < ahead < 10.0 * pushes.max()
    assert abs(one.pose(0)[1, 3]) < 0.05


def test_the_continuum_swings_as_a_hanging_chain_does():
    """First mode of Daniel Bernoulli's chain: ω = j₀₁ / 2 · √(g / L), links of 1/30 of it each."""
    robot = documented("continuum")
    bent = {joint.number: (0.004, 0.0) for joint in robot.joints if joint.type == "universal"}
    world = a_world(robot)
    (one,) = world.robots
    one.move_to(bent)
    world.settle()
    tip, ways, energies_j = 30, [], []
    for index in range(6000):
        world.step()
        ways.append(one.pose(tip)[1, 3])
        if index % 500 == 0:
            energies_j.append(sum(world.energy_j()))
    assert np.all(np.diff(energies_j) < 0.0)  # friction is all that is lost by
    late = np.array(ways)[2000:]
    crossings = np.flatnonzero(np.diff(np.sign(late)))
    period_s = 2.0 * np.diff(crossings).mean() * world.step_s
    chain_s = 4.0 * math.pi / 2.404825557695773 * math.sqrt(0.9 / 9.81)
    assert period_s == pytest.approx(chain_s, rel=0.02)
