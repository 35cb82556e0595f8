"""Writing an MCAP file (mcap.dev/spec) of many rows of one size and of few other messages.

A chunk is laid out at once when it is closed: heads and rows in one NumPy array, its index in
another. So a row costs an append, and what a file of single messages costs a message, this one
costs a chunk.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
import orjson
import zstandard
from mcap import records
from mcap.data_stream import RecordBuilder
from numpy.typing import NDArray

from hil.recording.mcap_scan import CHECKSUM_KEY, checksum_of
from hil.recording.mcap_walk import HEAD, MAGIC, MESSAGE, MESSAGE_INDEX
from hil.recording.signals import Signals

PROFILE: Final = "ros2"
LIBRARY: Final = "hil-bench"
ROWS: Final = 1
"""Number of the channel of the rows."""
SIGNALS_KEY: Final = "signals"
"""Entry of that channel that holds the table of its rows, as JSON."""
CHUNK_SPAN_NS: Final = 500_000_000
CHUNK_BYTES: Final = 4 * 1024 * 1024
ZSTD_LEVEL: Final = 1

_HEAD_FIELDS: Final = (
    ("opcode", "u1"),
    ("length", "<u8"),
    ("channel", "<u2"),
    ("number", "<u4"),
    ("log", "<u8"),
    ("publish", "<u8"),
)
MESSAGE_HEAD_BYTES: Final = np.dtype(list(_HEAD_FIELDS)).itemsize
"""Of a message, before its data."""
_INDEX_HEAD: Final = struct.Struct("<BQHI")


class Sink(Protocol):
    """Where the bytes go."""

    def write(self, data: bytes, /) -> object:
        """Take all of them, or raise OSError."""
        ...


@dataclass(slots=True)
class _Run:
    """Messages of one channel and one size that follow each other in a chunk."""

    channel: int
    payloads: list[bytes] = field(default_factory=list[bytes])
    times_ns: list[int] = field(default_factory=list[int])
    numbers: list[int] = field(default_factory=list[int])


class RowFile:
    """One file being written.

    Args:
        sink: of its bytes.
        signals: table of its rows.
        others: topic → name and text of the JSON schema of further messages, channels 2, 3, ….

    Raises:
        OSError: by every method that writes, if the sink refuses.
    """

    def __init__(
        self, sink: Sink, signals: Signals, others: Mapping[str, tuple[str, bytes]]
    ) -> None:
        self._sink = sink
        self._row_bytes = signals.size
        self._position = 0
        self._crc = 0
        self._digest = hashlib.sha256()
        self._compressor = zstandard.ZstdCompressor(level=ZSTD_LEVEL)
        self._runs: list[_Run] = []
        self._pending_bytes = 0
        self._start_ns = 0
        self._counts: dict[int, int] = {}
        self._times_ns: list[int] = []
        self._indices: list[records.McapRecord] = []
        self._files = 0
        self._schemas, self._channels = _channels(signals, others)
        self._write(MAGIC)
        front = [records.Header(PROFILE, LIBRARY), *self._schemas, *self._channels]
        self._write(_encoded(*front))

    @property
    def settled(self) -> bool:
        """Whether all messages so far are in complete chunks."""
        return not self._runs

    @property
    def written_bytes(self) -> int:
        """Size so far, of complete chunks only [bytes]."""
        return self._position

    @property
    def sha256(self) -> str:
        """Digest of the complete chunks before compression, in order: hexadecimal."""
        return self._digest.hexdigest()

    def add(self, channel: int, payload: bytes, log_time_ns: int, number: int) -> None:
        """Take a message; a chunk that is full or spans its time is closed before it.

        Args:
            channel: `ROWS`, or that of another message.
            payload: of the message; of a row, all its bytes.
            log_time_ns: its time [ns].
            number: of the entry within the run.

        Raises:
            ValueError: if a row has another size than its table, or there is no such channel.
        """
        if channel == ROWS and len(payload) != self._row_bytes:
            raise ValueError(f"row of {len(payload)} bytes; its table says {self._row_bytes}")
        if not 1 <= channel <= len(self._channels):
            raise ValueError(f"channel {channel}; there are 1 to {len(self._channels)}")
        if self._runs and (
            log_time_ns - self._start_ns >= CHUNK_SPAN_NS or self._pending_bytes >= CHUNK_BYTES
        ):
            self.flush()
        if not self._runs:
            self._start_ns = log_time_ns
        run = self._runs[-1] if self._runs else None
        if run is None or run.channel != channel or len(run.payloads[0]) != len(payload):
            run = _Run(channel)
            self._runs.append(run)
        run.payloads.append(payload)
        run.times_ns.append(log_time_ns)
        run.numbers.append(number & 0xFFFFFFFF)
        self._pending_bytes += MESSAGE_HEAD_BYTES + len(payload)

    def flush(self) -> None:
        """Close the chunk in progress, if it holds anything."""
        if not self._runs:
            return
        parts: list[bytes] = []
        index: dict[int, list[NDArray[np.uint64]]] = {}
        size = 0
        for run in self._runs:
            part, places = _laid_out(run)
            places[:, 1] += np.uint64(size)
            index.setdefault(run.channel, []).append(places)
            parts.append(part)
            size += len(part)
        self._write_chunk(b"".join(parts), {key: np.vstack(all_) for key, all_ in index.items()})
        self._runs = []
        self._pending_bytes = 0

    def _write_chunk(self, body: bytes, index: Mapping[int, NDArray[np.uint64]]) -> None:
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
        self._times_ns += [start_ns, end_ns]
        self._indices.append(
            records.ChunkIndex(
                len(chunk),
                at,
                "zstd",
                len(packed),
                end_ns,
                len(tables),
                offsets,
                start_ns,
                len(body),
            )
        )

    def table(self, name: str, values: Mapping[str, str]) -> None:
        """Write a named table of text, with its checksum as one more entry."""
        data = _encoded(records.Metadata(name, {**values, CHECKSUM_KEY: checksum_of(values)}))
        self._indices.append(records.MetadataIndex(self._position, len(data), name))
        self._write(data)

    def attach(self, name: str, media_type: str, content: bytes) -> None:
        """Write a file within the file."""
        data = _encoded(records.Attachment(0, 0, name, media_type, content))
        size = len(content)
        self._indices.append(
            records.AttachmentIndex(self._position, len(data), 0, 0, size, name, media_type)
        )
        self._write(data)
        self._files += 1

    def finish(self) -> None:
        """Close the last chunk and write the end: the summary, by which readers seek."""
        self.flush()
        self._write(_encoded(records.DataEnd(self._crc)))
        start = self._position
        indices = sorted(self._indices, key=lambda record: type(record).__name__)  # kind by kind
        summary = _encoded(*self._schemas, *self._channels, *indices, self._statistics())
        footer = HEAD.pack(2, 20) + struct.pack("<QQ", start, 0)
        crc = zlib.crc32(footer, zlib.crc32(summary))
        self._write(summary + footer + struct.pack("<I", crc) + MAGIC)

    def _statistics(self) -> records.Statistics:
        kinds = [type(record) for record in self._indices]
        return records.Statistics(
            attachment_count=self._files,
            channel_count=len(self._channels),
            channel_message_counts=self._counts,
            chunk_count=kinds.count(records.ChunkIndex),
            message_count=sum(self._counts.values()),
            message_end_time=max(self._times_ns, default=0),
            message_start_time=min(self._times_ns, default=0),
            metadata_count=kinds.count(records.MetadataIndex),
            schema_count=len(self._schemas),
        )

    def _write(self, data: bytes) -> None:
        self._sink.write(data)
        self._crc = zlib.crc32(data, self._crc)
        self._position += len(data)


def _channels(
    signals: Signals, others: Mapping[str, tuple[str, bytes]]
) -> tuple[list[records.Schema], list[records.Channel]]:
    text = signals.message().encode()
    schemas = [records.Schema(ROWS, text, "ros2msg", signals.schema_name)]
    table = {SIGNALS_KEY: orjson.dumps(signals.header()).decode()}
    channels = [records.Channel(ROWS, signals.topic, "cdr", table, ROWS)]
    for number, (topic, (name, schema)) in enumerate(others.items(), start=ROWS + 1):
        schemas.append(records.Schema(number, schema, "jsonschema", name))
        channels.append(records.Channel(number, topic, "json", {}, number))
    return schemas, channels


def _laid_out(run: _Run) -> tuple[bytes, NDArray[np.uint64]]:
    """The messages as they stand in a chunk, and time and place of each, (N, 2)."""
    places = np.zeros((len(run.payloads), 2), "<u8")
    places[:, 0] = run.times_ns
    count, size = len(run.payloads), len(run.payloads[0])
    layout = np.dtype([*_HEAD_FIELDS, ("data", f"({size},)u1")])
    body = np.empty(count, layout)
    body["opcode"] = MESSAGE
    body["length"] = MESSAGE_HEAD_BYTES - HEAD.size + size
    body["channel"] = run.channel
    body["number"] = run.numbers
    body["log"] = body["publish"] = places[:, 0]
    body["data"] = np.frombuffer(b"".join(run.payloads), np.uint8).reshape(count, size)
    places[:, 1] = np.arange(count) * layout.itemsize
    return body.tobytes(), places


def _encoded(*content: records.McapRecord) -> bytes:
    builder = RecordBuilder()
    for record in content:
        record.write(builder)
    return builder.end()
