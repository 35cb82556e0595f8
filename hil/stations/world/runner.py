"""What the verbs show of the virtual environment: a proof, a run and how it went."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hil.diagram.run.changer import Inbox
from hil.diagram.run.saved_file import saved_diagram
from hil.run.end import Ran
from hil.run.station import Checked, Request
from hil.stations.world.led import how_to_lead
from hil.stations.world.loop import WorldFigures
from hil.stations.world.planned_settings import HoldMotion
from hil.stations.world.scenario import WorldPlan
from hil.stations.world.session import prove, run_world
from hil.stations.world.showing import (
    RunPages,
    VideoProgress,
    errors_told,
    run_told,
    show_check,
    show_losses,
    show_run,
)
from hil.stations.world.told_runs import WorldCheckTold
from hil.terminal.afterwards import Afterwards
from hil.terminal.console import err, styled, waiting

if TYPE_CHECKING:
    pass

VERSIONED = ("numpy", "mujoco-core", "ruckig", "mcap")


def check(plan: WorldPlan, request: Request) -> Checked:
    """Prove the whole motion: gate, drives and engine, ahead of time.

    Raises:
        RefusedError: if it cannot be made at all.
    """
    _tell_cost(plan)
    _tell_losses(plan, quiet=request.as_json)
    with waiting("running the motion ahead, to prove it", quiet=request.as_json):
        bench, figures = prove(plan)
    ok = figures.ok and not figures.violations
    told = WorldCheckTold(
        ok=ok, robot=plan.robot.name or plan.scenario.robot,
        duration_s=bench.source.duration_s or 0.0,
        reason=next(iter(figures.violations), figures.reason), contacts=figures.contacts,
        violations=figures.violations, losses=list(plan.losses), **errors_told(figures),
    )  # fmt: skip
    return Checked(ok=ok, told=told, show=partial(show_check, plan, told))


def _tell_losses(plan: WorldPlan, *, quiet: bool) -> None:
    if not quiet:
        show_losses(plan.losses)


def _tell_cost(plan: WorldPlan) -> None:
    """Say it if ticks of the plan's diagram take longer than they have.

    Raises:
        RefusedError: if the scenario refuses that.
    """
    use = plan.scenario.diagram
    if use is None or plan.diagram is None:
        return
    from hil.diagram.analysis.cost import judge_cost, tick_cost
    from hil.timing.realtime import RealClock

    cost = tick_cost(plan.diagram.sound, RealClock().now_s)
    if told := judge_cost(cost, use.too_slow, str(plan.diagram.path)):
        err.print(styled("yellow", told), soft_wrap=True)


def run_plan(plan: WorldPlan, request: Request) -> Ran:
    """Run a plan.

    Raises:
        RefusedError: if the motion is refused; nothing has moved.
    """
    quiet = request.quiet
    _tell_losses(plan, quiet=quiet)
    if plan.scenario.clock == "real":
        _tell_cost(plan)
    plain = None
    if not request.dry:
        with waiting("running the motion ahead, to prove it", quiet=quiet):
            plain = _plain(plan)
    for line in how_to_lead(plan) if not quiet else ():
        err.print(line, soft_wrap=True)
    with ExitStack() as stack:
        edits = None
        inbox: Inbox | None = None
        if request.options.get("--edit") and plan.diagram is not None:
            saved = saved_diagram(plan.diagram, plan.scenario.diagram, _say)
            inbox = stack.enter_context(saved).next
        elif request.options.get("--edit"):
            from hil.stations.world.editing.builder import BuilderProcess  # Linux only

            edits = stack.enter_context(BuilderProcess(plan, plan.scenario.robot))
        result = run_world(
            plan,
            request.folder,
            _progress(plan, request),
            edits=edits,
            changes=inbox,
            operator=request.operator,
        )
    after = Afterwards(result.end)
    shown = _shown(request, result.recorder.path, after)
    told = run_told(result, plain, shown)
    return Ran(end=after.end, told=told, show=partial(show_run, result, told, shown))


def _progress(plan: WorldPlan, request: Request) -> Callable[[float], object] | None:
    """What is given the time of a run now and then [s]."""
    if (report := request.progress) is not None:
        return lambda t_s: report(t_s, t_s)
    on_terminal = not request.quiet and not plan.live and sys.stderr.isatty()
    return partial(_tell, plan.scenario.name) if on_terminal else None


def _say(words: str) -> None:
    err.print(styled("yellow", words), soft_wrap=True)


def _shown(request: Request, path: Path, after: Afterwards) -> RunPages:
    """Draw what was asked for of a recording."""
    video = request.options.get("--video")
    page = after.make("report", partial(_write_report, path)) if request.report else None
    if video is not None:
        video = after.make("video", partial(_film, path, video, quiet=request.as_json))
    return RunPages(page, video, after.failed.get("video", ""))


def _write_report(path: Path) -> Path:
    from hil.recording.reader import Recording
    from hil.report.page import write_report

    return write_report(Recording.open(path), path.parent)


def _film(path: Path, to: str, *, quiet: bool) -> str:
    from hil.recording.reader import Recording
    from hil.stations.world.filming import film
    from hil.stations.world.recorded import RecordedWorld

    tell = (lambda _: None) if quiet else VideoProgress()
    film(RecordedWorld.of(Recording.open(path)), Path(to), tell)
    return to


def _plain(plan: WorldPlan) -> WorldFigures | None:
    """How plain PID does; None if there is no motion to follow twice.

    Somebody leads, who cannot do the same again, or a diagram does something else.
    """
    if plan.live or (plan.diagram is not None and isinstance(plan.scenario.motion, HoldMotion)):
        return None
    return prove(plan, "pid" if plan.scenario.law != "pd" else "pd")[1]


def _tell(name: str, t_s: float) -> None:
    err.print(f"{name}: {t_s:.1f} s", end="\r")
