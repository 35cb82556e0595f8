"""Reading a recording back, whole or cut off anywhere: what was complete is always recovered."""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from hil.config.named import judged
from hil.recording.collector import Collector
from hil.recording.events import EventRecord
from hil.recording.header import RecordingError, RunHeader, part_path
from hil.recording.mcap_scan import Caps, Scan
from hil.recording.rows import columns_of
from hil.recording.signals import Signals


@dataclass(frozen=True, slots=True)
class Gap:
    """Cycles that the loop ran and the recording lacks."""

    after_index: int
    """Last cycle before the hole; at the start, one before the first of a run."""
    missing: int
    """How many are not there; negative if the numbers went back."""


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the recording lacks, or damage that cost nothing."""

    why: str
    """What is wrong, with its place in the file."""
    from_s: float = math.nan
    """Time of the last cycle before it [s]; NaN if it lies at no place of the run."""
    to_s: float = math.nan
    """Time of the first cycle after it [s]; NaN if none follows."""
    cycles: int | None = 0
    """How many are missing there; None if that cannot be known."""
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
    """A recording in memory; several parts of one run are one recording."""

    path: Path
    """The file; of several parts, the first."""
    signals: Signals
    columns: Mapping[str, NDArray[Any]]
    """Signal → read-only array, (N,) or (N, count); NaN = not there."""
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

    @classmethod
    def open(
        cls, path: Path, caps: Caps | None = None, told: Callable[[float], object] = float
    ) -> Self:
        """Read a file and its further parts, or the recording in a run's folder.

        Args:
            caps: most memory to spend on each file.
            told: called with the share that is done, 0 to 1; what it raises ends the reading.

        Raises:
            RecordingError: if it is not there, is not a recording, or is beyond the caps.
        """
        file = part_path(path, 1)
        collector = Collector(told)
        try:
            collector.take(
                file, Scan(judged(file, file) if path.is_dir() else file, caps or Caps())
            )
            while (part := part_path(file, len(collector.parts) + 1)).exists():
                if not collector.take(part, Scan(judged(part, file), caps or Caps())):
                    break
        except OSError as error:
            raise RecordingError(f"{file}: cannot be read: {error.strerror or error}") from error
        columns = columns_of(collector.signals, collector.rows())
        return cls(
            path=file,
            signals=collector.signals,
            columns=MappingProxyType(columns),
            events=tuple(collector.events),
            metadata=MappingProxyType(collector.metadata),
            scenario=collector.scenario,
            gaps=_gaps(columns["index"], collector.signals.first_index),
            truncated=not collector.finished,
            losses=_losses(collector, columns),
            sha256=collector.sha256,
            parts=tuple(collector.parts),
        )

    @property
    def header(self) -> RunHeader:
        """What it says of its run."""
        return RunHeader(self.signals, self.metadata.get("run", {}), self.scenario or {})

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
        return len(self.columns["index"])

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

    @property
    def dropped(self) -> int:
        """Entries known not to be here: the loop's and the recorder's count, else the holes'."""
        outcome = self.metadata.get("outcome")
        if outcome is not None:
            return int(outcome.get("dropped", 0)) + int(outcome.get("lost", 0))
        return sum(gap.missing for gap in self.gaps)


def _gaps(index: NDArray[np.int64], first: int) -> tuple[Gap, ...]:
    # A run counts from its first number on, so a cycle after that at the start is a hole as well.
    index = np.concatenate(([min([first, *index[:1].tolist()]) - 1], index))
    steps = np.diff(index)
    return tuple(
        Gap(after_index=int(index[place]), missing=int(steps[place]) - 1)
        for place in np.flatnonzero(steps != 1)
    )


def _losses(collector: Collector, columns: Mapping[str, NDArray[Any]]) -> tuple[Loss, ...]:
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


def _loss(place: int, why: str, columns: Mapping[str, NDArray[Any]], first: int) -> Loss:
    """A hole before the cycle at a place of the columns."""
    t_s, index = columns["t_s"], columns["index"]
    from_s = float(t_s[place - 1]) if place else math.nan
    to_s = float(t_s[place]) if place < len(t_s) else math.nan
    cycles = None
    if place < len(index):
        before = int(index[place - 1]) if place else first - 1
        cycles = max(0, int(index[place]) - before - 1)
    return Loss(why, from_s, to_s, cycles)
