"""Pictures: where things are in them, who loads OpenGL, and what is told when there are none."""

import io
import math
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from mesh_bodies import DOCUMENT, painted_files
from PIL import Image
from typer.testing import CliRunner

from hil.cli.main import app
from hil.stations.world.view.pictures import PictureProcess, PicturesError
from hil.timing.realtime import RealClock
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.pictures.png import png
from sim.world.pictures.wire import (
    FAILED,
    MESSAGE_MAX,
    ORDER,
    PictureOrder,
    View,
    WireError,
    head,
    message,
    read_message,
)
from sim.world.robots.robot_toml_reader import read_toml

BLIND = {"__EGL_VENDOR_LIBRARY_FILENAMES": "/nowhere", "LD_LIBRARY_PATH": "/nowhere"}
"""With which no driver of EGL is found."""
BOX = """<mujoco><worldbody><body pos="0.3 -0.2 0.4"><joint type="slide" axis="1 0 0"/>
  <geom type="box" size="0.03 0.03 0.03" rgba="1 0 0 1" mass="1"/></body>
  <body name="far" pos="0 1.5 0.2"><geom type="sphere" size="0.05" rgba="0 0 0.6 1" mass="1"/>
  </body>
  </worldbody></mujoco>"""
SIZE = {"width": 320, "height": 240}
VIEW = View(math.radians(70.0), math.radians(-25.0), (0.1, 0.2, 0.3), 2.5)


@pytest.fixture(scope="session")
def drawing():
    """Whether anything can be drawn here; who asks for it is skipped if not."""
    try:
        PictureProcess(PictureOrder(text=BOX)).close()
    except PicturesError as error:
        pytest.skip(str(error))


needs_gl = pytest.mark.usefixtures("drawing")


def projected(point, view, order):
    """Column and row of a point: a pinhole, written with a matrix that looks at a place."""
    e, a = view.elevation_rad, view.azimuth_rad
    way = np.array([math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)])
    eye = np.array(view.target_m) - view.distance_m * way
    right = np.cross(way, (0.0, 0.0, 1.0))
    right /= np.linalg.norm(right)
    along = np.stack([right, np.cross(right, way), way]) @ (np.array(point) - eye)
    focal = 0.5 * order.height / math.tan(0.5 * order.fovy_rad)
    x, y = focal * along[:2] / along[2]
    return np.array([0.5 * order.width + x, 0.5 * order.height - y])


def reds(picture):
    r, g, b = np.moveaxis(picture.astype(int), -1, 0)
    return (r > 90) & (g < r // 3) & (b < r // 3)


def middle(mask):
    rows, columns = np.nonzero(mask)
    return np.array([columns.mean() + 0.5, rows.mean() + 0.5])


@needs_gl
@pytest.mark.parametrize("quality", ["draft", "fine"])
def test_a_box_is_where_the_pinhole_puts_it_and_nowhere_else(quality):
    order = PictureOrder(text=BOX, views=(VIEW,), quality=quality, **SIZE)
    with PictureProcess(order) as process:
        found = [process.draw([x])[0].copy() for x in (0.0, -0.4)]
    for x, picture in zip((0.0, -0.4), found, strict=True):
        centre = np.array([0.3 + x, -0.2, 0.4])
        corners = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
        at = np.array([projected(centre + 0.03 * one, VIEW, order) for one in corners])
        mask = reds(picture)
        rows, columns = np.nonzero(mask)
        low, high = at.min(axis=0), at.max(axis=0)
        edges = [columns.min(), rows.min()], [columns.max() + 1, rows.max() + 1]
        assert np.abs(edges[0] - low).max() < 1.6
        assert np.abs(edges[1] - high).max() < 1.6
        assert np.linalg.norm(middle(mask) - projected(centre, VIEW, order)) < 1.5
        assert np.std(picture[~mask].astype(float)) > 5.0  # floor and sky, not one colour


@needs_gl
def test_a_texture_lies_on_a_mesh_as_it_was_painted():
    """Each quarter of the painted side is looked at: red, green over blue, yellow."""
    robot = read_toml(DOCUMENT, "painted", painted_files())
    text = model_text([PlacedRobot(robot)])
    view = View(math.radians(90.0), math.radians(-10.0), (0.0, 0.0, 0.2), 2.0)
    order = PictureOrder(text=text.text, files=tuple(text.files.items()), views=(view,), **SIZE)
    with PictureProcess(order) as process:
        picture = process.draw([0.0])[0].astype(int)
    wanted = {(-0.05, 0.3): (1, 0, 0), (0.05, 0.3): (0, 1, 0),
              (-0.05, 0.1): (0, 0, 1), (0.05, 0.1): (1, 1, 0)}  # fmt: skip
    for (x, z), colour in wanted.items():
        column, row = projected((x, -0.1, z), view, order)
        found = picture[round(row), round(column)]
        assert tuple((found > 0.5 * found.max()).astype(int)) == colour
    column, row = projected((0.0, 0.0, 0.4), view, order)  # the end, of the other material
    r, g, b = picture[round(row), round(column)]
    assert min(g, b) > 3 * r


@needs_gl
def test_a_picture_has_a_lit_floor_and_fine_ones_a_shadow():
    below = View(math.radians(70.0), math.radians(-60.0), (0.3, -0.2, 0.0), 2.0)
    dark = {}
    for quality in ("draft", "fine"):
        order = PictureOrder(text=BOX, views=(below,), quality=quality, **SIZE)
        with PictureProcess(order) as process:
            picture = process.draw([0.0])[0].astype(int)
        floor = (np.ptp(picture, axis=2) < 30) & ~reds(picture)
        assert np.median(picture[floor]) > 170
        dark[quality] = np.count_nonzero(floor & (picture.max(axis=2) < 155))
    assert dark["draft"] == 0
    assert dark["fine"] > 50


@needs_gl
def test_the_whole_of_a_model_fits_whatever_the_sides():
    for width, height in ((320, 120), (120, 320)):
        order = PictureOrder(text=BOX, width=width, height=height)
        with PictureProcess(order) as process:
            picture = process.draw([0.0])[0].astype(int)
        blue = (picture[:, :, 2] > 60) & (picture[:, :, 0] < picture[:, :, 2] // 3)
        for mask in (reds(picture), blue):
            rows, columns = np.nonzero(mask)
            assert len(rows) > 3
            assert 0 < rows.min() <= rows.max() < height - 1
            assert 0 < columns.min() <= columns.max() < width - 1
        both = np.nonzero(reds(picture) | blue)
        filled = [np.ptp(one) / side for one, side in zip(both, (height, width), strict=True)]
        assert 0.6 < max(filled) < 0.95


@needs_gl
def test_a_model_is_framed_where_it_starts():
    with PictureProcess(PictureOrder(text=BOX, start=(-9.0,), **SIZE)) as process:
        there, elsewhere = process.draw([-9.0])[0], process.draw([9.0])[0]
    assert reds(there).any()
    assert not reds(elsewhere).any()


@needs_gl
def test_axes_have_their_colours_and_point_their_way():
    order = PictureOrder(text=BOX, views=(VIEW,), frames=("far",), **SIZE)
    with PictureProcess(order) as process:
        picture = process.draw([0.0])[0].astype(int)
    start = projected((0.0, 1.5, 0.2), VIEW, order)
    for axis in range(3):
        others = [other for other in range(3) if other != axis]
        mask = picture[:, :, axis] > 70 + picture[:, :, others].max(axis=2)
        rows, columns = np.nonzero(mask)
        near = np.hypot(columns - start[0], rows - start[1]) < 60
        assert near.sum() > 5, "xyz"[axis]
        tip = np.array([0.0, 1.5, 0.2]) + 0.1 * np.eye(3)[axis]
        towards = projected(tip, VIEW, order) - start
        seen = np.array([columns[near].mean(), rows[near].mean()]) - start
        assert seen @ towards > 0.8 * np.linalg.norm(seen) * np.linalg.norm(towards), "xyz"[axis]


@needs_gl
def test_a_film_is_the_pictures_one_by_one_and_every_view_is_drawn():
    views = (VIEW, View(0.0, -0.3, (0.0, 0.0, 0.3), 3.0))
    states = [[0.05 * k] for k in range(7)]
    with PictureProcess(PictureOrder(text=BOX, views=views, **SIZE)) as process:
        single = [process.draw(one).copy() for one in states]
        next(process.film(states[3:]))  # and left
        film = list(process.film(states))
        assert list(process.film([])) == []
    assert all(one.shape == (2, 240, 320, 3) for one in film)
    assert all(np.array_equal(*pair) for pair in zip(single, film, strict=True))
    assert not np.array_equal(film[0][0], film[0][1])
    assert not np.array_equal(film[0], film[1])


@needs_gl
@pytest.mark.parametrize(
    ("positions", "told"), [([0.0, 1.0], "2 positions: the model has 1"), ([math.nan], "finite")]
)
def test_a_state_that_is_none_is_told(positions, told):
    with (
        PictureProcess(PictureOrder(text=BOX)) as process,
        pytest.raises(PicturesError, match=told),
    ):
        process.draw(positions)


@needs_gl
def test_a_killed_or_stopped_process_is_told_within_the_limit():
    for what, told in ((signal.SIGKILL, "exit status -9"), (signal.SIGSTOP, "within 1 s")):
        process = PictureProcess(PictureOrder(text=BOX))
        process._limit_s = 1.0
        os.kill(process.pid, what)
        now_s = RealClock().now_s
        begun_s = now_s()
        with pytest.raises(PicturesError, match=told):
            process.draw([0.0])
        assert now_s() - begun_s < 3.0
        with pytest.raises(ProcessLookupError):
            os.kill(process.pid, 0)


def test_without_opengl_the_packages_are_named():
    with pytest.raises(PicturesError) as told:
        PictureProcess(PictureOrder(text=BOX), environment=BLIND)
    assert "libegl1 libegl-mesa0 libgl1-mesa-dri" in str(told.value)
    assert "libosmesa6" in str(told.value)


@pytest.mark.parametrize(
    ("package", "line", "told", "untold"),
    [
        ("OpenGL", "raise ImportError('broken')", "libosmesa6", "pip install"),
        ("mujoco", "raise ModuleNotFoundError('no', name='mujoco')", "pip install", "libosmesa6"),
    ],
)
def test_an_absent_library_and_an_absent_engine_are_told_apart(
    tmp_path, package, line, told, untold
):
    (tmp_path / package).mkdir()
    (tmp_path / package / "__init__.py").write_text(line)
    paths = f"{tmp_path}{os.pathsep}{Path(__file__).parents[2]}"
    with pytest.raises(PicturesError) as failed:
        PictureProcess(PictureOrder(text=BOX), environment={"PYTHONPATH": paths})
    assert told in str(failed.value)
    assert untold not in str(failed.value)


def test_a_model_that_the_engine_refuses_is_told_once():
    with pytest.raises(PicturesError, match="engine refuses the model") as told:
        PictureProcess(PictureOrder(text="<mujoco><worldbody><geom/></worldbody></mujoco>"))
    assert "OpenGL" not in str(told.value)


@needs_gl
def test_who_simulates_loads_no_opengl_and_leaves_no_file(tmp_path):
    code = f"""
import os, sys
from hil.stations.world.view.pictures import PictureProcess
from sim.world.engine.mjcf import model_text
from sim.world.pictures.wire import PictureOrder
assert "mujoco" not in sys.modules
with PictureProcess(PictureOrder(text={BOX!r})) as process:
    process.draw([0.0])
assert "mujoco" not in sys.modules
from hil.machines.world.robot_documents import robot_of
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from pathlib import Path
from hil.stations.world.view.stills import write_still
robot = robot_of("four_bar")[0]
World(model_text([PlacedRobot(robot)])).step(10)
write_still(Path("four_bar.png"), robot, "160x120")
assert "MUJOCO_GL" not in os.environ and "PYOPENGL_PLATFORM" not in os.environ
assert not [name for name in sys.modules if name.split(".")[0] == "OpenGL"]
"""
    environment = {k: v for k, v in os.environ.items() if k not in ("MUJOCO_GL",)}
    environment["PYTHONPATH"] = str(Path(__file__).parents[2])
    subprocess.run([sys.executable, "-c", code], cwd=tmp_path, env=environment, check=True)
    assert [path.name for path in tmp_path.iterdir()] == ["four_bar.png"]


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"width": 8}, "width 8: not within 16 to 4096"),
        ({"views": ()}, "0 views"),
        ({"quality": "best"}, "one of draft, fine"),
        ({"fovy_rad": 0.0}, "fovy_rad 0.0"),
        ({"width": 4096, "height": 4096, "views": (View(),) * 16}, "at most"),
    ],
)
def test_an_order_that_is_none_is_refused(changed, told):
    with pytest.raises(WireError, match=told):
        PictureOrder(**{"text": BOX, **changed})


def test_a_view_that_is_none_is_refused():
    for wrong in ((math.nan,), (0.0, 2.0), (0.0, 0.0, (0, 0, 0)), (0.0, 0.0, (0, 0, 0), -1.0)):
        with pytest.raises(WireError):
            View(*wrong)


def test_an_order_comes_back_as_it_was_sent():
    order = PictureOrder(
        text=BOX, start=(0.1, 1 / 3), views=(VIEW, View()), frames=("far",), quality="fine"
    )
    assert PictureOrder.from_json(order.to_json()) == order
    for data in (b"", b"[]", b"{}", b'{"views": 3}', b"\xff", order.to_json()[:-1] + b',"a":1}'):
        with pytest.raises(WireError, match="no order of pictures"):
            PictureOrder.from_json(data)


def test_messages_are_framed_as_written_and_cuts_are_told():
    data = message(b"S", b"abc")
    assert data == b"S\x03\x00\x00\x00abc"
    assert read_message(io.BytesIO(data)) == (b"S", b"abc")
    assert read_message(io.BytesIO()) is None
    for cut in range(1, len(data)):
        with pytest.raises(WireError, match="cut short"):
            read_message(io.BytesIO(data[:cut]))
    with pytest.raises(WireError, match="at most"):
        head(b"P" + (MESSAGE_MAX + 1).to_bytes(4, "little"))


@pytest.mark.parametrize(
    "data", [b"X", message(b"S", b""), message(ORDER, b"{}"), message(ORDER, b"")[:4]]
)
def test_the_program_answers_nonsense_with_a_reason(data):
    command = [sys.executable, "-m", "sim.world.pictures", "egl"]
    done = subprocess.run(
        command, input=data, capture_output=True, timeout=20, check=False,
        cwd=Path(__file__).parents[2],
    )  # fmt: skip
    assert done.returncode == 1
    kind, text = read_message(io.BytesIO(done.stdout))
    assert kind == FAILED
    assert text


def test_png_is_read_as_it_was_by_another_library():
    rng = np.random.default_rng(5)
    ramp = np.add.outer(np.arange(61), np.arange(47))[:, :, None] * np.array([1, 2, 3])
    for picture in (rng.integers(0, 256, (7, 5, 3)), ramp % 256, np.zeros((1, 1, 3))):
        data = png(picture.astype(np.uint8))
        image = Image.open(io.BytesIO(data))
        image.verify()
        found = np.asarray(Image.open(io.BytesIO(data)))
        assert np.array_equal(found, picture)
    assert len(png((ramp % 256).astype(np.uint8))) < 0.2 * ramp.size
    for wrong in (np.zeros((2, 2), np.uint8), np.zeros((2, 2, 3)), np.zeros((0, 2, 3), np.uint8)):
        with pytest.raises(ValueError, match="wanted uint8"):
            png(wrong)


@needs_gl
@pytest.mark.parametrize("frames", [False, True])
def test_show_writes_the_picture_of_a_robot(tmp_path, frames):
    path = tmp_path / "robot.png"
    given = ["world", "show", "robot_a", "--png", str(path), "--size", "320x180", "--json"]
    done = CliRunner().invoke(app, given + ["--frames"] * frames)
    assert done.exit_code == 0, done.output
    picture = np.asarray(Image.open(path)).astype(int)
    assert picture.shape == (180, 320, 3)
    red, green, blue = np.moveaxis(picture, -1, 0)
    assert np.any((green > 150) & (red < 80) & (blue < 80)) == frames
    orange = (red > 100) & (blue < red // 2) & (green > red // 3)
    rows, columns = np.nonzero(orange)
    assert len(rows) > 300
    assert rows.min() > 0
    assert rows.max() < 179
    assert columns.min() > 0
    assert columns.max() < 319


@pytest.mark.parametrize("size", ["12", "0x0", "99999x4", "axb"])
def test_a_size_that_is_none_is_bad_usage(tmp_path, size):
    given = ["world", "show", "four_bar", "--png", str(tmp_path / "a.png"), "--size", size]
    done = CliRunner().invoke(app, given)
    assert done.exit_code == 2
    assert "--size" in done.output
    assert not list(tmp_path.iterdir())


def test_show_without_opengl_ends_with_the_reason(tmp_path, monkeypatch):
    for name, value in BLIND.items():
        monkeypatch.setenv(name, value)
    done = CliRunner().invoke(app, ["world", "show", "four_bar", "--png", str(tmp_path / "a.png")])
    assert done.exit_code == 1
    assert "libegl1" in done.output
    assert CliRunner().invoke(app, ["world", "show", "four_bar"]).exit_code == 0
