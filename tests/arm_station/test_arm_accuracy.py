"""The accuracy that a report tells, against a second model of the controller and an optimiser."""

from __future__ import annotations

import random
from pathlib import Path

import controller_model
import numpy as np
import pytest
from arm_samples import BLEND, frames, machines, write_run
from campaign import count, share_of
from contour_judge import LOOKS, PERIOD_S, Driven, driven
from contour_robot import ContourRobot
from stroke_bench import Drawn

import arm_driver.kinematics.reference
import hil.stations.arm.proof.prepare
from arm_driver.contour.host import ContourHost
from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.location import Location
from arm_driver.contour.place import location_of
from arm_driver.link import EndReason, Offer
from arm_driver.link_states import LinkState
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.machines.robot.settings import RobotSettings
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.arm.report.key_figures import arm_key_figures
from hil.stations.arm.report.recording import ArmRecording, stream_result
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.run.bench import prepare_plan, run_arm
from hil.stations.arm.run.wire import VirtualLine
from hil_common.arrays.pose import Pose
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.simulator import SpaceArm

PROMISED_M = 0.5e-3
SHIPPED = ("circle_on_rm01", "stop_and_go_on_rm01", "bkm_on_rm01", "spiral_on_rm01")
RM01 = RobotSettings.load(configs_dir() / "robots" / "rm01.toml")


@pytest.fixture(scope="module", params=share_of(SHIPPED))
def shipped(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Driven:
    """A shipped motion, run; any place on the bench does, the motion is the same at all."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in (("STARTS", 150), ("REFINED", 1), ("REFINEMENTS", 60)):
            patch.setattr(arm_driver.kinematics.reference, name, value)
        path = configs_dir() / "scenarios" / f"{request.param}.toml"
        prepared = prepare_plan(load_arm_plan(path))
        result = run_arm(prepared, tmp_path_factory.mktemp(request.param))
    assert result.ok
    return driven(ArmRecording.open(result.recorder.path))


@pytest.mark.campaign
def test_the_report_tells_what_the_second_model_finds(shipped: Driven) -> None:
    in_time, in_space = controller_model.errors(shipped.nodes, shipped.motion, shipped.t)
    told = shipped.view.accuracy
    assert told is not None
    assert told.in_time.largest_m == pytest.approx(in_time.max(), rel=0.05)
    assert told.in_space.largest_m == pytest.approx(in_space.max(), rel=0.05)
    assert told.in_time.median_m == pytest.approx(np.median(in_time), rel=0.1)
    at = np.abs(shipped.t - told.in_time.at_s) < 0.05
    assert in_time[at].max() > 0.93 * in_time.max(), "it is nearly as far off where the report says"
    figures = {figure.name: figure for figure in arm_key_figures(shipped.view)}
    assert figures["accuracy in time, max"].value == f"{1e3 * told.in_time.largest_m:.3f} mm"
    assert not figures["accuracy in time, max"].bad
    assert not figures["accuracy in space, max"].bad
    assert figures["best of any waypoints"].value == f"{1e3 * told.best.least_m:.3f} mm"


@pytest.mark.campaign
def test_the_error_keeps_the_bound_that_an_optimiser_finds(shipped: Driven) -> None:
    """In the hardest window of the report, and wherever else the error is above the promise."""
    told, t, motion = shipped.view.accuracy, shipped.t, shipped.motion
    assert told is not None
    in_time, in_space = controller_model.errors(shipped.nodes, motion, t)
    found = best_about(shipped, told.best.begin_s, told.best.end_s)
    assert told.best.least_m <= 1.03 * found, "the report's best is a bound from below"
    assert told.best.least_m >= 0.85 * found, "and not far below"
    above = t[in_time > PROMISED_M]
    for second in np.unique(np.floor(above)):
        begin_s = max(0.0, PERIOD_S * (np.floor(second / PERIOD_S) - 3))
        end_s = min(float(t[-1]), begin_s + 8 * PERIOD_S)
        best = best_about(shipped, begin_s, end_s)
        here = (t >= second) & (t < second + 1.0)
        assert max(in_time[here].max(), in_space[here].max()) <= max(PROMISED_M, 1.2 * best)


def best_about(shipped: Driven, begin_s: float, end_s: float) -> float:
    """The least greatest error between two times that the optimiser finds."""
    window = (shipped.t >= begin_s - 1e-9) & (shipped.t <= end_s + 1e-9)
    first, last = round(begin_s / PERIOD_S), round(end_s / PERIOD_S)
    free = np.arange(max(1, first - 1), min(len(shipped.nodes) - 1, last + 2))
    return controller_model.best_in_window(
        shipped.nodes, shipped.motion[window], shipped.t[window], free
    )


@pytest.mark.campaign
def test_a_shipped_motion_is_driven_whole_by_a_robot_that_is_heard_late(shipped: Driven) -> None:
    """By up to 20 ms; the robot is one of nobody here, and turns nothing."""
    whole = len(shipped.nodes) - 1
    short = [seed for seed in range(count(40, least=20)) if heard_late(shipped, seed) != whole]
    assert short == []


def heard_late(shipped: Driven, seed: int) -> int:
    """How many waypoints are driven until the stream is ended."""
    rng = random.Random(seed)
    places = [Location.from_si((x, y, z), (0.0, 0.0, 0.0)) for x, y, z in shipped.nodes.tolist()]
    host, sent = ContourHost(HostSettings(), 100.0), [0]

    def offer() -> None:
        if host.state is LinkState.STREAMING and host.report(0.0).wants:
            sent[0] = min(sent[0] + 1, len(places) - 1)
            host.offer(places[sent[0]])

    def late_s(_number: int) -> float:
        return rng.uniform(0.0, 0.02)

    start = [*shipped.nodes[0].tolist(), 0.0, 0.0, 0.0]
    robot = ContourRobot(host, offer, start, lambda _: PERIOD_S, late_s)
    host.receive(b"R,0,2,2\r", 100.0)
    host.start(StreamPlan(places[0]), 100.0, places[0])
    robot.run(len(places) - 1)
    return len(robot.ways)


@pytest.mark.campaign
def test_places_at_requests_say_little_of_the_accuracy(shipped: Driven) -> None:
    """The control: where blends begin a robot is on its lines, whatever lies between them.

    Waypoints on the motion, looked at a moment before each blend of the longest duration, are 13
    times and more nearer to their lines than the robot is to the motion.
    """
    nodes = shipped.places[::LOOKS]
    requests = PERIOD_S * np.arange(2, len(nodes) - 1) - 0.1
    path = controller_model.robot_path(nodes, requests)
    chords = np.column_stack(
        [np.interp(requests, PERIOD_S * np.arange(len(nodes)), nodes[:, k]) for k in range(3)]
    )
    seen = np.linalg.norm(path - chords, axis=1).max()
    in_time, _ = controller_model.errors(nodes, shipped.motion, shipped.t)
    assert in_time.max() > 13.0 * seen
    assert in_time.max() > 1e-3, "and the waypoints need to be fitted"


@pytest.mark.parametrize(
    ("half_s", "bandwidth_rad_s", "median_m", "most_m"),
    [
        (0.1, 120.0, 0.03e-3, 0.15e-3),
        (0.07, 85.0, 0.05e-3, 0.15e-3),
        (0.14, 50.0, 0.12e-3, 0.7e-3),  # what friction leaves over goes with 1 / bandwidth²
    ],
)
def test_the_emulated_robot_drives_the_second_model_s_path(
    half_s: float,
    bandwidth_rad_s: float,
    median_m: float,
    most_m: float,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Its gripper, looked at all the time, over a bend, a slow part and a corner."""
    monkeypatch.setattr(controller_model, "LONGEST_S", half_s)
    monkeypatch.setattr(controller_model, "SERVO_RAD_S", bandwidth_rad_s)
    turns = np.radians([0, 0, 10, 25, 40, 55, 60, 60, 60, 100, 100, 100])
    ways = 0.028 * np.array([0.3, 0.7, 1, 1, 1, 1, 1, 0.6, 0.6, 0.6, 0.6, 0.3])
    steps = np.column_stack([np.zeros(12), ways * np.cos(turns), ways * np.sin(turns)])
    now = [0.0]
    drawn = Drawn(half_s=half_s, bandwidth_rad_s=bandwidth_rad_s)
    robot = drawn.controller(tool_m=RM01.tool_m)
    wire = VirtualLine(robot, HostSettings(speed_max_m_s=0.25), lambda: now[0])  # at once fast
    start_m, rotation = robot.gripper
    nodes = start_m + np.vstack([np.zeros(3), np.cumsum(steps, axis=0)])
    places = [location_of(Pose(node, rotation), RM01.oat_convention()) for node in nodes]
    track, times, next_one, begun_s = [], [], 1, None
    while now[0] < (len(nodes) + 8) * PERIOD_S:
        now[0] += 0.0035
        report = wire.poll()
        track.append(np.array(robot.gripper[0]))
        times.append(now[0])
        if begun_s is None and report.status is not None:
            wire.start(StreamPlan(places[0], places[-1]))
            begun_s = now[0]
        elif report.wants and next_one < len(places):
            assert wire.offer(places[next_one]) is Offer.TAKEN
            next_one += 1
        elif report.wants:
            wire.end(EndReason.COMPLETED)
    t = np.arange(0.0, PERIOD_S * len(steps), 0.007)
    model = controller_model.robot_path(np.vstack([nodes, nodes[-1]]), t)

    def apart(delay_s: float) -> np.ndarray:
        late = np.column_stack([np.interp(t + delay_s, times, np.array(track)[:, k])
                                for k in range(3)])  # fmt: skip
        return np.linalg.norm(late - model, axis=1)

    best = 1.0
    for every in (0.02, 0.002, 0.0002):
        near = best + every * np.arange(-60, 61)
        best = min(near, key=lambda delay_s: float(np.mean(apart(delay_s) ** 2)))
    assert np.median(apart(best)) < median_m
    assert apart(best).max() < most_m  # where in its 28 ms a corner falls; friction, at a reversal


def test_ten_places_a_period_tell_the_motion_between_waypoints() -> None:
    """A shaken elastic arm, looked at four times as often from the same state on."""
    plan = load_arm_plan(configs_dir() / "scenarios" / "bkm_on_rm01.toml").space_arm
    payload = plan.payloads()["light"]
    arm, again = (
        SpaceArm(plan.arm(), DriveModel.E, plan.home_rad(), payload=payload) for _ in range(2)
    )
    rates = np.radians([0.3, -0.25, 0.2, 0.0, 0.4, 0.0])
    near, fine = [arm.snapshot().position_BG_m], []
    for tick in range(12):
        again.state = arm.state
        command = rates if tick < 5 else np.zeros(6)
        fine.append(again.advance(command, samples=4 * LOOKS).path_BG_m)
        near.extend(arm.advance(command, samples=LOOKS).path_BG_m)
    t = PERIOD_S / (4 * LOOKS) * np.arange(1, 12 * 4 * LOOKS + 1)
    told = controller_model.between(np.array(near), PERIOD_S / LOOKS, t)
    assert np.percentile(np.linalg.norm(told - np.vstack(fine), axis=1), 99.0) < 0.02e-3
    assert np.linalg.norm(near[-1] - near[-2]) > 1e-5, "it still swings"


# --- the gate, and what a report cannot tell -----------------------------------------------------


def short_plan(*overrides: str):
    path = configs_dir() / "scenarios" / "circle_on_rm01.toml"
    return load_arm_plan(path, ["source.turns=0.3", "source.speed_m_s=0.06", *overrides])


def test_fitted_waypoints_pass_the_same_gate(monkeypatch: pytest.MonkeyPatch) -> None:
    """What the fit asks for is judged like anything else: a wild one is refused."""
    monkeypatch.setattr(arm_driver.kinematics.reference, "STARTS", 100)
    monkeypatch.setattr(arm_driver.kinematics.reference, "REFINED", 1)
    fit = hil.stations.arm.proof.prepare.planned_offsets_m

    def wild(*told: object) -> np.ndarray:
        offset = np.array(fit(*told))
        offset[8] += [0.0, 0.0, 0.012]
        return offset

    prepared = prepare_plan(short_plan())
    moved = [step.X_RT.position_m for step in prepared.steps]
    monkeypatch.setattr(hil.stations.arm.proof.prepare, "planned_offsets_m", wild)
    with pytest.raises(RefusedError, match=r"(?s)waypoint 9 .*nothing has been sent.*corner"):
        prepare_plan(short_plan())
    plain = prepare_plan(short_plan("mapping.corrected=false"))
    assert plain.offset_m is None
    moves = np.diff(moved, axis=0), np.diff([s.X_RT.position_m for s in plain.steps], axis=0)
    assert 1e-5 < np.abs(np.diff([np.linalg.norm(m, axis=1) for m in moves], axis=0)).max() < 1e-3


def test_a_waypoint_far_off_is_told_with_when_and_where(tmp_path: Path) -> None:
    def change(index: int, frame):
        pose = frame.target_pose
        off = 0.8e-3 if index == 120 else 0.0
        return frame._replace(target_pose=(*pose[:2], pose[2] + off, *pose[3:]))

    view = ArmView.of(write_run(tmp_path / "a.mcap", change=change))
    row = next(one for one in arm_key_figures(view) if one.name == "accuracy in time, max")
    assert row.bad
    assert 0.5 < float(row.value.split()[0]) < 0.9
    assert view.accuracy is not None
    assert abs(view.accuracy.in_time.at_s - 120 * PERIOD_S) < PERIOD_S
    assert row.where.startswith("at 46.30 s")  # on the loop's clock, as all of the page


def test_a_scaled_motion_is_held_to_the_scaled_one(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    for name, value in (("STARTS", 100), ("REFINED", 1)):
        monkeypatch.setattr(arm_driver.kinematics.reference, name, value)
    result = run_arm(prepare_plan(short_plan("mapping.scale=0.5")), tmp_path)
    told = ArmView.of(ArmRecording.open(result.recorder.path)).accuracy
    assert told is not None
    assert told.in_time.largest_m < 0.3e-3
    assert np.ptp(told.place_m, axis=0).max() < 0.15, "half of the way"


def test_an_ended_stream_is_judged_while_the_robot_followed(tmp_path: Path) -> None:
    """The robot rests at the waypoint it has, the simulated arm goes on: that is no error."""
    events = (stream_result(35.0, 100, "cancelled", "operator"),)
    told = ArmView.of(write_run(tmp_path / "a.mcap", count=100, events=events)).accuracy
    assert told is not None
    assert told.in_time.t_s[-1] == pytest.approx(98 * PERIOD_S)
    assert told.in_time.largest_m < 0.3e-3


def test_a_recording_of_before_the_lag_was_known_tells_its_accuracy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frames()  # made by the lag
    for name in ("lag_s", "step_s"):
        monkeypatch.delitem(BLEND, name)
    monkeypatch.setitem(BLEND, "servo_mean_s", 0.055)
    told = ArmView.of(write_run(tmp_path / "a.mcap")).accuracy
    assert told is not None
    now = machines().blend
    assert told.find_best.args[0].lag_s == pytest.approx(now.lag_s, rel=0.1)


def test_a_recording_without_both_paths_says_what_is_missing(tmp_path: Path) -> None:
    def change(_: int, frame):
        return frame._replace(space_way=(float("nan"),) * (3 * LOOKS))

    view = ArmView.of(write_run(tmp_path / "a.mcap", change=change))
    assert view.accuracy is None
    assert any("way between waypoints is not in the recording" in note for note in view.notes)
    assert machines().X_RT0 is not None
