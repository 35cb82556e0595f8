"""Where everything is in a recording, found without unpacking it.

A recording's chunks are followed by lists of their messages' times and places (MCAP's MessageIndex,
mcap.dev/spec). Ten minutes at 1 kHz are 1200 chunks: their lists are read in a blink, while a
gigabyte of JSON is not. A file that was cut off has its complete chunks; the last lists may be
missing, then that chunk is left out.
"""

import re
import struct
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.panel.models.replay_chunk import RECORD_HEAD, Chunk, unpack
from hil.recording.header import RECORDING_NAME, RecordingError, RunHeader
from hil.recording.layout import Layout
from hil.recording.layouts import layout_of
from hil.recording.mcap_scan import MAGIC, Caps

_CHUNK_HEAD: Final = struct.Struct("<QQQII")  # start, end, size, CRC, length of compression's name
_CHANNEL, _CHUNK, _INDEX, _ATTACHMENT, _METADATA, _DATA_END = 0x04, 0x06, 0x07, 0x09, 0x0C, 0x0F
_CYCLE, _EVENT = "cycle", "event"
_COUNT: Final = re.compile(r"[0-9]{1,18}")


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """A recording before it is unpacked.

    Args:
        path: the file.
        header: of the run.
        layout: of its frames.
        chunks: in order.
        t_s: motion times of all frames [s], to the nanosecond, (N,).
        truncated: whether the file was not finished properly.
        damage: what ended the reading early; empty if nothing did.
        dropped: entries that are known to be missing.
    """

    path: Path
    header: RunHeader
    layout: Layout
    chunks: tuple[Chunk, ...]
    t_s: NDArray[np.float64]
    truncated: bool
    damage: str
    dropped: int

    @classmethod
    def read(
        cls, path: Path, caps: Caps | None = None, told: Callable[[float], object] = abs
    ) -> "Index":
        """Look through a file, or the recording in a run's folder.

        Args:
            path: the file or the folder.
            caps: most memory to spend on it.
            told: called with the share that is looked through, 0 to 1; what it raises ends that.

        Raises:
            RecordingError: if it is not there, is not a recording, is beyond the caps, or what it
                says of its run is damaged.
        """
        file_path = path / RECORDING_NAME if path.is_dir() else path
        try:
            with file_path.open("rb") as file:
                walk = _Walk(file_path, file, caps or Caps())
                walk.run(told)
        except OSError as error:
            raise RecordingError(
                f"{file_path}: cannot be read: {error.strerror or error}"
            ) from error
        return walk.index()


class _Walk:
    """One pass over the heads of the records."""

    def __init__(self, path: Path, file: IO[bytes], caps: Caps) -> None:
        self._path, self._file, self._caps = path, file, caps
        self._topics: dict[int, str] = {}
        self._metadata: dict[str, dict[str, str]] = {}
        self._scenario: Mapping[str, Any] = {}
        self._found: list[tuple[Chunk, dict[int, NDArray[np.uint64]]]] = []
        self._size = file.seek(0, 2)
        self._unpacked = 0
        self._damage = ""
        self._finished = False

    def run(self, told: Callable[[float], object]) -> None:
        """Walk to the end or the first damage, and tell how far it is."""
        self._file.seek(0)
        magic = self._file.read(len(MAGIC))
        if not MAGIC.startswith(magic):
            raise RecordingError(f"{self._path}: not a recording: it begins with {magic!r}")
        for opcode, length, at in self._heads():
            try:
                self._note(opcode, length)
            except (ValueError, struct.error, KeyError) as error:
                self._damage = f"record at byte {at} is damaged: {error}"
                return
            self._file.seek(at + length)
            told((at + length) / self._size)

    def index(self) -> Index:
        """What was found.

        Raises:
            RecordingError: if what is said of the run is damaged.
        """
        try:
            layout = layout_of(self._metadata.get("run", {}))
        except RecordingError as error:
            raise RecordingError(f"{self._path}: {error}") from error
        chunks, times = self._chunks(layout)
        return Index(
            path=self._path,
            header=self._header(),
            layout=layout,
            chunks=tuple(chunks),
            t_s=np.concatenate([np.empty(0), *times]),
            truncated=not self._finished,
            damage=self._damage,
            dropped=self._count("dropped") + self._count("lost"),
        )

    def _header(self) -> RunHeader:
        run, scenario = self._metadata.get("run", {}), self._scenario
        if not isinstance(scenario, dict):
            raise RecordingError(
                f"{self._path}: scenario.json holds {scenario!r:.80}; need an object"
            )
        return RunHeader(self._names("modes"), self._names("actions"), run, scenario)

    def _names(self, key: str) -> tuple[str, ...]:
        """Names of codes."""
        told = self._metadata.get("codes", {}).get(key, "[]")
        try:
            names = orjson.loads(told)
        except ValueError:
            names = None
        if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
            raise RecordingError(
                f"{self._path}: codes, {key} = {told!r:.80}; need a JSON list of names"
            )
        return tuple(names)

    def _count(self, key: str) -> int:
        """Entries that are known to be missing."""
        told = self._metadata.get("outcome", {}).get(key, "0")
        if not _COUNT.fullmatch(told):
            raise RecordingError(
                f"{self._path}: outcome, {key} = {told!r:.80}; need a whole number of 0 or more"
            )
        return int(told)

    def _heads(self) -> Iterator[tuple[int, int, int]]:
        while len(head := self._file.read(RECORD_HEAD.size)) == RECORD_HEAD.size:
            opcode, length = RECORD_HEAD.unpack(head)
            at = self._file.tell()
            if opcode == _DATA_END:
                self._file.seek(-len(MAGIC), 2)
                self._finished = self._file.read() == MAGIC
                return
            if length > self._size - at:
                return
            yield opcode, length, at

    def _note(self, opcode: int, length: int) -> None:
        if opcode == _CHUNK:
            self._note_chunk(length)
        elif opcode in (_INDEX, _METADATA, _ATTACHMENT):
            self._check_cap("record", length, self._caps.record)
            data = self._file.read(length)
            if opcode == _INDEX:
                channel, size = struct.unpack_from("<HI", data)
                pairs = np.frombuffer(data, dtype="<u8", count=size // 8, offset=6)
                if self._found:
                    self._found[-1][1][channel] = pairs.reshape(-1, 2)
            elif opcode == _METADATA:
                name, at = _text(data, 0)
                self._metadata[name] = _table(data, at)
            else:
                self._note_attachment(data)

    def _note_attachment(self, data: bytes) -> None:
        name, at = _text(data, 16)
        _, at = _text(data, at)
        if name == "scenario.json":
            (size,) = struct.unpack_from("<Q", data, at)
            if struct.unpack("<I", data[-4:])[0] != zlib.crc32(data[:-4]):
                raise ValueError("checksum of the attachment differs")
            self._scenario = orjson.loads(data[at + 8 : at + 8 + size])

    def _note_chunk(self, length: int) -> None:
        start = self._file.tell()
        _, _, size, crc, name_bytes = _CHUNK_HEAD.unpack(self._file.read(_CHUNK_HEAD.size))
        self._check_cap("chunk", size, self._caps.chunk)
        self._unpacked += size
        self._check_cap("sum of all chunks", self._unpacked, self._caps.total)
        name = self._file.read(name_bytes).decode()
        (packed,) = struct.unpack("<Q", self._file.read(8))
        at = self._file.tell()
        if at + packed > start + length:
            raise ValueError(f"{packed} bytes reach beyond the chunk")
        none = np.empty(0, np.int64)
        chunk = Chunk(at, packed, size, crc, name, 0, none, none)
        if not self._topics:
            self._topics = _topics(unpack(self._file, chunk))
        self._found.append((chunk, {}))

    def _chunks(self, layout: Layout) -> tuple[list[Chunk], list[NDArray[np.float64]]]:
        kinds = {layout.cycle_topic: _CYCLE, layout.event_topic: _EVENT}
        chunks: list[Chunk] = []
        times: list[NDArray[np.float64]] = []
        first = 0
        for chunk, lists in self._found:
            places = {_CYCLE: np.empty(0, np.int64), _EVENT: np.empty(0, np.int64)}
            for channel, pairs in lists.items():
                kind = kinds.get(self._topics.get(channel, ""))
                if kind is not None:
                    places[kind] = pairs[:, 1].astype(np.int64)
                if kind == _CYCLE:
                    times.append(np.asarray(pairs[:, 0] / 1e9, dtype=np.float64))
            chunks.append(
                Chunk(chunk.at, chunk.packed, chunk.size, chunk.crc, chunk.compression, first,
                      places[_CYCLE], places[_EVENT])
            )  # fmt: skip
            first += len(places[_CYCLE])
        return chunks, times

    def _check_cap(self, what: str, value: int, limit: int) -> None:
        if value > limit:
            raise RecordingError(f"{self._path}: {what} of {value} bytes, limit {limit} bytes")


def _topics(data: bytes) -> dict[int, str]:
    """Channels that a chunk declares."""
    found: dict[int, str] = {}
    at = 0
    while at + RECORD_HEAD.size <= len(data):
        opcode, length = RECORD_HEAD.unpack_from(data, at)
        at += RECORD_HEAD.size
        if opcode == _CHANNEL:
            (channel,) = struct.unpack_from("<H", data, at)
            found[channel], _ = _text(data, at + 4)
        at += length
    return found


def _text(data: bytes, at: int) -> tuple[str, int]:
    (size,) = struct.unpack_from("<I", data, at)
    end = at + 4 + size
    if end > len(data):
        raise ValueError(f"text of {size} bytes in a record of {len(data)}")
    return data[at + 4 : end].decode(), end


def _table(data: bytes, at: int) -> dict[str, str]:
    (size,) = struct.unpack_from("<I", data, at)
    end, at = at + 4 + size, at + 4
    found: dict[str, str] = {}
    while at < min(end, len(data)):
        key, at = _text(data, at)
        found[key], at = _text(data, at)
    return found
