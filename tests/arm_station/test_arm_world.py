"""Runs of the arm station in which the emulated robot is in a world: scenario, option, wire."""

import json
import math
from dataclasses import replace
from pathlib import Path

import pytest
from live_bench import shown_start
from typer.testing import CliRunner

import hil.stations.arm.run.bench as bench
from arm_driver.link_states import LinkState, StreamResult
from hil.cli.main import app
from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.stations.arm.plan.scenario import arm_plan_from_table
from hil.stations.arm.run.bench import emulated_settings, prepare_plan, run_arm
from hil.stations.arm.run.runner import with_robot_at
from hil.stations.arm.run.wire import emulated_controller, emulated_robot
from hil.stations.arm.run.world import check_world, in_world
from sim.devices.arm.controller import ArmController
from sim.devices.arm.plant_servos import EnvelopeSettings
from sim.devices.arm.program import ArmState

pytestmark = pytest.mark.xdist_group("both arms")

TOUCH_M = 0.7103
"""Height of the gripper at which it touches the table of the scene `table`."""
DOWN = {"position_m": [0.737134, -0.15005, 0.857034], "oat_deg": [90.0, 90.0, 0.0]}
"""The hand points down over the table."""
TABLE = {
    "station": "arm",
    "name": "into_the_table",
    "world": "table",
    "space_arm": {"model": "b"},
    "mapping": {"start": DOWN, "start_joints_deg": [0.0, 45.0, -135.0, 0.0, -90.0, 0.0]},
    "source": {
        "kind": "profile",
        "frame": "gripper",
        "segment": [{"duration_s": 5.49, "velocity_m_s": [0.0, 0.0, 0.04]}],
    },
}
NEAR_DEG = [0.0, 46.847, -154.743, 0.0, -72.104, 0.0]
"""Joints of the same, nearer to it."""
runner = CliRunner()


def plan_of(*overrides, **keys):
    table = json.loads(json.dumps(TABLE | keys))
    return arm_plan_from_table(table, Path("into_the_table.toml"), overrides)


@pytest.fixture(scope="module")
def prepared():
    return prepare_plan(plan_of())


@pytest.fixture
def robots(monkeypatch):
    """Emulated robots that runs have made, the newest last."""
    made: list[ArmController] = []

    def make(*told, **more):
        made.append(emulated_controller(*told, **more))
        return made[-1]

    monkeypatch.setattr(bench, "emulated_controller", make)
    return made


def otherwise(monkeypatch, **changes):
    """Emulated controllers of runs have other settings."""
    monkeypatch.setattr(
        bench, "emulated_settings", lambda proof: replace(emulated_settings(proof), **changes)
    )


def over_s(found) -> float:
    """When its stream was over."""
    (at_s,) = [one.t_s for one in found.events if one.message.startswith("the stream is over")]
    return at_s


def test_the_motion_ends_20_mm_below_the_table(prepared):
    assert prepared.steps[-1].X_RT.position_m[2] == pytest.approx(TOUCH_M - 0.02, abs=1e-3)


def test_both_end_a_stream_into_the_table_in_time(prepared, robots, tmp_path):
    found = run_arm(prepared, tmp_path)
    assert not found.ok
    assert 0.0 < over_s(found) - robots[0].servos.saturated_s < 0.6
    facts = Recording.open(found.recorder.path).metadata["run"]
    assert facts["world"] == "table"
    assert facts["robot"] == "SIMULATED rm01 (sim:, world table)"


def test_the_controller_alone_ends_it_in_time(prepared, robots, tmp_path, monkeypatch):
    """Without feedback the host has nothing to hold against the path."""
    otherwise(monkeypatch, feedback=False)
    found = run_arm(prepared, tmp_path, robot_at=shown_start(prepared))
    assert found.end.result is StreamResult.FAULTED
    assert found.end.report.state is LinkState.FAULT
    assert "limit or error of its controller (status 4)" in found.end.reason
    assert 0.0 < over_s(found) - robots[0].servos.saturated_s < 0.6
    assert robots[0].state is ArmState.FAULTED
    (shown,) = [one.message for one in found.events if "controller shows" in one.message]
    assert "joint 2: 1.0" in shown
    assert "table on robot/flange: 3" in shown


def test_the_host_alone_ends_it_in_time(prepared, robots, tmp_path, monkeypatch):
    otherwise(monkeypatch, envelope=EnvelopeSettings((math.inf,) * 6, math.inf))
    found = run_arm(prepared, tmp_path)
    assert found.end.result is StreamResult.NOT_FOLLOWING
    assert "most in z" in found.end.reason
    assert 0.0 < over_s(found) - robots[0].servos.saturated_s < 0.6
    assert robots[0].state is ArmState.RUNNING
    assert not [one for one in found.events if "controller shows" in one.message]


def test_with_neither_it_comes_to_its_end_and_presses(prepared, robots, tmp_path, monkeypatch):
    otherwise(monkeypatch, feedback=False, envelope=EnvelopeSettings((math.inf,) * 6, math.inf))
    found = run_arm(prepared, tmp_path, robot_at=shown_start(prepared))
    assert found.end.result is StreamResult.COMPLETED
    (force_n,) = [force for _, force in robots[0].servos._plant.touches()]
    assert force_n > 250.0


def test_a_dry_run_in_a_world_is_the_same_twice_and_completes(tmp_path):
    upwards = {"duration_s": 2.0, "velocity_m_s": [0.0, 0.01, -0.03]}
    prepared = prepare_plan(plan_of(source=TABLE["source"] | {"segment": [upwards]}))
    found = [run_arm(prepared, tmp_path) for _ in range(2)]
    assert all(one.ok for one in found)
    assert found[0].recorder.sha256 == found[1].recorder.sha256 is not None
    own = prepare_plan(plan_of(source=TABLE["source"] | {"segment": [upwards]}, world=""))
    without = run_arm(own, tmp_path)
    assert without.recorder.sha256 != found[0].recorder.sha256
    assert "world" not in Recording.open(without.recorder.path).metadata["run"]


INSIDE = {
    "start": {"position_m": [0.69630315, -0.15005, 0.65764573], "oat_deg": [90.0, 0.0, 0.0]},
    "start_joints_deg": [0.0, 45.0, -180.0, 0.0, 45.0, 0.0],
}
BACK = TABLE["source"] | {"segment": [{"duration_s": 2.0, "velocity_m_s": [0.0, 0.0, -0.01]}]}


def test_a_start_inside_the_table_is_refused_by_check_and_run(tmp_path):
    prepared = prepare_plan(plan_of(mapping=INSIDE, source=BACK))
    words = r"robot/wrist_roll would be \d+\.\d mm inside table"
    with pytest.raises(ConfigError, match=words):
        check_world(prepared)
    with pytest.raises(RefusedError, match=f"nothing has moved: .*{words}"):
        run_arm(prepared, tmp_path)
    check_world(prepare_plan(plan_of(mapping=INSIDE, source=BACK, world="empty")))


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        ({"world": "nowhere"}, "nowhere"),
        (
            {"clock": "real", "devices": {"arm": "socket://localhost:4001"}},
            r"world = 'table': of an emulated robot: devices\.arm = \"sim:\", or devices\.fallback",
        ),
    ],
)
def test_what_makes_no_world_is_refused(keys, words):
    with pytest.raises(ConfigError, match=words):
        in_world(plan_of(**keys))


def test_a_stand_in_for_a_robot_on_a_line_gets_the_world():
    devices = {"arm": "socket://localhost:4001", "fallback": "sim"}
    table = str(configs_dir() / "world" / "scenes" / "table.toml")
    assert in_world(plan_of(clock="real", devices=devices)) == ["--world", table]
    assert in_world(plan_of(world="")) == []


def test_a_scene_beside_the_scenario_counts(tmp_path):
    (tmp_path / "own.toml").write_text('scene = "own"\n', encoding="utf-8")
    plan = arm_plan_from_table(TABLE | {"world": "own.toml"}, tmp_path / "scenario.toml")
    assert in_world(plan) == ["--world", str(tmp_path / "own.toml")]


def test_the_option_gives_the_world(tmp_path):
    file = tmp_path / "rise.toml"
    file.write_text(
        'station = "arm"\nname = "rise"\nspace_arm = { model = "b" }\n'
        f"mapping = {{ start = {{ position_m = {DOWN['position_m']}, oat_deg = "
        f"{DOWN['oat_deg']} }}, start_joints_deg = {TABLE['mapping']['start_joints_deg']} }}\n"
        '[source]\nkind = "profile"\nframe = "gripper"\n'
        "segment = [{ duration_s = 1.5, velocity_m_s = [0.0, 0.0, -0.02] }]\n",
        encoding="utf-8",
    )
    checked = runner.invoke(app, ["check", str(file), "--world", "nowhere"])
    assert checked.exit_code != 0
    assert "nowhere" in checked.output
    done = runner.invoke(
        app, ["run", str(file), "--world", "table", "--json", "--out", str(tmp_path)]
    )
    assert json.loads(done.stdout)["robot"] == "SIMULATED rm01 (sim:, world table)"


@pytest.mark.real_time
def test_over_a_pseudo_terminal_the_emulated_robot_stops_at_the_table(tmp_path):
    """In real time: the emulator is a process of its own, with the world in it."""
    near = TABLE["mapping"]["start"] | {"position_m": [0.7, -0.15005, 0.735]}
    mapping = {"start": near, "start_joints_deg": NEAR_DEG}
    prepared = prepare_plan(plan_of(mapping=mapping, clock="real", devices={
        "arm": "socket://localhost:4001", "fallback": "sim"}))  # fmt: skip
    with emulated_robot(prepared) as url:
        found = run_arm(with_robot_at(prepared, url), tmp_path)
    assert found.end.result in (StreamResult.FAULTED, StreamResult.NOT_FOLLOWING)
    assert found.end.waypoints < len(prepared.steps)
    assert "in place of" in found.robot
    assert "world table" in found.robot
