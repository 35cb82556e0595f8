"""The whole bench in dry runs: completes, repeats bit for bit, stops together, leaves in order."""

import itertools
import math
import os
import signal

import numpy as np
import pytest
from bench_plans import HEAVE, TOO_FAR, plan

import hil.run.run
import hil.stations.platform.bench.bench
import hil.stations.platform.cycle.control
from drives.bank import DriveError
from hil.machines.rig.machine import gate_limits, soft_range_m
from hil.recording.events import EventKind
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.recording.recorder import Recorder
from hil.run.evidence import evidence_of, in_motion, verdicts_of
from hil.stations.platform.bench.bench import run
from hil.stations.platform.cycle.control import PlatformStation
from hil.stations.platform.cycle.journal import PlatformJournal
from hil.stations.platform.cycle.supervisor import Outcome, Supervisor
from hil.stations.platform.lead.park_path import ParkPath
from hil.stations.platform.motion.moves import move
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.proof.check import check_plan
from hil.stations.platform.signals import CycleFlag
from hil.timing.clock import VirtualClock
from hil_common.arrays.pose import Pose
from safety.modes import Mode
from safety.stream import SetpointStream


def run_and_read(tmp_path, the_plan):
    result = run(the_plan, tmp_path)
    return result, Recording.open(result.recorder.path)


# Several tests look at the same runs, all of them in one worker.
pytestmark = pytest.mark.xdist_group("dry runs")


@pytest.fixture(scope="module")
def good_run(tmp_path_factory):
    """The short motion from power-up to parked, which nobody changes."""
    return run_and_read(tmp_path_factory.mktemp("good"), plan())


@pytest.fixture(scope="module")
def longer_run(tmp_path_factory):
    """Five seconds of the motion without any fault."""
    return run(plan(motion=HEAVE | {"duration_s": 5.0}), tmp_path_factory.mktemp("longer"))


def modes_in_order(recording):
    return [event.data["mode"] for event in recording.events if event.kind is EventKind.MODE]


def test_a_motion_is_played_from_power_up_to_parked(good_run):
    the_plan = plan()
    result, recording = good_run
    assert result.outcome is Outcome.COMPLETED
    assert result.ok
    assert result.reason == ""
    expected = ["IDLE", "HOMING", "STANDBY", "ENGAGING", "ENGAGED", "PARKING", "STANDBY", "OFF"]
    assert modes_in_order(recording) == expected
    assert verdicts_of(recording) == []
    assert recording.cycles == result.cycles
    assert recording.dropped == 0
    evidence = evidence_of(recording, np.array(the_plan.rig.cylinders.closed_length_m))
    assert evidence.tracking_error_max_m < 0.004
    assert 0.95 < evidence.length_min_m < evidence.length_max_m < 1.06


def test_what_is_sent_is_what_was_allowed_and_the_platform_follows_what_was_wanted(good_run):
    _, recording = good_run
    allowed, sent = recording.column("allowed_length_m"), recording.column("sent_length_m")
    np.testing.assert_array_equal(allowed, sent)
    moving = in_motion(recording)
    asked = recording.column("asked_length_m")[moving]
    np.testing.assert_array_equal(asked, allowed[moving])
    wanted = recording.column("wanted_pose")[moving]
    reached = recording.column("reached_pose")[moving]
    known = np.isfinite(reached[:, 0])
    assert known.mean() == pytest.approx(1 / 2, abs=0.01), "250 Hz, solved about 100 times a second"
    gap = np.abs(wanted - reached)[known]
    assert gap[:, :3].max() < 0.004
    assert gap[:, 3:].max() < np.radians(0.5)
    # Not the same numbers twice: a platform that stood still would also be near at some moment.
    assert np.ptp(reached[known, 2]) > 0.03


def test_nothing_is_sent_while_the_drives_find_their_reference(good_run):
    _, recording = good_run
    before = np.isin(
        recording.column("mode"), [recording.modes.index(m) for m in ("IDLE", "HOMING")]
    )
    assert before.any()
    assert np.isnan(recording.column("sent_length_m")[before]).all()


def test_two_dry_runs_are_bit_identical_and_another_seed_is_not(tmp_path, good_run):
    first, second = (run(plan(seed=5), tmp_path) for _ in range(2))
    assert first.recorder.sha256 == second.recorder.sha256
    assert first.recorder.path != second.recorder.path
    one, other = (Recording.open(result.recorder.path) for result in (first, second))
    assert all(one.columns[name].tobytes() == other.columns[name].tobytes() for name in one.columns)
    assert (one.events, one.scenario) == (other.events, other.scenario)
    facts, others = one.metadata["run"], other.metadata["run"]
    assert facts["started_utc"] < others["started_utc"], "the date is told, and is not in the hash"
    assert {key for key in facts if facts[key] != others[key]} == {"started_utc"}
    assert plan().scenario.seed != 5
    assert good_run[0].recorder.sha256 != first.recorder.sha256


def test_a_motion_that_leaves_the_envelope_stops_six_legs_together(tmp_path):
    the_plan = plan(motion=TOO_FAR)
    result, recording = run_and_read(tmp_path, the_plan)
    assert result.outcome is Outcome.TRIPPED
    assert result.mode is Mode.FAULT
    assert "leg " in result.reason
    assert modes_in_order(recording)[-2:] == ["CSTOP", "FAULT"]
    violation = verdicts_of(recording)[0]
    assert violation["check"] in {"braking", "position", "speed"}
    assert violation["leg"] in range(1, 7)

    stop = recording.column("mode") == recording.modes.index("CSTOP")
    first = int(np.argmax(stop))
    lengths = recording.column("allowed_length_m")[first - 2 : first + stop.sum()]
    steps = np.diff(lengths, axis=0)
    factors = steps[1:] / steps[0]
    moving = np.abs(steps[0]) > 1e-5
    assert moving.sum() >= 4
    spread = np.ptp(factors[:, moving], axis=1)
    assert spread.max() < 1e-6, "six legs share one factor"
    assert (np.diff(factors[:, moving].mean(axis=1)) < 1e-9).all(), "speed never grows"
    assert abs(steps[-1]).max() < 1e-9, "at rest at the end"

    measured = recording.column("measured_length_m")[recording.column("mode") >= 2]
    for leg in range(6):
        low, high = soft_range_m(the_plan.rig, leg)
        assert low <= np.nanmin(lengths[:, leg])
        assert np.nanmax(lengths[:, leg]) <= high
    assert np.nanmax(measured[stop[recording.column("mode") >= 2]]) < 1.38


@pytest.mark.parametrize(
    ("fault", "check"),
    [
        ({"kind": "blocked", "leg": 2}, "following"),
        ({"kind": "feedback_nan", "leg": 4}, "feedback"),
        ({"kind": "lost_feedback", "leg": 5}, "feedback"),
        ({"kind": "drive_fault", "leg": 1, "value": 0x3210}, "drive"),
        ({"kind": "disabled", "leg": 6}, "drive"),
    ],
)
def test_a_fault_of_one_drive_stops_the_platform_and_names_the_leg(
    tmp_path, longer_run, fault, check
):
    the_plan = plan(motion=HEAVE | {"duration_s": 5.0}, faults=[fault | {"start_s": 10.0}])
    result, recording = run_and_read(tmp_path, the_plan)
    assert result.outcome is Outcome.TRIPPED, result.reason
    first = verdicts_of(recording)[0]
    assert (first["check"], first["leg"]) == (check, fault["leg"])
    assert 10.0 <= first["t_s"] < 10.5
    # The same plan without the fault completes: it was the fault that stopped it.
    assert longer_run.ok


class _StopAfter:
    """A wish to end that comes at a given cycle."""

    def __init__(self, cycle):
        self._left = cycle

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None

    @property
    def asked(self):
        self._left -= 1
        return "test" if self._left < 0 else None


@pytest.mark.parametrize("cycle", [0, 1, 30, 200, 900, 1500, 1800, 2200, 2600])
def test_a_signal_at_any_moment_parks_and_ends_well(tmp_path, monkeypatch, cycle):
    monkeypatch.setattr(hil.run.run, "StopSignals", lambda: _StopAfter(cycle))
    result, recording = run_and_read(tmp_path, plan(motion=HEAVE | {"duration_s": 3.0}))
    assert result.outcome is Outcome.STOPPED
    assert result.ok
    assert result.mode in (Mode.OFF, Mode.IDLE)
    assert recording.cycles == result.cycles
    limits = gate_limits(plan().rig, 0.004)
    sent = recording.column("sent_length_m")
    change = np.diff(sent, n=2, axis=0)
    assert np.nanmax(np.abs(change), initial=0.0) <= limits.legs[0].acceleration_max_m_s2 * 0.004**2


def test_a_run_that_is_stopped_half_way_parks_only_where_a_way_is_free(tmp_path, monkeypatch):
    monkeypatch.setattr(hil.run.run, "StopSignals", lambda: _StopAfter(1500))
    the_plan = plan(motion=HEAVE | {"duration_s": 3.0})
    result, recording = run_and_read(tmp_path, the_plan)
    assert result.outcome is Outcome.STOPPED
    assert modes_in_order(recording)[-4:] == ["HOLD", "PARKING", "STANDBY", "OFF"]
    out_of_reach = Pose.from_coordinates(np.array([0.0, 0.0, 1.9, 0.0, 0.0, 0.0]))
    monkeypatch.setattr(ParkPath, "_routes", lambda self, here: [(out_of_reach,)])
    result, recording = run_and_read(tmp_path, the_plan)
    assert result.outcome is Outcome.TRIPPED
    assert result.reason.startswith("parking: leg ")
    modes = modes_in_order(recording)
    assert "PARKING" not in modes
    assert modes[-2:] == ["HOLD", "OFF"]


def test_control_that_breaks_is_stopped_without_it(tmp_path, monkeypatch):
    step = PlatformStation.step

    def breaks(self, tick, verdict):
        if verdict is not None and verdict.mode is Mode.ENGAGED and tick.index % 100 == 50:
            raise ZeroDivisionError("test")
        return step(self, tick, verdict)

    monkeypatch.setattr(PlatformStation, "step", breaks)
    result, recording = run_and_read(tmp_path, plan())
    assert result.outcome is Outcome.FAILED
    assert "ZeroDivisionError: test" in result.reason
    assert any(event.kind is EventKind.NOTE for event in recording.events)
    sent = recording.column("sent_length_m")
    last = sent[np.isfinite(sent[:, 0])]
    assert np.abs(np.diff(last[-2:], axis=0)).max() < 1e-9, "the legs came to rest"
    assert "CSTOP" in modes_in_order(recording)


def test_a_dead_bus_ends_the_run_and_the_recording_is_kept(tmp_path, monkeypatch):
    bank_of = hil.stations.platform.bench.bench.bank_of

    def dying(*arguments):
        bank = bank_of(*arguments)
        exchange = bank.exchange
        calls = iter(range(10**9))

        def until(command):
            if next(calls) > 500:
                raise DriveError("test: the bus is gone")
            return exchange(command)

        bank.exchange = until
        return bank

    monkeypatch.setattr(hil.stations.platform.bench.bench, "bank_of", dying)
    result, recording = run_and_read(tmp_path, plan())
    assert result.outcome is Outcome.FAILED
    assert "bus is gone" in result.reason
    assert recording.cycles == 500


def test_a_folder_that_cannot_be_written_is_refused_before_anything_moves(tmp_path):
    place = tmp_path / "file"
    place.write_text("")
    with pytest.raises(RecordingError, match="file"):
        run(plan(), place)


def test_a_run_never_writes_into_an_old_one(tmp_path, monkeypatch):
    monkeypatch.setattr(hil.run.run, "utc_stamp", lambda: "20260101T000000Z")
    monkeypatch.setattr(hil.run.run, "StopSignals", lambda: _StopAfter(10))
    folders = {run(plan(), tmp_path).recorder.path.parent for _ in range(3)}
    assert len(folders) == 3


def test_late_cycles_stop_the_platform(tmp_path, monkeypatch):
    class Stalling(VirtualClock):
        def ticks(self, period_s):
            for tick in super().ticks(period_s):
                late = 5 * period_s if tick.index == 2000 else 0.0
                yield tick._replace(late_s=late, dt_s=period_s + late)

    monkeypatch.setattr(hil.stations.platform.bench.bench, "VirtualClock", Stalling)
    result, recording = run_and_read(tmp_path, plan(motion=HEAVE | {"duration_s": 5.0}))
    assert result.outcome is Outcome.TRIPPED
    assert verdicts_of(recording)[0]["check"] in {"late", "period"}
    assert recording.column("index")[recording.column("late_s") > 0].tolist() == [2000]


@pytest.mark.parametrize("policy", ["tolerate", "stop"])
def test_an_overrun_is_counted_and_ends_the_motion_by_policy(tmp_path, monkeypatch, policy):
    class Overrunning(VirtualClock):
        overruns = 0

        def ticks(self, period_s):
            for tick in super().ticks(period_s):
                late = tick.index == 2000
                self.overruns += late
                yield tick._replace(dt_s=period_s * (2 if late else 1))

    monkeypatch.setattr(hil.stations.platform.bench.bench, "VirtualClock", Overrunning)
    the_plan = plan(motion=HEAVE | {"duration_s": 5.0}, overruns=policy)
    result, recording = run_and_read(tmp_path, the_plan)
    assert result.overruns == 1
    flagged = recording.column("flags") & CycleFlag.OVERRUN
    assert recording.column("index")[flagged > 0].tolist() == [2000]
    if policy == "tolerate":
        assert result.outcome is Outcome.COMPLETED
    else:
        assert result.outcome is Outcome.TRIPPED
        assert "overruns" in result.reason
        assert "PARKING" in modes_in_order(recording)
        assert verdicts_of(recording)[0]["check"] == "overrun"


def test_drives_that_do_not_get_enabled_are_given_up(tmp_path, monkeypatch):
    the_plan = plan("rig_settings.cylinders.enable_time_s=100")
    supervisor = Supervisor(300, period_s=the_plan.scenario.period_s)
    monkeypatch.setattr(hil.stations.platform.bench.bench, "_supervisor", lambda *_: supervisor)
    result, recording = run_and_read(tmp_path, the_plan)
    assert result.outcome is Outcome.FAILED
    span_s = 300 * the_plan.scenario.period_s
    assert result.reason.startswith(f"STANDBY did not end within {span_s:.1f} s: ENGAGE refused")
    assert any("given up" in event.message for event in recording.events)


def came_to_rest(recording):
    """The last two lengths sent are the same: nothing was cut off in the middle of a motion."""
    sent = recording.column("sent_length_m")
    last = sent[np.isfinite(sent[:, 0])][-2:]
    return np.abs(np.diff(last, axis=0)).max() < 1e-9


@pytest.mark.parametrize("path", [0, 1])
def test_control_that_cannot_plan_a_path_ends_the_run(tmp_path, monkeypatch, path):
    """The gate holds while it waits for a first setpoint; the loop must not wait with it."""
    made = []

    def failing(*arguments):
        made.append(arguments)
        if len(made) == path + 1:
            raise ZeroDivisionError("test")
        return move(*arguments)

    monkeypatch.setattr(hil.stations.platform.cycle.control, "move", failing)
    result, recording = run_and_read(tmp_path, plan())
    assert result.outcome is Outcome.FAILED
    assert "ZeroDivisionError" in result.reason
    assert modes_in_order(recording)[-2:] == ["CSTOP", "HOLD"]
    assert came_to_rest(recording)


def test_control_that_breaks_while_homing_stops_the_drives_first(tmp_path, monkeypatch):
    step = PlatformStation.step

    def breaks(self, tick, verdict):
        if verdict is not None and verdict.mode is Mode.HOMING:
            raise ZeroDivisionError("test")
        return step(self, tick, verdict)

    monkeypatch.setattr(PlatformStation, "step", breaks)
    result, recording = run_and_read(tmp_path, plan())
    assert result.outcome is Outcome.FAILED
    assert modes_in_order(recording)[-2:] == ["QSTOP", "IDLE"]
    assert np.abs(recording.column("measured_speed_m_s")[-1]).max() < 0.002


def test_an_onlooker_that_breaks_does_not_drop_the_legs(tmp_path, monkeypatch):
    reached = PlatformStation.reached

    def breaks(self, tick, feedback):
        if tick.index == 1700:
            raise FloatingPointError("test")
        return reached(self, tick, feedback)

    monkeypatch.setattr(PlatformStation, "reached", breaks)
    result, recording = run_and_read(tmp_path, plan(motion=HEAVE | {"duration_s": 5.0}))
    assert result.outcome is Outcome.FAILED
    assert "FloatingPointError" in result.reason
    assert modes_in_order(recording)[-2:] == ["CSTOP", "HOLD"]
    assert came_to_rest(recording)


def test_a_journal_that_breaks_does_not_drop_the_legs(tmp_path, monkeypatch):
    cycle, seen = PlatformJournal.cycle, []

    def breaks(self, tick, control, verdict, *rest):
        seen.append(verdict)
        if tick.index >= 1700:
            raise OSError("test")
        return cycle(self, tick, control, verdict, *rest)

    monkeypatch.setattr(PlatformJournal, "cycle", breaks)
    result, recording = run_and_read(tmp_path, plan(motion=HEAVE | {"duration_s": 5.0}))
    assert result.outcome is Outcome.FAILED
    assert result.mode is Mode.HOLD
    assert recording.cycles == 1700


def changed_feedback(monkeypatch, change):
    """Drives whose feedback is changed on its way."""
    bank_of = hil.stations.platform.bench.bench.bank_of

    def changed(*arguments):
        bank = bank_of(*arguments)
        exchange = bank.exchange
        cycles = itertools.count()
        bank.exchange = lambda command: change(next(cycles), exchange(command))
        return bank

    monkeypatch.setattr(hil.stations.platform.bench.bench, "bank_of", changed)


def test_a_fault_without_a_measured_standstill_does_not_last_for_ever(tmp_path, monkeypatch):
    def nan_speed(cycle, feedback):
        speeds = (math.nan, *feedback.speed_m_s[1:])
        return feedback._replace(speed_m_s=speeds) if cycle > 1700 else feedback

    changed_feedback(monkeypatch, nan_speed)
    monkeypatch.setattr(hil.stations.platform.bench.bench, "PATIENCE_S", 1.0)
    result, recording = run_and_read(tmp_path, plan(motion=HEAVE | {"duration_s": 5.0}))
    assert result.outcome is Outcome.TRIPPED
    assert result.mode is Mode.FAULT
    assert came_to_rest(recording)
    fault = recording.column("mode") == recording.modes.index("FAULT")
    assert 1.0 < fault.sum() * 0.004 < 2.0


def test_a_lockout_lets_the_quick_stop_end(tmp_path, monkeypatch):
    step = SetpointStream.step
    calls = itertools.count()

    def breaks(self, *arguments):
        if next(calls) == 1500:
            raise ArithmeticError("test")
        return step(self, *arguments)

    monkeypatch.setattr(SetpointStream, "step", breaks)
    result, recording = run_and_read(tmp_path, plan(motion=HEAVE | {"duration_s": 5.0}))
    assert result.outcome is Outcome.TRIPPED
    assert result.mode is Mode.LOCKOUT
    speeds = np.abs(recording.column("measured_speed_m_s")).max(axis=1)
    locked = recording.column("mode") == recording.modes.index("LOCKOUT")
    assert speeds[locked][0] > 0.01, "it was moving"
    assert speeds[-1] < 0.002


def test_an_interrupted_check_is_no_proof(monkeypatch):
    step = PlatformStation.step

    def interrupted(self, tick, verdict):
        if tick.index == 1500:
            os.kill(os.getpid(), signal.SIGINT)
        return step(self, tick, verdict)

    monkeypatch.setattr(PlatformStation, "step", interrupted)
    the_plan = plan()
    # A suite started in the background inherits a Ctrl-C that is ignored.
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        with pytest.raises(KeyboardInterrupt):
            check_plan(the_plan, motion_of(the_plan))
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_second_signal_does_not_tear_the_end_of_the_recording(tmp_path, monkeypatch):
    finish, signalled = Recorder.finish, []

    def impatient(self):
        if not signalled:
            signalled.append(True)
            os.kill(os.getpid(), signal.SIGINT)
        return finish(self)

    monkeypatch.setattr(Recorder, "finish", impatient)
    result = run(plan(), tmp_path)
    assert signalled
    assert not Recording.open(result.recorder.path).truncated
