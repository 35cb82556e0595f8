"""The frames of a recording in one table, filled while it is already looked at."""

import math
import struct
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import IO, Any

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.panel.study.models.replay_chunk import (
    MESSAGE_HEAD_BYTES,
    RECORD_HEAD,
    Chunk,
    message_json,
    unpack,
)
from hil.panel.study.models.replay_index import Index
from hil.recording.frame import EventRecord
from hil.recording.header import RecordingError
from hil.recording.layout import Layout
from hil.recording.layouts import told
from hil.recording.reader import Loss

Array = NDArray[np.float64]
_TIME_AT = RECORD_HEAD.size + 6
"""Of a message's log time, from its first byte on: behind the record's head, channel, sequence."""


@dataclass(frozen=True, slots=True, eq=False)
class _Form:
    """How the values of a frame lie in its JSON: see `read_frames`."""

    order: NDArray[np.int64]
    keys: NDArray[np.uint64]
    words: NDArray[np.uint64]


class Frames:
    """All frames of a recording; what is not read yet is NaN.

    Memory is 8 B for each value: 360 MB for ten minutes of the platform at 1 kHz.

    Args:
        index: of the recording.

    Raises:
        RecordingError: if it cannot be read any more.
    """

    def __init__(self, index: Index) -> None:
        self.index = index
        self._table = np.full((len(index.t_s), index.layout.values), np.nan)
        self._done = np.zeros(len(index.chunks), dtype=bool)
        self._firsts = np.array([chunk.first for chunk in index.chunks], dtype=np.int64)
        self._lock = Lock()
        self._form: _Form | None = None
        self._names = tuple(list(names) for names in (index.header.modes, index.header.actions))
        self._bad: dict[int, str] = {}
        try:
            self._files: list[IO[bytes]] = [part.open("rb") for part in index.parts]
        except OSError as error:
            raise RecordingError(
                f"{index.path}: cannot be read: {error.strerror or error}"
            ) from error

    @property
    def damage(self) -> str:
        """What of the recording cannot be read, with its time; empty if all can."""
        return "; ".join([text for text in (self.index.damage, *self._bad.values()) if text])

    @property
    def table(self) -> Array:
        """The frames, (N, values of the layout), read-only."""
        view = self._table.view()
        view.setflags(write=False)
        return view

    @property
    def read_share(self) -> float:
        """How much of it is read, 0 to 1."""
        return float(self._done.mean()) if len(self._done) else 1.0

    @property
    def warm(self) -> bool:
        """Whether reading a chunk is quick by now: the first one waits for the kernel."""
        return bool(self._done.any())

    def close(self) -> None:
        """Let go of the file."""
        for file in self._files:
            file.close()

    def events(self) -> tuple[EventRecord, ...]:
        """All events, in order; those in damaged chunks are left out."""
        found: list[EventRecord] = []
        for number, chunk in enumerate(self.index.chunks):
            if not len(chunk.events):
                continue
            try:
                with self._lock:
                    data = unpack(self._files[chunk.part], chunk)
                for place in chunk.events.tolist():
                    raw = orjson.loads(message_json(data, place))
                    found.append(EventRecord.from_mapping(raw))
            except (ValueError, KeyError, TypeError, OSError) as error:
                self._note_bad(number, error)
        return tuple(sorted(found, key=lambda event: event.t_s))

    def next_chunk(self, row: int) -> int | None:
        """The chunk to read next when a row is looked at: it, those before, then those behind."""
        waiting = np.flatnonzero(~self._done)
        if not len(waiting):
            return None
        here = self.chunk_of(row)
        place = int(np.searchsorted(waiting, here, side="right")) - 1
        return int(waiting[place]) if place >= 0 else int(waiting[0])

    def chunk_of(self, row: int) -> int:
        """Number of the chunk that holds a frame; of one before the first, 0."""
        return max(0, int(np.searchsorted(self._firsts, row, side="right")) - 1)

    def read_one(self, row: int) -> None:
        """Read one frame the ordinary way, for which nothing has to be loaded or compiled.

        A damaged one stays empty; so does one whose mode or action the header does not name, as
        only reading in order gives those their numbers.
        """
        number = self.chunk_of(row)
        if self._done[number]:
            return
        chunk = self.index.chunks[number]
        names = tuple(list(known) for known in self._names)
        try:
            with self._lock:
                data = unpack(self._files[chunk.part], chunk)
            raw = orjson.loads(message_json(data, int(chunk.cycles[row - chunk.first])))
            values = values_of(raw, self.index.layout, names)
        except (ValueError, KeyError, TypeError, IndexError, struct.error, OSError):
            return  # told when the whole chunk is read
        if names == self._names:
            self._table[row] = values

    def read(self, number: int) -> None:
        """Read a chunk, unless it was read before; a damaged one stays empty."""
        if self._done[number]:
            return
        chunk = self.index.chunks[number]
        try:
            with self._lock:
                data = unpack(self._files[chunk.part], chunk)
            self._decode(chunk, data)
        except (ValueError, KeyError, TypeError, struct.error, OSError) as error:
            self._note_bad(number, error)
        self._done[number] = True

    def _note_bad(self, number: int, error: Exception) -> None:
        chunk = self.index.chunks[number]
        times = self.index.t_s[chunk.first : chunk.first + len(chunk.cycles)]
        ends = (float(times[0]), float(times[-1])) if len(times) else (math.nan, math.nan)
        self._bad[number] = str(Loss(str(error), *ends, len(times)))

    def _decode(self, chunk: Chunk, data: bytes) -> None:
        if not len(chunk.cycles):
            return
        from hil.panel.study.models.replay_numbers import POWERS, read_frames  # slow to load

        form = self._form = self._form or self._learnt(message_json(data, int(chunk.cycles[0])))
        rows = self._table[chunk.first : chunk.first + len(chunk.cycles)]
        read = np.zeros(len(rows), dtype=np.uint8)
        buffer = np.frombuffer(data, dtype=np.uint8)
        spans = _spans(buffer, chunk.cycles)
        self._check_times(buffer, chunk)
        read_frames(buffer, spans, form.order, form.keys, form.words, POWERS, rows, read)
        for row in np.flatnonzero(read == 0).tolist():
            raw = orjson.loads(message_json(data, int(chunk.cycles[row])))
            rows[row] = values_of(raw, self.index.layout, self._names)

    def _check_times(self, buffer: NDArray[np.uint8], chunk: Chunk) -> None:
        """The lists of messages have no checksum, the chunk has one: both must tell the same.

        Raises:
            ValueError: if they do not.
        """
        heads = chunk.cycles[:, None] + np.arange(_TIME_AT, _TIME_AT + 8)
        times = buffer[heads].copy().view("<u8")[:, 0] / 1e9
        listed = self.index.t_s[chunk.first : chunk.first + len(chunk.cycles)]
        if not np.array_equal(times, listed):
            raise ValueError(f"the list of messages of the chunk at byte {chunk.at} is damaged")

    def _learnt(self, sample: bytes) -> _Form:
        """The order of values and keys in a frame's JSON."""
        from hil.panel.study.models.replay_numbers import text_hash

        layout = self.index.layout
        raw = orjson.loads(sample)
        columns = _columns_by_path(layout)
        paths, keys = _walk(raw, ())
        seen = text_hash(b"")
        for key in keys:
            seen = ((seen ^ text_hash(key.encode())) * 1099511628211) % 2**64
        words = [
            (text_hash(name.encode()), code)
            for names in self._names
            for code, name in enumerate(names)
        ]
        return _Form(
            np.array([columns[path] for path in paths], dtype=np.int64),
            np.array([seen], dtype=np.uint64),
            np.array(_unambiguous(words), dtype=np.uint64).reshape(-1, 2),
        )


def values_of(raw: Mapping[str, Any], layout: Layout, names: tuple[list[str], ...]) -> Array:
    """Values of one frame's JSON, the ordinary way.

    Args:
        raw: the JSON.
        layout: of the frame.
        names: of the codes of the layout's two code fields; unknown ones are added.

    Raises:
        KeyError: if a field is missing.
        ValueError: if there are more or fewer values than the layout has.
    """
    flat: list[float] = []
    known = dict(zip(layout.codes, names, strict=True))
    for field in layout.fields:
        value = told(raw, layout, field)
        if field.name in known:
            if value not in known[field.name]:
                known[field.name].append(value)
            flat.append(known[field.name].index(value))
        elif field.name.endswith("_pose"):
            flat += [value[part] for part in layout.pose_keys]
        else:
            flat += value if isinstance(value, list) else [value]
    if len(flat) != layout.values:
        raise ValueError(f"frame of {len(flat)} values, {layout.values} expected")
    return np.array([math.nan if value is None else value for value in flat], dtype=np.float64)


def _columns_by_path(layout: Layout) -> dict[tuple[str, ...], int]:
    """Where each value of the JSON is in a row, by its keys and its number in a list."""
    found: dict[tuple[str, ...], int] = {}
    column = 0
    for field in layout.fields:
        group, key = layout.places.get(field.name, (None, field.name))
        path = (key,) if group is None else (group, key)
        if field.name.endswith("_pose"):
            parts = [(*path, part) for part in layout.pose_keys]
        elif field.count > 1:
            parts = [(*path, str(number)) for number in range(field.count)]
        else:
            parts = [path]
        for part in parts:
            found[part] = column
            column += 1
    return found


def _walk(raw: Any, path: tuple[str, ...]) -> tuple[list[tuple[str, ...]], list[str]]:
    """Paths of all values, and all keys, in the order in which they are written."""
    if isinstance(raw, dict):
        items = [(str(key), value) for key, value in raw.items()]
        named = True
    elif isinstance(raw, list):
        items = [(str(number), value) for number, value in enumerate(raw)]
        named = False
    else:
        return [path], []
    paths: list[tuple[str, ...]] = []
    keys: list[str] = []
    for key, value in items:
        inner_paths, inner_keys = _walk(value, (*path, key))
        paths += inner_paths
        keys += [key, *inner_keys] if named else inner_keys
    return paths, keys


def _unambiguous(words: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Texts that stand for one number; of two meanings, the ordinary reader must judge."""
    meanings: dict[int, set[int]] = {}
    for word, code in words:
        meanings.setdefault(word, set()).add(code)
    return [(word, min(codes)) for word, codes in meanings.items() if len(codes) == 1]


def _spans(buffer: NDArray[np.uint8], places: NDArray[np.int64]) -> NDArray[np.int64]:
    """First byte and end of each message's JSON, (n, 2).

    Raises:
        ValueError: if a message is not wholly in the chunk.
    """
    if len(places) and not (places.min() >= 0 and places.max() + 31 <= len(buffer)):
        raise ValueError(f"a message reaches beyond its chunk of {len(buffer)} bytes")
    lengths = buffer[places[:, None] + np.arange(1, 9)].copy().view("<u8")[:, 0].astype(np.int64)
    ends = places + RECORD_HEAD.size + lengths
    starts = places + MESSAGE_HEAD_BYTES
    if len(ends) and not ((ends <= len(buffer)).all() and (ends >= starts).all()):
        raise ValueError(f"a message reaches beyond its chunk of {len(buffer)} bytes")
    return np.stack([starts, ends], axis=1)
