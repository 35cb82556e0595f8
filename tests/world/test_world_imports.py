"""What the virtual environment needs: no OpenGL and no Qt but for pictures, no file left behind."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
BLOCKED = ("OpenGL", "glfw", "PySide6", "shiboken6", "PyQt5", "PyQt6", "pyqtgraph", "pyvista")
IMPORT_ALL = """
import importlib, importlib.abc, pkgutil, sys

BLOCKED = {blocked!r}

class Wall(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name.split(".")[0] in BLOCKED:
            raise ImportError(f"{{name}} is blocked", name=name)

sys.meta_path.insert(0, Wall())
count = 0
for package in ("sim.world", "hil.machines", "hil.stations.world", "safety"):
    found = importlib.import_module(package)
    for one in pkgutil.walk_packages(found.__path__, package + "."):
        if not one.name.endswith(".__main__"):
            importlib.import_module(one.name)
            count += 1
assert count > 100, count
assert not [name for name in sys.modules if name.split(".")[0] in BLOCKED]
"""
STEP = """
from hil.machines.world.robot_documents import robot_of
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
world = World(model_text([PlacedRobot(robot_of("delta")[0])]))
world.step(10)
assert 0.0 < world.gap_max_m < 1e-3
"""
DIVERGE = """
import mujoco
text = '''<mujoco><option timestep="0.002"><flag autoreset="disable"/></option><worldbody><body>
<joint name="j" type="slide"/><geom size="0.1"/></body></worldbody></mujoco>'''
model = mujoco.MjModel.from_xml_string(text)
data = mujoco.MjData(model)
data.qvel[0] = 1e12
mujoco.mj_step(model, data)
assert data.warning.number[4] or data.warning.number[3], "no warning was made"
"""


def run(code, folder, **more):
    environment = {k: v for k, v in os.environ.items() if k not in ("MUJOCO_GL", "DISPLAY")}
    environment |= {"PYTHONPATH": str(ROOT), **more}
    return subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=environment, capture_output=True, text=True,
        check=False,
    )  # fmt: skip


def test_all_but_pictures_is_imported_and_steps_without_opengl_and_qt(tmp_path):
    done = run(IMPORT_ALL.format(blocked=BLOCKED) + STEP, tmp_path)
    assert done.returncode == 0, done.stderr


def test_all_is_imported_without_the_engine(tmp_path):
    done = run(IMPORT_ALL.format(blocked=(*BLOCKED, "mujoco", "av")), tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("quiet", [False, True])
def test_the_engines_warnings_leave_no_file_once_it_is_had_through_the_library(tmp_path, quiet):
    """Without it, which is the judge that such a file would be there, they do."""
    first = "from sim.world.engine.library import engine\nengine()\n" if quiet else ""
    done = run(first + DIVERGE, tmp_path)
    assert done.returncode == 0, done.stderr
    assert [one.name for one in tmp_path.iterdir()] == ([] if quiet else ["MUJOCO_LOG.TXT"])
    assert ("WARNING" in done.stderr + done.stdout) is not quiet
