"""`hil arm goto`: the robot alone, to joints, a place or a scenario's start, while it is held."""

from __future__ import annotations

import json
import signal
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from live_bench import START, live_toml
from moves_bench import (
    AWAY_DEG,
    PERIOD_S,
    READY_DEG,
    RM01,
    Schedule,
    digest_of,
    kept,
    limits_judged_by,
    listen_to,
    places,
    standing,
)
from properties import dear
from typer.testing import CliRunner

from arm_driver.kinematics.puma import Joints, branch_of, forward
from arm_driver.link_states import StreamResult
from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.panel.scene.models.build import scenes_of
from hil.recording.export import export_csv
from hil.report.page import write_report
from hil.stations.arm.cycle.journal import ArmJournal
from hil.stations.arm.cycle.step import MotionPhase
from hil.stations.arm.moves.goto import GotoTarget, plan_goto, start_of
from hil.stations.arm.moves.laws import LEVELS
from hil.stations.arm.moves.move_operators import DRY_NOTE, AlwaysHeld
from hil.stations.arm.moves.proof import neighbours
from hil.stations.arm.report.recording import ArmRecording
from hil.timing.stop import StopSignals
from sim.devices.arm.faults import ArmFault

BY_JOINTS, STRAIGHT = False, True


@pytest.fixture
def truth(monkeypatch):
    return listen_to(monkeypatch)


def joints(joints_deg):
    return GotoTarget.of_joints(RM01, np.array(joints_deg), "joints of a test")


def at(joints_deg):
    q_rad = np.radians(joints_deg)
    return Joints.of(q_rad, branch_of(RM01.geometry(), q_rad))


@cache
def planned(to_deg=AWAY_DEG, from_deg=READY_DEG, part=0.5, straight=False):
    return plan_goto(RM01, at(from_deg), joints(to_deg), part, straight=straight)


def go(session, target, tmp_path, hand=None, part=0.5, straight=False):
    start = start_of(session, target, None)
    move = plan_goto(RM01, start, target, part, straight=straight)
    hand = AlwaysHeld() if hand is None else hand
    moves = f"to {target.name}"
    return move, session.drive(move, start, hand, tmp_path, name="goto", moves=moves)


@pytest.mark.parametrize("straight", [BY_JOINTS, STRAIGHT])
def test_the_gripper_arrives_at_the_joints(truth, tmp_path, straight):
    with standing(READY_DEG) as session:
        _, found = go(session, joints(AWAY_DEG), tmp_path, straight=straight)
    assert found.end.result is StreamResult.COMPLETED, found.end.reason
    assert found.ok
    place, rotation = truth.settle()
    wanted = forward(RM01.geometry(), np.radians(AWAY_DEG))
    assert np.linalg.norm(place - wanted.position_m) < 5e-4
    np.testing.assert_allclose(rotation, wanted.rotation, atol=2e-3)
    assert np.abs(np.degrees(truth.robot.motion.q_rad) - AWAY_DEG).max() < 0.1
    assert any(event.message == DRY_NOTE for event in found.events)


def test_its_recording_tells_of_the_robot_alone_and_its_page_says_what_moved(tmp_path):
    with standing(READY_DEG) as session:
        _, found = go(session, joints(AWAY_DEG), tmp_path)
    recording = ArmRecording.open(found.recorder.path)
    for name in ("space_q", "space_pose", "space_way", "wanted_twist", "rate_command"):
        assert np.isnan(recording.column(name)).all()
    assert recording.waypoints == found.end.waypoints
    np.testing.assert_allclose(np.degrees(recording.column("robot_q")[-1]), AWAY_DEG, atol=1e-6)
    written = export_csv(recording.recording, tmp_path / "cycles.csv")
    assert len(written.read_text().splitlines()) == recording.waypoints + 1
    header = found_header(recording)
    (scene,) = scenes_of(header)
    assert scene.title.endswith(" rm01")
    text = write_report(recording.recording, tmp_path / "page").read_text()
    assert "the robot alone, to joints of a test" in text
    assert "simulated arm" not in text
    assert "Both arms" not in text
    assert "following error" in text


def test_the_waypoints_of_a_journal_come_with_what_the_robot_told(tmp_path, monkeypatch):
    seen, noted = [], ArmJournal.step

    def step(self, tick, step, report):
        seen.append((tick.t_s - report.silence_s, step.index, report.measured))
        noted(self, tick, step, report)

    monkeypatch.setattr(ArmJournal, "step", step)
    with standing(READY_DEG) as session:
        _, found = go(session, joints(AWAY_DEG), tmp_path)
    assert [index for _, index, _ in seen] == list(range(1, found.end.waypoints + 1))
    assert all(measured is not None for _, _, measured in seen)
    np.testing.assert_allclose(np.diff([t_s for t_s, _, _ in seen[1:]]), PERIOD_S, atol=0.015)


def test_let_go_it_rests_on_its_way_and_held_again_it_arrives(truth, tmp_path):
    with standing(READY_DEG) as session:
        hand = Schedule(session.clock.now_s, [(1.0, 4.0), (9.0, 100.0)])
        _, found = go(session, joints(AWAY_DEG), tmp_path, hand)
    assert found.end.result is StreamResult.COMPLETED, found.end.reason
    t_s, where = np.array(truth.t_s), np.array(truth.places_m)
    begun_s = hand.begun_s
    released = np.searchsorted(t_s, begun_s + 4.0)
    assert np.linalg.norm(where[released] - where[t_s < begun_s + 9.0][-1]) < 1.45 * 0.05
    still = where[(t_s > begun_s + 4.0 + 1.9) & (t_s < begun_s + 9.0)]
    assert np.ptp(still, axis=0).max() < 2e-5
    assert any(event.message == "held again; the robot goes on" for event in found.events)


def test_ended_by_its_operator_it_rests_and_that_is_well(truth, tmp_path):
    with standing(READY_DEG) as session:
        hand = Schedule(session.clock.now_s, [(0.0, 100.0)], end_s=3.0)
        _, found = go(session, joints(AWAY_DEG), tmp_path, hand)
    assert found.end.result is StreamResult.CANCELLED
    assert found.ok
    assert found.end.reason == "ended with the key q"
    last = truth.settle()[0]
    assert np.linalg.norm(truth.places_m[-1] - last) < 1e-4
    away = forward(RM01.geometry(), np.radians(AWAY_DEG)).position_m
    assert np.linalg.norm(last - away) > 0.05


@pytest.mark.parametrize("pressed_s", [5.0, 5.17])
def test_ctrl_c_ends_the_stream_at_once_and_at_rest(monkeypatch, truth, tmp_path, pressed_s):
    class AtTime(StopSignals):
        @property
        def asked(self):
            return signal.SIGINT if truth.t_s and truth.t_s[-1] >= pressed_s else None

    monkeypatch.setattr("hil.stations.arm.moves.session.StopSignals", AtTime)
    with standing(READY_DEG) as session:
        _, found = go(session, joints(AWAY_DEG), tmp_path)
    assert (found.end.result, found.ok) == (StreamResult.CANCELLED, True)
    assert found.end.reason == "stopped by the operator"
    truth.settle()
    t_s, where = np.array(truth.t_s), np.array(truth.places_m)
    assert np.linalg.norm(where[t_s <= pressed_s][-1] - where[t_s <= pressed_s - 0.5][-1]) > 0.01
    assert np.ptp(where[t_s > pressed_s + 1.05], axis=0).max() < 1e-4


def test_a_robot_that_falls_silent_ends_it_and_nothing_is_sent_after(truth, tmp_path):
    faults = (ArmFault("silence", at_s=4.0),)
    with standing(READY_DEG, faults=faults) as session:
        _, found = go(session, joints(AWAY_DEG), tmp_path)
    assert found.end.result is StreamResult.LINK_LOST
    assert not found.ok
    sent = len(truth.answers)
    truth.settle()
    assert len(truth.answers) == sent
    truth.judge_silence(4.0, 0.05)


@dear
@given(
    st.lists(st.tuples(st.integers(1, 12), st.integers(1, 8)), min_size=1, max_size=4),
    st.sampled_from([BY_JOINTS, STRAIGHT]),
    st.sampled_from([0.3, 1.0]),
)
def test_let_go_at_any_moment_it_rests_on_its_path_within_its_distance(spans, straight, part):
    """Judged by numbers: waypoints on the line, at most three of them, no further than a period."""
    move = planned(straight=straight, part=part)
    pattern = [held for on, off in spans for held in [True] * on + [False] * off]
    pattern += [False] * LEVELS
    hand = _Pattern(pattern)
    station, steps = move.station(hand), []
    while station.course is MotionPhase.FOLLOWING and hand.left:
        steps.append(station.step())
        hand.turn()
    assert not any(step.violations for step in steps)
    assert not kept([move.path(0.0), *places(steps)], READY_DEG)
    longest = max(_lengths(move.path(0.0), move.steps))
    lengths = _lengths(move.path(0.0), steps)
    assert max(lengths) <= part * RM01.gripper_speed_max_m_s * PERIOD_S * (1.0 + 1e-9)
    for k in range(1, len(steps)):
        if pattern[k - 1] and not pattern[k]:  # let go before waypoint k + 1
            until = next((j for j in range(k, len(steps)) if pattern[j]), len(steps))
            assert sum(lengths[k:until]) <= longest * 1.001, "chords and arc"
            assert max([*lengths[k + LEVELS - 1 : until], 0.0]) < 1e-12
    assert max(_off_line(move, step, straight) for step in steps) < 1e-9


def test_brought_to_rest_by_the_loop_it_waits_until_it_is_to_go_on():
    move = planned(straight=BY_JOINTS, part=1.0)
    station = move.station(AlwaysHeld())
    for _ in range(5):
        station.step()
    station.resting = True
    shares = [station.step().share for _ in range(5)]
    assert shares == [2 / 3, 1 / 3, 0.0, 0.0, 0.0]
    station.resting = False
    assert station.step().share == 1 / 3


def found_header(recording):
    return recording.recording.header


class _Pattern:
    """An operator by waypoints."""

    end_reason = ""

    def __init__(self, pattern):
        self.left = list(pattern)

    @property
    def held(self):
        return self.left[0]

    def turn(self):
        self.left.pop(0)

    def listen(self):
        pass


def _lengths(start, steps):
    spots = np.array([start.position_m, *(step.X_RT.position_m for step in steps)])
    return np.linalg.norm(np.diff(spots, axis=0), axis=1).tolist()


def _off_line(move, step, straight):
    """Distance of a waypoint from the line between start and target [rad, m]."""
    if straight:
        begin, end = move.path(0.0).position_m, move.path(1.0).position_m
        here = step.X_RT.position_m
    else:
        begin, end, here = np.radians(READY_DEG), np.radians(AWAY_DEG), step.joints.q_rad
    along = (end - begin) / np.linalg.norm(end - begin)
    off = (here - begin) - along * np.dot(along, here - begin)
    return float(np.linalg.norm(off))


def test_all_that_an_operator_can_do_is_among_the_ways_that_are_proved():
    """Held and let go at random: each three waypoints in a row, in units of the law."""
    known, draw = set(neighbours(30)), np.random.default_rng(5)
    for _ in range(300):
        row, unit, pace = [0, 0], 0, 0
        while unit < 30 and len(row) < 200:
            pace = min(pace + 1, 3) if draw.random() < 0.6 else max(pace - 1, 0)
            unit = min(unit + pace, 30)
            row.append(unit)
        assert set(zip(row, row[1:], row[2:], strict=False)) <= known


@pytest.mark.parametrize(
    ("to_deg", "straight", "words"),
    [
        ([20.0, 65.0, -175.0, 10.0, -50.0, 0.0], BY_JOINTS, "between two postures"),
        ([170.0, 45.0, -180.0, 0.0, 45.0, 0.0], BY_JOINTS, "joint 1"),
        ([0.0, 45.0, -180.0, 0.0, 3.0, 0.0], BY_JOINTS, "wrist singularity"),
        ([0.0, 45.0, -91.0, 0.0, 45.0, 0.0], BY_JOINTS, "elbow singularity"),
        ([150.0, 45.0, -180.0, 0.0, 45.0, 0.0], STRAIGHT, "joint"),
        ([0.0, -20.0, -180.0, 0.0, 45.0, 0.0], BY_JOINTS, "table"),
    ],
)
def test_what_does_not_pass_is_refused_before_the_first_byte(
    truth, tmp_path, to_deg, straight, words
):
    with standing(READY_DEG) as session, pytest.raises(RefusedError) as refusal:
        go(session, joints(to_deg), tmp_path, straight=straight)
    assert words in str(refusal.value)
    assert "nothing has been sent" in str(refusal.value)
    assert not truth.answers
    assert not list(tmp_path.iterdir())


def test_every_waypoint_is_judged_by_the_limits_of_the_file(monkeypatch, tmp_path):
    seen = limits_judged_by(monkeypatch)
    with standing(READY_DEG) as session:
        hand = Schedule(session.clock.now_s, [(0.0, 3.0), (5.0, 100.0)])
        _, found = go(session, joints(AWAY_DEG), tmp_path, hand)
    assert len(seen) >= found.end.waypoints
    assert set(seen) == {digest_of((RM01.gate_limits(),))}


def call(*arguments):
    return CliRunner().invoke(app, ["arm", "goto", "rm01", *arguments])


def test_the_command_drives_to_where_a_scenario_begins(truth, tmp_path):
    source = 'kind = "keyboard"'
    scenario = live_toml(tmp_path / "scenario.toml", source)
    near = ",".join(f"{angle - 5.0:g}" for angle in START["start_joints_deg"])
    result = call(
        "--start-of", str(scenario), "--at-joints", near, "--json", "--out", str(tmp_path / "runs")
    )  # fmt: skip
    told = json.loads(result.stdout)
    assert (result.exit_code, told["ok"], told["result"]) == (0, True, "completed"), told
    truth.settle()
    reached = np.degrees(truth.robot.motion.q_rad)
    assert np.abs(reached - START["start_joints_deg"]).max() < 0.2
    again = ",".join(f"{angle:.4f}" for angle in reached)
    result = call("--start-of", str(scenario), "--at-joints", again, "--pose", "1,2,3,4,5,6")
    assert result.exit_code == 2
    assert "one of --joints, --pose and --start-of" in result.output


def test_the_command_drives_to_a_place_and_does_nothing_if_it_is_there(truth, tmp_path):
    pose = "650,-100,700,95,3,2"
    result = call("--pose", pose, "--straight", "--json", "--out", str(tmp_path))
    assert json.loads(result.stdout)["result"] == "completed"
    place, _ = truth.settle()
    np.testing.assert_allclose(1e3 * place, [650.0, -100.0, 700.0], atol=0.5)
    result = call("--joints", "0,45,-180,0,45,0", "--json")
    told = json.loads(result.stdout)
    assert (result.exit_code, told["ok"], told["result"]) == (0, True, None)
    assert "already" in told["reason"]


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--joints", "1,2,3"], 2, "6 are needed"),
        (["--joints", "0,45,-180,0,45,0", "--speed", "101"], 2, "at most 100 mm/s"),
        (["--joints", "0,45,-180,0,45,0", "--speed", "nan"], 2, "--speed"),
        (["--pose", "9000,0,0,0,0,0"], 1, "out of reach"),
        (["--joints", "0,45,-180,0,45,0", "--arm-link", "serial:/dev/x", "--clock", "virtual"], 2,
         "real clock"),
        (["--joints", "0,45,-180,0,45,0", "--arm-link", "nonsense"], 2, "--arm-link"),
        (["--joints", "0,50,-180,0,45,0", "--clock", "real"], 1, "there is no terminal"),
    ],
)  # fmt: skip
def test_a_wrong_command_line_is_refused(arguments, status, words):
    result = call(*arguments)
    assert result.exit_code == status, result.output
    assert words in result.output
