"""A diagram as the law of a robot, judged by the built-in laws, differences and the recording."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.diagram_law import RobotSignals, SignalGroup
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import prove, run_world
from sim.world.control.laws import JointMotion

SCENARIOS = configs_dir() / "scenarios"
SHORT = ("motion.duration_s=2.5", "settle_s=0.1")
BY_DIAGRAM = ('law="diagram"', 'diagram.file="{}"')


def plan_of(name, *changes):
    return load_world_plan(SCENARIOS / f"{name}.toml", changes)


def by(diagram, *changes, name="joint_move"):
    told = [one.format(diagram) for one in BY_DIAGRAM]
    return plan_of(name, *told, *SHORT, *changes)


def rows(plan, folder):
    result = run_world(plan, folder)
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    return {name: recording.column(name) for name in ("position_rad", "command_n_m", "t_s")}


@pytest.mark.parametrize(
    ("name", "robot", "law"),
    [("joint_move", "robot_a", "computed"), ("joint_move", "robot_a", "pid"),
     ("straight_line", "robot_b", "computed")],
)  # fmt: skip
def test_the_shipped_diagrams_move_as_the_built_in_laws(name, robot, law, tmp_path):
    fed = ["diagram.feed=[{input='needed_n_m', value=[0, 0, 0, 0, 0, 0]}]"] if law == "pid" else []
    by_diagram = rows(by(robot, *fed, name=name), tmp_path)
    built_in = rows(plan_of(name, *SHORT, f'law="{law}"'), tmp_path)
    assert len(by_diagram["t_s"]) > 1200
    for column, values in built_in.items():
        # To the last digits: where a compiler joins a product and a sum is the machine's choice.
        np.testing.assert_allclose(by_diagram[column], values, rtol=1e-12, atol=1e-15)


PLACE = """[block]
"end" = { kind = "ForwardKinematics", dh = "$dh" }
"parts" = { kind = "PoseParts" }
"place" = { kind = "Demux", width = 3 }
"x" = { kind = "PanelNumber" }
"y" = { kind = "PanelNumber" }
"z" = { kind = "PanelNumber" }
"""
PLACE_WIRES = """[wire]
"end.q" = "position_rad.y"
"parts.pose" = "end.pose"
"place.u" = "parts.position"
"x.u" = "place.y1"
"y.u" = "place.y2"
"z.u" = "place.y3"
"""
DH = '[parameter]\n"dh" = { value = [[0.0, 0.0, 0.0, 0.0]], note = "of the robot" }\n'


@pytest.mark.parametrize(
    ("name", "robot"), [("joint_move", "robot_a"), ("straight_line", "robot_b")]
)
def test_the_robot_gives_its_d_h_rows_to_the_diagram_that_wants_them(name, robot, tmp_path):
    text = (configs_dir() / "diagrams" / f"{robot}.toml").read_text()
    for old, new in (("[parameter]\n", DH), ("[block]\n", PLACE), ("[wire]\n", PLACE_WIRES)):
        assert old in text
        text = text.replace(old, new, 1)
    (tmp_path / "own.toml").write_text(text)
    plan = by(tmp_path / "own.toml", name=name)
    result = run_world(plan, tmp_path)
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    told = np.stack([recording.column(f"panel_{axis}") for axis in "xyz"], axis=1)
    tool = recording.column("tool_pose")[:, :3]
    np.testing.assert_allclose(told, tool, atol=1e-9)
    assert np.ptp(tool, axis=0).max() > 0.05
    own = "diagram.set=[{parameter='dh', value=[[0.0, 0.0, 0.1, 0.0]]}]"
    with pytest.raises(ConfigError, match="a vector of 6 into a vector of 1"):  # the scenario's
        by(tmp_path / "own.toml", own, name=name)


def test_a_robot_without_d_h_rows_says_why(tmp_path):
    text = (configs_dir() / "diagrams" / "robot_a.toml").read_text()
    (tmp_path / "own.toml").write_text(text.replace("[parameter]\n", DH, 1))
    with pytest.raises(ConfigError, match=r"its parameter dh wants D-H rows of the robot: end 99"):
        by(tmp_path / "own.toml", "diagram.end=99")


LAW = """
format = 1
base_s = {base_s}

[block]
"error" = {{ kind = "Sum", signs = "+-" }}
"gain" = {{ kind = "Gain", k = {k}, unit = "{k_unit}" }}
"late" = {{ kind = "Step", time_s = 1.0, before = 1.0, after = 0.0 }}
"per" = {{ kind = "Reciprocal" }}
"position_rad" = {{ kind = "In", shape = [{joints}], type = "real", unit = "{unit}"{frame} }}
"scale" = {{ kind = "Scale" }}
"{output}" = {{ kind = "Out", unit = "N*m" }}
"wanted_rad" = {{ kind = "In", shape = [{joints}], type = "real", unit = "{unit}" }}

[wire]
"error.u1" = "wanted_rad.y"
"error.u2" = "position_rad.y"
"gain.u" = "error.y"
"per.u" = "late.y"
"scale.k" = "per.y"
"scale.u" = "gain.y"
"{output}.u" = "scale.y"
"""
USUAL = {"base_s": 0.002, "k": 2000.0, "k_unit": "N*m", "joints": 6, "unit": "rad", "frame": "",
         "output": "torque"}  # fmt: skip


def written(folder, **changes):
    file = folder / "own.toml"
    file.write_text(LAW.format(**{**USUAL, **changes}))
    return file


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"unit": "deg", "k_unit": "N*m/deg"},
         "input position_rad: is in deg; position_rad is in rad; a Convert"),
        ({"joints": 7}, "input wanted_rad: is a vector of 7; wanted_rad is a vector of 6"),
        ({"output": "torqe"}, "the diagram has no output 'torque'; did you mean torqe?"),
        ({"base_s": 0.003}, "base_s = 0.003 s is no whole number of the steps of 0.002 s"),
        ({"base_s": 0.001}, "base_s = 0.001 s is no whole number of the steps of 0.002 s"),
        ({"unit": "m", "k_unit": "N"}, "input position_rad: is in m; position_rad is in rad"),
    ],
)  # fmt: skip
def test_a_diagram_that_does_not_fit_the_robot_is_refused(changes, words, tmp_path):
    with pytest.raises(RefusedError) as refused:
        open_bench(by(written(tmp_path, **changes)))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ("diagram.feed=[{input='wanted_rad', signal='wantd_rad'}]",
         "'wantd_rad' is no signal here; there are wanted_rad, wanted_rad_s"),
        ("diagram.feed=[{input='wanted_rad', signal='speed_rad_s'}]",
         "speed_rad_s is in rad/s"),
        ("diagram.feed=[{input='wanted', value=1.0}]",
         "the diagram has no input 'wanted'; did you mean wanted_rad?"),
        ("diagram.feed=[{input='wanted_rad', value=[1, 2]}]",
         "a vector of 2 is given; it is a vector of 6"),
        ("diagram.output='nothing'", "the diagram has no output 'nothing'"),
    ],
)  # fmt: skip
def test_wiring_that_does_not_fit_is_refused(change, words, tmp_path):
    with pytest.raises(RefusedError) as refused:
        open_bench(by(written(tmp_path), change))
    assert words in str(refused.value)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (('law="diagram"',), "diagram and law = "),
        (('diagram.file="robot_a"',), "diagram and law = "),
        (('law="diagram"', 'diagram.file="robot_a"',
          "diagram.set=[{parameter='kp', value=[-1, 1, 1, 1, 1, 1]}]"), "kp = -1.0: 0.0 to"),
        (('law="diagram"', 'diagram.file="robot_a"',
          "diagram.set=[{parameter='kq', value=1.0}]"), "kq"),
        (('law="diagram"', 'diagram.file="robot_z"'), "robot_z"),
    ],
)  # fmt: skip
def test_a_scenario_that_names_no_such_law_is_refused(changes, words):
    with pytest.raises(ConfigError) as refused:
        plan_of("joint_move", *changes)
    assert words in str(refused.value)


def test_a_block_that_divides_by_zero_ends_the_run_in_a_controlled_stop(tmp_path):
    changes = f"--set law=diagram --set diagram.file={written(tmp_path)}".split()
    done = CliRunner().invoke(app, ["run", "joint_move", *changes, "--json", "--out",
                                    str(tmp_path / "runs")])  # fmt: skip
    assert done.exit_code == 1, done.output
    told = json.loads(done.stdout)
    assert told["ended"] == "failed"
    assert "per made a number that is not finite, tick 500 (1 s)" in told["reason"]
    recording = Recording.open(Path(told["recording"]))
    speeds, t_s = recording.column("speed_rad_s"), recording.column("t_s")
    assert 1.0 < t_s[-1] < 3.0
    assert np.abs(speeds[-1]).max() < 0.2 < 0.4 < np.abs(speeds[t_s <= 1.0][-1]).max()
    assert any("per made" in event.message for event in recording.events)


def test_what_it_commands_is_held_by_the_drives_limits(tmp_path):
    plan = by(written(tmp_path, k=1e6), "motion.duration_s=2.5", "settle_s=0")
    result = run_world(plan, tmp_path)
    commands = Recording.open(result.recorder.path).column("command_n_m")
    assert np.abs(commands).max() == 200.0


def test_a_slower_diagram_is_computed_in_its_own_ticks_and_held_between(tmp_path):
    plan = by(written(tmp_path, base_s=0.006, k=100.0), "following_deg=90", "motion.duration_s=2.5")
    result = run_world(plan, tmp_path)
    commands = Recording.open(result.recorder.path).column("command_n_m")[:490]
    changed = np.flatnonzero(np.abs(np.diff(commands, axis=0)).max(axis=1) > 0) + 1
    assert len(changed) > 100
    assert (changed % 3 == 0).all()


def test_the_recording_holds_the_diagram_as_it_was_read(tmp_path):
    file = written(tmp_path, k=100.0)
    result = run_world(by(file, "following_deg=90"), tmp_path)
    told = Recording.open(result.recorder.path).header.scenario
    assert told["diagram"] == file.read_text()


@pytest.mark.parametrize("robot", ["robot_a", "robot_b", "arm:puma560"])
def test_the_geometry_it_is_told_gives_the_torques_of_virtual_work(robot):
    plan = plan_of("joint_move", f"robot='{robot}'", "motion={kind='hold'}")
    bench = open_bench(plan)
    chain = bench.chain
    tells = RobotSignals(
        bench.robot, bench.sensors, [SignalGroup("", tuple(range(6)), (False,) * 6, chain)]
    )
    rng = np.random.default_rng(5)
    still = np.zeros(6)
    for _ in range(20):
        q = rng.uniform(-2.0, 2.0, 6)
        at = JointMotion(q, still, still)
        tells.now(at, at, still)
        names = "joint_to_end", "end_in_joint_m"
        rotation, place = (read() for _, read in tells.feeds((slice(0), one) for one in names))
        f, mu = rng.normal(size=3), rng.normal(size=3)
        torques = [f @ (turn @ np.cross([0, 0, 1], r)) + mu @ turn[:, 2]
                   for turn, r in zip(rotation, place, strict=True)]  # fmt: skip
        tool, h = chain.pose(q), 1e-6
        for joint in range(6):
            moved = [chain.pose(q + sign * h * np.eye(6)[joint]) for sign in (1, -1)]
            way = (moved[0][:3, 3] - moved[1][:3, 3]) / (2 * h)
            turned = Rotation.from_matrix(moved[0][:3, :3] @ moved[1][:3, :3].T).as_rotvec()
            work = (tool[:3, :3] @ f) @ way + (tool[:3, :3] @ mu) @ (turned / (2 * h))
            assert math.isclose(torques[joint], work, abs_tol=1e-7)


def test_a_proof_by_a_diagram_is_the_run(tmp_path):
    plan = by("robot_a")
    _, figures = prove(plan)
    assert run_world(plan, tmp_path).figures.error_max_rad == figures.error_max_rad


def test_joints_start_where_the_scenario_says(tmp_path):
    plan = plan_of("joint_move", *SHORT, "start=[{joint=2, deg=-30.0}, {joint=5, deg=12.5}]")
    result = run_world(plan, tmp_path)
    assert result.ok, result.figures
    recording = Recording.open(result.recorder.path)
    begins = np.degrees(recording.column("position_rad")[0])
    np.testing.assert_allclose(begins, [0.0, -30.0, -20.0, 30.0, 12.5, 0.0], atol=1e-6)
    ends = np.degrees(recording.column("position_rad")[-1])
    np.testing.assert_allclose(ends, [-90.0, -30.0, -20.0, -15.0, 12.5, 0.0], atol=0.01)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        ("{joint=9, deg=1.0}", "joint 9 is no hinge of its own; there are 1, 2, 3, 4, 5, 6"),
        ("{joint=1, m=0.1}", "joint 1 is no slide of its own; there are none"),
        ("{joint=1}", "one of deg, m is needed"),
        ("{joint=1, deg=1.0, m=0.1}", "one of deg, m is needed"),
    ],
)  # fmt: skip
def test_a_start_that_the_robot_cannot_have_is_refused(start, words):
    with pytest.raises(ConfigError) as refused:
        plan_of("joint_move", f"start=[{start}]")
    assert words in str(refused.value)


def test_a_start_beyond_a_limit_is_refused():
    with pytest.raises(ConfigError) as refused:
        plan_of("copy_arms", "start=[{joint=4, deg=80.0}]")
    assert "start.0: joint 4 at 1.39626: its limits are -3 to 1" in str(refused.value)
