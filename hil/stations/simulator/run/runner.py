"""`hil run` and `hil check` for a ride."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

import numpy as np

from hil.config.errors import RefusedError
from hil.run.console import Console
from hil.run.station import Checked, Request
from hil.stations.platform.bench.run_sequence import PreparedPlan
from hil.stations.platform.lead.assembly import require_operable
from hil.stations.platform.proof.check import PlanFinding, PlatformProof
from hil.stations.platform.run.check_report import load_line
from hil.stations.platform.run.machine_report import add_machine, show_machine
from hil.stations.simulator.options import OPTIONS
from hil.stations.simulator.plan.scenario import RidePlan, load_ride
from hil.stations.simulator.run.bench import ride_of
from hil.stations.simulator.run.rehearsal import Rehearsal, require_known_ahead
from hil.stations.simulator.run.ride_proof import judge, unknown_words
from hil.stations.simulator.run.ride_summaries import RideCheckSummary
from hil.stations.simulator.run.warm import warm_ride
from hil.terminal.console import out, styled, waiting

LOST = "lost"
"""Quantity of a finding that is no limit: the source was not followed to its end."""


def plan_of(request: Request) -> RidePlan:
    """Return the plan of a request.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    if request.dry:
        require_known_ahead(load_ride(request.file))
    plan = load_ride(request.file, request.changes(OPTIONS))
    return plan.model_copy(update={"trusted": bool(request.options.get("--trust"))})


def prepare(plan: RidePlan, request: Request, console: Console) -> PreparedPlan:
    """Prove what is known of a ride; raises as the platform's does."""
    if request.operator:
        require_operable(plan)
    warm_ride(quiet=console.quiet)
    if plan.scenario.checks_first and not request.dry:
        _refuse_if_unproved(plan, quiet=request.as_json)
    return ride_of(plan, by_itself=not request.operator).prepared


def checked(plan: RidePlan, request: Request) -> Checked:
    """Prove what `hil check` wants: all of a ride that is known, else how it begins and ends."""
    warm_ride(quiet=request.as_json)
    with waiting("proving the ride", quiet=request.as_json):
        proof, ride = judge(plan)
    if ride is None:
        summary = RideCheckSummary(
            ok=proof.ok, duration_s=None, length_min_m=None, length_max_m=None,
            leg_speed_max_m_s=None, governed_share=None, margin_min=None,
            violations=list(proof.violations),
        )  # fmt: skip
        add_machine(summary, proof.machine)
        return Checked(ok=proof.ok, values=summary, show=partial(_show_live, plan, proof))
    found = [*proof.violations, *_lost(ride)]
    margins = ride.margin[np.isfinite(ride.margin)]
    summary = RideCheckSummary(
        ok=not found,
        duration_s=ride.duration_s,
        length_min_m=proof.length_min_m,
        length_max_m=proof.length_max_m,
        leg_speed_max_m_s=proof.leg_speed_max_m_s,
        governed_share=float(ride.active.mean()),
        margin_min=float(margins.min()) if len(margins) else None,
        violations=found,
    )
    add_machine(summary, proof.machine)
    return Checked(ok=not found, values=summary, show=partial(_show, plan, summary, proof))


def _refuse_if_unproved(plan: RidePlan, *, quiet: bool) -> None:
    with waiting("proving the ride", quiet=quiet):
        proof, ride = judge(plan)
    if not proof.ok:
        raise RefusedError("\n".join(one.message for one in proof.violations))
    if ride is None and not quiet:
        out.print(unknown_words(plan), soft_wrap=True)


def _lost(ride: Rehearsal) -> list[PlanFinding]:
    if not ride.lost:
        return []
    when_s = float(ride.t_s[-1])
    return [PlanFinding("motion", when_s, LOST, None, 0.0, 0.0, "", ride.lost)]


def _show_live(plan: RidePlan, proof: PlatformProof) -> None:
    colour, word = ("green", "ok") if proof.ok else ("red", "refused")
    out.print(styled(colour, word), f": {plan.scenario.name} on {plan.rig.name}", sep="")
    out.print(unknown_words(plan), soft_wrap=True)
    show_machine(proof.machine)
    _show_findings(proof.violations)


def _show(plan: RidePlan, summary: RideCheckSummary, proof: PlatformProof) -> None:
    colour, word = ("green", "ok") if summary["ok"] else ("red", "refused")
    words = f": {plan.scenario.name} on {plan.rig.name}, {proof.duration_s:.2f} s of ride"
    out.print(styled(colour, word), words, sep="")
    out.print(f"legs {proof.length_min_m:.4f} to {proof.length_max_m:.4f} m, ", end="")
    out.print(f"at most {proof.leg_speed_max_m_s:.4f} m/s")
    show_machine(proof.machine)
    if proof.gate_tried_s > 0.0:
        out.print(load_line(plan), soft_wrap=True)
    out.print(f"governor active in {100.0 * (summary['governed_share'] or 0.0):.1f} % of it")
    _show_findings(summary["violations"])


def _show_findings(found: Iterable[PlanFinding]) -> None:
    for one in found:
        out.print(f"{one.phase:>7} {one.t_s:8.3f} s  {one.message}", soft_wrap=True)
