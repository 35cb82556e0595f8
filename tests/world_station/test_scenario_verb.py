"""`hil world check` of scenarios: faults by line and column, and what the engine has of it all."""

import json

import pytest
from scene_robots import SCENARIOS
from typer.testing import CliRunner

from hil.cli.main import app

WORLD = sorted(
    path.stem for path in SCENARIOS.glob("*.toml") if 'station = "world"' in path.read_text()
)


def told(*arguments, status=0):
    done = CliRunner().invoke(app, ["world", "check", *arguments, "--json"])
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)


@pytest.mark.parametrize("name", WORLD)
def test_every_shipped_scenario_of_the_station_can_begin(name):
    found = told(name)
    assert (found["ok"], found["engine"]) == (True, "ok"), found
    assert found["file"] == str(SCENARIOS / f"{name}.toml")


def test_counts_are_those_of_robot_and_scene(tmp_path):
    own = tmp_path / "own.toml"
    text = (SCENARIOS / "joint_move.toml").read_text()
    own.write_text(text.replace('robot = "robot_a"', 'robot = "robot_a"\nscene = "table"'))
    found = told(str(own))
    # link 0 to 6; table, four legs, cube; six hinges, and the cube is free
    assert (found["bodies"], found["joints"], found["equalities"]) == (7 + 6, 6 + 1, 0)
    assert (found["drives"], found["scene"]) == (6, "table")
    assert CliRunner().invoke(app, ["world", "check", str(own)]).exit_code == 0
    four_bar = told("four_bar")
    assert (four_bar["links"], four_bar["bodies"], four_bar["equalities"]) == (4, 4, 2)
    cabin = told("paper_cabin")
    assert (cabin["robots"], cabin["joints"], cabin["equalities"]) == (1, 22, 6)
    assert told("mf4")["sensors"] == 8


@pytest.mark.parametrize(
    ("old", "new", "where", "what"),
    [
        ("by_deg = -45.0", "by_deg = 4500.0", "4500.0", "goal.1.by_deg = 4500.0"),
        ("joint = 4", "joint = 44", "{ joint = 44", "joint 44 is not driven; there are 1, 2"),
        ("duration_s = 3.0", "duration_s = -3.0", "-3.0", "duration_s = -3.0"),
        ('robot = "robot_a"', 'robot = "robot_a"\nspeed = 77', "77", "unknown key"),
    ],
)
def test_faults_stand_with_line_and_column(tmp_path, old, new, where, what):
    own = tmp_path / "own.toml"
    text = (SCENARIOS / "joint_move.toml").read_text()
    assert old in text
    text = text.replace(old, new)
    own.write_text(text)
    line, column = 1 + text[: text.index(where)].count("\n"), text.index(where)
    column -= text.rfind("\n", 0, column)
    error = told(str(own), status=2)["error"]
    assert error.startswith(f"{own}: {line}:{column}: ")
    assert what in error


def test_what_cannot_begin_is_told_with_its_reason(tmp_path):
    own = tmp_path / "own.toml"
    text = (SCENARIOS / "joint_move.toml").read_text()
    own.write_text(text.replace("duration_s = 3.0", "duration_s = 0.1"))
    found = told(str(own), status=1)
    assert "too short" in found["engine"]
