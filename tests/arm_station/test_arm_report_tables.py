"""Clock, causes, joints and link of an arm's report: numbers that a recording is known to hold."""

from __future__ import annotations

import dataclasses
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from properties import dear

sys.path.insert(0, str(Path(__file__).parents[1] / "report"))

from arm_samples import ASKED_FIRST_S, DELAY_S, PERIOD_S, machines, write_run
from html_samples import parsed

from hil.recording.arm_frame import NAN7, SUPERVISION, link_tally, stream_result
from hil.recording.frame import EventKind, EventRecord, Level
from hil.report.ending import Ending
from hil.stations.arm.report import page as arm_page
from hil.stations.arm.report.causes import Cause
from hil.stations.arm.report.joints import acceleration_rad_s2, joint_tables
from hil.stations.arm.report.key_figures import arm_key_figures
from hil.stations.arm.report.link_table import link_table
from hil.stations.arm.report.page import SECTIONS, write_arm_report
from hil.stations.arm.report.view import ArmView

EVERY_SECTION = {
    *(section.name for section in SECTIONS), "causes", "joints", "link", "events", "settings"
}  # fmt: skip
COUNTS = {
    "requests": 109, "answers": 108, "waypoints": 200, "repeats": 2, "checksum_errors": 3,
    "unparsed": 0, "late_answers": 1, "echoes": 4, "answer_p99_s": 0.0009,
}  # fmt: skip


@pytest.fixture(scope="module")
def view(tmp_path_factory: pytest.TempPathFactory) -> ArmView:
    return ArmView.of(write_run(tmp_path_factory.mktemp("run") / "recording.mcap"))


# --- the clock -----------------------------------------------------------------------------------


def test_waypoints_are_taken_at_the_times_of_their_requests(view: ArmView) -> None:
    fetches = view.fetches
    assert fetches.known
    np.testing.assert_allclose(fetches.fetched_s, ASKED_FIRST_S + view.run.t_s, atol=1e-9)
    assert fetches.told.all()
    assert fetches.sent.all()
    assert fetches.sent_exact


@given(st.floats(0.0, 9.0))
@dear
def test_when_the_robot_begins_to_ask_is_no_delay(
    tmp_path_factory: pytest.TempPathFactory, late_s: float
) -> None:
    def change(_: int, frame):
        return frame._replace(measured_at_s=frame.measured_at_s + late_s)

    path = tmp_path_factory.mktemp("late") / "a.mcap"
    found = ArmView.of(write_run(path, change=change)).tracking
    assert found is not None
    assert found.delay_s == pytest.approx(DELAY_S, abs=1e-4)


def test_a_repeated_request_tells_no_time_and_garbles_nothing(tmp_path: Path) -> None:
    """After it the time told is that of the repetition, the pose that of the first request."""

    def change(index: int, frame):
        again = (index > 100) + (index > 150)
        late_s = 0.25 if index in (101, 151) else 0.0
        return frame._replace(
            requests=frame.requests + again,
            repeats=again,
            measured_at_s=frame.measured_at_s + late_s,
        )

    found = ArmView.of(write_run(tmp_path / "a.mcap", change=change))
    assert np.flatnonzero(~found.fetches.told).tolist() == [100, 150]
    np.testing.assert_allclose(found.fetches.fetched_s, ASKED_FIRST_S + found.run.t_s, atol=1e-9)
    assert found.tracking is not None
    assert found.tracking.delay_s == pytest.approx(DELAY_S, abs=1e-4)
    assert found.tracking.distance_m.max() == pytest.approx(0.3e-3, abs=2e-5)


def test_a_repetition_whose_first_request_was_lost_is_no_place_told(tmp_path: Path) -> None:
    """It has no pose: the recording has the pose of the request before under its time."""

    def change(index: int, frame):
        if index != 120:
            return frame
        at_s = frame.measured_at_s + 0.25
        return frame._replace(measured_at_s=at_s, measured_pose=before[-1])

    before = [tuple(write_run(tmp_path / "a.mcap").column("measured_pose")[118].tolist())]
    found = ArmView.of(write_run(tmp_path / "b.mcap", change=change))
    assert np.flatnonzero(~found.fetches.told).tolist() == [119]
    assert found.tracking is not None
    assert found.tracking.distance_m.max() == pytest.approx(0.3e-3, abs=2e-5)


def test_a_robot_that_asks_late_is_taken_at_its_word(tmp_path: Path) -> None:
    def change(index: int, frame):
        return frame._replace(measured_at_s=frame.measured_at_s + (2.0 if index > 120 else 0.0))

    times = ArmView.of(write_run(tmp_path / "a.mcap", change=change)).fetches.fetched_s
    steps = np.diff(times)
    assert steps.max() == pytest.approx(PERIOD_S + 2.0)
    assert np.sort(steps)[-2] == pytest.approx(PERIOD_S)


def test_only_what_was_sent_counts_as_asked(tmp_path: Path) -> None:
    def nothing_sent(_: int, frame):
        return frame._replace(sent_seq=0.0)

    refused = (stream_result(0.35, 1, "refused", "refused: 10.00 mm and 0.000 deg away, at most 2 "
                             "mm and 0.5 deg; move it there"),)  # fmt: skip
    none = ArmView.of(write_run(tmp_path / "a.mcap", change=nothing_sent, events=refused, count=1))
    assert not none.fetches.sent.any()
    assert none.tracking is None
    assert none.verdict.ending is Ending.TRIPPED
    assert none.verdict.reason.startswith("The robot was not moved. The stream ended: refused: 10")
    dry = (stream_result(9.0, 50, "ran dry", "no waypoint"),)
    some = ArmView.of(write_run(tmp_path / "b.mcap", events=dry, count=50))
    assert (int(some.fetches.sent.sum()), some.fetches.sent_exact) == (49, False)
    assert len(some.asked) == 49
    tally = (*dry, link_tally(9.0, 50, {"waypoints": 37}))
    exact = ArmView.of(write_run(tmp_path / "c.mcap", events=tally, count=50))
    assert (int(exact.fetches.sent.sum()), exact.fetches.sent_exact) == (37, True)
    row = {figure.name: figure for figure in arm_key_figures(exact)}["waypoints sent"]
    assert (row.value, row.where) == ("37", "of 50 that were made")


def test_a_run_counts_from_waypoint_1_and_holes_are_told(tmp_path: Path) -> None:
    whole = ArmView.of(write_run(tmp_path / "a.mcap", count=20))
    assert whole.run.missing == 0
    assert whole.notes == ()

    def hole(index: int, frame):
        return frame._replace(index=index + (3 if index > 10 else 0))

    holed = ArmView.of(write_run(tmp_path / "b.mcap", change=hole, count=20))
    assert holed.run.missing == 3
    assert "3 waypoints are missing in the recording." in holed.notes


# --- causes --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "cause"),
    [
        ("RM-01: elbow singularity: distance 0.01774 m, must be at least 0.02 m",
         Cause("elbow singularity", "RM-01", "", "0.01774", "0.02", "m")),
        ("rm01: distance to wrist singularity 0.07 1, less than 0.100 1",
         Cause("wrist singularity", "rm01", "", "0.07", "0.100", "1")),
        ("rm01, joint 3: rate 2.100 rad/s outside [-1.500, 1.500] rad/s",
         Cause("joint rate", "rm01", "3", "2.100", "[-1.500, 1.500]", "rad/s")),
        ("bkm, joint 2: acceleration 2.1 rad/s^2, more than 1.5 rad/s^2 (start)",
         Cause("joint acceleration", "bkm", "2", "2.1", "1.5", "rad/s^2")),
        ("rm01: gripper speed 0.1013 m/s, more than 0.100 m/s",
         Cause("gripper speed", "rm01", "", "0.1013", "0.100", "m/s")),
        ("RM-01: right up flip: joint 4: 3.1 rad is above 2.967 rad",
         Cause("joint position", "RM-01", "4", "3.1", "2.967", "rad")),
        ("RM-01: out of reach, too far: the wrist centre is 0.0123 m beyond full stretch",
         Cause("out of reach", "RM-01", "", "0.0123", "", "m")),
        ("waypoint 24 as planned: 102.33 mm in one period of 0.35 s, at most 35.01 mm (100 mm/s)",
         Cause("step of a waypoint", "", "", "102.33", "35.01", "mm")),
        ("refused: the robot is at x 1 y 2 z 3 mm, o 4 a 5 t 6 deg, the start is planned at x 1: "
         "10.00 mm and 0.000 deg away, at most 2 mm and 0.5 deg; move it there",
         Cause("start position", "", "", "10.00", "2", "mm")),
        ("the start is planned at x: 0.50 mm and 2.000 deg away, at most 2 mm and 0.5 deg",
         Cause("start position", "", "", "2.000", "0.5", "deg")),
        ("link lost: no request for 1.05 s",
         Cause("silence of the robot", "", "", "", "1.05", "s")),
        ("the robot tells: hold or emergency stop (status 3)",
         Cause("hold or emergency stop", "", "", "3", "", "")),
        ("the robot ran dry: it is at rest at the waypoint before 33",
         Cause("no waypoint in time")),
        ("something else, 3 of them, happened", Cause()),
    ],
)  # fmt: skip
def test_a_text_tells_its_cause(text: str, cause: Cause) -> None:
    assert Cause.of(text, {}) == cause
    assert Cause.of("stream ended", {"result": "refused", "reason": text}) == cause


def test_what_an_event_tells_one_by_one_outranks_its_text() -> None:
    data = {"check": "joint_rate", "arm": "rm01", "joint": 5, "value": 1.25, "unit": "rad/s"}
    found = Cause.of("bkm, joint 2: gripper speed 9 m/s, more than 8 m/s", data)
    assert found == Cause("joint rate", "rm01", "5", "1.25", "", "rad/s")


@given(st.text(max_size=120))
def test_any_text_is_read(text: str) -> None:
    found = Cause.of(text, {})
    assert all(isinstance(part, str) for part in dataclasses.astuple(found))


# --- joints and link -----------------------------------------------------------------------------


def test_joints_are_those_of_the_recording(view: ArmView) -> None:
    (_, space), (name, robot) = joint_tables(view)
    assert name == "industrial arm, as asked"
    q = np.degrees(view.run.column("robot_q"))
    rate = np.degrees(view.run.column("robot_q_rate"))
    geometry = machines().robot
    low, high = np.degrees(geometry.position_min_rad), np.degrees(geometry.position_max_rad)
    for joint, row in enumerate(robot):
        least, most = (float(part) for part in row.reached.split(" … "))
        assert (least, most) == pytest.approx((q[:, joint].min(), q[:, joint].max()), abs=6e-3)
        left = min(least - low[joint], high[joint] - most)
        assert float(row.left) == pytest.approx(left, abs=0.02)
        assert float(row.rate) == pytest.approx(np.abs(rate[:, joint]).max(), abs=1e-3)
        change = np.abs(np.diff(rate[:, joint])).max() / PERIOD_S
        assert float(row.acceleration) == pytest.approx(change, abs=6e-3)
        assert not row.bad
    assert [row.acceleration for row in space] == [""] * 6
    travel = machines().space.joint[2].position_deg
    assert space[2].travel == f"{travel[0]:.1f} … {travel[1]:.1f}"


def test_a_joint_beyond_a_limit_is_bad(tmp_path: Path) -> None:
    def change(index: int, frame):
        if index != 12:
            return frame
        q, rate = list(frame.robot_q), list(frame.robot_q_rate)
        q[1], rate[4] = math.radians(-50.0), 50.0
        return frame._replace(robot_q=tuple(q), robot_q_rate=tuple(rate))

    found = ArmView.of(write_run(tmp_path / "a.mcap", change=change, count=30))
    _, (_, robot) = joint_tables(found)
    assert [row.joint for row in robot if row.bad] == ["2", "5"]
    assert float(robot[1].left) == pytest.approx(
        -50.0 - math.degrees(machines().robot.position_min_rad[1]), abs=0.01
    )
    assert robot[1].at == f"{ASKED_FIRST_S + 12 * PERIOD_S:.2f}"


def test_acceleration_is_the_change_of_the_rate() -> None:
    rate = np.array([[0.0, 1.0], [0.35, 1.0], [0.35, 0.3]])
    found = acceleration_rad_s2(rate, 0.35)
    assert np.isnan(found[0]).all()
    np.testing.assert_allclose(found[1:], [[1.0, 0.0], [0.0, -2.0]])
    assert acceleration_rad_s2(np.empty((0, 6)), 0.35).shape == (0, 6)


def test_the_link_is_told_as_counted(tmp_path: Path, view: ArmView) -> None:
    tally = (stream_result(1.0, 5, "completed", ""), link_tally(1.0, 5, COUNTS))
    table = link_table(ArmView.of(write_run(tmp_path / "a.mcap", events=tally, count=5)))
    assert table.note == ""
    told = {row.name: (row.value, row.bad) for row in table.rows}
    assert len(told) == len(COUNTS)
    assert told["requests that were understood"] == ("109", False)
    assert told["requests with a wrong checksum, ignored"] == ("3", True)
    assert told["lines of the robot that are no message, ignored"] == ("0", False)
    assert told["waypoints ready for the second request only"] == ("1", True)
    assert told["answer p99 s"] == ("0.0009", False)
    without = link_table(view)
    assert [row.value for row in without.rows] == ["240", "240", "0"]
    assert "not known" in without.note


@pytest.mark.parametrize(
    ("windows", "bad"),
    [(None, False), ({"period_tolerance": 0.01}, True), ({"period_tolerance": 0.04}, False)],
)
def test_the_period_is_held_to_the_window_of_the_run(tmp_path: Path, windows, bad: bool) -> None:
    """A mean that is 2 % off: the standard window is 3 %."""
    tally = {"periods": 200, "period_mean_s": 0.98 * PERIOD_S}
    events = (
        stream_result(1.0, 5, "completed", ""), link_tally(1.0, 5, tally, SUPERVISION),
    )  # fmt: skip
    run = write_run(tmp_path / "a.mcap", events=events, count=5, supervision=windows)
    rows = {one.name: one for one in arm_key_figures(ArmView.of(run))}
    assert rows["period of the robot, mean"].bad is bad


# --- every section in every case -----------------------------------------------------------------


def test_every_section_is_there_whatever_happened(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pictures are tested elsewhere; here none is drawn, so that all their reasons are seen."""
    empty = tuple(dataclasses.replace(one, draw=lambda _: None) for one in SECTIONS)
    monkeypatch.setattr(arm_page, "SECTIONS", empty)
    gate = EventRecord(7.0, 20, EventKind.VIOLATION, Level.ERROR, "gate",
                       "rm01, joint 3: rate 2.100 rad/s, more than 1.500 rad/s")  # fmt: skip
    cases = {
        "completed": {},
        "ran dry": {"events": (stream_result(7.0, 20, "ran dry", "nothing ready"),)},
        "refused": {"events": (gate, stream_result(7.0, 20, "refused", gate.message))},
        "lost": {"events": (stream_result(7.0, 20, "link lost", "no request for 1.05 s"),)},
        "none": {"events": (), "count": 0},
        "blind": {"change": lambda _, frame: frame._replace(measured_pose=NAN7)},
        "bare": {"described": False},
    }
    for name, options in cases.items():
        run = write_run(tmp_path / name / "recording.mcap", **{"count": 20} | options)
        page = parsed(write_arm_report(run, tmp_path / name))
        assert set(page.attributes("id")) >= EVERY_SECTION, name
        assert page.text.count("Nothing to draw") == len(SECTIONS), name
        assert not page.attributes("src"), name
    text = parsed(tmp_path / "refused" / "report.html").text
    for words in ("joint rate", "2.100", "1.500", "rad/s"):
        assert words in text


def test_margins_are_held_against_what_the_robot_must_keep(tmp_path: Path) -> None:
    run = write_run(tmp_path / "a.mcap", count=20)
    view = ArmView.of(run)
    assert view.machines is not None
    known = dataclasses.replace(view.machines, least_margins=(0.1, 0.02, 10.0))
    rows = {one.name: one for one in arm_key_figures(dataclasses.replace(view, machines=known))}
    least = run.column("margins").min(axis=0)
    wrist, shoulder = rows["nearest to wrist singularity"], rows["nearest to shoulder singularity"]
    assert float(wrist.margin) == pytest.approx(least[0] - 0.1, abs=6e-4)
    assert (wrist.limit, wrist.bad) == ("0.1", False)
    assert (shoulder.limit, shoulder.bad) == ("1e+04 mm", True)
