"""Pictures of scenes: what a camera sees is where its geometry says, lit by the scene's lamps."""

import math
import tomllib

import numpy as np
import pytest
from PIL import Image
from test_world_pictures import drawing, needs_gl  # noqa: F401
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.machines.world.scene_documents import scene_of
from sim.world.engine.mjcf_scene import scene_text
from sim.world.pictures.lit_text import lit_text
from sim.world.pictures.wire import PictureOrder, View

TABLE = tomllib.loads((configs_dir() / "world/scenes/table.toml").read_text(encoding="utf-8"))
WIDTH, HEIGHT = 480, 270


def seen_at(camera, point_m):
    """Column and row of a point, by the camera's own place and angle of view."""
    eye, middle = np.array(camera["position_m"]), np.array(camera["looks_at_m"])
    ahead = (middle - eye) / np.linalg.norm(middle - eye)
    right = np.cross(ahead, (0.0, 0.0, 1.0))
    right = np.array((1.0, 0.0, 0.0)) if np.linalg.norm(right) < 1e-9 else right
    right = right / np.linalg.norm(right)
    up, way = np.cross(right, ahead), np.array(point_m) - eye
    scale = 0.5 * HEIGHT / math.tan(0.5 * camera.get("fov_rad", 0.8)) / (way @ ahead)
    return 0.5 * WIDTH + scale * (way @ right), 0.5 * HEIGHT - scale * (way @ up)


@needs_gl
@pytest.mark.parametrize("camera", [None, "from_above"])
def test_the_cube_of_the_table_is_where_its_camera_looks_at_it(tmp_path, camera):
    file = tmp_path / "table.png"
    asked = ["world", "show", "table", "--png", str(file), "--size", f"{WIDTH}x{HEIGHT}"]
    asked += ["--camera", camera] if camera else []
    done = CliRunner().invoke(app, asked)
    assert done.exit_code == 0, done.output
    picture = np.asarray(Image.open(file)).astype(int)
    assert picture.shape == (HEIGHT, WIDTH, 3)
    cube = next(one for one in TABLE["body"] if one["name"] == "cube")
    table = next(one for one in TABLE["body"] if one["name"] == "table")
    at_m = np.array(cube["position_m"]) + (table["position_m"] if cube.get("on") else 0.0)
    cameras = {one["name"]: one for one in TABLE["camera"]}
    column, row = seen_at(cameras[camera or "aslant"], at_m)
    red = (picture[:, :, 0] > 2 * picture[:, :, 1]) & (picture[:, :, 0] > 100)
    rows, columns = np.nonzero(red)
    assert 10 < len(rows) < 800
    assert (columns.mean(), rows.mean()) == pytest.approx((column, row), abs=3.0)


def test_a_camera_that_a_scene_does_not_have_is_told(tmp_path):
    file = tmp_path / "table.png"
    done = CliRunner().invoke(
        app, ["world", "show", "table", "--png", str(file), "--camera", "behind"]
    )
    assert done.exit_code != 0
    assert "the cameras of table are aslant, from_above" in " ".join(done.output.split())
    assert not file.exists()


@pytest.mark.parametrize(("name", "lamps"), [("table", 1), ("hangar", 2)])
def test_a_scene_is_lit_by_its_own_lamps_alone(name, lamps):
    found = scene_of(name)
    text = scene_text(found.scene, found.robots).text
    corners = np.array([[-1.0, -1.0, 0.0], [1.0, 1.0, 1.0]])
    order = PictureOrder(text=text, views=(View(target_m=(0.0, 0.0, 0.0), distance_m=3.0),))
    assert lit_text(order, corners, floor=False).count("<light ") == lamps
    bare = PictureOrder(text="<mujoco><worldbody/></mujoco>")
    assert lit_text(bare, corners, floor=False).count("<light ") == 1
