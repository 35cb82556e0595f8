"""Gathering what the files of a run hold, whatever is left of them.

The heads of a chunk's messages are looked at, not the index behind the chunk: a file that was cut
off has its last whole chunk and may lack that chunk's index. Rows that follow each other are
looked at together.
"""

import hashlib
import re
import struct
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final, Self

import numpy as np
import orjson
from mcap.records import Attachment, Metadata
from numpy.typing import NDArray

from hil.config.inputs import InputFile
from hil.recording.columns import StoredRows
from hil.recording.events import EventRecord
from hil.recording.header import (
    FILES,
    FORMAT,
    FORMAT_TABLE,
    HEADER_NAME,
    OUTCOME,
    PART_KEY,
    SIGNALS,
    RecordingError,
    RunHeader,
    files_of_rows,
)
from hil.recording.mcap_scan import Scan, Unpacked, channel_of
from hil.recording.mcap_walk import CHANNEL, HEAD, MESSAGE, Damaged
from hil.recording.row_file import MESSAGE_HEAD, message_dtype
from hil.recording.signals import MARK, Signals, SignalsError

LAST_JSON_VERSION: Final = "0.3.0"
"""Last version of this program that read recordings whose rows are JSON."""

Hole = tuple[int | None, Damaged]
"""Number of rows before some damage, None if it is in no chunk; and the damage."""

_HEAD: Final = struct.Struct("<BQH")  # of a record, and a message's channel
_COUNT: Final = re.compile(r"[0-9]{1,18}")
_MARK: Final = np.frombuffer(MARK, np.uint8)


_COUNTED: Final = {OUTCOME: ("dropped", "lost"), FORMAT_TABLE: ("version",)}
"""Entries of tables that are whole numbers."""


@dataclass(slots=True)
class Facts:
    """Facts of a run in a file, before the first cycle and at the end; None if it has none."""

    metadata: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    signals: Signals | None = None
    scenario: Mapping[str, Any] | None = None
    files: tuple[InputFile, ...] | None = None
    problems: list[str] = field(default_factory=list[str])
    """Parts that cannot be understood."""

    @classmethod
    def of(cls, records: Iterable[Metadata | Attachment]) -> Self:
        """Take them from the tables and attachments of a file, from whichever copy is whole."""
        facts, copy = cls(), None
        for record in records:
            try:
                if isinstance(record, Metadata):
                    facts._take_table(record.name, record.metadata)
                elif record.name == "scenario.json":
                    facts.scenario = _object(record.data)
                elif record.name == HEADER_NAME:
                    copy = RunHeader.from_mapping(_object(record.data))
            except (ValueError, KeyError, TypeError) as error:
                facts.problems.append(f"{record.name} is not of this bench: {error!r}")
        if copy is not None:  # believed: its checksum covers all of it
            facts.metadata["run"] = dict(copy.metadata)
            facts.signals, facts.scenario = copy.signals, copy.scenario
            facts.files = copy.files
        return facts

    def _take_table(self, name: str, values: dict[str, str]) -> None:
        if name == SIGNALS:
            self.signals = Signals.from_header(_object(values[SIGNALS].encode()))
            return
        if name == FILES:
            self.files = files_of_rows(orjson.loads(values[FILES]))
            return
        for key in _COUNTED.get(name, ()):
            if not _COUNT.fullmatch(values.get(key, "0")):
                raise ValueError(f"{key} = {values[key]!r:.80}; need a whole number of 0 or more")
        self.metadata[name] = values

    @property
    def format(self) -> int:
        """Version of what the file holds and how."""
        return int(self.metadata.get(FORMAT_TABLE, {}).get("version", "1"))

    def continues(self, run: Mapping[str, str] | None, number: int) -> bool:
        """Whether the file is a certain part of a run, by the run's own table if that is there."""
        part = self.metadata.get("part", {}).get(PART_KEY)
        mine = self.metadata.get("run")
        return part == str(number) and (run is None or mine is None or mine == run)


class Collector:
    """Collector of what the files of a run hold, one by one; reports the share done, 0 to 1."""

    def __init__(self, report: Callable[[float], object] = float) -> None:
        self.parts: list[Path] = []
        self.signals: Signals
        self.rows: StoredRows
        self.steps: list[tuple[int, int]] = []
        """Number of each row that is not followed by the next one, and how many are not there."""
        self.events: list[EventRecord] = []
        self.metadata: dict[str, dict[str, str]] = {}
        self.scenario: Mapping[str, Any] | None = None
        self.files: tuple[InputFile, ...] | None = None
        self.count = 0
        self.holes: list[Hole] = []
        self.joints: list[int] = []
        self.finished = False
        self._report = report
        self._topics: dict[int, str] = {}
        self._digest = hashlib.sha256()
        self._skip_to = -1
        """Number of the last entry that an earlier part has."""
        self._last = -1
        """Number of the last entry, counted over all parts."""

    @property
    def sha256(self) -> str:
        """Digest of all messages so far."""
        return self._digest.hexdigest()

    def take(self, path: Path, scan: Scan) -> bool:
        """Read a file to its end; one that is not the next part of the run is left alone.

        Returns:
            Whether it belongs to the run.

        Raises:
            RecordingError: if it has no rows, or asks for more memory than the caps.
        """
        found = Facts.of(scan.facts)
        if found.format > FORMAT:
            raise RecordingError(
                f"{path}: is of format {found.format}; this version reads {FORMAT} and older ones, "
                "so read it with the version that wrote it, or a newer one"
            )
        if self.parts and not found.continues(self.metadata.get("run"), len(self.parts) + 1):
            return False
        if self.parts:
            self.joints.append(self.count)
            self._skip_to = self._last
        else:
            self.signals = _table(path, found, scan)
            self.rows = StoredRows(self.signals, scan.caps)
            self._index: int | None = None
        self._topics = dict(enumerate(self.signals.topics, start=1))
        self._topics |= {channel.id: channel.topic for channel in scan.channels}
        self.parts.append(path)
        self.finished = scan.finished
        self.metadata |= found.metadata
        self.scenario = self.scenario if found.scenario is None else found.scenario
        self.files = self.files if found.files is None else found.files
        start = len(self.holes)
        self.holes += [(None, damage) for damage in scan.damage]
        self.holes += [(None, Damaged(0, 0, problem)) for problem in found.problems]
        self._take_chunks(scan)
        damage = self.holes[start:]
        written = found.metadata.get(OUTCOME, {}).get("sha256", self.sha256)
        if written != self.sha256 and not damage and not self.joints:
            why = f"digest {self.sha256} of the messages, {written} was written at the end"
            damage.append((None, Damaged(0, 0, why)))
        self.holes[start:] = [one for one in damage if not _is_listed_elsewhere(one, damage)]
        return True

    def _take_chunks(self, scan: Scan) -> None:
        for chunk in scan.chunks():
            if isinstance(chunk, Damaged):
                self.holes.append((self.count, chunk))
                continue
            self._digest.update(chunk.data)
            self._take(chunk, scan)
            self._report(chunk.piece.at / scan.size)
        self._report(1.0)

    def _take(self, chunk: Unpacked, scan: Scan) -> None:
        """Add what an unpacked chunk holds."""
        data, at, end = chunk.data, 0, len(chunk.data)
        kind, (rows, _, poses) = message_dtype(self.signals.size), self.signals.topics
        while at < end:
            head = data[at : at + _HEAD.size].ljust(_HEAD.size, b"\0")
            opcode, length, channel = _HEAD.unpack(head)
            size = HEAD.size + length
            if size > end - at or (opcode == MESSAGE and size < MESSAGE_HEAD.size):
                self._damaged(chunk, at, "a record reaches beyond its chunk")
                return
            topic = self._topics.get(channel) if opcode == MESSAGE else None
            if topic == rows and size == kind.itemsize:
                messages = np.frombuffer(data, kind, (end - at) // size, at)
                at += self._take_rows(chunk, at, messages, scan)
                continue
            if topic != poses:
                self._take_record(chunk, at, opcode, size)
                scan.check_objects(len(self.events) + len(self.holes))
            at += size

    def _take_rows(self, chunk: Unpacked, at: int, messages: NDArray[Any], scan: Scan) -> int:
        """Take the first of messages that follow each other and all rows after it; their bytes."""
        heads = messages[["opcode", "length", "channel"]]
        differ = np.flatnonzero(heads != heads[0])
        messages = messages[: differ[0]] if len(differ) else messages
        marked = (messages["data"][:, : len(MARK)] == _MARK).all(axis=1)
        for place in np.flatnonzero(~marked).tolist():
            found = messages["data"][place, : len(MARK)].tobytes().hex(" ")
            why = f"a row begins with {found}, not {MARK.hex(' ')}"
            self._damaged(chunk, at + place * messages.itemsize, why)
        fresh = marked & (messages["number"].astype(np.int64) > self._skip_to)
        self.rows.add(scan, chunk, at, messages, fresh)
        self._step(messages["data"][fresh])
        self._last = max(self._last, int(messages["number"].max()))
        return messages.nbytes

    def _step(self, rows: NDArray[np.uint8]) -> None:
        """Look for what is missing between rows and before them."""
        if not len(rows):
            return
        self.count += len(rows)
        places = slice(self.signals.offsets[0], self.signals.offsets[0] + 8)
        index = np.ascontiguousarray(rows[:, places]).view("<i8")[:, 0]
        if self._index is None:
            # A run counts from its first number on: a cycle after that at the start is a hole.
            self._index = min(self.signals.first_index, int(index[0])) - 1
        before = np.concatenate(([self._index], index[:-1]))
        for place in np.flatnonzero(index - before != 1).tolist():
            self.steps.append((int(before[place]), int(index[place] - before[place]) - 1))
        self._index = int(index[-1])

    def _take_record(self, chunk: Unpacked, at: int, opcode: int, size: int) -> None:
        """Take a record that is no row."""
        try:
            if opcode == CHANNEL:
                channel = channel_of(chunk.data[at + HEAD.size : at + size])
                self._topics[channel.id] = channel.topic
            elif opcode == MESSAGE:
                self._take_message(chunk.data[at : at + size])
        except ValueError as error:
            self._damaged(chunk, at, f"not of this bench: {error}")

    def _take_message(self, record: bytes) -> None:
        _, _, channel, number, _, _ = MESSAGE_HEAD.unpack_from(record)
        rows, events, _ = self.signals.topics
        payload = record[MESSAGE_HEAD.size :]
        topic = self._topics.get(channel)
        if topic is None:
            raise ValueError(f"a message of channel {channel}, which is not declared")
        if topic == rows:
            raise ValueError(f"a row of {len(payload)} bytes, its table says {self.signals.size}")
        if topic == events and number > self._skip_to:
            self.events.append(EventRecord.from_bytes(payload))
        self._last = max(self._last, number)

    def _damaged(self, chunk: Unpacked, at: int, why: str) -> None:
        """Note damage at a place of the unpacked chunk; the file's place is the chunk's."""
        text = f"{why} (byte {at} of the unpacked chunk)"
        self.holes.append((self.count, Damaged(chunk.piece.at, 1, text)))


def _table(path: Path, facts: Facts, scan: Scan) -> Signals:
    """The table of the rows, from whichever copy is whole."""
    if facts.signals is not None:
        return facts.signals
    why = "a recording of hil-bench has one at its beginning"
    for channel in scan.channels:
        if SIGNALS in channel.metadata:
            try:
                return Signals.from_header(orjson.loads(channel.metadata[SIGNALS]))
            except (SignalsError, orjson.JSONDecodeError) as error:
                why = str(error)
    cycles = (one for one in scan.channels if one.topic.endswith("/cycle"))
    if "codes" in facts.metadata or any(one.message_encoding == "json" for one in cycles):
        raise RecordingError(
            f"{path}: its rows are JSON, as hil-bench wrote them up to {LAST_JSON_VERSION}; "
            f"that version reads it (pip install hil-bench=={LAST_JSON_VERSION})"
        )
    cut = "" if scan.finished else "cut off before there is anything of the run, or damaged: "
    raise RecordingError(f"{path}: {cut}no table of its rows can be read: {why}")


def _object(data: bytes) -> Mapping[str, Any]:
    value = orjson.loads(data)
    if not isinstance(value, dict):
        raise ValueError(f"{value!r:.80}; need an object")
    return value


def _is_listed_elsewhere(one: Hole, damage: list[Hole]) -> bool:
    """Whether a checksum over much is left out, as the damage itself was found."""
    place, whole = one
    return place is None and any(
        other.size < whole.size and whole.at <= other.at < whole.at + whole.size
        for _, other in damage
    )
