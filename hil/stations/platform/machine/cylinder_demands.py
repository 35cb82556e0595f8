"""Demands of motions on the cylinders of a rig, also of motions that the rig cannot reach."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError, about
from hil.config.file_search import find_file
from hil.config.named_files import GIVEN
from hil.machines.rig.machine import envelope_of
from hil.machines.rig.settings import Rig
from hil.run.file_kinds import find_kind, scenario_kinds
from hil.run.registry import DEFAULT, station_named
from hil.run.station import Station
from hil.stations.platform.motion.excerpts import BLOCK
from hil.stations.platform.motion.fade import setpoints_at
from hil.stations.platform.motion.source import MotionSource
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.recording_scenario import recorded_table
from hil.stations.platform.plan.scenario import Plan, plan_from_table
from platform6dof.dynamics.machine import Machine
from platform6dof.dynamics.stop_shortage import StopForces, StopShortage, cycles_between_stops
from platform6dof.dynamics.stops import Decelerations
from platform6dof.kernels.legs import leg_states_and_rows
from platform6dof.pose import PlatformSetpoint
from platform6dof.sizing.demand import Demand

Array = NDArray[np.float64]

SAMPLES_MAX: Final = 400_000
"""Most samples of a motion; a longer one is sampled more seldom than the loop does."""
RECORDS: Final = (".csv", ".at2", ".vt2", ".dt2")
"""Endings of recorded motions; all else is a scenario."""


class MotionTrack(NamedTuple):
    """A motion's setpoints at equal steps of time."""

    name: str
    """Scenario or file, as it was asked for."""
    step_s: float
    """Time between two setpoints [s]."""
    setpoints: Array
    """Packed setpoints, its end included, shape (N, 24)."""


class MotionDemand(NamedTuple):
    """A motion and what it asks of the cylinders."""

    name: str
    """Scenario or file, as it was asked for."""
    demand: Demand
    """Demand on the cylinders."""
    outside_share: float
    """Share of its samples beyond the rig's travel, speeds or accelerations."""
    outside: str
    """First limits that it exceeds; empty if none."""


def motions_for(
    names: Sequence[str], rig: str, *, key: str = "--for", beside: Path | None = None
) -> list[tuple[str, Plan, MotionSource]]:
    """Scenarios and recorded motions, all of them on one rig, with their plans.

    All are found before the first is computed.

    Args:
        key: what to call the names in an error.
        beside: the document that has the names, which may name files as documents do; None for
            the command line.

    Raises:
        ConfigError: a file that cannot be used, or whose station moves no platform.
    """
    found = [_found(name, key, beside) for name in names]
    return [
        (name, *_motion(path, station, rig))
        for name, (path, station) in zip(names, found, strict=True)
    ]


def _found(name: str, key: str, beside: Path | None) -> tuple[Path, Station | None]:
    """File of a motion, and the station of a scenario; None for a recorded motion."""
    if Path(name).suffix.lower() in RECORDS:
        return find_file(name, beside=beside, folder="motions", key=key), None
    try:
        path, kind = find_kind(name, *scenario_kinds(), key=key, beside=beside)
    except ConfigError as error:
        if beside is None or error.source == str(beside):
            raise
        line = f"{key} = {name!r}: {error.source} {'; '.join(error.problems)}"
        raise ConfigError(str(beside), [about(key, line)]) from None
    station = station_named(kind.station or DEFAULT, str(path))
    if station.motion is None:
        named = f"{key} {name}" if beside is None else f"{key} = {name!r}"
        problem = f"{named}: its station, {station.name}, moves no platform; name a scenario or a "
        problem += "recorded motion of a platform"
        if beside is None:
            raise ConfigError(str(path), [problem])
        raise ConfigError(str(beside), [about(key, problem)])
    return path, station


def _motion(path: Path, station: Station | None, rig: str) -> tuple[Plan, MotionSource]:
    if station is not None and station.motion is not None:
        return station.motion(path, [("rig", rig)])
    table = recorded_table(rig, path, [])
    GIVEN.take(table)
    plan = plan_from_table(table, Path("command line"))
    return plan, motion_of(plan)


def track_of(name: str, plan: Plan, motion: MotionSource, most: int = SAMPLES_MAX) -> MotionTrack:
    """Sample a motion as the loop does, one of more than so many samples more seldom."""
    step_s = max(plan.scenario.period_s, motion.duration_s / most)
    count = int(np.ceil(motion.duration_s / step_s)) + 1
    times_s = np.minimum(step_s * np.arange(count), motion.duration_s)
    return MotionTrack(name, step_s, setpoints_at(motion, times_s))


def demand_of(track: MotionTrack, rig: Rig, machine: Machine) -> MotionDemand:
    """Find what a motion asks of the cylinders, and what of it the rig cannot do.

    Raises:
        ConfigError: it passes a singular pose.
    """
    demand = Demand.of(machine, track.setpoints, track.step_s)
    if not np.isfinite(demand.force_n).all():
        at_s = track.step_s * int(np.argmin(np.isfinite(demand.force_n).all(axis=1)))
        raise ConfigError(
            f"--for {track.name}",
            [f"at {at_s:.3f} s the pose is singular: no forces of the legs hold the platform"],
        )
    envelope = envelope_of(rig, machine.geometry)
    loads = demand.loads
    states = np.hstack([loads.length_m, loads.speed_m_s, loads.acceleration_m_s2])
    low, high = (bound[:18] for bound in envelope.bounds)
    outside = ((states < low) | (states > high)).any(axis=1)
    first = ""
    if outside.any():
        setpoint = PlatformSetpoint.from_packed(track.setpoints[int(np.argmax(outside))].copy())
        first = "; ".join(str(one) for one in envelope.check(setpoint)[:2])
    return MotionDemand(track.name, demand, float(outside.mean()), first)


def stop_forces(
    track: MotionTrack, machine: Machine, limits: Decelerations, judges: Sequence[StopShortage] = ()
) -> float:
    """Find the greatest force of a controlled or quick stop begun at any moment of a motion [N]."""
    found = StopForces(machine, limits, judges)
    count = len(track.setpoints)
    every = cycles_between_stops((count - 1) * track.step_s, track.step_s)
    for first in range(0, count, BLOCK):
        rows = np.arange(first, min(first + BLOCK, count))[::every]
        setpoints = np.ascontiguousarray(track.setpoints[rows])
        times_s = rows.astype(np.float64)
        times_s *= track.step_s
        found.take(times_s, setpoints, *leg_states_and_rows(machine.geometry.table, setpoints))
    return float(found.force.worst.max())
