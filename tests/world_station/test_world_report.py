"""The page of a run of the virtual environment: pictures and tables are those of its recording."""

import numpy as np
import pytest
from picture_layout import watch_figures

from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.report.page import write_report
from hil.report.recorded_run import recorded_run
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.report import sections as report
from hil.stations.world.run.session import run_world
from hil.stations.world.view.recorded_world import RecordedWorld

SCENARIOS = configs_dir() / "scenarios"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    plan = load_world_plan(SCENARIOS / "straight_line.toml", ["settle_s=0.1"])
    return run_world(plan, tmp_path_factory.mktemp("runs")).recorder.path


def test_the_page_has_every_section(run):
    page = write_report(Recording.open(run), run.parent).read_text()
    for title in ("The robot in motion", "Joints and drives over time", "Way of the tool",
                  "Joints against where they should be"):  # fmt: skip
        assert title in page


def test_errors_are_those_of_the_rows(run):
    recording = Recording.open(run)
    tables = report.joint_errors(recorded_run(recording))
    assert tables is not None
    apart = np.degrees(np.abs(recording.column("position_rad") - recording.column("wanted_rad")))
    for index, row in enumerate(tables.tables[0].rows):
        wanted = (f"joint {index + 1}", f"{apart[:, index].max():.5f} deg",
                  f"{apart[-1, index]:.6f} deg")  # fmt: skip
        assert row.cells == wanted


def test_frames_of_the_robot_end_at_the_recorded_tool(run):
    """Lines are drawn from recorded states; their last point is the tool's pose, told apart."""
    recording = Recording.open(run)
    recorded = RecordedWorld.of(recording)
    world = recorded.world()
    for row in (0, 700, len(recorded.times_s) - 1):
        last = list(report.robot_lines(world, recorded.positions[row]))[-1]
        np.testing.assert_allclose(last[1], recording.column("tool_pose")[row, :3], atol=1e-9)


def test_pictures_are_drawn_and_say_the_length(run):
    prepared = recorded_run(Recording.open(run))
    for maker in (report.motion_frames, report.joints_over_time, report.tool_path):
        picture = maker(prepared)
        assert picture is not None
        assert len(picture.png) > 5000
    assert "758.1 mm from its first place" in report.tool_path(prepared).caption


def test_the_tool_is_drawn_in_space(run, monkeypatch):
    """Its path in two views lies on the straight way, as the caption tells in millimetres."""
    prepared, drawn, draw = recorded_run(Recording.open(run)), [], report._path

    def seen(axes, way_m, *names):
        drawn.append((names, way_m))
        draw(axes, way_m, *names)

    monkeypatch.setattr(report, "_path", seen)
    caption = report.tool_path(prepared).caption
    tool = Recording.open(run).column("tool_pose")[:, :3]
    assert [names for names, _ in drawn] == [("x", "z"), ("x", "y")]
    for (_, way_m), columns in zip(drawn, ((0, 2), (0, 1)), strict=True):
        np.testing.assert_array_equal(way_m[[0, -1]], tool[[0, -1]][:, columns])
        assert np.ptp(way_m, axis=0) == pytest.approx(np.ptp(tool[:, columns], axis=0))
    whole = (tool[-1] - tool[0]) / np.linalg.norm(tool[-1] - tool[0])
    off = (tool - tool[0]) - np.outer((tool - tool[0]) @ whole, whole)
    assert f"at most {1e3 * np.linalg.norm(off, axis=1).max():.3f} mm off" in caption


def test_robots_with_loops_are_drawn_closed_and_slides_are_in_millimetres(tmp_path):
    changes = ['robot="four_bar"', "motion.goal=[{joint=1, by_deg=20.0}]", "settle_s=0.1"]
    result = run_world(load_world_plan(SCENARIOS / "joint_move.toml", changes), tmp_path)
    prepared = recorded_run(Recording.open(result.recorder.path))
    assert report.motion_frames(prepared) is not None
    recorded = RecordedWorld.of(prepared.recording)
    world = recorded.world()
    for row in recorded.spread(5).tolist():
        ends = [line[1] for line in report.robot_lines(world, recorded.positions[row])]
        gaps = [np.linalg.norm(one - other) for k, one in enumerate(ends) for other in ends[:k]]
        assert min(gaps) < 20e-6  # two lines meet where the loop is closed
    assert report.joint_errors(prepared) is not None
    assert write_report(prepared.recording, tmp_path).stat().st_size > 10_000


def test_contacts_and_sensors_are_laid_out_so_that_all_is_seen(tmp_path, monkeypatch):
    plan = load_world_plan(SCENARIOS / "press.toml", ["motion.duration_s=0.5"])
    result = run_world(plan, tmp_path)
    prepared = recorded_run(Recording.open(result.recorder.path))
    figures = watch_figures(monkeypatch)
    assert report.contact_force(prepared) is not None
    assert report.sensor_readings(prepared) is not None
    (contacts, faults), (sensors, others) = figures
    assert not faults + others
    assert contacts.axes[0].get_ylim()[0] == 0.0
    assert contacts.axes[0].get_xlabel() == sensors.axes[-1].get_xlabel() == "time [s]"
    assert contacts.axes[0].get_ylabel() == "contact force [N]"
    numbered = [axes.xaxis.get_tick_params()["labelbottom"] for axes in sensors.axes]
    assert numbered == [False] * (len(sensors.axes) - 1) + [True], "one time for all"
    begins = {round(axes.get_position().x0, 9) for axes in (*contacts.axes, *sensors.axes)}
    assert len(begins) == 1, "time begins at one place of the page"
    titles = [axes.get_title(loc="left") for axes in sensors.axes]
    assert "wrist_force_n [N]" in titles
    assert len(titles) > 2
