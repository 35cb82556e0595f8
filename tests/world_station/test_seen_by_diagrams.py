"""Rangefinders and yes or no between a robot and its diagram."""

import re

import numpy as np
import pytest

from hil.config.errors import RefusedError
from hil.machines.world.robot_documents import document_of
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import run_world
from sim.world.robots.robot_toml_writer import write_toml

SCENARIO = """
station = "world"
name = "sees"
robot = "mf4_wheels"
scene = "hangar"
may_touch = ["floor"]
control = "voltage"
law = "diagram"
settle_s = 0.0

[diagram]
file = "law.toml"
joints = [1, 2]
feed = [{ input = "go", value = true }]

[motion]
kind = "free"
duration_s = 0.2
"""
LAW = """
format = 1
base_s = 0.002

[block]
"count" = { kind = "SumElements" }
"distance" = { kind = "PanelNumber" }
"front_distance_m" = { kind = "In", shape = [5], type = "real", unit = "m" }
"front_seen" = { kind = "In", shape = [5], type = "boolean" }
"go" = { kind = "In", type = "boolean" }
"lamp" = { kind = "PanelLamp" }
"numbers" = { kind = "BooleanToReal" }
"seen" = { kind = "PanelNumber" }
"sum" = { kind = "SumElements" }
"u" = { kind = "Constant", value = [0.5, 0.5] }
"voltage" = { kind = "Out" }

[wire]
"count.u" = "numbers.y"
"distance.u" = "sum.y"
"lamp.u" = "go.y"
"numbers.u" = "front_seen.y"
"seen.u" = "count.y"
"sum.u" = "front_distance_m.y"
"voltage.u" = "u.y"
"""


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "law.toml").write_text(LAW)
    path = tmp_path / "sees.toml"
    path.write_text(SCENARIO)
    return path


def changed(path, old, new):
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


@pytest.mark.parametrize("scene", ["hangar", "empty"])
def test_a_diagram_gets_distances_and_whether_they_are_any(scenario, tmp_path, scene):
    result = run_world(load_world_plan(scenario, (f'scene="{scene}"',)), tmp_path)
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    distances, seen = recording.column("front_distance_m"), recording.column("front_seen")
    np.testing.assert_array_equal(recording.column("panel_seen"), seen.sum(axis=1))
    np.testing.assert_allclose(recording.column("panel_distance"), distances.sum(axis=1))
    assert recording.column("panel_lamp").all()
    assert np.all(distances <= 12.0)
    assert np.array_equal(seen == 0.0, distances == 12.0)
    assert seen.any() == (scene == "hangar")


def test_a_rangefinder_without_a_range_is_refused_before_anything_runs(scenario):
    document = write_toml(document_of("mf4_wheels", key="robot", beside=scenario).robot, whole=True)
    own = scenario.with_name("own.toml")
    own.write_text(re.sub("range_m = .*\n", "", document))
    assert "range_m" not in own.read_text()
    with pytest.raises(RefusedError) as refused:
        open_bench(load_world_plan(scenario, ("robot='own.toml'",)))
    assert "input front_distance_m: cannot take front_distance_m: it is infinite" in str(
        refused.value
    )
    assert "give the rangefinder a range_m" in str(refused.value)


@pytest.mark.parametrize(
    ("file", "old", "new", "words"),
    [
        ("law.toml", '[5], type = "boolean"', '[4], type = "boolean"',
         "input front_seen: is a vector of 4; front_seen is a vector of 5"),
        ("law.toml", '"front_seen" = { kind = "In", shape = [5], type = "boolean" }',
         '"front_seen" = { kind = "In", shape = [5], type = "integer" }',
         "input front_seen: is integer; front_seen is boolean"),
        ("sees.toml", "value = true", "value = 0.5", "input go: is boolean; 0.5 is none: 1 or 0"),
        ("sees.toml", "value = true", 'signal = "front_distance_m"',
         "input go: is boolean; front_distance_m is real"),
    ],
)  # fmt: skip
def test_what_does_not_fit_a_yes_or_no_is_refused(scenario, file, old, new, words):
    changed(scenario.with_name(file), old, new)
    if "integer" in new:
        changed(scenario.with_name(file), '"BooleanToReal"', '"IntegerToReal"')
    with pytest.raises(RefusedError) as refused:
        open_bench(load_world_plan(scenario))
    assert words in str(refused.value)
