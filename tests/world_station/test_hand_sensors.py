"""Sensors of shipped hands and jaws: weightless at rest, and the motor's force in a grip."""

from pathlib import Path

import numpy as np
import pytest

from hil.machines.world.robot_documents import document_of
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world
from sim.world.robots.rotations import quaternion_of
from sim.world.robots.sensors import SensorKind
from sim.world.robots.tree import spanning_tree

HELD = """
station = "world"
name = "held"
robot = "{robot}"
control = "torque"
settle_s = 0.0
{scene}

[motion]
kind = "hold"
duration_s = 1.0
"""
STANDING = 'scene = "empty"\nmay_touch = ["floor"]'


@pytest.mark.parametrize(
    ("robot", "scene", "wrists"),
    [("mf4", STANDING, ["wrist"]), ("mf4_wheels", STANDING, ["wrist"]),
     ("anthropomorph", "", ["left_wrist", "right_wrist"])],
)  # fmt: skip
def test_a_wrist_at_rest_feels_no_weight_of_its_hand(robot, scene, wrists, tmp_path):
    path = tmp_path / "held.toml"
    path.write_text(HELD.format(robot=robot, scene=scene))
    result = run_world(load_world_plan(path), tmp_path)
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    for wrist in wrists:
        assert np.abs(recording.column(f"{wrist}_force_n")[-1]).max() < 0.05
        assert np.abs(recording.column(f"{wrist}_torque_n_m")[-1]).max() < 0.005
    signals = {one.name for one in recording.header.signals.fields}
    touches = [one for one in signals if one.endswith("_force_n") and "wrist" not in one]
    for touch in set(touches) - {"contact_force_n"}:
        assert (recording.column(touch) == 0.0).all()


GRIP = """
station = "world"
name = "grip"
robot = "{robot}"
scene = "scene.toml"
may_touch = ["floor", "block"]
control = "voltage"
law = "diagram"
settle_s = 0.0

[diagram]
file = "law.toml"
joints = [{jaw}]

[motion]
kind = "free"
duration_s = 1.5
"""
LAW = """
format = 1
base_s = 0.002
[block]
"u" = { kind = "Constant", value = [-0.5] }
"voltage" = { kind = "Out" }
[wire]
"voltage.u" = "u.y"
"""
SCENE = """
scene = "block"
[floor]
square_m = 1
"""


@pytest.mark.parametrize(("robot", "jaw"), [("mf4", 15), ("mf4_wheels", 11)])
def test_jaws_press_with_the_force_of_their_motor_half_each(robot, jaw, tmp_path):
    path, scene = tmp_path / "grip.toml", tmp_path / "scene.toml"
    path.write_text(GRIP.format(robot=robot, jaw=jaw))
    (tmp_path / "law.toml").write_text(LAW)
    scene.write_text(SCENE)
    pose = open_bench(load_world_plan(path)).tool_pose()
    assert pose is not None
    numbers = [float(one) for one in (*pose[:3, 3], *quaternion_of(pose[:3, :3]))]
    scene.write_text(
        SCENE
        + f"""
[[body]]
name = "block"
shape = "box"
size_m = [0.02, 0.03, 0.03]
position_m = {numbers[:3]}
quaternion = {numbers[3:]}
"""
    )
    result = run_world(load_world_plan(path), tmp_path)
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    left, right = (recording.column(f"{side}_pad_force_n") for side in ("left", "right"))
    assert left[0] == right[0] == 0.0
    assert min(left[-1], right[-1]) > 15.0  # the arm yields a little to one side
    assert left[-1] + right[-1] == pytest.approx(40.0, abs=0.5)  # half of the stall force of 80 N


def test_fingers_feel_all_of_their_last_link_and_no_other():
    robot = document_of("anthropomorph", key="robot", beside=Path("x")).robot
    tree = spanning_tree(robot)
    links = {one.number: one for one in robot.links}
    ends = {one.parent: one for one in tree.ends}
    touches = [one for one in robot.sensors if one.kind is SensorKind.TOUCH]
    assert len(touches) == 10
    for one in touches:
        assert one.link is not None
        assert one.place is not None
        end, radius = ends[one.link], links[one.link].size_m[0]
        assert end.name == one.name
        assert end.at_parent_m is not None
        least = np.array(one.place.position_m) - 0.5 * np.array(one.size_m)
        most = np.array(one.place.position_m) + 0.5 * np.array(one.size_m)
        assert (least <= [-radius] * 3).all()
        tip = np.array(end.at_parent_m) + [radius] * 3
        assert (tip <= most + 1e-12).all()
        assert (most - tip < 0.003).all()
