"""Changes of a diagram while it moves a machine: their times, and their record.

A change is one event with its result, one for each fault if it was refused, and its text in parts;
`changes_of` puts them together again, so that a run can be repeated.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from hil.config.errors import ConfigError
from hil.diagram.run.change import DiagramChange
from hil.run.edit_texts import EditEvents, EditText, texts_of
from hil.timing.clock import Tick

if TYPE_CHECKING:
    from hil.diagram.run.connection import ConnectedDiagram, PreparedChange
    from hil.recording.reader import Recording
    from hil.run.journal import Journal, Scalar

WHO: Final = "diagram"
"""Name of events of changes in a recording."""
DRIVER: Final = "driver"
"""Name of events of numbers that a person who drives has set, and source of these changes."""
TOLD_MOST: Final = 300
"""Characters of what was set, in an event."""


@dataclass(frozen=True, slots=True)
class TimedChange:
    """A change that is to be tried from a definite step on."""

    step: int
    """Number of the row after which it is offered."""
    change: DiagramChange


Inbox = Callable[[], DiagramChange | None]
"""Gives the next change that somebody asks for now; None while nobody does."""


class DiagramChanger:
    """Offers changes to the diagram of a run, one after another, and reports the result of each.

    Args:
        changes: with their steps.
        step_s: of the run.
        inbox: of those that come while it runs.
        beside: whether they are built in a thread, so that the loop does not wait.
    """

    def __init__(
        self, changes: Iterable[TimedChange], step_s: float, inbox: Inbox | None = None, *,
        beside: bool = False,
    ) -> None:  # fmt: skip
        self._waiting = deque(sorted(changes, key=lambda one: one.step))
        self._step_s, self._inbox = step_s, inbox
        self._builder = ThreadPoolExecutor(1, "diagram") if beside else None
        self._building: tuple[DiagramChange, Future[PreparedChange]] | None = None
        self._trying: tuple[int, PreparedChange] | None = None
        self.on_refused: Callable[[DiagramChange, str], object] = lambda change, why: None
        """Called with each change that was refused, and why."""
        self._events = EditEvents(who=WHO)
        self._last = Tick(0, 0.0, 0.0, 0.0)
        self.taken: int = 0
        """Changes that the diagram has taken."""
        self.refused: int = 0
        """Changes that were refused."""
        self.missed: tuple[str, ...] = ()
        """Changes that the run did not come to, in words."""

    def act(self, diagram: ConnectedDiagram, journal: Journal | None, tick: Tick) -> None:
        """Report the result of a change, or take the next; never waits."""
        self._last = tick
        if self._trying is not None and diagram.outcome is not None:
            self._note(journal, tick, diagram)
        if self._trying is None:
            self._offer(journal, tick, diagram)
        self._events.serve(journal, tick)

    def close(self, journal: Journal | None) -> None:
        """Report the rest of the texts."""
        if self._builder is not None:
            self._builder.shutdown(wait=False, cancel_futures=True)
        self._events.finish(journal, self._last)
        late = "the run was over before"
        left = [f"change at t = {one.step * self._step_s:.3f} s ({one.change}): {late}"
                for one in self._waiting]  # fmt: skip
        if self._building is not None:
            left.append(f"change ({self._building[0]}): {late}")
        if self._trying is not None:
            left.append(f"change ({self._trying[1].change}): {late}")
        self.missed = tuple(left)

    def _offer(self, journal: Journal | None, tick: Tick, diagram: ConnectedDiagram) -> None:
        change = None if self._building is not None else self._next(tick.index)
        if change is not None:
            self._building = change, self._begun(diagram, change)
        if self._building is None or not self._building[1].done():
            return
        change, built = self._building
        self._building = None
        try:
            prepared = built.result()
        except ConfigError as error:
            self._put(journal, tick, change, tick.index, tuple(str(error).splitlines()), {})
            return
        diagram.offer(prepared)
        self._trying = tick.index, prepared

    def _next(self, index: int) -> DiagramChange | None:
        if self._waiting and self._waiting[0].step <= index:
            return self._waiting.popleft().change
        return None if self._inbox is None else self._inbox()

    def _begun(self, diagram: ConnectedDiagram, change: DiagramChange) -> Future[PreparedChange]:
        if self._builder is not None:
            return self._builder.submit(diagram.prepare, change)
        built: Future[PreparedChange] = Future()
        try:
            built.set_result(diagram.prepare(change))
        except ConfigError as error:
            built.set_exception(error)
        return built

    def _note(self, journal: Journal | None, tick: Tick, diagram: ConnectedDiagram) -> None:
        if self._trying is None or diagram.outcome is None:
            return
        (step, prepared), outcome, self._trying = self._trying, diagram.outcome, None
        faults = (outcome.refused,) if outcome.refused else ()
        facts: dict[str, Scalar] = {}
        if not faults:
            words = ", ".join(
                f"{name}: {old!r} -> {new!r}" for name, old, new in prepared.changed_values
            )
            facts = {"jump": outcome.jump, "set": words[:TOLD_MOST]}
        self._put(journal, tick, prepared.change, step, faults, facts)

    def _put(
        self, journal: Journal | None, tick: Tick, change: DiagramChange, step: int,
        faults: tuple[str, ...], facts: dict[str, Scalar],
    ) -> None:  # fmt: skip
        self.taken += not faults
        self.refused += bool(faults)
        if faults:
            self.on_refused(change, faults[0])
        edit = EditText(change.json(), change.source or str(change))
        self._events.put(journal, tick, edit, faults, {"step": step, **facts})


def changes_of(recording: Recording) -> tuple[TimedChange, ...]:
    """Read the changes in a recording, in their order, the refused ones among them.

    Raises:
        ConfigError: if the text of one is not there as a whole, or is none.
    """
    found = [*_changes(recording, WHO), *_changes(recording, DRIVER)]
    return tuple(sorted(found, key=lambda one: one.step))


def _changes(recording: Recording, who: str) -> Iterator[TimedChange]:
    for text, data, index in texts_of(recording, who):
        step = data.get("step")
        if not isinstance(step, int | None):
            problem = f"change at row {index}: step is {step!r:.40}; a whole number is needed"
            raise ConfigError(str(recording.path), [problem])
        change = replace(DiagramChange.from_json(text.text), carried=True)
        yield TimedChange(index if step is None else step, change)
