"""From the ring to the file: within the loop's own thread in a dry run, else see `process`."""

import os
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path
from typing import Final, Protocol

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.ipc.ring import HEAD_BYTES, Ring
from hil.recording.end import END, UNTOLD, EndRecord, loss_of
from hil.recording.events import EVENTS, ROWS
from hil.recording.header import RunHeader
from hil.recording.writer import DEFAULT_MIN_FREE_BYTES, RecordingWriter

# Words of the header that the consumer alone writes.
_STATUS, _WRITTEN, _LOST, _PART, _PID, _DRAINS = 17, 18, 19, 20, 21, 22


FLUSH_AFTER_S: Final = 0.5


class RecorderStatus(IntEnum):
    """How the recorder is."""

    STARTING = 0
    OK = 1
    DEGRADED = 2  # the disk refuses; entries are taken from the ring and counted as lost
    DONE = 3  # the file is finished and synced
    GONE = 4  # the recorder process ended without finishing


class RecorderRing(Ring):
    """A ring whose consumer records."""

    __slots__ = ()

    def report(self, status: RecorderStatus, written_bytes: int, lost: int) -> None:
        """Tell the producer's side how recording goes."""
        self._words[_WRITTEN] = written_bytes
        self._words[_LOST] = lost
        self._words[_STATUS] = status
        self._words[_DRAINS] += 1

    @property
    def reports(self) -> int:
        """How often the recorder has reported: one that lives does so again and again."""
        return self._words[_DRAINS]

    def report_part(self, part: int) -> None:
        """Tell the number of the file that this process writes, from 1."""
        self._words[_PID] = os.getpid()
        self._words[_PART] = part

    @property
    def status(self) -> RecorderStatus:
        """What the recorder last reported."""
        return RecorderStatus(self._words[_STATUS])

    @property
    def written_bytes(self) -> int:
        """Size of the recording's file, as last reported [bytes]."""
        return self._words[_WRITTEN]

    @property
    def lost(self) -> int:
        """Entries that left the ring and did not reach the disk, as last reported."""
        return self._words[_LOST]

    @property
    def part(self) -> int:
        """Number of the file that is being written, from 1; 0 before the first."""
        return self._words[_PART]

    @property
    def recorder_pid(self) -> int:
        """Number of the process that writes it."""
        return self._words[_PID]


@dataclass(frozen=True, slots=True)
class RecorderResult:
    """How a recording ended."""

    path: Path
    status: RecorderStatus
    written_bytes: int
    dropped: int
    lost: int
    """Entries that did not get from the ring to the disk; of a recorder that is GONE, those it
    left in the ring."""
    sha256: str | None
    """Digest of all messages; None if some were lost, or lie in several files."""
    problem: str = ""
    parts: int = 1
    """Files that were written: more than one if a recorder was killed."""
    news: str = ""
    """What has happened to the recorder since `service` last told it; empty if nothing."""

    @property
    def failure(self) -> str:
        """That the recording is not whole, and why, in a line; empty if it is."""
        missing = self.lost + self.dropped
        if self.status is RecorderStatus.DONE:
            return loss_of(self.problem, missing) if missing else ""
        return loss_of(self.problem or f"the recorder is {self.status.name}", missing)


class RecordingSink(Protocol):
    """What the loop sees of a recorder, whether it is inline or a process of its own."""

    @property
    def ring(self) -> RecorderRing:
        """Where the loop pushes its frames and events."""
        ...

    def service(self) -> str:
        """Give the recorder its turn, once a cycle: cheap, and never raises.

        Returns:
            What has happened to the recorder since the last call; empty if nothing.
        """
        ...

    def finish(self) -> RecorderResult:
        """End the recording after the last entry and tell how it went."""
        ...


class Recorder:
    """Drains a ring into a file and survives the disk's refusal.

    Args:
        sync: as of `RecordingWriter`; each entry is left in the ring until it is on the disk, for
            whoever goes on if this process is killed.
        part: as there.
    """

    def __init__(
        self,
        ring: RecorderRing,
        path: Path,
        header: RunHeader,
        *,
        sync: bool = False,
        min_free_bytes: int = DEFAULT_MIN_FREE_BYTES,
        part: int = 1,
    ) -> None:
        self._ring = ring
        self._writer = RecordingWriter(
            path, header, sync=sync, min_free_bytes=min_free_bytes, part=part
        )
        self._keeps = sync
        self._row_bytes = header.signals.size
        self._lost_before = ring.lost
        self._taken = 0
        self._misunderstood = 0
        self._problem = ""
        self._end: dict[str, str] = {}
        self._ends = 0
        """Entries taken that told an end, which are no messages."""
        self._flushed_s: float | None = None
        self._chunks_seen = 0
        self._result: RecorderResult | None = None
        self._report(RecorderStatus.OK)

    @property
    def ring(self) -> RecorderRing:
        """Where the loop pushes its frames and events."""
        return self._ring

    def service(self) -> str:
        """Drain the ring when it is half full, so that a dry run drops nothing."""
        ring = self._ring
        if 2 * ring.pending >= ring.capacity:
            self.drain()
        return ""

    def drain(self, now_s: float | None = None) -> int:
        """Take what is in the ring to the file; a failing disk is reported, never raised.

        Args:
            now_s: monotonic time [s]; given, a chunk is closed when `FLUSH_AFTER_S` went by
                since the last one, however little motion time passed. None in a dry run.
        """
        taken = 0
        for position, slots in self._ring.read_on():
            block = np.frombuffer(slots, np.uint8).reshape(-1, self._ring.slot_bytes)
            taken += len(block)
            if not self._problem:
                self._write(position, block)
            if self._problem:  # nothing is written any more; how the run ends is still wanted
                self._find_end(block)
            self._give_back()
        self._taken += taken
        if now_s is not None:
            self._flush_by_clock(now_s)
        self._give_back()
        self._report(RecorderStatus.DEGRADED if self._problem else RecorderStatus.OK)
        return taken

    def _give_back(self) -> None:
        """Let the loop have what is on the disk, or what is copied if none shall go on from it."""
        keep = self._keeps and not self._problem
        self._ring.give_back(self._writer.open_since if keep else None)

    def finish(self, *, untold: bool = False) -> RecorderResult:
        """Drain what is left, close the file and tell how it went; harmless when repeated.

        Args:
            untold: whether the loop is gone, which has to have told the end of its run.
        """
        if self._result is not None:
            return self._result
        self.drain()
        if untold and not self._end:
            self._end = EndRecord("", ok=False, reason=UNTOLD).entries()
        sha256 = None
        if not self._problem:
            try:
                self._writer.finish(self._outcome)
                sha256 = self._writer.sha256
            except OSError as error:
                self._degrade(error)
        if self._problem:
            self._writer.end_refused({**self._outcome, "problem": self._problem})
        self._ring.give_back()
        status = RecorderStatus.DEGRADED if self._problem else RecorderStatus.DONE
        self._report(status)
        self._result = RecorderResult(
            path=self._writer.path,
            status=status,
            written_bytes=self._writer.written_bytes,
            dropped=self._ring.dropped,
            lost=self._lost,
            sha256=sha256,
            problem=self._problem,
        )
        return self._result

    @property
    def _outcome(self) -> dict[str, str]:
        """What the end of the file says."""
        return {"dropped": str(self._ring.dropped), "lost": str(self._lost), **self._end}

    @property
    def _lost(self) -> int:
        if self._problem:
            return self._lost_before + self._taken - self._writer.saved - self._ends
        return self._lost_before + self._misunderstood

    def _write(self, position: int, block: NDArray[np.uint8]) -> None:
        """Write the entries in some slots: rows that follow each other at once."""
        heads = np.ascontiguousarray(block[:, :HEAD_BYTES]).view("<u4")  # kind, bytes
        rows = block[:, HEAD_BYTES : HEAD_BYTES + self._row_bytes]
        others = np.flatnonzero((heads != (ROWS, self._row_bytes)).any(axis=1)).tolist()
        start = 0
        try:
            for place in [*others, len(block)]:
                if place > start:
                    self._writer.add_rows(rows[start:place].copy(), position + start)
                if place < len(block):
                    kind, size = heads[place].tolist()
                    payload = block[place, HEAD_BYTES : HEAD_BYTES + size].tobytes()
                    self._write_other(position + place, kind, payload)
                start = place + 1
        except OSError as error:
            self._degrade(error)

    def _write_other(self, position: int, kind: int, payload: bytes) -> None:
        """Write an event; an entry that cannot be understood is counted, and costs no other one."""
        try:
            if kind == END:
                self._take_end(payload)
                self._writer.keep_open(position)
                return
            if kind != EVENTS:
                raise ValueError(f"entry of kind {kind} and {len(payload)} bytes")
            self._writer.add_event(payload, position)
        except ValueError:
            self._misunderstood += 1

    def _find_end(self, block: NDArray[np.uint8]) -> None:
        """Keep how the run ended, of entries that are not written."""
        heads = np.ascontiguousarray(block[:, :HEAD_BYTES]).view("<u4")
        for place in np.flatnonzero(heads[:, 0] == END).tolist():
            size = int(heads[place, 1])
            self._take_end(block[place, HEAD_BYTES : HEAD_BYTES + size].tobytes())

    def _take_end(self, payload: bytes) -> None:
        if not self._end:
            self._end, self._ends = orjson.loads(payload), 1

    def _flush_by_clock(self, now_s: float) -> None:
        if self._flushed_s is None or self._chunks_seen != self._writer.chunks:
            self._flushed_s = now_s
            self._chunks_seen = self._writer.chunks
        crowded = self._keeps and 2 * self._ring.pending >= self._ring.capacity
        if (now_s - self._flushed_s < FLUSH_AFTER_S and not crowded) or self._problem:
            return
        try:
            self._writer.flush()
            self._flushed_s = now_s
            self._chunks_seen = self._writer.chunks
        except OSError as error:
            self._degrade(error)

    def abandon(self) -> None:
        """Let go of the file as it is: another process goes on."""
        self._writer.let_go()

    def _degrade(self, error: OSError) -> None:
        self._problem = f"{self._writer.path}: {error.strerror or error}"
        self._writer.cut_back()

    def _report(self, status: RecorderStatus) -> None:
        self._ring.report(status, self._writer.written_bytes, self._lost)
