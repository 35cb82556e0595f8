"""A robot that its diagram moves, without a place that is asked: it drives and is stopped."""

import json
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError
from hil.recording.reader import Recording
from hil.run.run import play
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.diagram_ends import ends_of
from hil.stations.world.cycle.loop import WorldRun
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world, signals_of
from hil.timing.clock import VirtualClock

SCENARIO = """
station = "world"
name = "free"
robot = "mf4_wheels"
scene = "empty"
may_touch = ["floor"]
control = "voltage"
law = "diagram"
settle_s = 0.0

[diagram]
file = "law.toml"
joints = [1, 2]

[motion]
kind = "free"
duration_s = 2.0
"""
LAW = """
format = 1
base_s = 0.002

[block]
"late" = { kind = "Step", time_s = 1.0, before = 1.0, after = 0.0 }
"per" = { kind = "Reciprocal" }
"speed_rad_s" = { kind = "In", shape = [2], type = "real", unit = "rad/s" }
"u" = { kind = "Constant", value = [LEFT, RIGHT] }
"voltage" = { kind = "Out" }

[wire]
"per.u" = "late.y"
"voltage.u" = "u.y"
"""


@pytest.fixture
def scenario(tmp_path):
    def written(left=0.5, right=0.5, *changes):
        text = LAW.replace("LEFT", str(left)).replace("RIGHT", str(right))
        for one in changes:
            text = text.replace(*one)
        (tmp_path / "law.toml").write_text(text)
        path = tmp_path / "free.toml"
        path.write_text(SCENARIO)
        return path

    return written


FOREVER = ("after = 0.0", "after = 1.0")


def test_wheels_turn_beyond_any_window_and_the_arm_is_held(scenario, tmp_path):
    result = run_world(load_world_plan(scenario(0.5, 0.5, FOREVER)), tmp_path)
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    found, wanted = recording.column("position_joints"), recording.column("wanted_joints")
    turned = found[-1, :2]
    assert np.all(turned > 8.0)
    assert np.array_equal(found[:, :2], wanted[:, :2])
    assert np.abs(found[:, 2:] - found[0, 2:]).max() < 0.005
    travelled = recording.column("world_coordinates")[-1, 0]
    assert travelled == pytest.approx(turned.mean() * 0.08, rel=0.02)


@pytest.mark.parametrize("sides", [(1.0, 1.0), (-1.0, 1.0), (1.0, -0.2)])
def test_a_stop_asked_at_full_speed_brings_it_to_rest(scenario, sides):
    bench = open_bench(load_world_plan(scenario(*sides, FOREVER)))
    asked, seen = [0], []

    def stopped():
        asked[0] += 1
        seen.append(bench.gated.found().speeds[:2])
        return "a person" if asked[0] > 700 else ""

    run = WorldRun(bench, VirtualClock(), None, signals_of(bench), stopped)
    play(run)
    assert (run.figures.ended, bench.gated.action.name) == ("stopped", "HOLDING")
    assert np.abs(seen[700]).max() > 6.0
    assert np.abs(bench.gated.found().speeds).max() < 0.5
    assert len(seen) < 700 + 1.3 / 0.002


def test_a_diagram_that_stops_by_itself_brings_it_to_rest(scenario, tmp_path):
    done = CliRunner().invoke(
        app, ["run", str(scenario()), "--json", "--out", str(tmp_path / "runs")]
    )
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert told["ended"] == "failed"
    assert "per made a number that is not finite" in told["reason"]
    recording = Recording.open(Path(told["recording"]))
    speeds = recording.column("speed_joints")
    assert np.abs(speeds[500]).max() > 4.0
    assert np.abs(speeds[-1]).max() < 0.5
    assert recording.column("t_s")[-1] < 1.8


def test_a_machine_bounds_its_speed_and_an_arm_that_runs_into_its_end_is_stopped(
    scenario, tmp_path
):
    path = scenario(0.5, 0.5, FOREVER)
    arm = ("diagram.joints=[5, 6]", "following_deg=1.0")
    law = path.with_name("law.toml")
    law.write_text(law.read_text().replace("[0.5, 0.5]", "[1.0, 0.0]"))
    result = run_world(load_world_plan(path, arm), tmp_path)
    assert result.figures.ended == "refused"
    assert "joint 5: stopping point" in result.figures.reason
    recording = Recording.open(result.recorder.path)
    turret, speed = recording.column("position_joints")[:, 2], recording.column("speed_joints")
    assert 2.6 < turret.max() < 2.82
    assert abs(speed[-1, 2]) < 0.2
    from hil.machines.world.robot_documents import document_of
    from sim.world.robots.robot_toml_writer import write_toml

    document = write_toml(document_of("mf4_wheels", key="robot", beside=path).robot, whole=True)
    metal = "\n[machine]\n\n[[machine.joint]]\njoint = 1\nspeed_rad_s = 3.0\n"
    path.with_name("own.toml").write_text(document + metal)
    law.write_text(law.read_text().replace("[1.0, 0.0]", "[0.5, 0.5]"))
    result = run_world(load_world_plan(path, ("robot='own.toml'",)), tmp_path)
    assert "joint 1: speed" in result.figures.reason
    assert "measured" in result.figures.reason


@pytest.mark.parametrize("law", ["computed", "pid", "gravity"])
def test_a_free_motion_with_another_law_is_refused(scenario, law):
    path = scenario()
    path.write_text(path.read_text().replace('file = "law.toml"\njoints = [1, 2]', ""))
    path.write_text(path.read_text().replace("[diagram]\n", "").replace('"voltage"', '"torque"'))
    with pytest.raises(ConfigError, match=r"motion\.kind = 'free': law = ") as refused:
        load_world_plan(path, (f'law="{law}"',))
    assert 'law = "diagram" moves' in str(refused.value)


def test_its_ends_are_told_for_the_editor(scenario):
    assert "speed_rad_s" in {one.name for one in ends_of(scenario()).offered}
