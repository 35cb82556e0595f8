"""Rows in a file: other programs read them, and what is whole is always recovered."""

import io
import re
import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import pytest
import zstandard
from mcap.reader import make_reader
from mcap.records import Chunk, MessageIndex
from mcap.stream_reader import StreamReader
from mcap.writer import Writer
from row_samples import unpacked

from hil.recording.events import (
    EVENT_SCHEMA,
    EVENTS,
    ROWS,
    EventKind,
    EventRecord,
    Level,
    event_text,
)
from hil.recording.header import RecordingError
from hil.recording.mcap_walk import CHUNK, HEAD
from hil.recording.reader import Recording
from hil.recording.row_file import RowFile
from hil.recording.signals import Signal, Signals

TABLE = Signals(
    "swing",
    (
        Signal("index", "u8"),
        Signal("t_s", "f8", unit="s"),
        Signal("mode", "u1", unit="code", codes=("off", "on")),
        Signal("angle_rad", "f8", 3, "rad", parts=("a", "b", "c")),
    ),
)
LOG = {"/swing/events": (EVENT_SCHEMA, event_text())}
COUNT = 600  # at 10 ms: 12 chunks


class _Sink(io.BytesIO):
    """Counts what is written in one call."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: list[int] = []

    def write(self, data: Any, /) -> int:
        self.calls.append(len(data))
        return super().write(data)


def _row(index: int) -> tuple[Any, ...]:
    return index, index * 0.01, index % 2, (index / 3.0, -1e-300 * index, float("nan"))


def _event(index: int) -> bytes:
    text = f"at {index}"
    return EventRecord(index * 0.01, index, EventKind.NOTE, Level.INFO, "x", text).to_bytes()


def _add(file: RowFile, channel: int, payload: bytes, time_ns: int, number: int) -> None:
    """Add a message as a recording's writer does."""
    if file.closes_before(time_ns):
        file.flush()
    if channel == ROWS:
        rows = np.frombuffer(payload, np.uint8)[None]
        file.add_rows(rows, np.array([time_ns]), np.array([number]))
    else:
        file.add(channel, payload, time_ns, number)


def _made(count: int = COUNT) -> bytes:
    sink = _Sink()
    file = RowFile(sink, TABLE, LOG)
    file.table("run", {"seed": "3"})
    number = 0
    for index in range(count):
        _add(file, ROWS, TABLE.pack(_row(index)), index * 10_000_000, number)
        number += 1
        if index % 70 == 1:
            file.add(EVENTS, _event(index), index * 10_000_000, number)
            number += 1
    file.attach("note.json", "application/json", b"{}")
    file.finish()
    assert file.settled
    assert file.written_bytes == len(sink.getvalue())
    return sink.getvalue()


@pytest.fixture(scope="module")
def whole() -> bytes:
    return _made()


def _written(folder: Path, data: bytes) -> Path:
    path = folder / "a.mcap"
    path.write_bytes(data)
    return path


def test_the_library_of_the_format_finds_nothing_wrong(whole: bytes) -> None:
    kinds = [
        type(one).__name__ for one in StreamReader(io.BytesIO(whole), validate_crcs=True).records
    ]
    assert kinds.count("Message") == COUNT + 9
    assert kinds.count("DataEnd") == kinds.count("Footer") == 1
    reader = make_reader(io.BytesIO(whole), validate_crcs=True)
    assert reader.get_header().profile == "ros2"
    summary = reader.get_summary()
    assert summary is not None
    assert summary.statistics is not None
    assert summary.statistics.message_count == COUNT + 9
    assert summary.statistics.channel_message_counts == {1: COUNT, 2: 9}
    assert len(summary.chunk_indexes) == summary.statistics.chunk_count == 12
    assert [one.name for one in reader.iter_metadata()] == ["run"]
    assert [(one.name, one.data) for one in reader.iter_attachments()] == [("note.json", b"{}")]


def test_the_checksums_at_the_end_are_those_of_the_bytes(whole: bytes) -> None:
    (start,) = struct.unpack_from("<Q", whole, len(whole) - 8 - 20)
    assert struct.unpack_from("<I", whole, start - 4)[0] == zlib.crc32(whole[: start - 13])
    assert struct.unpack_from("<I", whole, len(whole) - 12)[0] == zlib.crc32(whole[start:-12])


def test_seeking_by_time_gives_the_rows_of_that_time(whole: bytes) -> None:
    reader = make_reader(io.BytesIO(whole))
    found = reader.iter_messages(
        "/swing/rows", starting_at=1_000_000_000, ending_before=1_200_000_000
    )
    rows = [(one.sequence, one.log_time, unpacked(TABLE, one.data)["index"]) for _, _, one in found]
    assert [(time, index) for _, time, index in rows] == [
        (index * 10_000_000, index) for index in range(100, 120)
    ]
    assert rows[0][0] == 102  # two events before it


def test_the_index_of_each_chunk_leads_to_its_messages(whole: bytes) -> None:
    chunk, found = b"", list[tuple[int, int]]()
    for one in StreamReader(io.BytesIO(whole), emit_chunks=True).records:
        if isinstance(one, Chunk):
            chunk = zstandard.decompress(one.data, max_output_size=one.uncompressed_size)
        elif isinstance(one, MessageIndex):
            for time_ns, place in one.records:
                opcode, _, channel, number, log, publish = struct.unpack_from(
                    "<BQHIQQ", chunk, place
                )
                assert (opcode, channel, log, publish) == (5, one.channel_id, time_ns, time_ns)
                found.append((channel, number))
    assert len(found) == COUNT + 9
    assert sorted(number for _, number in found) == list(range(COUNT + 9))
    assert found.count((2, 73)) == 1


def test_an_event_as_long_as_a_row_is_no_row(tmp_path: Path) -> None:
    event = _event(5)
    long = Signals(
        "swing",
        (*TABLE.fields[:2], Signal("pad", "u1", len(event) - 20, parts=_PADS[: len(event) - 20])),
    )
    sink, row = _Sink(), long.row(index=7)
    assert len(row) == len(event)
    file = RowFile(sink, long, LOG)
    for number, (channel, payload) in enumerate(((ROWS, row), (EVENTS, event), (ROWS, row))):
        _add(file, channel, payload, 0, number)
    file.finish()
    content = Recording.open(_written(tmp_path, sink.getvalue()))
    assert content.column("index").tolist() == [7, 7]
    assert [one.index for one in content.events] == [5]
    assert content.damage == ""


_PADS = tuple(f"p{number}" for number in range(500))


def _unpacked(data: bytes) -> bytes:
    """The only chunk."""
    (chunk,) = [
        one
        for one in StreamReader(io.BytesIO(data), emit_chunks=True).records
        if isinstance(one, Chunk)
    ]
    return zstandard.decompress(chunk.data, max_output_size=chunk.uncompressed_size)


def _records(data: bytes) -> dict[int, tuple[int, int]]:
    """Byte behind each record → its kind, and the length that its head tells."""
    at, ends = 8, dict[int, tuple[int, int]]()
    while at + HEAD.size <= len(data) - 8:
        opcode, length = HEAD.unpack_from(data, at)
        at += HEAD.size + length
        ends[at] = opcode, length
    return ends


def _foreign(rows: list[bytes], topic: str = "/swing/rows", encoding: str = "cdr") -> bytes:
    """A file by the library's own writer, which writes what it is told."""
    file = io.BytesIO()
    writer = Writer(file)
    writer.start("ros2", "test")
    schema = writer.register_schema(TABLE.schema_name, "ros2msg", TABLE.message().encode())
    table = {"signals": orjson.dumps(TABLE.header()).decode()} if encoding == "cdr" else {}
    channel = writer.register_channel(topic, encoding, schema, table)
    for number, row in enumerate(rows):
        writer.add_message(channel, number, row, number, number)
    writer.finish()
    return file.getvalue()


def test_a_row_of_another_size_is_damage_and_the_rest_is_read(tmp_path: Path) -> None:
    rows = [TABLE.pack(_row(index)) for index in range(10)]
    rows[4] = rows[4][:-1]
    rows[7] += b"\0"
    data = _foreign(rows)
    content = Recording.open(_written(tmp_path, data))
    assert content.column("index").tolist() == [0, 1, 2, 3, 5, 6, 8, 9]
    first, second = content.losses
    assert (first.from_s, first.to_s, first.cycles) == (0.03, 0.05, 1)
    assert (second.from_s, second.to_s, second.cycles) == (0.06, 0.08, 1)
    assert f"a row of {TABLE.size - 1} bytes, its table says {TABLE.size}" in first.why
    chunk = next(
        end - 9 - length for end, (opcode, length) in _records(data).items() if opcode == CHUNK
    )
    places = [re.findall(r"byte (\d+)", loss.why) for loss in content.losses]
    assert [int(place) for place, _ in places] == [chunk, chunk]
    assert [content.losses[0].why.count("of the unpacked chunk"), len(places[0])] == [1, 2]
    unpacked = _unpacked(data)
    for (_, inner), index in zip(places, (4, 7), strict=True):
        opcode, length, channel, number = struct.unpack_from("<BQHI", unpacked, int(inner))
        assert (opcode, length, channel, number) == (5, 22 + len(rows[index]), 1, index)


def test_a_row_of_another_encoding_is_damage(tmp_path: Path) -> None:
    rows = [TABLE.pack(_row(index)) for index in range(3)]
    rows[1] = b"\x00\x00" + rows[1][2:]
    content = Recording.open(_written(tmp_path, _foreign(rows)))
    assert content.column("index").tolist() == [0, 2]
    assert "begins with 00 00 00 00, not 00 01 00 00" in content.damage


def test_a_recording_of_json_rows_is_refused_with_the_version_that_reads_it(tmp_path: Path) -> None:
    path = _written(tmp_path, _foreign([b"{}"], "/platform/cycle", "json"))
    with pytest.raises(RecordingError, match=r"JSON.*up to 0\.3\.0; that version reads it"):
        Recording.open(path)


@pytest.mark.parametrize(("channel", "size"), [(ROWS, -1), (ROWS, 1), (0, 0), (3, 0)])
def test_what_is_no_row_is_not_written(channel: int, size: int) -> None:
    file = RowFile(_Sink(), TABLE, LOG)
    payload = TABLE.pack(_row(0))
    with pytest.raises(ValueError, match=r"its table says|there are 2 to 2"):
        _add(file, channel, payload[:size] if size < 0 else payload + b"\0" * size, 0, 0)
    assert file.settled


def test_nothing_reaches_the_sink_before_its_chunk_is_whole() -> None:
    sink = _Sink()
    file = RowFile(sink, TABLE, {})
    before = len(sink.calls)
    for index in range(50):
        _add(file, ROWS, TABLE.pack(_row(index)), index * 10_000_000, index)
    assert len(sink.calls) == before
    _add(file, ROWS, TABLE.pack(_row(50)), 500_000_000, 50)
    assert len(sink.calls) == before + 1  # chunk and index in one
    assert not file.settled
