"""A worker: a process that makes one run after the other for its parent.

    python -m hil.campaign.worker

It reads a job a line from its standard input and writes a line for each result. It compiles or
loads the kernels of the station once, before its first run. When its input ends, which the death of
its parent brings about too, it ends at once, in the middle of a run as well.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from queue import SimpleQueue
from threading import Thread
from typing import IO

READY = b"ready\n"
"""Line that a worker writes first."""


def main() -> None:
    """Serve jobs until the standard input ends."""
    jobs, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)  # what a library prints is no result
    waiting: SimpleQueue[bytes] = SimpleQueue()
    Thread(target=_read, args=(jobs, waiting), daemon=True).start()
    try:
        _serve(waiting, answers)
    except BrokenPipeError:
        os._exit(0)


def _read(jobs: IO[bytes], waiting: SimpleQueue[bytes]) -> None:
    for line in jobs:
        waiting.put(line)
    os._exit(0)  # the parent is gone, and nobody would take the result


def _serve(waiting: SimpleQueue[bytes], answers: IO[bytes]) -> None:
    from hil.campaign.execution import execute, station_of
    from hil.campaign.job import Job
    from hil.config.errors import ConfigError
    from hil.timing.stop import StopSignals

    answers.write(READY)
    is_warm = False
    while True:
        job = Job.from_json(waiting.get())
        if not is_warm:
            with suppress(ConfigError):  # the run itself says so
                station_of(Path(job.scenario)).warm(True)
            is_warm = True
        with StopSignals() as signals:
            result = execute(job)
        if signals.asked is not None:
            os._exit(1)  # a run that somebody stopped is no result
        answers.write(result.to_json() + b"\n")


if __name__ == "__main__":
    main()
