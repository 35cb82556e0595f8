"""Writing one recording: an MCAP file of JSON channels, in chunks that survive what comes after.

MCAP (mcap.dev/spec) was chosen because PlotJuggler and Foxglove open it and because each closed
chunk stays readable when the file ends abruptly. The same frames give the same messages and the
same digest; what the header says of date and host is no part of it.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import orjson
from mcap.writer import CompressionType, Writer

from hil.recording import messages
from hil.recording.facts import PART_KEY
from hil.recording.frame import EventRecord
from hil.recording.header import HEADER_NAME, RecordingError, RunHeader
from hil.recording.layouts import layout_of
from hil.recording.mcap_scan import CHECKSUM_KEY, checksum_of

CHUNK_SPAN_NS: Final = 500_000_000
CHUNK_BYTES: Final = 4 * 1024 * 1024
TF_PERIOD_NS: Final = 20_000_000
MAX_TIME_S: Final = 4.0e9  # seconds of a transform's time stamp are 32 bits
DEFAULT_MIN_FREE_BYTES: Final = 64 * 1024 * 1024
LIBRARY: Final = "hil-bench"

_DIGEST_HEAD: Final = struct.Struct("<QQ")  # log time, bytes of data


class RecordingWriter:
    """One recording being written.

    Every method that writes may raise OSError (disk full, I/O error). After that the writer is
    only good for `abandon()`: the file on disk ends with its last complete chunk.

    Args:
        path: the new file; its folder is made if need be, an existing file is never overwritten.
        header: what is known before the first cycle.
        sync: put every chunk through to the disk before going on (real time), instead of the whole
            file once at its end (dry run, which is repeated rather than rescued).
        min_free_bytes: least free space on the disk to begin with.
        part: number of the file, if it goes on where another one of the same run ended.

    Raises:
        RecordingError: if the place cannot be written or has too little room.
    """

    def __init__(
        self,
        path: Path,
        header: RunHeader,
        *,
        sync: bool = True,
        min_free_bytes: int = DEFAULT_MIN_FREE_BYTES,
        part: int = 1,
    ) -> None:
        self.path = path
        self._header = header
        self._layout = layout_of(header.metadata)
        self._sync = sync
        self._scenario = orjson.dumps(
            dict(header.scenario), option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2
        )
        self._file = _open_new(path, min_free_bytes)
        self._digest = hashlib.sha256()
        self._chunk_start_ns: int | None = None
        self._next_tf_ns = 0
        self._last_ns = 0
        self._part = part
        self._channels = 0
        self._number = -1
        self._accepted = 0
        self.saved = 0
        """Entries that are in complete chunks of the file."""
        self.chunks = 0
        """Chunks closed so far."""
        try:
            self._begin()
        except OSError as error:
            self.abandon()
            raise RecordingError(f"{path}: cannot be written: {error}") from error

    def _begin(self) -> None:
        writer = Writer(
            self._file,  # type: ignore[arg-type]
            chunk_size=CHUNK_BYTES,
            compression=CompressionType.ZSTD,
            enable_data_crcs=True,
        )
        self._writer = writer
        writer.start(profile="", library=LIBRARY)
        self._table("run", self._header.metadata)
        codes = {"modes": self._header.modes, "actions": self._header.actions}
        self._table("codes", {key: orjson.dumps(names).decode() for key, names in codes.items()})
        if self._part > 1:
            self._table("part", {PART_KEY: str(self._part)})
        writer.add_attachment(0, 0, "scenario.json", "application/json", self._scenario)
        layout = self._layout
        self._cycle = self._channel(layout.cycle_topic, layout.schema_name, layout.schema())
        self._events = self._channel(layout.event_topic, "foxglove.Log", messages.log_schema())
        self._tf = self._channel(
            layout.tf_topic, "foxglove.FrameTransforms", messages.transforms_schema()
        )
        self._file.mark(self._sync)

    def _table(self, name: str, values: Mapping[str, str]) -> None:
        self._writer.add_metadata(name, {**values, CHECKSUM_KEY: checksum_of(values)})

    def _channel(self, topic: str, schema: str, data: bytes) -> tuple[int, bytes]:
        schema_id = self._writer.register_schema(schema, "jsonschema", data)
        channel = self._writer.register_channel(topic, "json", schema_id)
        self._channels += 1
        if channel != self._channels:  # readers of a damaged file rely on the layout's order
            raise RuntimeError(f"channel {channel} of {topic}; {self._channels} was expected")
        return channel, topic.encode() + b"\0"

    def add_cycle(self, payload: bytes, number: int | None = None) -> None:
        """Write one packed frame of the station, and its poses when their time has come.

        Args:
            payload: the frame.
            number: of the entry within the run; one more than the last if left out.

        Raises:
            struct.error: if the payload has not the size of a frame.
            OSError: if the disk refuses.
        """
        flat = self._layout.frame.unpack(payload)
        self._number = self._number + 1 if number is None else number
        now_ns = self._entry_time_ns(flat[1])
        self._add(self._cycle, now_ns, self._layout.message(flat, self._header))
        if now_ns >= self._next_tf_ns:
            transforms = self._layout.transforms(flat, now_ns)
            if transforms is not None:
                self._add(self._tf, now_ns, transforms)
                self._next_tf_ns = now_ns + TF_PERIOD_NS
        self._accepted += 1

    def add_event(self, payload: bytes, number: int | None = None) -> None:
        """Write one encoded `EventRecord`.

        Args:
            payload: the event.
            number: of the entry within the run; one more than the last if left out.

        Raises:
            ValueError: if the payload is not one.
            OSError: if the disk refuses.
        """
        event = EventRecord.from_bytes(payload)
        self._number = self._number + 1 if number is None else number
        now_ns = self._entry_time_ns(event.t_s)
        self._add(self._events, now_ns, messages.event_message(event, now_ns))
        self._accepted += 1

    def flush(self) -> None:
        """Close the chunk in progress, if it holds anything, and see it to the disk.

        Raises:
            OSError: if the disk refuses.
        """
        if self._chunk_start_ns is None:
            return
        self._writer.flush()
        self._file.mark(self._sync)
        self._chunk_start_ns = None
        self.saved = self._accepted
        self.chunks += 1

    def finish(self, outcome: Mapping[str, str]) -> None:
        """Close the file properly.

        Args:
            outcome: what is only known at the end, such as the entries dropped; text only.

        Raises:
            OSError: if the disk refuses.
        """
        self.flush()
        self._table("outcome", {**outcome, "sha256": self.sha256})
        # A second copy: one wrong bit in the first one must not cost the run its limits and rig.
        copy = self._header.to_json()
        self._writer.add_attachment(0, 0, HEADER_NAME, "application/json", copy)
        self._writer.finish()
        self._file.mark(sync=True)
        self._file.close()

    def abandon(self) -> None:
        """Close the file after a failure, cut back to its last complete chunk if that succeeds."""
        self._file.cut_back()
        self._file.close()

    def let_go(self) -> None:
        """Close this process's handle of the file and leave the file alone."""
        self._file.close()

    @property
    def settled(self) -> bool:
        """Whether all entries so far are in complete chunks."""
        return self._chunk_start_ns is None

    @property
    def sha256(self) -> str:
        """Digest of (topic, log time, data) of every message so far, in order: hexadecimal."""
        return self._digest.hexdigest()

    @property
    def written_bytes(self) -> int:
        """Size of what is complete on disk [bytes]."""
        return self._file.marked

    def _entry_time_ns(self, t_s: float) -> int:
        # A time that cannot be (NaN, before the start) must not end the recording of the others.
        if 0.0 <= t_s < MAX_TIME_S:
            self._last_ns = round(t_s * 1e9)
        start_ns = self._chunk_start_ns
        if start_ns is not None and self._last_ns - start_ns >= CHUNK_SPAN_NS:
            self.flush()
        if self._chunk_start_ns is None:
            self._chunk_start_ns = self._last_ns
        return self._last_ns

    def _add(self, channel: tuple[int, bytes], now_ns: int, data: bytes) -> None:
        number, topic = channel
        update_digest(self._digest, topic, now_ns, data)
        self._writer.add_message(number, now_ns, data, now_ns, self._number & 0xFFFFFFFF)


def update_digest(digest: Any, topic: bytes, log_time_ns: int, data: bytes) -> None:
    """Add one message to the digest of a recording.

    Args:
        digest: a hashlib object.
        topic: the channel's topic with a zero byte behind it.
        log_time_ns: time of the message [ns].
        data: the message.
    """
    digest.update(topic + _DIGEST_HEAD.pack(log_time_ns, len(data)))
    digest.update(data)


class _NewFile:
    """The bytes of a file, unbuffered, with the end of its last complete part remembered."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        self._position = 0
        self.marked = 0

    def write(self, data: bytes) -> int:
        rest = memoryview(data)
        while rest:  # a disk that fills up takes a part first and refuses the rest
            done = os.write(self._fd, rest)
            self._position += done
            rest = rest[done:]
        return len(data)

    def tell(self) -> int:
        return self._position

    def flush(self) -> None:
        """Nothing is buffered here."""

    def mark(self, sync: bool) -> None:
        if sync:
            _sync_data(self._fd)
        self.marked = self._position

    def cut_back(self) -> None:
        try:
            os.ftruncate(self._fd, self.marked)
        except OSError:
            return  # the reader copes with half a chunk just as well
        self._position = self.marked

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


def _open_new(path: Path, min_free_bytes: int) -> _NewFile:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        free_bytes = shutil.disk_usage(path.parent).free
        if free_bytes < min_free_bytes:
            raise RecordingError(
                f"{path.parent}: {free_bytes} bytes free, at least {min_free_bytes} are needed "
                "to start a recording"
            )
        return _NewFile(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _O_BINARY, 0o644))
    except OSError as error:
        reason = error.strerror or str(error)
        raise RecordingError(
            f"{path}: cannot be written: {reason}; choose a folder that can be"
        ) from error


_O_BINARY: Final = getattr(os, "O_BINARY", 0)  # exists where text files are another kind
_sync_data: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)  # not everywhere
