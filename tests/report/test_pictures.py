"""Pictures: they have the right size, show something, and are the same every time."""

import dataclasses
import io
import sys

import matplotlib
import numpy as np
import pytest
from matplotlib.axes import Axes
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from PIL import Image
from report_samples import (
    BRAKING_CYCLES,
    TRIPPED,
    demo_plan,
    start_of,
    with_columns,
    write_run,
)

from hil.recording.reader import Recording
from hil.report.scene_figure import draw_scene, eye_from
from hil.report.style import Picture, draw_png, mode_colour
from hil.report.time_axes import time_axes, timeline
from hil.stations.platform.report import (
    lateness_figure,
    leg_figures,
    pose_figure,
    rig_figure,
    stop_figure,
)
from hil.stations.platform.report.leg_figures import step_rate
from hil.stations.platform.report.rig_figure import extreme_instants, remaining_m
from hil.stations.platform.report.stop_figure import braking_window, shared_factor
from hil.stations.platform.report.view import RunView, reached_poses
from hil.stations.platform.scene.platform import PlatformScene
from hil_common.arrays.pose import Pose
from platform6dof.inverse import leg_lengths

ALWAYS = [
    leg_figures.strokes,
    leg_figures.speeds,
    leg_figures.tracking,
    pose_figure.pose,
    rig_figure.rig,
    timeline,
]


def pixels(png: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"), dtype=float)


def check(picture: Picture | None) -> None:
    assert picture is not None
    image = pixels(picture.png)
    height, width, _ = image.shape
    assert width == 1199
    assert 200 <= height <= 1000
    # Something is drawn in every part of the page's width, and it is not one colour.
    for part in np.array_split(image, 3, axis=1):
        assert part.std() > 5.0
    edge = np.concatenate((image[:2].reshape(-1, 3), image[-2:].reshape(-1, 3)))
    assert (edge == 255.0).all(), "nothing is cut off above or below"
    assert (image[:, :2] == 255.0).all(), "nothing is cut off at the left"
    assert (image[:, -2:] == 255.0).all(), "nothing is cut off at the right"


@pytest.mark.parametrize("draw", ALWAYS, ids=lambda draw: draw.__name__)
def test_a_good_run_gives_every_picture(good_view: RunView, draw) -> None:
    check(draw(good_view))


def test_a_stop_is_drawn_only_where_there_was_one(good_view, tripped_view: RunView) -> None:
    assert stop_figure.stop(good_view) is None
    check(stop_figure.stop(tripped_view))


def test_a_drawing_is_the_same_every_time_and_carries_no_text(tripped_view: RunView) -> None:
    first, second = stop_figure.stop(tripped_view), stop_figure.stop(tripped_view)
    assert first is not None
    assert second is not None
    assert first.png == second.png
    assert Image.open(io.BytesIO(first.png)).info.keys() <= {"dpi"}


def test_settings_of_the_user_play_no_part(good_view: RunView) -> None:
    before = timeline(good_view)
    with matplotlib.rc_context({"font.size": 20.0, "axes.facecolor": "black"}):
        after = timeline(good_view)
        assert matplotlib.rcParams["font.size"] == 20.0, "and they are given back"
    assert before is not None
    assert after is not None
    assert before.png == after.png


def test_pyplot_and_its_global_state_are_not_used(good_view: RunView) -> None:
    assert timeline(good_view) is not None
    assert "matplotlib.pyplot" not in sys.modules


def lines_of(monkeypatch: pytest.MonkeyPatch, draw, view: RunView) -> list[np.ndarray]:
    """The y values of all lines that a picture draws."""
    drawn: list[np.ndarray] = []
    plot = Axes.plot

    def spy(self, x, y, *args, **kwargs):
        drawn.append(np.asarray(y, dtype=float))
        return plot(self, x, y, *args, **kwargs)

    monkeypatch.setattr(Axes, "plot", spy)
    draw(view)
    return drawn


def test_strokes_are_lengths_less_the_closed_length(monkeypatch, good_view: RunView) -> None:
    drawn = lines_of(monkeypatch, leg_figures.strokes, good_view)
    lengths = good_view.recording.column("measured_length_m")
    assert len(drawn) == 12  # each leg before and after homing
    for leg in range(6):
        line = np.concatenate(drawn[2 * leg : 2 * leg + 2])
        np.testing.assert_allclose(line, lengths[:, leg] - 0.64)


def test_a_pose_before_homing_is_not_shown(monkeypatch, good_view: RunView) -> None:
    drawn = lines_of(monkeypatch, pose_figure.pose, good_view)
    reached_z, homed = drawn[5], good_view.homed
    assert np.isnan(reached_z[:homed]).all()
    np.testing.assert_allclose(reached_z[homed:], good_view.reached[homed:, 2] * 1e3)


def test_the_pose_reached_has_the_lengths_that_were_measured(good_view: RunView) -> None:
    lengths = good_view.recording.column("measured_length_m")
    assert good_view.geometry is not None
    for cycle in range(good_view.homed, len(lengths), 97):
        X_BP = Pose.from_coordinates(good_view.reached[cycle])
        np.testing.assert_allclose(leg_lengths(good_view.geometry, X_BP), lengths[cycle], atol=1e-9)
    assert np.isnan(good_view.reached[: good_view.homed]).all()


def test_without_a_geometry_only_the_poses_of_the_run_are_known(good_view: RunView) -> None:
    sparse = good_view.recording.column("reached_pose").copy()
    sparse[::3] = np.nan
    recording = with_columns(good_view.recording, reached_pose=sparse)
    found = reached_poses(recording, None, good_view.homed)
    np.testing.assert_array_equal(found[good_view.homed :], sparse[good_view.homed :])
    # With one, the poses between are found as well, and those of the run again.
    filled = reached_poses(recording, good_view.geometry, good_view.homed)
    np.testing.assert_array_equal(filled, good_view.reached)


def test_in_the_middle_of_a_stop_all_legs_lie_on_one_line(tripped_view: RunView) -> None:
    first = start_of(TRIPPED, "CSTOP")
    speeds = step_rate(tripped_view, tripped_view.recording.column("allowed_length_m"))
    factor = shared_factor(speeds, first)
    for cycle in range(BRAKING_CYCLES):
        expected = 1.0 - (cycle + 1) / BRAKING_CYCLES
        np.testing.assert_allclose(factor[first + cycle], expected, atol=1e-9)


def test_a_leg_that_hardly_moved_has_no_factor() -> None:
    speeds = np.array([[1.0, -0.5, 0.0009, 0.0, 2.0, np.nan], [0.5, -0.25, 0.1, 0.0, 1.0, 0.0]])
    np.testing.assert_array_equal(
        shared_factor(speeds, 1)[1], [0.5, 0.5, np.nan, np.nan, 0.5, np.nan]
    )


def test_the_window_of_a_stop_is_about_its_braking(tripped_view: RunView) -> None:
    phase = next(phase for phase in tripped_view.phases if phase.mode == "CSTOP")
    speeds = step_rate(tripped_view, tripped_view.recording.column("allowed_length_m"))
    window = braking_window(tripped_view, speeds, phase)
    times = tripped_view.times[window]
    assert times[0] == pytest.approx(phase.start_s - 0.03, abs=0.003)
    braked_s = phase.start_s + BRAKING_CYCLES * 0.002
    assert braked_s < times[-1] < braked_s + 0.04


def test_a_quick_stop_shows_what_was_measured(tmp_path) -> None:
    course = (("IDLE", 3), ("STANDBY", 5), ("ENGAGED", 100), ("QSTOP", 50), ("FAULT", 20))

    def braking(index, frame):
        speed = tuple(
            (leg + 1) * 0.03 * max(0.0, 1.0 - max(0, index - 107) / 30) for leg in range(6)
        )
        return frame._replace(measured_speed_m_s=speed)

    picture = stop_figure.stop(RunView.of(write_run(tmp_path / "a.mcap", course, change=braking)))
    check(picture)
    assert picture is not None
    assert picture.title == "The stop: QSTOP"


def test_the_extremes_are_those_of_the_motion(good_view: RunView) -> None:
    shortest, longest = extreme_instants(good_view)
    lengths = good_view.recording.column("measured_length_m")[good_view.moving]
    assert shortest.length_m[shortest.leg] == lengths.min()
    assert longest.length_m[longest.leg] == lengths.max()
    assert shortest.words.startswith(f"shortest leg: {shortest.leg + 1}, ")
    assert shortest.pose[2] < longest.pose[2]


def test_a_moment_without_a_pose_is_not_chosen(good_view: RunView) -> None:
    first = extreme_instants(good_view)[1]
    reached = good_view.reached.copy()
    lengths = good_view.recording.column("measured_length_m")
    reached[lengths.max(axis=1) >= first.length_m.max() - 1e-3] = np.nan
    second = extreme_instants(dataclasses.replace(good_view, reached=reached))[1]
    assert second.length_m.max() < first.length_m.max() - 1e-3


def test_the_rig_of_a_picture_is_that_of_its_recording(good_view: RunView) -> None:
    """Seen from +x, y is to the right and z up; lengths are true; the feet are the rig's."""
    assert good_view.geometry is not None
    scene = PlatformScene.from_scenario(good_view.recording.scenario)
    instant = extreme_instants(good_view)[0]
    axes = Figure().subplots()
    corners = draw_scene(axes, scene.build, scene.posed(instant.pose), eye_from(0.0, 0.0))
    low, high = corners.min(axis=0), corners.max(axis=0)
    feet = good_view.geometry.base_joints_m
    for end, foot in ((low[0], feet[:, 1].min()), (high[0], feet[:, 1].max())):
        assert abs(end) > abs(foot) > 0.9 * abs(end)
    assert low[1] < feet[:, 2].min() < instant.pose[2] < high[1]
    [image] = axes.get_images()
    np.testing.assert_allclose(image.get_extent()[::2], low, atol=0.01)
    shown = image.get_array()[..., 3] > 0
    assert 0.2 < shown.mean() < 0.9
    assert shown[-20].mean() > 0.8 > 0.3 > shown[20].mean(), "a wide base, a head on top"


def test_the_way_left_is_to_the_nearer_limit(good_view: RunView) -> None:
    assert good_view.limits is not None
    way = remaining_m(good_view.limits, np.array([0.645, 0.655, 1.01, 1.375, 1.370, 1.38]))
    np.testing.assert_allclose(way, [0.0, 0.01, 0.365, 0.0, 0.005, -0.005], atol=1e-12)


def test_lateness_is_drawn_in_the_real_clock_only(tmp_path, good_view: RunView) -> None:
    assert lateness_figure.lateness(good_view) is None

    def late(index, frame):
        return frame._replace(late_s=5e-5 + 1e-7 * index, busy_s=1e-4)

    real = write_run(tmp_path / "a.mcap", plan=demo_plan("clock=real"), change=late, clock="real")
    check(lateness_figure.lateness(RunView.of(real)))


def test_negative_and_huge_lateness_have_a_place(tmp_path) -> None:
    def late(index, frame):
        return frame._replace(late_s=(-1e-6, 0.0, 9.0)[index % 3])

    real = write_run(tmp_path / "a.mcap", plan=demo_plan("clock=real"), change=late, clock="real")
    check(lateness_figure.lateness(RunView.of(real)))


def test_legs_of_different_limits_have_a_line_each(monkeypatch, good_run: Recording) -> None:
    drawn: list[float] = []
    line = Axes.axhline

    def spy(self, y, **kwargs):
        drawn.append(float(y))
        return line(self, y, **kwargs)

    monkeypatch.setattr(Axes, "axhline", spy)
    strokes = [0.70, 0.71, 0.72, 0.73, 0.74, 0.75]
    plan = demo_plan(f"rig_settings.cylinders.stroke_m={strokes}").model_dump(mode="json")
    leg_figures.strokes(RunView.of(dataclasses.replace(good_run, scenario=plan)))
    assert set(np.round(drawn, 6)) == {
        0.0,
        0.005,
        *strokes,
        *np.round(np.array(strokes) - 0.005, 6),
    }


def test_a_picture_has_the_pages_width_and_the_height_asked_for() -> None:
    def draw(figure: Figure) -> None:
        figure.subplots()

    assert Image.open(io.BytesIO(draw_png(2.0, draw))).size == (1199, 220)


def test_phases_are_shaded_where_and_in_the_colours_they_were(tripped_view: RunView) -> None:
    axes = Figure().subplots()
    time_axes(axes, tripped_view)
    under, strip = axes.collections
    for boxes, alpha in ((under, 0.22), (strip, 1.0)):
        colours, found = boxes.get_facecolor(), {}
        for path, colour in zip(boxes.get_paths(), colours, strict=True):
            (left, bottom), (right, top) = path.vertices.min(axis=0), path.vertices.max(axis=0)
            found[left] = right, to_hex(colour).upper()
            assert (bottom, top) == (0.0, 1.0) if boxes is under else 1.0 < bottom < top
        assert len(colours) == len(tripped_view.phases) > 5
        np.testing.assert_allclose(np.asarray(colours)[:, 3], alpha)
        for phase in tripped_view.phases:
            right, colour = found[phase.start_s]
            assert colour == mode_colour(phase.mode)
            assert right == pytest.approx(phase.start_s + max(phase.duration_s, 1.104 / 600.0))
