"""Verbs of scenes: listed, shown, checked, told apart from robots by their documents."""

import json

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir

SHIPPED = sorted(path.stem for path in (configs_dir() / "world" / "scenes").glob("*.toml"))


def told(*arguments, status=0):
    done = CliRunner().invoke(app, ["world", *arguments, "--json"])
    assert done.exit_code == status, done.output
    return json.loads(done.stdout)


def test_the_list_has_the_scenes_too():
    rows = {row["name"]: row for row in told("list")["scenes"]}
    assert sorted(rows) == SHIPPED
    assert (rows["paper_cabin"]["robots"], rows["paper_cabin"]["bodies"]) == (1, 1)
    assert rows["hangar"]["scattered"] == 9


@pytest.mark.parametrize("name", SHIPPED)
def test_every_shipped_scene_is_shown_and_taken_by_the_engine(name):
    found = told("check", name)
    assert (found["engine"], found["overlaps"]) == ("ok", [])
    assert told("show", name)["scene"] == name
    assert CliRunner().invoke(app, ["world", "show", name]).exit_code == 0


def test_a_scene_whose_bodies_are_in_each_other_is_told(tmp_path):
    own = tmp_path / "own.toml"
    text = (configs_dir() / "world" / "scenes" / "table.toml").read_text()
    own.write_text(text.replace("position_m = [0.8, 0.1, 0.725]", "position_m = [0.8, 0.1, 0.72]"))
    found = told("check", str(own), status=1)
    assert len(found["overlaps"]) >= 1
    assert all("table" in line and "5.000 mm" in line for line in found["overlaps"])


def test_faults_of_a_scene_stand_with_line_and_column(tmp_path):
    own = tmp_path / "own.toml"
    own.write_text(
        'scene = "own"\n[[robot]]\nname = "r"\ndocument = "robot_a"\n[[body]]\nname = "b"\n'
        'on = "r"\nlink = 77\nshape = "box"\nsize_m = [1, 1]\n'
    )
    error = told("check", str(own), status=2)["error"]
    assert "10:10: body b size_m = (1.0, 1.0): 2 numbers" in error
    own.write_text(own.read_text().replace("[1, 1]", "[1, 1, 1]"))
    assert "r has no such link" in told("check", str(own), status=2)["error"]


def test_a_friction_that_does_not_count_on_the_floor_is_told_with_the_remedy(tmp_path):
    own = tmp_path / "ice.toml"
    ice = (
        'scene = "ice"\n[floor]\n[[body]]\nname = "cube"\nmotion = "free"\nshape = "box"\n'
        "size_m = [0.1, 0.1, 0.1]\nposition_m = [0, 0, 0.05]\nmass_kg = 1\nfriction = 0.05\n"
    )
    own.write_text(ice)
    (line,) = told("check", str(own))["frictions"]
    assert line.startswith("body cube: friction 0.05 does not count on the floor, whose 0.8")
    assert "contact_time_s = 0.02" in line
    own.write_text(ice + "contact_time_s = 0.02\n")
    assert told("check", str(own))["frictions"] == []
