"""The one thread that talks to a Modbus gateway, and the hand-over between it and the loop.

The library blocks for as long as it pleases: while connecting, while polling a port, while a device
drips bytes. The loop therefore hands a job over and waits until its own deadline, whatever the
library does. The thread does what it was given, once, and nothing by itself: it repeats no
setpoint and feeds no watchdog while the loop is silent.
"""

import os
import queue
import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Generic, NamedTuple, TypeVar

from drives.modbus.gateway import ModbusGateway

T = TypeVar("T")
Job = Callable[[ModbusGateway], T]


Scheduling = tuple[int, int]
"""Policy and priority of a thread, as sched(7) numbers them."""


def _own_scheduling() -> Scheduling | None:
    """Return this thread's scheduling; None where the system does not report it (Linux only)."""
    if not hasattr(os, "sched_getscheduler"):
        return None
    return os.sched_getscheduler(0), os.sched_getparam(0).sched_priority


def _take_scheduling(scheduling: Scheduling | None) -> None:
    """Schedule this thread like the one that waits for it: a priority is not inherited."""
    if scheduling is not None:
        policy, priority = scheduling
        with suppress(OSError):  # without the permission it works as it is, only later
            os.sched_setscheduler(0, policy, os.sched_param(priority))


class Done(NamedTuple, Generic[T]):
    """Outcome of a job: its value, or the error that it raised."""

    number: int
    value: T | None
    error: Exception | None


class GatewayWorker:
    """Runs jobs on a gateway, one after the other, in a thread of its own.

    Args:
        gateway: What the jobs talk to; nobody else may use it.
    """

    def __init__(self, gateway: ModbusGateway, now_s: Callable[[], float], name: str) -> None:
        self._gateway, self._now_s = gateway, now_s
        self._jobs: queue.SimpleQueue[tuple[int, Job[object]] | None] = queue.SimpleQueue()
        self._results: queue.SimpleQueue[Done[object]] = queue.SimpleQueue()
        self._given = self._finished = 0
        self._scheduling = _own_scheduling()
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)
        self._thread.start()

    def run(self, job: Job[T], timeout_s: float) -> Done[T] | None:
        """Hand a job over and wait for it, no longer than a deadline.

        A job that an earlier call gave up is waited for first; if it does not end, the new one is
        never begun, so that jobs cannot queue up and run late.

        Returns:
            What became of it; None if the deadline passed. Its late end is then thrown away.
        """
        deadline_s = self._now_s() + timeout_s
        if not self._await(self._given, deadline_s):
            return None
        self._given += 1
        self._jobs.put((self._given, job))
        return self._await(self._given, deadline_s)  # type: ignore[return-value]

    def stop(self, timeout_s: float) -> None:
        """End the thread and wait for it, no longer than this [s]; a second call does nothing."""
        self._jobs.put(None)
        self._thread.join(timeout_s)

    def _await(self, number: int, deadline_s: float) -> Done[object] | None:
        """Wait for a job to end, and forget the results of those before it."""
        done: Done[object] | None = Done(number, None, None)
        while self._finished < number:
            try:
                done = self._results.get(timeout=max(0.0, deadline_s - self._now_s()))
            except queue.Empty:
                return None
            self._finished = done.number
        return done

    def _run(self) -> None:
        _take_scheduling(self._scheduling)
        while (given := self._jobs.get()) is not None:
            number, job = given
            try:
                self._results.put(Done(number, job(self._gateway), None))
            except Exception as error:  # every error is the caller's to judge
                self._results.put(Done(number, None, error))
        self._gateway.close()
