"""`hil check`: shows the proof of a plan, with changes that make a refused motion fit."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from hil.run.station import Checked, Request
from hil.stations.platform.cycle.kernel_warmup import warm_and_say
from hil.stations.platform.fit.fit_summaries import Advice, nothing_fits
from hil.stations.platform.fit.motion_fit import FIT_FLAG, SHOWN, show_advice, try_fit
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.proof.check import PlatformProof, ReportProgress, check_plan
from hil.stations.platform.proof.summaries import CheckSummary
from hil.stations.platform.run.machine_report import add_machine, show_machine
from hil.terminal.console import err, out, styled, waiting


def checked(plan: Plan, request: Request) -> Checked:
    """Prove a plan; for a refused one show, or apply, changes that make it fit."""
    warm_and_say(quiet=request.as_json)
    with waiting("reading the motion", quiet=request.as_json):
        motion = motion_of(plan)
    with _progress(motion.duration_s, quiet=request.as_json) as report:
        proof, advice = check_plan(plan, motion, report), None
    if not proof.ok:
        fit = try_fit(plan, motion, quiet=request.as_json)
        if fit is not None:
            advice = Advice.of(fit, "check", request)
            if request.options.get(FIT_FLAG) and not fit.guesses:
                plan, proof = fit.plan, fit.proof
    summary = CheckSummary(
        ok=proof.ok,
        duration_s=proof.duration_s,
        length_min_m=proof.length_min_m,
        length_max_m=proof.length_max_m,
        leg_speed_max_m_s=proof.leg_speed_max_m_s,
        gate_tried_s=proof.gate_tried_s,
        violations=list(proof.violations),
        fit=None if advice is None else advice.data,
    )
    add_machine(summary, proof.machine)
    return Checked(ok=proof.ok, values=summary, show=partial(_show_check, plan, proof, advice))


@contextmanager
def _progress(motion_s: float, *, quiet: bool) -> Iterator[ReportProgress]:
    """Show a bar of the proof on a terminal; else a line once it takes long."""
    if quiet or not err.is_terminal:
        with waiting("proving the motion", quiet=quiet):
            yield lambda _phase, _t_s, _total_s: None
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:.0f} of {task.total:.0f} s"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=err, transient=True) as bar:
        task = bar.add_task("proving the motion", total=motion_s)
        yield lambda phase, t_s, total_s: bar.update(
            task, description=phase, completed=t_s, total=total_s
        )


def load_line(plan: Plan) -> str:
    """Line about the load on the rods of a proof's simulated drives."""
    if world := plan.scenario.world:
        return f"judged loaded: the rods carry the world {Path(world).stem}"
    if plan.rig.body:
        return (
            "forces judged by the rig's bodies; gate and drives tried with each simulated rod by "
            "itself; --world SCENE puts a load on all six"
        )
    return "judged weightless: each simulated rod by itself; --world SCENE puts a load on all six"


def _show_check(plan: Plan, result: PlatformProof, advice: Advice | None) -> None:
    colour, word = ("green", "ok") if result.ok else ("red", "refused")
    text = f": {plan.scenario.name} on {plan.rig.name}, {result.duration_s:.2f} s of motion"
    out.print(styled(colour, word), text, sep="")
    out.print(f"legs {result.length_min_m:.4f} to {result.length_max_m:.4f} m, ", end="")
    out.print(f"at most {result.leg_speed_max_m_s:.4f} m/s")
    show_machine(result.machine)
    if result.gate_tried_s > 0.0:
        out.print(load_line(plan), soft_wrap=True)
    if 0.0 < result.gate_tried_s < result.duration_s:
        text = f"{result.gate_tried_s:.0f} s: beginning, end, and the hardest parts"
        out.print(f"of all that, gate and drives were tried with {text}")
    for finding in result.violations[:SHOWN]:
        out.print(f"{finding.phase:>7} {finding.t_s:8.3f} s  {finding.message}")
    if len(result.violations) > SHOWN:
        out.print(f"and {len(result.violations) - SHOWN} more; --json lists all")
    show_advice(advice)
    if advice is None and not result.ok:
        out.print(nothing_fits(plan))
