"""Runs of the virtual environment, judged by their recordings, a D-H product and closed forms."""

import json
import math
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import RefusedError
from hil.config.file_search import configs_dir
from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.loop import WorldRun
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import prove, run_world
from hil.stations.world.signals import world_signals
from hil.timing.clock import VirtualClock
from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.stability import unstable_drives
from sim.world.engine.world import DivergedError, World
from sim.world.engine.world_robot import ClaimedError
from sim.world.robots.body import LinkInertia
from sim.world.robots.model import JointType, Robot, RobotDrive, RobotJoint, RobotLink

SCENARIOS = configs_dir() / "scenarios"
ROBOTS = {
    "robot_a": [(0, 0, 0, 0.40), (-np.pi / 2, 0.10, -np.pi / 2, 0), (0, 0.50, 0, 0),
                (-np.pi / 2, 0.05, 0, 0.45), (np.pi / 2, 0, 0, 0), (-np.pi / 2, 0, 0, 0.12)],
    "robot_b": [(0, 0, 0, 0.45), (-np.pi / 2, 0.15, -np.pi / 2, 0), (0, 0.60, 0, 0),
                (-np.pi / 2, 0.12, 0, 0.62), (np.pi / 2, 0, 0, 0), (-np.pi / 2, 0, 0, 0.10)],
}  # fmt: skip
"""alpha, d, theta, r of the six links, the tool's way along z with the last."""


def plan_of(name, *changes):
    return load_world_plan(SCENARIOS / f"{name}.toml", changes)


def said(*arguments, status=0):
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == status, done.output
    return done


def tool_of(robot, q_rad):
    """Place of the tool by a product of D-H matrices of our own."""
    pose = np.eye(4)
    for (alpha, d, theta, r), q in zip(ROBOTS[robot], q_rad, strict=True):
        one, two = np.eye(4), np.eye(4)
        one[:3, :3], one[0, 3] = Rotation.from_euler("x", alpha).as_matrix(), d
        two[:3, :3], two[2, 3] = Rotation.from_euler("z", theta + q).as_matrix(), r
        pose = pose @ one @ two
    return pose[:3, 3]


@pytest.mark.parametrize("control", ["torque", "speed", "voltage"])
@pytest.mark.parametrize(
    ("name", "robot", "turned_deg"),
    [("joint_move", "robot_a", (-90, 0, 0, -45, 0, 0)),
     ("straight_line", "robot_b", (45, 0, 0, -45, 0, 0))],
)  # fmt: skip
def test_both_experiments_by_each_interface(name, robot, turned_deg, control, tmp_path):
    arguments = ("run", name, "--set", f"control={control}", "--json", "--out", str(tmp_path))
    told = json.loads(said(*arguments).stdout)
    recording = Recording.open(Path(told["recording"]))
    positions, wanted = recording.column("position_rad"), recording.column("wanted_rad")
    times = recording.column("t_s")
    final = positions[0] + np.radians(turned_deg)
    assert np.degrees(np.abs(positions[-1] - final)).max() <= 0.01
    assert np.degrees(np.abs(positions - wanted)).max() <= 0.2
    assert told["joint_error_max_deg"] == pytest.approx(
        np.degrees(np.abs(positions - wanted)[times <= 3.0]).max()
    )
    assert told["joint_error_final_deg"] <= 0.01 < 0.25 < told["plain_pid"]["joint_error_max_deg"]
    rates = np.degrees(np.abs(np.diff(wanted, axis=0))) / 0.002
    assert 20 < rates.max() < 55.001
    tools = np.array([tool_of(robot, q) for q in positions[::25]])
    np.testing.assert_allclose(recording.column("tool_pose")[::25, :3], tools, atol=1e-9)
    if name == "straight_line":
        begin, end = tools[0], tool_of(robot, final)
        assert np.linalg.norm(end - begin) == pytest.approx(0.75807, abs=1e-5)
        away = np.linalg.norm(np.cross(tools - begin, end - begin), axis=1) / 0.75807
        assert 1e3 * away.max() <= 0.2
        assert told["line_deviation_max_mm"] <= 0.2 < 3 < (
            told["plain_pid"]["line_deviation_max_mm"]
        )  # fmt: skip


def test_the_same_seed_gives_the_same_bytes(tmp_path):
    plan = plan_of("joint_move", "settle_s=0.1", "motion.duration_s=2.5")
    first, second = (run_world(plan, tmp_path).recorder.sha256 for _ in range(2))
    assert first is not None
    assert first == second


@pytest.mark.parametrize("profile", ["jerk", "quintic", "uniform"])
def test_profiles_and_turnings_of_a_line(profile):
    changes = (f'motion.profile="{profile}"', 'motion.turning="three_part"',
               "motion.duration_s=4.0", "settle_s=0.5")  # fmt: skip
    _, figures = prove(plan_of("straight_line", *changes))
    assert figures.line_max_m < (0.2e-3 if profile != "uniform" else 20e-3)
    assert figures.error_final_rad < math.radians(0.05)


def test_a_line_by_coordinate_descent():
    changes = ('motion.inverse="ccd"', "motion.sweeps=5", "settle_s=0.5")
    bench, figures = prove(plan_of("straight_line", *changes))
    assert figures.ok, figures
    assert figures.line_max_m < 0.2e-3
    positions = bench.robot.positions()
    begin = bench.source.motion.positions[0]
    np.testing.assert_allclose(np.degrees(positions - begin), [45, 0, 0, -45, 0, 0], atol=0.01)


def test_a_place_by_way_and_turn_in_the_worlds_axes(tmp_path):
    changes = (
        "motion.by_m=[0.0, 0.1, -0.05]",
        "motion.turn_deg=[0.0, 0.0, 20.0]",
        "motion.goal=[]",
    )
    bench, figures = prove(plan_of("straight_line", *changes))
    assert figures.ok, figures
    assert bench.line is not None
    pose = bench.tool_pose()
    assert pose is not None
    np.testing.assert_allclose(pose[:3, 3] - bench.line.start[:3, 3], [0, 0.1, -0.05], atol=1e-5)
    turned = Rotation.from_matrix(pose[:3, :3] @ bench.line.start[:3, :3].T).as_euler("xyz")
    np.testing.assert_allclose(np.degrees(turned), [0, 0, 20], atol=1e-3)


def own(tmp_path, old, new, name="robot_a"):
    text = (configs_dir() / "world" / "robots" / f"{name}.toml").read_text()
    assert old in text
    file = tmp_path / "own.toml"
    file.write_text(text.replace(old, new, 1))
    return file


def test_a_joint_that_cannot_stop_before_its_limit_ends_the_run_at_rest(tmp_path):
    file = own(tmp_path, "start_rad = [0]", "start_rad = [0]\nlimits_rad = [[-1, 1]]")
    with_robot = ("joint_move", "--robot", str(file), "--json")
    refused = json.loads(said("check", *with_robot, status=1).stdout)
    assert "joint 1: stopping point" in refused["reason"]
    done = said("run", *with_robot, "--out", str(tmp_path), status=1)
    told = json.loads(done.stdout)
    assert (told["ended"], told["reason"]) == ("refused", refused["reason"])
    recording = Recording.open(Path(told["recording"]))
    positions = recording.column("position_rad")
    assert -1.0 < positions[:, 0].min() < -0.8
    assert np.abs(recording.column("speed_rad_s")[-1]).max() < 0.02
    assert recording.events[0].data["check"] == "BRAKING"


def test_bounds_of_a_machine_in_metal_are_kept(tmp_path):
    machine = "\n[machine]\n[[machine.joint]]\njoint = 1\nspeed_rad_s = 0.5\n\n[[link]]\nnumber = 0"
    file = own(tmp_path, "\n[[link]]\nnumber = 0", machine)
    with_robot = ("joint_move", "--robot", str(file), "--json")
    refused = json.loads(said("check", *with_robot, status=1).stdout)
    assert "joint 1: speed" in refused["reason"]
    assert "limit 0.5 rad/s" in refused["reason"]


def test_a_stop_that_is_asked_for_brings_all_joints_to_rest_along_their_way():
    plan = plan_of("joint_move")
    bench, clock = open_bench(plan), VirtualClock()
    run = WorldRun(bench, clock, None, world_signals([(n, False) for n in range(1, 7)], "torque"),
                   lambda: "a person" if clock.now_s() >= 1.5 else "")  # fmt: skip
    rows = []
    for tick in clock.ticks(run.period_s):
        rows.append(bench.robot.positions().copy())
        if run.turn(tick):
            break
    assert run.figures.ended == "stopped"
    assert 1.5 < tick.t_s < 1.65  # 0.75 rad/s by 10 rad/s2
    rows = np.array(rows)
    np.testing.assert_allclose(rows[:, 3] - rows[0, 3], 0.5 * rows[:, 0], atol=2e-4)


def test_nobody_commands_the_drives_beside_the_gate():
    bench = open_bench(plan_of("joint_move"))
    with pytest.raises(ClaimedError, match="commanded by the robot's gate"):
        bench.robot.command(np.ones(6))
    with pytest.raises(ClaimedError, match="claimed already"):
        bench.robot.claim()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        (("motion.duration_s=1.0",), "1 s is too short: the limits ask for 2."),
        (("motion.duration_s=1.0", 'motion.profile="quintic"'), "the bounds ask for 3."),
        (('law="pd"',), 'law = "pd" makes voltages'),
        (("motion.goal=[{joint=1, by_deg=170.0}]", "motion.duration_s=1.0"), "too short"),
    ],
)
def test_motions_and_laws_that_cannot_be_are_refused(changes, message):
    with pytest.raises(RefusedError, match=message):
        open_bench(plan_of("joint_move", *changes))


def test_a_line_too_long_to_be_laid_out_ahead_is_refused():
    """At once; the planning of a day would take the memory of the machine."""
    with pytest.raises(RefusedError, match=r"duration_s = 86400 s: .* at most 1000000 steps of"):
        open_bench(plan_of("straight_line", "motion.duration_s=86400"))


def test_a_line_out_of_reach_is_refused():
    with pytest.raises(RefusedError, match="% of the line"):
        open_bench(
            plan_of(
                "straight_line",
                "motion.by_m=[2.0, 0.0, 0.0]",
                "motion.goal=[]",
                "motion.duration_s=6.0",
            )
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("motion.goal=[{joint=9, by_deg=1.0}]", "joint 9 is not driven; there are 1, 2, 3"),
        ("motion.goal=[{joint=1, by_m=1.0}]", "joint 1 needs by_deg or to_deg"),
        ("motion.goal=[{joint=1, by_deg=1.0, to_deg=2.0}]", "one of by_deg"),
        ("gains={kp=[1.0], ki=[1.0], kd=[1.0]}", "gains.kp: 1 values; one for each of 6"),
        ('robot="robot_z"', "no such file"),
    ],
)
def test_scenarios_that_cannot_be_are_refused(change, message):
    assert message in said("check", "joint_move", "--set", change, status=2).stderr


@pytest.mark.parametrize(("robot", "joint"), [("robot_b", 3), ("torso", 1), ("four_bar", 1)])
def test_other_robots_take_the_same_motion(robot, joint):
    changes = (f'robot="{robot}"', f"motion.goal=[{{joint={joint}, by_deg=20.0}}]", "settle_s=0.5")
    _, figures = prove(plan_of("joint_move", *changes))
    assert figures.ok, figures
    assert figures.error_max_rad < math.radians(0.2)


def wheel(gain, effort, inertia, control="speed"):
    links = (
        RobotLink(0, (0.0,) * 4, (1,)),
        RobotLink(1, (0.0,) * 4, inertia=LinkInertia(1.0, (0.0,) * 3, (inertia,) * 3 + (0.0,) * 3)),
    )
    joints = (RobotJoint(0, JointType.FIXED, (), -1, 0),
              RobotJoint(1, JointType.HINGE, (0.0, 0.0, 1.0), 0, 1))  # fmt: skip
    drive = RobotDrive(1, control, effort, speed_max=effort / gain, speed_gain=gain)
    return Robot(links, joints, drives=(drive,))


@pytest.mark.parametrize("integrator", ["implicitfast", "RK4"])
@pytest.mark.parametrize("control", ["speed", "voltage"])
@pytest.mark.parametrize("share", [0.9, 1.15])
def test_drives_that_chatter_are_found_with_the_largest_step(integrator, control, share):
    """The engine judges: thrown off its speed, a drive comes back, or never rests."""
    inertia, effort, step = 0.1, 10.0, 0.002
    most = 2.785 if integrator == "RK4" else 2.0
    gain = share * most * inertia / step
    robot = wheel(gain, effort, inertia, control)
    world = World(model_text([PlacedRobot(robot)], Stepping(step, integrator, (0.0, 0.0, 0.0))))
    found = unstable_drives(world, world.robots[0], integrator)
    world._data.qvel[0] = 1.001 * effort / gain
    speeds = []
    for _ in range(400):
        world.robots[0].command([0.0])
        with suppress(DivergedError):
            world.step()
        speeds.append(abs(float(world.robots[0].speeds()[0])))
    if control == "voltage" and integrator == "implicitfast":
        assert not found
        assert max(speeds[-50:]) < 1e-6
        return
    assert bool(found) == (share > 1.0)
    assert (max(speeds[-50:]) > 1e-6) == (share > 1.0), speeds[-5:]
    if found:
        assert found[0].step_max_s == pytest.approx(step / share, rel=1e-9)
        assert "a step of at most" in str(found[0])


def test_a_gain_that_no_step_follows_is_refused_by_name(tmp_path):
    file = own(tmp_path, "speed_gain_nm_s = 60\n", "speed_gain_nm_s = 6000\n")
    told = said("check", "joint_move", "--robot", str(file), "--set", "control=speed", status=1)
    assert "drive of joint 4: gain 6000" in told.stderr


def test_faster_than_its_motors_a_robot_falls_behind_and_is_stopped():
    changes = ('control="voltage"', "motion.speed_deg_s=200.0", "motion.acceleration_deg_s2=900.0",
               "motion.jerk_deg_s3=20000.0", "motion.duration_s=0.9")  # fmt: skip
    _, figures = prove(plan_of("joint_move", *changes))
    assert figures.ended == "refused"
    assert "joint 1: following error" in figures.reason


def test_robots_of_many_joints_have_rows_too():
    from hil.recording.signals import Signals

    joints = [(number, number % 2 == 0) for number in range(1, 21)]
    signals = world_signals(joints, "voltage")
    assert isinstance(signals, Signals)
    assert "wanted_joint1_rad" in signals.columns()
    assert "wanted_joint2_m" in signals.columns()
    assert replace(signals["command"], unit="1") == signals["command"]


def test_a_robot_of_29_drives_is_recorded_whole(tmp_path):
    changes = ('robot="anthropomorph"', "motion.goal=[{joint=4, by_deg=-20.0}]", "settle_s=0.1",
               "motion.duration_s=1.5")  # fmt: skip
    result = run_world(plan_of("joint_move", *changes), tmp_path)
    assert result.ok, result
    recording = Recording.open(result.recorder.path)
    assert recording.header.signals.size > 1024
    assert recording.cycles == result.figures.steps + 1
    assert recording.column("position_rad").shape[1] >= 29
