"""The run in time: the modes as spans, the events as marks."""

from bisect import bisect_right
from collections import deque
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from hil.panel.live.models.feed import Batch, RunFacts, column
from hil.panel.live.models.lamps import Role, lamp_of
from hil.recording.events import EventKind, EventRecord, Level
from hil.recording.header import code_name

SPANS_KEPT: Final = 1000
MARKS_KEPT: Final = 2000


@dataclass(frozen=True, slots=True)
class Span:
    """Time in one mode."""

    start_s: float
    """Time at which it began [s]."""
    end_s: float
    """Time at which it ended, or that of the newest frame [s]."""
    name: str
    """Name of the mode."""
    role: Role
    """Colour of the theme."""


@dataclass(frozen=True, slots=True)
class Mark:
    """An event."""

    t_s: float
    """Time of the event [s]."""
    role: Role
    """Colour of the theme; ``accent`` for what merely happened."""
    message: str
    """The line for a person."""


class TimelineModel:
    """Spans and marks of a run."""

    def __init__(self, facts: RunFacts) -> None:
        self._facts = facts
        self._mode = next((column(facts.signals, one.name) for one in facts.signals.coded), None)
        self._time = column(facts.signals, "t_s").start
        self._spans: deque[Span] = deque(maxlen=SPANS_KEPT)
        self._marks: deque[Mark] = deque(maxlen=MARKS_KEPT)
        self.serial = 0
        """Rises whenever a span begins or a mark comes; not when the newest span grows."""

    @property
    def spans(self) -> tuple[Span, ...]:
        """Spans in order of time; the last one goes to the newest frame."""
        return tuple(self._spans)

    @property
    def newest(self) -> Span | None:
        """The last span."""
        return self._spans[-1] if self._spans else None

    @property
    def marks(self) -> tuple[Mark, ...]:
        """Marks in order of time."""
        return tuple(self._marks)

    def take(self, batch: Batch, now_s: float) -> None:
        """Take what the feed brought."""
        if batch.restart:
            self._spans.clear()
            self._marks.clear()
            self.serial += 1
        if len(batch.rows):
            self._take_rows(batch)
        for event in batch.events:
            self._add(_mark(event))

    def around(self, t_s: float) -> int | None:
        """Number of the mark nearest to a time [s]; None without marks."""
        times = [mark.t_s for mark in self._marks]
        if not times:
            return None
        after = bisect_right(times, t_s)
        near = range(max(0, after - 1), min(len(times), after + 1))
        return min(near, key=lambda k: abs(times[k] - t_s))

    def _take_rows(self, batch: Batch) -> None:
        if self._mode is None:
            return
        times, modes = batch.rows[:, self._time], batch.rows[:, self._mode.start]
        known = np.isfinite(times) & np.isfinite(modes)
        times, modes = times[known], modes[known]
        if not len(times):
            return
        # Every place where the mode is another than before, and the first.
        starts = np.flatnonzero(np.diff(modes, prepend=np.nan) != 0.0).tolist()
        for start, end in zip(starts, [*starts[1:], len(times)], strict=True):
            name = code_name(self._facts.header.modes, int(modes[start]))
            self._stay(name, float(times[start]), float(times[end - 1]))

    def _stay(self, name: str, start_s: float, end_s: float) -> None:
        last = self.newest
        if last is not None:
            # A span lasts until the next one, so that no gap of a cycle shows between them.
            same = last.name == name
            self._spans[-1] = replace(last, end_s=end_s if same else max(last.end_s, start_s))
            if same:
                return
        role = lamp_of(self._facts.views.lamps, name, lit=True).role
        self._spans.append(Span(start_s, end_s, name, role))
        self.serial += 1

    def _add(self, mark: Mark) -> None:
        """Events come in order but for a hair; keep them so."""
        later: list[Mark] = []
        while self._marks and self._marks[-1].t_s > mark.t_s:
            later.append(self._marks.pop())
        self._marks.append(mark)
        self._marks.extend(reversed(later))
        self.serial += 1


def _mark(event: EventRecord) -> Mark:
    if event.level >= Level.ERROR or event.kind in (EventKind.VIOLATION, EventKind.FAULT):
        return Mark(event.t_s, "fault", event.message)
    if event.level >= Level.WARNING:
        return Mark(event.t_s, "warn", event.message)
    return Mark(event.t_s, "accent", event.message)
