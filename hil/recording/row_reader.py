"""Reading the rows of a file as one array, whatever is left of the file.

The heads of a chunk's messages are walked, not the index behind the chunk: a file that was cut off
has its last whole chunk and may lack that chunk's index, and a walk costs a third of a microsecond
a row. Rows that follow each other are then taken together, without a copy of each.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np
import orjson
from mcap.records import Channel
from numpy.typing import NDArray

from hil.recording.header import RecordingError
from hil.recording.mcap_scan import Caps, Scan, Unpacked
from hil.recording.mcap_walk import HEAD, MESSAGE, Damaged
from hil.recording.row_file import MESSAGE_HEAD_BYTES, SIGNALS_KEY
from hil.recording.signals import MARK, Signals, SignalsError

LAST_JSON_VERSION: Final = "0.3.0"
"""Of this program: the last that read recordings whose rows are JSON."""

_AFTER_HEAD: Final = struct.Struct("<HIQ")  # channel, number, log time


class Other(NamedTuple):
    """A message that is no row."""

    topic: str
    number: int
    log_time_ns: int
    row: int
    """Rows before it."""
    data: bytes


@dataclass(frozen=True, slots=True)
class RowContent:
    """What the chunks of a file hold."""

    signals: Signals
    """Table of the rows, as the file tells it."""
    rows: NDArray[Any]
    """(N,) of `Signals.dtype`, read-only."""
    numbers: NDArray[np.uint32]
    """Of the rows as entries of the run, (N,)."""
    others: tuple[Other, ...]
    """Events and poses, in order."""
    damage: tuple[tuple[int, Damaged], ...]
    """Rows before it, and what is damaged there."""
    finished: bool
    """Whether the file was closed properly."""

    def columns(self) -> dict[str, NDArray[Any]]:
        """Signal → its values in all rows, (N,) or (N, count), read-only and without gaps."""
        columns: dict[str, NDArray[Any]] = {}
        for signal in self.signals.fields:
            columns[signal.name] = np.ascontiguousarray(self.rows[signal.name])
            columns[signal.name].flags.writeable = False
        return columns


def read_rows(path: Path, caps: Caps | None = None) -> RowContent:
    """Read a file; one that was cut off or damaged gives all that is whole.

    Args:
        path: the file.
        caps: most memory to spend.

    Raises:
        RecordingError: if it is not a recording with rows, or is beyond the caps.
        OSError: if it cannot be read.
    """
    scan = Scan(path, caps or Caps())
    channels = {channel.id: channel for channel in scan.channels()}
    number, signals = _table(path, channels)
    taken = _Taken(number, signals.size, {key: one.topic for key, one in channels.items()})
    for chunk in scan.chunks():
        if isinstance(chunk, Damaged):
            taken.damage.append((taken.count, chunk))
        else:
            taken.take(chunk)
    data = np.concatenate(taken.rows) if taken.rows else np.empty((0, signals.size), np.uint8)
    rows = data.reshape(-1).view(signals.dtype())
    numbers = np.array(taken.numbers, np.uint32)
    rows.flags.writeable = numbers.flags.writeable = False
    damage = tuple(taken.damage)
    return RowContent(signals, rows, numbers, tuple(taken.others), damage, scan.finished)


def _table(path: Path, channels: dict[int, Channel]) -> tuple[int, Signals]:
    """Number of the channel of rows, and their table."""
    for number, channel in channels.items():
        if SIGNALS_KEY in channel.metadata:
            try:
                raw = orjson.loads(channel.metadata[SIGNALS_KEY])
                return number, Signals.from_header(raw)
            except (SignalsError, orjson.JSONDecodeError) as error:
                text = f"{path}: {channel.topic}: table of the rows is damaged: {error}"
                raise RecordingError(text) from error
        if channel.topic.endswith("/cycle") and channel.message_encoding == "json":
            raise RecordingError(
                f"{path}: its rows are JSON, as hil-bench wrote them up to {LAST_JSON_VERSION}; "
                f"that version reads it (pip install hil-bench=={LAST_JSON_VERSION})"
            )
    raise RecordingError(f"{path}: no table of rows in it; a recording of hil-bench has one")


class _Taken:
    """What the chunks so far hold."""

    def __init__(self, channel: int, row_bytes: int, topics: dict[int, str]) -> None:
        self._channel = channel
        self._row_bytes = row_bytes
        self._topics = topics
        self.rows: list[NDArray[np.uint8]] = []
        self.count = 0
        self.numbers: list[int] = []
        self.others: list[Other] = []
        self.damage: list[tuple[int, Damaged]] = []

    def take(self, chunk: Unpacked) -> None:
        """Add a chunk."""
        data = chunk.data
        starts: list[int] = []
        at, end = 0, len(data)
        while at < end:
            if end - at < HEAD.size:
                self._damaged(chunk, at, end - at, "a record reaches beyond its chunk")
                break
            opcode, length = HEAD.unpack_from(data, at)
            body = at + HEAD.size
            if length > end - body or (opcode == MESSAGE and length < 22):
                self._damaged(chunk, at, end - at, "a record reaches beyond its chunk")
                break
            if opcode == MESSAGE:
                self._message(chunk, at, length, starts)
            at = body + length
        self._gather(data, starts)

    def _message(self, chunk: Unpacked, at: int, length: int, starts: list[int]) -> None:
        data, start = chunk.data, at + MESSAGE_HEAD_BYTES
        channel, number, log_time_ns = _AFTER_HEAD.unpack_from(data, at + HEAD.size)
        size = HEAD.size + length - MESSAGE_HEAD_BYTES
        if channel != self._channel:
            content = data[start : start + size]
            topic = self._topics.get(channel, "")
            self.others.append(Other(topic, number, log_time_ns, self.count, content))
        elif size != self._row_bytes:
            why = f"a row of {size} bytes, its table says {self._row_bytes}"
            self._damaged(chunk, at, HEAD.size + length, why)
        elif data[start : start + len(MARK)] != MARK:
            why = f"a row begins with {data[start : start + len(MARK)].hex(' ')}, not 00 01 00 00"
            self._damaged(chunk, at, HEAD.size + length, why)
        else:
            starts.append(start)
            self.numbers.append(number)
            self.count += 1

    def _damaged(self, chunk: Unpacked, at: int, size: int, why: str) -> None:
        """At a place of the unpacked chunk; the file's place is the chunk's."""
        text = f"{why} (byte {at} of the unpacked chunk)"
        self.damage.append((self.count, Damaged(chunk.piece.at, size, text)))

    def _gather(self, data: bytes, starts: list[int]) -> None:
        """Take rows that are evenly apart together."""
        if not starts:
            return
        raw = np.frombuffer(data, np.uint8)
        places = np.array(starts)
        stride = self._row_bytes + MESSAGE_HEAD_BYTES
        for run in np.split(places, np.flatnonzero(np.diff(places) != stride) + 1):
            first = int(run[0]) - MESSAGE_HEAD_BYTES
            block = raw[first : first + len(run) * stride].reshape(len(run), stride)
            self.rows.append(block[:, MESSAGE_HEAD_BYTES:])
