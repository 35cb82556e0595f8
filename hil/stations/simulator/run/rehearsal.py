"""A ride without a platform: source, filters and governor in virtual time, and nothing behind.

What it leaves is a motion as any other, which can be proved before anything moves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError, about
from hil.config.settings import Change
from hil.hosts.watch.states import HostState
from hil.stations.platform.motion.source import clamp_time
from hil.stations.simulator.chain.motion import RidePhase
from hil.stations.simulator.plan.scenario import RidePlan, load_ride
from hil.stations.simulator.plan.source import LiveSource
from hil.stations.simulator.plan.source_registry import source_kind
from hil.stations.simulator.run.bench import Ride, open_ride_source, ride_of
from platform6dof.pose import PlatformSetpoint

Array = NDArray[np.float64]
HOME_MAX_S: Final = 60.0
"""Longest return home after the end of a source [s]."""

WAIT_MAX_S: Final = 10.0
"""Longest wait for a source that is live [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class Rehearsal:
    """Ride without a platform, cycle by cycle; a `MotionSource` as well."""

    t_s: Array
    """Time since the ride began [s], shape (N,)."""
    rows: Array
    """Setpoints of the platform, absolute coordinates [m, rad], shape (N, 3, 6)."""
    wanted: Array
    """Force [m/s²] and rates [rad/s] wanted at the head, FRD, shape (N, 6)."""
    felt: Array
    """Force [m/s²] and rates [rad/s] that the head would get, FRD, shape (N, 6)."""
    weight: Array
    """Share of the vehicle's motion that was wanted, shape (N,)."""
    active: NDArray[np.bool_]
    """Cycles in which the governor changed what was asked, shape (N,)."""
    binding: NDArray[np.int64]
    """Binding margins of the governor, shape (N,)."""
    margin: Array
    """Smallest share left of a limit; NaN without a governor, shape (N,)."""
    failed: NDArray[np.bool_]
    """Cycles in which the governor's fallback was used, shape (N,)."""
    lost: str
    """Reason why the source was lost; empty if it was not."""
    period_s: float
    """Cycle time [s]."""

    @property
    def duration_s(self) -> float:
        """From rest to rest [s]."""
        return float(self.t_s[-1])

    def sample(self, t_s: float) -> PlatformSetpoint:
        """Return the setpoint of the cycle at a time [s]."""
        at = min(round(clamp_time(t_s, self.duration_s) / self.period_s), len(self.t_s) - 1)
        return PlatformSetpoint.from_rows(self.rows[at])


def motion_of_file(path: Path, changes: Sequence[Change]) -> tuple[RidePlan, Rehearsal]:
    """Plan of a ride's file with changes, and the ride without a platform.

    Raises:
        ConfigError: as of `rehearse`.
    """
    plan = load_ride(path, changes)
    return plan, rehearse(plan)


def rehearse(plan: RidePlan, *, most_s: float = math.inf) -> Rehearsal:
    """Ride a plan in virtual time, from rest to rest.

    Args:
        most_s: after so long it comes home, whatever the source has left to say [s].

    Raises:
        ConfigError: if something in it cannot be had, it would never end, or nobody knows it yet.
    """
    require_known_ahead(plan)
    scenario = plan.scenario.model_copy(update={"clock": "virtual"})
    plan = plan.model_copy(update={"scenario": scenario})
    lasts_s = min(plan.lasts_s, most_s)
    if not math.isfinite(lasts_s):
        text = "duration_s: this source has no end of its own; say when the ride is over"
        raise ConfigError(plan.scenario_file, [text])
    if math.isfinite(most_s):
        scenario = scenario.model_copy(update={"duration_s": lasts_s})
        plan = plan.model_copy(update={"scenario": scenario})
    return _ridden(ride_of(plan), lasts_s)


def require_known_ahead(plan: RidePlan) -> None:
    """Refuse a ride in real time whose source is a simulator that is received.

    Raises:
        ConfigError: naming a substitute for it.
    """
    scenario = plan.scenario
    file = Path(plan.scenario_file)
    if scenario.clock == "real" and not source_kind(scenario.source, file).known_ahead(
        scenario.source
    ):
        line = f"source: {scenario.source_kind!r} is heard while it lasts, and nobody knows "
        line += "beforehand what it will say; for a try without it say in [source.emulated] what "
        raise ConfigError(plan.scenario_file, [about("source", line + "stands in for it")])


def _ridden(ride: Ride, lasts_s: float) -> Rehearsal:
    period_s = ride.plan.scenario.period_s
    motion, made = ride.motion, list[tuple[float, ...]]()
    now = [0.0]
    rows, wanted, felt = list[Array](), list[tuple[float, ...]](), list[tuple[float, ...]]()
    with open_ride_source(ride.plan, lambda: now[0]) as source:
        motion.on_follow = lambda: source.begin(now[0])
        waited = wait_until_live(ride.plan, source, now)
        for index in range(round((lasts_s + HOME_MAX_S) / period_s) + 1):
            now[0] = waited + index * period_s
            motion.reading = source.poll(now[0])
            motion.source_over = source.ended_s <= now[0]
            if motion.phase is not RidePhase.RESTING:
                ride.parts.predictive.look_ahead(source, now[0], motion.gain.value)
            motion.sample(index * period_s)
            cued = motion.cued
            rows.append(cued.rows)
            wanted.append(cued.wanted)
            felt.append(cued.felt)
            made.append((motion.weight, cued.active, cued.binding, cued.margin, cued.failed))
            if motion.phase is RidePhase.OVER:
                break
    weight, active, binding, margin, failed = np.array(made, dtype=np.float64).T
    return Rehearsal(
        t_s=np.arange(len(rows), dtype=np.float64) * np.float64(period_s),
        rows=np.array(rows),
        wanted=np.array(wanted),
        felt=np.array(felt),
        weight=weight,
        active=active.astype(np.bool_),
        binding=binding.astype(np.int64),
        margin=margin,
        failed=failed.astype(np.bool_),
        lost=motion.lost,
        period_s=period_s,
    )


def wait_until_live(plan: RidePlan, source: LiveSource, now: list[float]) -> float:
    """Ask until the source is live, as a run does before it engages; when that is [s].

    Raises:
        ConfigError: if it is not, with what is known of the cause.
    """
    period_s = plan.scenario.period_s
    for index in range(round(WAIT_MAX_S / period_s)):
        now[0] = index * period_s
        if source.poll(now[0]).host is HostState.LIVE:
            return now[0]
    why = str(getattr(source, "why", ""))
    line = f"source: not live within {WAIT_MAX_S:g} s{f': {why}' if why else ''}"
    raise ConfigError(plan.scenario_file, [line])
