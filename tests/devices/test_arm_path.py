"""The emulated arm's kinematics, servos and continuous path."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from arm_scripted_host import (
    PERIOD_S,
    ScriptedHost,
    ahead,
    distance_to_polyline,
    end_line,
    waypoint_line,
)
from hypothesis import given
from hypothesis import strategies as st
from properties import dear

from sim.devices.arm.limits import LimitedArm, LimitError, ReachSettings
from sim.devices.arm.path import (
    BlendSettings,
    ContinuousPath,
    Corner,
    blend_distance_m,
    estimated_distance_m,
)
from sim.devices.arm.program import ArmState
from sim.devices.arm.protocol import location_of
from sim.devices.arm.rotation import compose, rotate, rotation_vector
from sim.devices.arm.servo import JointServos, ServoSettings

MODEL = LimitedArm(ReachSettings(), 0.1)
ROUND_STEP = 0.03499  # 99.97 mm/s


def dh_product(q: np.ndarray, tool_m: float) -> np.ndarray:
    """The D-H product with whole matrices, as an oracle."""
    quarter = math.pi / 2
    rows = [
        (0.672, 0.0, quarter),
        (0.0, 0.4318, 0.0),
        (0.15005, 0.0203, -quarter),
        (0.4318, 0.0, quarter),
        (0.0, 0.0, -quarter),
        (tool_m, 0.0, 0.0),
    ]
    total = np.eye(4)
    for angle, (d, a, alpha) in zip(q, rows, strict=True):
        about_z, along, about_x = np.eye(4), np.eye(4), np.eye(4)
        c, s = math.cos(angle), math.sin(angle)
        about_z[:2, :2] = [[c, -s], [s, c]]
        along[:3, 3] = (a, 0.0, d)
        c, s = math.cos(alpha), math.sin(alpha)
        about_x[1:3, 1:3] = [[c, -s], [s, c]]
        total = total @ about_z @ along @ about_x
    return total[:3]


JOINTS = st.tuples(
    st.floats(-2.5, 2.5),
    st.floats(-0.5, 3.0),
    st.floats(-3.0, -0.5),
    st.floats(-1.5, 2.5),
    st.floats(0.4, 1.6),
    st.floats(-3.0, 3.0),
)


@given(JOINTS)
def test_forward_is_the_dh_product(q: tuple[float, ...]):
    np.testing.assert_allclose(MODEL.pose(np.array(q)), dh_product(np.array(q), 0.1), atol=1e-14)


@given(JOINTS, st.integers(0, 2**32 - 1))
def test_inverse_finds_the_near_solution(q: tuple[float, ...], seed: int):
    right = np.array(q)
    if abs(right[2] + math.pi / 2 + math.atan(0.0203 / 0.4318)) < 0.2:  # elbow stretched
        return
    near = right + np.random.default_rng(seed).uniform(-0.01, 0.01, 6)
    try:
        found = MODEL.joints(MODEL.pose(right), near)
    except LimitError:  # it gives up near the shoulder's singularity only
        wrist = LimitedArm(ReachSettings(), 0.0).pose(right)[:, 3]
        assert math.hypot(wrist[0], wrist[1]) < 0.25
        return
    np.testing.assert_allclose(MODEL.pose(found), MODEL.pose(right), atol=1e-8)


def test_out_of_reach_is_told():
    pose = MODEL.pose(np.radians([0.0, 45.0, -180.0, 0.0, 45.0, 0.0]))
    pose[0, 3] += 1.0
    with pytest.raises(LimitError, match="out of reach"):
        MODEL.joints(pose, np.radians([0.0, 45.0, -180.0, 0.0, 45.0, 0.0]))


@given(st.tuples(*[st.floats(-1.7, 1.7)] * 3))
def test_rotation_vectors_come_back(vector: tuple[float, float, float]):
    v = np.array(vector)
    if np.linalg.norm(v) < 3.1:
        np.testing.assert_allclose(rotation_vector(rotate(v)), v, atol=1e-7)


def standing() -> np.ndarray:
    return np.column_stack([rotate(np.array([0.3, -0.2, 0.5])), [0.5, -0.1, 0.6]])


MOVE = st.tuples(*[st.floats(-0.02, 0.02)] * 3, *[st.floats(-0.15, 0.15)] * 3)


@dear
@given(st.lists(MOVE, min_size=1, max_size=6))
def test_path_is_smooth_and_ends_at_its_last_waypoint(moves: list[tuple[float, ...]]):
    pose = standing()
    path = ContinuousPath(BlendSettings(), pose)
    poses, times, t = [], [], 0.0
    for k, move in enumerate(moves):
        pose = compose(pose, np.array(move))
        path.append(pose, 1.0 + k * PERIOD_S, 1.0 + (k + 1) * PERIOD_S)
        until = path.rest_s if k == len(moves) - 1 else 1.0 + (k + 1) * PERIOD_S - 0.1
        while t <= until:
            times.append(t)
            poses.append(path.at(t))
            t += 0.002
    np.testing.assert_allclose(path.at(path.rest_s), pose, atol=1e-12)
    np.testing.assert_allclose(path.at(path.rest_s + 9.0), pose, atol=1e-12)
    speeds = np.diff([p[:, 3] for p in poses], axis=0) / 0.002
    turns = np.array([rotation_vector(a[:, :3].T @ b[:, :3]) for a, b in itertools.pairwise(poses)])
    fastest = max(math.hypot(*m[:3]) for m in moves) / PERIOD_S
    assert np.max(np.linalg.norm(speeds, axis=1)) <= fastest + 1e-9
    # No jump: the largest change of rate, over the shortest blend.
    steepest = 2.0 * fastest / 0.028
    assert np.max(np.abs(np.diff(speeds, axis=0)), initial=0.0) <= steepest * 0.002 + 1e-9
    fastest_turn = max(math.hypot(*m[3:]) for m in moves) / PERIOD_S
    steepest = 2.0 * fastest_turn / 0.028
    changes = np.abs(np.diff(turns, axis=0)) / 0.002
    assert np.max(changes, initial=0.0) <= 1.2 * steepest * 0.002 + 1e-6


def test_blends_keep_their_tolerance_until_the_turn_is_too_sharp():
    path = ContinuousPath(BlendSettings(), standing())
    forward = np.array([0.1, 0, 0, 0, 0, 0.0])
    for turn_deg, half_s in [(1.0, 0.1), (10.0, 0.0576), (30.0, 0.02), (90.0, 0.014)]:
        c, s = math.cos(math.radians(turn_deg)), math.sin(math.radians(turn_deg))
        after = np.array([0.1 * c, 0.1 * s, 0, 0, 0, 0])
        assert path.half_duration(forward, after) == pytest.approx(half_s, rel=0.01)


SPEEDS = st.floats(0.005, 0.1)
AT_ORIGIN = np.hstack([np.eye(3), np.zeros((3, 1))])


def corner_rates(turn: float, v1: float, v2: float) -> tuple[np.ndarray, np.ndarray]:
    before = np.array([v1, 0, 0, 0, 0, 0.0])
    return before, np.array([v2 * math.cos(turn), v2 * math.sin(turn), 0, 0, 0, 0])


def blended(before: np.ndarray, after: np.ndarray, half_s: float) -> np.ndarray:
    """Places of a blend about the origin, at 2001 times."""
    corner = Corner(0.0, half_s, AT_ORIGIN, before, after)
    return np.array([corner.at(float(t))[:, 3] for t in np.linspace(-half_s, half_s, 2001)])


@given(st.floats(0.01, math.pi / 2), SPEEDS, SPEEDS, st.floats(0.014, 0.1))
def test_a_blend_leaves_the_lines_by_what_is_told_at_unequal_speeds_too(turn, v1, v2, half_s):
    before, after = corner_rates(turn, v1, v2)
    track = blended(before, after, half_s)
    lines = np.array([-half_s * before[:3], np.zeros(3), half_s * after[:3]])
    told = blend_distance_m(before, after, half_s)
    assert distance_to_polyline(track, lines).max() == pytest.approx(told, rel=1e-3)
    estimate = estimated_distance_m(before, after, half_s)
    assert 0.25 * told <= estimate <= told * (1.0 + 1e-12)
    if max(v1, v2) > 2.0 * min(v1, v2):
        assert estimate < 0.75 * told


@dear
@given(st.floats(math.pi / 2 + 1e-6, math.pi), SPEEDS, SPEEDS, st.floats(0.014, 0.1))
def test_a_blend_that_turns_back_passes_the_waypoint_at_what_is_told(turn, v1, v2, half_s):
    before, after = corner_rates(turn, v1, v2)
    at_waypoint = blended(before, after, half_s)[1000]
    told = blend_distance_m(before, after, half_s)
    assert np.linalg.norm(at_waypoint) == pytest.approx(told, rel=1e-9)


def test_the_path_keeps_the_true_distance_of_its_worst_blend():
    """A quarter turn from 100 to 10 mm/s: the controller believes to keep its tolerance."""
    before, after = corner_rates(math.pi / 2, 0.1, 0.01)
    path = ContinuousPath(BlendSettings(), AT_ORIGIN)
    place = AT_ORIGIN.copy()
    for number, rates in enumerate((before, after)):
        place = place.copy()
        place[:, 3] += rates[:3] * PERIOD_S
        path.append(place, number * PERIOD_S, (number + 1) * PERIOD_S)
    half_s = path.half_duration(before, after)
    assert estimated_distance_m(before, after, half_s) <= BlendSettings().tolerance_m
    assert path.worst_blend_m == pytest.approx(blend_distance_m(before, after, half_s))
    assert path.worst_blend_m > 2.0 * BlendSettings().tolerance_m


def circle(seq: int) -> tuple[float, float, float]:
    angle = seq * ROUND_STEP / 0.15
    return (0.0, 0.15 * math.sin(angle), 0.15 * (1.0 - math.cos(angle)))


def zigzag(seq: int) -> tuple[float, float, float]:
    """Turns by 20 degrees to and fro at 100 mm/s."""
    along = ROUND_STEP * math.cos(math.radians(10.0)) * seq
    return (0.0, along, ROUND_STEP * math.sin(math.radians(10.0)) * (seq % 2))


def line(seq: int) -> tuple[float, float, float]:
    return (0.0, ROUND_STEP * seq, 0.0)


@pytest.mark.parametrize("shape", [line, circle, zigzag])
def test_gripper_stays_within_half_a_millimetre_at_100_mm_per_s(shape):
    host = ScriptedHost()
    host.follow(shape, 12)
    host.run(13 * PERIOD_S + 1.5)
    assert host.robot.counts.waypoints == 12
    assert host.robot.state is ArmState.DRY
    corners = np.array([host.start_m + np.array(shape(k)) for k in range(12)])
    track = np.array(host.track)
    assert distance_to_polyline(track, corners).max() < 0.5e-3
    speeds = np.linalg.norm(track[7:] - track[:-7], axis=1) / 0.035  # 40 periods of the servos
    assert 0.098 < speeds.max() < 0.102
    assert np.linalg.norm(track[-1] - corners[-1]) < 0.1e-3


def test_rest_is_reached_without_overshoot():
    host = ScriptedHost()
    host.follow(line, 6)
    host.run(6 * PERIOD_S + 2.0)
    y = np.array(host.track)[:, 1] - host.start_m[1]
    assert np.all(np.diff(y) > -2e-6)
    assert y.max() < line(5)[1] + 0.02e-3


def test_gripper_turns_as_told():
    host = ScriptedHost()
    pose = np.column_stack([host.rotation, host.start_m])
    turn = np.array([0, 0.005, 0, 0.02, -0.03, 0.1])

    def answer(seq: int) -> bytes | None:
        if seq > 5:
            return end_line()
        aim = compose(pose, seq * turn)
        return waypoint_line(seq, location_of(aim[:, 3], aim[:, :3]))

    host.answers = answer
    host.run(5.0)
    position_m, rotation = host.robot.gripper
    wanted = compose(pose, 5 * turn)
    assert np.linalg.norm(position_m - wanted[:, 3]) < 0.1e-3
    assert np.linalg.norm(rotation_vector(wanted[:, :3].T @ rotation)) < math.radians(0.05)


def test_delay_from_request_to_arrival_is_as_stated():
    host = ScriptedHost()
    host.follow(ahead, 8)
    host.run(6 * PERIOD_S)
    asked_s = {int(w[1]): t - 0.015 for t, w in reversed(host.requests)}
    y = np.array(host.track)[:, 1] - host.start_m[1]
    passed_s = 0.005 * (1 + int(np.argmax(y >= ahead(2)[1])))
    # 0.8 s, and 2/wn for the servos
    assert passed_s - asked_s[2] == pytest.approx(0.8 + 2 / 120, abs=0.02)


@pytest.mark.parametrize("bandwidth_rad_s", [50.0, 120.0, 180.0])
def test_joints_lag_by_twice_the_inverse_of_their_bandwidth(bandwidth_rad_s):
    servos = JointServos(
        ServoSettings(bandwidth_rad_s=bandwidth_rad_s, friction_known=1.0), np.zeros(6)
    )
    for k in range(1, 25):
        servos.aim(np.full(6, 0.0056 * k))  # 0.2 rad/s
        servos.run(32)
    lag_s = (servos.setpoint_rad - servos.q_rad) / 0.2
    np.testing.assert_allclose(lag_s, 2.0 / bandwidth_rad_s, atol=2e-5)


def test_servos_keep_rate_and_torque():
    limits = ServoSettings()
    servos = JointServos(limits, np.zeros(6))
    servos.aim(np.full(6, 0.5))  # 18 rad/s
    last = np.zeros(6)
    for _ in range(32):
        servos.run(1)
        rate = servos.rate_rad_s
        assert np.all(np.abs(rate) <= np.array(limits.rate_max_rad_s) + 1e-12)
        # the motor's torque, and friction that is compensated within it
        assert np.all(
            np.abs(rate - last) <= 1.01 * 0.000875 * np.array(limits.acceleration_max_rad_s2)
        )
        last = rate
    assert np.all(servos.q_rad > 0.0)


def test_brakes_stop_the_joints_and_keep_them():
    servos = JointServos(ServoSettings(), np.zeros(6))
    for k in range(1, 20):
        servos.aim(np.full(6, 0.01 * k))
        servos.run(32)
    servos.brake(True)
    servos.run(800)
    assert np.all(servos.rate_rad_s == 0.0)
    stood = servos.q_rad
    servos.run(800)
    servos.brake(False)
    servos.run(800)
    np.testing.assert_allclose(servos.q_rad, stood, atol=1e-12)


@pytest.mark.parametrize(
    ("settings_type", "wrong"),
    [
        (ServoSettings, {"bandwidth_rad_s": 0.0}),
        (ServoSettings, {"friction_known": math.nan}),
        (ServoSettings, {"rate_max_rad_s": (1.0,) * 5}),
        (ServoSettings, {"acceleration_max_rad_s2": (0.0,) * 6}),
        (BlendSettings, {"shortest_s": 0.0}),
        (BlendSettings, {"longest_s": 0.2}),
        (BlendSettings, {"tolerance_m": math.nan}),
        (ReachSettings, {"speed_max_m_s": math.inf}),
        (ReachSettings, {"low_deg": (0.0,) * 5}),
        (ReachSettings, {"high_deg": (-170.0,) * 6}),
    ],
)
def test_settings_that_make_no_sense_are_refused(settings_type, wrong):
    with pytest.raises(ValueError, match="|".join([*wrong, "joint 1", "blends"])):
        settings_type(**wrong)
