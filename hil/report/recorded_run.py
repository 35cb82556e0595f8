"""A recording prepared for its page as far as runs of all stations are alike: notes and tables."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Generic, NamedTuple, Self, TypeVar

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.recording.end import RecordedEnd
from hil.recording.events import EventRecord
from hil.recording.header import simulated_in
from hil.recording.reader import Recording
from hil.recording.row_arrays import let_go
from hil.report.phases import Phase, phases_of, times_s
from hil.report.run_verdict import (
    Verdict,
    seen_from_outside,
    sentence,
    verdict_of,
    violations_of,
)

Array = NDArray[np.float64]
MOST_LOSSES = 20
BEFORE = 2
"""Rows that pieces have in common: a change of speed is a difference of differences."""
_HASH = re.compile(r"\b([0-9a-f]{12})[0-9a-f]{28}\b")


@dataclass(frozen=True, slots=True)
class KeyFigure:
    """One figure of a run against its limit: what a person looks at first."""

    name: str
    value: str
    where: str = ""
    """Part and time; empty if it belongs to the whole run."""
    limit: str = ""
    margin: str = ""
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a table."""

    cells: tuple[str, ...]
    bad: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """Rows of one kind."""

    heads: tuple[str, ...]
    """Of the columns; all but the first are of numbers."""
    rows: tuple[Row, ...]
    name: str = ""


@dataclass(frozen=True, slots=True)
class Tables:
    """A section of tables."""

    tables: tuple[Table, ...]
    note: str = ""
    """What is not known; empty if all is."""


R = TypeVar("R", bound="RecordedRun")


class RunPiece(NamedTuple, Generic[R]):
    """Some rows of a run that follow each other."""

    run: R
    """They, in memory; of a short run itself."""
    first: int
    """Place in the whole run of the first row that no piece before has."""
    before: int
    """How many stand before that, for differences."""


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class RecordedRun:
    """What the page of a run is made of. A station that has more to say has a kind of its own."""

    recording: Recording
    times: Array
    """When each row was recorded [s], shape (N,), read-only."""
    phases: tuple[Phase, ...]
    verdict: Verdict
    notes: tuple[str, ...]

    def facts(self) -> dict[str, str]:
        """What was known before the first row: name → text."""
        return dict(self.recording.metadata.get("run", {}))

    def pieces(self) -> "Iterator[RunPiece[Self]]":
        """All rows in order, as runs of some rows each that fit into memory; see `Recording`."""
        for piece in self.recording.pieces(BEFORE):
            if piece.rows is self.recording:
                yield RunPiece(self, 0, 0)
                continue
            rows = slice(piece.start, piece.start + piece.rows.cycles)
            yield RunPiece(self._of(piece.rows, rows), piece.start + piece.before, piece.before)
            self._let_go()

    def part(self, first: int, end: int) -> Self:
        """The run with its rows from a place to before another alone."""
        first, end = max(first, 0), min(end, len(self.times))
        return self._of(self.recording.part(first, end), slice(first, end))

    def _of(self, recording: Recording, rows: slice) -> Self:
        return replace(self, recording=recording, times=self.times[rows].copy())

    def _let_go(self) -> None:
        let_go(self.times)

    @property
    def title(self) -> str:
        """Which scenario it was."""
        return self.facts().get("scenario", "unknown scenario")

    @property
    def simulated(self) -> tuple[str, ...]:
        """The devices that were simulated, as the header names them."""
        return tuple(simulated_in(self.facts()).values())

    @property
    def badges(self) -> tuple[str, ...]:
        """What a reader wants to know at once."""
        clock = self.facts().get("clock")
        return (f"{clock} clock",) if clock else ()

    @property
    def origin(self) -> tuple[str, ...]:
        """When, where and by which program it was made, as far as it says so."""
        facts = self.facts()
        date, host, revision = (facts.get(name) for name in ("started_utc", "host", "revision"))
        found = [f"{date[:10]} {date[11:19]} UTC"] if date else []
        found += [f"on {host}"] if host else []
        return (*found, _HASH.sub(r"\1", revision)) if revision else tuple(found)

    @property
    def figures_note(self) -> str:
        """How to read the key figures."""
        return ""

    def event_s(self, event: EventRecord) -> float:
        """When an event was, on the clock of the page [s]."""
        return event.t_s

    def objections(self) -> tuple[EventRecord, ...]:
        """What was objected to, in order."""
        return violations_of(self.recording)

    def settings(self) -> Iterator[tuple[str, str]]:
        """Names and indented texts of what was set."""
        if self.recording.scenario is not None:
            yield "Settings as stored", indented(self.recording.scenario)


def recorded_run(recording: Recording, notes: Iterable[str] = ()) -> RecordedRun:
    """Prepare a recording of any station; an odd one gives notes beside these, not an error."""
    times = times_s(recording)
    phases = phases_of(recording, times)
    return RecordedRun(
        recording=recording,
        times=times,
        phases=phases,
        verdict=seen_from_outside(verdict_of(recording, phases), recording),
        notes=(*notes_of(recording), *notes),
    )


def common_figures(run: RecordedRun) -> list[KeyFigure]:
    """Figures that runs of all stations have."""
    recording = run.recording
    length_s = float(run.times[-1] - run.times[0]) if len(run.times) else 0.0
    return [
        KeyFigure("rows recorded", f"{recording.cycles} over {length_s:.2f} s"),
        KeyFigure("entries dropped", str(recording.dropped), bad=recording.dropped > 0),
    ]


def notes_of(recording: Recording) -> Iterator[str]:
    """What is damaged, lost or divided, and what was never written."""
    yield from recording_notes(recording)
    missing = sum(gap.missing for gap in recording.gaps)
    if missing:
        yield f"{missing} rows are missing in the recording."


def whole(recording: Recording) -> bool:
    """Whether nothing is damaged and no row is missing, at its end neither."""
    recorded_end = RecordedEnd.of(recording.metadata)
    return not (recording.losses or recording.truncated or recorded_end.loss)


def indented(value: Mapping[str, Any]) -> str:
    """JSON for people."""
    return orjson.dumps(dict(value), option=orjson.OPT_INDENT_2).decode()


def recording_notes(recording: Recording) -> Iterator[str]:
    """Sentences about what is damaged, lost or divided; none for a recording that is whole."""
    losses = recording.losses
    if loss := RecordedEnd.of(recording.metadata).loss:
        yield sentence(loss)
    damaged = sum(loss.damaged for loss in losses)
    if damaged:
        missing = [loss.cycles for loss in losses if loss.damaged]
        count = sum(cycles or 0 for cycles in missing)
        more = " and perhaps more" if None in missing else ""
        times = "once" if damaged == 1 else f"{damaged} times"
        yield f"The file is damaged {times}; {count} cycles{more} are missing by that."
    for loss in losses[:MOST_LOSSES]:
        yield str(loss)
    if len(losses) > MOST_LOSSES:
        yield f"… and {len(losses) - MOST_LOSSES} more."
    if len(recording.parts) > 1:
        names = ", ".join(part.name for part in recording.parts[1:])
        yield (
            f"The recorder ended {len(recording.parts) - 1} times during the run and was begun "
            f"anew: {names} go on where the file before ends."
        )
    if recording.truncated:
        yield "The file was not finished properly; up to its last complete chunk all is here."
