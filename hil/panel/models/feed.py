"""Where a window's data comes from: a bench that runs, or a recording, through one interface.

A feed hands over what came since it was last asked, as one array: a window asks thirty times
a second, whatever the rate of the bench. A replay has its own time, which can be moved; its
consumers then forget what they had (`Batch.restart`).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from hil.desk.client import DeskClient
from hil.desk.operation import Operation
from hil.desk.telemetry import OPERATION_KIND
from hil.recording.frame import CYCLE_KIND, EVENT_KIND, EventRecord, Field
from hil.recording.header import RunHeader
from hil.recording.layout import Layout
from hil.recording.layouts import layout_of
from hil.recording.reader import Recording

Rows = NDArray[np.float64]
Station = Literal["platform", "arm"]

HISTORY_S: Final = 600.0
"""How far back a replay reaches when its time was moved [s]."""
_DTYPES: Final = {"Q": "<u8", "d": "<f8", "B": "u1", "H": "<u2"}


@dataclass(frozen=True, slots=True)
class RunFacts:
    """What does not change while a run is looked at.

    Args:
        header: of the run.
        layout: of its frames.
        period_s: time between two frames [s].
        name: of the run.
    """

    header: RunHeader
    layout: Layout
    period_s: float
    name: str

    @property
    def station(self) -> Station:
        """Of which station the run is."""
        return cast(Station, self.layout.station)

    @property
    def simulated(self) -> tuple[str, ...]:
        """What the simulated devices of the run say of themselves; empty if all are real."""
        facts = self.header.metadata
        return tuple(line for line in facts.values() if line.startswith("SIMULATED"))


def _no_events() -> tuple[EventRecord, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Batch:
    """What came since the last time.

    Args:
        rows: frames, oldest first, (n, values of the layout); NaN = not there.
        events: what happened, oldest first.
        operation: the newest word of control on the operation; None if none came.
        missed: frames that were overwritten before they could be read.
        restart: time was moved: what was shown before is not the past of these rows.
    """

    rows: Rows
    events: tuple[EventRecord, ...] = field(default_factory=_no_events)
    operation: Operation | None = None
    missed: int = 0
    restart: bool = False


class Feed(Protocol):
    """Something that a window can show."""

    @property
    def facts(self) -> RunFacts:
        """What does not change."""
        ...

    def poll(self) -> Batch:
        """Return what came since the last call; never waits."""
        ...


class LiveFeed:
    """A bench that runs, by its telemetry.

    Args:
        client: connection to its desk; its messages are not touched here.
    """

    def __init__(self, client: DeskClient) -> None:
        self._reader = client.telemetry
        header = client.welcome.header
        self.facts = RunFacts(
            header, layout_of(header.metadata), client.welcome.period_s, client.welcome.bench
        )
        self._missed = 0

    def poll(self) -> Batch:
        """Return what came since the last call; never waits."""
        frames: list[bytes] = []
        events: list[EventRecord] = []
        operation = None
        for kind, payload in self._reader.read():
            if kind == CYCLE_KIND:
                frames.append(payload)
            elif kind == EVENT_KIND:
                events.append(EventRecord.from_bytes(payload))
            elif kind == OPERATION_KIND:
                operation = Operation.from_bytes(payload)
        missed, self._missed = self._reader.missed - self._missed, self._reader.missed
        return Batch(decode(self.facts.layout, frames), tuple(events), operation, missed)


class ReplayFeed:
    """A recording, played at any rate from any place.

    Args:
        recording: the run.
        now_s: the clock by which it is played [s].
    """

    def __init__(self, recording: Recording, now_s: Callable[[], float]) -> None:
        self._now_s = now_s
        self._table = table_of(recording)
        self._times = np.ascontiguousarray(recording.t_s)
        self._events = sorted(recording.events, key=lambda event: event.t_s)
        self._event_times = np.array([event.t_s for event in self._events])
        self.facts = _facts_of(recording)
        first, last = (self._times[0], self._times[-1]) if len(self._times) else (0.0, 0.0)
        self.span_s = (float(first), float(last))
        self._rate = 0.0
        self._asked_s = now_s()
        self._place_s = self.span_s[0]
        self._shown_s = -np.inf
        self._moved = True

    @property
    def t_s(self) -> float:
        """Time of the run that is shown [s]."""
        return self._place_s

    @property
    def rate(self) -> float:
        """Run's seconds per second; 0 stands still."""
        return self._rate

    def seek(self, t_s: float) -> None:
        """Show another time of the run [s]; one outside it becomes its nearest end."""
        self._place_s = float(np.clip(t_s, *self.span_s))
        self._asked_s = self._now_s()
        self._moved = True

    def play(self, rate: float) -> None:
        """Go on at a rate of 0 or more; 0 stands still."""
        self._advance()
        self._rate = max(0.0, rate)

    def poll(self) -> Batch:
        """Return the rows and events that time has passed since the last call."""
        self._advance()
        if self._place_s >= self.span_s[1]:
            self._rate = 0.0
        restart, self._moved = self._moved, False
        since = self._place_s - HISTORY_S if restart else self._shown_s
        rows = self._table[self._between(self._times, since, self._place_s)]
        events = self._events[
            self._between(self._event_times, -np.inf if restart else since, self._place_s)
        ]
        self._shown_s = self._place_s
        return Batch(rows, tuple(events), restart=restart)

    def _advance(self) -> None:
        now_s = self._now_s()
        self._place_s = min(self._place_s + self._rate * (now_s - self._asked_s), self.span_s[1])
        self._asked_s = now_s

    @staticmethod
    def _between(times: NDArray[np.float64], after_s: float, until_s: float) -> slice:
        return slice(
            int(np.searchsorted(times, after_s, side="right")),
            int(np.searchsorted(times, until_s, side="right")),
        )


@lru_cache
def _slices(fields: tuple[Field, ...]) -> Mapping[str, slice]:
    places: dict[str, slice] = {}
    start = 0
    for row in fields:
        places[row.name] = slice(start, start + row.count)
        start += row.count
    return MappingProxyType(places)


def column(layout: Layout, name: str) -> slice:
    """Columns of a field in the rows of a batch.

    Raises:
        KeyError: if the layout has no such field.
    """
    return _slices(layout.fields)[name]


@lru_cache
def _dtype(fields: tuple[Field, ...]) -> np.dtype[Any]:
    return np.dtype([(row.name, _DTYPES[row.code], (row.count,)) for row in fields])


def decode(layout: Layout, frames: Sequence[bytes]) -> Rows:
    """Frames as they are in the ring → one row each, (n, values); wrong sizes are left out."""
    whole = [frame for frame in frames if len(frame) == layout.frame.size]
    packed = np.frombuffer(b"".join(whole), dtype=_dtype(layout.fields))
    rows = np.empty((len(whole), layout.values))
    for name, place in _slices(layout.fields).items():
        rows[:, place] = packed[name]
    return rows


def table_of(recording: Recording) -> Rows:
    """All frames of a recording, (N, values), read-only."""
    layout = recording.layout
    table = np.empty((recording.cycles, layout.values))
    for name, place in _slices(layout.fields).items():
        values = recording.column(name)
        table[:, place] = values if values.ndim == 2 else values[:, None]
    table.setflags(write=False)
    return table


def _facts_of(recording: Recording) -> RunFacts:
    metadata = recording.metadata.get("run", {})
    header = RunHeader(recording.modes, recording.actions, metadata, recording.scenario or {})
    steps = np.diff(recording.t_s)
    period_s = float(np.median(steps)) if len(steps) else 1.0
    name = metadata.get("scenario") or recording.path.parent.name
    return RunFacts(header, recording.layout, period_s, name)
