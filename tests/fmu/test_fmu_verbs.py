"""``hil fmu …`` from the command line: what people read, what scripts read, and refusals."""

import csv
import json
import math

import pytest
from fmu_vehicles import FAULTS, c_vehicle, needs_gcc
from typer.testing import CliRunner

from hil.cli.main import app
from hil.fmu.description import read_description

RUNNER = CliRunner()


def told(*arguments, code=0):
    done = RUNNER.invoke(app, ["fmu", *map(str, arguments), "--json"])
    assert done.exit_code == code, done.output
    return json.loads(done.stdout)


def refused(*arguments, code=2):
    done = RUNNER.invoke(app, ["fmu", *map(str, arguments)])
    assert done.exit_code == code
    return " ".join(done.output.split())


def test_info_says_what_it_is_and_what_it_has(tmp_path):
    path = c_vehicle(tmp_path, 3)
    said = told("info", path)
    assert said["sha256"] == read_description(path).sha256
    assert (said["fmi"], said["runnable"], said["why_not"]) == ("3.0", True, "")
    assert {"name": "steer", "unit": "rad", "causality": "input"}.items() <= next(
        one for one in said["variables"] if one["name"] == "steer"
    ).items()
    text = refused("info", path, code=0)
    assert said["sha256"] in text
    assert "can be run by the bench" in text


def test_info_of_what_cannot_be_run_says_why(tmp_path):
    said = told("info", c_vehicle(tmp_path, 2, interface="ModelExchange"))
    assert not said["runnable"]
    assert said["why_not"].startswith("has model exchange only")


def test_check_loads_code_with_trust_only(tmp_path):
    path = c_vehicle(tmp_path, 2)
    said = told("check", path, "--rate", 250)
    assert (said["loaded"], said["steps"], said["step_median_s"]) == (False, 0, None)
    said = told("check", path, "--rate", 250, "--seconds", 0.4, "--trust")
    assert (said["loaded"], said["steps"]) == (True, 100)
    assert 0.0 < said["step_median_s"] <= said["step_p99_s"] <= said["step_max_s"]


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--rate", 300), "a step of 0.004 s does not divide 0.00333333 s"),
        (("--rate", 300), "as at a rate of 250 Hz"),
        (("--rate", 250, "--step", 0.003), "a step of 0.003 s does not divide 0.004 s"),
    ],
)
def test_check_refuses_steps_that_do_not_fit(tmp_path, arguments, says):
    assert says in refused("check", c_vehicle(tmp_path, 2), *arguments)


def test_run_writes_its_outputs(tmp_path):
    path, out = c_vehicle(tmp_path, 3), tmp_path / "out.csv"
    said = told("run", path, "--trust", "--seconds", 1, "--start", "steer=0.25", "-o", out)
    assert said["steps"] == 500
    assert said["last"]["echo"] == 0.5
    with out.open() as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 501
    for row in rows[::50]:
        wanted = 1.5 * math.sin(2.0 * math.pi * 0.25 * float(row["t_s"]))
        assert float(row["f_x"]) == pytest.approx(wanted, abs=1e-12)


def test_run_says_what_it_failed_by(tmp_path):
    path = c_vehicle(tmp_path, 3)
    start = ("--start", f"fault={FAULTS['crash']}", "--start", "at_s=0.1")
    said = told("run", path, "--trust", "--seconds", 1, *start, code=1)
    assert said["steps"] == 49
    assert "SIGSEGV" in said["failed"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        ((), 1, "is native code, which can do all that you can do: --trust"),
        (("--trust", "--start", "mass=1"), 2, "--start = 'mass': no such variable"),
        (("--trust", "--start", "steer=nan"), 2, "NAME=VALUE with a finite number is needed"),
    ],
)
def test_run_refuses(tmp_path, arguments, code, says):
    assert says in refused("run", c_vehicle(tmp_path, 3), *arguments, code=code)


@pytest.mark.parametrize("what", ["twin", "cueing"])
def test_export_makes_what_can_be_run(tmp_path, what):
    needs_gcc()
    path = tmp_path / "made.fmu"
    said = told("export", "paper", "--what", what, "--fmi", 3, "-o", path)
    assert said["sha256"] == read_description(path).sha256
    assert said["largest_difference"] <= 1e-12
    assert told("check", path, "--trust", "--seconds", 0.1)["steps"] == 50


def test_export_of_something_else_is_refused(tmp_path):
    text = refused("export", "paper", "--what", "arm", "-o", tmp_path / "x.fmu")
    assert "'arm': it must be twin or cueing" in text
    text = refused("export", "nowhere", "-o", tmp_path / "x.fmu")
    assert "RIG = 'nowhere': no such file" in text
