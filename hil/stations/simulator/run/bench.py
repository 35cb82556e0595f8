"""A ride, put together: its chain, its motion, and what works beside the platform's control."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from hil.config.errors import ConfigError, about
from hil.stations.platform.bench.run_sequence import PreparedPlan
from hil.stations.platform.lead.extension import Extension
from hil.stations.simulator.chain.companion import BLANK, RideCompanion
from hil.stations.simulator.chain.motion import FADE_OUT_S, SETTLE_S, RideMotion
from hil.stations.simulator.chain.parts import Parts, parts_of
from hil.stations.simulator.lead.led_ride import LedRide
from hil.stations.simulator.lead.prover_program import PROGRAM
from hil.stations.simulator.lead.ride_request import RideRequests, started
from hil.stations.simulator.plan.scenario import RidePlan, ride_from_table
from hil.stations.simulator.plan.source import (
    BY_FORCES,
    BY_POSES,
    Feedback,
    LiveSource,
    OperatorInput,
    Surroundings,
)
from hil.stations.simulator.plan.source_registry import foreign_source, operator_inputs, source_kind
from hil.stations.simulator.signals import SIGNALS
from hil.stations.simulator.sources.judged_source import JudgedSource
from platform6dof.cueing.vehicle import VehicleFlags

AROUND_S = 12.0
"""Approximate time of homing, rise, return home and parking [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class Ride:
    """A ride before it is opened."""

    plan: RidePlan
    parts: Parts
    """Filters and governor of the ride."""
    motion: RideMotion
    """Motion that the platform follows."""
    inputs: tuple[OperatorInput, ...]
    """Inputs of its source that a person may set."""

    @property
    def prepared(self) -> PreparedPlan:
        """Motion that a run of the platform plays, with what the ride adds to it."""
        plan = self.plan
        facts = {
            "source": plan.scenario.source_kind,
            "cueing": ", ".join(self.parts.names),
            **foreign_source(plan.scenario.source),
        }
        extension = Extension(
            signals=SIGNALS,
            blank=BLANK,
            settings=plan.model_dump(mode="json"),
            facts=facts,
            open=self.companion,
            led=lambda: LedRide(
                plan, self.motion, RideRequests(self.motion, self.parts, self.inputs)
            ),
            prover=PROGRAM,
        )
        total_s = plan.lasts_s + FADE_OUT_S + SETTLE_S + AROUND_S
        return PreparedPlan(plan, self.motion, extension=extension, total_s=total_s)

    @contextmanager
    def companion(self, now_s: Callable[[], float]) -> Iterator[RideCompanion]:
        """Open the source, and what asks it in every cycle.

        Raises:
            ConfigError: if the source cannot be opened, or a planner does not get ready.
        """
        with (
            self.parts.predictive.planners(),
            open_ride_source(self.plan, now_s, lambda: self.motion.feedback) as source,
        ):
            yield RideCompanion(
                self.motion, source, now_s, lambda: self.parts.preset, self.parts.predictive
            )


def ride_of(plan: RidePlan, *, by_itself: bool = True) -> Ride:
    """Return the ride of a plan.

    Args:
        by_itself: whether it follows its source as soon as the platform is engaged.

    Raises:
        ConfigError: if a preset or the source's kind cannot be had.
    """
    scenario, file = plan.scenario, Path(plan.scenario_file)
    _require_fields(plan, source_kind(scenario.source, file).fields(scenario.source, file))
    parts = parts_of(plan)
    limits = plan.rig.slow_moves.limits()
    lasts_s = plan.scenario.duration_s or float("inf")
    motion = RideMotion(
        parts.chain, limits, scenario.period_s, lasts_s, by_itself=by_itself,
        missed_max=plan.rig.supervision.missing_setpoints_max,
    )  # fmt: skip
    motion.gain.jump(scenario.cueing.gain)
    inputs = operator_inputs(scenario.source, file)
    motion.inputs = started(inputs)
    return Ride(plan, parts, motion, inputs)


def ride_of_table(table: Mapping[str, Any], file: Path) -> Ride:
    """Prepare the ride of a scenario that is a parsed table; the source's own files are read.

    Raises:
        ConfigError: if something in it cannot be had.
    """
    plan = ride_from_table(table, file)
    plan.lasts_s  # noqa: B018  # looks for the source's own files
    return ride_of(plan)


@contextmanager
def open_ride_source(
    plan: RidePlan,
    now_s: Callable[[], float],
    feedback: Callable[[], Feedback | None] = lambda: None,
) -> Iterator[LiveSource]:
    """Yield the live source of a plan, opened, and judged by physics.

    Args:
        now_s: clock of the run [s].
        feedback: gives what was measured last.

    Raises:
        ConfigError: if it cannot be opened, or has no preview where one is needed.
    """
    scenario, file = plan.scenario, Path(plan.scenario_file)
    around = Surroundings(
        scenario_file=file,
        period_s=scenario.period_s,
        virtual=scenario.clock == "virtual",
        seed=scenario.seed,
        now_s=now_s,
        head_m=scenario.vehicle_head_m,
        feedback=feedback,
        trusted=plan.trusted,
    )
    kind = source_kind(scenario.source, file)
    with kind.open(scenario.source, around) as source:
        if not kind.judges:
            source = JudgedSource(source, partial(kind.remedy, scenario.source))
        _require_poses(plan, source, now_s())
        ahead_s = scenario.cueing.preview_s
        if ahead_s and not source.preview(now_s(), ahead_s, ahead_s):
            name = scenario.source_kind
            line = f"cueing.preview_s: {ahead_s:g} s: source {name!r} does not know its future"
            line += "; leave it out, and what it does now is forecast"
            raise ConfigError(plan.scenario_file, [about("cueing.preview_s", line)])
        yield source


def _require_poses(plan: RidePlan, source: LiveSource, now_s: float) -> None:
    """Refuse the direct algorithm for a source whose first state bears no pose.

    Raises:
        ConfigError: naming the preset, and what would do.
    """
    step_s = plan.scenario.period_s
    seen = source.preview(now_s, step_s, step_s)
    if seen and VehicleFlags.POSE not in seen[0].flags:
        _require_fields(plan, frozenset({BY_FORCES}))


def _require_fields(plan: RidePlan, fields: frozenset[str]) -> None:
    """Refuse an algorithm whose inputs the source does not give: it would rest for ever.

    Args:
        fields: what the source tells, `BY_FORCES` or `BY_POSES`; empty if that cannot be known.

    Raises:
        ConfigError: naming the preset, and what would do.
    """
    for preset in plan.presets:
        direct = (plan.scenario.cueing.algorithm or preset.algorithm) == "direct"
        if not fields or (BY_POSES if direct else BY_FORCES) in fields:
            continue
        line = f"preset {preset.name!r}: "
        if direct:
            line += "the direct algorithm follows poses, and this source tells none (north, east, "
            line += "down and an attitude would be one); classical, adaptive, optimal and mpc "
            line += "follow what it tells"
        else:
            line += "its algorithm follows forces and rates, and this source tells poses alone; "
            line += "preset 'direct' follows those"
        raise ConfigError(plan.scenario_file, [about("cueing.preset", line)])
