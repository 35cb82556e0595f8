"""Proof before motion: the whole path against the envelope, then a dry run through the gate.

Nothing of this moves a machine. The envelope checks every setpoint of rise, motion and parking
and finds all that is wrong with them; the dry run shows that gate and drives agree.
"""

from collections.abc import Callable, Iterable
from contextlib import nullcontext
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from hil.ipc.work_folder import WorkFolder
from hil.machines.rig.machine import envelope_of, gate_limits
from hil.run.console import ReportingConsole
from hil.stations.platform.bench.bench import expected_duration_s, machine_of, run
from hil.stations.platform.cycle.supervisor import Outcome
from hil.stations.platform.motion.excerpts import blocks, excerpts, hardest_s
from hil.stations.platform.motion.fade import FadedMotion
from hil.stations.platform.motion.moves import move
from hil.stations.platform.motion.source import Floats, MotionSource
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.proof.machine_check import MachineFigures, MachineFinding, check_machine
from platform6dof.envelope import Envelope, EnvelopeViolation
from platform6dof.geometry import HexapodGeometry
from platform6dof.inverse import leg_setpoint, leg_setpoints_batch

ReportProgress = Callable[[str, float, float], None]
"""Progress: takes a phase, the time that it is at and its length [s]."""
ROUNDING = 1e-12
"""Rounding difference between lengths and speeds of many legs at once and of one [m, m/s]."""
WHOLE_MAX_S = 300.0
"""Longest motion that is tried as a whole, not in excerpts [s]."""


@dataclass(frozen=True, slots=True)
class PlanFinding:
    """Fault of a run's plan."""

    phase: str
    """Phase: rise, motion, park (found by the envelope), machine (the motion, judged by bodies and
    drives) or gate (found in the dry run)."""
    t_s: float
    """Time of its beginning, from the start of the phase [s]."""
    quantity: str
    """Limited quantity."""
    leg: int | None
    """Leg, 1 to 6, or None."""
    value: float
    """Worst value of the quantity."""
    limit: float
    """Limit of the quantity."""
    unit: str
    """Unit of value and limit."""
    message: str
    """Finding as a sentence."""

    @property
    def line(self) -> str:
        """Sentence with phase and time."""
        return f"{self.phase} at {self.t_s:.3f} s: {self.message}"


@dataclass(frozen=True, slots=True)
class PlatformProof:
    """Result of a proof."""

    duration_s: float
    """Duration of the motion [s]."""
    length_min_m: float
    """Shortest length of a leg in the motion [m]."""
    length_max_m: float
    """Longest length of a leg in the motion [m]."""
    leg_speed_max_m_s: float
    """Highest speed of a leg in the motion [m/s]."""
    gate_tried_s: float
    """Time of the motion that was tried with gate and drives [s]: all, or `excerpts` of it."""
    violations: tuple[PlanFinding, ...]
    """Findings; of each limit and leg the first time and the worst value."""
    machine: MachineFigures | None = None
    """Forces, torques and power; None for a rig without bodies."""

    @property
    def ok(self) -> bool:
        """Whether nothing is wrong."""
        return not self.violations


def check_plan(
    plan: Plan, motion: MotionSource, report: ReportProgress = lambda _phase, _t_s, _total_s: None
) -> PlatformProof:
    """Prove a plan; its result has all that is wrong with it.

    Args:
        plan: scenario and rig; its simulated faults are left out, as they are not of the motion.
        report: takes the phase, the time that it is at and its length [s] now and then.
    """
    machine = machine_of(plan)
    envelope = envelope_of(plan.rig, machine.geometry)
    first, last = motion.sample(0.0).X_BP, motion.sample(motion.duration_s).X_BP
    phases: dict[str, MotionSource] = {
        "rise": move(machine.park, first, machine.slow_moves),
        "motion": motion,
        "park": move(last, machine.park, machine.slow_moves),
    }
    found: list[PlanFinding] = []
    for phase, path in phases.items():
        found += _outside(envelope, path, phase, plan.scenario.period_s, report)
    shortest, longest, fastest = _extent(machine.geometry, motion, plan.scenario.period_s)
    loaded = check_machine(plan.rig, motion, plan.scenario.period_s)
    if loaded is not None:
        found += map(_loaded, loaded.findings)
    tried_s = 0.0
    if not found:
        tried_s, objections = _tried(plan, motion, report)
        found += objections
    return PlatformProof(
        duration_s=motion.duration_s,
        length_min_m=shortest,
        length_max_m=longest,
        leg_speed_max_m_s=fastest,
        gate_tried_s=tried_s,
        violations=tuple(found),
        machine=None if loaded is None else loaded.figures,
    )


def _outside(
    envelope: Envelope, path: MotionSource, phase: str, period_s: float, report: ReportProgress
) -> list[PlanFinding]:
    """Violations of the envelope: one finding for each limit and leg."""
    found: dict[tuple[str, int | None], PlanFinding] = {}
    for times_s in blocks(path.duration_s, period_s):
        report(f"envelope, {phase}", float(times_s[0]), path.duration_s)
        looked_at = times_s
        if isinstance(path, FadedMotion):
            rows = path.rows(np.minimum(times_s, path.duration_s))
            looked_at = times_s[~envelope.inside(rows[:, 0], rows[:, 1], rows[:, 2])]
        for t_s in looked_at.tolist():
            _keep_worst(found, envelope.check(path.sample(t_s)), phase, t_s)
    return sorted(found.values(), key=lambda finding: finding.t_s)


def _keep_worst(
    found: dict[tuple[str, int | None], PlanFinding],
    violations: Iterable[EnvelopeViolation],
    phase: str,
    t_s: float,
) -> None:
    """Merge violations: of each limit and leg the first time and the worst value."""
    for violation in violations:
        key = (violation.quantity, violation.leg)
        new = _finding(violation, phase, t_s)
        old = found.get(key)
        if old is None:
            found[key] = new
        elif abs(new.value - new.limit) > abs(old.value - old.limit):
            found[key] = replace(new, t_s=old.t_s)


def _finding(violation: EnvelopeViolation, phase: str, t_s: float) -> PlanFinding:
    return PlanFinding(
        phase=phase,
        t_s=t_s,
        quantity=violation.quantity,
        leg=violation.leg,
        value=violation.value,
        limit=violation.limit,
        unit=violation.unit,
        message=str(violation),
    )


def _loaded(finding: MachineFinding) -> PlanFinding:
    one = finding.excess
    return PlanFinding(
        "machine", one.first_s, finding.quantity, one.leg, one.value, one.limit, finding.unit,
        str(finding),
    )  # fmt: skip


def _extent(
    geometry: HexapodGeometry, motion: MotionSource, period_s: float
) -> tuple[float, float, float]:
    """Shortest and longest leg [m] and greatest speed of one [m/s] throughout the motion."""
    lengths: list[Floats] = []
    speeds: list[Floats] = []
    for times_s in blocks(motion.duration_s, period_s):
        if isinstance(motion, FadedMotion):
            rows = motion.rows(np.minimum(times_s, motion.duration_s))
            at_ends = _extreme(*leg_setpoints_batch(geometry, rows[:, 0], rows[:, 1]))
        else:
            at_ends = np.ones(len(times_s), dtype=np.bool_)
        for t_s in times_s[at_ends].tolist():
            leg = leg_setpoint(geometry, motion.sample(t_s))
            lengths.append(leg.length_m)
            speeds.append(leg.speed_m_s)
    return (
        float(np.min(lengths)),
        float(np.max(lengths)),
        float(np.abs(speeds).max()),
    )


def _extreme(lengths: Floats, speeds: Floats) -> NDArray[np.bool_]:
    """Rows with an extreme of a block, but for rounding, shape (N,)."""
    low, high, fast = lengths.min(axis=1), lengths.max(axis=1), np.abs(speeds).max(axis=1)
    near = (low <= low.min() + ROUNDING) | (high >= high.max() - ROUNDING)
    return near | (fast >= fast.max() - ROUNDING)


class _NoStopRequest:
    """Stop request that never comes: Ctrl-C breaks a check off instead of parking its run."""

    asked = None


def _tried(
    plan: Plan, motion: MotionSource, report: ReportProgress
) -> tuple[float, list[PlanFinding]]:
    """Time of a motion that was tried with gate and drives [s], and the gate's objections.

    Of a long one, every setpoint of which is inside the envelope, the parts that are hardest for
    the gate are tried; if it objects to any, all is, so that times and causes are those of a run.
    """
    if isinstance(motion, FadedMotion) and motion.duration_s > WHOLE_MAX_S:
        machine, period_s = machine_of(plan), plan.scenario.period_s
        hard_s = hardest_s(motion, machine.geometry, gate_limits(plan.rig, period_s))
        parts = excerpts(motion, hard_s, machine.slow_moves)
        if not _dry_run(plan, parts, report):
            return parts.duration_s, []
    return motion.duration_s, _dry_run(plan, motion, report)


def _dry_run(plan: Plan, motion: MotionSource, report: ReportProgress) -> list[PlanFinding]:
    """Objections of the gate in a run on simulated drives."""
    devices = plan.scenario.devices.model_copy(update={"drives": "sim:"})
    scenario = plan.scenario.model_copy(
        update={"clock": "virtual", "faults": (), "devices": devices}
    )
    rig = plan.rig.model_copy(update={"body": ()})  # nobody reads the forces of its rows
    total_s = expected_duration_s(plan, motion)
    with WorkFolder("hil-check-") as work:
        result = run(
            plan.model_copy(update={"scenario": scenario, "rig": rig}),
            work.path,
            motion=motion,
            console=ReportingConsole(
                lambda t_s, _: report("dry run through the gate", min(t_s, total_s), total_s)
            ),
            stop=nullcontext(_NoStopRequest()),
        )
    found = [
        PlanFinding("gate", t_s, v.check.name.lower(), v.leg, v.value, v.limit, v.unit, str(v))
        for t_s, v in result.violations
    ]
    if not found and result.outcome is not Outcome.COMPLETED:
        found.append(PlanFinding("gate", 0.0, "run", None, 0.0, 0.0, "", result.reason))
    return found
