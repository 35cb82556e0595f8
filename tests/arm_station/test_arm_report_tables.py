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

import hil.report.page
from hil.recording.events import CLOCK_NAME, EventKind, EventRecord, Level
from hil.report.page import write_report
from hil.report.run_verdict import Ending
from hil.stations.arm.report.key_figures import arm_key_figures
from hil.stations.arm.report.recording import SUPERVISION, link_tally, stream_result
from hil.stations.arm.report.tables import HEADS, acceleration_rad_s2, joint_tables, link_table
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.signals import NAN7
from hil.stations.arm.station import SECTIONS

EVERY_SECTION = {*(section.name for section in SECTIONS), "objections", "events", "settings"}
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
    assert fetches.has_pose.all()
    assert fetches.sent.all()
    assert fetches.sent_exact


def test_all_times_of_the_page_are_those_of_the_loop(view: ArmView) -> None:
    """Waypoint n is at n periods of the motion, and on the page when it was fetched."""
    period_s, first_s = view.period_s, ASKED_FIRST_S + view.period_s
    np.testing.assert_allclose(view.times, ASKED_FIRST_S + view.run.t_s, atol=1e-9)
    assert view.phases[0].start_s == pytest.approx(first_s)
    motion_s = np.array([0.0, 0.5 * period_s, period_s, 7.25 * period_s])
    np.testing.assert_allclose(view.of_motion(motion_s), ASKED_FIRST_S + motion_s, atol=1e-9)
    dated = EventRecord(period_s, 1, EventKind.NOTE, Level.INFO, CLOCK_NAME, "cycle 1 was at …")
    assert view.event_s(dated) == pytest.approx(first_s)
    assert view.event_s(dataclasses.replace(dated, name="loop", t_s=3.0)) == 3.0
    assert view.accuracy is not None
    rows = {figure.name: figure.where for figure in arm_key_figures(view)}
    for name, misfit in (("space", view.accuracy.in_space), ("time", view.accuracy.in_time)):
        assert f"at {ASKED_FIRST_S + misfit.at_s:.2f} s, (" in rows[f"accuracy in {name}, max"]
    assert "Times are of the loop" in view.figures_note


def test_a_page_without_requests_says_that_its_times_are_of_the_motion(tmp_path: Path) -> None:
    def change(_index, frame):
        return frame._replace(measured_pose=NAN7, measured_at_s=math.nan, sent_seq=math.nan)

    found = ArmView.of(write_run(tmp_path / "a.mcap", change=change))
    np.testing.assert_allclose(found.times, found.run.t_s)
    np.testing.assert_allclose(found.of_motion(found.run.t_s), found.run.t_s)
    assert "times are of the motion" in found.figures_note


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
    assert np.flatnonzero(~found.fetches.has_pose).tolist() == [100, 150]
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
    assert np.flatnonzero(~found.fetches.has_pose).tolist() == [119]
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
    assert not whole.run.recording.gaps
    assert whole.notes == ()

    def hole(index: int, frame):
        return frame._replace(index=index + (3 if index > 10 else 0))

    holed = ArmView.of(write_run(tmp_path / "b.mcap", change=hole, count=20))
    assert [gap.missing for gap in holed.run.recording.gaps] == [3]
    assert "3 rows are missing in the recording." in holed.notes


# --- joints and link -----------------------------------------------------------------------------


def test_joints_are_those_of_the_recording(view: ArmView) -> None:
    space, robot = joint_tables(view).tables
    assert robot.name == "industrial arm, as asked"
    q = np.degrees(view.run.column("robot_q"))
    rate = np.degrees(view.run.column("robot_q_rate"))
    geometry = machines().robot
    low, high = np.degrees(geometry.position_min_rad), np.degrees(geometry.position_max_rad)
    for joint, row in enumerate(robot.rows):
        told = dict(zip(HEADS, row.cells, strict=True))
        least, most = (float(part) for part in told["reached [deg]"].split(" … "))
        assert (least, most) == pytest.approx((q[:, joint].min(), q[:, joint].max()), abs=6e-3)
        left = min(least - low[joint], high[joint] - most)
        assert float(told["least left [deg]"]) == pytest.approx(left, abs=0.02)
        assert float(told["rate [deg/s]"]) == pytest.approx(np.abs(rate[:, joint]).max(), abs=1e-3)
        change = np.abs(np.diff(rate[:, joint])).max() / PERIOD_S
        assert float(told["acceleration [deg/s²]"]) == pytest.approx(change, abs=6e-3)
        assert not row.bad
    assert [row.cells[7] for row in space.rows] == [""] * 6
    travel = machines().space.joint[2].position_deg
    assert space.rows[2].cells[2] == f"{travel[0]:.1f} … {travel[1]:.1f}"


def test_a_joint_beyond_a_limit_is_bad(tmp_path: Path) -> None:
    def change(index: int, frame):
        if index != 12:
            return frame
        q, rate = list(frame.robot_q), list(frame.robot_q_rate)
        q[1], rate[4] = math.radians(-50.0), 50.0
        return frame._replace(robot_q=tuple(q), robot_q_rate=tuple(rate))

    found = ArmView.of(write_run(tmp_path / "a.mcap", change=change, count=30))
    robot = joint_tables(found).tables[1].rows
    assert [row.cells[0] for row in robot if row.bad] == ["2", "5"]
    assert float(robot[1].cells[3]) == pytest.approx(
        -50.0 - math.degrees(machines().robot.position_min_rad[1]), abs=0.01
    )
    assert robot[1].cells[4] == f"{ASKED_FIRST_S + 12 * PERIOD_S:.2f}"


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
    told = {row.cells[0]: (row.cells[1], row.bad) for row in table.tables[0].rows}
    assert len(told) == len(COUNTS)
    assert told["requests that were understood"] == ("109", False)
    assert told["requests with a wrong checksum, ignored"] == ("3", True)
    assert told["lines of the robot that are no message, ignored"] == ("0", False)
    assert told["waypoints ready for the second request only"] == ("1", True)
    assert told["answer p99 s"] == ("0.0009", False)
    without = link_table(view)
    assert [row.cells[1] for row in without.tables[0].rows] == ["240", "240", "0"]
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
    monkeypatch.setattr(hil.report.page, "made", lambda section, run: None)
    data = {"check": "RATE", "arm": "rm01", "joint": "joint 3", "value": 2.1, "limit": 1.5,
            "low": None, "unit": "rad/s"}  # fmt: skip
    gate = EventRecord(7.0, 20, EventKind.VIOLATION, Level.ERROR, "gate", "too fast", data)
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
        page = parsed(write_report(run.recording, tmp_path / name))
        assert set(page.attributes("id")) >= EVERY_SECTION - {"link"}, name
        assert page.text.count("Nothing to draw") == len(SECTIONS) - 2, name  # two are tables
        assert "No joint angles" in page.text
    text = parsed(tmp_path / "refused" / "report.html").text
    assert "7.00020gateraterm01, joint 32.11.5rad/stoo fast" in text
    assert "7.00020streamrefused" in text


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
