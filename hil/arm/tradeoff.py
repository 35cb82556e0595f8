"""What accuracy costs: error and real-time factor of SDIRK2 at several tolerances."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from hil.arm.compare import Clock, deviation, least_times
from hil.arm.references import references
from hil.arm.table import Load, Plan
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.integrators import Accuracy, Sdirk2
from sim.world.space_arm.simulator import levers_m

FACTORS = (32.0, 8.0, 2.0, 0.5, 0.125, 1.0 / 32.0)
"""Of the plan's tolerance; an error falls with about the power 2/3 of it."""


@dataclass(frozen=True, slots=True)
class Point:
    """One tolerance of a curve.

    Args:
        tolerance_m: error of one step that was asked for [m].
        error_max_mm: largest error of the gripper over all motions and ticks.
        rtf: simulated time over the time of integration.
        reference_error_mm: how far the reference itself can be off.
    """

    tolerance_m: float
    error_max_mm: float
    rtf: float
    reference_error_mm: float


@dataclass(frozen=True, slots=True)
class Curve:
    """Error against real-time factor of one drive model and payload.

    Args:
        model: of the drives.
        load: the payload.
        points: from the largest tolerance to the smallest.
    """

    model: DriveModel
    load: Load
    points: tuple[Point, ...]


def tradeoff(
    plan: Plan,
    clock: Clock,
    *,
    factors: Sequence[float] = FACTORS,
    folder: Path | None = None,
    workers: int | None = None,
    tell: Callable[[], object] = lambda: None,
) -> list[Curve]:
    """Measure the curve of every drive model and payload of a plan.

    Args:
        plan: models, payloads and motions.
        clock: for the times [s].
        factors: of the tolerance.
        folder: where references are kept; None for nowhere.
        workers: processes for the references; None for one a core.
        tell: called after each reference and each point.
    """
    rows = plan.rows()
    cases = [case for model, load in rows for case in plan.cases(model, load)]
    wanted = references(
        cases, step_s=plan.reference_step_s, folder=folder, workers=workers, tell=tell
    )
    usual, count = plan.accuracy or Accuracy(), len(plan.motions)
    curves = []
    for n, (model, load) in enumerate(rows):
        part = slice(n * count, (n + 1) * count)
        points = []
        for factor in factors:
            accuracy = replace(usual, tolerance_m=factor * usual.tolerance_m)
            integrator = Sdirk2(levers_m(plan.arm), accuracy)
            errors, took_s = [], 0.0
            for case, goal in zip(cases[part], wanted[part], strict=True):
                run = least_times(case, integrator, clock, plan.repeats)
                errors.append(float(deviation(run.path, goal.path).position_mm.max()))
                took_s += float(run.integration_s.sum())
            simulated_s = sum(case.motion.duration_s for case in cases[part])
            unsure = max(float(goal.error.position_mm.max()) for goal in wanted[part])
            points.append(
                Point(accuracy.tolerance_m, max(errors), simulated_s / took_s, unsure)
            )
            tell()
        curves.append(Curve(model, load, tuple(points)))
    return curves
