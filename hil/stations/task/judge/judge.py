"""What every judge of a task has: it looks at the true world each step, and says what failed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

from hil.stations.task.plan.reasons import TaskFinding


class Judge(Protocol):
    """Judge of a run; it gets the true state, and of the law only whether it is done."""

    def look(self, t_s: float) -> tuple[TaskFinding, ...]:
        """Look at the world before a step; returns what was found now, final or not."""
        ...

    @property
    def at_rest(self) -> bool:
        """Whether the robot is at rest."""
        ...

    def values(self) -> tuple[float, ...]:
        """Values of the task's signals in the row of this step, in their order."""
        ...

    def conclude(self, t_s: float) -> TaskFinding | None:
        """Why the task is not done at the end of a run; None if it is."""
        ...

    def measures(self) -> Mapping[str, float]:
        """Figures of the run so far, by name."""
        ...
