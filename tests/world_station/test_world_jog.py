"""Jogging: by script, keys of a terminal, handles and a desk; let go, the robot comes to rest."""

import json
import os
import pty
import secrets
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from typer.testing import CliRunner

from hil.cli.main import app
from hil.config.errors import ConfigError, RefusedError
from hil.config.file_search import configs_dir
from hil.config.named_files import GIVEN
from hil.desk.order import BUTTONS, Button, LatestOrder, OperatorOrder
from hil.desk.velocity.panel_operator import PanelOperator
from hil.desk.velocity.remote_writer import RemoteWriter
from hil.recording.reader import Recording
from hil.stations.world.commands.jog import jog_plan
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.loop import WorldRun
from hil.stations.world.lead.operator_access import handles, led_by
from hil.stations.world.plan.scenario_reader import load_world_plan, world_plan_from_table
from hil.stations.world.run.session import run_world
from hil.stations.world.signals import world_signals
from hil.stations.world.sources.source_setup import LiveInputs
from hil.timing.clock import VirtualClock

STEP_S = 0.002
DH = [(0, 0, 0, 0.40), (-np.pi / 2, 0.10, -np.pi / 2, 0), (0, 0.50, 0, 0),
      (-np.pi / 2, 0.05, 0, 0.45), (np.pi / 2, 0, 0, 0), (-np.pi / 2, 0, 0, 0.12)]  # fmt: skip
"""alpha, d, theta, r of robot A, the tool's way along z with the last."""


def tool_of(q_rad):
    pose = np.eye(4)
    for (alpha, d, theta, r), q in zip(DH, q_rad, strict=True):
        one, two = np.eye(4), np.eye(4)
        one[:3, :3], one[0, 3] = Rotation.from_euler("x", alpha).as_matrix(), d
        two[:3, :3], two[2, 3] = Rotation.from_euler("z", theta + q).as_matrix(), r
        pose = pose @ one @ two
    return pose


def said(*arguments, status=0):
    done = CliRunner().invoke(app, list(arguments))
    assert done.exit_code == status, done.output
    return done


def jogging(**motion):
    motion = {"kind": "jog", **motion}
    table = {"station": "world", "name": "jog", "robot": "robot_a", "settle_s": 0.0,
             "motion": motion, "clock": "real"}  # fmt: skip
    if motion.get("by", {}).get("kind") == "script":
        table["clock"] = "virtual"
    return world_plan_from_table(table, Path("jog"))


def script(*steps):
    return {"kind": "script", "steps": list(steps)}


def rows_of(source, steps=100_000):
    found = []
    for index in range(steps):
        found.append(source.setpoint(index).positions)
        if source.ended:
            break
    return np.array(found)


def test_a_script_from_the_command_line_moves_the_tool_along_its_own_axis(tmp_path):
    done = said("world", "jog", "robot_a", "--axes", "tool", "--step", "y:-0.5:0.6",
                "--step", "wait:0:0.3", "--out", str(tmp_path), "--json")  # fmt: skip
    told = json.loads(done.stdout)
    assert told["ended"] == "completed"
    assert told["joint_error_max_deg"] < 0.1
    recording = Recording.open(Path(told["recording"]))
    tools = np.array([tool_of(q) for q in recording.column("wanted_rad")])
    ways = (tools[:, :3, 3] - tools[0, :3, 3]) @ tools[0, :3, :3]
    assert np.abs(ways[:, [0, 2]]).max() < 1e-7
    assert ways[-1, 1] == pytest.approx(-0.05 * 0.6, rel=0.01)
    assert not np.ptp(recording.column("wanted_rad")[-100:], axis=0).any()
    modes = [one.message for one in recording.events if one.name == "source"]
    assert modes == ["led: it moves", "let go: it comes to rest"]


def test_a_joint_is_led_by_its_share_of_the_full_speed_and_comes_to_rest():
    plan = jogging(by=script({"joint": 3, "share": -0.5, "for_s": 1.0}, {"for_s": 0.4}))
    rows = rows_of(open_bench(plan).source)
    speeds = np.degrees(np.diff(rows, axis=0)) / STEP_S
    assert speeds[:, 2].min() == pytest.approx(-10.0)
    assert np.abs(np.diff(speeds, axis=0)).max() / STEP_S <= 500.0 + 1e-3
    assert not np.delete(speeds, 2, axis=1).any()
    assert np.degrees(rows[-1, 2] - rows[0, 2]) == pytest.approx(-10.0, abs=0.02)
    # Let go at 1 s it rests after 10 / 500 s, and the script is over at 1.4 s.
    assert not speeds[round(1.0 / STEP_S) + 12 :].any()
    assert len(rows) * STEP_S == pytest.approx(1.4, abs=0.01)


def test_joint_and_tool_take_turns_at_rest():
    steps = ({"joint": 1, "for_s": 0.4}, {"axis": "z", "for_s": 0.4}, {"joint": 2, "for_s": 0.4})
    rows = rows_of(open_bench(jogging(by=script(*steps))).source)
    speeds = np.diff(rows, axis=0) / STEP_S
    moves = np.abs(speeds) > 1e-9
    alone = [moves.any(axis=1) & ~np.delete(moves, joint, axis=1).any(axis=1) for joint in (0, 1)]
    several = moves.sum(axis=1) > 1
    order = [name for _, name in sorted(
        (int(np.argmax(rows_)), name)
        for rows_, name in ((alone[0], "1"), (several, "tool"), (alone[1], "2")))]  # fmt: skip
    assert order == ["1", "tool", "2"]
    heights = np.array([tool_of(q)[2, 3] for q in rows[several.argmax() :]])
    led = heights[: round(0.3 / STEP_S)] - heights[0]
    assert led[-1] > 0.015
    here = np.array(tool_of(rows[several.argmax()])[:2, 3])
    away = [tool_of(q)[:2, 3] - here for q in rows[several.argmax() :][: len(led)]]
    assert np.abs(away).max() < 1e-7
    assert not (several & moves[:, 0] & ~moves[:, 1]).any()
    assert np.abs(np.diff(speeds, axis=0)).max() / STEP_S <= np.radians(500.0) + 1e-3


def test_the_same_script_gives_the_same_bytes(tmp_path):
    plan = load_world_plan(configs_dir() / "scenarios" / "jog_by_script.toml",
                           ("motion.duration_s=0.5", "settle_s=0.0"))  # fmt: skip
    first, second = (run_world(plan, tmp_path).recorder.sha256 for _ in range(2))
    assert first is not None
    assert first == second


def test_a_machine_in_metal_is_led_within_its_bounds(tmp_path):
    changes = ("gravity_m_s2=[0.0, 0.0, 0.0]", "motion.acceleration_deg_s2=2.0")
    steps = ["x:1:0.5", "2:-1:2"]
    plan = jog_plan("arm:bkm", axes="tool", joints=None, steps=steps, speed=1.0, changes=changes)
    result = run_world(plan, tmp_path)
    assert result.figures.ok, result.figures
    machine: Any = plan.robot.machine
    bounds = {one.joint: one for one in machine.joints}
    wanted = Recording.open(result.recorder.path).column("wanted_rad")
    speeds = np.abs(np.diff(wanted, axis=0)).max(axis=0) / STEP_S
    most = np.array([bounds[drive.joint].speed for drive in plan.robot.drives])
    assert (speeds <= most + 1e-9).all()
    assert speeds[1] == pytest.approx(most[1])
    changes = np.abs(np.diff(wanted, n=2, axis=0)).max(axis=0) / STEP_S**2
    assert (changes <= np.radians(2.0) + 1e-3).all()


def test_towards_a_limit_the_robot_rests_and_says_so(tmp_path):
    text = (configs_dir() / "world" / "robots" / "robot_a.toml").read_text()
    file = tmp_path / "own.toml"
    file.write_text(
        text.replace("start_rad = [0]", "start_rad = [0]\nlimits_rad = [[-0.1, 0.1]]", 1)
    )
    plan = jog_plan(str(file), axes=None, joints=None, steps=["1:1:2"], speed=1.0)
    result = run_world(plan, tmp_path)
    assert result.figures.ok, result.figures
    recording = Recording.open(result.recorder.path)
    assert recording.column("wanted_rad")[-1, 0] == pytest.approx(0.1, abs=1e-4)
    assert "joint 1: no further, the limit is there" in [one.message for one in recording.events]


class Led:
    """A robot that an operator leads live, in time of the test's own."""

    def __init__(self, by, held=None, **motion):
        self.clock = VirtualClock()
        self.means = LiveInputs(self.clock.now_s)
        if isinstance(by, int):
            self.means.keys_fd, by = by, {"kind": "keyboard"}
        if held is not None:
            self.means.held = held
        self.bench = open_bench(jogging(by=by, **motion), live=self.means)
        self.rows, self.index, self._ticks = [], 0, self.clock.ticks(STEP_S)

    def go(self, seconds, each=lambda: None):
        for _ in range(round(seconds / STEP_S)):
            next(self._ticks)
            each()
            self.rows.append(self.bench.source.setpoint(self.index).positions)
            self.index += 1

    def speed(self, joint):
        return np.degrees(self.rows[-1][joint] - self.rows[-2][joint]) / STEP_S


@pytest.fixture
def terminal():
    master, slave = pty.openpty()
    yield master, slave
    os.close(master)
    os.close(slave)


def test_keys_of_a_terminal_move_while_they_are_held(terminal):
    master, slave = terminal
    led = Led(slave, joints=[2, 5])

    def type_d():
        if led.index % 15 == 0:
            os.write(master, b"w")

    led.go(0.1)
    assert not np.ptp(led.rows, axis=0).any()
    led.go(0.5, type_d)
    assert led.speed(1) == pytest.approx(20.0)
    led.go(0.3)
    assert led.speed(1) == 0.0
    os.write(master, b"d")
    led.go(0.1)
    assert led.speed(4) == pytest.approx(-20.0)
    os.write(master, b"q")
    led.go(0.1)
    assert led.bench.source.ended
    assert led.speed(4) == 0.0
    assert not np.ptp(np.array(led.rows)[:, [0, 2, 3, 5]], axis=0).any()
    led.bench.source.close()


@pytest.fixture
def handled(tmp_path):
    token = tmp_path / "token"
    token.write_text(secrets.token_hex(32) + "\n")
    token.chmod(0o600)
    by = {"kind": "remote", "listen": str(tmp_path / "s"), "token_file": str(token)}
    GIVEN.take(by)  # as on the command line
    return by


def test_handles_lead_the_tool_and_their_silence_stops_it(handled):
    led = Led(handled, axes="world")
    writer = RemoteWriter(Path(handled["listen"]), Path(handled["token_file"]).read_text().strip(),
                          led.clock.now_s)  # fmt: skip
    velocity: Any = handles().velocity((0.0, 1.0, 0.0, 0.0, 0.0, 0.0))
    led.go(0.6, lambda: writer.send(velocity))
    tools = [tool_of(q)[:3, 3] for q in led.rows]
    np.testing.assert_allclose((tools[-1] - tools[-2]) / STEP_S, [0.0, 0.1, 0.0], atol=1e-6)
    led.go(0.19)
    assert np.abs(np.subtract(led.rows[-1], led.rows[-2])).max() > 0.0
    led.go(0.25)
    assert np.abs(np.subtract(led.rows[-1], led.rows[-2])).max() == 0.0
    tools = np.array([tool_of(q)[:3, 3] for q in led.rows]) - tools[0]
    assert np.abs(tools[:, [0, 2]]).max() < 1e-7
    led.bench.source.close()
    writer.close()


def test_let_go_at_the_desk_it_rests_whatever_the_handles_say(handled):
    held = [True]
    led = Led(handled, lambda: held[0], axes="joints")
    writer = RemoteWriter(Path(handled["listen"]), Path(handled["token_file"]).read_text().strip(),
                          led.clock.now_s)  # fmt: skip
    velocity: Any = handles().velocity((1.0, 0.0, 0.0, -1.0, 0.0, 0.0))

    def steer():
        writer.send(velocity)

    led.go(0.4, steer)
    assert (led.speed(0), led.speed(3)) == pytest.approx((20.0, -20.0))
    held[0] = False
    led.go(20.0 / 500.0 + 2 * STEP_S, steer)
    assert (led.speed(0), led.speed(3)) == (0.0, 0.0)
    led.go(0.2, steer)
    assert led.speed(0) == 0.0
    held[0] = True
    led.go(0.2, steer)
    assert led.speed(0) == pytest.approx(20.0)
    led.bench.source.close()
    writer.close()


class Desk:
    """A desk's slot, in the time of a run."""

    def __init__(self, now_s, *, live):
        self.now_s, self.slot, self.told = now_s, LatestOrder.local(), []
        self.led = PanelOperator(self.slot, self, now_s, station="world", live=live)
        self.order = OperatorOrder()

    def publish(self, t_s, operation):
        self.told.append(operation)

    def write(self, **changes):
        self.order = replace(self.order, stamp_s=self.now_s(), **changes)
        self.slot.write(self.order)


class Notes:
    """A journal's events alone."""

    def __init__(self):
        self.told = []

    def put(self, t_s, index, message, data=None, *, who="loop", **others):
        self.told.append((who, message))

    def row(self, *given):
        """Rows are not kept."""

    def service(self):
        return ""


class Signals:
    asked = None


def test_a_run_moves_while_the_desk_holds_it_and_stops_when_somebody_presses_stop(handled):
    led = Led(handled, axes="joints")
    desk, bench = Desk(led.clock.now_s, live=True), led.bench
    notes: Any = Notes()
    why = led_by(desk.led, led.means, lambda: bench, notes, Signals())
    joints = [(number, False) for number in range(1, 7)]
    signals = world_signals(joints, "torque", bench.world.coordinate_names())
    run = WorldRun(bench, led.clock, notes, signals, why)
    writer = RemoteWriter(Path(handled["listen"]), Path(handled["token_file"]).read_text().strip(),
                          led.clock.now_s)  # fmt: skip
    velocity: Any = handles().velocity((1.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    rows = []
    for tick in led.clock.ticks(run.period_s):
        writer.send(velocity)
        if tick.t_s < 0.8:
            desk.write(held=0.2 <= tick.t_s < 0.5)
        elif not desk.order.presser:
            presses = [0] * len(BUTTONS)
            presses[BUTTONS.index(Button.SHUT_DOWN)] = 1
            desk.write(held=True, presses=tuple(presses), presser="Anna")
        rows.append(bench.robot.positions()[0])
        if run.turn(tick):
            break
    run.close()
    writer.close()
    times, moved = STEP_S * np.arange(len(rows)), np.degrees(np.array(rows) - rows[0])
    assert np.abs(moved[times < 0.2]).max() < 0.01
    assert moved[times < 0.5][-1] == pytest.approx(20.0 * 0.3, abs=0.6)
    assert np.ptp(moved[(times > 0.6) & (times < 0.8)]) < 0.01
    assert run.figures.ended == "stopped"
    assert len(rows) * STEP_S < 1.0
    assert ("operator", "hold-to-run released: zero velocity") in notes.told
    assert any("SHUT_DOWN by Anna" in text for _, text in notes.told)


def test_a_planned_motion_needs_nobody_to_hold_it_at_a_desk():
    plan = load_world_plan(configs_dir() / "scenarios" / "jog_by_script.toml")
    clock = VirtualClock()
    means = LiveInputs(clock.now_s)
    bench = open_bench(plan, live=means)
    notes: Any = Notes()
    led_by(Desk(clock.now_s, live=plan.live).led, means, lambda: bench, notes, Signals())
    assert means.held()
    assert not plan.live


def test_an_operator_needs_the_real_clock(tmp_path):
    done = said(
        "run", "jog_by_script", "--operator", "--clock", "virtual", "--out", str(tmp_path), status=1
    )
    assert "a person lives in real time; use --clock real" in done.stderr.replace("\n", " ")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("motion", "message"),
    [
        ({"joints": [1, 9]}, "motion.joints.1: joint 9 is not driven; there are 1, 2, 3"),
        ({"joints": [1, 1]}, "at most six, each once"),
        ({"by": script({"joint": "nose", "for_s": 1.0})}, "motion.by.steps.0: joint 'nose'"),
        ({"by": script({"joint": 1, "axis": "x", "for_s": 1.0})}, "one of joint and axis"),
        ({"by": script({"joint": 1, "share": 1.5, "for_s": 1.0})}, "less than or equal to 1"),
    ],
)
def test_scenarios_that_cannot_be_are_refused_by_their_keys(motion, message):
    with pytest.raises(ConfigError, match=message):
        jogging(**motion)


def test_a_robot_with_loops_has_joints_to_lead_and_no_tool(tmp_path):
    plan = jog_plan("four_bar", axes=None, joints=None, steps=["1:1:0.2"], speed=0.5)
    assert run_world(plan, tmp_path).figures.ok
    plan = jog_plan("four_bar", axes="tool", joints=None, steps=["x:1:0.2"], speed=0.5)
    with pytest.raises(RefusedError, match=r"motion.axes = 'tool': a robot with loops has no tool"):
        open_bench(plan)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("robot_a", "--axes", "base"), "one of joints, tool, world"),
        (("robot_a", "--speed", "0"), "above 0, at most 1"),
        (("robot_a", "--step", "x:1"), "such as x:0.5:2"),
        (("robot_z",), "no such file"),
        (("robot_a", "--step", "x:1:-3"), "greater than 0"),
    ],
)
def test_what_the_verb_does_not_understand_is_told(arguments, message):
    assert message in said("world", "jog", *arguments, status=2).stderr.replace("\n", " ")


def test_without_a_terminal_nothing_moves(tmp_path):
    reading, writing = os.pipe()
    plan = jogging(by={"kind": "keyboard"})
    try:
        with pytest.raises(RefusedError, match=r"nothing has moved: keyboard: .* no terminal"):
            run_world(plan, tmp_path, keys_fd=reading)
    finally:
        os.close(reading)
        os.close(writing)
    assert not list(tmp_path.iterdir())
