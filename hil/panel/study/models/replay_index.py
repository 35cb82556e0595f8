"""Where everything is in a recording, found without unpacking it.

A recording's chunks are followed by lists of their messages' times and places (MCAP's MessageIndex,
mcap.dev/spec). Ten minutes at 1 kHz are 1200 chunks: their lists are read in a blink, while a
gigabyte of JSON is not. Where the lists are damaged, or missing as at the end of a file that was
cut off, that one chunk is unpacked to make them anew. Several parts of one run are one recording.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from hil.panel.study.models.replay_chunk import RECORD_HEAD, Chunk, entries, unpack
from hil.recording.facts import Facts
from hil.recording.header import RecordingError, RunHeader, part_path
from hil.recording.layout import Layout
from hil.recording.layouts import LAYOUTS, layout_of
from hil.recording.mcap_scan import Caps, Scan
from hil.recording.mcap_walk import CHANNEL, CHUNK, MESSAGE_INDEX, Damaged, Found
from hil.recording.reader import Loss

_CHUNK_HEAD: Final = struct.Struct("<QQQII")  # start, end, size, CRC, length of compression's name
Lists = dict[int, NDArray[np.uint64]]
"""Channel → times [ns] and places of its messages, (n, 2)."""


@dataclass(frozen=True, slots=True, eq=False)
class Index:
    """A recording before it is unpacked.

    Args:
        path: the file; of several parts, the first.
        chunks: in order.
        t_s: motion times of all frames [s], to the nanosecond, (N,).
        truncated: whether the (last) file was not finished properly.
        damage: what of the files is damaged; empty if nothing is.
        dropped: entries that are known to be missing.
        parts: all files, in order.
    """

    path: Path
    header: RunHeader
    layout: Layout
    chunks: tuple[Chunk, ...]
    t_s: NDArray[np.float64]
    truncated: bool
    damage: str
    dropped: int
    parts: tuple[Path, ...]

    @classmethod
    def read(
        cls, path: Path, caps: Caps | None = None, told: Callable[[float], object] = abs
    ) -> "Index":
        """Look through a file and its further parts, or the recording in a run's folder.

        Args:
            path: the file or the folder.
            caps: most memory to spend on each file.
            told: called with the share that is looked through, 0 to 1; what it raises ends that.

        Raises:
            RecordingError: if it is not there, is not a recording, is beyond the caps, or is of a
                station that is not known.
        """
        file = part_path(path, 1)
        walk = _Walk(file, caps or Caps(), told)
        try:
            walk.take(file)
            while (part := part_path(file, len(walk.parts) + 1)).exists():
                if not walk.take(part):
                    break
        except OSError as error:
            raise RecordingError(f"{file}: cannot be read: {error.strerror or error}") from error
        return walk.index()


@dataclass(slots=True)
class _Open:
    """A chunk whose lists are being gathered."""

    chunk: Chunk
    lists: Lists = field(default_factory=Lists)
    sound: bool = True


class _Walk:
    """One pass over the heads of the records of all parts."""

    def __init__(self, path: Path, caps: Caps, told: Callable[[float], object]) -> None:
        self.parts: list[Path] = []
        self._path, self._caps, self._told = path, caps, told
        self._facts = Facts()
        self._layout = LAYOUTS["platform"]
        self._kinds: dict[int, str] = {}
        self._chunks: list[Chunk] = []
        self._times: list[NDArray[np.float64]] = []
        self._rows = 0
        self._unpacked = 0
        self._last_sequence = -1
        self._holes: list[tuple[int, str]] = []
        self._unplaced: list[str] = []
        self._finished = False

    def take(self, path: Path) -> bool:
        """Look through a file; one that is not the next part of the run is left alone."""
        scan = Scan(path, self._caps, checksums=False)
        told = list(scan.facts())
        facts = Facts.of(told)
        number = len(self.parts)
        if number and not facts.continues(self._facts.metadata.get("run"), number + 1):
            return False
        if not number or "run" not in self._facts.metadata:
            self._facts = facts
        elif "outcome" in facts.metadata:
            self._facts.metadata["outcome"] = facts.metadata["outcome"]
        self._unplaced += [str(one) for one in told if isinstance(one, Damaged)] + facts.problems
        with path.open("rb") as file:
            if number:
                self._last_sequence = self._sequence_at_the_end()
            self.parts.append(path)
            self._finished = scan.finished
            self._take_pieces(file, scan, number)
        return True

    def index(self) -> Index:
        """What was found."""
        facts = self._facts
        outcome = facts.metadata.get("outcome", {})
        times = np.concatenate([np.empty(0), *self._times])
        return Index(
            path=self._path,
            header=RunHeader(
                facts.modes, facts.actions, facts.metadata.get("run", {}), facts.scenario or {}
            ),
            layout=self._layout,
            chunks=tuple(self._chunks),
            t_s=times,
            truncated=not self._finished,
            damage="; ".join([*self._unplaced, *map(str, _losses(self._holes, times))]),
            dropped=int(outcome.get("dropped", "0")) + int(outcome.get("lost", "0")),
            parts=tuple(self.parts),
        )

    def _take_pieces(self, file: IO[bytes], scan: Scan, part: int) -> None:
        current: _Open | None = None
        size = max(1, file.seek(0, 2))
        if not part:
            self._begin(file, scan)
        for piece in scan.pieces:
            self._told(piece.at / size)
            if isinstance(piece, Found) and piece.opcode == MESSAGE_INDEX and current is not None:
                self._note_list(file, piece, current)
            elif isinstance(piece, Damaged):
                if current is not None:
                    current.sound = False  # perhaps a list of it: they are made anew
                self._close(file, current)
                current = None
                self._holes.append((self._rows, str(piece)))
            elif piece.opcode == CHUNK:
                self._close(file, current)
                current = self._opened(file, piece, part)
        if current is not None and not scan.finished:
            current.sound = False  # perhaps not all of its lists are there
        self._close(file, current)
        self._told(1.0)

    def _begin(self, file: IO[bytes], scan: Scan) -> None:
        """Find out what the channels are: by the layout's order, or as the first chunk says."""
        topics: dict[int, str] = {}
        for piece in scan.pieces:
            if isinstance(piece, Found) and piece.opcode == CHUNK:
                try:
                    topics = _topics(unpack(file, self._head(file, piece, 0)))
                except (ValueError, struct.error):
                    continue
                break
        run = self._facts.metadata.get("run")
        try:
            by_topic = (one for one in LAYOUTS.values() if set(one.topics) & {*topics.values()})
            self._layout = next(by_topic, self._layout) if run is None else layout_of(run)
        except RecordingError as error:
            raise RecordingError(f"{self._path}: {error}") from error
        cycle, event, _ = self._layout.topics
        topics = dict(enumerate(self._layout.topics, start=1)) | topics
        names = {cycle: "cycle", event: "event"}
        self._kinds = {number: names.get(topic, "") for number, topic in topics.items()}

    def _head(self, file: IO[bytes], piece: Found, part: int) -> Chunk:
        file.seek(piece.body)
        _, _, size, crc, name_bytes = _CHUNK_HEAD.unpack(file.read(_CHUNK_HEAD.size))
        if size > self._caps.chunk:
            raise ValueError(f"chunk of {size} bytes, limit {self._caps.chunk} bytes")
        name = file.read(name_bytes).decode()
        (packed,) = struct.unpack("<Q", file.read(8))
        none = np.empty(0, np.int64)
        return Chunk(file.tell(), packed, size, crc, name, 0, none, none, part)

    def _opened(self, file: IO[bytes], piece: Found, part: int) -> _Open | None:
        try:
            chunk = self._head(file, piece, part)
        except (ValueError, struct.error) as error:
            self._holes.append((self._rows, f"byte {piece.at}: a record is damaged: {error}"))
            return None
        self._unpacked += chunk.size
        if self._unpacked > self._caps.total:
            raise RecordingError(
                f"{self._path}: sum of all chunks of {self._unpacked} bytes, "
                f"limit {self._caps.total} bytes"
            )
        return _Open(chunk)

    def _note_list(self, file: IO[bytes], piece: Found, current: _Open) -> None:
        if piece.length > self._caps.record:
            raise RecordingError(
                f"{self._path}: record of {piece.length} bytes, limit {self._caps.record} bytes"
            )
        file.seek(piece.body)
        data = file.read(piece.length)
        channel, size = struct.unpack_from("<HI", data)
        pairs = np.frombuffer(data, dtype="<u8", count=size // 16 * 2, offset=6).reshape(-1, 2)
        current.lists[channel] = pairs
        falls = len(pairs) > 1 and bool((pairs[1:] < pairs[:-1]).any())
        if falls or size % 16 or bool((pairs[:, 1] >= current.chunk.size).any()):
            current.sound = False

    def _close(self, file: IO[bytes], current: _Open | None) -> None:
        """Take a chunk whose lists are complete, or are made anew."""
        if current is None:
            return
        chunk = current.chunk
        if not current.sound or self._last_sequence >= 0:
            try:
                current.lists = self._lists(unpack(file, chunk))
            except (ValueError, struct.error) as error:
                self._holes.append((self._rows, str(error)))
                return
        places = {"cycle": np.empty(0, np.int64), "event": np.empty(0, np.int64)}
        for channel, pairs in current.lists.items():
            kind = self._kinds.get(channel, "")
            if kind:
                places[kind] = pairs[:, 1].astype(np.int64)
            if kind == "cycle":
                self._times.append(np.asarray(pairs[:, 0] / 1e9, dtype=np.float64))
        cycles, events = places["cycle"], places["event"]
        self._chunks.append(
            Chunk(chunk.at, chunk.packed, chunk.size, chunk.crc, chunk.compression, self._rows,
                  cycles, events, chunk.part)
        )  # fmt: skip
        self._rows += len(cycles)

    def _lists(self, data: bytes) -> Lists:
        """Times and places of the messages; of what an earlier part has already, none."""
        rows: dict[int, list[tuple[int, int]]] = {}
        for entry in entries(data):
            if entry.sequence > self._last_sequence:
                rows.setdefault(entry.channel, []).append((entry.log_time_ns, entry.place))
        if rows:
            self._last_sequence = -1  # all that follows is new
        return {channel: np.array(found, dtype=np.uint64) for channel, found in rows.items()}

    def _sequence_at_the_end(self) -> int:
        """Number of the last entry of the part before; -1 if that cannot be told."""
        for chunk in reversed(self._chunks):
            try:
                with self.parts[chunk.part].open("rb") as file:
                    return max(entry.sequence for entry in entries(unpack(file, chunk)))
            except ValueError:
                continue
        return -1


def _losses(holes: list[tuple[int, str]], times: NDArray[np.float64]) -> list[Loss]:
    """Damage between chunks, with the times of the frames before and after it."""
    period_s = float(np.median(np.diff(times))) if len(times) > 1 else 0.0
    found: list[Loss] = []
    for row, why in holes:
        from_s = float(times[row - 1]) if row else float("nan")
        to_s = float(times[row]) if row < len(times) else float("nan")
        between = round((to_s - from_s) / period_s) - 1 if period_s and to_s > from_s else None
        found.append(Loss(why, from_s, to_s, between))
    return found


def _topics(data: bytes) -> dict[int, str]:
    """Channels that a chunk declares."""
    found: dict[int, str] = {}
    at = 0
    while at + RECORD_HEAD.size <= len(data):
        opcode, length = RECORD_HEAD.unpack_from(data, at)
        at += RECORD_HEAD.size
        if opcode == CHANNEL:
            (channel,) = struct.unpack_from("<H", data, at)
            (size,) = struct.unpack_from("<I", data, at + 4)
            found[channel] = data[at + 8 : at + 8 + size].decode()
        at += length
    return found
