"""The process that makes plans while a run is under way, and the run's end of it.

They share a socket pair: a packet each way (`hil.stations.simulator.plan_wire`). Nothing here waits
once the process is ready: a request that finds no room is let go, and counts as late where its plan
should have taken over. The process works at a lower priority than the bench and ends with it; if it
dies, whoever plays its plans is told so, and no other is begun.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import sys
from contextlib import suppress
from types import TracebackType
from typing import Final, NoReturn, Self

from hil.ipc.child import DEVNULL, SINGLE_THREADED, ChildProcess, start_child
from hil.stations.simulator.plan_wire import (
    PACKET_MAX_BYTES,
    READY,
    PlannerSetup,
    answer_from_bytes,
    answer_to_bytes,
    request_from_bytes,
    request_to_bytes,
    setup_from_bytes,
    setup_to_bytes,
)
from platform6dof.cueing.planner import Outcome, PlanAnswer, Planner, PlanRequest

PROGRAM: Final = "hil.stations.simulator.planning"
START_TIMEOUT_S: Final = 120.0
"""For imports, and for compiling where that was never done."""
END_TIMEOUT_S: Final = 0.5
NICENESS: Final = 5


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
        self.refused: int = 0
        """Requests that found no room, because older ones still waited."""

    def __enter__(self) -> Self:
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        self._wire = near
        try:
            with far:
                self._process = start_child(
                    ("-m", PROGRAM, str(far.fileno())),
                    stdout=DEVNULL,
                    pass_fds=(far.fileno(),),
                    own_session=False,
                    environment=SINGLE_THREADED,
                )
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
            told = said.decode("utf-8", "replace") or "its process ended"
            raise PlanningError(f"the planner of the cueing did not get ready: {told}")
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

    @property
    def pid(self) -> int:
        """Of its process; 0 where there is none."""
        return self._process.pid if self._process is not None else 0

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
        """The newest answer that came since; None if none did. Waits for nothing."""
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
            newest = packet
        if newest is None:
            return None
        try:
            return answer_from_bytes(newest)
        except (ValueError, struct.error):  # not what our program sends; the old plan goes on
            self._lost()
            return None

    def _lost(self) -> None:
        """It is gone, or makes no sense: the end of the wire ends it, `close` sees to that."""
        if self._wire is not None:
            self._wire.close()
            self._wire = None

    def close(self) -> None:
        """End the process; harmless when repeated."""
        self._lost()
        process, self._process = self._process, None
        if process is not None:
            process.end(END_TIMEOUT_S)


def newest_request(wire: socket.socket) -> PlanRequest | None:
    """Wait for a request, and take the newest of those that wait; None once the run is gone."""
    packet = wire.recv(PACKET_MAX_BYTES)
    while packet:
        try:
            packet = wire.recv(PACKET_MAX_BYTES, socket.MSG_DONTWAIT) or b""
        except BlockingIOError:
            return request_from_bytes(packet)
    return None


def _serve(wire: socket.socket, planner: Planner) -> None:
    """Make plans until the run is gone."""
    while (request := newest_request(wire)) is not None:
        try:
            answer = planner.plan(request)
        except ValueError:  # whatever it met, it is no plan; the old one goes on
            answer = PlanAnswer(request.serial, Outcome.UNSOLVED, None)
        wire.send(answer_to_bytes(answer))


def main() -> NoReturn:
    """Be the planner's process until the run is gone."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(NICENESS)
    wire = socket.socket(fileno=int(sys.argv[1]))
    with suppress(ConnectionError):
        try:
            planner = setup_from_bytes(wire.recv(PACKET_MAX_BYTES)).planner()
            planner.warm()
        except ValueError as error:
            wire.send(str(error).encode())
            sys.exit(1)
        wire.send(READY)
        _serve(wire, planner)
    sys.exit(0)


if __name__ == "__main__":
    main()
