"""Edits of a run, taken between the command of a turn and its step, and recorded as events."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from hil.run.edit_texts import EditEvents, EditRefusedError, EditText, TimedEdit
from hil.stations.world.editing.bench_swap import swapped
from hil.stations.world.editing.edit_build import BuiltEdit, build
from hil.timing.clock import Tick

if TYPE_CHECKING:
    from hil.stations.world.cycle.bench import WorldBench
    from hil.stations.world.cycle.loop import WorldRun
    from hil.stations.world.plan.scenario import WorldPlan


@dataclass(frozen=True, slots=True, eq=False)
class EditAnswer:
    """Result of reading and compiling a document."""

    edit: EditText
    """Text of the document."""
    built: BuiltEdit | None
    """Built document; None if it is refused."""
    faults: tuple[str, ...] = ()
    """Reasons of a refusal, a line for each."""


class EditQueue(Protocol):
    """Source of edits."""

    def due(self, index: int) -> EditAnswer | None:
        """Next edit that is to be taken in the turn of a number, or None; never waits."""
        ...

    def left(self) -> tuple[str, ...]:
        """Reports of edits that were not taken, once the run is over."""
        ...

    def rehearse(self, bench: WorldBench) -> None:
        """Do all that an edit does once, in a copy of a bench, so that the first takes no longer.

        Raises:
            RefusedError: if no edit can be taken.
        """
        ...

    def close(self) -> None:
        """Release what it holds; harmless when repeated."""
        ...


def answered(plan: WorldPlan, edit: EditText) -> EditAnswer:
    """Build a document at once; the answer has its faults if it is wrong."""
    try:
        return EditAnswer(edit, build(plan, edit))
    except EditRefusedError as error:
        return EditAnswer(edit, None, error.faults)


class TimedEdits:
    """Edits at definite steps, built before the run begins, so that they hold up none of it."""

    def __init__(self, plan: WorldPlan, edits: Iterable[TimedEdit]) -> None:
        ordered = sorted(edits, key=lambda one: one.step)
        self._waiting = deque((one.step, answered(plan, one.edit)) for one in ordered)
        self._step_s = plan.scenario.step_s

    def due(self, index: int) -> EditAnswer | None:
        """Next edit of a step that is reached."""
        if self._waiting and self._waiting[0][0] <= index:
            return self._waiting.popleft()[1]
        return None

    def left(self) -> tuple[str, ...]:
        """Reports of edits later than the end."""
        return tuple(
            f"edit at t = {step * self._step_s:.3f} s ({one.edit.source}): the run was over before"
            for step, one in self._waiting
        )

    def rehearse(self, bench: WorldBench) -> None:
        """Put one of the edits into a copy; whether it is accepted is reported when it is due."""
        for _, one in self._waiting:
            if one.built is not None:
                with suppress(EditRefusedError):
                    swapped(bench, one.built)
                return

    def close(self) -> None:
        """Do nothing: no resource is held."""


class RunEditor:
    """Takes edits between steps; what cannot be taken is refused whole, and the run continues."""

    def __init__(self, queue: EditQueue) -> None:
        self._queue = queue
        self._events = EditEvents()
        self._last = Tick(0, 0.0, 0.0, 0.0)
        self.taken: int = 0
        """Number of edits that the run has taken."""
        self.refused: int = 0
        """Number of edits that were refused."""
        self.pause_max_s: float = 0.0
        """Longest pause of the loop by an edit [s]; 0 on the virtual clock, whose time stops."""
        self.missed: tuple[str, ...] = ()
        """Reports of edits that the run did not come to."""

    def rehearse(self, bench: WorldBench) -> None:
        """Rehearse an edit before the run, so that the first takes no longer than others.

        Raises:
            RefusedError: if no edit can be taken.
        """
        self._queue.rehearse(bench)

    def act(self, run: WorldRun, tick: Tick) -> None:
        """Take an edit that is due."""
        self._last = tick
        while (answer := self._queue.due(tick.index)) is not None:
            began_s = run.clock.now_s()
            self._take(run, tick, answer)
            if answer.built is not None:
                self.pause_max_s = max(self.pause_max_s, run.clock.now_s() - began_s)
        self._events.serve(run.journal, tick)

    def close(self, run: WorldRun) -> None:
        """Report the edits that were not taken."""
        self._queue.close()
        self._events.finish(run.journal, self._last)
        self.missed = self._queue.left()

    def _take(self, run: WorldRun, tick: Tick, answer: EditAnswer) -> None:
        faults = answer.faults
        if answer.built is not None:
            try:
                found = swapped(run.bench, answer.built)
            except EditRefusedError as error:
                faults = error.faults
            else:
                run.continue_with(found.bench)
                self.taken += 1
                self._events.put(run.journal, tick, answer.edit, (), found.facts())
                return
        self.refused += 1
        self._events.put(run.journal, tick, answer.edit, faults, {})
