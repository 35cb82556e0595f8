"""The table of drive models: errors, speed and cost beside those published in 1993.

I. R. Belousov, "Real-time simulation of the dynamics of a space manipulator" (1993), compared drive
models of growing detail: the deviation of the gripper from a reference by the Runge-Kutta method,
and the cost of both. Here the same is measured over several slow motions and payloads.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from enum import Enum

import numpy as np

from hil.stations.arm.commands.space_arms import Load
from hil_arm_study.compare import (
    Clock,
    Deviation,
    FollowedMotion,
    ReferencePath,
    SimulatedCase,
    deviation,
    follow,
    least_times,
    nudged,
)
from hil_arm_study.motions import StudyMotion
from hil_arm_study.peer import rk4_peer
from hil_arm_study.targets import KNOWN_SHARE, PUBLISHED, TARGETS, ModelErrors
from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.integrators import Accuracy, Integrator, Sdirk2, Sdirk4
from sim.world.space_arm.integrators_1993 import Euler1993
from sim.world.space_arm.simulator import TICK_S, levers_m


class Scheme(Enum):
    """Integrators that the table can be made of."""

    SDIRK2 = "sdirk2"
    SDIRK4 = "sdirk4"
    EULER_1993 = "euler1993"


@dataclass(frozen=True, slots=True)
class TablePlan:
    """What a table is made of."""

    arm: Arm
    """The arm, without payload."""
    models: tuple[DriveModel, ...]
    """Of the drives, in the order of the rows."""
    loads: tuple[Load, ...]
    """Payloads."""
    motions: tuple[StudyMotion, ...]
    """The same for every row."""
    scheme: Scheme = Scheme.SDIRK2
    """The integrator."""
    accuracy: Accuracy | None = None
    """Of SDIRK2 or SDIRK4; None for the usual one of each."""
    step_s: float = 0.035
    """Of the scheme of 1993 [s]."""
    repeats: int = 5
    """Of which the least times are taken."""
    with_rk4: bool = True
    """Whether the Runge-Kutta method is timed as well."""

    def integrator(self) -> Integrator:
        """A new one of the scheme."""
        if self.scheme is Scheme.EULER_1993:
            return Euler1993(self.step_s)
        if self.scheme is Scheme.SDIRK4:
            return Sdirk4(levers_m(self.arm), self.accuracy)
        return Sdirk2(levers_m(self.arm), self.accuracy)

    def rows(self) -> list[tuple[DriveModel, Load]]:
        """Drive model and payload of every row."""
        return [(model, load) for model in self.models for load in self.loads]

    def cases(self) -> list[list[SimulatedCase]]:
        """The cases of every row, one a motion."""
        return [
            [SimulatedCase(self.arm, load.body, model, motion) for motion in self.motions]
            for model, load in self.rows()
        ]


@dataclass(frozen=True, slots=True)
class ModelRow:
    """A line of the table; errors are taken over all ticks of all motions."""

    model: str
    """Letter of the drive model."""
    payload: str
    """Name of the payload."""
    payload_kg: float
    """Its mass."""
    error_max_mm: float
    """Largest deviation of the gripper's position from the reference."""
    error_median_mm: float
    """Median of the same."""
    orientation_max_deg: float
    """Largest deviation of its orientation."""
    percent_max: float
    """Largest deviation of a coordinate, in percent of its path's range."""
    known_ticks: float
    """Share of the ticks at which the reference is known, see `KNOWN_SHARE`."""
    known_error_max_mm: float
    """Largest deviation of the position at those ticks."""
    known_error_median_mm: float
    """Median of the same; 0 if there are none."""
    known_orientation_max_deg: float
    """Largest deviation of the orientation at those ticks."""
    known_percent_max: float
    """Largest deviation of a coordinate there, in percent of its path's range."""
    worst_motion: str
    """The motion that has the largest deviation."""
    worst_at_s: float
    """And when in it [s]."""
    nudged_mm: float
    """How far apart a motion ends up from the same one whose start is off by `NUDGE_RAD`: as far
    as the largest deviation, and no step length helps."""
    rtf: float | None
    """Simulated time over the time that integration took."""
    rtf_tick: float | None
    """Simulated time over the time of whole ticks with their snapshots."""
    cost_ratio_rk4: float | None
    """Time of RK4 at its largest stable step over that of this integrator; None if it was not
    asked for, or there is no such step."""
    rk4_step_s: float | None
    """That step."""
    reference_error_mm: float
    """How far the references themselves can be off, see `ReferencePath`."""
    reference_error_deg: float
    """The same of the orientation."""
    steps_per_s: float
    """Steps for one simulated second."""
    rejected_per_s: float
    """Steps that were done again."""
    coarse_ticks: int
    """Ticks that came to the cap on their work."""
    failed: bool
    """Whether a run or a reference found no solution."""
    published_1993: ModelErrors | None = field(init=False)
    """Errors of the model as they were published then; None where none were."""

    def __post_init__(self) -> None:
        """Look the published figures up."""
        object.__setattr__(self, "published_1993", PUBLISHED.get(DriveModel(self.model)))

    def misses(self) -> list[str]:
        """Which targets the row does not reach, in words."""
        wanted = TARGETS[DriveModel(self.model)]
        compared = (
            (self.error_max_mm, wanted.figures.position_mm, "mm"),
            (self.orientation_max_deg, wanted.figures.orientation_deg, "deg"),
            (self.percent_max, wanted.figures.percent, "%"),
        )
        missed = [
            f"{value:.2g} {unit} > {most:g}" for value, most, unit in compared if value > most
        ]
        if self.rtf is not None and self.rtf < wanted.rtf:
            missed.append(f"rtf {self.rtf:.0f} < {wanted.rtf:.0f}")
        return missed


def make_table(
    plan: TablePlan,
    wanted: Sequence[ReferencePath],
    clock: Clock | None,
    tell: Callable[[], object] = lambda: None,
) -> list[ModelRow]:
    """Measure every row.

    Args:
        wanted: references of all its cases, row by row.
        clock: for the times [s]; None leaves them out.
        tell: called after each motion of each row.
    """
    count, rows = len(plan.motions), []
    for n, ((_, load), cases) in enumerate(zip(plan.rows(), plan.cases(), strict=True)):
        goals = wanted[n * count : (n + 1) * count]
        rows.append(_row(plan, load, cases, goals, clock, tell))
    return rows


def _row(
    plan: TablePlan,
    load: Load,
    cases: Sequence[SimulatedCase],
    wanted: Sequence[ReferencePath],
    clock: Clock | None,
    tell: Callable[[], object],
) -> ModelRow:
    runs, apart, nudged_mm = [], [], 0.0
    for case, goal in zip(cases, wanted, strict=True):
        run = _measured(plan, case, clock)
        runs.append(run)
        apart.append(deviation(run.path, goal.path))
        other = follow(nudged(case), plan.integrator()).path
        off_m = np.linalg.norm(other.position_m - run.path.position_m, axis=1)
        nudged_mm = max(nudged_mm, 1e3 * float(off_m.max()))
        tell()
    simulated_s = math.fsum(case.motion.duration_s for case in cases)
    rtf, rtf_tick = (
        _factor(simulated_s, [getattr(run, name) for run in runs])
        for name in ("integration_s", "tick_s")
    )
    peer = rk4_peer(cases[0], clock) if plan.with_rk4 and clock is not None else None
    worst = max(range(len(cases)), key=lambda n: float(apart[n].position_mm.max()))
    spans = [span for run in runs for span in run.spans]
    return ModelRow(
        model=cases[0].model.value,
        payload=load.name,
        payload_kg=load.mass_kg,
        **_errors(apart),
        **_known_errors(cases[0].model, apart, wanted),
        worst_motion=cases[worst].motion.name,
        worst_at_s=TICK_S * (1 + int(apart[worst].position_mm.argmax())),
        nudged_mm=nudged_mm,
        rtf=rtf,
        rtf_tick=rtf_tick,
        cost_ratio_rk4=None if peer is None or rtf is None else rtf / peer.rtf,
        rk4_step_s=None if peer is None else peer.step_s,
        reference_error_mm=max(float(goal.error.position_mm.max()) for goal in wanted),
        reference_error_deg=max(float(goal.error.orientation_deg.max()) for goal in wanted),
        steps_per_s=sum(span.steps for span in spans) / simulated_s,
        rejected_per_s=sum(span.rejected for span in spans) / simulated_s,
        coarse_ticks=sum(run.coarse_ticks for run in runs),
        failed=any(run.failed for run in runs) or any(goal.failed for goal in wanted),
    )


def _measured(plan: TablePlan, case: SimulatedCase, clock: Clock | None) -> FollowedMotion:
    if clock is None:
        return follow(case, plan.integrator())
    return least_times(case, plan.integrator(), clock, plan.repeats)


def _errors(apart: Sequence[Deviation]) -> dict[str, float]:
    position = np.concatenate([one.position_mm for one in apart])
    return {
        "error_max_mm": float(position.max()),
        "error_median_mm": float(np.median(position)),
        "orientation_max_deg": max(float(one.orientation_deg.max()) for one in apart),
        "percent_max": max(float(one.percent.max()) for one in apart),
    }


def _known_errors(
    model: DriveModel, apart: Sequence[Deviation], wanted: Sequence[ReferencePath]
) -> dict[str, float]:
    """The same over the ticks at which the reference is known well enough to judge a target."""
    most = KNOWN_SHARE * TARGETS[model].figures.position_mm
    known = np.concatenate([goal.error.position_mm for goal in wanted]) <= most
    position = np.concatenate([one.position_mm for one in apart])
    orientation = np.concatenate([one.orientation_deg for one in apart])
    percent = np.concatenate([one.percent for one in apart])
    return {
        "known_ticks": float(known.mean()),
        "known_error_max_mm": float(position[known].max(initial=0.0)),
        "known_error_median_mm": float(np.median(position[known])) if known.any() else 0.0,
        "known_orientation_max_deg": float(orientation[known].max(initial=0.0)),
        "known_percent_max": float(percent[known].max(initial=0.0)),
    }


def _factor(simulated_s: float, took_s: Sequence[np.ndarray]) -> float | None:
    total_s = math.fsum(float(ticks.sum()) for ticks in took_s)
    return simulated_s / total_s if total_s > 0.0 else None
