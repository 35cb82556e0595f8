"""Writing an MCAP file (mcap.dev/spec) of many rows of one size and of few other messages.

A chunk is laid out at once when it is closed: heads and rows in one NumPy array, its index in
another, and the few other messages behind. So what a file of single messages costs a message, this
one costs a chunk.
"""

import hashlib
import struct
import zlib
from collections.abc import Mapping
from functools import cache
from itertools import groupby
from operator import itemgetter
from typing import Any, Final, Protocol

import numpy as np
import orjson
import zstandard
from mcap import records
from mcap.data_stream import RecordBuilder
from numpy.typing import NDArray

from hil.recording.events import ROWS
from hil.recording.header import SIGNALS
from hil.recording.mcap_scan import CHECKSUM_KEY, checksum_of
from hil.recording.mcap_walk import HEAD, MAGIC, MESSAGE, MESSAGE_INDEX
from hil.recording.signals import Signals

PROFILE: Final = "ros2"
LIBRARY: Final = "hil-bench"
LAYOUT: Final = "dtype"
"""Entry of that channel that `numpy.dtype` takes, as JSON."""
CHUNK_SPAN_NS: Final = 500_000_000
CHUNK_BYTES: Final = 4 * 1024 * 1024
ZSTD_LEVEL: Final = 1

_HEAD_FIELDS: Final = (
    ("opcode", "u1"), ("length", "<u8"), ("channel", "<u2"), ("number", "<u4"), ("log", "<u8"),
    ("publish", "<u8"),
)  # fmt: skip
MESSAGE_HEAD: Final = struct.Struct("<BQHIQQ")
"""The same, of a message before its data."""
_INDEX_HEAD: Final = struct.Struct("<BQHI")


class Sink(Protocol):
    """Where the bytes go."""

    def write(self, data: bytes, /) -> object:
        """Take all of them, or raise OSError."""
        ...


Rows = tuple[NDArray[np.uint8], NDArray[np.int64], NDArray[np.int64]]
"""Rows (N, bytes of a row), their times [ns] and their numbers within the run, each (N,)."""


class RowFile:
    """One file being written; what the sink raises when it refuses passes through.

    Args:
        others: topic → name and definition (ros2msg) of further messages, channels 2, 3, ….
    """

    def __init__(self, sink: Sink, signals: Signals, others: Mapping[str, tuple[str, str]]) -> None:
        self._sink = sink
        self._row_bytes = signals.size
        self._position = 0
        self._crc = 0
        self._digest = hashlib.sha256()
        self._compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL)
        self._rows: list[Rows] = []
        self._others: list[tuple[int, bytes, int, int]] = []
        """Channel, payload, time [ns] and number of each other message."""
        self._pending_bytes = 0
        self._start_ns = 0
        self._counts: dict[int, int] = {}
        self._span_ns: tuple[int, int] | None = None
        """Of the first message and the last."""
        self._indices: dict[type[records.McapRecord], bytearray] = {}
        """Kind of index → those so far, as they are written: a day has a hundred thousand."""
        self._indexed: dict[type[records.McapRecord], int] = {}
        self._schemas, self._channels = _channels(signals, others)
        self._write(MAGIC)
        front = [records.Header(PROFILE, LIBRARY), *self._schemas, *self._channels]
        self._write(_encoded(*front))

    @property
    def settled(self) -> bool:
        """Whether all messages so far are in complete chunks."""
        return not self._pending_bytes

    @property
    def written_bytes(self) -> int:
        """Size so far, of complete chunks only [bytes]."""
        return self._position

    @property
    def sha256(self) -> str:
        """Digest of the complete chunks before compression, in order: hexadecimal."""
        return self._digest.hexdigest()

    def add_rows(
        self, rows: NDArray[np.uint8], times_ns: NDArray[np.int64], numbers: NDArray[np.int64]
    ) -> None:
        """Take rows into the chunk in progress, as many as there is `room`; they are not copied.

        Args:
            rows: (N, bytes of a row).
        """
        if rows.shape[1] != self._row_bytes:
            raise ValueError(f"row of {rows.shape[1]} bytes; its table says {self._row_bytes}")
        self._begin_chunk(int(times_ns[0]))
        self._rows.append((rows, times_ns, numbers))
        self._pending_bytes += len(rows) * (MESSAGE_HEAD.size + self._row_bytes)

    def add(self, channel: int, payload: bytes, log_time_ns: int, number: int) -> None:
        """Take another message of a number within the run into the chunk in progress."""
        if not ROWS < channel <= len(self._channels):
            raise ValueError(f"channel {channel}; there are 2 to {len(self._channels)}")
        self._begin_chunk(log_time_ns)
        self._others.append((channel, payload, log_time_ns, number & 0xFFFFFFFF))
        self._pending_bytes += MESSAGE_HEAD.size + len(payload)

    def _begin_chunk(self, log_time_ns: int) -> None:
        if not self._pending_bytes:
            self._start_ns = log_time_ns

    def room(self, times_ns: NDArray[np.int64]) -> int:
        """How many rows of these times [ns] go into the chunk in progress; at least one."""
        start_ns = self._start_ns if self._pending_bytes else int(times_ns[0])
        beyond = np.flatnonzero(times_ns - start_ns >= CHUNK_SPAN_NS)
        left = CHUNK_BYTES - self._pending_bytes
        most = -(-left // (MESSAGE_HEAD.size + self._row_bytes))
        return max(1, min(most, int(beyond[0]) if len(beyond) else len(times_ns)))

    def closes_before(self, log_time_ns: int) -> bool:
        """Whether the chunk in progress is closed before a message of a time [ns]."""
        spans = log_time_ns - self._start_ns >= CHUNK_SPAN_NS
        return self._pending_bytes > 0 and (spans or self._pending_bytes >= CHUNK_BYTES)

    def flush(self) -> None:
        """Close the chunk in progress, if it holds anything."""
        if not self._pending_bytes:
            return
        body, index = self._laid_out()
        self._rows, self._others, self._pending_bytes = [], [], 0
        packed = self._compressor.compress(body)
        start_ns = min(int(places[:, 0].min()) for places in index.values())
        end_ns = max(int(places[:, 0].max()) for places in index.values())
        chunk = _encoded(
            records.Chunk("zstd", packed, end_ns, start_ns, zlib.crc32(body), len(body))
        )
        at, offsets, tables = self._position, dict[int, int](), b""
        for channel, places in index.items():
            offsets[channel] = at + len(chunk) + len(tables)
            table = places.tobytes()
            tables += _INDEX_HEAD.pack(MESSAGE_INDEX, 6 + len(table), channel, len(table)) + table
            self._counts[channel] = self._counts.get(channel, 0) + len(places)
        self._write(chunk + tables)
        self._digest.update(body)
        first_ns, last_ns = self._span_ns or (start_ns, end_ns)
        self._span_ns = min(first_ns, start_ns), max(last_ns, end_ns)
        self._index(
            records.ChunkIndex(
                len(chunk), at, "zstd", len(packed), end_ns, len(tables), offsets, start_ns,
                len(body),
            )
        )  # fmt: skip

    def _laid_out(self) -> tuple[bytes, dict[int, NDArray[np.uint64]]]:
        """The messages as they stand in a chunk; channel → time and place of each, (N, 2)."""
        index: dict[int, NDArray[np.uint64]] = {}
        body = b""
        if self._rows:
            body, index[ROWS] = _rows_laid_out(self._rows)
        others = sorted(self._others, key=itemgetter(0))  # of a channel, as they came
        for channel, messages in groupby(others, itemgetter(0)):
            places: list[tuple[int, int]] = []
            for _, payload, time_ns, number in messages:
                places.append((time_ns, len(body)))
                length = MESSAGE_HEAD.size - HEAD.size + len(payload)
                head = MESSAGE_HEAD.pack(MESSAGE, length, channel, number, time_ns, time_ns)
                body += head + payload
            index[channel] = np.array(places, "<u8")
        return body, index

    def table(self, name: str, values: Mapping[str, str]) -> None:
        """Write a named table of text, with its checksum as one more entry."""
        data = table_record(name, values)
        self._index(records.MetadataIndex(self._position, len(data), name))
        self._write(data)

    def attach(self, name: str, media_type: str, content: bytes) -> None:
        """Write a file within the file."""
        data = _encoded(records.Attachment(0, 0, name, media_type, content))
        at, size = self._position, len(content)
        self._index(records.AttachmentIndex(at, len(data), 0, 0, size, name, media_type))
        self._write(data)

    def finish(self) -> None:
        """Close the last chunk and write the end: the summary, by which readers seek."""
        self.flush()
        self._write(_encoded(records.DataEnd(self._crc)))
        start = self._position
        kinds = sorted(self._indices, key=lambda kind: kind.__name__)
        summary = _encoded(*self._schemas, *self._channels)
        summary += b"".join(self._indices[kind] for kind in kinds) + _encoded(self._statistics())
        footer = HEAD.pack(2, 20) + struct.pack("<QQ", start, 0)
        crc = zlib.crc32(footer, zlib.crc32(summary))
        self._write(summary + footer + struct.pack("<I", crc) + MAGIC)

    def _index(self, record: records.McapRecord) -> None:
        kind = type(record)
        self._indices.setdefault(kind, bytearray()).extend(_encoded(record))
        self._indexed[kind] = self._indexed.get(kind, 0) + 1

    def _statistics(self) -> records.Statistics:
        indexed, (start_ns, end_ns) = self._indexed, self._span_ns or (0, 0)
        return records.Statistics(
            attachment_count=indexed.get(records.AttachmentIndex, 0),
            channel_count=len(self._channels),
            channel_message_counts=self._counts,
            chunk_count=indexed.get(records.ChunkIndex, 0),
            message_count=sum(self._counts.values()),
            message_end_time=end_ns,
            message_start_time=start_ns,
            metadata_count=indexed.get(records.MetadataIndex, 0),
            schema_count=len(self._schemas),
        )

    def _write(self, data: bytes) -> None:
        self._sink.write(data)
        self._crc = zlib.crc32(data, self._crc)
        self._position += len(data)


def table_record(name: str, values: Mapping[str, str]) -> bytes:
    """A named table of text as it stands in a file, its checksum among its entries."""
    return _encoded(records.Metadata(name, {**values, CHECKSUM_KEY: checksum_of(values)}))


def _channels(
    signals: Signals, others: Mapping[str, tuple[str, str]]
) -> tuple[list[records.Schema], list[records.Channel]]:
    kinds = {signals.topics[0]: (signals.schema_name, signals.message()), **others}
    metadata = {SIGNALS: orjson.dumps(signals.header()).decode()}
    metadata |= {LAYOUT: orjson.dumps(signals.layout()).decode()}
    schemas: list[records.Schema] = []
    channels: list[records.Channel] = []
    for number, (topic, (name, text)) in enumerate(kinds.items(), start=ROWS):
        schemas.append(records.Schema(number, text.encode(), "ros2msg", name))
        entries = {**metadata, CHECKSUM_KEY: checksum_of(metadata)} if number == ROWS else {}
        channels.append(records.Channel(number, topic, "cdr", entries, number))
    return schemas, channels


def _rows_laid_out(found: list[Rows]) -> tuple[bytes, NDArray[np.uint64]]:
    """The rows as they stand in a chunk, and time and place of each, (N, 2)."""
    rows, times_ns, numbers = (np.concatenate(parts) for parts in zip(*found, strict=True))
    body = np.empty(len(rows), message_dtype(rows.shape[1]))
    body["opcode"] = MESSAGE
    body["length"] = body.itemsize - HEAD.size
    body["channel"] = ROWS
    body["number"] = numbers & 0xFFFFFFFF
    body["log"] = body["publish"] = times_ns
    body["data"] = rows
    places = np.empty((len(rows), 2), "<u8")
    places[:, 0] = times_ns
    places[:, 1] = np.arange(len(rows)) * body.itemsize
    return body.tobytes(), places


@cache
def message_dtype(size: int) -> np.dtype[Any]:
    """Of messages that follow each other in a chunk, with data of one size [bytes]."""
    return np.dtype([*_HEAD_FIELDS, ("data", f"({size},)u1")])


def _encoded(*content: records.McapRecord) -> bytes:
    builder = RecordBuilder()
    for record in content:
        record.write(builder)
    return builder.end()
