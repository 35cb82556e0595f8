"""The arm's report: known delay and error are found, both arms are drawn, odd runs are told."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from matplotlib.image import imread
from properties import dear
from scipy.spatial.transform import Rotation

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))

from arm_samples import (
    ANGLE_ERROR_RAD,
    DELAY_S,
    OFFSET_M,
    PERIOD_S,
    START_RAD,
    machines,
    write_run,
)
from html_samples import parsed

from arm_driver.kinematics.puma import forward
from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.report.page import write_report
from hil.report.run_verdict import Ending
from hil.stations.arm.report import drawing as arm_drawing
from hil.stations.arm.report import figures as arm_figures
from hil.stations.arm.report.key_figures import arm_key_figures
from hil.stations.arm.report.recording import ArmRecording, stream_result
from hil.stations.arm.report.tracking import TrackedPath as PosePath
from hil.stations.arm.report.tracking import tracking_of
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.scene.machines import MACHINES_KEY, ArmMachines, limit_share
from hil.stations.arm.scene.robot import scenes_of
from hil.stations.arm.signals import NAN6, NAN7
from hil.stations.arm.station import SECTIONS

TABLES = {"joints", "link"}
"""Sections without a picture."""

# One run and its page are made once and looked at by many tests, all of them in one worker.
pytestmark = pytest.mark.xdist_group("the arm's page")


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> ArmRecording:
    return write_run(tmp_path_factory.mktemp("run") / "recording.mcap")


@pytest.fixture(scope="module")
def view(run: ArmRecording) -> ArmView:
    return ArmView.of(run)


@pytest.fixture(scope="module")
def page(run: ArmRecording, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_report(run.recording, tmp_path_factory.mktemp("page"))


def rows(view: ArmView) -> dict[str, object]:
    return {figure.name: figure for figure in arm_key_figures(view)}


# --- delay and error -----------------------------------------------------------------------------


def test_the_known_delay_and_error_are_found(view: ArmView) -> None:
    found = view.tracking
    assert found is not None
    assert found.delay_known
    assert found.delay_s == pytest.approx(DELAY_S, abs=1e-4)
    np.testing.assert_allclose(found.position_error_m, [OFFSET_M] * len(found.t_s), atol=5e-6)
    np.testing.assert_allclose(found.angle_error_rad, ANGLE_ERROR_RAD, atol=2e-5)
    table = rows(view)
    assert table["delay, request to gripper"].value == "0.620 s"
    assert table["delay, request to gripper"].where.startswith("1.77 periods; halves 0.6")
    assert found.halves_s == pytest.approx((DELAY_S, DELAY_S), abs=0.01)
    assert table["following error, max"].value == "0.300 mm"
    assert "rms 0.300" in table["following error, max"].where
    assert table["turn error, max"].value == "0.229 deg"


def wander(count: int, seed: int) -> PosePath:
    """A smooth path that never repeats itself."""
    rng = np.random.default_rng(seed)
    t_s = PERIOD_S * np.arange(count)
    waves = rng.uniform(0.15, 0.7, (6, 3)), rng.uniform(0.0, 6.0, (6, 3))
    six = np.sin(t_s[:, None, None] * waves[0] + waves[1]).sum(axis=2)  # (N, 6)
    turns = Rotation.from_rotvec(0.1 * six[:, 3:]).as_quat(scalar_first=True)
    return PosePath.of(t_s, np.hstack([0.05 * six[:, :3], turns]))


def told(asked: PosePath, at_s: np.ndarray, delay_s: float, offset_m=(0.0, 0.0, 0.0)) -> PosePath:
    position, turns = asked.at(at_s - delay_s)
    quaternions = turns.as_quat(scalar_first=True)
    return PosePath.of(at_s, np.hstack([position + np.array(offset_m), quaternions]))


@given(st.floats(-0.3, 3.3), st.integers(0, 1000))
@dear
def test_any_delay_within_the_search_is_found(delay_s: float, seed: int) -> None:
    asked = wander(60, seed)
    found = tracking_of(asked, told(asked, asked.t_s + 0.11, delay_s), PERIOD_S)
    assert found is not None
    assert found.delay_known
    assert found.delay_s == pytest.approx(delay_s, abs=2e-4)
    assert found.distance_m.max() < 1e-4


def test_noise_does_not_move_the_delay_much_and_is_told_as_error() -> None:
    asked = wander(200, 3)
    exact = told(asked, asked.t_s, 0.5)
    noise = np.random.default_rng(4).normal(0.0, 1e-3, exact.position_m.shape)
    poses = np.hstack([exact.position_m + noise, exact.quaternion])
    found = tracking_of(asked, PosePath.of(exact.t_s, poses), PERIOD_S)
    assert found is not None
    assert found.delay_s == pytest.approx(0.5, abs=5e-3)
    assert np.sqrt(np.mean(found.distance_m**2)) == pytest.approx(math.sqrt(3.0) * 1e-3, rel=0.1)


def test_a_turn_alone_tells_the_delay() -> None:
    moving = wander(80, 7)
    still = np.hstack([np.zeros((80, 3)), moving.quaternion])
    asked = PosePath.of(moving.t_s, still)
    found = tracking_of(asked, told(asked, asked.t_s, 0.8), PERIOD_S)
    assert found is not None
    assert found.delay_known
    assert found.delay_s == pytest.approx(0.8, abs=1e-3)


def test_a_delay_that_cannot_be_told_is_said_so() -> None:
    still = PosePath.of(PERIOD_S * np.arange(40), np.tile([1.0, 0, 0, 1, 0, 0, 0], (40, 1)))
    found = tracking_of(still, still, PERIOD_S)
    assert found is not None
    assert (found.delay_known, found.delay_s) == (False, 0.0)
    asked = wander(60, 1)
    late = tracking_of(asked, told(asked, asked.t_s, 6.0), PERIOD_S)
    assert late is not None
    assert late.distance_m.max() > 5e-3  # whatever shift was taken, the error is not hidden
    nothing = PosePath.of(np.empty(0), np.empty((0, 7)))
    assert tracking_of(nothing, still, PERIOD_S) is tracking_of(still, nothing, PERIOD_S) is None


def test_a_robot_that_stands_still_tells_no_delay() -> None:
    asked = wander(120, 2)
    poses = np.tile([*asked.position_m.mean(axis=0), 1.0, 0.0, 0.0, 0.0], (120, 1))
    found = tracking_of(asked, PosePath.of(asked.t_s, poses), PERIOD_S)
    assert found is not None
    assert (found.delay_known, found.delay_s) == (False, 0.0)
    offsets = np.linalg.norm(poses[:, :3] - asked.position_m, axis=1)
    np.testing.assert_allclose(found.distance_m, offsets, atol=1e-12)


def test_what_is_told_twice_counts_once() -> None:
    poses = np.tile([1.0, 2.0, 3.0, 2.0, 0, 0, 0], (4, 1))
    poses[3, 0] = math.nan
    path = PosePath.of(np.array([0.5, 0.1, 0.5, 0.9]), poses)
    assert path.t_s.tolist() == [0.1, 0.5]
    assert path.quaternion.tolist() == [[1.0, 0.0, 0.0, 0.0]] * 2


# --- the two arms --------------------------------------------------------------------------------


def test_arms_survive_the_header(run: ArmRecording) -> None:
    again = ArmMachines.from_scenario(run.recording.scenario)
    assert again.to_json() == machines().to_json()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({}, "no 'machines'"),
        ({"space": {}}, "the simulated arm"),
        ({"robot": {"a2_m": -1.0}}, "a2_m"),
        ({"robot": {"a9_m": 1.0}}, "a9_m"),
        ({"period_s": 0.0}, "period_s: 0.0 s, must be finite and above 0"),
    ],
)
def test_arms_that_are_none_are_refused(change: dict[str, object], words: str) -> None:
    scenario = {MACHINES_KEY: machines().to_json() | change} if change else {}
    with pytest.raises(ValueError, match=words):
        ArmMachines.from_scenario(scenario)


def test_sticks_end_at_the_gripper_and_have_the_links_lengths(run: ArmRecording) -> None:
    arm, machine = scenes_of(run.recording.header)
    robot = machine.points_m(START_RAD)
    pose = forward(machines().robot, START_RAD)
    np.testing.assert_allclose(robot[-1], pose.position_m, atol=1e-12)
    lengths = np.linalg.norm(np.diff(robot, axis=0), axis=1)
    geometry = machines().robot
    assert np.linalg.norm(robot[0]) == pytest.approx(geometry.base_height_m)
    assert lengths[1] == pytest.approx(geometry.a2_m)
    assert lengths[3] == pytest.approx(geometry.d4_m)
    assert lengths[4] == pytest.approx(geometry.tool_m)
    row = 99
    space = arm.points_m(run.column("space_q")[row])
    np.testing.assert_allclose(space[-1], run.column("space_pose")[row][:3], atol=1e-9)
    sticks = np.vstack([np.zeros(3), space])
    offsets = [np.linalg.norm(link.offset_m) for link in machines().space.arm().links]
    np.testing.assert_allclose(np.linalg.norm(np.diff(sticks, axis=0), axis=1)[:6], offsets)


def test_both_grippers_move_alike_when_seen_from_their_starts(view: ArmView) -> None:
    simulated, asked = view.space.relative(), view.asked.relative()
    np.testing.assert_allclose(simulated[0], asked[0], atol=1e-9)
    np.testing.assert_allclose(simulated[1], asked[1], atol=1e-9)
    assert np.ptp(asked[0], axis=0).min() > 0.1
    moved = view.measured.relative(view.asked)[0]
    back = view.asked.rotations[0].inv().apply(OFFSET_M)
    np.testing.assert_allclose(
        moved[0], back, atol=2e-6
    )  # rounded a little; an error at the start stays seen


def test_travel_left_is_one_in_the_middle_and_none_at_an_end() -> None:
    low, high = -np.ones(6), 3.0 * np.ones(6)
    q = np.array([[1.0, -1.0, 3.0, 0.0, 4.0, math.nan]])
    np.testing.assert_allclose(limit_share(q, low, high), [[1.0, 0.0, 0.0, 0.5, -0.5, math.nan]])


# --- the page ------------------------------------------------------------------------------------


def test_the_page_is_whole_by_itself(run: ArmRecording, page: Path) -> None:
    elements = parsed(page)
    sources = elements.attributes("src")
    pictures = [one.name for one in SECTIONS if one.name not in TABLES]
    assert len(sources) == len(pictures) + 1  # and the course of the run
    assert all(source.startswith("data:image/png;base64,") for source in sources)
    assert not elements.attributes("href")
    names = sorted(path.stem for path in (page.parent / "pictures").iterdir())
    assert names == sorted(
        ["arms", "motion", "relative", "accuracy", "following", "speed", "travel", "rates",
         "singular", "answers", "timeline"]
    )  # fmt: skip
    for words in (
        "COMPLETED: bkm_on_rm01", "virtual clock", "SIMULATED RM-01 (emulated controller)",
        "result: completed",
        "at rest at the declared end", "1.77 periods", "Nothing.", run.recording.sha256,
    ):  # fmt: skip
        assert words in elements.text, words
    assert "not as it should be" not in elements.text


@pytest.mark.usefixtures("coarse")
def test_the_same_recording_gives_the_same_bytes(tmp_path: Path) -> None:
    run = write_run(tmp_path / "recording.mcap", count=1)
    first, again = (write_report(run.recording, tmp_path / name) for name in ("first", "again"))
    assert first.read_bytes() == again.read_bytes()


def test_every_picture_shows_something(page: Path) -> None:
    for section in SECTIONS:
        if section.name in TABLES:
            continue
        png = page.parent / "pictures" / f"{section.name}.png"
        pixels = imread(png)[:, :, :3]
        assert pixels.shape[1] == 1199
        coloured = np.ptp(pixels, axis=2) > 0.3
        assert coloured.mean() > 2e-3, section.name


def test_arms_are_drawn_where_they_were_at_the_first_and_last_waypoint(view: ArmView) -> None:
    chosen = arm_drawing.drawn_waypoints(view)
    assert len(chosen) == arm_drawing.INSTANTS
    assert (chosen[0], chosen[-1]) == (0, 239)


@pytest.mark.usefixtures("unpainted")
def test_a_bad_run_says_what_is_bad(tmp_path: Path) -> None:
    def change(index: int, frame):
        if 50 <= index < 55:
            frame = frame._replace(answer_latency_s=0.3)
        if index == 50:
            frame = frame._replace(gripper_speed_m_s=0.101)
            frame = frame._replace(space_q=(9.0, *frame.space_q[1:]), repeats=0)
            frame = frame._replace(robot_q_rate=(*frame.robot_q_rate[:5], 2.5))
        x, y, z, *turn = frame.measured_pose
        off = 2e-3 if index > 200 else 0.0
        return frame._replace(measured_pose=(x, y, z + off, *turn), repeats=3 * (index > 60))

    events = (
        EventRecord(17.5, 50, EventKind.VIOLATION, Level.ERROR, "gate", "gripper <too> fast",
                    {"arm": "robot", "joint": 2, "value": 0.101, "limit": 0.1, "unit": "m/s"}),
        stream_result(20.0, 57, "cancelled", "operator"),
        stream_result(35.0, 100, "ran dry", "waypoint 101 was not there"),
    )  # fmt: skip
    bad = ArmView.of(write_run(tmp_path / "a.mcap", change=change, events=events))
    table = rows(bad)
    assert {name for name, figure in table.items() if figure.bad} == {
        "following error, max", "gripper speed, max", "simulated arm, travel left",
        "industrial arm, joint rate", "answer to a request, p99", "result of the stream",
    }  # fmt: skip
    assert table["gripper speed, max"].value == "101.0 mm/s"
    assert table["simulated arm, travel left"].where == "joint 1 at 21.80 s"
    assert table["industrial arm, joint rate"].value == "125.0 %"
    assert (bad.verdict.ending, bad.result) == (Ending.TRIPPED, "ran dry")
    assert "Streams before it: cancelled" in bad.verdict.reason
    text = parsed(write_report(bad.recording, tmp_path)).text
    for words in ("gripper <too> fast", "0.101", "TRIPPED", "waypoint 101 was not there"):
        assert words in text


def test_a_robot_more_than_half_a_millimetre_off_its_model_is_bad(tmp_path: Path) -> None:
    def change(_: int, frame):
        pose = frame.measured_pose
        return frame._replace(measured_pose=(*pose[:2], pose[2] + 0.3e-3, *pose[3:]))

    row = rows(ArmView.of(write_run(tmp_path / "a.mcap", change=change)))["following error, max"]
    assert row.bad
    assert float(row.value.split()[0]) == pytest.approx(0.6, abs=0.01)


@pytest.mark.parametrize(
    ("events", "ending"),
    [
        ((), Ending.UNFINISHED),
        ((stream_result(1.0, 3, "cancelled", "operator"),), Ending.STOPPED),
        ((stream_result(1.0, 3, "held", "e-stop"),), Ending.TRIPPED),
        ((EventRecord(1.0, 3, EventKind.FAULT, Level.FATAL, "loop", "bug"),), Ending.FAILED),
    ],
)
def test_how_it_ended_is_told(tmp_path: Path, events, ending: Ending) -> None:
    found = ArmView.of(write_run(tmp_path / "a.mcap", events=events, count=8))
    assert found.verdict.ending is ending


@pytest.mark.usefixtures("coarse")
def test_odd_recordings_give_a_page_that_says_so(tmp_path: Path) -> None:
    def nothing_told(_: int, frame):
        return frame._replace(measured_pose=NAN7, measured_at_s=math.nan, sent_seq=math.nan)

    def blank(_: int, frame):
        return nothing_told(0, frame)._replace(
            space_q=NAN6, robot_q=NAN6, space_pose=NAN7, target_pose=NAN7,
            answer_latency_s=math.nan, gripper_speed_m_s=math.nan, margins=(math.nan,) * 3,
        )  # fmt: skip

    cases = [
        ("told", {"change": nothing_told, "count": 30}, "did not tell where it is"),
        ("blank", {"change": blank, "count": 30}, "No waypoint was sent"),
        ("none", {"count": 0}, "COMPLETED"),
        ("one", {"count": 1}, "delay cannot be told"),
    ]
    for name, options, words in cases:
        odd = write_run(tmp_path / name / "recording.mcap", **options)
        assert words in parsed(write_report(odd.recording, tmp_path / name)).text, name


@pytest.mark.usefixtures("unpainted")
def test_recordings_without_arms_or_an_end_give_a_page_that_says_so(tmp_path: Path) -> None:
    odd = write_run(tmp_path / "arms.mcap", described=False, count=30)
    assert "cannot be drawn" in parsed(write_report(odd.recording, tmp_path / "arms")).text
    whole = write_run(tmp_path / "told.mcap", count=30).recording.path.read_bytes()
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(whole[: len(whole) // 2])
    text = parsed(write_report(Recording.open(cut), tmp_path / "cut")).text
    assert "CUT OFF" in text
    assert "not finished properly" in text


def test_a_place_that_cannot_be_written_is_told(run: ArmRecording, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(RecordingError, match="cannot be written"):
        write_report(run.recording, tmp_path / "file")


def test_the_histogram_leaves_out_what_was_not_answered(tmp_path: Path) -> None:
    def change(index: int, frame):
        return frame if index > 1 else frame._replace(answer_latency_s=math.nan)

    found = ArmView.of(write_run(tmp_path / "a.mcap", change=change, count=30))
    assert arm_figures.answers(found) is not None
    assert rows(found)["answer to a request, p99"].where.endswith("of 29")
