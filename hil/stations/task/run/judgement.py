"""Judgement of a run that is over, as values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, cast

from hil.stations.task.report.summaries import TaskSummary

if TYPE_CHECKING:
    from hil.stations.task.plan.task_figures import TaskFigures
    from hil.stations.task.run.observer import TaskObserver
    from hil.stations.world.cycle.figures import WorldFigures


def task_values(
    drawn: Mapping[str, float], observer: TaskObserver, figures: WorldFigures, own: TaskFigures
) -> TaskSummary:
    """Judgement of a run that is over, with the figures of its task behind.

    What a task does not measure of the keys of every summary is zero; its least distance is None.

    Args:
        own: figures of the task.
    """
    failure, measures = observer.failed_by(figures), observer.measures()
    summary = TaskSummary(
        succeeded=failure is None, reason="" if failure is None else failure.reason,
        failure=None if failure is None else dict(failure.to_table()), phases=observer.phases,
        contacts=round(measures["contacts"]), slip_mm=0.0, path_m=0.0, time_s=measures["time_s"],
        turns=0.0, least_distance_m=None, jerk_m_s3=0.0, drawn=dict(drawn),
    )  # fmt: skip
    return cast("TaskSummary", {**summary, **own.values(measures)})
