"""Judgement of a run that is over, as values."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import TYPE_CHECKING

from hil.stations.task.report.summaries import TaskSummary

if TYPE_CHECKING:
    from hil.stations.task.run.observer import TaskObserver
    from hil.stations.world.cycle.figures import WorldFigures


def task_values(
    drawn: Mapping[str, float], observer: TaskObserver, figures: WorldFigures
) -> TaskSummary:
    """Judgement of a run that is over."""
    failure, measures = observer.failed_by(figures), observer.measures()
    least_m = measures.get("least_distance_m", math.inf)
    return TaskSummary(
        succeeded=failure is None, reason="" if failure is None else failure.reason,
        failure=None if failure is None else dict(failure.to_table()), phases=observer.phases,
        contacts=round(measures.get("contacts", 0.0)), slip_mm=measures.get("slip_mm", 0.0),
        path_m=measures.get("path_m", 0.0), time_s=measures["time_s"],
        turns=measures.get("turns", 0.0),
        least_distance_m=least_m if math.isfinite(least_m) else None,
        jerk_m_s3=measures.get("jerk_m_s3", 0.0), drawn=dict(drawn),
    )  # fmt: skip
