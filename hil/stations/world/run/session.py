"""Run of the virtual environment, from its plan to its recording; and its proof ahead."""

from __future__ import annotations

import math
from collections.abc import Callable
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from hil.config.errors import RefusedError
from hil.diagram.run.changer import DiagramChanger, Inbox
from hil.diagram.run.panel_page import changes_from_panel_or_file, refusals_to, signals_of_displays
from hil.recording.signals import Signals, SignalsError
from hil.run.end import Conclusion
from hil.run.journal import Journal
from hil.run.run import Opening, conduct, play
from hil.stations.world.cycle.bench import WorldBench, open_bench
from hil.stations.world.cycle.extension import RunObserver, WorldExtension
from hil.stations.world.cycle.figures import WorldFigures
from hil.stations.world.cycle.loop import BetweenSteps, WorldRun
from hil.stations.world.editing.editor import EditQueue, RunEditor, TimedEdits
from hil.stations.world.lead.operator_access import led_by, open_desk
from hil.stations.world.plan.scenario import WorldLaw, WorldPlan
from hil.stations.world.run.diagram_tap import tapped
from hil.stations.world.run.judged_end import judge_end, observer_of
from hil.stations.world.signals import STATION, world_signals
from hil.stations.world.sources.source_setup import LiveInputs
from hil.timing.clock import Clock, ReportingClock, VirtualClock, worked_s

if TYPE_CHECKING:
    from hil.desk.velocity.panel_operator import PanelOperator
    from hil.recording.header import RunHeader
    from hil.recording.recorder import RecorderResult
    from hil.stations.world.view.live_clock import LiveClock

VERSIONED = ("numpy", "mujoco-core", "ruckig", "mcap")

HOLDS = frozenset(
    {"robot", "rig", "arm", "masses", "scene", "scene robot", "mesh", "materials", "texture",
     "diagram", "library", "diagram table"}
)  # fmt: skip
"""Kinds of files whose contents are all in the plan."""


@dataclass(frozen=True, slots=True)
class WorldResult:
    """Result of a run."""

    plan: WorldPlan
    """Plan of the run."""
    figures: WorldFigures
    """Figures of the run."""
    end: Conclusion
    """Conclusion for exit status, console and recording."""
    step_s: float
    """Mean time of a step with gate, law and row [s]."""
    overruns: int
    """Number of deadlines given up."""
    editor: RunEditor
    """Editor, with the edits of the run."""
    changer: DiagramChanger | None = None
    """Changes of its diagram; None if it has none."""
    observer: RunObserver | None = None
    """Observer that judged it; None if it was not judged."""

    @property
    def ok(self) -> bool:
        """Whether the motion reached its end, and no row was lost."""
        return self.end.ok

    @property
    def recorder(self) -> RecorderResult:
        """Result of the recorder."""
        return self.end.recorder


def prove(plan: WorldPlan, law: WorldLaw | None = None) -> tuple[WorldBench, WorldFigures]:
    """Run the motion ahead in a world of its own, without recording."""
    bench, figures, _ = prove_judged(plan, None, law)
    return bench, figures


def prove_judged(
    plan: WorldPlan, extension: WorldExtension | None, law: WorldLaw | None = None
) -> tuple[WorldBench, WorldFigures, RunObserver | None]:
    """Run ahead as `prove`, with the observer of an extension."""
    bench = open_bench(plan, law)
    signals = signals_of(bench, extension)
    observer = observer_of(bench, signals, extension)
    between: list[BetweenSteps] = []
    if plan.edits:
        between.append(RunEditor(TimedEdits(plan, plan.edits)))
    if plan.changes and bench.law == "diagram":
        between.append(law_changes(DiagramChanger(plan.changes, plan.scenario.step_s)))
    run = WorldRun(bench, VirtualClock(), None, signals, between=between, observer=observer)
    play(run)
    judge_end(run.figures, observer)
    return bench, run.figures, observer


def run_world(
    plan: WorldPlan,
    folder: Path,
    watch: Callable[[WorldBench, Journal], LiveClock] | None = None,
    edits: EditQueue | None = None,
    *,
    changes: Inbox | None = None,
    operator: bool = False,
    keys_fd: int | None = None,
    extension: WorldExtension | None = None,
) -> WorldResult:
    """Run a plan, recorded below a folder, with the arguments of `play_world`."""
    opening = Opening(plan.name, folder, virtual=plan.clock == "virtual", operator=operator)
    played = partial(
        play_world, plan, watch=watch, edits=edits, changes=changes, keys_fd=keys_fd,
        extension=extension,
    )  # fmt: skip
    return conduct(played, opening)


def play_world(
    plan: WorldPlan,
    opening: Opening,
    *,
    watch: Callable[[WorldBench, Journal], LiveClock] | None = None,
    edits: EditQueue | None = None,
    changes: Inbox | None = None,
    keys_fd: int | None = None,
    extension: WorldExtension | None = None,
) -> Callable[[Conclusion], WorldResult]:
    """Play a plan within an opening.

    Args:
        watch: makes the clock of a run in a live window, in place of the scenario's.
        edits: changed documents, as they come; left out, those of the plan.
        changes: changes of the diagram, as they come, besides those of the plan.
        keys_fd: descriptor of the terminal whose keys lead; None for that of the program.
        extension: additions of another station; None for none.

    Raises:
        RefusedError: if the motion cannot be made; nothing has moved.
        RecordingError: if the run cannot be recorded.
    """
    clock = _clock(plan)
    means = LiveInputs(clock.now_s, keys_fd=keys_fd)
    bench = open_bench(plan, live=means, paced=not opening.virtual)
    opening.enter(closing(bench.source))
    signals, table = signals_of(bench, extension), plan.to_table()
    observer = observer_of(bench, signals, extension)
    if extension is not None:
        table |= extension.settings
    header = opening.header(signals, clock, table, _facts(plan, signals.station), VERSIONED)
    driver = None if extension is None else extension.driver
    led = _operator(plan, opening, header, clock, driven=driver is not None)
    audience = None if led is None else led.telemetry
    journal = opening.journal(header, clock, plan.scenario.recording, HOLDS, audience)
    live = None if watch is None else watch(bench, journal)
    if live is not None:
        clock, live.ends = live, lambda: opening.stop_request.asked is not None
    report = opening.progress(bench.source.duration_s or math.inf, hint="Ctrl-C ends it")
    paced = clock if report is None else ReportingClock(clock, report, 50)
    asked: Callable[[], str] = str
    if led is not None:
        asked = led_by(led, means, lambda: turning.bench, journal, opening.stop_request)
    editor = RunEditor(edits or TimedEdits(plan, plan.edits))
    editor.rehearse(bench)
    stopped = _stopped(opening, live, asked)
    between: list[BetweenSteps] = [editor]
    changer = _changer(plan, changes, led)
    if changer is not None:
        between.append(law_changes(changer))
        if not opening.virtual:
            opening.enter(tapped(plan, bench))
    if driver is not None:
        between.append(opening.enter(driver(means, led is not None)))
    lost = partial(_lost, led, live)
    turning = WorldRun(
        bench, paced, journal, signals, stopped, lost, between=between, observer=observer
    )
    if live is not None:
        live.world = lambda: turning.bench.world  # another one after an edit
    began_s = worked_s()
    opening.play(turning, journal)
    step_s = (worked_s() - began_s) / max(1, turning.figures.steps)
    figures = turning.figures
    judge_end(figures, observer)
    _note_end(journal, figures, turning.bench)
    opening.conclude(figures.ended, well=figures.well, reason=figures.reason)
    overruns = clock.overruns
    return lambda end: WorldResult(plan, figures, end, step_s, overruns, editor, changer, observer)


def _operator(
    plan: WorldPlan, opening: Opening, header: RunHeader, clock: Clock, *, driven: bool
) -> PanelOperator | None:
    """Open the desk of a run with an operator; panels are shown any other one in real time."""
    if opening.operator:
        return opening.enter(open_desk(plan, header, clock.now_s, driven=driven))
    if not opening.virtual:
        from hil.desk.unattended_runs import announced  # Linux only

        opening.enter(announced(plan.name))
    return None


def _facts(plan: WorldPlan, station: str) -> dict[str, str]:
    """Facts in a run's header for its reader, besides those of all headers."""
    return {
        "robot": plan.robot.name or plan.scenario.robot,
        "simulated": "robot",
        "period_s": repr(plan.scenario.step_s),
        "seed": str(plan.scenario.seed),
        "station": station,
    }


def _changer(
    plan: WorldPlan, changes: Inbox | None, led: PanelOperator | None
) -> DiagramChanger | None:
    """Changer of a run's diagram, also on requests of panels; None if it has none."""
    if plan.diagram is None:
        return None
    beside = plan.scenario.clock == "real"
    if led is None:
        return DiagramChanger(plan.changes, plan.scenario.step_s, changes, beside=beside)
    asked = changes_from_panel_or_file(plan.diagram.version, led, changes)
    changer = DiagramChanger(plan.changes, plan.scenario.step_s, asked, beside=beside)
    changer.on_refused = refusals_to(led)
    return changer


def law_changes(changer: DiagramChanger) -> BetweenSteps:
    """Changes of a robot's diagram, between the steps of its run."""
    from hil.stations.world.run.law_changes import LawChanges  # seldom needed

    return LawChanges(changer)


def _stopped(
    opening: Opening, live: LiveClock | None, operator: Callable[[], str]
) -> Callable[[], str]:
    def why() -> str:
        if by_operator := operator():
            return by_operator
        asked = opening.stop_request.asked
        if asked is None and live is not None and live.closed and not live.failure:
            return "the window was closed"
        return "" if asked is None else f"asked for by {getattr(asked, 'name', asked)}"

    return why


def _lost(led: PanelOperator | None, live: LiveClock | None) -> str:
    """Reason why the run has to end without a request; empty while it need not."""
    if led is not None and led.lost:
        return led.lost
    return "" if live is None else live.failure


def _note_end(journal: Journal, figures: WorldFigures, bench: WorldBench) -> None:
    data = {"outcome": figures.ended, "reason": figures.reason}
    words = figures.ended if not figures.reason else f"{figures.ended}: {figures.reason}"
    news = {key: value for one in bench.source.news() for key, value in one.data.items()}
    journal.put(bench.world.time_s, figures.steps, words, data | news)
    journal.service()


def _clock(plan: WorldPlan) -> Clock:
    if plan.scenario.clock == "virtual":
        return VirtualClock()
    from hil.timing.realtime import RealClock  # Linux only

    return RealClock()


def signals_of(bench: WorldBench, extension: WorldExtension | None = None) -> Signals:
    """Table of a bench's rows, those of an extension behind the others.

    Raises:
        RefusedError: if there is too much for a row.
    """
    joints = [drive.joint for drive in bench.robot.drives]
    pairs = list(zip(joints, bench.slides.tolist(), strict=True))
    moving, sensors = bench.world.coordinate_names(), bench.sensors.signals
    used = bench.plan.diagram if bench.law == "diagram" else None
    shown = () if used is None else signals_of_displays(used.file)
    further = () if extension is None else extension.signals
    station = STATION if extension is None else extension.station
    try:
        own = world_signals(pairs, bench.plan.scenario.control, moving, sensors, shown)
        return own if extension is None else Signals(station, (*own.fields, *further))
    except SignalsError as error:
        raise RefusedError(f"robot {bench.plan.scenario.robot}: {error}") from None
