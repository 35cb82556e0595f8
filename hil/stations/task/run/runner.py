"""Verbs' view of a task: a plan, a proof, a run and its summary."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError
from hil.diagram.run.changer import TimedChange
from hil.diagram.run.operator_actions import operated
from hil.diagram.run.options import TRUST
from hil.diagram.run.state_names import state_names
from hil.run.console import Console
from hil.run.station import Checked, Request, Summary
from hil.stations.task.lead.scores import (
    DrivingScore,
    add_score,
    checked_name,
    summarize_scores,
)
from hil.stations.task.options import NAVIGATOR, TRAINEE
from hil.stations.task.plan.task_plan import TaskPlan, load_task_plan
from hil.stations.task.plan.task_registry import task_named
from hil.stations.task.report.summaries import (
    ScoreSummary,
    TaskCheckSummary,
    TaskSummary,
    show_score,
    show_task,
)
from hil.stations.task.run.judgement import task_values
from hil.stations.task.run.observer import TaskObserver
from hil.stations.task.signals import STATION, TASK_SIGNALS
from hil.stations.world.cycle.diagram_law import DiagramLaw
from hil.stations.world.cycle.extension import WorldExtension
from hil.stations.world.plan.requested_plan import operated_plan
from hil.stations.world.run import runner as world_runner
from hil.stations.world.run.runner import Done, PreparedWorld
from hil.stations.world.run.session import prove_judged
from hil.terminal.console import waiting
from hil.terminal.run_products import Afterwards

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.cycle.loop import BetweenSteps
    from hil.stations.world.sources.source_setup import LiveInputs

START_S: Final = 0.1
"""Time at which a run presses what begins the task [s]."""


def plan_of(request: Request) -> TaskPlan:
    """Plan of a scenario with the changes of the command line.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    plan = load_task_plan(request.file, request.changes((NAVIGATOR,)))
    _check_trainee(plan, request.options.get(TRAINEE.flag))
    world = replace(plan.world, trusted=bool(request.options.get(TRUST.flag)))
    return started(replace(plan, world=operated_plan(world, request)))


def _check_trainee(plan: TaskPlan, name: str | None) -> None:
    """Check that a score can be kept by a name.

    Raises:
        ConfigError: if it is no name, or nobody drives.
    """
    if name is None:
        return
    checked_name(name)
    if not plan.is_led:
        own = plan.scenario.navigator
        led = " or ".join(plan.task.led) or "none"
        problem = f"--trainee {name}: nobody drives with navigator = {own!r}; {led} is needed"
        raise ConfigError("command line", [problem])


def started(plan: TaskPlan) -> TaskPlan:
    """Plan whose start buttons are pressed by the run, unless a person presses them in a panel."""
    used, world = plan.world.diagram, plan.world
    by_page = plan.is_led and plan.scenario.driver is None
    if used is None or by_page:
        return plan
    there = [one for one in plan.task.starts if one in used.file.top.blocks]
    acts = operated(used.file, [f"{name}@{START_S}" for name in there], ())
    step_s = world.scenario.step_s
    changes = tuple(
        TimedChange(round(at_s / step_s), replace(change, forced=True)) for at_s, change in acts
    )
    return replace(plan, world=replace(world, changes=changes + world.changes))


def extension_of(plan: TaskPlan) -> WorldExtension:
    """Additions of a task to a run of its world."""
    used = plan.world.diagram
    names = () if used is None else state_names(used.file, "phase")
    limit_s = plan.task.time_limit_s(plan.settings)

    def open_observer(bench: WorldBench) -> TaskObserver:
        judge = plan.task.judge(plan.settings, plan.drawn, bench)
        law = bench.gated.law
        said = law.output_now if isinstance(law, DiagramLaw) else _silent
        return TaskObserver(judge, said, limit_s, names)

    def open_driver(means: LiveInputs, at_desk: bool) -> AbstractContextManager[BetweenSteps]:
        from hil.stations.task.lead.driver import opened_driver  # keys and sockets: Linux only

        return opened_driver(plan, means, at_desk=at_desk)

    return WorldExtension(
        station=STATION, settings=plan.to_table(), open=open_observer,
        signals=(*TASK_SIGNALS, *plan.task.signals),
        driver=open_driver if plan.is_led and plan.clock == "real" else None,
    )  # fmt: skip


def _silent(_: str) -> float:
    return math.nan


def check(plan: TaskPlan, request: Request) -> Checked:
    """Do the whole task ahead, without recording.

    Raises:
        RefusedError: if the world or the robot cannot be used.
    """
    with waiting("doing the task ahead", quiet=request.as_json):
        _, figures, observer = prove_judged(plan.world, extension_of(plan))
    assert isinstance(observer, TaskObserver)  # noqa: S101  # that of `extension_of`
    values = TaskCheckSummary(
        ok=figures.ok, robot=plan.world.robot.name or plan.world.scenario.robot,
        **task_values(plan.drawn.values, observer, figures, plan.task.figures),
        violations=figures.violations, losses=list(plan.world.losses),
    )  # fmt: skip
    show = partial(show_task, values, plan.task.figures)
    return Checked(ok=figures.ok, values=values, show=show)


def prepare(plan: TaskPlan, request: Request, console: Console) -> PreparedWorld:
    """Prepare a run; a task is not done ahead, as it would take as long as the run."""
    return PreparedWorld(plan.world, request, None, extension_of(plan))


play: Final = world_runner.play


def summary(done: Done, after: Afterwards) -> Summary:
    """Sum up a run, and draw its film if one was asked for."""
    of_world, result = world_runner.summary(done, after), done.result
    observer = result.observer
    assert isinstance(observer, TaskObserver)  # noqa: S101  # that of `extension_of`
    extension = done.prepared.extension
    assert extension is not None  # noqa: S101  # that of `prepare`
    header = extension.settings["task"]
    figures = task_named(header["scenario"]["task"]["kind"]).figures
    own = task_values(header["drawn"], observer, result.figures, figures)
    name = done.prepared.request.options.get(TRAINEE.flag)
    score = None
    if name is not None:
        score = after.make("score", lambda: _score(name, own, done))
    values = {
        **of_world.values, **own, "station": STATION, "score": score,
        "cycle_us": 1e6 * result.step_s,
    }  # fmt: skip
    return Summary(values, _shown(partial(show_task, own, figures), score, of_world.show))


def _score(name: str, own: TaskSummary, done: Done) -> ScoreSummary:
    """Keep the score of the person who drove; his scores in this world."""
    scenario, folder = done.result.plan.scenario, done.result.recorder.path.parent
    score = DrivingScore(
        name=name, run=folder.name, scenario=scenario.name, seed=scenario.seed,
        succeeded=own["succeeded"], reason=own["reason"], time_s=own["time_s"],
        path_m=own["path_m"], contacts=own["contacts"], jerk_m_s3=own["jerk_m_s3"],
    )  # fmt: skip
    return summarize_scores(add_score(folder.parent, score))


def _shown(
    show_own: Callable[[], None], score: ScoreSummary | None, show: Callable[[], None]
) -> Callable[[], None]:
    def all_of_it() -> None:
        show_own()
        if score is not None:
            show_score(score)
        show()

    return all_of_it
