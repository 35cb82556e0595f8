"""Runs of a campaign by a cluster of Dask, for campaigns that outgrow one computer.

Each thread of a Dask worker has a worker process of its own (`hil.campaign.worker`), because a run
takes the main thread of its process. Scenario and folder must have the same paths on all computers.

Dask gives a run of a dead worker to another one by itself, a few times; when it gives up, the run
is given again from here, and counted. Each result is fetched as it comes: it stays nowhere else.
"""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread, local
from typing import TYPE_CHECKING, Any, Final

from hil.campaign.executor import given_again
from hil.campaign.job import Job, Result, died
from hil.campaign.worker_process import WorkerProcess
from hil.config.errors import ConfigError

if TYPE_CHECKING:
    from distributed import Client, Future

SILENCE_S: Final = 5.0
"""Time within which a cluster must answer [s]."""
MARGIN_S: Final = 0.5
"""Time that the library may take beside its own time limit [s]."""
_own: Final = local()


class WorkerEndedError(Exception):
    """The worker process of a Dask worker's thread ended in the middle of a run."""


def make_run(line: str) -> str:
    """Make a run in the worker process of this thread: a job's line in, a result's out."""
    worker: WorkerProcess | None = getattr(_own, "worker", None)
    if worker is None:
        worker = _own.worker = WorkerProcess()
    try:
        worker.give(Job.from_json(line))
        while (result := worker.take()) is None:
            pass
    except EOFError as end:
        _own.worker = None
        raise WorkerEndedError(str(end)) from None
    return result.to_json().decode()


class ClusterExecutor:
    """Workers of a cluster.

    Args:
        address: of its scheduler, such as ``tcp://10.0.0.5:8786``.

    Raises:
        ConfigError: if nothing answers there, it has no workers, or Dask is not installed.
    """

    def __init__(self, address: str) -> None:
        self._client = connect(address)
        threads: Any = self._client.nthreads()
        self.workers: int = sum(threads.values())
        """Number of runs at the same time."""
        self._done: SimpleQueue[tuple[Job, Any]] = SimpleQueue()
        self._futures: dict[int, Future] = {}

    def submit(self, job: Job) -> None:
        """Take a job; see `Executor.submit`."""
        future = self._client.submit(make_run, job.to_json().decode(), pure=False, retries=0)
        self._futures[id(job)] = future
        future.add_done_callback(partial(self._note, job))

    def next(self, timeout_s: float) -> Result | None:
        """Return the next result; see `Executor.next`."""
        try:
            job, future = self._done.get(timeout=timeout_s)
        except Empty:
            return None
        self._futures.pop(id(job), None)
        try:
            return Result.from_json(future.result(timeout=SILENCE_S))
        except Exception as error:  # KilledWorker, a lost connection, WorkerEndedError: all deaths
            words = f"{type(error).__name__}: {error}".replace("\n", "; ")[:400]
        if (again := given_again(job)) is None:
            return died(job, words)
        self.submit(again)
        return None

    def close(self) -> None:
        """Cancel all runs and leave the cluster as it was."""
        with suppress(Exception):
            self._client.cancel([*self._futures.values()])
        with suppress(Exception):
            self._client.close(timeout=SILENCE_S)

    def _note(self, job: Job, future: Future) -> None:
        self._done.put((job, future))


def connect(address: str) -> Client:
    """Connect to a cluster that has workers.

    Raises:
        ConfigError: as `ClusterExecutor`.
    """
    try:
        from distributed import Client
    except ImportError:
        line = "a cluster needs Dask, which is not installed (pip install hil-bench[campaign])"
        raise ConfigError("--cluster", [line]) from None
    answers: SimpleQueue[Client | Exception] = SimpleQueue()

    def open_client() -> None:
        try:
            answers.put(Client(address, timeout=SILENCE_S, set_as_default=False))
        except Exception as error:  # whatever it is, the caller reports it
            answers.put(error)

    # A thread: the library waits without an end for a peer that takes the connection and is silent.
    Thread(target=open_client, daemon=True).start()
    try:
        client = answers.get(timeout=SILENCE_S + MARGIN_S)
    except Empty:
        client = TimeoutError()
    if isinstance(client, Exception):
        is_silent = isinstance(client, OSError)
        why = f"no answer within {SILENCE_S:g} s" if is_silent else str(client)
        line = f"{address}: {why}; start a scheduler there (dask scheduler), or leave it out"
        raise ConfigError("--cluster", [line]) from None
    try:
        client.wait_for_workers(1, timeout=SILENCE_S)
    except TimeoutError:
        client.close(timeout=SILENCE_S)
        line = (
            f"{address}: has no workers after {SILENCE_S:g} s; start some (dask worker {address})"
        )
        raise ConfigError("--cluster", [line]) from None
    return client
