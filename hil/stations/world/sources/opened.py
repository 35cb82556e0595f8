"""The source of a scenario's motion, made for a run."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.shipped import find_file
from hil.stations.world.led_settings import CopyMotion, LedBounds
from hil.stations.world.motions import planned_motion, slides_of
from hil.stations.world.planned_settings import HoldMotion
from hil.stations.world.sources.copied import CopySource, ValueStream
from hil.stations.world.sources.copy_map import copy_map
from hil.stations.world.sources.frame_stream import FrameStream
from hil.stations.world.sources.recorded_stream import read_recorded
from hil.stations.world.sources.source import (
    LaidOutSource,
    RestingSource,
    SetpointSource,
    StandingSource,
)
from sim.world.motion.bounded import BoundedJoints, JointBounds

if TYPE_CHECKING:
    from hil.stations.world.scenario import WorldPlan
    from safety.robot_limits import RobotLimits
    from sim.world.motion.chain import Chain
    from sim.world.motion.lines import StraightLine

Array = NDArray[np.float64]

HELD_S: Final = 10.0
"""On the virtual clock, without a duration."""


@dataclass(frozen=True, slots=True)
class LiveMeans:
    """What a motion needs that somebody leads while it lasts."""

    now_s: Callable[[], float]
    """Monotonic time [s]."""


def open_source(
    plan: WorldPlan, chain: Chain | None, start: Array, limits: RobotLimits, live: LiveMeans | None
) -> tuple[SetpointSource, StraightLine | None]:
    """Where the robot shall be at every step, and the line that its place shall follow, if any.

    Args:
        chain: to the place that moves; None if the robot has none.
        start: of the driven joints [rad] or [m], shape (drives,).
        limits: of its gate, which led joints keep.
        live: None where nobody leads: a motion that needs somebody stands.

    Raises:
        RefusedError: if the motion cannot be made, or what leads it is not there.
    """
    motion = plan.scenario.motion
    if isinstance(motion, CopyMotion):
        return _copied(plan, motion, led_joints(plan, motion, start, limits), live), None
    if isinstance(motion, HoldMotion):
        duration_s = motion.duration_s
        if duration_s is None and (live is None or plan.scenario.clock == "virtual"):
            duration_s = HELD_S
        period_s = plan.scenario.step_s
        rows = None if duration_s is None else round(duration_s / period_s)
        return RestingSource(start.tolist(), rows, period_s), None
    planned, line = planned_motion(plan, motion, chain, start)
    return LaidOutSource(planned), line


def led_joints(
    plan: WorldPlan, motion: LedBounds, start: Array, limits: RobotLimits
) -> BoundedJoints:
    """The joints of a robot within the bounds of a scenario, of its machine and of its gate."""
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
    plan: WorldPlan, motion: CopyMotion, joints: BoundedJoints, live: LiveMeans | None
) -> SetpointSource:
    led_by, _ = copy_map(motion, plan.robot)
    if motion.source == "recording":
        beside, led_by = Path(plan.scenario_file), led_by.of_used()
        path = find_file(motion.file, beside=beside, folder="motions", key="motion.file")
        stream: ValueStream = read_recorded(path, led_by.values, motion.stale_s)
    elif live is None:
        return StandingSource(joints)
    else:
        stream = FrameStream(motion.listen, len(led_by.values), motion.stale_s, live.now_s)
    return CopySource(joints, stream, led_by, motion.smoothing_s, motion.duration_s)
