"""Motion of a scenario, planned ahead for every step of control."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import MotionError, RefusedError
from hil.run.rest_to_rest import unit_path
from hil.stations.world.plan.operator_motions import JogMotion
from hil.stations.world.plan.planned_motions import JointGoal, JointsMotion, LineMotion, Timing
from hil.stations.world.plan.target_motion import TargetMotion
from sim.world.motion.chain import Chain, ChainError
from sim.world.motion.lines import StraightLine
from sim.world.motion.planned_motion import (
    JointInterpolation,
    PlannedMotion,
    UnreachableError,
    line_motion,
)
from sim.world.motion.profiles import ShareProfile
from sim.world.robots.model import JointType
from sim.world.robots.tree import turn

if TYPE_CHECKING:
    from hil.stations.world.plan.scenario import WorldPlan
    from sim.world.robots.model import Robot

Array = NDArray[np.float64]

LINE_STEPS_MOST: Final = 1_000_000
"""Most steps of a line, whose joints are all found before it begins."""


def planned_motion(
    plan: WorldPlan, motion: JointsMotion | LineMotion, chain: Chain | None, start: Array
) -> tuple[PlannedMotion | JointInterpolation, StraightLine | None]:
    """Setpoints of all drives, and the line that a place follows; None if it follows none.

    Args:
        chain: chain to the place that moves; None if the robot has none.
        start: coordinates of the driven joints [rad] or [m], shape (drives,).

    Raises:
        RefusedError: if the motion cannot be made.
    """
    period_s = plan.scenario.step_s
    slides = np.array(slides_of(plan.robot))
    goal = _goal(plan.robot, start, motion.goal)
    try:
        if not isinstance(motion, LineMotion):
            turns = float(np.abs((goal - start)[~slides]).max(initial=0.0))
            travel_m = float(np.abs((goal - start)[slides]).max(initial=0.0))
            return JointInterpolation(start, goal, profile(motion, turns, travel_m), period_s), None
        if chain is None or plan.robot_has_loops:
            problem = (
                "a robot with loops" if plan.robot_has_loops else "a robot without a place to move"
            )
            raise RefusedError(f"motion.kind = 'line': {problem} has no inverse kinematics here")
        line = _line(motion, chain, start, goal)
        timing = profile(motion, line.turn_rad, line.length_m)
        _check_length(timing.duration_s, period_s)
        sweeps = motion.sweeps if motion.inverse == "ccd" else None
        return line_motion(chain, start, line, timing, period_s, sweeps), line
    except (UnreachableError, MotionError, ValueError) as error:
        raise RefusedError(f"motion: {error}") from None


def _check_length(duration_s: float, period_s: float) -> None:
    """Refuse a line whose joints would be more numbers than are stored ahead."""
    if duration_s > LINE_STEPS_MOST * period_s:
        raise RefusedError(
            f"motion.duration_s = {duration_s:g} s: a line is planned ahead, at most "
            f"{LINE_STEPS_MOST} steps of {period_s:g} s, {LINE_STEPS_MOST * period_s:g} s: make it "
            "several shorter ones, or lead joints (kind = 'joints'), which may take a day"
        )


def profile(timing: Timing, turn_rad: float, travel_m: float) -> ShareProfile:
    """Time course of a motion, by its largest turn and its largest travel.

    Raises:
        ValueError: if its time is shorter than the bounds allow.
    """
    one = math.radians(1.0)
    bounds = [
        min(turning * one / max(turn_rad, 1e-9), sliding / max(travel_m, 1e-9))
        for turning, sliding in (
            (timing.speed_deg_s, timing.speed_m_s),
            (timing.acceleration_deg_s2, timing.acceleration_m_s2),
            (timing.jerk_deg_s3, timing.jerk_m_s3),
        )
    ]
    if timing.profile == "jerk":
        rate, second, third = bounds
        return ShareProfile.of_phases(unit_path((rate, second, third)), timing.duration_s)
    # Greatest rate and second derivative of the fifth order over a second: 15/8 and 10/√3.
    quintic = max(1.875 / bounds[0], math.sqrt(10.0 / math.sqrt(3.0) / bounds[1]))
    least_s = quintic if timing.profile == "quintic" else 1.0 / bounds[0]
    wanted_s = least_s if timing.duration_s is None else timing.duration_s
    if wanted_s < least_s * (1.0 - 1e-9):
        raise ValueError(
            f"duration_s = {wanted_s:g} s is too short: the bounds ask for {least_s:.4f} s"
        )
    make = ShareProfile.quintic if timing.profile == "quintic" else ShareProfile.uniform
    return make(wanted_s)


def slides_of(robot: Robot) -> list[bool]:
    """Whether the joint of each drive slides."""
    kinds = {joint.number: joint.type for joint in robot.joints}
    return [kinds[drive.joint] is JointType.SLIDE for drive in robot.drives]


def chain_of(
    plan: WorldPlan, held: dict[int, tuple[float, ...]], base: Array | None = None
) -> Chain | None:
    """Chain to the place that is recorded and moved; None if no driven joint leads to it.

    Args:
        base: pose of the robot's base in the world, shape (4, 4); None for the origin.

    Raises:
        RefusedError: if the scenario names a place that does not exist.
    """
    motion = plan.scenario.motion
    end = motion.end if isinstance(motion, LineMotion | JogMotion | TargetMotion) else None
    try:
        return Chain(plan.tree, end, base, held)
    except ChainError as error:
        if end is not None:
            raise RefusedError(f"motion.end: {error}") from None
        return None


def _goal(robot: Robot, start: Array, goals: tuple[JointGoal, ...]) -> Array:
    places = {drive.joint: place for place, drive in enumerate(robot.drives)}
    found = start.copy()
    for goal in goals:
        place = places[goal.joint]
        if goal.by_deg is not None:
            found[place] = start[place] + math.radians(goal.by_deg)
        elif goal.to_deg is not None:
            found[place] = math.radians(goal.to_deg)
        elif goal.by_m is not None:
            found[place] = start[place] + goal.by_m
        elif goal.to_m is not None:
            found[place] = goal.to_m
    return found


def _line(motion: LineMotion, chain: Chain, start: Array, goal: Array) -> StraightLine:
    places = list(chain.places)
    begins = chain.pose(start[places])
    if motion.by_m is None:
        ends = chain.pose(goal[places])
    else:
        ends = begins.copy()
        ends[:3, 3] += motion.by_m
        x, y, z = (math.radians(angle) for angle in motion.turn_deg)
        about = turn((0, 0, 1), z) @ turn((0, 1, 0), y) @ turn((1, 0, 0), x)
        ends[:3, :3] = about @ begins[:3, :3]
    return StraightLine(begins, ends, motion.turning, motion.parts)
