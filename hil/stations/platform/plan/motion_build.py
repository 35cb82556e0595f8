"""Construction of the motion source of a scenario's ``[motion]`` table."""

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from hil.config.errors import ConfigError, MotionError, about
from hil.config.file_search import find_file
from hil.config.settings import Change
from hil.machines.rig.machine import geometry_of, park_pose
from hil.machines.rig.settings import PoseSettings, Rig
from hil.stations.platform.motion.columns import ColumnMap, TimeMap
from hil.stations.platform.motion.leg_moves import LegMoveLimits, LegMoves
from hil.stations.platform.motion.motion_plugins import plugin_motion
from hil.stations.platform.motion.moves import Moves
from hil.stations.platform.motion.multi_sine_motion import MultiSine
from hil.stations.platform.motion.recorded_motion import RecordedMotion
from hil.stations.platform.motion.source import AXES, Hold, MotionSource
from hil.stations.platform.plan.scenario import (
    DiagramSettings,
    HoldSettings,
    LegMovesSettings,
    MovesSettings,
    MultiSineSettings,
    Plan,
    RecordedSettings,
    load_plan,
    plan_from_table,
)
from hil_common.arrays.pose import Pose


def motion_of_table(table: Mapping[str, Any], file: Path) -> MotionSource:
    """Motion of a scenario that is a parsed table.

    Raises:
        ConfigError: if something in it cannot be, with the file and the reason.
    """
    return motion_of(plan_from_table(table, file))


def motion_of_file(path: Path, changes: Sequence[Change]) -> tuple[Plan, MotionSource]:
    """Plan of a scenario file with changes, and its motion.

    Raises:
        ConfigError: if something in it cannot be, with the file and the reason.
    """
    plan = load_plan(path, changes)
    return plan, motion_of(plan)


def motion_of(plan: Plan, *, whole: bool = True) -> MotionSource:
    """Motion that a plan describes.

    Args:
        whole: whether a motion that is known to break off is refused; else it ends with an error.

    Raises:
        ConfigError: if it cannot be made, with the file and the reason.
    """
    settings, rig = plan.scenario.motion, plan.rig
    try:
        match settings:
            case MultiSineSettings():
                return multi_sine(settings, rig)
            case MovesSettings():
                return _moves(settings, rig)
            case RecordedSettings():
                return _recorded(settings, rig, Path(plan.scenario_file))
            case DiagramSettings():
                return _diagram(settings, rig, Path(plan.scenario_file), whole=whole)
            case HoldSettings():
                neutral = settings.neutral or rig.neutral
                return Hold(neutral.pose(), settings.duration_s)
            case LegMovesSettings():
                return _leg_moves(settings, rig)
            case _:  # what our model does not know is another distribution's
                period_s = plan.scenario.period_s
                return plugin_motion(settings, rig, plan.scenario_file, period_s)
    except MotionError as error:
        source = f"{plan.scenario_file}: motion"
        raise ConfigError(source, [about("motion", str(error))]) from error


def multi_sine(settings: MultiSineSettings, rig: Rig) -> MultiSine:
    """Motion of such settings.

    Raises:
        MotionError: if it cannot be made.
    """
    terms: list[list[tuple[float, float, float]]] = [[] for _ in AXES]
    for term in settings.terms:
        amplitude = settings.amplitude_si(term)
        row = (amplitude, term.frequency_hz, math.radians(term.phase_deg))
        terms[AXES.index(term.axis)].append(row)
    return MultiSine(
        neutral=(settings.neutral or rig.neutral).coordinates(),
        terms=tuple(tuple(rows) for rows in terms),
        duration_s=settings.duration_s,
        fade_s=settings.fade_s,
    )


def _moves(settings: MovesSettings, rig: Rig) -> MotionSource:
    neutral = rig.neutral.coordinates()

    def scaled(pose: PoseSettings) -> Pose:
        if settings.scale == 1.0:
            return pose.pose()
        away = pose.coordinates() - neutral
        return Pose.from_coordinates(neutral + settings.scale * away)

    return Moves(
        start=scaled(settings.start or rig.neutral),
        waypoints=tuple((scaled(item.pose), item.dwell_s) for item in settings.to),
        limits=rig.slow_moves.limits().scaled(settings.speed),
    )


def _leg_moves(settings: LegMovesSettings, rig: Rig) -> MotionSource:
    geometry, slow, share = geometry_of(rig), rig.slow_moves, settings.speed
    return LegMoves(
        geometry,
        park_pose(rig, geometry),
        tuple((settings.scale * np.array(item.offsets_m), item.dwell_s) for item in settings.to),
        LegMoveLimits(
            slow.speed_m_s * share, slow.acceleration_m_s2 * share, slow.jerk_m_s3 * share
        ),
    )


def maps_of(settings: RecordedSettings, scenario_file: Path) -> tuple[ColumnMap, ...]:
    """Maps of a recorded file's columns to coordinates.

    Raises:
        MotionError: if a unit is not one of its coordinate.
        ConfigError: if the file of a column does not exist, or may not be named.
    """

    def place(axis: str, name: str) -> Path | None:
        key = f"motion.map.{axis}.file"
        return find_file(name, beside=scenario_file, folder="motions", key=key) if name else None

    return tuple(
        ColumnMap(
            axis=axis, column=c.column, unit=c.unit, scale=settings.scale * c.scale, bias=c.bias,
            file=place(axis, c.file),
        )
        for axis, c in settings.map.items()
    )  # fmt: skip


def _recorded(settings: RecordedSettings, rig: Rig, scenario_file: Path) -> MotionSource:
    neutral: np.ndarray = (settings.neutral or rig.neutral).coordinates()
    return RecordedMotion.from_csv(
        find_file(settings.file, beside=scenario_file, folder="motions", key="motion.file"),
        maps_of(settings, scenario_file),
        neutral,
        time=TimeMap(settings.time.column, settings.time.unit),
        rate_hz=settings.rate_hz,
        fade_s=settings.fade_s,
        gap_max_s=settings.gap_max_s,
        lowpass_hz=settings.lowpass_hz,
        highpass_hz=settings.highpass_hz,
    )


def _diagram(settings: DiagramSettings, rig: Rig, scenario_file: Path, *, whole: bool
             ) -> MotionSource:  # fmt: skip
    from hil.diagram.check.flat import AS_TABLE  # seldom needed
    from hil.diagram.file.read import read
    from hil.diagram.run.diagram_use import change_of
    from hil.diagram.run.live import Version
    from hil.diagram.run.operator_actions import operated
    from hil.stations.platform.motion.diagram import diagram_motion

    path = find_file(
        settings.diagram, beside=scenario_file, folder="diagrams", key="motion.diagram"
    )
    neutral = (settings.neutral or rig.neutral).coordinates()
    file = read(path)
    version = Version.of(file, change_of(settings.set).changes, models=True)
    version.sound.flat.refuse_models("while this motion is computed ahead, many times", AS_TABLE)
    acts = operated(file, settings.press, settings.slide)
    motion = diagram_motion(version, acts, settings.duration_s, neutral, settings.fade_s)
    if whole:
        motion.require_whole()
    return motion
