"""Reading a recording back, whole or cut off anywhere: what was complete is always recovered."""

from __future__ import annotations

import hashlib
import math
from array import array
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.recording.frame import EventRecord
from hil.recording.header import RECORDING_NAME, RecordingError
from hil.recording.layout import Layout
from hil.recording.layouts import LATER, PLATFORM, layout_of
from hil.recording.mcap_file import update_digest
from hil.recording.mcap_scan import Caps, Channel, Message, Metadata, Record, Scan

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
class Recording:
    """A recording in memory.

    Args:
        path: the file.
        columns: field of the layout → read-only array, (N,) or (N, count); NaN = not there.
        modes: names of the codes in column "mode" (of an arm, "state").
        actions: names of the codes in column "action".
        events: what happened, in order.
        metadata: name → text, as written: "run", and "outcome" if the file was finished.
        scenario: the effective scenario; None if the file is cut off before it.
        gaps: holes in the sequence of cycles.
        truncated: whether the file was not finished properly.
        damage: what ended the reading early, empty if only the end was missing.
        sha256: digest of (topic, log time, data) of every message read, hexadecimal.
        layout: of its frames, by the station it is of.
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
    damage: str
    sha256: str
    layout: Layout = PLATFORM

    @classmethod
    def open(cls, path: Path, caps: Caps | None = None) -> Recording:
        """Read a file, or the recording in a run's folder.

        Args:
            path: the file or the folder.
            caps: most memory to spend on it.

        Raises:
            RecordingError: if it is not there, is not a recording, or is beyond the caps.
        """
        file = path / RECORDING_NAME if path.is_dir() else path
        try:
            scan = Scan(file, caps or Caps())
            collector = _Collector()
            collector.take(scan)
        except OSError as error:
            raise RecordingError(f"{file}: cannot be read: {error.strerror or error}") from error
        return collector.recording(file, scan)

    @property
    def cycles(self) -> int:
        """Number of cycles read, N."""
        return len(self.columns["index"])

    @property
    def t_s(self) -> NDArray[np.float64]:
        """Motion time of each cycle [s], (N,)."""
        return self.columns["t_s"]

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


class _Collector:
    """Gathers the records of one pass."""

    def __init__(self) -> None:
        self._topics: dict[int, tuple[str, bytes]] = {}
        self._layout = PLATFORM  # until the header's facts say otherwise, before any message
        self._flat = array("d")  # one row of the layout's values per cycle
        self._names: dict[str, list[str]] = {name: [] for name in PLATFORM.codes}
        self._events: list[EventRecord] = []
        self._metadata: dict[str, dict[str, str]] = {}
        self._scenario: Mapping[str, Any] | None = None
        self._digest = hashlib.sha256()
        self._damage = ""

    def take(self, scan: Scan) -> None:
        """Read up to the end or the first record that is not what this bench writes."""
        for record in scan.records():
            try:
                self._note(record)
            except (ValueError, TypeError, KeyError, AttributeError) as error:
                self._damage = f"{type(record).__name__} is not of this bench: {error!r}"
                return

    def recording(self, path: Path, scan: Scan) -> Recording:
        """Return what was gathered."""
        columns = _columns(self._flat, self._layout)
        modes, actions = (tuple(self._names[name]) for name in self._layout.codes)
        sha256 = self._digest.hexdigest()
        written = self._metadata.get("outcome", {}).get("sha256", sha256)
        if written != sha256 and not self._damage:
            self._damage = f"digest {sha256} of the messages, {written} was written at the end"
        return Recording(
            path=path,
            columns=MappingProxyType(columns),
            modes=modes,
            actions=actions,
            events=tuple(self._events),
            metadata=MappingProxyType(self._metadata),
            scenario=self._scenario,
            gaps=_gaps(columns["index"], self._layout.first_index),
            truncated=not scan.finished,
            damage=scan.damage or self._damage,
            sha256=sha256,
            layout=self._layout,
        )

    def _note(self, record: Record) -> None:
        if isinstance(record, Message):
            self._note_message(record)
        elif isinstance(record, Channel):
            self._topics[record.id] = (record.topic, record.topic.encode() + b"\0")
        elif isinstance(record, Metadata):
            if record.name == "run":
                self._layout = layout_of(record.values)
                self._names = {name: [] for name in self._layout.codes}
            elif record.name == "codes":
                mode, action = self._layout.codes
                self._names[mode] = list(orjson.loads(record.values["modes"]))
                self._names[action] = list(orjson.loads(record.values["actions"]))
            self._metadata[record.name] = record.values
        elif record.name == "scenario.json":
            self._scenario = orjson.loads(record.data)

    def _note_message(self, record: Message) -> None:
        topic, digest_topic = self._topics[record.channel_id]
        if topic == self._layout.cycle_topic:
            self._flat.extend(self._row(orjson.loads(record.data)))
        elif topic == self._layout.event_topic:
            raw = orjson.loads(record.data)
            # The keys of an event lie beside those of the log line; the JSON of both is one form.
            self._events.append(EventRecord.from_mapping(raw))
        update_digest(self._digest, digest_topic, record.log_time_ns, record.data)

    def _row(self, raw: dict[str, Any]) -> array[float]:
        flat: list[Any] = []
        layout = self._layout
        for row in layout.fields:
            group, key = layout.places.get(row.name, (None, row.name))
            source = raw if group is None else raw[group]
            # A column that recordings of earlier versions lack was not there in their cycles.
            value: Any = source.get(key) if row.name in LATER else source[key]
            if row.name in self._names:
                flat.append(_code(self._names[row.name], value))
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
