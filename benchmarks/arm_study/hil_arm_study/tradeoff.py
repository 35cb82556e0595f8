"""What accuracy costs: error and real-time factor of SDIRK2 at several tolerances."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from hil.stations.arm.commands.space_arms import Load
from hil_arm_study.compare import Clock, ReferencePath, SimulatedCase, deviation, least_times
from hil_arm_study.table import TablePlan
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.integrators import Accuracy, Sdirk2
from sim.world.space_arm.simulator import levers_m

FACTORS = (32.0, 8.0, 2.0, 0.5, 0.125, 1.0 / 32.0)
"""Of the plan's tolerance; an error falls with about the power 2/3 of it."""


@dataclass(frozen=True, slots=True)
class TolerancePoint:
    """One tolerance of a curve."""

    tolerance_m: float
    """Error of one step that was asked for [m]."""
    error_max_mm: float
    """Largest error of the gripper over all motions and ticks."""
    rtf: float
    """Simulated time over the time of integration."""
    reference_error_mm: float
    """How far the reference itself can be off."""


@dataclass(frozen=True, slots=True)
class AccuracyCurve:
    """Error against real-time factor of one drive model and payload."""

    model: DriveModel
    """Of the drives."""
    load: Load
    """The payload."""
    points: tuple[TolerancePoint, ...]
    """From the largest tolerance to the smallest."""


def tradeoff(
    plan: TablePlan,
    wanted: Sequence[ReferencePath],
    clock: Clock,
    factors: Sequence[float] = FACTORS,
    tell: Callable[[], object] = lambda: None,
) -> list[AccuracyCurve]:
    """Measure the curve of every drive model and payload of a plan.

    Args:
        wanted: references of all its cases, row by row.
        factors: of the tolerance.
    """
    usual, count, curves = plan.accuracy or Accuracy(), len(plan.motions), []
    for n, ((model, load), cases) in enumerate(zip(plan.rows(), plan.cases(), strict=True)):
        goals = wanted[n * count : (n + 1) * count]
        points = []
        for factor in factors:
            accuracy = replace(usual, tolerance_m=factor * usual.tolerance_m)
            points.append(_point(plan, cases, goals, accuracy, clock))
            tell()
        curves.append(AccuracyCurve(model, load, tuple(points)))
    return curves


def _point(
    plan: TablePlan,
    cases: Sequence[SimulatedCase],
    goals: Sequence[ReferencePath],
    accuracy: Accuracy,
    clock: Clock,
) -> TolerancePoint:
    integrator = Sdirk2(levers_m(plan.arm), accuracy)
    error_mm, took_s = 0.0, 0.0
    for case, goal in zip(cases, goals, strict=True):
        run = least_times(case, integrator, clock, plan.repeats)
        error_mm = max(error_mm, float(deviation(run.path, goal.path).position_mm.max()))
        took_s += float(run.integration_s.sum())
    return TolerancePoint(
        tolerance_m=accuracy.tolerance_m,
        error_max_mm=error_mm,
        rtf=math.fsum(case.motion.duration_s for case in cases) / took_s,
        reference_error_mm=max(float(goal.error.position_mm.max()) for goal in goals),
    )
