"""The recorder as a process of its own, for real time: the loop never waits for a disk.

The loop's process makes a shared `Ring` and a `RecorderProcess`; the other side of it is
`python -m hil.recording.process`, which is told by one line of JSON on its standard input what to
record and answers by lines of JSON on its standard output: ready or refused, and the result. It
sits in a session of its own and ignores the terminal's signals, because it must outlive the loop's
last frame. It ends when the loop has closed the ring, or when its parent is gone.
"""

from __future__ import annotations

import os
import select
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import orjson

from hil.child_process import PIPE, ChildTimeout, start_child
from hil.recording.header import RecordingError, RunHeader
from hil.recording.mcap_file import DEFAULT_MIN_FREE_BYTES
from hil.recording.recorder import Recorder, RecorderResult
from hil.recording.ring import RecorderStatus, Ring

POLL_PERIOD_S: Final = 0.02
START_TIMEOUT_S: Final = 30.0
FINISH_TIMEOUT_S: Final = 30.0


class RecorderProcess:
    """The loop's end of a recorder in another process (Linux).

    Args:
        ring: made by `Ring.shared`; the loop pushes into it.
        path: the new file.
        header: facts of the run.
        min_free_bytes: least free space to begin with.

    Raises:
        RecordingError: if the place cannot be written, has too little room, or the process does
            not answer. Nothing has moved by then.
    """

    def __init__(
        self,
        ring: Ring,
        path: Path,
        header: RunHeader,
        *,
        min_free_bytes: int = DEFAULT_MIN_FREE_BYTES,
    ) -> None:
        self._ring = ring
        self._path = path
        self._result: RecorderResult | None = None
        order = {
            "fd": ring.fileno(),
            "parent": os.getpid(),
            "path": str(path.absolute()),
            "min_free_bytes": min_free_bytes,
            "header": orjson.Fragment(header.to_json()),
        }
        self._process = start_child(
            ("-m", "hil.recording.process"),
            stdin=PIPE,
            stdout=PIPE,
            pass_fds=(ring.fileno(),),
        )
        try:
            self._start(orjson.dumps(order))
        except BaseException:
            self._end_process()
            raise

    def _start(self, order: bytes) -> None:
        answer: dict[str, Any] = {}
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            raise RecordingError("the recorder process has no pipes")
        with suppress(BrokenPipeError):  # it died at once: its missing answer says so below
            rest = memoryview(order + b"\n")
            while rest:  # unbuffered: a signal may cut a long write short
                rest = rest[stdin.write(rest) :]
        with suppress(BrokenPipeError):
            stdin.close()
        self._process.stdin = None
        if select.select([stdout], [], [], START_TIMEOUT_S)[0]:
            answer = orjson.loads(stdout.readline() or b"{}")
        if "refused" in answer:
            raise RecordingError(answer["refused"])
        if not answer.get("ready"):
            raise RecordingError(
                f"{self._path}: the recorder process did not get ready within {START_TIMEOUT_S} s "
                f"(exit status {self._process.poll()})"
            )

    @property
    def ring(self) -> Ring:
        """Where the loop pushes its frames and events."""
        return self._ring

    @property
    def pid(self) -> int:
        """Number of the recorder's process."""
        return self._process.pid

    def service(self) -> None:
        """Look whether the recorder lives and note it in the ring; one system call, no waiting."""
        if self._result is None and self._process.poll() is not None:
            self._note_gone()

    def finish(self) -> RecorderResult:
        """Close the ring, let the recorder end the file, and tell how it went.

        It waits at most `FINISH_TIMEOUT_S`; call it when the platform is at rest. Harmless when
        repeated.
        """
        if self._result is not None:
            return self._result
        self._ring.close_producer()
        raw: dict[str, Any] = {}
        try:
            lines = self._process.communicate(timeout=FINISH_TIMEOUT_S)[0].splitlines()
            raw = orjson.loads(lines[-1]) if lines else {}
        except (ChildTimeout, orjson.JSONDecodeError):
            raw = {}
        finally:
            self._end_process()
        if "status" not in raw:
            self._note_gone()
            raw = {"problem": f"recorder process ended early ({self._process.returncode})"}
        self._result = RecorderResult(
            path=self._path,
            status=self._ring.status,
            written_bytes=self._ring.written_bytes,
            dropped=self._ring.dropped,
            lost=self._ring.lost,
            sha256=raw.get("sha256"),
            problem=raw.get("problem", ""),
        )
        return self._result

    def _note_gone(self) -> None:
        # The reader's words of the ring have no other writer any more.
        if self._ring.status not in (RecorderStatus.DONE, RecorderStatus.DEGRADED):
            unread = self._ring.pending
            self._ring.report(RecorderStatus.GONE, self._ring.written_bytes, unread)

    def _end_process(self) -> None:
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        for pipe in (self._process.stdin, self._process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        self._process.stdin = None


def _say(**answer: Any) -> None:
    # The parent may be gone, and with it the other end of the pipe; the file is what counts.
    with suppress(OSError):
        os.write(1, orjson.dumps(answer) + b"\n")


def _record(recorder: Recorder, parent: int) -> RecorderResult:
    # Imported here: the real clock belongs to real time, this module's other half need not have it.
    from hil.realtime import RealClock

    clock = RealClock()
    for _ in clock.ticks(POLL_PERIOD_S):
        recorder.drain(clock.now_s())
        if recorder.ring.producer_closed or os.getppid() != parent:
            break
    return recorder.finish()  # which drains what came since


def main() -> int:
    """Run the recorder's process; its order comes as one line of JSON on standard input.

    Returns:
        Exit status: 0 done, 1 degraded, 2 refused.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    order = orjson.loads(sys.stdin.buffer.readline())
    # A loop pinned to one processor hands its pinning down; the recorder must stay out of its way.
    with suppress(OSError):
        os.sched_setaffinity(0, range(os.cpu_count() or 1))
    ring = Ring.attach(order["fd"])
    try:
        recorder = Recorder(
            ring,
            Path(order["path"]),
            RunHeader.from_mapping(order["header"]),
            sync=True,
            min_free_bytes=order["min_free_bytes"],
        )
    except RecordingError as error:
        _say(refused=str(error))
        ring.release()
        return 2
    _say(ready=True)
    result = _record(recorder, order["parent"])
    _say(status=result.status.name, sha256=result.sha256, problem=result.problem)
    ring.release()
    return 0 if result.status is RecorderStatus.DONE else 1


if __name__ == "__main__":
    sys.exit(main())
