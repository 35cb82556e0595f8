"""A robot moved by a diagram with an FMU: dry and in real time; judged by closed forms."""

import hashlib
import math
import sys
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.config.inputs import collected
from hil.diagram.run.panel_page import version_from_table
from hil.recording.events import Level
from hil.recording.reader import Recording
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.law_changes import LawChanges
from hil.stations.world.run.rerun import rerun
from hil.stations.world.run.session import run_world

sys.path.append(str(Path(__file__).parents[1] / "fmu"))
from fmu_vehicles import c_vehicle

W = 2.0 * math.pi * 0.25
STEP_S = 0.002
ADDED = """[block]
"steer" = { kind = "PanelSlider", value = 0.2, unit = "rad" }
"car" = { kind = "FMU", file = "vehicle2.fmu", takes = "steer", gives = "f_x; echo", START }
"force" = { kind = "PanelNumber" }
"echo" = { kind = "PanelNumber" }
"""
WIRES = """[wire]
"car.steer" = "steer.y"
"force.u" = "car.f_x"
"echo.u" = "car.echo"
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A vehicle in C, of any step, and laws beside it."""
    made = tmp_path_factory.mktemp("laws")
    c_vehicle(made, 2, attributes='canHandleVariableCommunicationStepSize="true"')
    return made


def plan_of(folder, *changes, start="", trusted=True):
    """The shipped joint_move by the shipped law of robot_a, with an FMU beside."""
    text = (configs_dir() / "diagrams" / "robot_a.toml").read_text()
    added = ADDED.replace("START", f'start = "{start}"')
    law = folder / f"law_{len(start)}.toml"
    law.write_text(text.replace("[block]\n", added).replace("[wire]\n", WIRES))
    told = ('law="diagram"', f'diagram.file="{law}"', "motion.duration_s=2.5", "settle_s=0.1")
    plan = load_world_plan(configs_dir() / "scenarios" / "joint_move.toml", (*told, *changes))
    return replace(plan, trusted=trusted)


@pytest.fixture(scope="module")
def dry(folder, tmp_path_factory):
    """A dry run in which its slider is moved at 0.3 s; the recording."""
    out = tmp_path_factory.mktemp("runs")
    slid = "diagram.change=[{at_s=0.3, set=[{parameter='steer.value', value=0.7}]}]"
    result = run_world(plan_of(folder, slid), out)
    assert result.ok, result.figures
    assert result.changer.taken == 1
    return Recording.open(result.recorder.path)


def test_a_dry_run_has_its_outputs_tick_by_tick(dry):
    """Judge: the closed form of the model; a row shows the tick that was computed before it."""
    k = np.arange(dry.cycles)
    np.testing.assert_allclose(dry.column("panel_force"), 1.5 * np.sin(W * STEP_S * k), atol=1e-12)
    echo = dry.column("panel_echo")
    begun = int(np.flatnonzero(echo == 1.4)[0])
    assert echo[0] == 0.0
    assert set(echo[1:begun]) == {0.4}
    assert set(echo[begun:]) == {1.4}
    assert 0.3 / STEP_S <= begun <= 0.3 / STEP_S + 3


def test_its_code_is_not_loaded_unless_a_person_trusts_it(folder, tmp_path):
    with pytest.raises(RefusedError, match="--trust"):
        run_world(plan_of(folder, trusted=False), tmp_path)
    law = plan_of(folder).diagram.path
    sets = ["--set", 'law="diagram"', "--set", f'diagram.file="{law}"',
            "--set", "motion.duration_s=2.5"]  # fmt: skip
    done = CliRunner().invoke(app, ["check", "joint_move", *sets])
    assert done.exit_code == 1
    assert "--trust" in done.output
    trusted = CliRunner().invoke(app, ["check", "joint_move", *sets, "--trust"])
    assert trusted.exit_code == 0, trusted.output


def test_a_model_that_fails_stops_the_robot(folder, tmp_path):
    result = run_world(plan_of(folder, start="fault = 7; at_s = 0.4"), tmp_path)
    assert result.figures.ended == "failed"
    assert "car does not go on, the model failed" in result.figures.reason
    assert "t = 0.4" in result.figures.reason


def test_a_recording_does_not_hold_it(dry, tmp_path):
    version = version_from_table(dry.header.scenario)  # as the operator's prover has it
    assert version.sound.types["car/f_x_now", "y"].unit == "m/s^2"
    assert dry.files is None  # nobody noted what the run read
    with pytest.raises(RefusedError, match=r"car: vehicle2\.fmu is not in the recording, nor is"):
        rerun(dry.path, tmp_path, trusted=True)


@pytest.fixture(scope="module")
def listed(tmp_path_factory):
    """A recording that lists what its run read, with an FMU of its own; and the FMU."""
    own = tmp_path_factory.mktemp("noted")
    c_vehicle(own, 2, attributes='canHandleVariableCommunicationStepSize="true"')
    with collected():
        result = run_world(plan_of(own), own / "runs")
    return Recording.open(result.recorder.path), own / "vehicle2.fmu"


@pytest.fixture
def noted(listed):
    """The same; the FMU is put back as it was."""
    whole = listed[1].read_bytes()
    yield listed
    listed[1].write_bytes(whole)


def test_it_is_run_again_where_it_lies_unchanged_and_is_trusted(noted, tmp_path):
    recording, fmu = noted
    digest = hashlib.sha256(fmu.read_bytes()).hexdigest()
    with pytest.raises(RefusedError, match=rf"{fmu} \(sha256 {digest}, as it ran\).*--trust"):
        rerun(recording.path, tmp_path / "again")
    assert rerun(recording.path, tmp_path / "again", trusted=True).same
    (again,) = (tmp_path / "again").glob("**/*.mcap")
    assert rerun(again, tmp_path / "third", trusted=True).same  # what was run again lists it, too


def test_another_one_in_its_place_is_never_loaded(noted, tmp_path, monkeypatch):
    recording, fmu = noted
    from hil.diagram.run import models

    def never(*_):
        raise AssertionError("its code was loaded")

    monkeypatch.setattr(models, "ModelProcess", never)
    before = hashlib.sha256(fmu.read_bytes()).hexdigest()
    fmu.write_bytes(fmu.read_bytes() + b"\0")
    after = hashlib.sha256(fmu.read_bytes()).hexdigest()
    told = rf"vehicle2\.fmu ran with sha256 {before}, and .* has {after} now: put the file with"
    for trusted in (False, True):
        with pytest.raises(RefusedError, match=told):
            rerun(recording.path, tmp_path / "again", trusted=trusted)
    fmu.unlink()
    done = CliRunner().invoke(app, ["world", "rerun", str(recording.path), "--trust"])
    words = " ".join(done.output.split())
    assert done.exit_code == 1
    assert before in words.replace(" ", "")
    assert "vehicle2.fmu" in words


def test_a_scenario_is_judged_without_loading_it(folder, monkeypatch, tmp_path):
    from hil.diagram.run import models

    def never(*_):
        raise AssertionError("its code was loaded")

    monkeypatch.setattr(models, "ModelProcess", never)
    law = plan_of(folder).diagram.path
    text = (configs_dir() / "scenarios" / "joint_move.toml").read_text()
    assert 'law = "' not in text
    own = folder / "own.toml"
    text = text.replace("[motion]", f'[diagram]\nfile = "{law.name}"\n\n[motion]', 1)
    own.write_text(f'law = "diagram"\n{text}')
    done = CliRunner().invoke(app, ["world", "check", str(own)])
    assert done.exit_code == 0, done.output


def test_a_run_tells_how_often_it_was_late():
    told = []
    law = SimpleNamespace(models=SimpleNamespace(late={"car": 3}))
    run = SimpleNamespace(
        bench=SimpleNamespace(gated=SimpleNamespace(law=law), world=SimpleNamespace(time_s=1.0)),
        figures=SimpleNamespace(steps=500),
        journal=SimpleNamespace(put=lambda *given, **more: told.append((given, more))),
    )
    LawChanges(SimpleNamespace(close=lambda journal: None)).close(run)
    (((t_s, step, words, data), more),) = told
    assert (t_s, step, data) == (1.0, 500, {"late": 3})
    assert words.startswith("car: ")
    assert more["level"] is Level.WARNING


@pytest.mark.real_time
def test_in_real_time_the_cycle_waits_for_no_model(folder, tmp_path):
    """One that hangs for good at 0.2 s stops the robot, and the run comes to its end."""
    plan = plan_of(folder, 'clock="real"', start="fault = 2; at_s = 0.2")
    result = run_world(plan, tmp_path)
    assert result.figures.ended == "failed"
    assert "gave no answer within 0.05 s" in result.figures.reason
