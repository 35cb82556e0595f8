"""A run as `hil run` makes it: with its progress, what is waited for, and how it went."""

import math
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from drives.bank import DriveAbsentError, DriveError, LinkError
from hil.config.errors import DEVICE_ABSENT, RefusedError
from hil.recording.reader import Recording
from hil.run.end import Ran
from hil.run.evidence import evidence_of
from hil.run.station import Request
from hil.stations.platform.bench import expected_duration_s, run
from hil.stations.platform.check import check_plan
from hil.stations.platform.course import WHOLE_COURSE, RunResult, RunSequence
from hil.stations.platform.drives.certificate import NotCommissionedError
from hil.stations.platform.drives.reference import NotReferencedError
from hil.stations.platform.drives.setup import protocol_of
from hil.stations.platform.extension import Extension
from hil.stations.platform.fit.told import Advice
from hil.stations.platform.fitting import (
    FIT_FLAG,
    MotionRefusedError,
    fit_after,
    fitted_plan,
    look_for_fit,
    show_advice,
    with_advice,
)
from hil.stations.platform.motion.build import motion_of
from hil.stations.platform.motion.source import MotionSource
from hil.stations.platform.operator.assembly import NoDeskError, require_operable
from hil.stations.platform.scenario import Plan
from hil.stations.platform.shown import NO_FIGURES, Figures, report_of, run_told, show_run
from hil.stations.platform.waits import Announcer
from hil.stations.platform.warm import warm
from hil.terminal.afterwards import Afterwards
from hil.terminal.console import err, waiting
from hil.terminal.stand_in import run_or_stand_in
from hil.timing.stop import StopSignals, StopWish


@dataclass(frozen=True, slots=True, eq=False)
class Added:
    """What another station adds to a run of the platform."""

    extension: Extension
    """Its part of the run."""
    motion: MotionSource
    """What it plays."""
    total_s: float
    """About how long the run takes [s]; infinite if that is not known."""


_REFUSALS = (DriveError, NotCommissionedError, NotReferencedError, NoDeskError)


def run_asked(plan: Plan, request: Request) -> Ran:
    """Run what `hil run` wants; one that its motion stops ends with what makes that fit."""
    if request.options.get(FIT_FLAG):
        warm_and_say(quiet=request.quiet)
        plan = fitted_plan(plan, request)
    try:
        return run_plan(
            plan,
            request.folder,
            report_too=request.report,
            as_json=request.quiet,
            operator=request.operator,
            request=None if request.dry else request,
            report=request.progress,
        )
    except MotionRefusedError as refused:
        if request.dry:
            raise
        fit = look_for_fit(refused.plan, refused.motion, quiet=request.as_json)
        raise with_advice(refused, fit, request) from refused


def run_plan(
    plan: Plan,
    folder: Path,
    *,
    report_too: bool,
    as_json: bool,
    operator: bool = False,
    request: Request | None = None,
    added: Added | None = None,
    report: Callable[[float, float], None] | None = None,
) -> Ran:
    """Run a plan, and prepare how it went to be shown.

    Args:
        as_json: whether nothing is said while it runs.
        request: that of `hil run`; then a motion that asked too much gets advice.
        added: what another station adds to the run.
        report: given the time of the run and that of its end [s], in place of a bar.
    """
    with ExitStack() as until_told:
        result = play(
            plan, folder, quiet=as_json, operator=operator, until_told=until_told, added=added,
            report=report,
        )  # fmt: skip
        after = Afterwards(result.end)
        path = result.recorder.path
        figures = after.make("figures", partial(_figures, plan, path)) or NO_FIGURES
        page = after.make("report", partial(report_of, path)) if report_too else None
        fit = None if request is None else fit_after(plan, result, quiet=as_json)
        advice = None if fit is None or request is None else Advice.of(fit, "run", request)
        summary = run_told(plan, result, figures, page)
        summary["fit"] = None if advice is None else advice.data

        def show() -> None:
            show_run(plan, result, figures, page)
            show_advice(advice)

        return Ran(end=after.end, told=summary, show=show, until_told=until_told.pop_all())


def _figures(plan: Plan, path: Path) -> Figures:
    recording, closed_length_m = Recording.open(path), plan.rig.cylinders.closed_length_m
    return Figures.of(recording, evidence_of(recording, np.array(closed_length_m)))


def play(
    plan: Plan,
    folder: Path,
    *,
    quiet: bool,
    course: RunSequence = WHOLE_COURSE,
    operator: bool = False,
    until_told: ExitStack | None = None,
    added: Added | None = None,
    report: Callable[[float, float], None] | None = None,
) -> RunResult:
    """Run a plan with its progress on standard error; emulated drives step in if it allows it.

    Args:
        folder: in which the run gets a folder of its own.
        operator: whether a person leads the run.
        until_told: left once the result is told; until then a signal that asks for the end of a
            run that is over does not take its result away. Left out, until the run is over.
        added: what another station adds to the run, with the motion that it plays.
        report: given the time of the run and that of its end [s], in place of a bar.

    Raises:
        ConfigError: if the plan cannot be run as described.
        RefusedError: if the motion is refused, or the drives are not there; nothing has moved.
    """
    if operator:
        require_operable(plan)
    warm_and_say(quiet=quiet)
    whole = plan.scenario.checks_first
    motion = motion_of(plan, whole=whole) if added is None else added.motion
    if plan.scenario.checks_first and added is None:
        _refuse_if_unproved(plan, motion)
    total_s = expected_duration_s(plan, motion) if added is None else added.total_s

    def run_on(plan: Plan) -> RunResult:
        try:
            with _progress(plan, total_s, report, quiet=quiet, operator=operator) as progress:
                stop = _heard(until_told)
                return _run(
                    plan, folder, motion, progress, course, stop, operator=operator, quiet=quiet,
                    extension=None if added is None else added.extension,
                )  # fmt: skip
        except (LinkError, DriveAbsentError) as error:
            url = plan.drives_url
            text = f"nothing has moved: the drives at {url} are not there: {error}"
            raise RefusedError(text, DEVICE_ABSENT, url=url, says=str(error)) from error
        except _REFUSALS as error:
            raise RefusedError(f"nothing has moved: {error}") from error

    fallback = plan.scenario.devices.fallback
    return run_or_stand_in(run_on, plan, emulated, device="drives", fallback=fallback)


def _run(
    plan: Plan,
    folder: Path,
    motion: MotionSource,
    progress: Any,
    course: RunSequence,
    stop: AbstractContextManager[StopWish],
    *,
    operator: bool,
    quiet: bool,
    extension: Extension | None = None,
) -> RunResult:
    """Run a plan, and say on standard error what is waited for."""

    def say(line: str) -> None:
        if not quiet:
            err.print(line, soft_wrap=True)

    with Announcer(say) as tell:
        return run(
            plan,
            folder,
            motion=motion,
            progress=progress,
            stop=stop,
            course=course,
            operator=operator,
            tell=tell,
            extension=extension,
        )


@contextmanager
def _heard(until_told: ExitStack | None) -> Iterator[StopWish]:
    """Signals as a wish for the length of a run, and after a good one until its result is told."""
    with ExitStack() as run_only:
        yield run_only.enter_context(StopSignals())
        if until_told is not None:
            until_told.push(run_only.pop_all())


@contextmanager
def emulated(plan: Plan) -> Iterator[tuple[Plan, str]]:
    """The plan with emulated drives, on the same kind of wire, in place of its own; their URL."""
    from hil.stations.platform.drives.rack import emulated_rack

    url = plan.drives_url
    buses = len(url.split())
    with emulated_rack(protocol_of(url), plan.rig_file, buses=buses) as stand_in:
        devices = plan.scenario.devices.model_copy(update={"drives": stand_in, "in_place_of": url})
        scenario = plan.scenario.model_copy(update={"devices": devices})
        yield plan.model_copy(update={"scenario": scenario}), stand_in


def warm_and_say(*, quiet: bool) -> None:
    """Compile the platform's kernels with a word to the user: the first time takes a while."""
    words = "preparing kernels (the first run compiles them, about half a minute)"
    with waiting(words, quiet=quiet):
        warm()


def _refuse_if_unproved(plan: Plan, motion: MotionSource) -> None:
    proof = check_plan(plan, motion)
    if not proof.ok:
        raise MotionRefusedError(proof, plan, motion)


@contextmanager
def _progress(
    plan: Plan,
    total_s: float,
    report: Callable[[float, float], None] | None,
    *,
    quiet: bool,
    operator: bool = False,
) -> Iterator[Any]:
    """A progress bar for a dry run; in real time a line, for nothing may disturb the loop.

    Of a run that an operator leads nothing: how long it takes is not known.
    """
    if report is not None:
        yield lambda t_s: report(t_s, total_s)
    elif quiet or operator:
        yield None
    elif plan.scenario.clock == "real":
        about = f" for about {total_s:.0f} s" if math.isfinite(total_s) else ""
        err.print(f"running{about} in real time; Ctrl-C stops and parks")
        yield None
    elif not math.isfinite(total_s):
        with waiting(f"running {plan.scenario.name}", quiet=quiet):
            yield None
    else:
        columns = (
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:.0f} of {task.total:.0f} s"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=err) as bar:
            task = bar.add_task(plan.scenario.name, total=total_s)
            yield lambda t_s: bar.update(task, completed=min(t_s, total_s))
            bar.update(task, completed=total_s)
