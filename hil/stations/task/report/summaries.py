"""Output of checks and runs of a task, with ``--json`` and on the console."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypedDict

from hil.stations.world.report.summaries import WorldRunSummary
from hil.terminal.console import out, styled

if TYPE_CHECKING:
    from hil.stations.task.plan.task_figures import TaskFigures


class TaskSummary(TypedDict):
    """Judgement of a task."""

    succeeded: bool
    """The task was done as it must be."""
    reason: str
    """Reason why it was not, of the closed set; empty if it was."""
    failure: dict[str, Any] | None
    """The same as data: `reason`, `at_s`, `text` and, where there are such, `place_m`, `value`,
    `limit`, `unit`; null if it succeeded."""
    phases: dict[str, float]
    """Time in each phase that the diagram says, in the order in which they were entered [s]."""
    contacts: int
    """Number of contacts that are not allowed."""
    slip_mm: float
    """Greatest slip of what was held [mm]."""
    path_m: float
    """Length of the robot's path [m]."""
    time_s: float
    """Time of the run [s]."""
    turns: float
    """Sum of the robot's turns to either side, in whole turns."""
    least_distance_m: float | None
    """Least distance of the chassis from an obstacle or wall [m]; null without any."""
    jerk_m_s3: float
    """Root mean square of the chassis's jerk while it moves, over 0.15 s each [m/s³]."""
    drawn: dict[str, float]
    """Drawn values by name."""


class TaskCheckSummary(TaskSummary):
    """A task done ahead."""

    ok: bool
    """The task succeeds."""
    robot: str
    """Name of the robot."""
    violations: list[str]
    """All objections of the gate and of the judge, with times."""
    losses: list[str]
    """Contents of its robot's document that have no effect, a line each."""


class ScoreSummary(TypedDict):
    """Scores of a person in one world."""

    name: str
    """Name of the person."""
    runs: int
    """Runs of this scenario and seed, this one among them."""
    succeeded: int
    """Those that succeeded."""
    best_time_s: float | None
    """Shortest time of these [s]; null if there is none."""


class TaskRunSummary(TaskSummary, WorldRunSummary):
    """Run of a task."""

    station: str
    """Station, `task`."""
    reason: str
    """Reason why the task was not done, of the closed set; empty if it was."""
    contacts: int
    """Number of contacts that are not allowed."""

    score: ScoreSummary | None
    """Scores of the person who drove; null without `--trainee`."""
    cycle_us: float
    """Mean time of a cycle: sensors, diagram, gate, engine, judge and row [us]."""


def show_task(summary: TaskSummary, figures: TaskFigures) -> None:
    """Print the judgement of a task for people, and the line of its figures."""
    if summary["succeeded"]:
        out.print(styled("green", "succeeded"), f" after {summary['time_s']:.1f} s", sep="")
    else:
        failure = summary["failure"] or {}
        text = f": t = {failure.get('at_s', 0.0):.3f} s: {failure.get('text', '')}"
        out.print(styled("red", summary["reason"]), text, sep="", soft_wrap=True)
    if summary["phases"]:
        times = ", ".join(f"{name} {time_s:.1f} s" for name, time_s in summary["phases"].items())
        out.print(f"phases: {times}", soft_wrap=True)
    out.print(figures.line(summary), soft_wrap=True)


def show_score(score: ScoreSummary) -> None:
    """Print the scores of a person."""
    best_s = score["best_time_s"]
    best = "" if best_s is None else f", best time {best_s:.1f} s"
    counts = f"{score['succeeded']} of {score['runs']} runs in this hangar succeeded"
    out.print(f"{score['name']}: {counts}{best}", markup=False, soft_wrap=True)
