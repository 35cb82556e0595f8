"""Verbs' view of a task: a plan, a proof, a run and its summary."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from hil.diagram.run.changer import TimedChange
from hil.diagram.run.operator_actions import operated
from hil.diagram.run.options import TRUST
from hil.diagram.run.state_names import state_names
from hil.run.console import Console
from hil.run.station import Checked, Request, Summary
from hil.stations.task.options import NAVIGATOR
from hil.stations.task.plan.task_plan import TaskPlan, load_task_plan
from hil.stations.task.report.summaries import TaskCheckSummary, show_task
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
    from hil.stations.world.cycle.bench import WorldBench

START_S: Final = 0.1
"""Time at which a run presses what begins the task [s]."""


def plan_of(request: Request) -> TaskPlan:
    """Plan of a scenario with the changes of the command line.

    Raises:
        ConfigError: with the file, the key path, the value and what would have been right.
    """
    plan = load_task_plan(request.file, request.changes((NAVIGATOR,)))
    world = replace(plan.world, trusted=bool(request.options.get(TRUST.flag)))
    return started(replace(plan, world=operated_plan(world, request)))


def started(plan: TaskPlan) -> TaskPlan:
    """Plan whose start buttons are pressed by the run, unless a person leads it."""
    used, world = plan.world.diagram, plan.world
    led = plan.scenario.navigator in plan.task.led and not plan.scenario.diagram.file
    if used is None or led:
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

    return WorldExtension(
        station=STATION, settings=plan.to_table(), signals=TASK_SIGNALS, open=open_observer
    )


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
        **task_values(plan.drawn.values, observer, figures),
        violations=figures.violations, losses=list(plan.world.losses),
    )  # fmt: skip
    return Checked(ok=figures.ok, values=values, show=partial(show_task, values))


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
    drawn = {} if extension is None else extension.settings["task"]["drawn"]
    own = task_values(drawn, observer, result.figures)
    values = {
        **of_world.values, **own, "station": STATION, "cycle_us": 1e6 * result.step_s
    }  # fmt: skip
    return Summary(values, _shown(own, of_world.show))


def _shown(own: object, show: Callable[[], None]) -> Callable[[], None]:
    def both() -> None:
        show_task(own)  # type: ignore[arg-type]
        show()

    return both
