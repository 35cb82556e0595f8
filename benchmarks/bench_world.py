"""The virtual environment beside its peers: python -m benchmarks world.

Rounds of all that is compared are interleaved, so that they meet the same machine; processor time
is counted, and medians of the rounds, and of the ratio of each pair, are told. PyBullet is no
dependency: `world_peers` says how it is had; without it its row says so.

    python -m benchmarks.bench_world [--rounds 9]
"""

from __future__ import annotations

import gc
import tempfile
import time
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks.frame import main
from benchmarks.world_peers import HOW, Bullet, plain_mjcf
from hil.machines.world.robot_documents import robot_of
from hil.recording.signals import Signal, Signals
from hil.run.edit_texts import EditText
from hil.stations.world.cycle.bench import open_bench
from hil.stations.world.editing.bench_swap import swapped
from hil.stations.world.editing.edit_build import build
from hil.stations.world.plan.scenario_reader import load_world_plan
from hil.stations.world.signals import HEAD
from sim.world.control.laws import Gains, JointLaw, JointMotion
from sim.world.engine.dynamics import RobotDynamics
from sim.world.engine.library import engine
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.world import World
from sim.world.robots.body import BodyShape
from sim.world.robots.model import JointType, Robot
from sim.world.robots.robot_checks import checked
from sim.world.robots.robot_toml_reader import read_toml
from sim.world.robots.robot_toml_writer import write_toml
from sim.world.robots.sensors import RobotSensor, SensorKind, ValueDefects
from sim.world.robots.urdf_writer import write_urdf
from sim.world.sensors.readings import RobotSensors

mujoco: Any = engine()

STEP_S = 0.002
STEPS = 500
"""Of a round."""
ROUNDS = 9
WEIGHTLESS = (
    '<link name="tool_end"><inertial><mass value="1e-6" /><inertia ixx="1e-9" iyy="1e-9"'
    ' izz="1e-9" ixy="0" ixz="0" iyz="0" /></inertial></link>'
)
"""A place without a body, which PyBullet takes for one of 1 kg."""
PYBULLET = "6R torque write, step, state: PyBullet / ours"


@dataclass(frozen=True, slots=True)
class Row:
    """One comparison."""

    work: str
    """What is done."""
    ours_us: float
    """Median of a step, or of a document."""
    peer_us: float
    """Likewise of the peer."""
    ratio: float
    """Median of the rounds' ratios."""
    bound: float
    """What is asked."""
    faster: bool = False
    """Whether the ratio is the peer's time by ours, to be at least the bound."""
    note: str = ""
    """What else was seen."""


def compared(
    work: str, ours: Callable[[], float], peer: Callable[[], float], bound: float, rounds: int,
    *, faster: bool = False,
) -> Row:  # fmt: skip
    """Rounds in turns; each function tells its own time [us]."""
    for each in (ours, peer):
        each()
    gc.collect()
    pairs = np.array([(ours(), peer()) for _ in range(rounds)])
    ratios = pairs[:, 1] / pairs[:, 0] if faster else pairs[:, 0] / pairs[:, 1]
    mine, other = np.median(pairs, axis=0).tolist()
    p99 = float(np.percentile(pairs[:, 0], 99))
    return Row(work, mine, other, float(np.median(ratios)), bound, faster, f"p99 {p99:.1f} us")


def passed_us(work: Callable[[], object], count: int = 1) -> float:
    """Time of some work, by how much of it there is."""
    began_s = time.process_time()
    work()
    return (time.process_time() - began_s) * 1e6 / count


# -- a step in a C loop --------------------


def c_loop(name: str, rounds: int) -> Row:
    """`mj_step(nstep)` of a document's model, and of one written by hand."""
    robot = robot_of(name)[0]
    world = World(model_text([PlacedRobot(robot)]))
    table = tomllib.loads(write_toml(robot))
    plain = mujoco.MjModel.from_xml_string(plain_mjcf(table, STEP_S))
    ours, data = (world._model, world._data), mujoco.MjData(plain)  # noqa: SLF001
    start = plain_start(plain, world)
    data.qpos[:] = start
    mujoco.mj_forward(plain, data)
    same(world, plain, data)
    hold = RobotDynamics(world, world.robots[0]).holding()
    if any(drive.control == "voltage" for drive in robot.drives):
        hold = hold / [drive.effort_max for drive in robot.drives]

    def of_ours() -> float:
        world.restart()
        world.robots[0].command(hold)
        return passed_us(lambda: mujoco.mj_step(*ours, nstep=STEPS), STEPS)

    def of_plain() -> float:
        mujoco.mj_resetData(plain, data)
        data.qpos[:], data.ctrl[:] = start, hold
        mujoco.mj_forward(plain, data)
        return passed_us(lambda: mujoco.mj_step(plain, data, nstep=STEPS), STEPS)

    return compared(f"step, C loop, {name}: document / by hand", of_ours, of_plain, 1.05, rounds)


def plain_start(plain: Any, world: World) -> np.ndarray:
    """Positions of the model by hand where the document starts."""
    start = np.array(plain.qpos0)
    (robot,) = world.robots
    for number, values in robot.start.items():
        places = [
            int(plain.joint(name).qposadr[0])
            for name in (f"j{number}", f"j{number}a", f"j{number}b")
            if mujoco.mj_name2id(plain, mujoco.mjtObj.mjOBJ_JOINT, name) >= 0
        ]
        if len(values) == 7:
            start[places[0] : places[0] + 7] = values
        else:
            start[places] = values[: len(places)]
    return start


def same(world: World, plain: Any, data: Any) -> None:
    """Both are one robot: the links' places, and the kinetic energy of the same motion.

    Raises:
        RuntimeError: if they are not.
    """
    for link in world.robots[0].placed.robot.links:
        gap = np.abs(world.robots[0].pose(link.number)[:3, 3] - data.body(f"l{link.number}").xpos)
        if gap.max() > 1e-9:
            raise RuntimeError(f"link {link.number} is elsewhere in the model by hand: {gap} m")
    full = np.zeros((plain.nv, plain.nv))
    mujoco.mj_fullM(plain, data, full)
    ours = np.sort(np.linalg.eigvalsh(world.mass_matrix()))
    if not np.allclose(ours, np.sort(np.linalg.eigvalsh(full)), rtol=1e-9):
        raise RuntimeError("the model by hand has another mass matrix")


# -- a step with all that belongs to it --------------------


def all_kinds(link: int) -> tuple[RobotSensor, ...]:
    """One sensor of each kind that has values, with their defects."""
    kind = SensorKind
    return (
        RobotSensor(kind.JOINT_PLACE, defects=(ValueDefects("m", 1e-5),)),
        RobotSensor(kind.JOINT_SPEED, cutoff_hz=100.0, defects=(ValueDefects("rad_s", 1e-3),)),
        RobotSensor(kind.JOINT_TORQUE, defects=(ValueDefects("nm", 0.01),)),
        RobotSensor(kind.JOINT_ANGLE, delay_s=0.004, defects=(ValueDefects("rad", 0, (), 1e-5),)),
        RobotSensor(kind.WRENCH, link=link, tool_mass_kg=2.0, tool_centre_m=(0.0, 0.0, 0.1),
                    defects=(ValueDefects("n", 0.1), ValueDefects("nm", 0.01))),
        RobotSensor(kind.TOUCH, link=link, shape=BodyShape.SPHERE, size_m=(0.2,)),
        RobotSensor(kind.RANGEFINDER, link=link, range_m=4.0, defects=(ValueDefects("m", 1e-3),),
                    directions=((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))),
        RobotSensor(kind.LINK_POSE, link=link,
                    defects=(ValueDefects("m", 1e-4), ValueDefects("rad", 1e-4))),
        RobotSensor(kind.LINK_SPEED, link=link, rate_hz=100.0),
        RobotSensor(kind.LINK_CENTRE, link=link),
        RobotSensor(kind.IMU, link=link,
                    defects=(ValueDefects("rad_s", 1e-3), ValueDefects("m_s2", 1e-2))),
        RobotSensor(kind.CONTACT, link=link, dropout=0.01),
    )  # fmt: skip


def whole_step(name: str, link: int, bound: float, rounds: int) -> Row:
    """Step, sensors, computed-torque law and row, by a bare step under the same commands."""
    robot = checked(replace(robot_of(name)[0], sensors=all_kinds(link)))
    text = model_text([PlacedRobot(robot)])
    world = World(text)
    (one,) = world.robots
    sensors, dynamics = RobotSensors(one, STEP_S, 1), RobotDynamics(world, one)
    gains, count = Gains.placed(dynamics.inertias(), 30.0), len(robot.drives)
    law = JointLaw(robot.drives, "torque", "computed", gains, STEP_S)
    values = sum(signal.count for signal in sensors.signals)
    rows = row_of(count, values)
    start, still = one.positions().copy(), np.zeros(count)
    commands: list[np.ndarray] = []

    def turn(index: int) -> np.ndarray:
        world.step()
        reading = sensors.read()
        found = JointMotion(one.positions(), one.speeds(), still)
        needed = dynamics.moving(still)
        command = law.command(JointMotion(start, still, still), found, needed)
        one.command(command)
        efforts = (start, found.positions, found.speeds, one.efforts(), command, reading)
        rows.pack((index, world.time_s, 0, 0, 0), *efforts)
        return command

    def of_ours() -> float:
        world.restart()
        law.restart()
        return passed_us(lambda: commands.extend(map(turn, range(STEPS))), STEPS)

    model = mujoco.MjModel.from_xml_string(text.text)
    data = mujoco.MjData(model)
    begin = world.positions

    def bare() -> None:
        step, told = mujoco.mj_step, data.ctrl
        for command in commands[:STEPS]:
            step(model, data)
            told[:] = command

    def of_bare() -> float:
        mujoco.mj_resetData(model, data)
        data.qpos[:] = begin
        return passed_us(bare, STEPS)

    found = compared(
        f"step, {values} sensor values, law, row / bare step, {name}", of_ours, of_bare, bound,
        rounds,
    )  # fmt: skip
    if np.abs(data.qpos - world.positions).max() > 1e-9:
        raise RuntimeError(f"{name}: the bare steps went elsewhere")
    return found


def row_of(count: int, values: int) -> Signals:
    """A row like that of the station."""
    names = ("wanted", "position", "speed", "effort", "command")
    parts = tuple(f"part{index}" for index in range(count))
    several = [Signal(name, "f8", count, parts=parts) for name in names]
    sensed = []
    for first in range(0, values, 100):  # a row's fields are of any size
        size = min(100, values - first)
        named = tuple(f"value{first + index}" for index in range(size))
        sensed.append(Signal(f"sensed{first}", "f8", size, parts=named if size > 1 else ()))
    return Signals("world", (*HEAD, *several, *sensed))


# -- another engine, documents --------------------


def against_pybullet(rounds: int) -> Row | str:
    """Torque write, step and state of a 6R arm; without rotors, which PyBullet lacks."""
    full = robot_of("robot_a")[0]
    joints = tuple(
        replace(one, damping=0.0, armature=0.0) if one.type is JointType.HINGE else one
        for one in full.joints
    )
    robot = replace(full, joints=joints)
    world = World(model_text([PlacedRobot(robot)]))
    (one,) = world.robots
    torques = [0.5 * value for value in RobotDynamics(world, one).holding().tolist()]
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "robot_a.urdf"
        text = write_urdf(robot).replace('<link name="tool_end" />', WEIGHTLESS)
        file.write_text(text, encoding="utf-8")
        try:
            bullet = Bullet(str(file), STEP_S, one.positions().tolist())
        except ImportError as error:
            return f"PyBullet: not measured ({error}): {HOW}"

    def turn(count: int) -> Sequence[float]:
        angles = one.positions()
        for _ in range(count):
            one.command(torques)
            world.step()
            angles = one.positions()
            one.speeds()
        return angles.tolist()

    world.restart()
    apart = np.abs(np.subtract(turn(50), bullet.steps(50, torques))).max()  # 0.1 s of a fall
    if apart > 0.02:
        raise RuntimeError(f"the two engines move apart by {apart:.3f} rad in 0.1 s")

    def of_ours() -> float:
        world.restart()
        return passed_us(lambda: turn(STEPS), STEPS)

    def of_bullet() -> float:
        bullet.restart()
        return passed_us(lambda: bullet.steps(STEPS, torques), STEPS)

    found = compared(PYBULLET, of_ours, of_bullet, 1.5, rounds, faster=True)
    bullet.close()
    return found


def documents(rounds: int) -> list[Row]:
    """From a hexapod's graph, and from its TOML, to a running model; another mass each time."""
    full = robot_of("rig:paper")[0]
    text = write_toml(full)
    plain = model_text([PlacedRobot(full)]).text
    masses = iter(range(10_000))

    def other() -> Robot:
        mass_kg = 300.0 + next(masses)
        links = (replace(one, mass_kg=mass_kg) if one.number == 1 else one for one in full.links)
        return replace(full, links=tuple(links))

    def of_graph() -> float:
        robot = other()
        return passed_us(lambda: World(model_text([PlacedRobot(robot)])).step())

    def of_text() -> float:
        changed = text.replace("mass_kg = 360", f"mass_kg = {300 + next(masses)}")
        return passed_us(lambda: World(model_text([PlacedRobot(read_toml(changed, "x"))])).step())

    def of_engine() -> float:
        return passed_us(lambda: mujoco.MjModel.from_xml_string(plain))

    graph = "hexapod: graph to running model / from_xml_string"
    toml = "hexapod: TOML, checked, to running model / from_xml_string"
    return [
        compared(graph, of_graph, of_engine, 4.0, 5 * rounds),
        compared(toml, of_text, of_engine, 4.0, 5 * rounds),
    ]


HEXAPOD = """station = "world"
name = "hexapod"
robot = "rig:paper"
bandwidth_rad_s = 10.0
[motion]
kind = "joints"
goal = [{ joint = 3, by_m = 0.01 }, { joint = 9, by_m = 0.02 }]
duration_s = 1.2
"""
PAUSE_MAX_US = 10_000.0
"""That an edit may hold up the loop."""


def edit_pause(rounds: int) -> Row:
    """A hexapod's joint moved by 10 mm and back, put in place between two steps, loops closed.

    Reading, checking and compiling are done beside the run; this is what the loop waits for.
    """
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "hexapod.toml"
        file.write_text(HEXAPOD, encoding="utf-8")
        plan = load_world_plan(file)
        bench = open_bench(plan)
        closing = next(index for index, one in enumerate(plan.robot.joints) if one.closes)
        x, y, z = plan.robot.joints[closing].at_child_m or (0.0, 0.0, 0.0)
        joints = list(plan.robot.joints)
        joints[closing] = replace(joints[closing], at_child_m=(x + 0.006, y + 0.008, z))
        moved = replace(plan.robot, joints=tuple(joints))
        built = [
            build(plan, EditText(write_toml(one, whole=True), str(file.with_name("own.toml"))))
            for one in (moved, plan.robot)
        ]
    swapped(bench, built[0])  # as a run rehearses it
    gc.collect()
    if refused := bench.gated.reset():
        raise RuntimeError(f"the gate stays shut: {refused[0].message}")
    pauses = list[float]()
    for index in range(4 * rounds):
        began_s = time.process_time()
        bench = swapped(bench, built[index % 2]).bench
        pauses.append((time.process_time() - began_s) * 1e6)
        for row in range(5 * index, 5 * index + 5):
            bench.gated.step(bench.source.setpoint(row), bench.gated.found())
            bench.world.step()
    median, p99 = float(np.median(pauses)), float(np.percentile(pauses, 99))
    work = "hexapod: pause by an edit of 10 mm / 10 ms"
    return Row(work, median, PAUSE_MAX_US, median / PAUSE_MAX_US, 1.0, note=f"p99 {p99:.1f} us")


def run(rounds: int = ROUNDS, console: Console | None = None) -> dict[str, Any]:
    """Measure all, print the table, return the figures."""
    console = console or Console(width=140)
    rows: list[Row] = [c_loop(name, rounds) for name in ("robot_a", "torso", "rig:paper")]
    rows += [whole_step("robot_a", 6, 5.0, rounds), whole_step("rig:paper", 1, 2.5, rounds)]
    bullet = against_pybullet(rounds)
    rows += [bullet] if isinstance(bullet, Row) else []
    rows += [*documents(rounds), edit_pause(rounds)]
    table = Table("work", "ours us", "peer us", "ratio", "asked", "", title="world", box=None)
    for row in rows:
        asked = f"{'>=' if row.faster else '<='} {row.bound:g}"
        figures = (f"{row.ours_us:.1f}", f"{row.peer_us:.1f}", f"{row.ratio:.2f}")
        table.add_row(row.work, *figures, asked, row.note)
    console.print(table)
    if isinstance(bullet, str):
        console.print(bullet)
    lacking = {PYBULLET: {"reason": "PyBullet is not installed"}} if isinstance(bullet, str) else {}
    return lacking | {
        row.work: {"ours_us": row.ours_us, "peer_us": row.peer_us, "ratio": row.ratio,
                   "bound": row.bound, "asked": f"{'≥' if row.faster else '≤'} {row.bound:g}"}
        for row in rows
    }  # fmt: skip


if __name__ == "__main__":
    main(run, __doc__)
