"""The run's end of the process that makes plans during a run.

They share a socket pair: a packet each way (`hil.stations.simulator.chain.plan_wire`). Nothing
here waits once the process is ready: a request for which the queue has no space is dropped, and
counts as late where its plan should have taken over. If it is killed, a copy of it continues, a few
times; then the player of its plans learns that there is none any more.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
from contextlib import suppress
from types import TracebackType
from typing import Final, Self

from hil.ipc.child import DEVNULL, SINGLE_THREADED, ChildProcess, start_child
from hil.stations.simulator.chain.plan_wire import (
    PACKET_MAX_BYTES,
    READY,
    PlannerSetup,
    answer_from_bytes,
    renewal_from_bytes,
    request_to_bytes,
    setup_to_bytes,
)
from platform6dof.cueing.planner import PlanAnswer, PlanRequest

PROGRAM: Final = "hil.stations.simulator.chain.planning_program"
START_TIMEOUT_S: Final = 120.0
"""Longest start of the process [s]: for imports, and for compiling where that was never done."""


class PlanningError(Exception):
    """The planner cannot be started; the text says why. Nothing has moved by then."""


class PlanningProcess:
    """A planner in a process of its own, as a context; a `Planning` for the filter.

    Args:
        setup: what to plan for.

    Raises (on entering):
        PlanningError: if the process does not get ready.
    """

    def __init__(self, setup: PlannerSetup) -> None:
        self._setup = setup
        self._wire: socket.socket | None = None
        self._process: ChildProcess | None = None
        self.pid: int = 0
        """Number of the process that makes the plans; 0 where there is none."""
        self.renewals: int = 0
        """Processes that were killed so far, and replaced by a copy."""
        self.refused: int = 0
        """Requests for which the queue had no space, because older ones still waited."""

    def __enter__(self) -> Self:
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._wire = near
        try:
            with far:
                self._process = process = start_child(
                    ("-m", PROGRAM, str(far.fileno())),
                    stdout=DEVNULL,
                    pass_fds=(far.fileno(),),
                    environment=SINGLE_THREADED,
                )
            self.pid = process.pid
            near.settimeout(START_TIMEOUT_S)
            near.send(setup_to_bytes(self._setup))
            said = near.recv(PACKET_MAX_BYTES)
        except OSError as error:
            said = f"{type(error).__name__}: {error}".encode()
        except BaseException:
            self.close()
            raise
        if said != READY:
            self.close()
            problem = said.decode("utf-8", "replace") or "its process ended"
            raise PlanningError(f"the planner of the cueing did not get ready: {problem}")
        near.setblocking(False)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def alive(self) -> bool:
        """Whether its process was there when it was last spoken to."""
        return self._wire is not None

    def ask(self, request: PlanRequest) -> None:
        """Have a plan made; waits for nothing, and raises nothing if there is no process."""
        if self._wire is None:
            return
        try:
            self._wire.send(request_to_bytes(request))
        except BlockingIOError:
            self.refused += 1
        except OSError:
            self._lost()

    def answer(self) -> PlanAnswer | None:
        """Return the newest answer that came since; None if none did. Waits for nothing."""
        newest: bytes | None = None
        while self._wire is not None:
            try:
                packet = self._wire.recv(PACKET_MAX_BYTES)
            except BlockingIOError:
                break
            except OSError:
                packet = b""
            if not packet:
                self._lost()
                break
            if (renewal := renewal_from_bytes(packet)) is None:
                newest = packet
            else:
                self.renewals, self.pid = renewal
        if newest is None:
            return None
        try:
            return answer_from_bytes(newest)
        except (ValueError, struct.error):  # not what our program sends; the old plan continues
            self._lost()
            return None

    def _lost(self) -> None:
        """Note that the process is gone, or sends nonsense; `close` ends it."""
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    def close(self) -> None:
        """End the process and its copy; harmless when repeated."""
        self._lost()
        process, self._process = self._process, None
        self.pid = 0
        if process is None:
            return
        if process.returncode is None:  # else its number may be that of somebody else by now
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)  # a session of its own: all of them
        process.end()
