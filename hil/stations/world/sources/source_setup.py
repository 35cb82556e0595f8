"""Construction of the source of a scenario's motion for a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.config.file_search import find_file
from hil.stations.world.plan.copy_map import copy_map, place_of
from hil.stations.world.plan.operator_motions import (
    CopyMotion,
    JogMotion,
    LedBounds,
    ScriptSettings,
)
from hil.stations.world.plan.planned_motions import FreeMotion, HoldMotion
from hil.stations.world.plan.target_motion import TargetMotion
from hil.stations.world.sources.copy_source import CopySource, HeldStream, ValueStream
from hil.stations.world.sources.frame_stream import FrameStream
from hil.stations.world.sources.jog_operators import (
    JogOperator,
    ScriptOperator,
    VelocityOperator,
    velocity_source,
)
from hil.stations.world.sources.jog_source import JogSource
from hil.stations.world.sources.planned_motion import planned_motion, slides_of
from hil.stations.world.sources.recorded_stream import read_recorded
from hil.stations.world.sources.source import (
    FixedSource,
    FreeSource,
    LaidOutSource,
    Measured,
    RestingSource,
    SetpointSource,
)
from hil.stations.world.sources.target_source import TargetSource
from sim.world.motion.joint_bounds import BoundedJoints, JointBounds
from sim.world.motion.tool_jog import ToolBounds, ToolJog

if TYPE_CHECKING:
    from hil.stations.world.plan.scenario import WorldPlan
    from safety.robot_limits import RobotLimits
    from sim.world.motion.chain import Chain
    from sim.world.motion.lines import StraightLine

Array = NDArray[np.float64]

HELD_S: Final = 10.0
"""Duration of a hold on the virtual clock, if none is given [s]."""


def _always() -> bool:
    return True


@dataclass(slots=True)
class LiveInputs:
    """Operator's inputs of a motion that is led while it lasts."""

    now_s: Callable[[], float]
    """Monotonic time [s]."""
    held: Callable[[], bool] = _always
    """Whether it is held where it must be, at a desk; set once there is one."""
    keys_fd: int | None = None
    """Descriptor of the terminal whose keys lead; None for that of the program."""


def open_source(
    plan: WorldPlan, chain: Chain | None, start: Array, limits: RobotLimits,
    live: LiveInputs | None, measured: Measured, measured_end: Callable[[], Array] | None = None,
) -> tuple[SetpointSource, StraightLine | None]:  # fmt: skip
    """Source of the robot's setpoints, and the line that its place follows, if any.

    Args:
        chain: chain to the place that moves; None if the robot has none.
        start: coordinates of the driven joints [rad] or [m], shape (drives,).
        limits: limits of its gate, which led joints keep.
        live: operator's inputs; None where nobody leads, and a led motion holds.
        measured: measures the driven joints.
        measured_end: measures the pose of the chain's place; None without a chain.

    Raises:
        RefusedError: if the motion cannot be made, or what leads it does not exist.
    """
    motion = plan.scenario.motion
    if isinstance(motion, CopyMotion):
        return _copied(plan, motion, led_joints(plan, motion, start, limits), live), None
    if isinstance(motion, HoldMotion | FreeMotion):
        duration_s = motion.duration_s
        if duration_s is None and (live is None or plan.scenario.clock == "virtual"):
            duration_s = HELD_S
        period_s = plan.scenario.step_s
        rows = None if duration_s is None else round(duration_s / period_s)
        if isinstance(motion, HoldMotion):
            return RestingSource(start.tolist(), rows, period_s), None
        free = [place for place, axis in enumerate(limits.axes) if axis.free]
        return FreeSource(start.tolist(), free, measured, rows, period_s), None
    if isinstance(motion, JogMotion):
        return _jog_source(plan, motion, chain, led_joints(plan, motion, start, limits), live), None
    if isinstance(motion, TargetMotion):
        if chain is None or measured_end is None or plan.robot_has_loops:
            problem = "with loops" if plan.robot_has_loops else "without a place to move"
            text = f"motion.kind = 'target': a robot {problem} has no inverse kinematics here"
            raise RefusedError(text)
        joints = led_joints(plan, motion, start, limits)
        source = TargetSource(motion, chain, joints, measured_end)
        return source, source.frames.line
    planned, line = planned_motion(plan, motion, chain, start)
    return LaidOutSource(planned), line


def led_joints(
    plan: WorldPlan, motion: LedBounds, start: Array, limits: RobotLimits
) -> BoundedJoints:
    """Joints of a robot within the bounds of a scenario, of its machine and of its gate."""
    slides = np.array(slides_of(plan.robot))
    turns, speeds_up = math.radians(motion.speed_deg_s), math.radians(motion.acceleration_deg_s2)
    axes = limits.axes
    stops = np.array([axis.stop for axis in axes])
    speed = np.where(slides, motion.speed_m_s, turns)
    acceleration = np.where(slides, motion.acceleration_m_s2, speeds_up)
    for place, axis in enumerate(axes):
        speed[place] = min(speed[place], axis.speed or math.inf)
        acceleration[place] = min(acceleration[place], axis.acceleration or math.inf, axis.stop)
    bounds = JointBounds(
        np.array([axis.least for axis in axes]), np.array([axis.greatest for axis in axes]),
        speed, acceleration, float((speed / stops).max()),
    )  # fmt: skip
    return BoundedJoints(bounds, start, plan.scenario.step_s)


def _copied(
    plan: WorldPlan, motion: CopyMotion, joints: BoundedJoints, live: LiveInputs | None
) -> SetpointSource:
    led_by, _ = copy_map(motion, plan.robot)
    if motion.source == "recording":
        led_by = led_by.of_used()
        path = find_file(motion.file, beside=plan.document, folder="motions", key="motion.file")
        stream: ValueStream = read_recorded(path, led_by.values, motion.stale_s)
    elif live is None:
        return FixedSource(joints)
    else:
        received = FrameStream(
            motion.listen, len(led_by.values), motion.stale_s, live.now_s, motion.allow
        )
        stream = HeldStream(received, lambda: live.held(), received.choose)
    return CopySource(joints, stream, led_by, motion.smoothing_s, motion.duration_s)


def _jog_source(
    plan: WorldPlan, motion: JogMotion, chain: Chain | None, joints: BoundedJoints,
    live: LiveInputs | None,
) -> SetpointSource:  # fmt: skip
    """Source of a robot that is jogged, or holds where nobody jogs it.

    Raises:
        RefusedError: if it has no tool to lead, or its operator's device does not exist.
    """
    jog = None
    if chain is not None and not plan.robot_has_loops:
        turns, changes = math.radians(motion.turn_deg_s), math.radians(motion.turn_deg_s2)
        jog = ToolJog(chain, joints, ToolBounds(motion.tool_m_s, motion.tool_m_s2, turns, changes))
    script = motion.by.steps if isinstance(motion.by, ScriptSettings) else ()
    if jog is None and (motion.axes != "joints" or any(one.axis for one in script)):
        problem = (
            "a robot with loops" if plan.robot_has_loops else "a robot without a place to move"
        )
        raise RefusedError(f"motion.axes = {motion.axes!r}: {problem} has no tool to lead here")
    drives = [drive.joint for drive in plan.robot.drives]
    if isinstance(motion.by, ScriptSettings):
        places = [None if one.joint is None else place_of(one.joint, plan.robot) for one in script]
        operator: JogOperator = ScriptOperator(script, places, len(drives))
    elif live is None:
        return FixedSource(joints)
    else:
        source = velocity_source(motion.by, plan.document, live.now_s, live.keys_fd)
        led = [place_of(one, plan.robot) for one in motion.joints or drives[:6]]
        tool = motion.axes != "joints"
        operator = VelocityOperator(source, None if tool else led, len(drives))
    slides = np.array(slides_of(plan.robot))
    full = np.where(slides, motion.jog_m_s, math.radians(motion.jog_deg_s))
    return JogSource(
        joints, jog, operator, full_joints=full,
        full_tool=np.array([motion.tool_m_s] * 3 + [math.radians(motion.turn_deg_s)] * 3),
        names=[f"joint {number}" for number in drives], in_tool=motion.axes == "tool",
        held=_always if live is None else lambda: live.held(), duration_s=motion.duration_s,
    )  # fmt: skip
