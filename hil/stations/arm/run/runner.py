"""Output of the arm station's verbs: a check's findings, a run with its progress bar."""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from hil.desk.velocity.keyboard import HELP
from hil.diagram.run.options import changes_by_options
from hil.machines.robot.offered_links import link_kind
from hil.machines.space_arm.settings import ArmSettings
from hil.run.console import Console
from hil.run.end import Conclusion
from hil.run.run import Opening
from hil.run.station import Checked, Request, Summary
from hil.stations.arm.arm_summaries import (
    ActionSummary,
    ArmCheckSummary,
    ArmRunSummary,
    FindingSummary,
    SimulationSummary,
)
from hil.stations.arm.cycle.journal import supervised
from hil.stations.arm.model_choice_summary import summarize_choice
from hil.stations.arm.options import AT, OPTIONS
from hil.stations.arm.plan.scenario import ArmPlan, load_arm_plan
from hil.stations.arm.proof.findings import findings_table, summarize_end, supervision_table
from hil.stations.arm.proof.planned_actions import actions_of_proof
from hil.stations.arm.proof.prepare import ArmProof
from hil.stations.arm.proof.start import robot_at
from hil.stations.arm.run.bench import ArmRunResult, play_arm, prepare_plan, warm_arm
from hil.stations.arm.run.diagram_run import diagram_run
from hil.stations.arm.run.wire import emulated_robot
from hil.stations.arm.run.world import check_world
from hil.stations.arm.sources.actions import buttons_of
from hil.stations.arm.sources.settings import (
    DiagramSourceSettings,
    GamepadSourceSettings,
    KeyboardSourceSettings,
    RemoteSourceSettings,
)
from hil.terminal.console import out, styled, waiting
from hil.terminal.run_products import Afterwards
from sim.world.space_arm.simulator import TICK_S

if TYPE_CHECKING:
    from hil.stations.arm.report.view import ArmView

SHOWN = 12


def plan_of(request: Request) -> ArmPlan:
    """Return the plan of an arm scenario, with what the command line changes in it.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    file = request.file
    return load_arm_plan(file, request.changes(OPTIONS, changes_by_options(request, "source")))


def check(plan: ArmPlan, request: Request) -> Checked:
    """Prove a planned motion; of a live one, its start and its operator's diagram.

    Raises:
        ConfigError: if the scenario's world cannot be had, or something is in it where it begins.
        RefusedError: with arm, joint, value and limit.
    """
    diagram_run(plan)
    prepared = _prepared(plan, quiet=request.as_json)
    check_world(prepared)
    return Checked(
        ok=True, values=_summarize_prepared(prepared), show=partial(_show_check, prepared)
    )


def _show_check(prepared: ArmProof) -> None:
    out.print(styled("green", "ok"), f": {prepared.plan.scenario.name}, ", sep="", end="")
    out.print(f"{len(prepared.steps)} waypoints, {len(prepared.steps) * TICK_S:.1f} s")
    _show_path(prepared)


@dataclass(frozen=True, slots=True, eq=False)
class PreparedArm:
    """A motion that is proved, with the request for its run."""

    proof: ArmProof
    """Proof of the motion that is run."""
    request: Request
    """Request that the run answers."""

    @property
    def name(self) -> str:
        """Name of its scenario."""
        return self.proof.name

    @property
    def clock(self) -> str:
        """``"virtual"`` or ``"real"``."""
        return self.proof.clock

    @property
    def shown_at(self) -> int | None:
        """Descriptor to show on what happens while it happens; None in a dry run."""
        if self.request.quiet or self.clock == "virtual":
            return None
        with suppress(OSError):  # none if a program reads what it shows from memory
            return sys.stderr.fileno()
        return None


def prepare(plan: ArmPlan, request: Request, console: Console) -> PreparedArm:
    """Prove a motion.

    Raises:
        RefusedError: if it is refused; nothing has moved.
    """
    robot_at(request.options.get(AT.flag), plan.robot)
    return PreparedArm(_prepared(plan, quiet=console.quiet), request)


def play(prepared: PreparedArm, opening: Opening) -> Callable[[Conclusion], "Done"]:
    """Play a motion against its robot; raises as `hil.stations.arm.run.bench.play_arm`."""
    plan, say = prepared.proof.plan, opening.console.say
    if not plan.scenario.source.planned:
        for line in how_to_move(plan):
            say(line)
    finish = play_arm(
        prepared.proof, opening, shown_at=prepared.shown_at,
        robot_at=robot_at(prepared.request.options.get(AT.flag), plan.robot),
        edit=partial(say, style="yellow") if prepared.request.options.get("--edit") else None,
    )  # fmt: skip
    return lambda end: (prepared, finish(end))


Done = tuple[PreparedArm, ArmRunResult]
"""Motion that was played, and its result."""


def summary(done: Done, after: Afterwards) -> Summary:
    """Sum a run up; with a report, how near the grippers were to each other."""
    prepared, result = done
    accuracy = None
    if prepared.request.report:
        after.view = view = after.make("accuracy", partial(_view, result))
        accuracy = None if view is None else view.accuracy
    run_summary = _summarize_run(result)
    run_summary["accuracy"] = None if accuracy is None else accuracy.summarize()

    def show() -> None:
        _show_run(result, shown=prepared.shown_at is not None)
        if accuracy is not None:
            style = "green" if accuracy.kept else "red"
            out.print("accuracy:", styled(style, str(accuracy)), soft_wrap=True)

    return Summary(run_summary, show)


def warm_arm_and_say(
    settings: ArmSettings | None = None,
    *,
    quiet: bool,
    classic: bool = False,
    fine: bool = False,
) -> None:
    """Compile the arm's kernels with a word to the user: the first time takes a while."""
    words = "preparing the arm's kernels (the first run compiles them, about a minute)"
    with waiting(words, quiet=quiet):
        warm_arm(settings, classic=classic, fine=fine)


def warm_all(quiet: bool) -> None:
    """Compile all that any run or comparison calls."""
    warm_arm_and_say(quiet=quiet, classic=True, fine=True)


def _prepared(plan: ArmPlan, *, quiet: bool) -> ArmProof:
    chosen = plan.scenario.space_arm
    automatic = chosen.model == "auto"
    fine = automatic or chosen.simulation.accuracy == "fine"
    warm_arm_and_say(plan.space_arm, quiet=quiet, fine=fine)
    live = not plan.scenario.source.planned
    words = "looking at the start" if live else "playing the motion out, to prove it"
    if automatic:
        words = "simulating references and cheaper models, then proving the motion"
    with waiting(words, quiet=quiet):
        return prepare_plan(plan)


@contextmanager
def emulated(prepared: PreparedArm) -> Iterator[tuple[PreparedArm, str]]:
    """Yield the same motion with an emulated robot in place of its own, and the URL of that."""
    with emulated_robot(prepared.proof) as url:
        yield replace(prepared, proof=with_robot_at(prepared.proof, url)), url


def with_robot_at(prepared: ArmProof, url: str) -> ArmProof:
    """Return the same motion with the robot at another URL."""
    scenario = prepared.plan.scenario
    devices = scenario.devices.model_copy(update={"arm": url, "in_place_of": scenario.devices.arm})
    plan = prepared.plan.model_copy(
        update={"scenario": scenario.model_copy(update={"devices": devices})}
    )
    return replace(prepared, plan=plan)


def how_to_move(plan: ArmPlan) -> tuple[str, ...]:
    """Describe how an operator of a live source moves it, line by line."""
    source = plan.scenario.source
    if isinstance(source, DiagramSourceSettings):
        source = source.by
    last = f"Ctrl-C ends the robot's stream at once; so does {plan.scenario.longest_s:g} s"
    if isinstance(source, KeyboardSourceSettings):
        axes = f"moves while a key is held, along the axes of the {source.frame}"
        names = buttons_of(plan.scenario.source.actions)
        numbers = [f"{number}  {name}" for number, name in zip(range(1, 10), names, strict=False)]
        return (*HELP, *numbers, axes, last)
    if isinstance(source, GamepadSourceSettings):
        return (
            f"{source.device}: let all go once; then it moves while {source.hold_button} is held",
            last,
        )
    if isinstance(source, RemoteSourceSettings):
        return (
            f"listening on {source.listen} for who knows the token in {source.token_file}; "
            f"a set-point counts for {source.age_max_s:g} s",
            last,
        )
    return ()


def _view(result: ArmRunResult) -> "ArmView":
    from hil.stations.arm.report.recording import ArmRecording
    from hil.stations.arm.report.view import ArmView

    return ArmView.of(ArmRecording.open(result.recorder.path))


def _summarize_prepared(prepared: ArmProof) -> ArmCheckSummary:
    path, simulation = prepared.path, prepared.plan.scenario.space_arm.simulation
    summary = ArmCheckSummary(
        ok=True,
        waypoints=len(prepared.steps),
        duration_s=len(prepared.steps) * TICK_S,
        margin=prepared.margin,
        start_deg=np.degrees(prepared.start.q_rad),
        scale=prepared.plan.scenario.mapping.scale,
        findings=[] if path is None else [
            FindingSummary(
                kind=one.kind, place=one.place, waypoint=one.index, value=one.value,
                limit=one.limit, unit=one.unit, within=one.within,
            )
            for one in path.findings
        ],
        simulation=SimulationSummary(
            accuracy=simulation.accuracy, why=simulation.why,
            usual_waypoints=prepared.usual_waypoints,
        ),
    )  # fmt: skip
    if prepared.choice is not None:
        summary["model_choice"] = summarize_choice(prepared.choice)
    if actions := actions_of_proof(prepared.plan, prepared.steps):
        summary["actions"] = [
            ActionSummary(
                at_s=one.at_s, joint=one.action.joint, action=one.action.kind.value
            )
            for one in actions
        ]  # fmt: skip
    return summary


def _show_path(prepared: ArmProof) -> None:
    for one in actions_of_proof(prepared.plan, prepared.steps):
        out.print(f"{one.at_s:9.3f} s  {one.action}")
    start = ", ".join(f"{angle:.2f}" for angle in np.degrees(prepared.start.q_rad))
    if prepared.choice is not None:
        out.print(f"the space arm is simulated by {prepared.choice}", soft_wrap=True)
    out.print(f"the robot begins at {start} deg")
    if prepared.margin is not None:
        out.print(
            f"its place leaves at least {100.0 * prepared.margin:.0f} % of each range, speed and "
            "distance; corners are the same at every place"
        )
    if prepared.plan.scenario.mapping.scale != 1.0:
        scale = prepared.plan.scenario.mapping.scale
        out.print(styled("black on yellow", " SCALED "), f"ways are {scale:g}")
    simulation = prepared.plan.scenario.space_arm.simulation
    words = simulation.in_words(prepared.usual_waypoints)
    out.print(f"simulation of the space arm: {words}", soft_wrap=True)
    if prepared.path is None:
        return
    out.print(findings_table(prepared.path.findings))
    url = prepared.plan.scenario.devices.arm
    if link_kind(url).supervises:
        out.print(supervision_table(prepared.plan.robot.link_settings()))
    else:
        out.print(f"the link {url} does not say that it watches whether the robot follows")
    known = prepared.plan.robot.identified
    if known is not None:
        out.print(f"identified on {known.date}: {'; '.join(known.lines())}", soft_wrap=True)


def _summarize_run(result: ArmRunResult) -> ArmRunSummary:
    report = result.end.report
    proved: dict[str, Any] = {**_summarize_prepared(result.prepared)}
    del proved["ok"]  # of the proof
    return ArmRunSummary(
        **summarize_end(result, result.robot),
        requests=report.counts.requests,
        repeats=report.counts.repeats,
        empty_slot=report.counts.empty_slot,
        late_answers=report.counts.late_answers,
        checksum_errors=report.counts.checksum_errors,
        answer_p50_s=report.latency.p50_s,
        answer_p99_s=report.latency.p99_s,
        supervision=supervised(report.supervision),
        answer_longest_s=report.latency.longest_s,
        report=None,
        **proved,
        accuracy=None,
    )


def _show_run(result: ArmRunResult, *, shown: bool) -> None:
    end, report = result.end, result.end.report
    out.print(f"robot: {result.robot}", soft_wrap=True)
    if result.prepared.choice is not None:
        out.print(f"space arm: {result.prepared.choice}", soft_wrap=True)
    counts = report.counts
    out.print(
        f"{end.waypoints} waypoints, {counts.requests} requests, {counts.repeats} repeats, "
        f"{counts.empty_slot} with nothing ready, {counts.late_answers} late"
    )
    latency = report.latency
    out.print(f"answer p50 {1e3 * latency.p50_s:.2f}, p99 {1e3 * latency.p99_s:.2f} ms at the port")
    for event in () if shown else result.events[:SHOWN]:
        out.print(f"{event.t_s:9.3f} s  {event.message}", soft_wrap=True)
    for item in result.setup:
        if not item.ok:
            out.print(f"not granted: {item.item}: {item.detail}; {item.remedy}")
