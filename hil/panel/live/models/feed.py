"""Sources of a window's data: a bench that runs, or a recording, through one interface.

A feed hands over what came since it was last asked, as one array: a window asks thirty times
a second, whatever the rate of the bench. A replay has its own time, which can be moved; its
consumers then forget what they had (`Batch.restart`).
"""

from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from hil.desk.client import DeskClient
from hil.desk.operation import OPERATION_KIND, Operation
from hil.recording.events import EVENTS, ROWS, EventRecord
from hil.recording.header import RunHeader
from hil.recording.rows import decode
from hil.recording.signals import Signals
from hil.run.registry import station_or_none
from hil.run.station import NO_VIEWS, Station, Views

Rows = NDArray[np.float64]

HISTORY_S: Final = 600.0
"""Length of the history of a replay when its time was moved [s]."""


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts of a run that do not change while it is shown."""

    header: RunHeader
    """Header of the run."""
    period_s: float
    """Time between two frames [s]."""
    name: str
    """Name of the run."""

    @property
    def signals(self) -> Signals:
        """Table of its rows."""
        return self.header.signals

    @property
    def station(self) -> str:
        """Station of the run."""
        return self.signals.station

    @property
    def installed(self) -> Station | None:
        """The station; None if it is not installed here, and only signals and events are known."""
        return station_or_none(self.station)

    @property
    def views(self) -> Views:
        """Views of its station beside signals and events."""
        found = self.installed
        return NO_VIEWS if found is None else found.views

    @property
    def simulated(self) -> tuple[str, ...]:
        """Descriptions of the run's simulated devices, by themselves; empty if all are real."""
        return tuple(self.header.simulated.values())


def _no_events() -> tuple[EventRecord, ...]:
    return ()


@dataclass(frozen=True, slots=True)
class Batch:
    """Rows and events that came since the last poll."""

    rows: Rows
    """Rows, oldest first, (n, values of the table); NaN = not there."""
    events: tuple[EventRecord, ...] = field(default_factory=_no_events)
    """New ones, oldest first."""
    operation: Operation | None = None
    """The newest word of control on the operation; None if none came."""
    missed: int = 0
    """Frames that were overwritten before they could be read."""
    restart: bool = False
    """Time was moved: what was shown before is not the past of these rows."""


class Feed(Protocol):
    """Something that a window can show."""

    @property
    def facts(self) -> RunFacts:
        """Facts that do not change."""
        ...

    def poll(self) -> Batch:
        """Return what came since the last call; never waits."""
        ...


class LiveFeed:
    """A bench that runs, by its telemetry."""

    def __init__(self, client: DeskClient) -> None:
        self._reader = client.telemetry
        header = client.welcome.header
        self.facts = RunFacts(header, client.welcome.period_s, client.welcome.bench)
        self._missed = 0

    def poll(self) -> Batch:
        """Return what came since the last call; never waits."""
        rows: list[bytes] = []
        events: list[EventRecord] = []
        operation = None
        for kind, payload in self._reader.read():
            if kind == ROWS:
                rows.append(payload)
            elif kind == EVENTS:
                events.append(EventRecord.from_bytes(payload))
            elif kind == OPERATION_KIND:
                operation = Operation.from_bytes(payload)
        missed, self._missed = self._reader.missed - self._missed, self._reader.missed
        return Batch(decode(self.facts.signals, rows), tuple(events), operation, missed)


def column(signals: Signals, name: str) -> slice:
    """Columns of a signal in the rows of a batch.

    Raises:
        KeyError: if there is no such signal.
    """
    return signals.places[name]
