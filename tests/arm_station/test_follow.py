"""The robot's gripper between repeating the simulated one and rest: no jump, never too fast."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from hil.config.file_search import configs_dir
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.cycle import gripper_follower as arm_follow
from hil.stations.arm.cycle.gripper_follower import CLOSE_M_S, CLOSE_RAD_S, CLOSE_S, GripperFollower
from hil_common.arrays.pose import Pose
from safety.arm_rules import cut_corner

PERIOD_S = 0.35
SPEED_M_S, TURN_RAD_S = 0.1, 0.5
START = Pose(np.array([0.4, 0.1, 0.7]), np.eye(3))


def follower():
    return GripperFollower(START, PERIOD_S, SPEED_M_S, TURN_RAD_S)


def swing(count, amplitude_m=0.01, rate_rad_s=2.1, drift_m_s=0.0, turn_rad=0.02):
    """Poses of a gripper that swings and drifts."""
    times = PERIOD_S * np.arange(1, count + 1)
    return [
        Pose(
            START.position_m + np.array([drift_m_s * t, 0.0, amplitude_m * np.sin(rate_rad_s * t)]),
            Rotation.from_rotvec([0.0, 0.0, turn_rad * np.sin(rate_rad_s * t)]).as_matrix(),
        )
        for t in times
    ]


def velocities(poses):
    """Linear [m/s] and angular [rad/s], by differences, from the start on."""
    all_of = [START, *poses]
    ways = np.diff([pose.position_m for pose in all_of], axis=0)
    turns = [
        Rotation.from_matrix(b.rotation @ a.rotation.T).as_rotvec() for a, b in pairwise(all_of)
    ]
    return ways / PERIOD_S, np.array(turns) / PERIOD_S


def test_without_rest_the_robot_gets_the_very_same_poses():
    one, asked = follower(), swing(20)
    assert all(one.follow(pose) is pose for pose in asked)
    assert (one.share, one.gap) == (1.0, (0.0, 0.0))


def test_at_rest_the_robot_stands_still_within_two_waypoints_while_the_arm_swings_on():
    one, asked = follower(), swing(40)
    for pose in asked[:10]:
        one.follow(pose)
    one.resting = True
    first, *others = [one.follow(pose) for pose in asked[10:]]
    assert one.share == 0.0
    assert first is not asked[10], "it brakes over one waypoint"
    for pose in others:
        np.testing.assert_array_equal(pose.packed, first.packed)
    assert one.gap[0] == pytest.approx(np.linalg.norm(asked[-1].position_m - first.position_m))


def test_held_again_the_gap_is_closed_and_the_poses_are_the_very_same_again():
    one = follower()
    one.resting = True
    for pose in swing(30, drift_m_s=0.005):
        one.follow(pose)
    assert one.gap[0] > 0.04
    one.resting = False
    still = swing(30, drift_m_s=0.005)[-1]
    gaps = []
    for _ in range(60):
        robot = one.follow(still)
        gaps.append(one.gap[0])
    assert robot is still
    assert np.diff(gaps).max() <= 0.0, "it never goes away again"
    assert -np.diff(gaps).min() <= CLOSE_M_S * PERIOD_S * 1.0001
    assert gaps[-1] == 0.0


wishes = st.lists(st.tuples(st.booleans(), st.integers(1, 6)), min_size=1, max_size=8)


@given(
    wishes,
    st.floats(0.0, 0.02),
    st.floats(0.5, 9.0),
    st.floats(-0.02, 0.02),
    st.floats(0.0, 0.05),
)
def test_whatever_the_operator_does_position_and_speed_go_on_where_they_were(
    wishes, amplitude_m, rate_rad_s, drift_m_s, turn_rad
):
    judge(wishes, swing(6 * len(wishes), amplitude_m, rate_rad_s, drift_m_s, turn_rad))


def judge(wishes, asked):
    """Hold and let go as wished, for so many waypoints each, behind poses that are asked."""
    one = follower()
    robot, shares = [], [1.0]
    for held, count in wishes:
        one.resting = not held
        for _ in range(count):
            robot.append(one.follow(asked[len(robot)]))
            shares.append(one.share)
    steps = np.diff(shares)
    assert steps.min() >= -0.5
    assert steps.max() <= 0.25
    for wanted, done, close, most in zip(
        velocities(asked[: len(robot)]),
        velocities(robot),
        (CLOSE_M_S, CLOSE_RAD_S),
        (SPEED_M_S, TURN_RAD_S),
        strict=True,
    ):
        change = np.linalg.norm(np.diff(done, axis=0, prepend=np.zeros((1, 3))), axis=1)
        own = np.linalg.norm(np.diff(wanted, axis=0, prepend=np.zeros((1, 3))), axis=1)
        speed = np.linalg.norm(wanted, axis=1)
        # The arm's own change, a step of the share, and what the closing may change by: it goes
        # with the share, and with the gap that the arm's motion makes in a period.
        before = np.concatenate(([0.0], speed[:-1]))
        allowed = (
            own + np.abs(steps) * (np.maximum(speed, before) + close)
            + PERIOD_S / CLOSE_S * (speed + before + close)
        )  # fmt: skip
        assert (change <= allowed + 1e-9).all()
        sizes = np.linalg.norm(done, axis=1)
        assert (sizes <= np.maximum(speed, 0.8 * most) + 1e-9).all()


def test_closing_a_gap_beside_a_fast_motion_waits_rather_than_break_the_limit():
    one = follower()
    one.resting = True
    up = np.array([0.0, 0.0, 0.09 * PERIOD_S])
    fast = [Pose(START.position_m + k * up, np.eye(3)) for k in range(1, 20)]
    for pose in fast[:3]:
        one.follow(pose)
    one.resting = False
    robot = [one.follow(pose) for pose in fast[3:]]
    ways = np.diff([pose.position_m[2] for pose in robot])
    assert ways.max() / PERIOD_S <= 0.09 + 1e-12
    assert one.gap[0] > 0.05, "there is no room to close it beside 90 mm/s"


LIMITS = RobotSettings.load(configs_dir() / "robots" / "rm01.toml").gate_limits()


def broken_corners(poses):
    """Corners that the gate would refuse, by its own rule."""
    ways = np.diff([pose.position_m for pose in (START, *poses)], axis=0).tolist()
    pairs = pairwise([[0.0, 0.0, 0.0], *ways])
    return sum(len(list(cut_corner(LIMITS, tuple(a), tuple(b), PERIOD_S))) for a, b in pairs)


@given(st.lists(st.tuples(*[st.floats(-0.025, 0.025)] * 3), min_size=2, max_size=25))
def test_where_a_swing_makes_a_corner_the_robot_goes_as_much_slower_as_the_gate_needs(ways):
    places = START.position_m + np.cumsum(ways, axis=0)
    asked = [Pose(place, np.eye(3)) for place in places]
    one = GripperFollower(START, PERIOD_S, SPEED_M_S, TURN_RAD_S, LIMITS.corners)
    robot = [one.follow(pose) for pose in asked]
    assert broken_corners(robot) == 0
    still = [one.follow(asked[-1]) for _ in range(80)]
    assert broken_corners([*robot, *still]) == 0
    assert still[-1] is asked[-1], "it catches up"


def test_positive_control_such_a_swing_is_refused_as_it_is():
    up, back = np.array([0.0, 0.0, 0.024]), np.array([0.003, 0.0, -0.003])
    asked = [Pose(START.position_m + k * up, np.eye(3)) for k in range(1, 4)]
    asked += [Pose(asked[-1].position_m + back, np.eye(3))]
    assert broken_corners(asked) > 0
    one = GripperFollower(START, PERIOD_S, SPEED_M_S, TURN_RAD_S, LIMITS.corners)
    assert broken_corners([one.follow(pose) for pose in asked]) == 0
    assert 0.0 < one.gap[0] < 0.004


@pytest.mark.parametrize("live", [True, False])
def test_only_a_live_robot_goes_slower_a_planned_one_repeats_what_was_proved(live):
    sharp = [
        Pose(START.position_m + np.array(way), np.eye(3))
        for way in ([0.0, 0.0, 0.024], [0.0, 0.0, 0.048], [0.024, 0.0, 0.048])
    ]
    one = GripperFollower.within(LIMITS, START, PERIOD_S, live=live)
    robot = [one.follow(pose) for pose in sharp]
    assert all(a is b for a, b in zip(robot, sharp, strict=True)) is not live
    assert bool(broken_corners(robot)) is not live


@pytest.mark.parametrize("steps", ["GO_ON_STEPS", "REST_STEPS"])
def test_positive_control_a_share_that_jumps_is_found(monkeypatch, steps):
    monkeypatch.setattr(arm_follow, steps, 1)
    with pytest.raises(AssertionError):
        judge([(True, 3), (False, 3), (True, 3)], swing(18))
