"""Stops of a heavy elastic arm: the robot does not repeat how it swings out, the recording does."""

import contextlib
import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from live_bench import START, live_table, source_maker, typed
from stop_bench import watch

import hil.stations.arm.run.bench
from arm_driver.link_states import StreamResult
from hil.desk.order import LatestOrder
from hil.desk.run_end import EndCause, EndStep
from hil.report.run_verdict import Ending
from hil.stations.arm.cycle.dead_man import RELEASED_S, REST_AFTER_S
from hil.stations.arm.cycle.loop import ArmLoop
from hil.stations.arm.lead.operator import ArmOperator
from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.run.bench import prepare_plan, run_arm
from hil.stations.arm.signals import ArmFlag
from sim.devices.arm.faults import parse_arm_words
from sim.world.space_arm.simulator import TICK_S

pytestmark = pytest.mark.xdist_group("both arms")

AT_REST_WITHIN_S = 3 * TICK_S
BLEND_S = 0.1
"""For so long after a waypoint the speed changes to that of the next segment."""
SPEED_M_S = 0.02
"""Of the live motion: so slow that its swing passes the gate's limit of corners."""
RISE_M_S = 2e-4
"""What the servos' own ripple makes of a speed that falls."""
SWINGING = {
    "station": "arm",
    "name": "swinging",
    "space_arm": {"model": "e"},
    "mapping": START,
    "source": {
        "kind": "profile",
        "frame": "base",
        "segment": [{"duration_s": 9.0, "velocity_m_s": [0.0, 0.0, 0.04]}],
    },
}


def plan_of(table):
    return arm_plan_from_table(json.loads(json.dumps(table)), Path("stop.toml"), ())


@pytest.fixture(scope="module")
def prepared():
    return prepare_plan(plan_of(SWINGING))


def speeds_after(watched, wish_s):
    """Speeds of the gripper from the first waypoint after the wish on, its blend over [m/s]."""
    return watched.speeds(wish_s + TICK_S + BLEND_S, watched.t_s[-1])[1]


@pytest.mark.parametrize("wish_s", [4.0, 4.1, 4.2, 4.3, 8.0])
def test_the_robot_rests_within_three_waypoints_of_the_wish_and_is_never_faster_again(
    prepared, monkeypatch, tmp_path, wish_s
):
    watched = watch(monkeypatch, wish_s)
    result = run_arm(prepared, tmp_path)
    assert result.ok
    assert result.end.result is StreamResult.CANCELLED
    assert result.end.reason == "stopped by the operator"
    _, before = watched.speeds(wish_s - 0.5, wish_s)
    assert before.max() > 0.02, "it moved"
    after = speeds_after(watched, wish_s)
    assert np.diff(after).max() < RISE_M_S
    assert watched.rest_s(wish_s) <= wish_s + AT_REST_WITHIN_S
    assert watched.t_s[-1] > wish_s + 2 * TICK_S, "it was watched long enough"


def test_positive_control_along_the_path_it_would_have_gone_on(prepared, monkeypatch, tmp_path):
    """The same judgement of a stop that lets the robot repeat what the space arm does."""
    wish_s = 4.0

    def along_the_path(self, tick, why):
        self._station.stop(why)
        if (report := self._wire.poll()).wants:
            self._offer(tick, report)

    monkeypatch.setattr(ArmLoop, "_cancel", along_the_path)
    watched = watch(monkeypatch, wish_s)
    run_arm(prepared, tmp_path)
    assert watched.rest_s(wish_s) > wish_s + AT_REST_WITHIN_S


def test_the_space_arm_is_recorded_to_its_rest_and_the_robot_where_it_rests(
    prepared, monkeypatch, tmp_path
):
    watch(monkeypatch, 4.0)
    result = run_arm(prepared, tmp_path)
    run, sent = ArmRecording.open(result.recorder.path), result.end.waypoints
    index = run.column("index")
    np.testing.assert_array_equal(index, np.arange(1, len(index) + 1))
    alone = np.asarray(np.isnan(run.column("sent_location")).any(axis=1))
    assert alone.sum() > 8, "a heavy arm takes seconds"
    assert int(np.argmax(alone)) == sent + 1, "one lay in the slot and was not sent"
    assert not run.recording.gaps
    ways = np.diff(run.column("space_pose")[:, :3], axis=0)
    speeds = np.linalg.norm(ways, axis=1) / TICK_S
    assert speeds[-1] < 0.02 < np.where(alone[1:], speeds, 0.0).max()
    rates = run.column("rate_command")[alone]
    assert not rates[-1].any()
    assert (np.diff(np.abs(rates), axis=0) <= 1e-12).all(), "smoothly"
    last = index == sent
    np.testing.assert_array_equal(
        run.column("target_pose")[alone], np.repeat(run.column("target_pose")[last], alone.sum(), 0)
    )
    np.testing.assert_array_equal(
        run.column("robot_q")[alone], np.repeat(run.column("robot_q")[last], alone.sum(), 0)
    )
    flags = run.column("flags")
    assert (flags[alone] & ArmFlag.STOP_ASKED).all()
    assert not (flags & ArmFlag.OUT_OF_REACH).any()
    assert not flags[: sent - 1].any()


@pytest.mark.parametrize(
    ("longest_s", "fault", "why"),
    [
        (2.0, (), "the motion lasted longer than 2 s"),
        (600.0, (parse_arm_words(["silence", "at_s=4"]),), "link lost: no request for"),
    ],
)
def test_an_end_that_nobody_asked_for_is_told_to_the_panels_while_it_is_under_way(
    prepared, monkeypatch, tmp_path, longest_s, fault, why
):
    told = []

    class Panels:
        def publish(self, t_s, operation):
            told.append(operation)

    @contextlib.contextmanager
    def led(plan, header, now_s):
        yield ArmOperator(LatestOrder.local(), Panels(), now_s, live=False)

    monkeypatch.setattr(hil.stations.arm.run.bench, "open_arm_desk", led)
    scenario = prepared.plan.scenario.model_copy(update={"longest_s": longest_s})
    ended = replace(prepared, plan=prepared.plan.model_copy(update={"scenario": scenario}))
    result = run_arm(ended, tmp_path, faults=fault, operator=True)
    ends = [one.end for one in told if one.end is not None]
    assert {(end.cause, end.step) for end in ends} == {(EndCause.CONTROL, EndStep.STOPPING)}
    assert ends[0].why.startswith(why)
    assert len(ends) > 5, "there is time to read it"
    assert result.end.reason == ends[-1].why
    assert {one.playing for one in told if one.end is None} == {"play"}
    assert told[-1].playing == ""


def test_the_report_judges_the_robot_by_what_it_was_sent(prepared, monkeypatch, tmp_path):
    watch(monkeypatch, 4.0)
    result = run_arm(prepared, tmp_path)
    view = ArmView.of(ArmRecording.open(result.recorder.path))
    assert view.verdict.ending is Ending.STOPPED
    assert view.fetches.sent_exact
    assert view.shown.sum() == result.end.waypoints
    assert view.tracking is not None
    assert view.tracking.distance_m.max() < 1e-3


def test_a_lost_robot_does_not_leave_the_space_arm_in_the_middle_of_its_swing(prepared, tmp_path):
    result = run_arm(prepared, tmp_path, faults=(parse_arm_words(["silence", "at_s=4"]),))
    assert result.end.result is StreamResult.LINK_LOST
    run = ArmRecording.open(result.recorder.path)
    assert not run.column("rate_command")[-1].any()
    assert run.waypoints > result.end.waypoints + 8
    assert not (run.column("flags") & ArmFlag.STOP_ASKED).any(), "nobody asked"


def test_events_are_told_in_the_order_of_one_clock(prepared, monkeypatch, tmp_path):
    watch(monkeypatch, 4.0)
    times = [event.t_s for event in run_arm(prepared, tmp_path).events]
    assert times == sorted(times)


def live_run(board: tuple[int, int], monkeypatch, tmp_path, model, press_s, ends_s):
    """Hold a key, let go, and much later end the motion with its key."""
    source = {"kind": "keyboard", "frame": "base", "limits": {"linear_m_s": SPEED_M_S}}
    table = live_table(source) | {"space_arm": {"model": model}, "longest_s": 30.0}
    keys = [(float(t_s), typed(*board, b"r")) for t_s in np.arange(1.0, 1.0 + press_s, 0.03)]
    acts = [*keys, (ends_s, typed(*board, b"q"))]
    made = source_maker(lambda *_: acts, keyboard_fd=board[1])
    monkeypatch.setattr("hil.stations.arm.run.bench.source_of", made)
    return run_arm(prepare_plan(plan_of(table)), tmp_path)


LET_GO_S = 4.0
HOLD_S = 0.2
"""For which a key counts as held after it came."""


def test_a_dead_man_let_go_brings_the_robot_to_rest_and_the_stream_lasts(
    board, monkeypatch, tmp_path
):
    """The elastic arm swings for many seconds; the robot stands 3.05 s after the dead-man is let
    go, and the stream is the operator's to end."""
    watched = watch(monkeypatch)
    result = live_run(board, monkeypatch, tmp_path, "e", LET_GO_S - 1.0, 14.0)
    assert result.end.result is StreamResult.COMPLETED
    assert result.end.reason == "ended with the key q"
    let_go_s = LET_GO_S + HOLD_S
    assert let_go_s < watched.rest_s(let_go_s) <= let_go_s + RELEASED_S + AT_REST_WITHIN_S
    rests_s = next(e.t_s for e in result.events if "the robot rests" in e.message)
    assert rests_s == pytest.approx(let_go_s + REST_AFTER_S, abs=0.1)
    braking_s = rests_s + TICK_S  # until then it has the waypoint before
    assert np.diff(speeds_after(watched, braking_s)).max() < RISE_M_S
    wanted = ArmRecording.open(result.recorder.path).column("wanted_twist")[:, 2]
    assert max(wanted) == pytest.approx(SPEED_M_S)
    falls = wanted[int(np.argmax(wanted)) :]
    assert np.diff(falls).min() > -0.05 * TICK_S * 1.01, "the wish goes to zero smoothly"


def test_a_dead_man_let_go_leaves_a_robot_at_rest_to_its_operator(board, monkeypatch, tmp_path):
    """The light arm rests within two seconds: the stream lasts until the operator ends it."""
    result = live_run(board, monkeypatch, tmp_path, "b", 2.0, 10.0)
    assert result.end.result is StreamResult.COMPLETED
    assert result.end.reason == "ended with the key q"
