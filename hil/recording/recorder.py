"""From the ring to the file: within the loop's own thread in a dry run, else see `process`."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from hil.recording.frame import CYCLE_KIND, EVENT_KIND
from hil.recording.header import RunHeader
from hil.recording.mcap_file import DEFAULT_MIN_FREE_BYTES, RecordingWriter
from hil.recording.ring import RecorderRing, RecorderStatus

FLUSH_AFTER_S: Final = 0.5


@dataclass(frozen=True, slots=True)
class RecorderResult:
    """How a recording ended.

    Args:
        path: the file.
        status: DONE, or DEGRADED after a failure of the disk, or GONE.
        written_bytes: size of what is complete on disk [bytes].
        dropped: entries the loop could not put into the ring.
        lost: entries that did not get from the ring to the disk; of a recorder that is GONE, those
            it left in the ring.
        sha256: digest of all messages; None if some were lost, or lie in several files.
        problem: what went wrong, empty if nothing did.
        parts: files that were written: more than one if a recorder was killed.
    """

    path: Path
    status: RecorderStatus
    written_bytes: int
    dropped: int
    lost: int
    sha256: str | None
    problem: str = ""
    parts: int = 1

    @property
    def failure(self) -> str:
        """That the recording is not whole, and why, in a line; empty if it is."""
        if self.status is RecorderStatus.DONE:
            return ""
        why = self.problem or f"the recorder is {self.status.name}"
        return f"recording failed: {why}; {self.lost + self.dropped} entries are missing"


class RecordingSink(Protocol):
    """What the loop sees of a recorder, whether it is inline or a process of its own."""

    @property
    def ring(self) -> RecorderRing:
        """Where the loop pushes its frames and events."""
        ...

    def service(self) -> str:
        """Give the recorder its turn; call it once a cycle, it is cheap and never raises.

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
        ring: what the loop pushes into.
        path: the new file.
        header: facts of the run.
        sync: put every chunk through to the disk (see `RecordingWriter`), and leave each entry in
            the ring until it is there, for whoever goes on if this process is killed.
        min_free_bytes: least free space to begin with.
        part: number of the file, if it goes on where another one of the same run ended.

    Raises:
        RecordingError: if the place cannot be written or has too little room.
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
        self._lost_before = ring.lost
        self._taken = 0
        self._misunderstood = 0
        self._problem = ""
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

        Returns:
            Entries taken from the ring.
        """
        taken = 0
        for position, kind, payload in self._ring.read_on():
            taken += 1
            chunks = self._writer.chunks
            if not self._problem:
                self._write(position, kind, payload)
            if not self._keeps:
                self._ring.give_back()
            elif chunks != self._writer.chunks:  # closed before this entry was taken into the next
                self._ring.give_back(position)
        self._taken += taken
        if now_s is not None:
            self._flush_by_clock(now_s)
        if self._problem or self._writer.settled:
            self._ring.give_back()
        self._report(RecorderStatus.DEGRADED if self._problem else RecorderStatus.OK)
        return taken

    def finish(self) -> RecorderResult:
        """Drain what is left, close the file and tell how it went; harmless when repeated."""
        if self._result is not None:
            return self._result
        self.drain()
        sha256 = None
        if not self._problem:
            outcome = {"dropped": str(self._ring.dropped), "lost": str(self._lost)}
            try:
                self._writer.finish(outcome)
                sha256 = self._writer.sha256
            except OSError as error:
                self._degrade(error)
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
    def _lost(self) -> int:
        if self._problem:
            return self._lost_before + self._taken - self._writer.saved
        return self._lost_before + self._misunderstood

    def _write(self, position: int, kind: int, payload: bytes) -> None:
        try:
            if kind == CYCLE_KIND:
                self._writer.add_cycle(payload, position)
            elif kind == EVENT_KIND:
                self._writer.add_event(payload, position)
            else:
                raise ValueError(f"entry of kind {kind}: {CYCLE_KIND} or {EVENT_KIND} was expected")
        except OSError as error:
            self._degrade(error)
        except (ValueError, struct.error):
            # One entry that cannot be understood is counted; it does not cost the others.
            self._misunderstood += 1

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
        self._writer.abandon()

    def _report(self, status: RecorderStatus) -> None:
        self._ring.report(status, self._writer.written_bytes, self._lost)
