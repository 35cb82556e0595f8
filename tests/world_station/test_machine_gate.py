"""Bounds of a robot in metal, each broken by name, and no way to its drives past the gate."""

import ast
import inspect
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scene_robots import ROBOTS, SCENARIOS

from hil.recording.reader import Recording
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.cycle.loop import WorldRun
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.run.session import prove, run_world
from hil.stations.world.signals import world_signals
from hil.timing.clock import VirtualClock
from safety.robot_limits import RobotAction, RobotSetpoint
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.own_bodies import own_pairs
from sim.world.engine.world import World
from sim.world.engine.world_robot import ClaimedError, WorldRobot
from sim.world.robots.body import BodyPlace, BodyShape
from sim.world.robots.model import (
    JointType,
    MachineBounds,
    Robot,
    RobotDrive,
    RobotJoint,
    RobotLink,
)
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml

ROOT = Path(__file__).parents[2]
MOVE = ("motion.goal=[{joint=1, by_deg=-90.0}, {joint=4, by_deg=-45.0}]",)


def machine(tmp_path, text, *changes, name="robot_a"):
    file = tmp_path / "own.toml"
    whole = (ROBOTS / f"{name}.toml").read_text()
    file.write_text(whole.replace("\n[[link]]\n", f"\n[machine]\n{text}\n\n[[link]]\n", 1))
    return load_world_plan(SCENARIOS / "joint_move.toml", [f'robot="{file}"', *MOVE, *changes])


def bound(joint, key, value):
    return f"[[machine.joint]]\njoint = {joint}\n{key} = {value}"


@pytest.mark.parametrize(
    ("text", "check", "told"),
    [
        (bound(1, "speed_rad_s", 0.5), "SPEED", "joint 1: speed"),
        (bound(4, "acceleration_rad_s2", 0.3), "ACCELERATION", "joint 4: acceleration"),
        (bound(2, "effort_nm", 20.0), "EFFORT", "joint 2: effort"),
        ("box_m = [[-2, -2, 0], [2, 0.5, 2]]", None, ""),
        ("box_m = [[-2, -0.5, 0], [2, 2, 2]]", "BOX", "place of the tool -0.5"),
    ],
)
def test_each_bound_of_a_machine_stops_the_run_at_rest(tmp_path, text, check, told):
    plan = machine(tmp_path, text, "settle_s=0.1")
    _, proved = prove(plan)
    result = run_world(plan, tmp_path)
    recording = Recording.open(result.recorder.path)
    if check is None:
        assert result.figures.ok
        assert proved.ok
        return
    assert result.figures.ended == "refused"
    assert told in proved.violations[0] == result.figures.violations[0]
    event, *beside = [one for one in recording.events if one.name == "gate"]
    assert {one.data["check"] for one in (event, *beside)} == {check}
    assert result.figures.ended_by.check.name == check
    assert result.figures.ended_by.message in result.figures.reason
    assert np.abs(recording.column("speed_rad_s")[-1]).max() < 0.02
    if check == "BOX":  # where the tool was, by rows written apart from the gate
        row = int(np.flatnonzero(recording.column("t_s") == event.t_s)[0])
        tool_m = recording.column("tool_pose")[: row + 1, 1]
        assert tool_m[-1] < -0.5 <= tool_m[:-1].min()


def jackknife(*, own_bodies):
    """Two hinges about z: the ball on the second meets that of the base at 164.3 deg."""

    def link(number, dh, leaving, radius, at):
        return RobotLink(number, dh, leaving, shape=BodyShape.SPHERE, size_m=(radius,),
                         mass_kg=1.0, place=BodyPlace((at, 0.0, 0.0)))  # fmt: skip

    links = (
        link(0, (0.0, 0.0, 0.0, 0.0), (1,), 0.05, 0.0),
        link(1, (0.0, 0.0, 0.0, 0.0), (2,), 0.03, 0.15),
        link(2, (0.0, 0.3, 0.0, 0.0), (), 0.04, 0.25),
    )
    joints = (
        RobotJoint(0, JointType.FIXED, (), -1, 0),
        RobotJoint(1, JointType.HINGE, (0.0, 0.0, 1.0), 0, 1, armature=0.3),
        RobotJoint(2, JointType.HINGE, (0.0, 0.0, 1.0), 1, 2, armature=0.3),
    )
    drives = tuple(RobotDrive(number, "torque", 200.0) for number in (1, 2))
    bounds = MachineBounds(own_bodies=own_bodies)
    return Robot(links, joints, "jackknife", drives, machine=bounds)


MEET_RAD = math.acos((0.09**2 - 0.3**2 - 0.25**2) / (2 * 0.3 * 0.25))
"""By the law of cosines, for radii of 50 and 40 mm."""


@pytest.mark.parametrize("own_bodies", [True, False])
def test_own_bodies_are_named_when_they_touch_and_only_if_the_machine_says_so(tmp_path, own_bodies):
    file = tmp_path / "jackknife.toml"
    file.write_text(write_toml(jackknife(own_bodies=own_bodies)))
    assert read_toml(file.read_text(), "own") == jackknife(own_bodies=own_bodies)
    changes = [f'robot="{file}"', "motion.goal=[{joint=2, by_deg=180.0}]", "settle_s=0.1",
               "motion.duration_s=5.0"]  # fmt: skip
    plan = load_world_plan(SCENARIOS / "joint_move.toml", changes)
    result = run_world(plan, tmp_path)
    if not own_bodies:
        assert result.figures.ok
        assert result.figures.contacts == 0
        return
    assert result.figures.ended == "refused"
    assert "own bodies touch: link 0 and link 2" in result.figures.reason
    recording = Recording.open(result.recorder.path)
    turned, times = recording.column("position_rad")[:, 1], recording.column("t_s")
    meets_s = times[np.argmax(turned >= MEET_RAD)]
    (event,) = [one for one in recording.events if one.name == "gate"]
    assert event.data["check"] == "OWN_BODIES"
    assert 0.0 <= event.t_s - meets_s <= 0.0041
    contact = next(one for one in recording.events if one.name == "contact")
    assert (contact.data["contact"], contact.data["with"]) == ("link 0", "link 2")


def test_pairs_that_a_joint_joins_or_that_begin_in_each_other_are_left_out():
    robot = read_toml((ROBOTS / "robot_a.toml").read_text(), "robot_a")
    lone = World(model_text([PlacedRobot(robot)]))
    pairs = set(own_pairs(robot, lone))
    assert not pairs & {(n, n + 1) for n in range(6)}
    assert (4, 6) not in pairs  # about the wrist's centre
    assert {(0, 3), (0, 6), (1, 6), (2, 6)} <= pairs
    assert own_pairs(replace(robot, links=robot.links[:1], joints=robot.joints[:1]), lone) == ()


# -- past the gate ----------------------------------------------------------------------------


class Liar:
    """A source that asks for anything at all."""

    duration_s, ended = 0.2, False

    def __init__(self, seed, drives):
        self._rng, self._drives = np.random.default_rng(seed), drives

    def setpoint(self, index):
        self.ended = index >= 100
        scale = 10.0 ** self._rng.uniform(-4, 6)
        positions, speeds, accelerations = self._rng.normal(0.0, scale, (3, self._drives))
        if self._rng.random() < 0.2:
            positions[self._rng.integers(self._drives)] = self._rng.choice([np.nan, np.inf])
        return RobotSetpoint(
            *(tuple(map(float, one)) for one in (positions, speeds, accelerations))
        )

    def news(self):
        return ()

    def close(self):
        """Nothing is held."""


@pytest.mark.parametrize("seed", range(12))
def test_whatever_a_source_asks_the_robot_stays_where_it_is(tmp_path, seed):
    bounds = "\n".join(bound(joint, "speed_rad_s", 1.0) for joint in range(1, 7))
    bench = replace(open_bench(machine(tmp_path, bounds)), source=Liar(seed, 6))
    start = bench.robot.positions().copy()
    clock = VirtualClock()
    run = WorldRun(bench, clock, None, world_signals([(n, False) for n in range(1, 7)], "torque"))
    for tick in clock.ticks(run.period_s):
        if run.turn(tick):
            break
    assert run.figures.ended == "refused"
    assert bench.gated.action in (RobotAction.HOLDING, RobotAction.STOPPING)
    assert np.abs(bench.robot.positions() - start).max() < 0.01


def test_every_public_way_to_command_a_robots_drives_is_shut_once_it_has_a_gate(tmp_path):
    bench = open_bench(machine(tmp_path, ""))
    bench.gated.step(None, bench.gated.found())
    before = bench.world._data.ctrl.copy()
    shut = 0
    for name, _ in inspect.getmembers(WorldRobot, inspect.isfunction):
        if name.startswith("_"):
            continue
        for given in ((), (np.full(6, 50.0),), ({1: (50.0,)},)):
            try:
                got = getattr(bench.robot, name)(*given)
            except ClaimedError:
                shut += 1
            except (TypeError, KeyError, ValueError, AttributeError, IndexError):
                continue
            else:
                assert not callable(got), f"{name} gives a way to the drives"
        assert np.array_equal(bench.world._data.ctrl, before), f"{name} commands past the gate"
    assert shut >= 2  # command and claim


def test_the_station_reaches_drives_in_its_gate_only():
    """No module of the station claims, commands or writes controls but `gated_robot`."""
    ways = {"claim", "command", "ctrl", "_command", "_write", "qfrc_applied", "xfrc_applied"}
    found = {
        (path.name, node.attr)
        for path in sorted((ROOT / "hil" / "stations" / "world").rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text()))
        if path.parent.name != "commands"  # verbs are commands, too
        and isinstance(node, ast.Attribute)
        and node.attr in ways
    }
    law = ("diagram_law.py", "command")  # of the built-in law that goes on for it: it makes numbers
    assert found == {
        ("gated_robot.py", "claim"), ("gated_robot.py", "_command"), ("gated_robot.py", "command"),
        law,
    }  # fmt: skip
