"""What the verbs show of the virtual environment: a proof, a run and how it went."""

from __future__ import annotations

import sys
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hil.config.errors import RefusedError
from hil.diagram.changer import DiagramChanger, Inbox
from hil.diagram.panel_page import asked_or_saved, refusals_to, shown_signals
from hil.diagram.saved import saved_diagram
from hil.recording.header import RunHeader
from hil.recording.signals import SignalsError
from hil.run.facts import run_facts
from hil.run.journal import Journal
from hil.run.run import Opening, play
from hil.run.station import Checked, Request, Tried
from hil.stations.world.bench import WorldBench, open_bench
from hil.stations.world.editing.editor import EditQueue, RunEditor, TimedEdits
from hil.stations.world.led import desk_for, how_to_lead, led_by
from hil.stations.world.loop import BetweenSteps, WorldFigures, WorldRun
from hil.stations.world.pictures import PicturesError
from hil.stations.world.planned_settings import HoldMotion
from hil.stations.world.requested import plan_of
from hil.stations.world.scenario import (
    WorldLaw,
    WorldPlan,
    load_world_plan,
)
from hil.stations.world.showing import (
    RunPages,
    VideoProgress,
    errors_told,
    run_told,
    show_check,
    show_run,
)
from hil.stations.world.signals import STATION, world_signals
from hil.stations.world.sources.opened import LiveMeans
from hil.stations.world.tapping import tapped
from hil.stations.world.told_runs import WorldCheckTold
from hil.terminal.console import err, print_json, styled, waiting
from hil.timing.clock import Clock, ReportingClock, VirtualClock, moment

if TYPE_CHECKING:
    from hil.recording.recorder import RecorderResult
    from hil.recording.signals import Signals
    from hil.stations.world.live import LiveClock

VERSIONED = ("numpy", "mujoco-core", "ruckig", "mcap")


@dataclass(frozen=True, slots=True)
class WorldResult:
    """How a run went."""

    plan: WorldPlan
    """What was run."""
    figures: WorldFigures
    """How well."""
    recorder: RecorderResult
    """What was recorded."""
    step_s: float
    """Mean time of a step, gate, law and row in it."""
    overruns: int
    """Deadlines given up."""
    editor: RunEditor
    """What was edited while it ran."""
    changer: DiagramChanger | None = None
    """What was changed of its diagram; None if it has none."""

    @property
    def ok(self) -> bool:
        """Whether it came to its end, recorded whole."""
        return self.figures.ok and not self.recorder.failure


def prove(plan: WorldPlan, law: WorldLaw | None = None) -> tuple[WorldBench, WorldFigures]:
    """Run the motion ahead in a world of its own, unrecorded."""
    bench = open_bench(plan, law)
    between: list[BetweenSteps] = []
    if plan.edits:
        between.append(RunEditor(TimedEdits(plan, plan.edits)))
    if plan.changes and bench.law == "diagram":
        between.append(law_changes(DiagramChanger(plan.changes, plan.scenario.step_s)))
    run = WorldRun(bench, VirtualClock(), None, _signals(bench), between=between)
    play(run)
    return bench, run.figures


def check(request: Request) -> Checked:
    """Prove the whole motion: gate, drives and engine, ahead of time.

    Raises:
        RefusedError: if it cannot be made at all.
    """
    plan = plan_of(request)
    _tell_cost(plan)
    with waiting("running the motion ahead, to prove it", quiet=request.as_json):
        bench, figures = prove(plan)
    ok = figures.ok and not figures.violations
    told = WorldCheckTold(
        ok=ok, robot=plan.robot.name or plan.scenario.robot,
        duration_s=bench.source.duration_s or 0.0,
        reason=next(iter(figures.violations), figures.reason), contacts=figures.contacts,
        violations=figures.violations, **errors_told(figures),
    )  # fmt: skip
    return Checked(ok=ok, told=told, show=partial(show_check, plan, told))


def law_changes(changer: DiagramChanger) -> BetweenSteps:
    """Changes of the diagram that moves a robot, between the steps of its run."""
    from hil.stations.world.diagram_law import LawChanges  # seldom needed

    return LawChanges(changer)


def _tell_cost(plan: WorldPlan) -> None:
    """Say it if ticks of the plan's diagram take longer than they have.

    Raises:
        RefusedError: if the scenario refuses that.
    """
    use = plan.scenario.diagram
    if use is None or plan.diagram is None:
        return
    from hil.diagram.cost import judge_cost, tick_cost
    from hil.timing.realtime import RealClock

    cost = tick_cost(plan.diagram.sound, RealClock().now_s)
    if told := judge_cost(cost, use.too_slow, str(plan.diagram.path)):
        err.print(styled("yellow", told), soft_wrap=True)


def run(request: Request) -> bool:
    """Run a plan, show how it went, and say whether all went well.

    Raises:
        RefusedError: if the motion is refused; nothing has moved.
    """
    return run_plan(plan_of(request), request)


def run_plan(plan: WorldPlan, request: Request) -> bool:
    """Run a plan that is at hand, as a request says; otherwise as `run`."""
    quiet = request.as_json
    if plan.scenario.clock == "real":
        _tell_cost(plan)
    with waiting("running the motion ahead, to prove it", quiet=quiet):
        plain = _plain(plan)
    tell = None
    for line in how_to_lead(plan) if not quiet else ():
        err.print(line, soft_wrap=True)
    if not quiet and not plan.live and sys.stderr.isatty():
        tell = partial(_tell, plan.scenario.name)
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
            plan, request.folder, tell, edits=edits, changes=inbox, operator=request.operator
        )
    shown = _shown(request, result.recorder.path)
    if quiet:
        told = run_told(result, plain, shown)
        print_json(told)
    else:
        show_run(result, plain, shown)
    if shown.failure:
        err.print(styled("red", f"video: {shown.failure}"), soft_wrap=True)
        return False
    return result.ok


def _say(words: str) -> None:
    err.print(styled("yellow", words), soft_wrap=True)


def _shown(request: Request, path: Path) -> RunPages:
    """Draw what was asked for of a recording; the run is over and counts, whatever fails here."""
    from hil.recording.reader import Recording

    page, video, failure = None, request.options.get("--video"), ""
    if request.report:
        from hil.report.page import write_report

        page = write_report(Recording.open(path), path.parent)
    if video is not None:
        from hil.stations.world.filming import film
        from hil.stations.world.recorded import RecordedWorld

        tell = (lambda _: None) if request.as_json else VideoProgress()
        try:
            film(RecordedWorld.of(Recording.open(path)), Path(video), tell)
        except PicturesError as error:
            video, failure = None, str(error)
    return RunPages(page, video, failure)


def dry_run(file: Path, out_dir: Path, tell: Callable[[float, float], None]) -> Tried:
    """Run it, whatever clock it names."""
    plan = load_world_plan(file, ['clock="virtual"'])
    result = run_world(plan, out_dir, lambda t_s: tell(t_s, t_s))
    reason = result.figures.reason or result.figures.ended
    return Tried(ok=result.ok, reason=reason, recording=result.recorder.path)


def run_world(
    plan: WorldPlan,
    folder: Path,
    tell: Callable[[float], object] | None = None,
    watch: Callable[[WorldBench, Journal], LiveClock] | None = None,
    edits: EditQueue | None = None,
    *,
    changes: Inbox | None = None,
    operator: bool = False,
    keys_fd: int | None = None,
) -> WorldResult:
    """Run a plan, recorded below a folder.

    Args:
        tell: told the time now and then [s].
        watch: makes the clock of a run that is watched, in place of the scenario's.
        edits: changed documents, as they come; those of the plan if left out.
        changes: of the diagram, as they come, beside those of the plan.
        operator: whether panels watch it, and one of them holds it if it is led.
        keys_fd: descriptor of the terminal whose keys lead; None for that of the program.

    Raises:
        RefusedError: if the motion cannot be made; nothing has moved.
        RecordingError: if the run cannot be recorded.
    """
    clock = _clock(plan)
    means = LiveMeans(clock.now_s, keys_fd=keys_fd)
    bench = open_bench(plan, live=means)
    facts = {
        "scenario": plan.scenario.name,
        "robot": plan.robot.name or plan.scenario.robot,
        "simulated": "robot",
        "clock": plan.scenario.clock,
        "period_s": repr(plan.scenario.step_s),
        "seed": str(plan.scenario.seed),
        **run_facts(plan.scenario.clock, moment(clock.now_s), VERSIONED),
        "station": STATION,
    }
    virtual = plan.scenario.clock == "virtual"
    with closing(bench.source), Opening(plan.scenario.name, folder, virtual=virtual) as opening:
        signals = _signals(bench)
        header = RunHeader(signals, facts, plan.told())
        led = opening.enter(desk_for(plan, header, clock.now_s)) if operator else None
        sink = opening.record(plan.scenario.recording, header)
        journal = Journal(sink, None if led is None else led.telemetry)
        opening.date(journal, clock)
        live = None if watch is None else watch(bench, journal)
        if live is not None:
            clock, live.ends = live, lambda: opening.wish.asked is not None
        paced = clock if tell is None else ReportingClock(clock, tell, 50)
        asked: Callable[[], str] = str
        if led is not None:
            asked = led_by(led, means, lambda: turning.bench, journal, opening.wish)
        editor = RunEditor(edits or TimedEdits(plan, plan.edits))
        editor.rehearse(bench)
        stopped = _stopped(opening, live, asked)
        between: list[BetweenSteps] = [editor]
        changer = None
        if plan.diagram is not None:
            beside = plan.scenario.clock == "real"
            if led is not None:
                changes = asked_or_saved(plan.diagram.version, led, changes)
            changer = DiagramChanger(plan.changes, plan.scenario.step_s, changes, beside=beside)
            if led is not None:
                changer.hear_refused = refusals_to(led)
            between.append(law_changes(changer))
            if beside:
                opening.enter(tapped(plan, bench))
        turning = WorldRun(bench, paced, journal, signals, stopped, between=between)
        if live is not None:
            live.world = lambda: turning.bench.world  # another one after an edit
        began = moment(clock.now_s).utc
        play(turning)
        passed_s = (moment(clock.now_s).utc - began).total_seconds()
        _tell_end(journal, turning.figures, turning.bench)
    steps = max(1, turning.figures.steps)
    return WorldResult(
        plan, turning.figures, opening.recorded(), passed_s / steps, clock.overruns, editor, changer
    )


def _stopped(
    opening: Opening, live: LiveClock | None, operator: Callable[[], str]
) -> Callable[[], str]:
    def why() -> str:
        if by_operator := operator():
            return by_operator
        asked = opening.wish.asked
        if asked is None and live is not None and live.closed:
            return "the window was closed"
        return "" if asked is None else f"asked for by {getattr(asked, 'name', asked)}"

    return why


def _plain(plan: WorldPlan) -> WorldFigures | None:
    """How plain PID does; None if there is no motion to follow twice.

    Somebody leads, who cannot do the same again, or a diagram does something else.
    """
    if plan.live or (plan.diagram is not None and isinstance(plan.scenario.motion, HoldMotion)):
        return None
    return prove(plan, "pid" if plan.scenario.law != "pd" else "pd")[1]


def _tell_end(journal: Journal, figures: WorldFigures, bench: WorldBench) -> None:
    data = {"outcome": figures.ended, "reason": figures.reason}
    words = figures.ended if not figures.reason else f"{figures.ended}: {figures.reason}"
    told = {key: value for one in bench.source.news() for key, value in one.data.items()}
    journal.put(bench.world.time_s, figures.steps, words, data | told)
    journal.service()


def _clock(plan: WorldPlan) -> Clock:
    if plan.scenario.clock == "virtual":
        return VirtualClock()
    from hil.timing.realtime import RealClock  # Linux only

    return RealClock()


def _signals(bench: WorldBench) -> Signals:
    joints = [drive.joint for drive in bench.robot.drives]
    pairs = list(zip(joints, bench.slides.tolist(), strict=True))
    moving, sensors = bench.world.coordinate_names(), bench.sensors.signals
    used = bench.plan.diagram if bench.law == "diagram" else None
    shown = () if used is None else shown_signals(used.file)
    try:
        return world_signals(pairs, bench.plan.scenario.control, moving, sensors, shown)
    except SignalsError as error:
        raise RefusedError(f"robot {bench.plan.scenario.robot}: {error}") from None


def _tell(name: str, t_s: float) -> None:
    err.print(f"{name}: {t_s:.1f} s", end="\r")
