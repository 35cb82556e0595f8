"""Reading a recording back, whole or cut off anywhere: what was complete is always recovered."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.recording.facts import Facts
from hil.recording.frame import EventRecord
from hil.recording.header import RecordingError, part_path
from hil.recording.layout import Layout
from hil.recording.layouts import LAYOUTS, PLATFORM, layout_of, told
from hil.recording.mcap_file import update_digest
from hil.recording.mcap_scan import Caps, Channel, Message, Scan
from hil.recording.mcap_walk import Damaged

_DTYPES: Final = {"Q": np.int64, "d": np.float64, "B": np.uint8, "H": np.uint16}


@dataclass(frozen=True, slots=True)
class Gap:
    """Cycles that the loop ran and the recording lacks.

    Args:
        after_index: last cycle before the hole; at the start, one before the first of a run.
        missing: how many are not there; negative if the numbers went back.
    """

    after_index: int
    missing: int


@dataclass(frozen=True, slots=True)
class Loss:
    """Something that the recording lacks, or damage that cost nothing.

    Args:
        why: what is damaged, or what happened.
        from_s: time of the last cycle before it [s]; NaN if it lies at no place of the run.
        to_s: time of the first cycle after it [s]; NaN if none follows.
        cycles: how many are missing there; None if that cannot be known.
        damaged: the file is not as it was written.
    """

    why: str
    from_s: float = math.nan
    to_s: float = math.nan
    cycles: int | None = 0
    damaged: bool = True

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
    """A recording in memory; several parts of one run are one recording.

    Args:
        path: the file; of several parts, the first.
        columns: field of the layout → read-only array, (N,) or (N, count); NaN = not there.
        modes: names of the codes in column "mode" (of an arm, "state").
        actions: names of the codes in column "action".
        events: what happened, in order.
        metadata: name → text, as written: "run", and "outcome" if the file was finished.
        scenario: the effective scenario; None if the file is cut off before it.
        gaps: holes in the sequence of cycles.
        truncated: whether the (last) file was not finished properly.
        losses: damage, and what was lost from one part to the next.
        sha256: digest of (topic, log time, data) of every message read, hexadecimal.
        layout: of its frames, by the station it is of.
        parts: all files, in order.
    """

    path: Path
    columns: Mapping[str, NDArray[Any]]
    modes: tuple[str, ...]
    actions: tuple[str, ...]
    events: tuple[EventRecord, ...]
    metadata: Mapping[str, Mapping[str, str]]
    scenario: Mapping[str, Any] | None
    gaps: tuple[Gap, ...]
    truncated: bool
    losses: tuple[Loss, ...]
    sha256: str
    layout: Layout = PLATFORM
    parts: tuple[Path, ...] = ()

    @classmethod
    def open(cls, path: Path, caps: Caps | None = None) -> Recording:
        """Read a file and its further parts, or the recording in a run's folder.

        Args:
            path: the file or the folder.
            caps: most memory to spend on each file.

        Raises:
            RecordingError: if it is not there, is not a recording, or is beyond the caps.
        """
        file = part_path(path, 1)
        collector = Collector()
        try:
            collector.take(file, Scan(file, caps or Caps()))
            while (part := part_path(file, len(collector.parts) + 1)).exists():
                if not collector.take(part, Scan(part, caps or Caps())):
                    break
        except OSError as error:
            raise RecordingError(f"{file}: cannot be read: {error.strerror or error}") from error
        columns = _columns(collector.flat, collector.layout)
        modes, actions = (tuple(collector.names[name]) for name in collector.layout.codes)
        return cls(
            path=file,
            columns=MappingProxyType(columns),
            modes=modes,
            actions=actions,
            events=tuple(collector.events),
            metadata=MappingProxyType(collector.metadata),
            scenario=collector.scenario,
            gaps=_gaps(columns["index"], collector.layout.first_index),
            truncated=not collector.finished,
            losses=_losses(collector, columns),
            sha256=collector.sha256,
            layout=collector.layout,
            parts=tuple(collector.parts),
        )

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
        """Return one field of all cycles, read-only.

        Args:
            name: a name of the layout's fields, such as "measured_length_m".

        Raises:
            RecordingError: if there is no such field; the message lists those there are.
        """
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


class Collector:
    """Gathers what the files of a run hold, one after the other."""

    def __init__(self) -> None:
        self.parts: list[Path] = []
        self.layout = PLATFORM  # until the header's facts say otherwise, before any message
        self.flat = array("d")  # one row of the layout's values per cycle
        self.names: dict[str, list[str]] = {name: [] for name in PLATFORM.codes}
        self.events: list[EventRecord] = []
        self.metadata: dict[str, dict[str, str]] = {}
        self.scenario: Mapping[str, Any] | None = None
        self.holes: list[tuple[int | None, Damaged]] = []
        """Damage, with the number of cycles before it; None for damage in no chunk."""
        self.joints: list[int] = []
        """Cycles before each part but the first."""
        self.finished = False
        self._topics: dict[int, tuple[str, bytes]] = {}
        self._digest = hashlib.sha256()
        self._last = -1
        """Number of the last entry, counted over all parts."""

    @property
    def sha256(self) -> str:
        """Digest of all messages so far."""
        return self._digest.hexdigest()

    @property
    def rows(self) -> int:
        """Cycles so far."""
        return len(self.flat) // self.layout.values

    def take(self, path: Path, scan: Scan) -> bool:
        """Read a file to its end; one that is not the next part of the run is left alone.

        Args:
            path: the file.
            scan: of it.

        Returns:
            Whether it belongs to the run.
        """
        facts = list(scan.facts())
        found = Facts.of(facts)
        if self.parts and not found.continues(self.metadata.get("run"), len(self.parts) + 1):
            return False
        if self.parts:
            self.joints.append(self.rows)
        skip_to = self._last
        self.parts.append(path)
        self.finished = scan.finished
        self._take_facts(found)
        damage: list[tuple[int | None, Damaged]] = [
            (None, fact) for fact in facts if isinstance(fact, Damaged)
        ]
        damage += [(None, Damaged(0, 0, problem)) for problem in found.problems]
        damage += self._take_messages(scan, skip_to)
        written = found.metadata.get("outcome", {}).get("sha256", self.sha256)
        if written != self.sha256 and not damage and not self.joints:
            why = f"digest {self.sha256} of the messages, {written} was written at the end"
            damage.append((None, Damaged(0, 0, why)))
        self.holes += [one for one in damage if not _told_elsewhere(one, damage)]
        return True

    def _take_facts(self, found: Facts) -> None:
        if "run" in found.metadata:
            self.layout = layout_of(found.metadata["run"])
        self._topics = {
            number: (topic, topic.encode() + b"\0")
            for number, topic in enumerate(self.layout.topics, start=1)
        }
        if not self.flat:
            mode, action = self.layout.codes
            self.names = {mode: list(found.modes), action: list(found.actions)}
        self.metadata |= found.metadata
        self.scenario = self.scenario if found.scenario is None else found.scenario

    def _take_messages(self, scan: Scan, skip_to: int) -> list[tuple[int | None, Damaged]]:
        """Read all chunks; entries that an earlier part has already are passed over."""
        damage: list[tuple[int | None, Damaged]] = []
        for record in scan.messages():
            if isinstance(record, Damaged):
                damage.append((self.rows, record))
                continue
            try:
                if isinstance(record, Channel):
                    self._note_channel(record)
                elif record.sequence > skip_to or not self.joints:
                    self._note_message(record)
                    self._last = max(self._last, record.sequence)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                why = f"{type(record).__name__} is not of this bench: {error!r}"
                damage.append((self.rows, Damaged(0, 0, why)))
        return damage

    def _note_channel(self, record: Channel) -> None:
        if not self.metadata.get("run") and not self.flat:  # what is said of the run is damaged
            self.layout = next(
                (one for one in LAYOUTS.values() if record.topic in one.topics), self.layout
            )
            for name in self.layout.codes:
                self.names.setdefault(name, [])
        self._topics[record.id] = (record.topic, record.topic.encode() + b"\0")

    def _note_message(self, record: Message) -> None:
        topic, digest_topic = self._topics[record.channel_id]
        if topic == self.layout.cycle_topic:
            self.flat.extend(self._row(orjson.loads(record.data)))
        elif topic == self.layout.event_topic:
            raw = orjson.loads(record.data)
            # The keys of an event lie beside those of the log line; the JSON of both is one form.
            self.events.append(EventRecord.from_mapping(raw))
        update_digest(self._digest, digest_topic, record.log_time_ns, record.data)

    def _row(self, raw: dict[str, Any]) -> array[float]:
        flat: list[Any] = []
        layout = self.layout
        for row in layout.fields:
            value = told(raw, layout, row)
            if row.name in self.names:
                flat.append(_code(self.names[row.name], value))
            elif row.name.endswith("_pose"):
                flat.extend([value[part] for part in layout.pose_keys])
            elif row.count == 1:
                flat.append(value)
            else:
                flat.extend(value)
        if len(flat) != layout.values:
            raise ValueError(f"cycle of {len(flat)} values, {layout.values} expected")
        if None in flat:
            flat = [math.nan if value is None else value for value in flat]
        return array("d", flat)


def _code(names: list[str], name: str) -> int:
    if name not in names:
        names.append(name)
    return names.index(name)


def _columns(flat: array[float], layout: Layout) -> dict[str, NDArray[Any]]:
    table = np.array(flat, dtype=np.float64).reshape(-1, layout.values)  # (N, values)
    columns: dict[str, NDArray[Any]] = {}
    start = 0
    for row in layout.fields:
        part = table[:, start] if row.count == 1 else table[:, start : start + row.count]
        # Whole numbers travelled as float64, exact below 2^53: more cycles than any run has.
        column = np.ascontiguousarray(part, dtype=_DTYPES[row.code])
        column.setflags(write=False)
        columns[row.name] = column
        start += row.count
    return columns


def _gaps(index: NDArray[np.int64], first: int) -> tuple[Gap, ...]:
    # A run counts from its first number on, so a cycle after that at the start is a hole as well.
    first = min([first, *index[:1].tolist()])
    index = np.concatenate((np.array([first - 1]), index))
    steps = np.diff(index)
    return tuple(
        Gap(after_index=int(index[place]), missing=int(steps[place]) - 1)
        for place in np.flatnonzero(steps != 1)
    )


def _losses(collector: Collector, columns: Mapping[str, NDArray[Any]]) -> tuple[Loss, ...]:
    """Damage by its place in the run, and what is missing from one part to the next."""
    found: list[Loss] = []
    placed: dict[int, list[str]] = {}
    for place, damage in collector.holes:
        if place is None:
            found.append(Loss(str(damage)))
        else:
            placed.setdefault(place, []).append(str(damage))
    first = collector.layout.first_index
    found += [_loss(place, "; ".join(why), columns, first) for place, why in placed.items()]
    for number, place in enumerate(collector.joints, start=2):
        loss = _loss(
            place,
            f"the recorder ended, {part_path(collector.parts[0], number).name} goes on",
            columns,
            first,
        )
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


def _told_elsewhere(
    one: tuple[int | None, Damaged], damage: list[tuple[int | None, Damaged]]
) -> bool:
    """A checksum over much is not told again where the damage itself was found."""
    place, whole = one
    return place is None and any(
        other is not whole and whole.at <= other.at < whole.at + whole.size
        and other.size < whole.size
        for _, other in damage
    )  # fmt: skip
