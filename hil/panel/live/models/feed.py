"""Where a window's data comes from: a bench that runs, or a recording, through one interface.

A feed hands over what came since it was last asked, as one array: a window asks thirty times
a second, whatever the rate of the bench. A replay has its own time, which can be moved; its
consumers then forget what they had (`Batch.restart`).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from hil.desk.client import DeskClient
from hil.desk.operation import OPERATION_KIND, Operation
from hil.recording.frame import CYCLE_KIND, EVENT_KIND, EventRecord, Field
from hil.recording.header import RunHeader
from hil.recording.layout import Layout
from hil.recording.layouts import layout_of

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
