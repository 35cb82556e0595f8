"""Bench of a scenario's robot in its world: engine, gate, law, and the source of its motion."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.stations.world.cycle.contact_watch import ContactWatch
from hil.stations.world.cycle.control_laws import diagram_law, joint_law
from hil.stations.world.cycle.gated_robot import GatedRobot, robot_limits
from hil.stations.world.cycle.held_robot import HeldRobot
from hil.stations.world.cycle.received_sensors import ReceivedSensors
from hil.stations.world.plan.scenario import WorldLaw, WorldPlan
from hil.stations.world.sources.planned_motion import chain_of, slides_of
from hil.stations.world.sources.source import SetpointSource
from hil.stations.world.sources.source_setup import LiveInputs, open_source
from safety.robot_limits import RobotLimits
from sim.world.control.laws import Gains
from sim.world.engine.contact_pairs import ContactPairs
from sim.world.engine.dynamics import RobotDynamics
from sim.world.engine.library import EngineMissingError
from sim.world.engine.mjcf import model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.mjcf_sensors import SensorTargetError
from sim.world.engine.model_compiler import ModelText
from sim.world.engine.stability import unstable_drives
from sim.world.engine.world import ModelRefusedError, World, WorldRobot
from sim.world.motion.chain import Chain
from sim.world.motion.lines import StraightLine
from sim.world.robots.model import BASE, JointType
from sim.world.scenes.fields import FieldFullError

Array = NDArray[np.float64]

DEEP_M: Final = 1e-3
"""Deepest overlap of two bodies where a run begins [m]; more is refused."""

NOTHING: Final = np.empty(0)


@dataclass(frozen=True, slots=True, eq=False)
class WorldBench:
    """Parts that a run steps; made anew for each run, as the engine has a state."""

    plan: WorldPlan
    """Plan of the run."""
    world: World
    """Physics engine with its state."""
    robot: WorldRobot
    """Robot of the scenario, for measuring."""
    gated: GatedRobot
    """Robot of the scenario behind its gate, for moving."""
    source: SetpointSource
    """Source of the setpoint of every step."""
    line: StraightLine | None
    """Line that the tool follows; None if it follows none."""
    chain: Chain | None
    """Chain of joints to the tool; None if no driven joint leads to a place."""
    slides: NDArray[np.bool_]
    """Whether each driven joint slides, shape (drives,)."""
    sensors: ReceivedSensors
    """Sensors of the robot's document."""
    contacts: ContactWatch
    """Watch of the contacts of all robots."""
    law: WorldLaw
    """Law that moves the robot."""
    held_robots: tuple[HeldRobot, ...] = ()
    """Other robots of the scene, each held where it starts."""
    inverse_base_pose: Array | None = None
    """Inverse of the base's pose at the start, shape (4, 4), if what bears the robot may move."""

    def tool_pose(self) -> Array | None:
        """Pose of the tool in the world by the measured joints, shape (4, 4).

        Where its base moves, that is taken from a step before.
        """
        if self.chain is None:
            return None
        return _measured_end(self.robot, self.chain, self.inverse_base_pose)

    def shown(self) -> NDArray[np.float64]:
        """Values of the diagram's panel blocks, shape (blocks,); empty under another law."""
        shown_now = getattr(self.gated.law, "shown_now", None)
        return NOTHING if shown_now is None else shown_now()

    def close(self) -> None:
        """End the processes that its law has begun."""
        if (close := getattr(self.gated.law, "close", None)) is not None:
            close()


def open_bench(
    plan: WorldPlan, law: WorldLaw | None = None, live: LiveInputs | None = None, *,
    paced: bool = False,
) -> WorldBench:  # fmt: skip
    """Put a plan's robot into its world, where its document starts.

    Args:
        law: law in place of the scenario's.
        live: operator's inputs; None where nobody leads the run.
        paced: whether it is turned in real time.

    Raises:
        RefusedError: if there is no engine, or the robot, its drives or its motion cannot be used.
    """
    world = _world(plan)
    pairs = ContactPairs(world)
    if deep := pairs.deep(DEEP_M):
        overlaps = [f"{one} and {other}: {1e3 * depth_m:.1f} mm in each other where the run begins"
                for (one, other), depth_m in deep.items()]  # fmt: skip
        right = "another start, mount or place is needed"
        raise RefusedError("\n".join([f"robot {plan.scenario.robot}: {right}", *overlaps]))
    place, law, sensors = _chain(plan, world), law or plan.scenario.law, _sensors(plan, world)
    gains = gains_of(plan, world)
    gated, limits = _gated(plan, world, pairs, law, gains, place, sensors, paced=paced)
    start = world.robots[0].positions().copy()
    robot = world.robots[0]
    end = (
        None
        if place.chain is None
        else partial(_measured_end, robot, place.chain, place.inverse_base_pose)
    )
    source, line = open_source(plan, place.chain, start, limits, live, robot.measured, end)
    return _assemble_bench(plan, world, pairs, law, gated, source, line, place, sensors)


def model_of_plan(plan: WorldPlan) -> ModelText:
    """Text of the engine's model; the robot that moves is its first.

    Raises:
        FieldFullError: if a field's bodies find no places.
        SensorTargetError: if a sensor is for contact with nothing.
    """
    if plan.scene is None:
        return model_text([PlacedRobot(plan.robot)], plan.stepping)
    return plan.scene.text(plan.stepping, plan.scenario.seed)


def gains_of(plan: WorldPlan, world: World) -> Gains:
    """Gains of a plan's law, in a world that is where its document starts."""
    given = plan.scenario.gains
    if given is None:
        inertias = RobotDynamics(world, world.robots[0]).inertias()
        return Gains.placed(inertias, plan.scenario.bandwidth_rad_s)
    return Gains(np.array(given.kp), np.array(given.ki), np.array(given.kd))


def bench_again(
    plan: WorldPlan,
    world: World,
    law: WorldLaw,
    gains: Gains,
    source: SetpointSource,
    line: StraightLine | None,
) -> WorldBench:
    """Bench in a world that is where its document starts; nothing is planned.

    Args:
        gains: as `gains_of` has them.
        source: source of setpoints, in the order of the robot's drives.

    Raises:
        RefusedError: if the robot or its drives cannot be used.
    """
    chain, pairs, sensors = _chain(plan, world), ContactPairs(world), _sensors(plan, world)
    gated, _ = _gated(plan, world, pairs, law, gains, chain, sensors)
    return _assemble_bench(plan, world, pairs, law, gated, source, line, chain, sensors)


@dataclass(frozen=True, slots=True, eq=False)
class _ToolChain:
    """Chain to a robot's tool, and pose of its base."""

    chain: Chain | None
    """Chain of joints to the tool; None if no driven joint leads to a place."""
    base: Array | None
    """Pose of the base before its own D-H frame; None for the origin."""
    inverse_base_pose: Array | None
    """Inverse of the base's pose; None if that cannot move."""


def _measured_end(robot: WorldRobot, chain: Chain, inverse_base_pose: Array | None) -> Array:
    """Pose of a chain's place in the world by the measured joints, shape (4, 4)."""
    pose = chain.pose_by_drives(robot.positions())
    return pose if inverse_base_pose is None else robot.pose(BASE) @ inverse_base_pose @ pose


def _gated(
    plan: WorldPlan, world: World, pairs: ContactPairs, law: WorldLaw, gains: Gains,
    place: _ToolChain, sensors: ReceivedSensors, *, paced: bool = False,
) -> tuple[GatedRobot, RobotLimits]:  # fmt: skip
    """Robot behind its gate, and the limits that the gate holds."""
    scenario, robot = plan.scenario, world.robots[0]
    made = (
        diagram_law(plan, robot, gains, place.chain, sensors, paced=paced)
        if law == "diagram"
        else joint_law(plan.robot, scenario.control, law, gains, scenario.step_s)
    )
    following_rad = math.radians(scenario.following_deg)
    limits = robot_limits(
        plan.robot, scenario.step_s, following_rad, scenario.following_m, plan.free_joints
    )
    watched = _watched(plan, robot, place.chain, place.base, pairs)
    return GatedRobot(robot, RobotDynamics(world, robot), made, limits, *watched), limits


def _assemble_bench(
    plan: WorldPlan,
    world: World,
    pairs: ContactPairs,
    law: WorldLaw,
    gated: GatedRobot,
    source: SetpointSource,
    line: StraightLine | None,
    place: _ToolChain,
    sensors: ReceivedSensors,
) -> WorldBench:
    """Bench out of its parts."""
    scenario, robot = plan.scenario, world.robots[0]
    return WorldBench(
        plan, world, robot, gated, source, line, place.chain, np.array(slides_of(plan.robot)),
        sensors, ContactWatch(pairs, scenario.may_touch), law, _held_robots(plan, world),
        place.inverse_base_pose,
    )  # fmt: skip


def _chain(plan: WorldPlan, world: World) -> _ToolChain:
    robot = world.robots[0]
    base, inverse_base_pose = _base(plan, robot)
    chain = chain_of(plan, robot.coordinates(), base)
    if chain is not None:
        chain.pose(
            robot.positions()[list(chain.places)]
        )  # compiles its kernel before the first turn
    return _ToolChain(chain, base, inverse_base_pose)


def _world(plan: WorldPlan) -> World:
    """Physics engine with everything of the scenario in it."""
    scenario = plan.scenario
    try:
        world = World(model_of_plan(plan))
    except (EngineMissingError, ModelRefusedError, FieldFullError, SensorTargetError) as error:
        raise RefusedError(f"robot {scenario.robot}: {error}") from None
    if found := unstable_drives(world, world.robots[0], scenario.integrator):
        raise RefusedError("\n".join(map(str, found)))
    return world


def _base(plan: WorldPlan, robot: WorldRobot) -> tuple[Array | None, Array | None]:
    """Pose of the base before its own D-H frame, and the inverse of the base's pose if it may move.

    None for a base in the origin, and for one that cannot move.
    """
    base = next(one for one in plan.robot.joints if one.child == BASE)
    name = "" if plan.scene is None else plan.scene.moved
    rows = () if plan.scene is None else plan.scene.scene.robots
    borne = any(one.on for one in rows if one.name == name)
    if not borne:
        free = base.type is not JointType.FIXED
        inverse_base_pose = _inverse(robot.pose(BASE)) if free else None
        return (None if plan.scene is None else robot.placed.pose), inverse_base_pose
    own = plan.tree.poses(robot.coordinates())[BASE]
    return robot.pose(BASE) @ _inverse(own), _inverse(robot.pose(BASE))


def _inverse(pose: Array) -> Array:
    return np.asarray(np.linalg.inv(pose), np.float64)


def _watched(
    plan: WorldPlan, robot: WorldRobot, chain: Chain | None, base: Array | None,
    pairs: ContactPairs,
) -> tuple[Callable[[], tuple[float, ...]], Callable[[], tuple[str, ...]]]:  # fmt: skip
    """Measurements for the gate of a robot in metal: its tool's place, its touching bodies."""
    machine = plan.robot.machine
    tool: Callable[[], tuple[float, ...]] = tuple
    touching: Callable[[], tuple[str, ...]] = tuple
    if machine is not None and machine.box_m is not None:
        if chain is None:
            problem = "machine.box_m needs a tool, and no driven joint moves a place"
            raise RefusedError(f"robot {plan.scenario.robot}: {problem}")
        tool = _tool_in_base(robot, chain, base)
    if machine is not None and machine.own_bodies:
        touching = pairs.own
    return tool, touching


def _tool_in_base(
    robot: WorldRobot, chain: Chain, base: Array | None
) -> Callable[[], tuple[float, ...]]:
    places, inverse = list(chain.places), np.eye(4) if base is None else np.linalg.inv(base)

    def found() -> tuple[float, ...]:
        return tuple((inverse @ chain.pose(robot.positions()[places]))[:3, 3].tolist())

    return found


def _held_robots(plan: WorldPlan, world: World) -> tuple[HeldRobot, ...]:
    """Other robots that have drives, each behind a gate of its own."""
    found: list[HeldRobot] = []
    for robot in world.robots[1:]:
        if not robot.drives:
            continue
        document, dynamics, one = robot.placed.robot, RobotDynamics(world, robot), plan.scenario
        gains = Gains.placed(dynamics.inertias(), one.bandwidth_rad_s)
        limits = robot_limits(
            document, one.step_s, math.radians(one.following_deg), one.following_m
        )
        law = joint_law(document, "torque", "computed", gains, one.step_s)
        name = robot.placed.prefix.removesuffix("/")
        found.append(HeldRobot(name, GatedRobot(robot, dynamics, law, limits)))
    return tuple(found)


def _sensors(plan: WorldPlan, world: World) -> ReceivedSensors:
    return ReceivedSensors(world.robots[0], plan)
