"""How accurately a run simulates its space arm: the choice, and where it is told."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from arm_samples import write_run
from typer.testing import CliRunner

import sim.world.space_arm.capped_sdirk4
from hil.cli.main import app
from hil.config.file_search import configs_dir
from hil.config.settings import ConfigError
from hil.stations.arm.plan.scenario import load_arm_plan
from hil.stations.arm.plan.simulation_accuracy import simulation_accuracy
from hil.stations.arm.proof.prepare import space_arm_of
from hil.stations.arm.report.key_figures import arm_key_figures
from hil.stations.arm.report.recording import ArmRecording
from hil.stations.arm.report.view import ArmView

SHIPPED = configs_dir() / "scenarios" / "bkm_on_rm01.toml"
ROW = "simulation of the space arm"
STEPS = {"usual": (20, 300), "fine": (301, 3000)}
"""Steps that the first tick of the shipped motion takes, between."""


@pytest.mark.parametrize(
    ("asked", "model", "taken", "capped", "why"),
    [
        ("auto", "a", "fine", True, "at most 2400 steps, 30 ms of a slow processor"),
        ("auto", "e", "fine", True, "at most 2400 steps, 30 ms of a slow processor"),
        ("auto", "c", "usual", False, "does not know model c"),
        ("auto", "f", "usual", False, "does not know model f"),
        ("usual", "e", "usual", False, "the scenario says so"),
        ("fine", "d", "fine", False, "the scenario says so"),
    ],
)
def test_the_choice_and_its_reason(asked, model, taken, capped, why):
    found = simulation_accuracy(asked, model)
    assert (found.accuracy, found.capped) == (taken, capped)
    assert why in found.why


@pytest.mark.parametrize(
    ("changes", "taken"),
    [
        ((), "fine"),
        (("space_arm.model=c",), "usual"),
        (("space_arm.accuracy=usual",), "usual"),
        (("space_arm.accuracy=fine",), "fine"),
    ],
)
def test_a_scenario_simulates_as_chosen(changes, taken):
    plan = load_arm_plan(SHIPPED, changes)
    assert plan.scenario.space_arm.simulation.accuracy == taken
    rates = [0.25 * np.radians(joint.rate_max_deg_s) for joint in plan.space_arm.joint]
    least, most = STEPS[taken]
    assert least < space_arm_of(plan).advance(rates).span.steps < most


def test_model_c_cannot_be_asked_to_be_fine():
    with pytest.raises(ConfigError, match='"fine" is not there for model c; "usual" is'):
        load_arm_plan(SHIPPED, ["space_arm.model=c", "space_arm.accuracy=fine"])


def told(*arguments: str) -> dict:
    answer = CliRunner().invoke(app, [*arguments, "--json"])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def row_of(recording: str):
    view = ArmView.of(ArmRecording.open(Path(recording)))
    return next(one for one in arm_key_figures(view) if one.name == ROW)


def test_a_run_and_its_report_tell_it(tmp_path: Path):
    run = told("run", "circle_on_rm01", "--out", str(tmp_path))
    why = "auto: as far as a waypoint takes at most 2400 steps, 30 ms of a slow processor"
    assert run["simulation"] == {"accuracy": "fine", "why": why, "usual_waypoints": 0}
    row = row_of(run["recording"])
    assert (row.value, row.where) == ("fine", why)


@pytest.mark.parametrize(
    ("accuracy", "words"),
    [("auto", "fine (auto: as far as a waypoint"), ("usual", "usual (the scenario says so)")],
)
def test_people_read_it_with_the_check(accuracy: str, words: str):
    change = f"space_arm.accuracy={accuracy}"
    answer = CliRunner().invoke(app, ["check", "circle_on_rm01", "--set", change])
    assert f"{ROW}: {words}" in answer.stdout, answer.output
    assert "are usual from there on" not in answer.stdout


def test_waypoints_that_took_too_much_are_counted_in_proof_console_and_recording(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    """With a bound that the circle's busiest waypoints pass."""
    monkeypatch.setattr(
        sim.world.space_arm.capped_sdirk4.CappedSdirk4.__init__, "__defaults__", (560,)
    )
    run = told("run", "circle_on_rm01", "--out", str(tmp_path))
    usual = run["simulation"]["usual_waypoints"]
    assert 1 < usual < run["waypoints"]
    assert row_of(run["recording"]).value == f"fine but for {usual} waypoints"
    shown = CliRunner().invoke(app, ["check", "circle_on_rm01"]).stdout
    assert f"; {usual} waypoints took more, and are usual from there on" in shown


def test_a_recording_that_does_not_say_has_no_row(tmp_path: Path):
    view = ArmView.of(write_run(tmp_path / "recording.mcap", count=20))
    assert ROW not in {one.name for one in arm_key_figures(view)}
