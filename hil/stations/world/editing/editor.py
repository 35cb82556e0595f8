"""Edits of a run, taken between the command of a turn and its step, and told to its recording."""

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
    from hil.stations.world.bench import WorldBench
    from hil.stations.world.loop import WorldRun
    from hil.stations.world.scenario import WorldPlan


@dataclass(frozen=True, slots=True, eq=False)
class EditAnswer:
    """What reading and compiling a document came to."""

    edit: EditText
    """The document."""
    built: BuiltEdit | None
    """None if it is refused."""
    faults: tuple[str, ...] = ()
    """Why, a line for each."""


class EditQueue(Protocol):
    """Where edits come from."""

    def due(self, index: int) -> EditAnswer | None:
        """The next edit that is to be taken in the turn of a number; it never waits."""
        ...

    def left(self) -> tuple[str, ...]:
        """What was not taken, once the run is over, in words."""
        ...

    def rehearse(self, bench: WorldBench) -> None:
        """Do all that an edit does once, in a copy of a bench, so that the first takes no longer.

        Raises:
            RefusedError: if no edit can be taken.
        """
        ...

    def close(self) -> None:
        """Give back what it holds; harmless when repeated."""
        ...


def answered(plan: WorldPlan, edit: EditText) -> EditAnswer:
    """Build a document here and now, or say what is wrong with it."""
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
        """The next edit of a step that is reached."""
        if self._waiting and self._waiting[0][0] <= index:
            return self._waiting.popleft()[1]
        return None

    def left(self) -> tuple[str, ...]:
        """Edits later than the end."""
        return tuple(
            f"edit at t = {step * self._step_s:.3f} s ({one.edit.source}): the run was over before"
            for step, one in self._waiting
        )

    def rehearse(self, bench: WorldBench) -> None:
        """Put one of the edits into a copy; whether it goes in is told when it is due."""
        for _, one in self._waiting:
            if one.built is not None:
                with suppress(EditRefusedError):
                    swapped(bench, one.built)
                return

    def close(self) -> None:
        """Nothing is held."""


class RunEditor:
    """Takes edits between steps; what cannot be taken is refused whole, and the run goes on."""

    def __init__(self, queue: EditQueue) -> None:
        self._queue = queue
        self._events = EditEvents()
        self._last = Tick(0, 0.0, 0.0, 0.0)
        self.taken: int = 0
        """Edits that the run has taken."""
        self.refused: int = 0
        """Edits that were refused."""
        self.pause_max_s: float = 0.0
        """Longest that one held up the loop; 0 on the virtual clock, where no time passes."""
        self.missed: tuple[str, ...] = ()
        """Edits that the run did not come to, in words."""

    def rehearse(self, bench: WorldBench) -> None:
        """Before the run begins, so that its first edit holds it up no longer than others.

        Raises:
            RefusedError: if no edit can be taken.
        """
        self._queue.rehearse(bench)

    def act(self, run: WorldRun, tick: Tick) -> None:
        """Take what is due."""
        self._last = tick
        while (answer := self._queue.due(tick.index)) is not None:
            began_s = run.clock.now_s()
            self._take(run, tick, answer)
            if answer.built is not None:
                self.pause_max_s = max(self.pause_max_s, run.clock.now_s() - began_s)
        self._events.serve(run.journal, tick)

    def close(self, run: WorldRun) -> None:
        """Tell the rest of the texts."""
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
                run.go_on_with(found.bench)
                self.taken += 1
                self._events.put(run.journal, tick, answer.edit, (), found.facts())
                return
        self.refused += 1
        self._events.put(run.journal, tick, answer.edit, faults, {})
