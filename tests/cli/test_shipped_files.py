"""`hil list` names all that comes along, in words, as the verbs take it."""

import json
import re
from pathlib import Path

import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.run.file_kinds import find_kind, kinds_by_name, scenario_kinds


def told(*kinds):
    result = CliRunner().invoke(app, ["list", *kinds, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)["files"]


@pytest.fixture(scope="module")
def files():
    return told()


def test_every_shipped_file_is_named_once(files):
    folders = [path for path in configs_dir().rglob("*") if path.is_dir() and path.name != "eds"]
    there = [
        path.stem if path.suffix == ".toml" else path.name
        for folder in folders
        for path in folder.iterdir()
        if path.suffix in (".toml", ".csv")
    ]
    assert sorted(one["name"] for one in files) == sorted(there)


def test_each_says_what_it_is_in_a_line(files):
    for one in files:
        assert 10 < len(one["words"]) <= 110, one
        assert "\n" not in one["words"]
        assert one["words"][-1] not in ".:"


def test_names_of_scenarios_are_taken_by_run_and_the_station_is_theirs(files):
    for one in (one for one in files if one["kind"] == "scenarios"):
        path, kind = find_kind(one["name"], *scenario_kinds(), key="list")
        assert path.stem == one["name"]
        assert one["station"] == (kind.station or "platform")


@pytest.mark.parametrize(
    ("kind", "schema"),
    [("rigs", "rig"), ("robot-arms", "robot"), ("space-arms", "arm"), ("presets", "cueing")],
)
def test_names_of_machines_are_taken_where_such_a_file_is_wanted(files, kind, schema):
    found = [one["name"] for one in files if one["kind"] == kind]
    assert found
    for name in found:
        assert find_kind(name, kinds_by_name()[schema], key="list")[0].stem == name


def test_some_kinds_alone(files):
    assert told("rigs", "presets") == [one for one in files if one["kind"] in ("rigs", "presets")]


def test_an_unknown_kind_is_refused_with_those_that_there_are():
    result = CliRunner().invoke(app, ["list", "moons"])
    assert result.exit_code == 2
    assert "'moons' is unknown; there are scenarios, motions" in result.output


def test_a_person_sees_each_kind_once():
    result = CliRunner().invoke(app, ["list", "rigs", "rides"])
    assert result.output.count("rigs") == 1
    assert "paper" in result.output
    assert "car_dresden" in result.output


def test_one_function_lists_shipped_files():
    """Every other list is of that one, so none can be of other files."""
    hil = Path(__file__).parents[2] / "hil"
    listing = re.compile(r"configs_dir\(\)[^\n]*\.(r?glob|iterdir)\(")
    found = [path for path in hil.rglob("*.py") if listing.search(path.read_text())]
    assert found == [hil / "config" / "file_search.py"]
