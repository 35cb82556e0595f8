"""What may be left out of the space arm: the errors of every omission over payloads and speeds."""

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, wait
from dataclasses import dataclass

import numpy as np

from hil.ipc.child import worker_pool
from hil.stations.arm.commands.space_arms import Load
from hil_arm_study.compare import SimulatedCase
from hil_arm_study.motions import StudyMotion
from hil_arm_study.omitted_runs import NOTHING, OmissionCase, examine, variants_of
from hil_arm_study.references import cores
from hil_arm_study.targets import KNOWN_SHARE
from sim.world.space_arm.arm import Arm
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.error_bound import ErrorBound

Tell = Callable[[], object]


@dataclass(frozen=True, slots=True)
class SimplifyPlan:
    """Models, payloads and motions of a study of omissions."""

    arm: Arm
    """The arm, without payload."""
    models: tuple[DriveModel, ...]
    """Drive models, each whole before something is left out."""
    loads: tuple[Load, ...]
    """Payloads, the lightest first."""
    motions: dict[float, tuple[StudyMotion, ...]]
    """Factor on all speeds → motions."""
    bound: ErrorBound
    """Error that is allowed; a tenth of it is allowed for the reference."""

    def cells(self) -> list[tuple[DriveModel, float, Load]]:
        """List model, speed and payload of every cell of the study."""
        return [(m, s, load) for m in self.models for s in self.motions for load in self.loads]

    def cases(self) -> list[SimulatedCase]:
        """List every motion of every cell."""
        return [
            SimulatedCase(self.arm, load.body, model, motion)
            for model, speed, load in self.cells()
            for motion in self.motions[speed]
        ]


@dataclass(frozen=True, slots=True)
class OmissionRow:
    """An omission with a model, a speed and a payload; errors are over all ticks of all motions."""

    model: str
    """Letter of the whole drive model."""
    speed: float
    """Factor on the speeds of the slow motions."""
    payload: str
    """Name of the payload."""
    payload_kg: float
    """Its mass."""
    omitted: str
    """Things that are left out; `nothing` is integration alone."""
    error_max_mm: float
    """Largest distance of the gripper from that of the whole model, by the same integrator."""
    error_median_mm: float
    """Median of the same."""
    orientation_max_deg: float
    """Largest angle between the two grippers."""
    orientation_median_deg: float
    """Median of the same."""
    percent_max: float
    """Largest error of a coordinate, in percent of the largest range of a coordinate."""
    percent_median: float
    """Median of the same."""
    known_ticks: float
    """Share of the ticks at which two references agree to a tenth of the bound."""
    known_max_mm: float
    """Largest distance from the reference at those ticks."""
    known_max_percent: float
    """The same in percent of the range."""
    worst_motion: str
    """Name of the motion with the largest distance."""
    failed: int
    """Number of motions without a solution."""


def examine_all(
    cases: Sequence[SimulatedCase], workers: int | None = None, tell: Tell = lambda: None
) -> list[OmissionCase]:
    """Examine cases in processes of their own, in their order.

    Args:
        workers: processes; None for one a core; 1 computes in this process.
        tell: called whenever a case is done.
    """
    workers = min(workers or cores(), len(cases))
    found: dict[int, OmissionCase] = {}
    if workers <= 1:
        for n, case in enumerate(cases):
            found[n] = examine(case)
            tell()
    else:
        with worker_pool(workers) as pool:
            waiting = {pool.submit(examine, case): n for n, case in enumerate(cases)}
            while waiting:
                for done in wait(waiting, return_when=FIRST_COMPLETED).done:
                    found[waiting.pop(done)] = done.result()
                    tell()
    return [found[n] for n in range(len(cases))]


def make_rows(plan: SimplifyPlan, examined: Sequence[OmissionCase]) -> list[OmissionRow]:
    """Sum up what was examined, an omission a row."""
    rows, begin = list[OmissionRow](), 0
    for model, speed, load in plan.cells():
        motions = plan.motions[speed]
        cases = examined[begin : begin + len(motions)]
        begin += len(motions)
        for variant in variants_of(model, plan.arm, load.body):
            rows.append(_row(plan, model, speed, load, variant.name, motions, cases))
    return rows


def _row(
    plan: SimplifyPlan,
    model: DriveModel,
    speed: float,
    load: Load,
    name: str,
    motions: Sequence[StudyMotion],
    cases: Sequence[OmissionCase],
) -> OmissionRow:
    runs = [case.runs[name] for case in cases]
    apart = [run.to_reference if name == NOTHING else run.errors for run in runs]
    mm, deg, percent = (np.concatenate(each) for each in zip(*apart, strict=True))
    sure = [case.reference.percent if plan.bound.percent else case.reference.mm for case in cases]
    known = np.concatenate(sure) <= KNOWN_SHARE * plan.bound.value
    far_mm = np.concatenate([run.to_reference.mm for run in runs])[known]
    far_percent = np.concatenate([run.to_reference.percent for run in runs])[known]
    worst = max(range(len(runs)), key=lambda n: float(apart[n].mm.max()))
    return OmissionRow(
        model=model.value, speed=speed, payload=load.name, payload_kg=load.mass_kg, omitted=name,
        error_max_mm=float(mm.max()), error_median_mm=float(np.median(mm)),
        orientation_max_deg=float(deg.max()), orientation_median_deg=float(np.median(deg)),
        percent_max=float(percent.max()), percent_median=float(np.median(percent)),
        known_ticks=float(known.mean()),
        known_max_mm=float(far_mm.max(initial=0.0)),
        known_max_percent=float(far_percent.max(initial=0.0)),
        worst_motion=motions[worst].name,
        failed=sum(run.failed or case.failed for run, case in zip(runs, cases, strict=True)),
    )  # fmt: skip
