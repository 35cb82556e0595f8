"""A worker as its parent sees it: a process that is given one job at a time."""

from __future__ import annotations

import os
import tempfile
from typing import IO, Final

from hil.campaign.job import Job, Result
from hil.campaign.worker import READY
from hil.ipc.child import PIPE, SINGLE_THREADED, start_child

MODULE: Final = "hil.campaign.worker"
CHUNK: Final = 1 << 16
LAST_WORDS: Final = 400
"""Characters of a dead worker's last words at most."""


class WorkerProcess:
    """A worker."""

    def __init__(self) -> None:
        self._errors: IO[bytes] = tempfile.TemporaryFile()  # noqa: SIM115  # as long as the process
        self._process = start_child(
            ["-m", MODULE], stdin=PIPE, stdout=PIPE, stderr=self._errors,
            environment=SINGLE_THREADED,
        )  # fmt: skip
        self._before = b""
        self.is_ready: bool = False
        """Whether it has begun to take jobs."""
        self.job: Job | None = None
        """Job that it works at; None if it waits for one."""

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    def fileno(self) -> int:
        """Descriptor that is readable when there is a result, or when the worker has ended."""
        if self._process.stdout is None:
            raise RuntimeError("a worker was started without its output")
        return self._process.stdout.fileno()

    def give(self, job: Job) -> None:
        """Give it a job; it must wait for one."""
        self.job = job
        self._process.send(job.to_json() + b"\n")

    def take(self) -> Result | None:
        """Take what it has written so far; None if no result is whole yet.

        Raises:
            EOFError: if it has ended; the text is its last words.
        """
        data = os.read(self.fileno(), CHUNK)
        if not data:
            raise EOFError(self._last_words())
        *lines, self._before = (self._before + data).split(b"\n")
        result = None
        for line in lines:
            if line + b"\n" == READY:
                self.is_ready = True
            else:
                result, self.job = Result.from_json(line), None
        return result

    def end(self) -> None:
        """Kill it, in the middle of a run as well; may be repeated."""
        self._process.kill()
        self._process.end()
        self._errors.close()

    def _last_words(self) -> str:
        """How it ended, with the last line of what it printed."""
        status = self._process.end(1.0)
        self._errors.seek(0)
        lines = self._errors.read()[-10_000:].decode("utf-8", "replace").split("\n")
        last = next((line.strip() for line in reversed(lines) if line.strip()), "")
        how = f"signal {-status}" if status < 0 else f"exit status {status}"
        return f"{how}: {last[-LAST_WORDS:]}" if last else how
