"""A wrist's sensor in runs: a tool of 2 kg weighs 19.62 N upwards, and nothing once compensated."""

from dataclasses import replace

import numpy as np
import pytest
from scene_robots import ROBOTS, scenario
from scipy.spatial.transform import Rotation
from test_robot_runs import ROBOTS as TABLES

from hil.recording.reader import Recording
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world
from sim.world.robots.body import LinkInertia
from sim.world.robots.model import JointType, RobotJoint, RobotLink
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.sensors import RobotSensor, SensorKind

TOOL_KG = 2.0
CENTRE_M = (0.02, -0.03, 0.08)


def arm_with_tool(folder):
    """A file of robot A with a tool bolted to its hand, and two sensors between."""
    arm = read_toml((ROBOTS / "robot_a.toml").read_text(), "robot_a")
    hand = next(one for one in arm.links if one.number == 6)
    inertia = LinkInertia(TOOL_KG, CENTRE_M, (0.01, 0.011, 0.012, 0.0, 0.001, 0.0))
    tool = RobotLink(7, (0.0, 0.0, 0.0, 0.0), inertia=inertia)
    links = tuple(replace(one, leaving=(*one.leaving, 8)) if one is hand else one
                  for one in arm.links)  # fmt: skip
    bare = RobotSensor(SensorKind.WRENCH, "bare", link=7)
    freed = replace(bare, name="freed", tool_mass_kg=TOOL_KG, tool_centre_m=CENTRE_M)
    joints = (*arm.joints, RobotJoint(8, JointType.FIXED, (), 6, 7))
    robot = replace(arm, links=(*links, tool), joints=joints, sensors=(bare, freed))
    file = folder / "with_tool.toml"
    file.write_text(write_toml(robot))
    return file


def hand_axes(q_rad):
    """Axes of link 6 in the world by a product of D-H rotations of our own."""
    turned = Rotation.identity()
    for (alpha, _, theta, _), q in zip(TABLES["robot_a"], q_rad, strict=True):
        turned = turned * Rotation.from_euler("x", alpha) * Rotation.from_euler("z", theta + q)
    return turned


@pytest.mark.parametrize("seed", range(6))
def test_a_tool_at_rest_weighs_upwards_and_nothing_once_it_is_compensated(tmp_path, seed):
    rng = np.random.default_rng(seed)
    goals = ", ".join(
        f"{{ joint = {number}, to_deg = {float(rng.uniform(-80, 80)):.3f} }}"
        for number in range(1, 7)
    )
    text = (
        f'robot = "{arm_with_tool(tmp_path)}"\nsettle_s = 1.0\n'
        f'[motion]\nkind = "joints"\ngoal = [{goals}]'
    )
    result = run_world(load_world_plan(scenario(tmp_path, text)), tmp_path)
    assert result.figures.ok, result.figures
    recording = Recording.open(result.recorder.path)
    assert recording.header.signals["bare_force_n"].frame == "bare"
    force_n = recording.column("bare_force_n")[-1].copy()
    axes = hand_axes(recording.column("position_rad")[-1])
    np.testing.assert_allclose(axes.apply(force_n), (0.0, 0.0, TOOL_KG * 9.81), atol=0.005)
    assert np.linalg.norm(recording.column("freed_force_n")[-1]) <= 0.01
    moving = recording.column("freed_force_n")[: len(recording.column("t_s")) // 2]
    assert np.linalg.norm(moving, axis=1).max() > 0.05  # what its acceleration needs stays in
