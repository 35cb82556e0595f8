"""Faults, refusals and warnings of a run, newest first, with their remedies."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any, Final

from hil.panel.live.models.feed import Batch, RunFacts
from hil.panel.widgets.figures import figure, span
from hil.recording.events import EventKind, EventRecord, Level
from hil.run.station import Views

KEPT: Final = 500
UNKNOWN: Final = (
    "Read the cause; have the machine looked at before going on if it is not understood."
)
"""Remedy for a check that is not known here."""

SORTS: Final = {
    "fault": "fault",
    "refusal": "nothing done",
    "warning": "warning",
}


class Sort(Enum):
    """Sort of an entry."""

    FAULT = "fault"
    """The gate stopped or refused a motion."""
    REFUSAL = "refusal"
    """A press did nothing."""
    WARNING = "warning"
    """The run continues, but it is worth attention."""


@dataclass(frozen=True, slots=True)
class FaultEntry:
    """One line of the table."""

    t_s: float
    """Time of the run [s]."""
    sort: Sort
    """Sort of the entry."""
    active: bool
    """Whether it still holds; a fault that was reset does not."""
    place: str
    """Leg, arm and joint, or empty."""
    cause: str
    """Cause in words."""
    value: str
    """Value that was found, with its unit."""
    limit: str
    """Limit that would have been right, with its unit."""
    advice: str
    """Remedy."""

    def line(self) -> str:
        """The entry for a clipboard: its parts, with tabs between them."""
        state = "standing" if self.active else "over"
        parts = (f"{self.t_s:.3f} s", SORTS[self.sort.value], state, self.place,
                 self.cause, self.value, self.limit, self.advice)  # fmt: skip
        return "\t".join(part.replace("\t", " ").replace("\n", " ") for part in parts)


class FaultsModel:
    """Faults, refusals and warnings of a run."""

    def __init__(self, facts: RunFacts) -> None:
        self._views = facts.views
        self._entries: deque[FaultEntry] = deque(maxlen=KEPT)
        self.serial = 0
        """Rises whenever the entries change."""

    @property
    def entries(self) -> tuple[FaultEntry, ...]:
        """All entries, newest first."""
        return tuple(reversed(self._entries))

    @property
    def active(self) -> int:
        """Number of faults that still hold."""
        return sum(entry.active for entry in self._entries)

    def take(self, batch: Batch, now_s: float) -> None:
        """Take the events that the feed brought; they are kept in order."""
        if batch.restart and self._entries:
            self._entries.clear()
            self.serial += 1
        for event in batch.events:
            if event.kind is EventKind.MODE:
                if event.data.get("mode") in self._views.clears:
                    self._end()
                continue
            entry = entry_of(self._views, event)
            if entry is not None:
                self._entries.append(entry)
                self.serial += 1

    def forget(self) -> None:
        """Drop what no longer holds."""
        kept = [entry for entry in self._entries if entry.active]
        if len(kept) < len(self._entries):
            self._entries = deque(kept, KEPT)
            self.serial += 1

    def _end(self) -> None:
        if any(entry.active for entry in self._entries):
            ended = (replace(e, active=False) if e.active else e for e in self._entries)
            self._entries = deque(ended, KEPT)
            self.serial += 1


def entry_of(views: Views, event: EventRecord) -> FaultEntry | None:
    """The line of an event; None if nothing is wrong by it."""
    data: Mapping[str, Any] = event.data
    bad = event.kind in (EventKind.VIOLATION, EventKind.FAULT) or event.level is Level.FATAL
    if not bad and data.get("taken") is False:
        advice = "Do what the reason says, then press again."
        return _entry(event, Sort.REFUSAL, "", "–", "–", advice)
    if not bad and event.level < Level.WARNING:
        return None
    unit = str(data.get("unit") or "")
    value, limit, low = (_number(data.get(key)) for key in ("value", "limit", "low"))
    has_no_figures = not unit and not limit and not value
    return _entry(
        event,
        Sort.FAULT if bad else Sort.WARNING,
        place_of(data),
        "–" if has_no_figures else figure(value, unit),
        "–" if has_no_figures else span(low, limit, unit),
        advice_of(views, data.get("check")),
    )


def _entry(
    event: EventRecord, sort: Sort, place: str, value: str, limit: str, advice: str
) -> FaultEntry:
    active = sort is Sort.FAULT
    return FaultEntry(event.t_s, sort, active, place, event.message, value, limit, advice)


def advice_of(views: Views, check: object) -> str:
    """Return the remedy of a check; general advice for one that is not known here."""
    return views.advice.get(check.lower(), UNKNOWN) if isinstance(check, str) else UNKNOWN


def place_of(data: Mapping[str, Any]) -> str:
    """Leg, or arm and joint, of an event."""
    if data.get("leg") is not None:
        return "leg {leg}".format(leg=data["leg"])
    return ", ".join(str(data[key]) for key in ("arm", "joint") if data.get(key))


def _number(value: object) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
