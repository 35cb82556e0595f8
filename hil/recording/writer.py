"""Writing one recording: a `RowFile` on a disk that may refuse, in chunks that survive.

MCAP (mcap.dev/spec) was chosen because PlotJuggler, Foxglove and ROS 2 open it and because each
closed chunk stays readable when the file ends abruptly. The same rows give the same messages and
the same digest; what the header says of date and host is no part of it.
"""

import os
import shutil
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.recording.end import SPARE_END, spare_entries
from hil.recording.events import (
    EVENT_SCHEMA,
    EVENTS,
    MAX_TIME_S,
    POSES,
    EventRecord,
    event_text,
    stamp_ns,
)
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
)
from hil.recording.row_file import RowFile, table_record
from hil.recording.rows import TF_SCHEMA, TF_TEXT, RowPoses, tf_message

TF_PERIOD_NS: Final = 20_000_000
DEFAULT_MIN_FREE_BYTES: Final = 64 * 1024 * 1024


class RecordingWriter:
    """One recording being written.

    Every method that writes may raise OSError (disk full, I/O error). After that the writer is
    only good for `cut_back()` and `end_refused()`: the file on disk ends with a complete chunk.

    Args:
        path: the new file; its folder is made if need be, an existing file is never overwritten.
        sync: put every chunk through to the disk before the next (real time), instead of the whole
            file once at its end (dry run, which is repeated rather than rescued).
        part: number of the file, if it continues where another one of the same run ended.

    Raises:
        RecordingError: if the place cannot be written or has too little space.
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
        self._time_at = header.signals.offsets[1]
        self._poses = RowPoses(header.signals)
        self._next_tf_ns = 0
        self._last_ns = 0
        self._accepted = 0
        self.open_since: int | None = None
        """Number of the first entry that is in no complete chunk; None if all are."""
        self.saved = 0
        self.chunks = 0
        self._disk = _NewFile(path, min_free_bytes)
        try:
            self._begin(part)
        except OSError as error:
            self._disk.remove()
            raise RecordingError(f"{path}: cannot be written: {error}") from error

    def _begin(self, part: int) -> None:
        signals = self._header.signals
        _, events, poses = signals.topics
        others = {events: (EVENT_SCHEMA, event_text()), poses: (TF_SCHEMA, TF_TEXT)}
        self._file = RowFile(self._disk, signals, others)
        self._file.table("run", self._header.metadata)
        self._file.table(SIGNALS, {SIGNALS: orjson.dumps(signals.header()).decode()})
        if (files := self._header.files) is not None:
            rows = orjson.dumps([one.row() for one in files]).decode()
            self._file.table(FILES, {FILES: rows})
        self._file.table(FORMAT_TABLE, {"version": str(FORMAT)})
        self._spare_at = self._file.written_bytes
        self._file.table(SPARE_END, spare_entries({}))
        if part > 1:
            self._file.table("part", {PART_KEY: str(part)})
        self._file.attach("scenario.json", "application/json", self._scenario)
        self._disk.mark(self._sync)

    def add_rows(self, rows: NDArray[np.uint8], first: int) -> None:
        """Write rows of the station, and their poses when the time of those has come.

        Args:
            rows: (N, bytes of a row).
            first: number of the first entry within the run; the others follow it.
        """
        times_ns = self._stamps(rows)
        numbers = np.arange(first, first + len(rows))
        start = 0
        while start < len(rows):
            if self._file.closes_before(int(times_ns[start])):
                self.flush()
            part = slice(start, start + self._file.room(times_ns[start:]))
            self._file.add_rows(rows[part], times_ns[part], numbers[part])
            self._add_poses(rows[part], times_ns[part], numbers[part])
            self._took(len(rows[part]), first + start)
            start += len(rows[part])

    def add_event(self, payload: bytes, number: int) -> None:
        """Write one encoded `EventRecord`, an entry of a number within the run."""
        t_s = EventRecord.from_bytes(payload).t_s
        self._last_ns = stamp_ns(t_s) if 0.0 <= t_s < MAX_TIME_S else self._last_ns
        if self._file.closes_before(self._last_ns):
            self.flush()
        self._file.add(EVENTS, payload, self._last_ns, number)
        self._took(1, number)

    def _stamps(self, rows: NDArray[np.uint8]) -> NDArray[np.int64]:
        """Times of rows [ns]; one that cannot be (NaN, before the start) is the one before it."""
        t_s = np.ascontiguousarray(rows[:, self._time_at : self._time_at + 8]).view("<f8")[:, 0]
        good = (t_s >= 0.0) & (t_s < MAX_TIME_S)
        times_ns = np.rint(np.where(good, t_s, 0.0) * 1e9).astype(np.int64)
        newest = np.maximum.accumulate(np.where(good, np.arange(len(rows)), -1))
        times_ns = np.where(newest < 0, self._last_ns, times_ns[newest])
        self._last_ns = int(times_ns[-1])
        return times_ns

    def _add_poses(
        self, rows: NDArray[np.uint8], times_ns: NDArray[np.int64], numbers: NDArray[np.int64]
    ) -> None:
        for place in np.flatnonzero(self._poses.there(rows)).tolist():
            now_ns = int(times_ns[place])
            if now_ns >= self._next_tf_ns:
                message = tf_message(self._poses.of(rows[place].tobytes()), now_ns)
                self._file.add(POSES, message, now_ns, int(numbers[place]))
                self._next_tf_ns = now_ns + TF_PERIOD_NS

    def _took(self, count: int, first: int) -> None:
        self._accepted += count
        self.open_since = first if self.open_since is None else self.open_since

    def flush(self) -> None:
        """Close the chunk in progress, if it holds anything, and see it to the disk."""
        if self._file.settled:
            return
        self._file.flush()
        self._disk.mark(self._sync)
        self.saved = self._accepted
        self.open_since = None
        self.chunks += 1

    def finish(self, outcome: Mapping[str, str]) -> None:
        """Close the file properly, with what is only known now, such as the entries dropped."""
        self.flush()
        self._file.table(OUTCOME, {**outcome, "sha256": self.sha256})
        # A second copy: one wrong bit in the first one must not cost the run its limits and rig.
        self._file.attach(HEADER_NAME, "application/json", self._header.to_json())
        self._file.finish()
        self._disk.mark(sync=True)
        self._disk.close()

    def keep_open(self, number: int) -> None:
        """Count an entry that is no message as open until the file is finished."""
        self.open_since = number if self.open_since is None else self.open_since

    def cut_back(self) -> None:
        """Cut the file back to its last complete chunk after a failure, if that succeeds."""
        self._disk.cut_back()

    def end_refused(self, outcome: Mapping[str, str]) -> None:
        """Close a file that the disk refuses, its end in the place that was kept for it.

        That place was written with the header, so it asks for no space. Nothing is raised.
        """
        with suppress(OSError):
            self._disk.rewrite(self._spare_at, table_record(SPARE_END, spare_entries(outcome)))
        self._disk.close()

    def let_go(self) -> None:
        """Close this process's handle of the file and leave the file alone."""
        self._disk.close()

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
        self._path = path
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
            mode = path.parent.stat().st_mode & 0o644  # no more to be read than its folder
            self._fd = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _O_BINARY, mode)
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

    def rewrite(self, at: int, data: bytes) -> None:
        os.pwrite(self._fd, data, at)
        _sync_data(self._fd)

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

    def remove(self) -> None:
        """Leave nothing of a file that holds nothing."""
        self.close()
        with suppress(OSError):
            self._path.unlink()

    def close(self) -> None:
        if self._fd >= 0:
            os.close(self._fd)
            self._fd = -1


_O_BINARY: Final = getattr(os, "O_BINARY", 0)  # exists where text files are another kind
_sync_data: Final[Callable[[int], None]] = getattr(os, "fdatasync", os.fsync)  # not everywhere
