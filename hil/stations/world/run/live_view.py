"""Worlds in a live window: a scenario's run, a robot that is held, a scene."""

from __future__ import annotations

import math
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from hil.config.errors import RefusedError
from hil.machines.world.robot_documents import robot_of
from hil.machines.world.scene_documents import is_scene, scene_of
from hil.stations.world.cycle.gated_robot import GatedRobot, robot_limits
from hil.stations.world.run.session import run_world
from hil.stations.world.view.live_clock import LiveClock, WorldWindow, viewed
from hil.stations.world.view.viewer import ViewerProcess
from hil.timing.realtime import RealClock
from safety.robot_limits import RobotSetpoint
from sim.world.control.laws import Gains, JointLaw
from sim.world.engine.dynamics import RobotDynamics
from sim.world.engine.library import EngineMissingError
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.mjcf_scene import scene_text
from sim.world.engine.model_compiler import ModelRefusedError, ModelText
from sim.world.engine.world import DivergedError, World, WorldRobot
from sim.world.robots.model import NOWHERE, JointType
from sim.world.scenes.fields import FieldFullError
from sim.world.scenes.model import Floor, Scene, SceneRobot

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hil.run.journal import Journal
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.plan.scenario import WorldPlan
    from hil.stations.world.run.session import WorldResult
    from sim.world.robots.model import Robot
    from sim.world.viewer.wire import MousePush, ViewedModel

BANDWIDTH_RAD_S: Final = 15.0
"""Bandwidth of the law that holds a robot [rad/s]: it returns after a person's pull."""
FOLLOWING_RAD: Final = math.pi
"""Distance a held hinge may be pulled away before the gate stops [rad]."""
FOLLOWING_M: Final = 1.0
"""Distance a held slide may be pulled away before the gate stops [m]."""


def watch_run(
    plan: WorldPlan,
    folder: Path,
    report: Callable[[WorldResult], object],
    opened: Callable[[ViewedModel], WorldWindow] = ViewerProcess,
    now_s: Callable[[], float] | None = None,
    *,
    edit: bool = False,
) -> WorldResult:
    """Run a scenario in a window, recorded; its pulls are events of the recording.

    The window shows the end until it is closed.

    Args:
        folder: parent folder of the recording.
        report: takes the result as soon as it is known.
        opened: opens the window.
        now_s: time on the wall's clock [s].
        edit: whether the robot's document is taken anew each time that it is saved.

    Raises:
        RefusedError: if there is no window, or the motion cannot be made; nothing has moved.
    """
    plan = replace(plan, scenario=plan.scenario.model_copy(update={"clock": "real"}))
    title, watched = plan.scenario.name, list[tuple[WorldWindow, LiveClock]]()

    def watch(bench: WorldBench, journal: Journal) -> LiveClock:
        window = opened(viewed(bench.world, title))
        pushed = partial(note_push, journal)
        live = LiveClock(window, lambda: bench.world, now_s or RealClock().now_s, pushed, title)
        watched.append((window, live))
        return live

    try:
        with ExitStack() as stack:
            edits = None
            if edit:
                from hil.stations.world.editing.builder import BuilderProcess  # Linux only

                edits = stack.enter_context(BuilderProcess(plan, plan.scenario.robot))
            result = run_world(plan, folder, watch=watch, edits=edits)
        report(result)
        for _, live in watched:
            live.words = f"{result.figures.ended} {result.figures.reason}".strip()
            with suppress(KeyboardInterrupt):  # the run is over
                live.hold()
    finally:
        for window, _ in watched:
            window.close()
    return result


def note_push(journal: Journal, t_s: float, index: int, body: str, push: MousePush) -> None:
    """Record from when on a person pulls at a body, and how; zeros when it is released."""
    names = ("force_x_n", "force_y_n", "force_z_n", "moment_x_nm", "moment_y_nm", "moment_z_nm")
    force_n = math.hypot(*push.wrench[:3])
    words = f"{body}: pulled by {force_n:.4g} N" if push.body else f"{body}: let go"
    data = {"push": body, **dict(zip(names, push.wrench, strict=True))}
    journal.put(t_s, index, words, data, who="operator")


def watch_document(name: str) -> None:
    """Show a scene, or a robot held where it starts, until the window is closed.

    A robot that nothing bears stands on a floor.

    Args:
        name: name of a robot or a scene, or its file.

    Raises:
        ConfigError: if there is no such document, or with its faults.
        RefusedError: if there is no window or no engine, or the world diverges.
    """
    try:
        world = World(_text_of(name))
        held = [_Held(world, robot) for robot in world.robots if robot.drives]
    except (EngineMissingError, ModelRefusedError, FieldFullError) as error:
        raise RefusedError(f"{name}: {error}") from None
    with ViewerProcess(viewed(world, name)) as window:
        live = LiveClock(window, lambda: world, RealClock().now_s, lambda *_: None, name)
        try:
            with suppress(KeyboardInterrupt):
                for _ in live.ticks(world.step_s):
                    if live.closed:
                        return
                    for robot in held:
                        robot.turn()
                    world.step()
        except DivergedError as error:
            raise RefusedError(f"{name}: {error}") from None


class _Held:
    """Robot whose drives hold it where it starts, behind its gate."""

    def __init__(self, world: World, robot: WorldRobot) -> None:
        dynamics, document = RobotDynamics(world, robot), robot.placed.robot
        gains = Gains.placed(dynamics.inertias(), BANDWIDTH_RAD_S)
        law = JointLaw(robot.drives, "torque", "gravity", gains, world.step_s)
        limits = robot_limits(document, world.step_s, FOLLOWING_RAD, FOLLOWING_M)
        start, zeros = tuple(robot.positions().tolist()), (0.0,) * len(robot.drives)
        self._asked = RobotSetpoint(start, zeros, zeros)
        self._gated = GatedRobot(robot, dynamics, law, limits)
        self._gated.reset()

    def turn(self) -> None:
        """Make one step of its gate and its law."""
        self._gated.step(self._asked, self._gated.found())


def _text_of(name: str) -> ModelText:
    if is_scene(name):
        found = scene_of(name)
        robots = {one: _by_torque(robot) for one, robot in found.robots.items()}
        return scene_text(found.scene, robots)
    robot = _by_torque(robot_of(name)[0])
    if any(one.parent == NOWHERE and one.type is JointType.FREE for one in robot.joints):
        scene = Scene(name, floor=Floor(), robots=(SceneRobot("robot", name),))
        return scene_text(scene, {"robot": robot})
    return model_text([PlacedRobot(robot)])


def _by_torque(robot: Robot) -> Robot:
    return replace(robot, drives=tuple(replace(one, control="torque") for one in robot.drives))
