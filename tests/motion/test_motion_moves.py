"""Rest-to-rest moves: straight, within their limits, smooth, and exact at the poses."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from motion_checks import LIMITS, assert_consistent, assert_rests_at_both_ends, assert_same_pose
from motion_checks import pose as at
from properties import dear
from scipy.spatial.transform import Rotation

from hil.config.errors import MotionError
from hil.run.rest_to_rest import unit_path
from hil.stations.platform.motion.moves import MoveLimits, Moves, move
from hil_common.arrays.pose import Pose

START = at(0.0, 0.0, 0.7, 0.0, 0.0, 0.0)
GOAL = at(0.05, -0.08, 0.95, 0.2, -0.1, 0.15)
BOUNDS = (
    (LIMITS.speed_m_s, LIMITS.acceleration_m_s2, LIMITS.jerk_m_s3),
    (
        LIMITS.angular_speed_rad_s,
        LIMITS.angular_acceleration_rad_s2,
        LIMITS.angular_jerk_rad_s3,
    ),
)


def assert_within_limits(motion, share=1.0, count=400):
    """Speed, acceleration and jerk, linear and angular; return the largest share of each."""
    times = np.linspace(0.0, motion.duration_s, count)
    samples = [motion.sample(t) for t in times]
    V = np.array([s.V_BP for s in samples])
    A = np.array([s.A_BP for s in samples])
    J = np.diff(A, axis=0) / np.diff(times)[:, None] if motion.duration_s > 0 else A[:1]
    reached = []
    for part, bounds in zip((slice(0, 3), slice(3, 6)), BOUNDS, strict=True):
        for values, bound in zip((V, A, J), bounds, strict=True):
            largest = np.linalg.norm(values[:, part], axis=1).max()
            assert largest <= share * bound * (1 + 1e-6)
            reached.append(largest / bound)
    return reached


def test_a_move_begins_at_its_start_and_ends_at_its_goal_at_rest():
    motion = move(START, GOAL, LIMITS)
    assert_rests_at_both_ends(motion)
    assert_same_pose(motion.sample(0.0).X_BP, START, 0.0)
    assert_same_pose(motion.sample(motion.duration_s).X_BP, GOAL, 0.0)
    almost = motion.sample(motion.duration_s - 1e-9)
    assert_same_pose(almost.X_BP, GOAL, 1e-12)
    assert np.abs(almost.V_BP).max() < 1e-9


def test_a_move_is_straight_and_turns_about_one_axis_in_step():
    motion = move(START, GOAL, LIMITS)
    way = GOAL.position_m - START.position_m
    turn = Rotation.from_matrix(GOAL.rotation @ START.rotation.T).as_rotvec()
    for t in np.linspace(0.0, motion.duration_s, 50):
        X = motion.sample(t).X_BP
        s = float((X.position_m - START.position_m) @ way / (way @ way))
        assert X.position_m == pytest.approx(START.position_m + s * way, abs=1e-12)
        turned = Rotation.from_rotvec(s * turn).as_matrix() @ START.rotation
        assert X.rotation == pytest.approx(turned, abs=1e-12)


def test_twist_and_acceleration_are_the_derivatives():
    motion = move(START, GOAL, LIMITS)
    assert_consistent(motion, np.linspace(0.01, motion.duration_s - 0.01, 60))


@pytest.mark.parametrize(
    ("goal", "binding"),
    [
        (at(0.0, 0.0, 1.3, 0.0, 0.0, 0.0), 0),  # long way: speed
        (at(0.0, 0.0, 0.73, 0.0, 0.0, 0.0), 2),  # short way: jerk
        (at(0.0, 0.0, 0.7, 1.0, 0.0, 0.0), 3),  # long turn: angular speed
        (at(0.0, 0.0, 0.7, 0.0, 0.0, 0.01), 5),  # short turn: angular jerk
    ],
)
def test_limits_are_kept_and_the_binding_one_is_reached(goal, binding):
    reached = assert_within_limits(move(START, goal, LIMITS), count=2001)
    assert reached[binding] == pytest.approx(1.0, abs=0.01)


def test_the_duration_is_that_of_the_closed_form():
    # A short way without cruising: four phases of equal length, way = 2 jerk t^3.
    way = 0.01
    motion = move(START, at(0.0, 0.0, 0.7 + way, 0.0, 0.0, 0.0), LIMITS)
    assert motion.duration_s == pytest.approx(4 * (way / (2 * LIMITS.jerk_m_s3)) ** (1 / 3))


lengths = st.floats(-0.3, 0.3)
turns = st.floats(-0.7, 0.7)


@dear
@given(st.tuples(lengths, lengths, lengths, turns, turns, turns), st.floats(1e-6, 1.0))
def test_any_move_keeps_its_limits_and_reaches_its_goal(offset, size):
    q = np.array([0.0, 0.0, 0.8, 0.1, -0.2, 0.3])
    goal = Pose.from_coordinates(q + size * np.array(offset))
    motion = move(Pose.from_coordinates(q), goal, LIMITS)
    assert_within_limits(motion, count=150)
    end = motion.sample(motion.duration_s - 1e-9)
    assert_same_pose(end.X_BP, goal, 1e-9)
    assert np.abs(end.V_BP).max() < 1e-6


def test_plans_end_on_the_goal_at_rest_whatever_the_limits():
    rng = np.random.default_rng(11)
    for _ in range(300):
        ceilings = tuple(10.0 ** rng.uniform(-3.0, 6.0, 3))
        t, (s, v, a, jerk) = unit_path(ceilings)[-1]
        assert s + t * (v + t * (a / 2 + t * jerk / 6)) == pytest.approx(1.0, abs=1e-12)
        assert v + t * (a + t * jerk / 2) == pytest.approx(0.0, abs=1e-12 * ceilings[0])
        assert a + t * jerk == pytest.approx(0.0, abs=1e-12 * ceilings[1])


def test_acceleration_does_not_jump_between_phases_moves_and_dwells():
    points = [(GOAL, 0.3), (at(0.0, 0.0, 0.8, 0.0, 0.0, 0.0), 0.0), (START, 0.2)]
    motion = Moves(START, points, LIMITS)
    times = np.linspace(0.0, motion.duration_s, 20001)
    A = np.array([motion.sample(t).A_BP for t in times])
    step = times[1]
    largest = np.linalg.norm(np.diff(A, axis=0)[:, :3], axis=1).max()
    assert largest <= LIMITS.jerk_m_s3 * step * (1 + 1e-6)
    assert largest > 0.0


def test_every_waypoint_is_held_for_its_dwell():
    middle = at(0.02, 0.0, 0.8, 0.0, 0.1, 0.0)
    motion = Moves(START, [(middle, 0.5), (GOAL, 0.25)], LIMITS)
    first, second = move(START, middle, LIMITS), move(middle, GOAL, LIMITS)
    assert motion.duration_s == pytest.approx(first.duration_s + second.duration_s + 0.75)
    for t in np.linspace(first.duration_s, first.duration_s + 0.5, 7):
        setpoint = motion.sample(t)
        assert_same_pose(setpoint.X_BP, middle, 1e-12)
        assert np.abs(setpoint.V_BP).max() < 1e-9
    late = motion.sample(first.duration_s + 0.5 + 0.5 * second.duration_s)
    assert_same_pose(late.X_BP, second.sample(0.5 * second.duration_s).X_BP, 1e-9)


def test_a_move_to_where_one_is_takes_no_time():
    motion = move(GOAL, GOAL, LIMITS)
    assert motion.duration_s == 0.0
    assert_same_pose(motion.sample(0.5).X_BP, GOAL, 0.0)
    assert_rests_at_both_ends(motion)
    dwelling = Moves(GOAL, [(GOAL, 0.4), (GOAL, 0.0)], LIMITS)
    assert dwelling.duration_s == 0.4
    assert_same_pose(dwelling.sample(0.2).X_BP, GOAL, 0.0)


def test_no_waypoints_make_a_motion_of_no_duration():
    motion = Moves(START, [], LIMITS)
    assert motion.duration_s == 0.0
    assert_same_pose(motion.sample(0.0).X_BP, START, 0.0)


def test_a_move_of_rounding_size_still_ends_on_its_goal():
    goal = Pose(START.position_m + np.array([0.0, 0.0, 1e-10]), START.rotation)
    motion = move(START, goal, LIMITS)
    assert 0.0 < motion.duration_s < 0.01
    assert_same_pose(motion.sample(motion.duration_s).X_BP, goal, 0.0)


@pytest.mark.parametrize("axis", [[1, 0, 0], [0, 1, 0], [0.6, 0, -0.8]])
def test_half_a_turn_is_refused_with_the_remedy(axis):
    half = Rotation.from_rotvec(math.pi * np.array(axis)).as_matrix()
    goal = Pose(START.position_m, half)
    with pytest.raises(MotionError, match=r"waypoint 1 turns by 180\.0000 deg.*put a pose between"):
        move(START, goal, LIMITS)
    less = Rotation.from_rotvec(3.1 * np.array(axis)).as_matrix()
    motion = move(START, Pose(START.position_m, less), LIMITS)
    assert_same_pose(
        motion.sample(motion.duration_s - 1e-9).X_BP, Pose(START.position_m, less), 1e-9
    )


def test_limits_can_be_shared_out():
    half = LIMITS.scaled(0.5)
    assert half.speed_m_s == 0.5 * LIMITS.speed_m_s
    assert half.angular_jerk_rad_s3 == 0.5 * LIMITS.angular_jerk_rad_s3
    assert_within_limits(move(START, GOAL, half), share=0.5)
    with pytest.raises(MotionError, match="share of the limits is 0"):
        LIMITS.scaled(0.0)


@pytest.mark.parametrize("bad", [0.0, -1.0, math.nan, math.inf])
@pytest.mark.parametrize("index", range(6))
def test_a_limit_that_limits_nothing_is_refused_by_name(bad, index):
    values = [1.0] * 6
    values[index] = bad
    name = list(MoveLimits.__dataclass_fields__)[index]
    with pytest.raises(MotionError, match=f"{name} is {bad}"):
        MoveLimits(*values)


@pytest.mark.parametrize("bad", [-0.1, math.nan, math.inf])
def test_a_dwell_that_is_no_time_is_refused_with_its_waypoint(bad):
    with pytest.raises(MotionError, match=f"waypoint 2: dwell_s is {bad} s"):
        Moves(START, [(GOAL, 0.0), (START, bad)], LIMITS)
