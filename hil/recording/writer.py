"""Writing one recording: a `RowFile` on a disk that may refuse, in chunks that survive.

MCAP (mcap.dev/spec) was chosen because PlotJuggler, Foxglove and ROS 2 open it and because each
closed chunk stays readable when the file ends abruptly. The same rows give the same messages and
the same digest; what the header says of date and host is no part of it.
"""

from __future__ import annotations

import os
import shutil
import struct
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

import orjson

from hil.recording.events import (
    EVENT_SCHEMA,
    EVENTS,
    MAX_TIME_S,
    POSES,
    ROWS,
    EventRecord,
    event_text,
)
from hil.recording.facts import PART_KEY, SIGNALS
from hil.recording.header import HEADER_NAME, RecordingError, RunHeader
from hil.recording.row_file import RowFile
from hil.recording.transforms import TF_SCHEMA, TF_TEXT, poses_in, tf_message

TF_PERIOD_NS: Final = 20_000_000
DEFAULT_MIN_FREE_BYTES: Final = 64 * 1024 * 1024

_TIME: Final = struct.Struct("<d")


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
        self._sync = sync
        self._scenario = orjson.dumps(
            dict(header.scenario), option=orjson.OPT_SORT_KEYS | orjson.OPT_INDENT_2
        )
        self._row_bytes = header.signals.size
        self._time_at = header.signals.offsets[1]
        self._poses = poses_in(header.signals)
        self._next_tf_ns = 0
        self._last_ns = 0
        self._number = -1
        self._accepted = 0
        self.saved = 0
        """Entries that are in complete chunks of the file."""
        self.chunks = 0
        """Chunks closed so far."""
        self._disk = _NewFile(path, min_free_bytes)
        try:
            self._begin(part)
        except OSError as error:
            self.abandon()
            raise RecordingError(f"{path}: cannot be written: {error}") from error

    def _begin(self, part: int) -> None:
        signals = self._header.signals
        _, events, poses = signals.topics
        others = {events: (EVENT_SCHEMA, event_text()), poses: (TF_SCHEMA, TF_TEXT)}
        self._file = RowFile(self._disk, signals, others)
        self._file.table("run", self._header.metadata)
        self._file.table(SIGNALS, {SIGNALS: orjson.dumps(signals.header()).decode()})
        if part > 1:
            self._file.table("part", {PART_KEY: str(part)})
        self._file.attach("scenario.json", "application/json", self._scenario)
        self._disk.mark(self._sync)

    def add_row(self, payload: bytes, number: int | None = None) -> None:
        """Write one row of the station, and its poses when their time has come.

        Args:
            payload: the row.
            number: of the entry within the run; one more than the last if left out.

        Raises:
            ValueError: if the payload has not the size of a row.
            OSError: if the disk refuses.
        """
        if len(payload) != self._row_bytes:
            raise ValueError(f"row of {len(payload)} bytes; its table says {self._row_bytes}")
        (t_s,) = _TIME.unpack_from(payload, self._time_at)
        now_ns = self._add(ROWS, t_s, payload, number)
        if now_ns >= self._next_tf_ns and (poses := self._poses(payload)):
            self._file.add(POSES, tf_message(poses, now_ns), now_ns, self._number)
            self._next_tf_ns = now_ns + TF_PERIOD_NS

    def add_event(self, payload: bytes, number: int | None = None) -> None:
        """Write one encoded `EventRecord`.

        Args:
            payload: the event.
            number: of the entry within the run; one more than the last if left out.

        Raises:
            ValueError: if the payload is not one.
            OSError: if the disk refuses.
        """
        self._add(EVENTS, EventRecord.from_bytes(payload).t_s, payload, number)

    def _add(self, channel: int, t_s: float, payload: bytes, number: int | None) -> int:
        """Write one entry; its time stamp [ns]."""
        # A time that cannot be (NaN, before the start) must not end the recording of the others.
        if 0.0 <= t_s < MAX_TIME_S:
            self._last_ns = round(t_s * 1e9)
        if self._file.closes_before(self._last_ns):
            self.flush()
        self._number = self._number + 1 if number is None else number
        self._file.add(channel, payload, self._last_ns, self._number)
        self._accepted += 1
        return self._last_ns

    def flush(self) -> None:
        """Close the chunk in progress, if it holds anything, and see it to the disk.

        Raises:
            OSError: if the disk refuses.
        """
        if self._file.settled:
            return
        self._file.flush()
        self._disk.mark(self._sync)
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
        self._file.table("outcome", {**outcome, "sha256": self.sha256})
        # A second copy: one wrong bit in the first one must not cost the run its limits and rig.
        self._file.attach(HEADER_NAME, "application/json", self._header.to_json())
        self._file.finish()
        self._disk.mark(sync=True)
        self._disk.close()

    def abandon(self) -> None:
        """Close the file after a failure, cut back to its last complete chunk if that succeeds."""
        self._disk.cut_back()
        self._disk.close()

    def let_go(self) -> None:
        """Close this process's handle of the file and leave the file alone."""
        self._disk.close()

    @property
    def settled(self) -> bool:
        """Whether all entries so far are in complete chunks."""
        return self._file.settled

    @property
    def sha256(self) -> str:
        """Digest of all messages in complete chunks, in order: hexadecimal."""
        return self._file.sha256

    @property
    def written_bytes(self) -> int:
        """Size of what is complete on disk [bytes]."""
        return self._disk.marked


class _NewFile:
    """The bytes of a file, unbuffered, with the end of its last complete part remembered."""

    def __init__(self, path: Path, min_free_bytes: int) -> None:
        self._position = 0
        self.marked = 0
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            free_bytes = shutil.disk_usage(path.parent).free
            if free_bytes < min_free_bytes:
                raise RecordingError(
                    f"{path.parent}: {free_bytes} bytes free, at least {min_free_bytes} are needed "
                    "to start a recording"
                )
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _O_BINARY, 0o644)
        except OSError as error:
            reason = error.strerror or str(error)
            raise RecordingError(
                f"{path}: cannot be written: {reason}; choose a folder that can be"
            ) from error

    def write(self, data: bytes) -> None:
        rest = memoryview(data)
        while rest:  # a disk that fills up takes a part first and refuses the rest
            done = os.write(self._fd, rest)
            self._position += done
            rest = rest[done:]

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


_O_BINARY: Final = getattr(os, "O_BINARY", 0)  # exists where text files are another kind
_sync_data: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)  # not everywhere
