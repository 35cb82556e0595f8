"""Verbs' view of the virtual environment: a proof, a run and its summary."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import NamedTuple

from hil.diagram.run.saved_file import watch_diagram_file
from hil.run.console import Console
from hil.run.end import Conclusion
from hil.run.run import Opening
from hil.run.station import Checked, Request, Summary
from hil.stations.world.cycle.extension import WorldExtension
from hil.stations.world.cycle.figures import WorldFigures
from hil.stations.world.lead.operator_access import operator_instructions
from hil.stations.world.plan.planned_motions import FreeMotion, HoldMotion
from hil.stations.world.plan.scenario import WorldPlan
from hil.stations.world.report.summaries import WorldCheckSummary
from hil.stations.world.run.session import WorldResult, play_world, prove
from hil.stations.world.run.world_output import (
    VideoProgress,
    show_check,
    show_losses,
    show_run,
    summarize_errors,
    summarize_run,
)
from hil.terminal.console import err, styled, waiting
from hil.terminal.run_products import Afterwards


def check(plan: WorldPlan, request: Request) -> Checked:
    """Prove the whole motion: gate, drives and engine, ahead of time.

    Raises:
        RefusedError: if the motion cannot be made at all.
    """
    _show_cost(plan)
    _show_losses(plan, quiet=request.as_json)
    with waiting("running the motion ahead, to prove it", quiet=request.as_json):
        bench, figures = prove(plan)
    ok = figures.ok and not figures.violations
    run_summary = WorldCheckSummary(
        ok=ok, robot=plan.robot.name or plan.scenario.robot,
        duration_s=bench.source.duration_s or 0.0,
        reason=next(iter(figures.violations), figures.reason), contacts=figures.contacts,
        violations=figures.violations, losses=list(plan.losses), **summarize_errors(figures),
    )  # fmt: skip
    return Checked(ok=ok, values=run_summary, show=partial(show_check, plan, run_summary))


def _show_losses(plan: WorldPlan, *, quiet: bool) -> None:
    if not quiet:
        show_losses(plan.losses)


def _show_cost(plan: WorldPlan) -> None:
    """Report it if ticks of the plan's diagram take longer than they may.

    Raises:
        RefusedError: if the scenario refuses that.
    """
    use = plan.scenario.diagram
    if use is None or plan.diagram is None:
        return
    from hil.diagram.analysis.cost import judge_cost, tick_cost
    from hil.timing.realtime import RealClock

    cost = tick_cost(plan.diagram.sound, RealClock().now_s)
    if warning := judge_cost(cost, use.too_slow, str(plan.diagram.path)):
        err.print(styled("yellow", warning), soft_wrap=True)


@dataclass(frozen=True, slots=True, eq=False)
class PreparedWorld:
    """Proved plan, with the request for its run."""

    plan: WorldPlan
    """Plan of the run."""
    request: Request
    """Request of the person who starts the run."""
    plain: WorldFigures | None
    """Figures of plain PID; None if they were not asked for."""
    extension: WorldExtension | None = None
    """Additions of another station."""

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self.plan.name

    @property
    def clock(self) -> str:
        """Clock of the run, ``"virtual"`` or ``"real"``."""
        return self.plan.clock


def prepare(plan: WorldPlan, request: Request, console: Console) -> PreparedWorld:
    """Prove a plan, by plain PID besides its own law.

    Raises:
        RefusedError: if the motion is refused; nothing has moved.
    """
    _show_losses(plan, quiet=console.quiet)
    if plan.clock == "real":
        _show_cost(plan)
    plain = None
    if not request.dry:
        with console.waiting("running the motion ahead, to prove it"):
            plain = _plain(plan)
    return PreparedWorld(plan, request, plain)


def play(prepared: PreparedWorld, opening: Opening) -> Callable[[Conclusion], Done]:
    """Play a plan; its document or diagram is taken anew each time it is saved, if requested."""
    plan, say = prepared.plan, opening.console.say
    for line in operator_instructions(plan):
        say(line)
    edits, inbox = None, None
    if prepared.request.options.get("--edit") and plan.diagram is not None:
        saved = watch_diagram_file(
            plan.diagram, plan.scenario.diagram, partial(say, style="yellow")
        )
        inbox = opening.enter(saved).next
    elif prepared.request.options.get("--edit"):
        from hil.stations.world.editing.builder import BuilderProcess  # Linux only

        edits = opening.enter(BuilderProcess(plan, plan.scenario.robot))
    finish = play_world(plan, opening, edits=edits, changes=inbox, extension=prepared.extension)
    return lambda end: Done(finish(end), prepared)


class Done(NamedTuple):
    """Result of a run, with its plan."""

    result: WorldResult
    prepared: PreparedWorld


def summary(done: Done, after: Afterwards) -> Summary:
    """Sum up a run, and draw its film if one was asked for."""
    path, request = done.result.recorder.path, done.prepared.request
    video = request.options.get("--video")
    if video is not None:
        film = partial(_film, path, video, quiet=request.as_json)
        video = after.make("video", film)
    run_summary = summarize_run(
        done.result, done.prepared.plain, video, after.failed.get("video", "")
    )
    return Summary(run_summary, partial(show_run, done.result, run_summary))


def _film(path: Path, to: str, *, quiet: bool) -> str:
    from hil.recording.reader import Recording
    from hil.stations.world.view.recorded_world import RecordedWorld
    from hil.stations.world.view.run_film import film

    report = (lambda _: None) if quiet else VideoProgress()
    film(RecordedWorld.of(Recording.open(path)), Path(to), report)
    return to


def _plain(plan: WorldPlan) -> WorldFigures | None:
    """Figures of plain PID; None if there is no motion to follow twice.

    An operator cannot repeat his motion, and a diagram may follow none.
    """
    still = isinstance(plan.scenario.motion, HoldMotion | FreeMotion)
    if plan.live or (plan.diagram is not None and still):
        return None
    return prove(plan, "pid" if plan.scenario.law != "pd" else "pd")[1]
