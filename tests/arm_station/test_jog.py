"""`hil arm jog`: while a key is held, or a step at a press; before every limit it rests."""

from __future__ import annotations

import numpy as np
import pytest
from campaign import count
from hypothesis import given, settings
from hypothesis import strategies as st
from moves_bench import (
    PERIOD_S,
    READY_DEG,
    RM01,
    digest_of,
    kept,
    limits_judged_by,
    listen_to,
    places,
    standing,
)
from properties import dear

from arm_driver.kinematics.puma import Joints, branch_of, forward
from arm_driver.link_states import StreamResult
from hil.config.errors import RefusedError
from hil.stations.arm.cycle.judge import RobotJudge
from hil.stations.arm.moves.jog import JogMover, full_rate, run_jog
from hil.stations.arm.moves.laws import LEVELS
from hil.stations.arm.moves.paths import Axes, Ray
from hil.stations.arm.moves.station import RobotStation
from hil.stations.arm.report.recording import ArmRecording
from hil_common.arrays.pose import angle_between_rad
from sim.devices.arm.faults import ArmFault

GEOMETRY = RM01.geometry()
STEPS_MAX = 900


class Keys:
    """An operator without a terminal: what is held, and what is pressed."""

    def __init__(self, direction=None, *, stepping=False):
        self.direction, self.pressed, self.stopped, self.end_reason = direction, None, False, ""
        self._stepping, self._busy = stepping, False

    @property
    def held(self):
        if self._stepping:
            return self._busy or self.pressed is not None
        return self.direction is not None

    def take_press(self):
        pressed, self.pressed = self.pressed, None
        return pressed

    def busy(self, under_way):
        self._busy = under_way
        self.stopped = self.stopped and under_way

    def listen(self):
        pass

    def close(self):
        pass


def jogged(q_deg, keys, axes=Axes.BASE, part=0.3, step=None):
    judge = RobotJudge.at(RM01, np.radians(q_deg))
    mover = JogMover(GEOMETRY, RM01.gate_limits(), judge, keys, axes, part, step)
    station = RobotStation(RM01, judge, mover, keys)
    return station, mover


def moved(step, before):
    """Whether two waypoints are apart."""
    return bool(np.abs(step.joints.q_rad - before.joints.q_rad).max() > 1e-9)


def until_it_rests(station, most=STEPS_MAX):
    """Steps up to the first that repeats the one before; none of them is refused."""
    steps = [station.step()]
    while len(steps) < most:
        steps.append(station.step())
        assert not steps[-1].violations, steps[-1].refusals
        if not moved(steps[-1], steps[-2]):
            return steps
    raise AssertionError("it never came to rest")


def agreeable(draw):
    """Joints of a robot that may be moved from there, at random."""
    low, high = np.degrees(GEOMETRY.position_min_rad), np.degrees(GEOMETRY.position_max_rad)
    while True:
        q_deg = draw.uniform(low, high)
        try:
            RobotJudge.at(RM01, np.radians(q_deg))
        except RefusedError:
            continue
        return q_deg


def candidates(ray, way, level, pace):
    """The two ways on from a state that were open: more pace or the same, and then to rest."""
    for begin in dict.fromkeys((min(level + 1, LEVELS), max(level, 1))):
        ways = way + np.cumsum([pace * k / LEVELS for k in range(begin, -1, -1)])
        yield [ray.pose(along) for along in ways]


@pytest.mark.campaign
@settings(max_examples=count(600, 12))
@given(
    st.integers(0, 2**32 - 1),
    st.sampled_from(list(Axes)),
    st.integers(0, 5),
    st.sampled_from([-1.0, 1.0]),
    st.sampled_from([0.4, 1.0]),
)
def test_towards_any_limit_it_rests_before_it_within_the_way_of_a_period(
    seed, axes, axis, sign, part
):
    """Joints, singularities, bodies and table: `kinematics.workspace` judges, not the gate."""
    q_deg = agreeable(np.random.default_rng(seed))
    keys = Keys((axis, sign))
    station, _ = jogged(q_deg, keys, axes, part)
    ray = Ray(GEOMETRY, axes, np.radians(q_deg), axis, sign)
    pace = full_rate(ray, RM01.gate_limits(), part) * PERIOD_S
    steps = []
    while not station.note:
        steps.append(station.step())
        assert not steps[-1].violations, steps[-1].refusals
        assert len(steps) < STEPS_MAX, "every axis has an end"
    done = steps[:-1]
    level = round(LEVELS * done[-1].share) if done else 0
    way = pace * sum(step.share for step in done)
    for ahead in candidates(ray, way, level, pace):
        assert kept([ray.pose(0.0), *places(done), *ahead], q_deg), "it could have gone on"
    assert "rests before its limit" in station.note
    steps += until_it_rests(station)
    assert pace * sum(step.share for step in steps) - way <= pace * 1.0001
    assert not kept([ray.pose(0.0), *places(steps)], q_deg)
    keys.direction = (axis, -sign)
    away = [station.step() for _ in range(3)]
    assert not any(step.violations for step in away)
    assert moved(away[-1], steps[-1]) or station.note or not done


@dear
@given(st.integers(0, 2**32 - 1), st.sampled_from(list(Axes)))
def test_let_go_it_rests_within_three_waypoints_and_turns_without_a_jump(seed, axes):
    """Keys at random: let go, others, the same again; judged as one path."""
    draw = np.random.default_rng(seed)
    keys = Keys()
    station, _ = jogged(READY_DEG, keys, axes, part=draw.choice([0.2, 1.0]))
    steps, released = [], 0
    for _ in range(12):
        keys.direction = None
        if draw.random() < 0.6:
            keys.direction = (int(draw.integers(0, 6)), float(draw.choice([-1.0, 1.0])))
        for _ in range(int(draw.integers(1, 7))):
            steps.append(station.step())
            assert not steps[-1].violations, steps[-1].refusals
            released = 0 if keys.held else released + 1
            if released >= LEVELS:
                assert steps[-1].share == 0.0
                assert not moved(steps[-1], steps[-2])
    assert not kept([forward(GEOMETRY, np.radians(READY_DEG)), *places(steps)], READY_DEG)


@pytest.mark.parametrize("other", [(1, 1.0), (2, -1.0), (5, 1.0)])
def test_another_key_first_brings_it_to_rest_and_then_moves_its_own_axis(other):
    keys = Keys((2, 1.0))
    station, _ = jogged(READY_DEG, keys, part=0.3)
    before = [station.step() for _ in range(6)][-1].X_RT
    keys.direction = other
    after = [station.step() for _ in range(8)]
    heights = np.array([step.X_RT.position_m[2] for step in after]) - before.position_m[2]
    pace = 0.3 * RM01.gripper_speed_max_m_s * PERIOD_S
    np.testing.assert_allclose(heights[:3], [pace * 2 / 3, pace, pace], atol=1e-9)
    assert after[2].share == 0.0
    ways = [after[-1].X_RT.position_m[k] - after[2].X_RT.position_m[k] for k in range(3)]
    expected = np.zeros(3)
    if other[0] < 3:
        expected[other[0]] = other[1] * pace * (1 / 3 + 2 / 3 + 3)
    np.testing.assert_allclose(ways, expected, atol=1e-9)


@pytest.mark.parametrize(
    ("axes", "press", "way"),
    [
        (Axes.BASE, (2, -1.0), [0.0, 0.0, -5e-3]),
        (Axes.TOOL, (0, 1.0), None),
        (Axes.BASE, (5, 1.0), None),
        (Axes.JOINT, (3, -1.0), None),
    ],
)
def test_a_press_is_one_step_from_rest_to_rest(axes, press, way):
    keys = Keys(stepping=True)
    station, _ = jogged(READY_DEG, keys, axes, step=(5e-3, np.radians(2.0)))
    begin = forward(GEOMETRY, np.radians(READY_DEG))
    keys.pressed = press
    steps = [station.step() for _ in range(12)]
    end = steps[-1].X_RT
    if axes is Axes.JOINT:
        off = np.degrees(steps[-1].joints.q_rad) - READY_DEG
        assert off[press[0]] == pytest.approx(press[1] * 2.0)
        assert np.abs(np.delete(off, press[0])).max() < 1e-9
    elif press[0] >= 3:
        assert np.degrees(angle_between_rad(begin, end)) == pytest.approx(2.0)
        assert np.linalg.norm(end.position_m - begin.position_m) < 1e-9
    else:
        wanted = 5e-3 * begin.rotation[:, 0] if way is None else way
        np.testing.assert_allclose(end.position_m - begin.position_m, wanted, atol=1e-9)
    assert not moved(steps[-1], steps[-2])
    assert not kept([begin, *places(steps)], READY_DEG)
    keys.pressed = press
    keys.stopped = True  # it was asked to stop before: a press is a new step
    keys.busy(False)
    steps += [station.step() for _ in range(3)]
    keys.stopped = True
    steps += [station.step() for _ in range(4)]
    assert not moved(steps[-1], steps[-2])
    assert not kept([begin, *places(steps)], READY_DEG)


def test_a_step_beyond_a_limit_is_not_begun_and_says_which():
    q_deg = np.array(READY_DEG)
    q_deg[0] = 159.0
    keys = Keys(stepping=True)
    station, _ = jogged(q_deg, keys, Axes.JOINT, step=(5e-3, np.radians(2.0)))
    keys.pressed = (0, 1.0)
    step = station.step()
    assert "joint 1 +: the step is not made: rm01, joint 1: position" in station.note
    assert np.abs(np.degrees(step.joints.q_rad) - q_deg).max() < 1e-9
    keys.pressed = (0, -1.0)
    steps = [station.step() for _ in range(10)]
    assert np.degrees(steps[-1].joints.q_rad)[0] == pytest.approx(157.0)


class Timed(Keys):
    """An operator who holds directions in given spans of a clock."""

    def __init__(self, now_s, spans, end_s):
        super().__init__()
        self._now_s, self._spans, self._end_s, self._begun_s = now_s, spans, end_s, now_s()

    def listen(self):
        since_s = self._now_s() - self._begun_s
        held = [way for begin, end, way in self._spans if begin <= since_s < end]
        self.direction = held[0] if held else None
        self.end_reason = "ended with the key q" if since_s >= self._end_s else ""


def run(tmp_path, spans, end_s, axes=Axes.BASE, q_deg=READY_DEG, **choice):
    with standing(q_deg, **choice) as session:
        q_rad = np.radians(q_deg)
        start = Joints.of(q_rad, branch_of(GEOMETRY, q_rad))
        hand = Timed(session.clock.now_s, spans, end_s)
        return run_jog(session, start, hand, axes, 0.2, tmp_path)


def test_a_session_moves_the_gripper_as_the_keys_say(monkeypatch, tmp_path):
    truth, seen = listen_to(monkeypatch), limits_judged_by(monkeypatch)
    spans = [(1.0, 4.0, (2, 1.0)), (7.0, 9.0, (1, -1.0))]
    found = run(tmp_path, spans, end_s=14.0)
    assert found.end.result is StreamResult.COMPLETED, found.end.reason
    assert found.end.reason == "ended with the key q"
    place = truth.settle()[0] - truth.places_m[0]
    assert 0.045 < place[2] < 0.075, "3 s at 20 mm/s, less what the ramps take"
    assert -0.055 < place[1] < -0.025
    assert abs(place[0]) < 1e-4
    t_s, where = np.array(truth.t_s), np.array(truth.places_m)
    still = where[(t_s > t_s[0] + 13.0)]
    assert np.ptp(still, axis=0).max() < 2e-5
    assert set(seen) == {digest_of((RM01.gate_limits(),))}
    assert ArmRecording.open(found.recorder.path).waypoints == found.end.waypoints


class Presser(Keys):
    """An operator who presses a key at given times of a clock."""

    def __init__(self, now_s, presses, end_s):
        super().__init__(stepping=True)
        self._now_s, self._presses, self._end_s, self._begun_s = now_s, presses, end_s, now_s()

    def listen(self):
        since_s = self._now_s() - self._begun_s
        if self._presses and since_s >= self._presses[0][0]:
            self.pressed = self._presses.pop(0)[1]
        self.end_reason = "ended with the key q" if since_s >= self._end_s else ""


def test_steps_of_a_session_are_made_after_any_rest(monkeypatch, tmp_path):
    """The dead-man has long been let go when the key is pressed: a press is what holds."""
    truth, up = listen_to(monkeypatch), (2, 1.0)
    with standing(READY_DEG) as session:
        q_rad = np.radians(READY_DEG)
        start = Joints.of(q_rad, branch_of(GEOMETRY, q_rad))
        hand = Presser(session.clock.now_s, [(4.0, up), (9.0, up), (14.0, (1, -1.0))], end_s=19.0)
        step = (5e-3, np.radians(2.0))
        found = run_jog(session, start, hand, Axes.BASE, 0.2, tmp_path, step=step)
    assert found.end.result is StreamResult.COMPLETED, found.end.reason
    way_mm = 1e3 * (truth.settle()[0] - truth.places_m[0])
    np.testing.assert_allclose(way_mm, [0.0, -5.0, 10.0], atol=0.05)


def test_towards_a_joints_end_the_robot_itself_rests_and_goes_away_again(monkeypatch, tmp_path):
    truth = listen_to(monkeypatch)
    spans = [(1.0, 14.0, (0, 1.0)), (15.0, 18.0, (0, -1.0))]
    q_deg = [155.0, 45.0, -180.0, 0.0, 45.0, 0.0]
    found = run(tmp_path, spans, end_s=22.0, axes=Axes.JOINT, q_deg=q_deg)
    assert found.end.result is StreamResult.COMPLETED, found.end.reason
    (said,) = [event.message for event in found.events if "no further" in event.message]
    assert (
        "joint 1 +: no further, the robot rests before its limit: rm01, joint 1: position" in said
    )
    joint = np.degrees(ArmRecording.open(found.recorder.path).column("robot_q")[:, 0])
    assert 158.0 < joint.max() < 160.0
    truth.settle()
    assert np.degrees(truth.robot.motion.q_rad)[0] < joint.max() - 1.0


def test_a_robot_that_falls_silent_while_it_is_jogged_rests(monkeypatch, tmp_path):
    truth = listen_to(monkeypatch)
    faults = (ArmFault("silence", at_s=5.0),)
    found = run(tmp_path, [(1.0, 60.0, (2, 1.0))], end_s=30.0, faults=faults)
    assert found.end.result is StreamResult.LINK_LOST
    sent = len(truth.answers)
    truth.settle()
    assert len(truth.answers) == sent
    truth.judge_silence(5.0, 0.02)
