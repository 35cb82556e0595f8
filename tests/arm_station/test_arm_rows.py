"""Rows 41 to 44 of the fault catalogue, and the faults of the contour protocol.

Each row is played on the bytes of the emulated robot and judged by a function; the positive control
takes the reaction away, and the very same judgement must object. What the robot was sent and when,
and where its gripper went, is written down at the robot's end of the line.
"""

import math
from dataclasses import replace

import numpy as np
import pytest
from line_bench import PERIOD_S, play

from arm_driver.contour import answers, host, stream
from arm_driver.contour.host_values import HostSettings
from arm_driver.contour.stream import Stream
from arm_driver.link_states import LinkState, StreamResult
from hil.config.errors import RefusedError
from hil.stations.arm.cycle.control import ArmStation
from hil.stations.arm.cycle.loop import ArmLoop
from hil.stations.arm.cycle.waypoint_gate import GatedArm
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.run.bench import prepare_plan

pytestmark = pytest.mark.xdist_group("both arms")


def judge_rest_at(line, prepared, count):
    """The robot stands at the waypoint with this number; 0 is the start."""
    step = prepared.steps[count - 1] if count else None
    X_RT = prepared.mapping.X_RT0 if step is None else step.X_RT
    off_m = float(np.linalg.norm(line.places[-1][1] - X_RT.position_m))
    assert line.at_rest, "the robot is at rest"
    assert off_m < 1e-4, f"{1e3 * off_m:.2f} mm from waypoint {count}, at rest there"


def test_without_a_fault_the_motion_completes(prepared, line, tmp_path):
    """The control of all that follow: nothing else than the fault ends them."""
    result = play(prepared, line, tmp_path)
    assert result.end.result is StreamResult.COMPLETED
    assert len(line.waypoints) == len(prepared.steps)
    judge_rest_at(line, prepared, len(prepared.steps))
    assert [event.data.get("simulated") for event in result.events].count(True) == 1


# Row 41: the robot falls silent.

SILENT_S = 3.0


def judge_row_41(result, line, prepared):
    end = result.end
    assert end.result is StreamResult.LINK_LOST, "the link is called lost"
    assert "no request for 1.05 s" in end.reason
    assert end.report.state is LinkState.OFFLINE
    assert end.waypoints <= end.report.counts.requests, "at most one waypoint in flight"
    assert not line.after(SILENT_S + PERIOD_S), "nothing is fed to a robot that does not ask"
    judge_rest_at(line, prepared, len(line.waypoints))


def test_row_41_a_robot_that_falls_silent_is_not_fed(prepared, line, tmp_path):
    judge_row_41(play(prepared, line, tmp_path, f"silence at_s={SILENT_S}"), line, prepared)


def test_row_41_positive_control(prepared, line, tmp_path, monkeypatch):
    """A host that waits ten minutes for a robot."""
    monkeypatch.setattr(HostSettings, "lost_after_s", property(lambda self: 5.0))
    with pytest.raises(AssertionError, match=r"no request for 1\.05 s|link is called lost"):
        judge_row_41(play(prepared, line, tmp_path, f"silence at_s={SILENT_S}"), line, prepared)


def test_row_41_positive_control_of_feeding(prepared, line, tmp_path, monkeypatch):
    """A host that sends the next waypoint by itself when the robot is late."""
    receive = host.ContourHost.receive

    def eager(self, data, now_s):
        ready = self._stream is not None and self._stream.slot is not None
        if not data and ready and now_s > SILENT_S + PERIOD_S:
            return self._stream.take()[0].line
        return receive(self, data, now_s)

    monkeypatch.setattr(host.ContourHost, "receive", eager)
    with pytest.raises(AssertionError, match=r"at most one waypoint|nothing is fed"):
        judge_row_41(play(prepared, line, tmp_path, f"silence at_s={SILENT_S}"), line, prepared)


def test_row_41_a_robot_that_comes_back_gets_no_catch_up_burst(prepared, line, tmp_path):
    """Silent for longer than the link's patience, then asking again: nothing more is sent."""
    result = play(prepared, line, tmp_path, f"silence at_s={SILENT_S} duration_s=2")
    judge_row_41(result, line, prepared)


# Row 42: the feeder is late.

HANGS_S = 3.0


def hang(monkeypatch, until_s=math.inf):
    """The loop does not look at the link between two times, as a stopped process would not."""
    look = ArmLoop.look

    def hung(self, tick, report):
        if not HANGS_S < tick.t_s < until_s or report.result is not None:
            look(self, tick, report)

    monkeypatch.setattr(ArmLoop, "look", hung)


def judge_row_42(result, line, prepared):
    end = result.end
    assert end.result is StreamResult.RAN_DRY, "the stream ran dry"
    assert "at rest" in end.reason
    assert end.report.counts.empty_slot >= 1
    assert end.waypoints == len(line.waypoints) < len(prepared.steps)
    assert not line.after(HANGS_S + 2 * PERIOD_S), "what came late is not sent any more"
    judge_rest_at(line, prepared, end.waypoints)


def test_row_42_a_feeder_that_is_late_leaves_the_robot_at_rest(
    prepared, line, tmp_path, monkeypatch
):
    hang(monkeypatch)
    judge_row_42(play(prepared, line, tmp_path), line, prepared)


def test_row_42_a_feeder_that_comes_back_does_not_catch_up(prepared, line, tmp_path, monkeypatch):
    hang(monkeypatch, HANGS_S + 6 * PERIOD_S)
    judge_row_42(play(prepared, line, tmp_path), line, prepared)


def test_row_42_positive_control(prepared, line, tmp_path):
    """Without the delay the same judgement objects."""
    with pytest.raises(AssertionError, match="the stream ran dry"):
        judge_row_42(play(prepared, line, tmp_path), line, prepared)


def test_row_42_positive_control_of_going_on(prepared, line, tmp_path, monkeypatch):
    """A host that takes no notice of a robot at rest goes on feeding it when it can again."""
    hang(monkeypatch, HANGS_S + 6 * PERIOD_S)
    monkeypatch.setattr(host, "judged", lambda *request, **heard: None)
    with pytest.raises(AssertionError):
        judge_row_42(play(prepared, line, tmp_path), line, prepared)


# Row 43: a step of the plan is too large.

CORRUPTED, LAST_GOOD = 5, 4


def test_row_43_a_corrupted_plan_is_refused_when_it_is_loaded(prepared, line, monkeypatch):
    from hil.stations.arm.proof import prepare as arm_prepare

    path_of = arm_prepare._gripper_path

    def jumping(plan, source):
        poses, way_m = path_of(plan, source)
        jump = np.array([0.1, 0.0, 0.0])
        moved = [replace(p, position_m=p.position_m + jump) for p in poses[CORRUPTED:]]
        return [*poses[:CORRUPTED], *moved], way_m

    prepare_plan(prepared.plan)  # the control: sound, it is accepted
    monkeypatch.setattr(arm_prepare, "_gripper_path", jumping)
    with pytest.raises(RefusedError) as refusal:
        prepare_plan(prepared.plan)
    told = str(refusal.value)
    assert f"rm01, gripper speed, gripper, pose {CORRUPTED} ({CORRUPTED * PERIOD_S:.2f} s)" in told
    assert "outside the limit 0.1 m/s" in told
    assert not line.answers


def corrupt_offered(monkeypatch):
    """A waypoint changes between the gate and the link."""
    made_by = ArmStation.step

    def corrupted(self):
        made = made_by(self)
        if made.index == CORRUPTED:
            x, y, z = made.X_RT.position_m
            return replace(made, X_RT=made.X_RT.at((x + 0.1, y, z)))
        return made

    monkeypatch.setattr(ArmStation, "step", corrupted)


def corrupt_past_gate(monkeypatch):
    """The same, where nobody compares it with what passed."""
    corrupt_offered(monkeypatch)
    monkeypatch.setattr(GatedArm, "_compare", lambda *args: None)


def corrupt_in_slot(monkeypatch):
    """A waypoint changes while it lies ready."""
    fill = Stream.fill

    def spoilt(self, location):
        fill(self, location)
        if self.sent == LAST_GOOD:
            x, *rest = location.counts
            self.slot = stream.prepare(self.slot.seq, type(location)((x + 10_000, *rest)))

    monkeypatch.setattr(Stream, "fill", spoilt)


def judge_row_43(result, line, prepared, place):
    end = result.end
    assert end.result is StreamResult.REFUSED, "the stream is refused"
    on_the_line = f"number {LAST_GOOD} on the line"  # which counts from 0
    assert f"waypoint {CORRUPTED} ({on_the_line}) as {place}: " in end.reason
    assert "mm in one period of 0.35 s, at most 35.01 mm (100 mm/s)" in end.reason
    assert len(line.waypoints) == LAST_GOOD
    judge_rest_at(line, prepared, LAST_GOOD)


@pytest.mark.parametrize(
    ("corrupt", "place"), [(corrupt_past_gate, "planned"), (corrupt_in_slot, "sent")]
)
def test_row_43_a_corrupted_waypoint_is_refused_when_planned_and_when_sent(
    prepared, line, tmp_path, monkeypatch, corrupt, place
):
    corrupt(monkeypatch)
    judge_row_43(play(prepared, line, tmp_path), line, prepared, place)


@pytest.mark.parametrize(
    ("corrupt", "place"), [(corrupt_past_gate, "planned"), (corrupt_in_slot, "sent")]
)
def test_row_43_positive_control(prepared, line, tmp_path, monkeypatch, corrupt, place):
    """Without the check the waypoint is sent, and the robot has to refuse it."""
    corrupt(monkeypatch)
    monkeypatch.setattr(stream, "check_step", lambda *args, **first: None)
    monkeypatch.setattr(Stream, "outrun", lambda self: "")
    with pytest.raises(AssertionError, match="the stream is refused"):
        judge_row_43(play(prepared, line, tmp_path), line, prepared, place)
    assert len(line.waypoints) > LAST_GOOD


def test_row_43_a_waypoint_that_is_not_the_one_that_passed_is_not_written(
    prepared, line, tmp_path, monkeypatch
):
    corrupt_offered(monkeypatch)
    result = play(prepared, line, tmp_path)
    assert result.end.result is StreamResult.REFUSED
    assert "100.000 mm and 0.0000 deg from the waypoint that passed the gate" in result.end.reason
    assert len(line.waypoints) == LAST_GOOD
    judge_rest_at(line, prepared, LAST_GOOD)


# Row 44: the robot stands elsewhere.


def judge_row_44(result, line):
    end = result.end
    assert end.waypoints == 0, "nothing is sent"
    assert not line.waypoints
    assert not result.ok
    assert "the robot is at x 683.00 y 75.00 z 955.00 mm" in end.reason, (
        "it says where the robot is"
    )
    assert "the start is planned at x 683.00 y 75.00 z 945.00 mm" in end.reason, (
        "and where it should be"
    )
    assert "10.00 mm" in end.reason
    assert "at most 2 mm and 0.5 deg" in end.reason


def test_row_44_a_robot_that_stands_elsewhere_is_not_started(prepared, line, tmp_path):
    judge_row_44(play(prepared, line, tmp_path, "elsewhere value=0.01"), line)


def test_row_44_positive_control(prepared, line, tmp_path, monkeypatch):
    for place in (host, answers):
        monkeypatch.setattr(place, "check_start", lambda *args: None)
    with pytest.raises(AssertionError, match="nothing is sent"):
        judge_row_44(play(prepared, line, tmp_path, "elsewhere value=0.01"), line)


def test_row_44_within_the_tolerance_it_is_started(prepared, line, tmp_path):
    assert play(prepared, line, tmp_path, "elsewhere value=0.0015").ok


# The protocol's faults.


@pytest.mark.parametrize(
    ("fault", "noticed"),
    [
        ("noise value=0.002", ("unparsed", "checksum_errors", "told_checksum_errors")),
        ("parity value=0.002", ("unparsed", "checksum_errors", "told_checksum_errors")),
        ("drop_request at_s=2.9 duration_s=0.3", ()),
        ("drop_answer at_s=3.1 duration_s=0.2", ("repeats",)),
        ("repeat_request value=0.2", ("repeats",)),
        ("repeat_answer value=0.2", ()),
        ("echo", ("echoes",)),
        ("stall value=0.1", ()),
    ],
)
def test_a_bad_line_is_made_good_and_every_waypoint_is_what_it_should_be(
    prepared, line, tmp_path, fault, noticed
):
    result = play(prepared, line, tmp_path, fault)
    assert result.end.result is StreamResult.COMPLETED, result.end
    counts = result.end.report.counts
    assert not noticed or sum(getattr(counts, name) for name in noticed) > 0
    assert len(line.waypoints) == len(prepared.steps)
    judge_rest_at(line, prepared, len(prepared.steps))


@pytest.mark.parametrize("fault", ["noise value=0.2", "parity value=0.2", "drop_answer value=1"])
def test_a_line_too_bad_to_be_made_good_ends_at_rest(prepared, line, tmp_path, fault):
    result = play(prepared, line, tmp_path, f"{fault} at_s=3")
    assert result.end.result in (StreamResult.RAN_DRY, StreamResult.LINK_LOST), result.end
    assert result.end.reason
    assert line.at_rest


@pytest.mark.parametrize(
    ("fault", "result", "words"),
    [
        ("estop at_s=3", StreamResult.HELD, "hold or emergency stop (status 3)"),
        ("power_off at_s=3", StreamResult.HELD, "(status 3)"),
        ("uncalibrated at_s=3", StreamResult.FAULTED, "not calibrated (status 5)"),
    ],
)
def test_a_robot_that_stops_by_itself_gets_nothing_more(
    prepared, line, tmp_path, fault, result, words
):
    found = play(prepared, line, tmp_path, fault)
    assert found.end.result is result
    assert words in found.end.reason
    assert not line.after(3.0 + 2 * PERIOD_S)
    assert line.at_rest


# Supervision; what ends a stream with its own result: test_arm_ends.py.


def test_a_robot_that_never_moves_is_found_at_its_start(prepared, line, tmp_path):
    found = play(prepared, line, tmp_path, "slow value=0")
    assert found.end.result is StreamResult.NOT_FOLLOWING
    assert line.at_rest


def test_without_faults_the_robot_is_well_within_its_windows(prepared, line, tmp_path):
    watched = play(prepared, line, tmp_path).end.report.supervision
    assert watched.following.measured >= len(prepared.steps)
    assert watched.following.share < 0.4, "the windows are twice as wide as what a good robot does"
    assert watched.period.mean_s == pytest.approx(PERIOD_S, abs=1e-3)


def test_each_waypoint_tells_what_is_left_of_the_windows(prepared, line, tmp_path):
    found = play(prepared, line, tmp_path, "period value=0.33 at_s=3")
    told = ArmRecording.open(found.recorder.path).column("watched")
    following, ahead, behind, silence, blank = told.T
    assert np.isnan(told[0, [0, 1, 2, 4]]).all(), "nothing is known before the first request"
    assert 0.0 < following[3:].min() < following[3:].max() < 0.4
    gained = (0.97 * PERIOD_S - 0.33) * np.arange(1, 5)
    assert ahead[-4:] == pytest.approx(ahead[-5] + gained, abs=1e-3)
    assert not behind[3:].any()
    assert not blank[3:].any()
    assert silence[3:8] == pytest.approx([PERIOD_S] * 5, abs=0.011)
    assert silence[-4:] == pytest.approx([0.33] * 4, abs=0.011)
