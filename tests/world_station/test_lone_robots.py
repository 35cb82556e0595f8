"""A robot's document in place of a scenario: held where it starts, by what its weight asks."""

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scene_robots import ROBOTS, dipper
from test_robot_runs import said

from hil.machines.world.robot_documents import robot_of
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.plan.scenario_reader import scenario_table, world_plan_from_table
from sim.world.robots.robot_toml_writer import write_toml


def test_a_document_is_held_where_it_starts_against_its_weight(tmp_path):
    arguments = ("run", dipper(tmp_path), "--json", "--out", str(tmp_path))
    told = json.loads(said(*arguments).stdout)
    assert (told["robot"], told["ended"]) == ("dipper", "completed")
    recording = Recording.open(Path(told["recording"]))
    assert recording.header.metadata["scenario"] == "dipper"
    assert recording.column("t_s")[-1] == pytest.approx(11.0)  # 10 s, then it settles
    assert np.abs(recording.column("position_m")).max() < 1e-4
    assert recording.column("effort_n")[-1] == pytest.approx(2.0 * 9.81, rel=1e-6)


@pytest.mark.parametrize("form", ["name", "toml", "urdf", "mjcf", "xml"])
def test_documents_of_every_form_are_checked_alone(form, tmp_path):
    name = "robot_a"
    if form in ("urdf", "mjcf", "xml"):
        name = str(tmp_path / f"My Robot-2.{form}")
        said("world", "convert", "robot_a", "--to", "mjcf" if form == "xml" else form, "-o", name)
    elif form == "toml":
        name = str(tmp_path / "own.toml")
        Path(name).write_text((ROBOTS / "robot_a.toml").read_text())
    told = json.loads(said("check", name, "--json", "--set", "motion.duration_s=0.2").stdout)
    assert (told["ok"], told["duration_s"]) == (True, pytest.approx(0.2))
    if form == "urdf":
        assert scenario_table(Path(name))["name"] == "my_robot_2"


def test_options_of_scenarios_are_those_of_a_lone_robot_too():
    changes = ('scene="table"', 'control="speed"', "motion.duration_s=0.1")
    table = scenario_table(ROBOTS / "robot_a.toml")
    bench = open_bench(world_plan_from_table(table, ROBOTS / "robot_a.toml", changes))
    assert "cube" in bench.world.bodies
    assert bench.robot.drives[0].control == "speed"


def test_a_lone_robot_in_real_time_has_no_end_of_its_own_and_its_proof_has():
    table = scenario_table(ROBOTS / "robot_a.toml")
    plan = world_plan_from_table(table, ROBOTS / "robot_a.toml", ['clock="real"'])
    from hil.stations.world.sources.source_setup import HELD_S, LiveInputs

    assert open_bench(plan).source.duration_s == HELD_S
    assert open_bench(plan, live=LiveInputs(lambda: 0.0)).source.duration_s is None


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("paper", "is a rig; SCENARIO must be a platform scenario"),
        ("joint_mov", "did you mean joint_move?"),
    ],
)
def test_what_cannot_be_run_alone_is_told(name, message):
    assert message in said("run", name, status=2).stderr


def test_a_robot_without_drives_is_not_run(tmp_path):
    robot = replace(robot_of("robot_a")[0], drives=())
    path = tmp_path / "still.toml"
    path.write_text(write_toml(robot, whole=True))
    assert "has no drive: nothing can move it" in said("run", str(path), status=2).stderr
