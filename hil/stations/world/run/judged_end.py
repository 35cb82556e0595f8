"""Observer of a run, and the end that it decides."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hil.recording.signals import Signals
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.cycle.extension import RunObserver, WorldExtension
    from hil.stations.world.cycle.figures import WorldFigures


def observer_of(
    bench: WorldBench, signals: Signals, extension: WorldExtension | None
) -> RunObserver | None:
    """Observer of a run: that of an extension, or of the scenario's goal."""
    if extension is not None:
        return extension.open(bench)
    goal = bench.plan.scenario.goal
    if goal is None:
        return None
    from hil.stations.world.cycle.goal_observer import GoalObserver  # seldom needed

    return GoalObserver(goal, signals, bench.plan.scenario_file)


def judge_end(figures: WorldFigures, observer: RunObserver | None) -> None:
    """Let an observer decide how a run ended that reached its end."""
    if observer is not None and figures.ok:
        figures.ended, figures.reason = observer.conclude(figures)
