"""A robot of a scenario put into its world: engine, gate, law, and the source of its motion."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.stations.world.gated import GatedRobot, robot_limits
from hil.stations.world.motions import chain_of, planned_motion, slides_of
from hil.stations.world.scenario import WorldPlan
from hil.stations.world.sources.source import LaidOutSource, SetpointSource
from sim.world.control.laws import Gains, JointLaw, Law, LawError
from sim.world.engine.dynamics import RobotDynamics
from sim.world.engine.library import EngineMissingError
from sim.world.engine.mjcf import Stepping, model_text
from sim.world.engine.mjcf_robot import PlacedRobot
from sim.world.engine.stability import unstable_drives
from sim.world.engine.world import ModelRefusedError, World, WorldRobot
from sim.world.motion.chain import Chain
from sim.world.motion.lines import StraightLine

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class WorldBench:
    """All that a run turns; made anew for each run, as the engine has a state."""

    plan: WorldPlan
    """What is run."""
    world: World
    """The engine with its state."""
    robot: WorldRobot
    """Its robot, for measuring."""
    gated: GatedRobot
    """The same behind its gate, for moving."""
    source: SetpointSource
    """Where to be at every step."""
    line: StraightLine | None
    """That the tool shall follow, if one shall."""
    chain: Chain | None
    """To the tool; None if no driven joint leads to a place."""
    slides: NDArray[np.bool_]
    """Whether each driven joint slides, shape (drives,)."""

    def tool_pose(self) -> Array | None:
        """Of the tool in the world by the measured joints, shape (4, 4)."""
        if self.chain is None:
            return None
        return self.chain.pose(self.robot.positions()[list(self.chain.places)])


def open_bench(plan: WorldPlan, law: Law | None = None) -> WorldBench:
    """Put a plan's robot into its world, where its document starts.

    Args:
        law: in place of the scenario's.

    Raises:
        RefusedError: if there is no engine, or the robot, its drives or its motion cannot be used.
    """
    scenario = plan.scenario
    stepping = Stepping(scenario.step_s, scenario.integrator, scenario.gravity_m_s2)
    try:
        world = World(model_text([PlacedRobot(plan.robot)], stepping))
    except (EngineMissingError, ModelRefusedError) as error:
        raise RefusedError(f"robot {scenario.robot}: {error}") from None
    robot = world.robots[0]
    if found := unstable_drives(world, robot, scenario.integrator):
        raise RefusedError("\n".join(map(str, found)))
    dynamics = RobotDynamics(world, robot)
    try:
        made = JointLaw(
            plan.robot.drives, scenario.control, law or scenario.law, _gains(plan, dynamics),
            scenario.step_s,
        )  # fmt: skip
    except LawError as error:
        raise RefusedError(f"control: {error}") from None
    limits = robot_limits(
        plan.robot, scenario.step_s, math.radians(scenario.following_deg), scenario.following_m
    )
    chain = chain_of(plan, robot.coordinates())
    if chain is not None:
        chain.pose(
            robot.positions()[list(chain.places)]
        )  # compiles its kernel before the first turn
    motion, line = planned_motion(plan, chain, robot.positions().copy())
    gated = GatedRobot(robot, dynamics, made, limits)
    slides = np.array(slides_of(plan.robot))
    return WorldBench(plan, world, robot, gated, LaidOutSource(motion), line, chain, slides)


def _gains(plan: WorldPlan, dynamics: RobotDynamics) -> Gains:
    given = plan.scenario.gains
    if given is None:
        return Gains.placed(dynamics.inertias(), plan.scenario.bandwidth_rad_s)
    return Gains(np.array(given.kp), np.array(given.ki), np.array(given.kd))
