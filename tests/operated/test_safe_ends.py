"""Ends of an operated run that must not drop the platform, and the way to park."""

import numpy as np
import pytest
from operated_bench import PATIENCE, PERIOD_S, Bench
from player import Player

from hil.desk.order import Button
from hil.machines.rig.machine import envelope_of
from hil.stations.platform.bench.bench import machine_of
from hil.stations.platform.cycle.control import PlatformStation
from hil.stations.platform.cycle.supervisor import Outcome, Supervisor
from hil.stations.platform.lead.assembly import parking_proof
from hil.stations.platform.lead.park_path import ParkPath, ParkStage
from hil.stations.platform.lead.path_check import PathCheck, PathScan, start_rows
from hil.stations.platform.lead.paths import ShortestPath
from hil.stations.platform.motion.moves import move
from hil.stations.platform.plan.motion_build import motion_of
from hil.timing.clock import Tick
from hil_common.arrays.pose import Pose
from safety.modes import Mode, Request
from safety.verdict import Action, DriveRequest

PATIENCE_S = PATIENCE[0] * PERIOD_S
WALLED = (-0.265, 0.01, 0.878, 0.198, -0.167, -0.303)
"""It can be gone to; on the straight way from it to park leg 3 would be too short."""


def homed():
    bench = Bench()
    bench.run(0.1)
    bench.press(Button.HOME)
    bench.until(Mode.STANDBY)
    bench.until(lambda: bench.last.verdict.action is Action.HOLDING)
    return bench


def engaged():
    bench = homed()
    bench.press(Button.ENGAGE)
    bench.until(Mode.ENGAGED)
    return bench


def held_aloft(time_s, held=True):
    bench = engaged()
    bench.press(Button.HOLD)
    bench.until(Mode.HOLD)
    bench.write(held=held)
    bench.run(time_s)
    assert bench.mode is Mode.HOLD
    return bench


def end_by(bench, how):
    match how:
        case "shut down":
            bench.press(Button.SHUT_DOWN)
        case "signal":
            bench.stop.asked = "SIGINT"
        case "overrun":
            bench.loop._stop_on_overrun = True
            bench.clock.overruns = 1
        case _:
            bench.course.finish()
    begun = bench.index
    bench.until(lambda: bench.course.done, 60.0)
    return (bench.index - begun) * PERIOD_S


@pytest.mark.parametrize("how", ["shut down", "signal", "overrun", "finish"])
def test_an_end_after_a_long_hold_parks_and_does_not_cut_the_power_aloft(monkeypatch, how):
    bench = held_aloft(2.5 * PATIENCE_S)
    monkeypatch.setattr(bench.journal, "object", lambda *_: None, raising=False)
    end_by(bench, how)
    assert bench.modes[-3:] == [Mode.PARKING, Mode.STANDBY, Mode.OFF]
    assert bench.course.gave_up == ""


def test_an_end_after_a_long_hold_that_nobody_holds_still_waits_its_whole_patience():
    bench = held_aloft(2.5 * PATIENCE_S, held=False)
    assert end_by(bench, "shut down") == pytest.approx(PATIENCE_S, abs=0.1)
    assert bench.course.outcome is Outcome.COMPLETED


def test_parking_out_of_the_last_moment_of_an_end_and_let_go_waits_anew():
    bench = held_aloft(1.0, held=False)
    bench.press(Button.SHUT_DOWN)
    bench.run(PATIENCE_S - 0.1)
    bench.write(held=True)
    bench.press(Button.PARK)
    bench.press(Button.HOLD)
    bench.run(PATIENCE_S - 0.1)
    assert bench.mode in (Mode.HOLD, Mode.CSTOP), "the power did not go off at once"
    bench.press(Button.PARK)
    bench.until(Mode.STANDBY)


@pytest.mark.parametrize("mode", [Mode.IDLE, Mode.STANDBY])
def test_a_shut_down_after_a_long_wait_on_the_ground_is_no_failure(mode):
    bench = Bench() if mode is Mode.IDLE else homed()
    bench.run(1.5 * PATIENCE_S)
    assert bench.mode is mode
    end_by(bench, "shut down")
    assert bench.refused == "", "nothing that could be parked is told as not parked"
    assert bench.course.outcome is Outcome.COMPLETED
    assert bench.course.reason == ""


# --- the way to park ---------------------------------------------------------------------------


def test_parking_from_a_pose_behind_a_wall_goes_round_it():
    bench = engaged()
    machine = machine_of(bench.plan)
    straight = move(Pose.from_coordinates(np.array(WALLED)), machine.park, machine.slow_moves)
    envelope = envelope_of(bench.plan.rig, machine.geometry)
    times_s = np.linspace(0.0, straight.duration_s, 200)
    assert any(envelope.check(straight.sample(t_s)) for t_s in times_s), "else it proves nothing"
    bench.write(target=WALLED)
    bench.press(Button.POSE)
    bench.run(8.0)
    assert bench.motion.sample(1e9).X_BP.coordinates() == pytest.approx(WALLED, abs=1e-9)
    bench.press(Button.PARK)
    bench.until(Mode.STANDBY)
    assert bench.modes[-3:] == [Mode.HOLD, Mode.PARKING, Mode.STANDBY]
    assert bench.violations == []


class Closed(PathCheck):
    """A room in which nothing can be gone to once the door is shut."""

    shut = False

    def outside(self, way, times_s, *, leave=False):
        return "leg 1: no room" if Closed.shut else super().outside(way, times_s, leave=leave)


@pytest.fixture
def door(monkeypatch):
    monkeypatch.setattr(Closed, "shut", False)
    monkeypatch.setattr("hil.stations.platform.lead.assembly.PathCheck", Closed)
    return Closed


def test_without_any_way_to_park_nothing_moves_and_why_is_told(door):
    bench = engaged()
    door.shut = True
    bench.press(Button.PARK)
    bench.until(Mode.HOLD)
    bench.run(1.0)
    assert bench.mode is Mode.HOLD
    assert bench.refused.startswith("PARK: no way there is free: leg 1: no room")
    assert bench.violations == []
    bench.press(Button.SHUT_DOWN)
    bench.run(1.0)
    assert bench.mode is Mode.HOLD, "the operator has the whole patience"
    bench.until(lambda: bench.course.done)
    assert bench.last.verdict.drives is DriveRequest.OFF


def test_a_pose_from_which_no_way_leads_to_park_is_refused_and_not_gone_to(monkeypatch):
    monkeypatch.setattr(ParkPath, "_routes", lambda self, here: [(Pose.from_coordinates(
        np.array([0.0, 0.0, 1.9, 0.0, 0.0, 0.0])),)])  # fmt: skip
    player = Player()
    player.run(0.004, target=(0.02, -0.01, 0.95, 0.0, 0.05, 0.02))
    player.motion.pose()
    before = player.rows[-1].copy()
    player.run(3.0)
    assert len(player.said) == 1
    assert player.said[0].startswith("POSE: no way from there to park is free: leg ")
    np.testing.assert_array_equal(player.rows[-1], before)


@pytest.mark.parametrize("z_m", [1.323, 1.33])
def test_a_stop_that_ended_beyond_a_limit_can_be_parked_from(z_m):
    bench = Bench()
    proof = parking_proof(bench.plan, machine_of(bench.plan))
    high = Pose.from_coordinates(np.array([0.0, 0.0, z_m, 0.0, 0.0, 0.0]))
    while proof.stage not in (ParkStage.PROVED, ParkStage.REFUSED):
        proof.work(lambda: high)
    assert proof.refused == ""


def test_every_way_that_is_found_stays_inside_and_most_poses_have_one():
    bench = Bench()
    machine = machine_of(bench.plan)
    envelope, found = envelope_of(bench.plan.rig, machine.geometry), 0
    neutral = np.array(bench.plan.rig.neutral.coordinates())
    proof = parking_proof(bench.plan, machine)
    rng = np.random.default_rng(6)
    for _ in range(60):
        pose = neutral + rng.uniform(-1.0, 1.0, 6) * np.array([0.25, 0.25, 0.2, 0.3, 0.25, 0.25])
        if not envelope.inside(start_rows(pose)[:1])[0]:
            continue
        proof.begin()
        while proof.stage not in (ParkStage.PROVED, ParkStage.REFUSED):
            proof.work(lambda pose=pose: Pose.from_coordinates(pose))
        if proof.path is None:
            continue
        found += 1
        assert proof.path.sample(0.0).X_BP.coordinates() == pytest.approx(pose, abs=1e-9)
        end = proof.path.sample(proof.path.duration_s).X_BP
        assert end.coordinates() == pytest.approx(machine.park.coordinates(), abs=1e-9)
        for t_s in np.linspace(0.0, proof.path.duration_s, 80)[1:]:
            assert all(abs(one.value - one.limit) < 2e-3 for one in
                       envelope.check(proof.path.sample(t_s)))  # fmt: skip
    assert found > 15


def planned():
    """The bench under a supervisor, stopped half-way through its motion."""
    bench = Bench()
    machine, course = machine_of(bench.plan), Supervisor(*PATIENCE)
    bench.loop._station = PlatformStation(
        machine, motion_of(bench.plan), course, PERIOD_S, parking_proof(bench.plan, machine)
    )
    bench.course = bench.loop._supervisor = course
    bench.until(Mode.ENGAGED)
    bench.run(0.7)
    bench.stop.asked = "SIGINT"
    return bench, course


def test_a_planned_run_that_is_stopped_half_way_parks_by_a_way_that_was_proved(door):
    bench, course = planned()
    bench.until(lambda: course.done)
    assert bench.modes[-5:] == [Mode.CSTOP, Mode.HOLD, Mode.PARKING, Mode.STANDBY, Mode.OFF]
    assert course.outcome is Outcome.STOPPED
    assert bench.violations == []


def test_a_planned_run_that_stands_still_amid_its_motion_stops_before_it_parks():
    bench, _ = planned()
    station, verdict = bench.loop._station, bench.last.verdict
    station._supervisor.stop("enough")
    tick = Tick(bench.index, bench.index * PERIOD_S, PERIOD_S, 0.0)
    assert station.step(tick, verdict).requests == (Request.HOLD,)


def test_a_planned_run_without_any_way_to_park_goes_off_where_it_stands(door):
    bench, course = planned()
    door.shut = True
    bench.until(lambda: course.done)
    assert Mode.PARKING not in bench.modes
    assert course.outcome is Outcome.TRIPPED
    assert "parking: leg 1: no room" in course.reason
    assert bench.last.verdict.drives is DriveRequest.OFF


@pytest.mark.parametrize("z_m", [1.323, 1.33], ids=["without room for a stop", "beyond the stroke"])
def test_a_way_may_lead_in_from_beyond_the_limits_but_not_further_out(z_m):
    rig = Bench().plan.rig
    reach, limits = PathCheck(rig, PERIOD_S), rig.slow_moves.limits()
    high = start_rows(np.array([0.0, 0.0, z_m, 0.0, 0.0, 0.0]))
    lower, higher = np.array([0.0, 0.0, 1.0, 0, 0, 0]), np.array([0.0, 0.0, z_m + 0.01, 0, 0, 0])
    verdicts = {}
    for name, target in (("in", lower), ("out", higher)):
        for leave in (True, False):
            survey, found = PathScan(reach, ShortestPath(high, target, limits), leave=leave), None
            while found is None:
                found = survey.step()
            verdicts[name, leave] = found
    assert verdicts["in", True] == ""
    assert verdicts["in", False].startswith("leg ")
    assert verdicts["out", True].startswith("leg ")
