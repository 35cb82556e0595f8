"""Films and instants of runs: which states they show, from where; what is left without OpenGL."""

import json
from pathlib import Path

import av
import numpy as np
import pytest
from scene_robots import SCENARIOS
from test_robot_runs import said

from hil.recording.reader import Recording
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world
from hil.stations.world.view import run_film as filming
from hil.stations.world.view.pictures import PictureProcess, PicturesError
from hil.stations.world.view.recorded_world import RecordedWorld
from sim.world.pictures.wire import PictureOrder, View

BLIND = {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere", "LD_LIBRARY_PATH": "/nowhere"}
"""With which no driver of EGL is found."""
CHANGES = ['scene="table"', "motion.duration_s=2.3", "motion.goal=[{joint=1, by_deg=-80.0}]",
           "settle_s=0.1"]  # fmt: skip


@pytest.fixture(scope="module")
def recorded(tmp_path_factory):
    plan = load_world_plan(SCENARIOS / "joint_move.toml", CHANGES)
    result = run_world(plan, tmp_path_factory.mktemp("runs"))
    assert result.ok, result
    return RecordedWorld.of(Recording.open(result.recorder.path))


@pytest.mark.parametrize("seed", range(5))
def test_rows_are_those_nearest_in_time(recorded, seed):
    rng = np.random.default_rng(seed)
    times_s = np.cumsum(rng.uniform(1e-4, 0.02, 400)) + 3.0
    one = RecordedWorld(recorded.text, None, times_s, np.zeros((400, 1)))
    rate_hz = float(rng.uniform(5.0, 60.0))
    rows = one.rows(rate_hz)
    for count, row in enumerate(rows.tolist()):
        apart = np.abs(times_s - times_s[0] - count / rate_hz)
        assert apart[row] == pytest.approx(apart.min(), abs=1e-12)
    assert abs((len(rows) - 1) / rate_hz - (times_s[-1] - times_s[0])) <= 1.0 / rate_hz


def test_a_film_shows_the_recorded_states_at_their_times(recorded, tmp_path, monkeypatch):
    monkeypatch.setattr(filming, "FILM", (480, 270))
    file, shares = tmp_path / "film.mp4", list[float]()
    count = filming.film(recorded, file, shares.append, rate_hz=2.5)
    assert count == 1 + round(2.5 * recorded.times_s[-1])
    assert shares == pytest.approx(np.arange(1, count + 1) / count)
    with av.open(str(file)) as opened:
        frames = [one.to_ndarray(format="rgb24") for one in opened.decode(video=0)]
    assert (len(frames), frames[0].shape) == (count, (270, 480, 3))
    view, fovy_rad = filming.view_of(recorded, filming.FILM)
    order = PictureOrder(text=recorded.text.text, start=tuple(recorded.positions[0].tolist()),
                         width=480, height=270, views=(view,), fovy_rad=fovy_rad,
                         quality="fine")  # fmt: skip
    shown = [0, count // 2, count - 1]
    with PictureProcess(order) as process:
        at = [recorded.positions[round(500 * index / 2.5)] for index in shown]
        drawn = [picture[0].astype(float) for picture in map(process.draw, at)]
    moving = (
        np.ptp(drawn, axis=0) > 30.0
    )  # where the states look different; the rest is the codec's
    assert moving.sum() > 5000
    for index, wanted in zip(shown, drawn, strict=True):
        assert np.abs(frames[index] - wanted).mean() < 2.0
        apart = [np.abs(frames[index] - one)[moving].mean() for one in drawn]
        assert np.abs(frames[index] - wanted)[moving].mean() == min(apart)
        assert sorted(apart)[1] > 3.0 * min(apart)


def test_a_scene_is_looked_at_by_its_camera_and_a_lone_robot_as_a_whole(recorded, tmp_path):
    view, fovy_rad = filming.view_of(recorded, filming.FILM)
    eye = np.array((2.6, -2.0, 1.9))  # of the scene's document
    ahead = np.array((0.6, 0.0, 0.6)) - eye
    ca, ce = np.cos([view.azimuth_rad, view.elevation_rad])
    sa, se = np.sin([view.azimuth_rad, view.elevation_rad])
    np.testing.assert_allclose(view.distance_m * np.array([ce * ca, ce * sa, se]), ahead, atol=1e-9)
    assert (view.target_m, fovy_rad) == ((0.6, 0.0, 0.6), 0.8)
    alone = RecordedWorld(recorded.text, None, recorded.times_s, recorded.positions)
    view, fovy_rad = filming.view_of(alone, filming.FILM)
    assert view.target_m is not None
    assert fovy_rad == filming.FOVY_RAD


def test_a_camera_that_follows_a_body_has_it_in_the_middle_wherever_it_goes(recorded):
    """A red ball on the floor, far from where the view was placed."""
    text = """<mujoco><worldbody><geom type="plane" size="20 20 0.1" rgba="0.5 0.5 0.5 1"/>
    <light pos="0 0 9" dir="0 0 -1"/><body name="ball"><freejoint/>
    <geom type="sphere" size="0.3" rgba="1 0 0 1"/></body></worldbody></mujoco>"""
    view = View(0.5, -0.4, (0.0, 0.0, 0.0), 8.0, "ball")
    order = PictureOrder(text=text, width=320, height=240, views=(view,), fovy_rad=0.8)
    sizes = []
    with PictureProcess(order) as process:
        for x, y in ((0.0, 0.0), (5.0, -3.0), (-4.0, 6.0), (9.0, 9.0)):
            picture = process.draw((x, y, 0.3, 1.0, 0.0, 0.0, 0.0))[0].astype(int)
            red = picture[..., 0] - picture[..., 1] > 60
            rows, columns = np.nonzero(red)
            assert abs(rows.mean() - 119.5) < 4.0
            assert abs(columns.mean() - 159.5) < 4.0
            sizes.append(np.ptp(columns))
    assert max(sizes) < 1.3 * min(sizes)  # it comes near by its angle
    assert filming.travelling_base(recorded) == ""


def test_a_camera_that_follows_no_body_of_the_model_is_refused(recorded):
    view = View(0.5, -0.4, (0.0, 0.0, 0.0), 8.0, "nobody")
    order = PictureOrder(text=recorded.text.text, views=(view,))
    with pytest.raises(PicturesError, match="no such body"):
        PictureProcess(order)


def test_without_opengl_the_run_counts_and_the_film_is_told_to_be_missing(tmp_path, monkeypatch):
    for name, value in BLIND.items():
        monkeypatch.setenv(name, value)
    file = tmp_path / "film.mp4"
    done = said("run", "joint_move", "--video", str(file), "--json", "--out", str(tmp_path),
                "--set", "settle_s=0.1", status=1)  # fmt: skip
    told = json.loads(done.stdout)
    assert (told["ok"], told["video"], told["ended"]) == (False, None, "completed")
    assert Path(told["recording"]).exists()
    assert "libegl1" in told["video_failure"]
    assert "video: pictures need OpenGL" in told["cause"]
    assert not file.exists()
    assert not list(tmp_path.glob("*.part"))


def test_a_film_is_told_with_the_run(tmp_path, monkeypatch):
    monkeypatch.setattr(filming, "FILM", (320, 180))
    file = tmp_path / "film.mp4"
    told = json.loads(
        said("run", "joint_move", "--video", str(file), "--json", "--out", str(tmp_path),
             "--set", "motion.goal=[{joint=1, by_deg=5.0}]", "--set", "settle_s=0.02",
             "--set", "motion.duration_s=0.7").stdout
    )  # fmt: skip
    assert told["video"] == str(file)
    with av.open(str(file)) as opened:
        frames = [one.to_ndarray(format="rgb24") for one in opened.decode(video=0)]
    assert (len(frames), frames[0].shape) == (19, (180, 320, 3))
    assert min(np.ptp(one) for one in frames) > 100
