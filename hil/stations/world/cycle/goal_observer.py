"""Observer of a run that has a goal: rows go to the judge, and the goal decides how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from hil.config.errors import ConfigError, RefusedError
from hil.stations.world.cycle.extension import Observation
from hil.stations.world.plan.goal import missing_names
from hil.stations.world.report.goal_judge import (
    MOVING,
    TOOL,
    GoalFinding,
    GoalJudge,
    body_part,
    part_place,
)

if TYPE_CHECKING:
    from numpy import float64
    from numpy.typing import NDArray

    from hil.recording.signals import Signals
    from hil.stations.world.cycle.figures import WorldFigures
    from hil.stations.world.plan.goal import Goal
    from hil.timing.clock import Tick

ROWS: Final = 500
"""Rows that are judged at once."""


class GoalObserver:
    """Observer of one run.

    Raises:
        RefusedError: if the goal names what the rows do not have.
    """

    over: bool = False
    """Whether the run is to end, which a goal never asks."""

    def __init__(self, goal: Goal, signals: Signals, source: str) -> None:
        _require_names(goal, signals, source)
        self._judge = GoalJudge(goal, signals)
        self._rows: list[bytes] = []
        self.findings: tuple[GoalFinding, ...] = ()
        """Judgements of all parts, once the run is over."""

    def observe(self, tick: Tick, figures: WorldFigures) -> tuple[Observation, ...]:
        """Notice nothing: a goal is judged by rows."""
        return ()

    def values(self) -> NDArray[float64]:
        """No values: it has no signals."""
        return np.empty(0)

    def take_row(self, row: bytes) -> None:
        """Take a row as it is recorded."""
        self._rows.append(row)
        if len(self._rows) >= ROWS:
            self._flush()

    def _flush(self) -> None:
        self._judge.take_bytes(b"".join(self._rows))
        self._rows.clear()

    def conclude(self, figures: WorldFigures) -> tuple[str, str]:
        """Outcome and reason: failed with the first part of the goal that is not met."""
        self._flush()
        self._judge.contacts = figures.contacts
        self.findings = self._judge.findings()
        missed = [str(one) for one in self.findings if not one.met]
        return ("failed", f"goal {missed[0]}") if missed else ("completed", "")


def _require_names(goal: Goal, signals: Signals, source: str) -> None:
    names = [one.name for one in signals.fields if one.type == "f8"]
    parts = signals[MOVING].parts if MOVING in names else ()
    free = [one.removesuffix("_joint_x_m") for one in parts if one.endswith("_joint_x_m")]
    bodies = [*(["tool"] if TOOL in names else []),
              *(one for one in free if body_part(one) in parts)]  # fmt: skip
    wrong = [str(one) for one in missing_names(goal, names, bodies)]
    for index, one in enumerate(goal.signal):
        if one.part and one.signal in names:
            signal = signals[one.signal]
            try:
                part_place(signal, one.part)
            except KeyError:
                there = ", ".join(signal.parts) or "none"
                key = f"goal.signal.{index}.part"
                wrong.append(f"{key} = {one.part!r}: {one.signal} has the parts {there}")
    if wrong:
        raise RefusedError(str(ConfigError(source, wrong)))
