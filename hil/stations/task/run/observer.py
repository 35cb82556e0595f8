"""Observer of a task's run: it asks the judge each step, and ends the run when that is due."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.stations.task.plan.reasons import REASONS, Reason, TaskFinding, reason_of
from hil.stations.task.run.refusal import refusal
from hil.stations.world.cycle.extension import Observation

if TYPE_CHECKING:
    from hil.stations.task.judge.judge import Judge
    from hil.stations.world.cycle.figures import WorldFigures
    from hil.timing.clock import Tick

Array = NDArray[np.float64]
Said = Callable[[str], float]
"""Reads an output of the diagram; nan where it has none."""

OUTCOMES: Final[Mapping[str, Reason]] = {"failed": "sensor", "stopped": "time_out"}
"""Reasons of runs that did not reach their end, by the outcome; force of a diverged one."""
AT_REST_S: Final = 2.0
"""Longest wait for rest once a diagram is done [s]."""


class TaskObserver:
    """Observer of one run.

    Args:
        said: reads the diagram's outputs ``phase``, ``reason`` and ``done``.
        time_limit_s: time after which the run is over [s].
        phases: names of the phases, in the order of their numbers from 1 on.
    """

    def __init__(
        self, judge: Judge, said: Said, time_limit_s: float, phases: tuple[str, ...] = ()
    ) -> None:
        self._judge, self._said, self._names = judge, said, phases
        self._limit_s = time_limit_s
        self._phase, self._done_s = math.nan, math.nan
        self._phase_name = ""
        self._now = math.nan, math.nan
        self._judged = 0.0
        self._t_s, self._last_s = 0.0, 0.0
        self.findings: list[TaskFinding] = []
        """All that the judge found, in order."""
        self.phases: dict[str, float] = {}
        """Time in each phase, in the order in which they were entered first [s]."""
        self.reason: TaskFinding | None = None
        """Why the task did not succeed, once the run is over; None if it did."""
        self.over: bool = False
        """Whether the run is to end with this row."""
        self._concluded = False

    def observe(self, tick: Tick, figures: WorldFigures) -> tuple[Observation, ...]:
        """Look at the state before a step."""
        self._last_s, self._t_s = self._t_s, tick.t_s
        found = self._judge.look(tick.t_s)
        seen: list[Observation] = []
        for one in found:
            self.findings.append(one)
            seen.append(Observation(str(one), one.to_table(), failed=one.final))
            if one.final and not self._judged:
                self._judged = 1.0 + REASONS.index(one.reason)
        phase, done = self._now = self._said("phase"), self._said("done")
        if phase == phase:  # a nan is no phase
            self._follow_phase(phase, seen)
        if done > 0.5 and math.isnan(self._done_s):
            self._done_s = tick.t_s
        waited_s = tick.t_s - self._done_s
        rested = waited_s > 0.0 and (self._judge.at_rest or waited_s >= AT_REST_S)
        self.over = rested or tick.t_s >= self._limit_s or self._judged > 0.0
        return tuple(seen)

    def values(self) -> Array:
        """Values of `hil.stations.task.signals.TASK_SIGNALS`, and of the task's own signals."""
        phase, done = self._now
        own = self._judge.values()
        return np.array((phase, self._said("reason"), done, self._judged, *own))

    def take_row(self, row: bytes) -> None:
        """Do nothing: the judge sees the world itself."""

    def conclude(self, figures: WorldFigures) -> tuple[str, str]:
        """Outcome and reason of a run that reached its end."""
        self._concluded = True
        self.reason = self._verdict()
        return ("completed", "") if self.reason is None else ("failed", str(self.reason))

    def _verdict(self) -> TaskFinding | None:
        found = self._judge.conclude(self._t_s)
        if found is None or any(one.final for one in self.findings):
            return found
        reported = reason_of(self._said("reason"))
        if reported is not None and self._t_s < self._limit_s:
            where = f" in {self.phase_name}" if self.phase_name else ""
            return TaskFinding(reported, self._t_s, f"the diagram gave up{where}; {found.text}",
                           found.place_m)  # fmt: skip
        return found

    def failed_by(self, figures: WorldFigures) -> TaskFinding | None:
        """Why the task did not succeed, also if the run did not reach its end."""
        if self._concluded:
            return self.reason
        final = next((one for one in self.findings if one.final), None)
        if final is not None:
            return final
        text, by = figures.reason or figures.ended, figures.ended_by
        if figures.ended == "refused" and by is not None:
            return refusal(by, self._t_s, text)
        reason: Reason = OUTCOMES.get(figures.ended, "force")
        return TaskFinding(reason, self._t_s, text)

    @property
    def phase_name(self) -> str:
        """Name of the present phase; empty if the diagram says none."""
        return self._phase_name

    def measures(self) -> Mapping[str, float]:
        """Figures of the judge, and the time of the run."""
        return {**self._judge.measures(), "time_s": self._t_s}

    def _name(self, phase: float) -> str:
        number = round(phase)
        known = 1 <= number <= len(self._names)
        return self._names[number - 1] if known else f"phase {number}"

    def _follow_phase(self, now: float, seen: list[Observation]) -> None:
        """Add the time since the last step to the phase, and notice a new one."""
        if now != self._phase:
            self._phase, self._phase_name = now, self._name(now)
            text = f"phase: {self._phase_name}"
            seen.append(Observation(text, {"phase": self._phase_name, "number": now}))
        name = self._phase_name
        self.phases[name] = self.phases.get(name, 0.0) + self._t_s - self._last_s
