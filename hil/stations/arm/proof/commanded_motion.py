"""The joint rates that a planned motion commands of its space arm, without a robot."""

import numpy as np

from hil.config.errors import RefusedError
from hil.desk.velocity.source import VelocitySource
from hil.stations.arm.cycle.control import ArmStation, play_out
from hil.stations.arm.cycle.step import MotionPhase
from hil.stations.arm.plan.scenario import ArmPlan
from hil.stations.arm.proof.prepare import rates_of, space_arm_of, steps_max
from sim.world.space_arm.motion_torques import CommandedMotion


def commanded_motion(plan: ArmPlan, source: VelocitySource) -> CommandedMotion:
    """Play a planned motion out by its space arm alone, and keep what was commanded.

    Raises:
        RefusedError: if the motion has no waypoint, no end, or no solution.
    """
    space = space_arm_of(plan)
    start = space.state[0]
    try:
        steps = play_out(ArmStation(space, rates_of(plan), source), steps_max(plan))
    except ValueError as error:
        raise RefusedError(f"the motion was refused: {error}") from None
    if not steps:
        raise RefusedError("the motion was refused: it has no waypoint")
    if steps[-1].course is MotionPhase.REFUSED:
        raise RefusedError("\n".join(("the motion was refused:", *steps[-1].refusals)))
    return CommandedMotion(start, np.array([step.command.rates_rad_s for step in steps]))
