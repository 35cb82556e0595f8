"""Reading a recording back, whole or cut off anywhere: what was complete is always recovered."""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from hil.config.inputs import InputFile
from hil.config.named_files import judged
from hil.recording.collector import Collector
from hil.recording.columns import Columns
from hil.recording.end import RecordedEnd
from hil.recording.events import EventRecord
from hil.recording.header import RecordingError, RunHeader, part_path
from hil.recording.mcap_scan import Caps, Scan
from hil.recording.signals import Signals


@dataclass(frozen=True, slots=True)
class Gap:
    """Cycles that the loop ran and the recording lacks."""

    after_index: int
    """Last cycle before the hole; at the start, one before the first of a run."""
    missing: int
    """Number of missing cycles; negative if the numbers went back."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the recording lacks, or damage that cost nothing."""

    why: str
    """Reason, with its place in the file."""
    from_s: float = math.nan
    """Time of the last cycle before it [s]; NaN if it lies at no place of the run."""
    to_s: float = math.nan
    """Time of the first cycle after it [s]; NaN if none follows."""
    cycles: int | None = 0
    """Number of cycles missing there; None if that cannot be known."""
    damaged: bool = True
    """Whether bytes are wrong; else entries were lost when a recorder ended."""

    def __str__(self) -> str:
        """Text such as `3.498 to 4.000 s, 250 cycles missing: byte 81234: a record is damaged`."""
        if math.isnan(self.from_s) and math.isnan(self.to_s):
            return self.why
        ends = f"{self.from_s:.3f} to {self.to_s:.3f} s"
        if math.isnan(self.to_s):
            ends = f"after {self.from_s:.3f} s"
        elif math.isnan(self.from_s):
            ends = f"before {self.to_s:.3f} s"
        count = "an unknown number of" if self.cycles is None else self.cycles
        return f"{ends}, {count} cycles missing: {self.why}"


@dataclass(frozen=True, slots=True)
class Recording:
    """A recording; several parts of one run are one. Of a long one the rows stay in the file.

    What looks at all rows takes them in `pieces`, so that it needs no more memory for a long run.
    """

    path: Path
    """The file; of several parts, the first."""
    signals: Signals
    columns: Mapping[str, NDArray[Any]]
    """Signal → read-only array, (N,) or (N, count); NaN = not there. See `Columns`."""
    events: tuple[EventRecord, ...]
    metadata: Mapping[str, Mapping[str, str]]
    """Name → text, as written: "run", and "outcome" if the file was finished."""
    scenario: Mapping[str, Any] | None
    """The effective scenario; None if the file is cut off before it."""
    gaps: tuple[Gap, ...]
    truncated: bool
    losses: tuple[Loss, ...]
    """Damage, and what was lost from one part to the next."""
    sha256: str
    parts: tuple[Path, ...] = ()
    files: tuple[InputFile, ...] | None = None
    """Files whose content the run took in; None if the recording does not list them."""

    @classmethod
    def open(
        cls, path: Path, caps: Caps | None = None, report: Callable[[float], object] = float
    ) -> Self:
        """Read a file and its further parts, or the recording in a run's folder.

        Args:
            caps: most memory to spend on each file.
            report: called with the share that is done, 0 to 1; what it raises ends the reading.

        Raises:
            RecordingError: if it is not there, is not a recording, or is beyond the caps.
        """
        file = part_path(path, 1)
        collector = Collector(report)
        try:
            collector.take(
                file, Scan(judged(file, file) if path.is_dir() else file, caps or Caps())
            )
            while (part := part_path(file, len(collector.parts) + 1)).exists():
                if not collector.take(part, Scan(judged(part, file), caps or Caps())):
                    break
        except OSError as error:
            raise RecordingError(f"{file}: cannot be read: {error.strerror or error}") from error
        columns = Columns(collector.signals, collector.rows)
        return cls(
            path=file,
            signals=collector.signals,
            columns=columns,
            events=tuple(collector.events),
            metadata=MappingProxyType(collector.metadata),
            scenario=collector.scenario,
            gaps=tuple(Gap(*one) for one in collector.steps),
            truncated=not collector.finished,
            losses=_losses(collector, columns),
            sha256=collector.sha256,
            parts=tuple(collector.parts),
            files=collector.files,
        )

    @property
    def header(self) -> RunHeader:
        """Header of its run."""
        facts = self.metadata.get("run", {})
        return RunHeader(self.signals, facts, self.scenario or {}, self.files)

    @property
    def modes(self) -> tuple[str, ...]:
        """Names of the codes of what the station did (column "mode"; of an arm, "state")."""
        return self.header.modes

    @property
    def actions(self) -> tuple[str, ...]:
        """Names of the codes of what its gate did (column "action")."""
        return self.header.actions

    @property
    def cycles(self) -> int:
        """Number of cycles read, N."""
        columns = self.columns
        return columns.cycles if isinstance(columns, Columns) else len(columns["index"])

    @property
    def t_s(self) -> NDArray[np.float64]:
        """Motion time of each cycle [s], (N,)."""
        return self.columns["t_s"]

    @property
    def damage(self) -> str:
        """All damage in words; empty if there is none."""
        return "; ".join(str(loss) for loss in self.losses if loss.damaged)

    def column(self, name: str) -> NDArray[Any]:
        """Return one signal of all cycles, read-only; a `RecordingError` lists those there are."""
        if name not in self.columns:
            raise RecordingError(f"no column {name!r}; there are {', '.join(self.columns)}")
        return self.columns[name]

    def pieces(self, before: int = 0) -> Iterator["RowPiece"]:
        """All rows in order, as recordings whose columns are in memory; of a short one itself.

        Args:
            before: rows that a piece has of those before it, where there are as many: for
                differences from one row to the next.
        """
        if is_short(self):
            yield RowPiece(self, 0, 0)
            return
        for first, end in self.stretches():
            start = max(first - before, 0)
            yield RowPiece(self.part(start, end), start, first - start)

    def stretches(self) -> Iterator[tuple[int, int]]:
        """First row and row behind the last of each piece; of a short recording one."""
        columns = self.columns
        return columns.stretches() if isinstance(columns, Columns) else iter([(0, self.cycles)])

    def part(self, first: int, end: int) -> Self:
        """The rows from a place to before another, in memory; all else is that of the whole."""
        columns = self.columns
        if not isinstance(columns, Columns):
            columns = {name: values[first:end] for name, values in columns.items()}
            return replace(self, columns=MappingProxyType(columns))
        return replace(self, columns=columns.part(max(first, 0), min(end, columns.cycles)))

    @property
    def dropped(self) -> int:
        """Entries known not to be here: the loop's and the recorder's count, else the holes'."""
        recorded_end = RecordedEnd.of(self.metadata)
        if recorded_end.known or "outcome" in self.metadata:
            return recorded_end.missing
        return sum(gap.missing for gap in self.gaps)


class RowPiece(NamedTuple):
    """Some rows of a recording that follow each other."""

    rows: Recording
    """They, in memory, with all else that the recording has."""
    start: int
    """Place of the first of them in the recording."""
    before: int
    """Number of them that the piece before has as well: they are here for differences."""


def is_short(recording: Recording) -> bool:
    """Whether all of its rows are in memory."""
    columns = recording.columns
    return not isinstance(columns, Columns) or columns.in_memory


def _losses(collector: Collector, columns: Columns) -> tuple[Loss, ...]:
    """Damage by its place in the run, and what is missing from one part to the next."""
    found = [Loss(str(damage)) for place, damage in collector.holes if place is None]
    placed: dict[int, list[str]] = {}
    for place, damage in collector.holes:
        if place is not None:
            placed.setdefault(place, []).append(str(damage))
    first = collector.signals.first_index
    found += [_loss(place, "; ".join(why), columns, first) for place, why in placed.items()]
    for number, place in enumerate(collector.joints, start=2):
        why = f"the recorder ended, {part_path(collector.parts[0], number).name} goes on"
        loss = _loss(place, why, columns, first)
        if loss.cycles and place not in placed:
            found.append(replace(loss, damaged=False))
    return tuple(found)


def _loss(place: int, why: str, columns: Columns, first: int) -> Loss:
    """A hole before the cycle at a place of the columns."""
    around = columns.part(max(place - 1, 0), place + 1)
    t_s, index = around["t_s"].tolist(), around["index"].tolist()
    at = min(place, 1)
    from_s = t_s[0] if place else math.nan
    to_s = t_s[at] if at < len(t_s) else math.nan
    cycles = None
    if at < len(index):
        before = index[0] if place else first - 1
        cycles = max(0, index[at] - before - 1)
    return Loss(why, from_s, to_s, cycles)
