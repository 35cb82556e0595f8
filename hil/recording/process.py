"""The recorder as a process of its own, for real time: the loop never waits for a disk.

The loop's process makes a shared `RecorderRing` and a `RecorderProcess`; the other side of it is
`python -m hil.recording.process`, which gets by one line of JSON on its standard input what to
record and answers by lines of JSON on its standard output: ready or refused, and the result. It
sits in a session of its own and ignores the terminal's signals, because it must outlive the loop's
last frame. It ends when the loop has closed the ring, or when its parent is gone.

If it is killed, a copy of it that waited continues in a second file of the same run, with the first
entry that is not on the disk: entries stay in the ring until they are. A frozen one is killed.
"""

import math
import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, Final, cast

import orjson

from hil.ipc.child import PIPE, start_child
from hil.ipc.process_state import is_stopped
from hil.ipc.standby import Standby, TakeOverError
from hil.recording.header import RecordingError, RunHeader, part_path
from hil.recording.recorder import Recorder, RecorderResult, RecorderRing, RecorderStatus
from hil.recording.writer import DEFAULT_MIN_FREE_BYTES

POLL_PERIOD_S: Final = 0.02
START_TIMEOUT_S: Final = 30.0
FINISH_TIMEOUT_S: Final = 30.0
FROZEN_S: Final = 5.0
"""Time without a sign of life after which a recorder is killed, so that its copy takes over [s]."""
KILLED: Final = "was killed"
FROZEN: Final = f"was frozen for {FROZEN_S:g} s and is killed"
MOST_PARTS: Final = 100
"""Files of one run; a recorder that is killed more often is not begun anew."""


class RecorderProcess:
    """The loop's end of a recorder in another process (Linux); the loop pushes into a shared ring.

    Raises:
        RecordingError: if the place cannot be written, has too little space, or the process does
            not answer. Nothing has moved by then.
    """

    def __init__(
        self,
        ring: RecorderRing,
        path: Path,
        header: RunHeader,
        *,
        min_free_bytes: int = DEFAULT_MIN_FREE_BYTES,
    ) -> None:
        self._ring = ring
        self._path = path
        self._result: RecorderResult | None = None
        self._received = bytearray()
        self._parts = 1
        self._all_gone = False
        self._how = KILLED
        self._reports = 0
        self._reported_s = math.inf
        """When it was seen that it had reported; infinite before the first look [s]."""
        from hil.timing.realtime import RealClock  # its other half need not have it

        self._now_s = RealClock().now_s
        order = {
            "fd": ring.fileno(), "parent": os.getpid(), "path": str(path.absolute()),
            "min_free_bytes": min_free_bytes, "header": orjson.Fragment(header.to_json()),
        }  # fmt: skip
        self._process = start_child(
            ("-m", "hil.recording.process"), stdin=PIPE, stdout=PIPE, pass_fds=(ring.fileno(),)
        )
        self._answers = cast("IO[bytes]", self._process.stdout)
        try:
            self._start(orjson.dumps(order))
        except BaseException:
            self._end_process()
            raise

    def _start(self, order: bytes) -> None:
        answer: dict[str, Any] = {}
        self._process.send(order + b"\n", last=True)
        if select.select([self._answers], [], [], START_TIMEOUT_S)[0]:
            answer = orjson.loads(self._answers.readline() or b"{}")
        if "refused" in answer:
            raise RecordingError(answer["refused"])
        os.set_blocking(self._answers.fileno(), False)
        if not answer.get("ready"):
            raise RecordingError(
                f"{self._path}: the recorder process did not get ready within {START_TIMEOUT_S} s "
                f"(exit status {self._process.poll()})"
            )

    @property
    def ring(self) -> RecorderRing:
        """Ring that the loop pushes its frames and events into."""
        return self._ring

    def service(self) -> str:
        """Look whether a recorder lives and note it in the ring; one system call, no waiting."""
        if self._result is not None or self._all_gone:
            return ""
        self._read()
        self._end_if_frozen()
        if self._all_gone:
            self._note_gone()
            return "no recorder is left: the rest of the run is not recorded"
        return self._news()

    def _news(self) -> str:
        """Sentence that another recorder has taken over, once for each; empty if none has."""
        if self._ring.part <= self._parts:
            return ""
        self._parts = self._ring.part
        how, self._how = self._how, KILLED
        return f"the recorder {how}; {part_path(self._path, self._parts).name} goes on"

    def finish(self) -> RecorderResult:
        """Close the ring, let the recorder end the file, and return its result; at most 30 s.

        Call it when the platform is at rest; harmless when repeated.
        """
        if self._result is not None:
            return self._result
        self._ring.close_producer()
        end_s = self._now_s() + FINISH_TIMEOUT_S
        while not self._all_gone and self._now_s() < end_s:  # their pipe ends with the last of them
            select.select([self._answers], [], [], 0.5)
            self._read()
            self._end_if_frozen()
        said = self._said()
        self._end_process()
        if "status" not in said:
            self._note_gone()
            early = f"recorder process ended early ({self._process.returncode})"
            said = {"problem": said.get("refused") or early}
        parts = max(1, self._ring.part)
        self._result = RecorderResult(
            path=self._path,
            status=self._ring.status,
            written_bytes=self._ring.written_bytes,
            dropped=self._ring.dropped,
            lost=self._ring.lost,
            sha256=said.get("sha256") if parts == 1 else None,
            problem=said.get("problem", ""),
            parts=parts,
            news=self._news(),
        )
        return self._result

    def _end_if_frozen(self) -> None:
        """Kill a recorder that has been frozen for `FROZEN_S`; nothing in the ring is lost.

        One that waits for its disk is left alone: its copy would wait for the same one.
        """
        now_s, reports = self._now_s(), self._ring.reports
        if reports != self._reports or self._reported_s == math.inf:
            self._reports, self._reported_s = reports, now_s
        elif now_s - self._reported_s > FROZEN_S and is_stopped(self._ring.recorder_pid):
            self._reported_s, self._how = now_s, FROZEN
            with suppress(ProcessLookupError):
                os.kill(self._ring.recorder_pid, signal.SIGKILL)

    def _read(self) -> None:
        """Take what the recorders say, and note their end."""
        with suppress(BlockingIOError):
            while some := os.read(self._answers.fileno(), 65536):
                self._received += some
            self._all_gone = True

    def _said(self) -> dict[str, Any]:
        """The newest whole line."""
        lines = bytes(self._received).split(b"\n")[:-1]
        with suppress(orjson.JSONDecodeError):
            return orjson.loads(lines[-1]) if lines else {}
        return {}

    def _note_gone(self) -> None:
        # The reader's words of the ring have no other writer any more.
        if self._ring.status not in (RecorderStatus.DONE, RecorderStatus.DEGRADED):
            unread = self._ring.pending
            self._ring.report(RecorderStatus.GONE, self._ring.written_bytes, unread)

    def _end_process(self) -> None:
        os.set_blocking(self._answers.fileno(), False)
        self._read()
        if not self._all_gone and "status" not in self._said():
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)  # a session of its own: all of them
        self._process.wait()
        self._process.close_pipes()


def _say(**answer: Any) -> None:
    # The parent may be gone, and with it the other end of the pipe; the file is what counts.
    with suppress(OSError):
        os.write(1, orjson.dumps(answer) + b"\n")


def _record(recorder: Recorder, parent: int, standby: Standby) -> RecorderResult:
    # Imported here: the real clock belongs to real time, this module's other half need not have it.
    from hil.timing.realtime import RealClock

    clock = RealClock()
    for _ in clock.ticks(POLL_PERIOD_S):
        standby.keep()
        recorder.drain(clock.now_s())
        if recorder.ring.producer_closed or select.select([parent], [], [], 0.0)[0]:
            break  # the parent's descriptor (pidfd) is readable once it has ended
    # It drains what came since.
    return recorder.finish(untold=not recorder.ring.producer_closed)


def _recorder(ring: RecorderRing, order: dict[str, Any], part: int) -> Recorder:
    recorder = Recorder(
        ring,
        part_path(Path(order["path"]), part),
        RunHeader.from_mapping(order["header"]),
        sync=True,
        min_free_bytes=order["min_free_bytes"] if part == 1 else 0,
        part=part,
    )
    ring.report_part(part)
    return recorder


def _run(ring: RecorderRing, order: dict[str, Any], parent: int) -> int:
    """Record, in one part after the other if recorders are killed; exit status."""
    for part in range(1, MOST_PARTS + 1):
        recorder, standby = None, Standby()
        try:
            standby.keep()
            ring.begin_again()
            recorder = _recorder(ring, order, part)
            if part == 1:
                _say(ready=True)
            result = _record(recorder, parent, standby)
        except TakeOverError:
            if recorder is not None:
                recorder.abandon()
            continue
        except RecordingError as error:
            standby.end()
            _say(refused=str(error))
            return 2
        standby.end()
        _say(status=result.status.name, sha256=result.sha256, problem=result.problem)
        return 0 if result.status is RecorderStatus.DONE else 1
    return 1


def main() -> int:
    """Run the recorder's process: its order is a line of JSON on standard input."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    order = orjson.loads(sys.stdin.buffer.readline())
    # A loop pinned to one processor hands its pinning down; the recorder must stay out of its way.
    with suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    try:
        parent = os.pidfd_open(order["parent"])
    except ProcessLookupError:
        return 2
    ring = RecorderRing.attach(order["fd"])
    try:
        return _run(ring, order, parent)
    finally:
        os.close(parent)
        ring.release()


if __name__ == "__main__":
    sys.exit(main())
