"""Runs of a campaign by processes of this computer.

A worker that ends, killed or by a fault of native code, takes nothing with it: its run is given
again, and another worker takes its place.
"""

from __future__ import annotations

from collections import deque
from selectors import EVENT_READ, DefaultSelector
from typing import Final

from hil.campaign.executor import given_again
from hil.campaign.job import Job, Result, died
from hil.campaign.worker_process import WorkerProcess
from hil.config.errors import RefusedError

STARTS_MAX: Final = 4
"""Workers in succession that may end before they take a job."""


class LocalExecutor:
    """Workers of this computer, started when there are jobs for them.

    Args:
        workers: greatest number of processes.
    """

    def __init__(self, workers: int) -> None:
        self.workers: int = workers
        """Number of runs at the same time."""
        self._jobs: deque[Job] = deque()
        self._processes: list[WorkerProcess] = []
        self._selector = DefaultSelector()
        self._failed_starts = 0
        self._results: deque[Result] = deque()

    def submit(self, job: Job) -> None:
        """Take a job, and give it to a worker if one is free."""
        self._jobs.append(job)
        self._give()

    def next(self, timeout_s: float) -> Result | None:
        """Return the next result; see `Executor.next`."""
        if self._results:
            return self._results.popleft()
        for key, _ in self._selector.select(timeout_s):
            worker = key.fileobj
            if isinstance(worker, WorkerProcess):
                self._read(worker)
        self._give()
        return self._results.popleft() if self._results else None

    def close(self) -> None:
        """Kill all workers."""
        for worker in self._processes:
            worker.end()
        self._processes.clear()
        self._jobs.clear()
        self._selector.close()

    def _give(self) -> None:
        while self._jobs:
            free = next((one for one in self._processes if one.job is None), None)
            if free is None and len(self._processes) >= self.workers:
                return
            if free is None:
                free = WorkerProcess()
                self._processes.append(free)
                self._selector.register(free, EVENT_READ)
            free.give(self._jobs.popleft())

    def _read(self, worker: WorkerProcess) -> None:
        try:
            result = worker.take()
        except EOFError as end:
            self._replace(worker, str(end))
            return
        self._failed_starts = 0
        if result is not None:
            self._results.append(result)

    def _replace(self, worker: WorkerProcess, words: str) -> None:
        self._selector.unregister(worker)
        self._processes.remove(worker)
        self._failed_starts += not worker.is_ready
        job = worker.job
        worker.end()
        if self._failed_starts >= STARTS_MAX:
            raise RefusedError(f"{self._failed_starts} workers ended as they started: {words}")
        if job is None:
            return
        if (again := given_again(job)) is not None:
            self._jobs.appendleft(again)
        else:
            self._results.append(died(job, words))
