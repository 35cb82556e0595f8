"""Runs of the platform: proof, play and summary."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from pathlib import Path

import numpy as np

from drives.bank import DriveAbsentError, DriveError, LinkError
from hil.config.errors import DEVICE_ABSENT, RefusedError
from hil.machines.rig.buses import bus_of
from hil.machines.rig.drive_reference import NotReferencedError
from hil.recording.reader import Recording
from hil.run.console import Console
from hil.run.end import Conclusion
from hil.run.evidence import evidence_of
from hil.run.run import Opening
from hil.run.station import Request, Summary
from hil.stations.platform.bench.bench import expected_duration_s, play_plan
from hil.stations.platform.bench.run_sequence import (
    WHOLE_COURSE,
    PreparedPlan,
    RunResult,
    RunSequence,
)
from hil.stations.platform.cycle.kernel_warmup import warm_and_say
from hil.stations.platform.drives.certificate import NotCommissionedError
from hil.stations.platform.fit.fit_summaries import Advice
from hil.stations.platform.fit.motion_fit import (
    FIT_FLAG,
    MotionRefusedError,
    add_advice,
    find_fit_after,
    fit_plan,
    show_advice,
    try_fit,
)
from hil.stations.platform.lead.assembly import NoDeskError, require_operable
from hil.stations.platform.plan.motion_build import motion_of
from hil.stations.platform.plan.scenario import Plan
from hil.stations.platform.proof.check import check_plan
from hil.stations.platform.run.run_summary import NO_FIGURES, Figures, show_run, summarize_run
from hil.terminal.run_products import Afterwards

_REFUSALS = (DriveError, NotCommissionedError, NotReferencedError, NoDeskError)


def prepare(plan: Plan, request: Request, console: Console) -> PreparedPlan:
    """Prove the motion of `hil run`; the refusal of one that does not fit has the remedy.

    Raises:
        ConfigError: if the plan cannot be run as described.
        RefusedError: if the motion is refused; nothing has moved.
    """
    if request.options.get(FIT_FLAG):
        warm_and_say(quiet=console.quiet)
        plan = fit_plan(plan, request)
    try:
        return proved(plan, console, operator=request.operator, request=request)
    except MotionRefusedError as refused:
        if request.dry:
            raise
        fit = try_fit(refused.plan, refused.motion, quiet=request.as_json)
        raise add_advice(refused, fit, request) from refused


def proved(
    plan: Plan,
    console: Console,
    course: RunSequence = WHOLE_COURSE,
    *,
    operator: bool = False,
    request: Request | None = None,
) -> PreparedPlan:
    """Plan with its motion, proved where its scenario wants that; raises as `prepare`."""
    if operator:
        require_operable(plan)
    warm_and_say(quiet=console.quiet)
    motion = motion_of(plan, whole=plan.scenario.checks_first)
    if plan.scenario.checks_first:
        proof = check_plan(plan, motion)
        if not proof.ok:
            raise MotionRefusedError(proof, plan, motion)
    total_s = expected_duration_s(plan, motion)
    return PreparedPlan(plan, motion, course, None, total_s, request)


def play(prepared: PreparedPlan, opening: Opening) -> Callable[[Conclusion], "Done"]:
    """Play a plan within an opening.

    Raises:
        RefusedError: if the drives do not answer, or refuse; nothing has moved.
    """
    try:
        finish = play_plan(prepared, opening)
    except (LinkError, DriveAbsentError) as error:
        url = prepared.plan.drives_url
        text = f"nothing has moved: the drives at {url} are not there: {error}"
        raise RefusedError(text, DEVICE_ABSENT, url=url, says=str(error)) from error
    except _REFUSALS as error:
        raise RefusedError(f"nothing has moved: {error}") from error
    return lambda end: (prepared, finish(end))


Done = tuple[PreparedPlan, RunResult]
"""Plan that was played, and its result."""


def summary(done: Done, after: Afterwards) -> Summary:
    """Sum up a run; one that its motion stopped has advice on what makes that fit."""
    prepared, result = done
    plan, request = prepared.plan, prepared.request
    path = result.recorder.path
    figures = after.make("figures", partial(_figures, plan, path)) or NO_FIGURES
    fit = None
    if request is not None and not request.dry:
        fit = find_fit_after(plan, result, quiet=request.as_json)
    advice = None if fit is None or request is None else Advice.of(fit, "run", request)
    run_summary = summarize_run(plan, result, figures)
    run_summary["fit"] = None if advice is None else advice.data

    def show() -> None:
        show_run(plan, result, figures)
        show_advice(advice)

    return Summary(run_summary, show)


def _figures(plan: Plan, path: Path) -> Figures:
    recording, closed_length_m = Recording.open(path), plan.rig.cylinders.closed_length_m
    return Figures.of(recording, evidence_of(recording, np.array(closed_length_m)))


@contextmanager
def emulated(prepared: PreparedPlan) -> Iterator[tuple[PreparedPlan, str]]:
    """Plan with emulated drives, on the same kind of wire, in place of its own; their URL."""
    from hil.stations.platform.drives.rack import emulated_rack

    plan = prepared.plan
    url = plan.drives_url
    with emulated_rack(bus_of(url).protocol, plan.rig_file, buses=len(url.split())) as stand_in:
        devices = plan.scenario.devices.model_copy(update={"drives": stand_in, "in_place_of": url})
        scenario = plan.scenario.model_copy(update={"devices": devices})
        yield replace(prepared, plan=plan.model_copy(update={"scenario": scenario})), stand_in
