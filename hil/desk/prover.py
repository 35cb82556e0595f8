"""The process that proves what an operator asks for, and the desk's end of it.

They share a socket pair: a packet of JSON each way. Poses and motions have a lane each, in which
one question is asked at a time: a motion takes seconds to prove, and a pose must not wait for it.
The process begins when the first client is let in, works at a lower priority than the bench, and
ends with the desk. What is proved, and how, is the station's: its program calls `serve`.
"""

from __future__ import annotations

import json
import os
import queue
import shutil
import signal
import socket
import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import Any, Final, NoReturn, Protocol

from hil.desk.order import Six
from hil.desk.parts import PendingRequest
from hil.ipc.child import (
    DEVNULL,
    SINGLE_THREADED,
    ChildProcess,
    start_child,
)
from hil.ipc.work_folder import WorkFolder

Verdict = Callable[[PendingRequest, str, bytes], None]
"""Takes a case, what is wrong with it (empty if nothing), and a motion's table as JSON."""

NICENESS: Final = 5
QUEUE_MAX: Final = 32
ANSWER_MAX_BYTES: Final = 128 * 1024
_POSE, _TABLE = "pose", "table"


class RequestJudge(Protocol):
    """A station's judge of what an operator asks for."""

    def target(self, pose: Six) -> str:
        """Return the problem of a pose to rest at; empty if there is none."""
        ...

    def motion(self, table: Mapping[str, Any]) -> tuple[str, bytes]:
        """Return the problem of a motion, empty if there is none; and its table in full as JSON."""
        ...


class ProverChild:
    """The desk's end; nothing here waits.

    Args:
        header_fd: memory file with the run's header, for the process to read the plan from.
        verdict: takes the answers; called by `ask` and `readable`.
        program: arguments of the interpreter for the station's program.
    """

    def __init__(self, header_fd: int, verdict: Verdict, program: tuple[str, ...]) -> None:
        self._header_fd, self._verdict, self._program = header_fd, verdict, program
        self._process: ChildProcess | None = None
        self._wire: socket.socket | None = None
        self._work: WorkFolder | None = None
        self._waiting: dict[str, deque[PendingRequest]] = {_POSE: deque(), _TABLE: deque()}
        self._asked: dict[str, PendingRequest] = {}

    @property
    def wire(self) -> socket.socket | None:
        """Socket that becomes readable with an answer; None while there is no process."""
        return self._wire

    def start(self) -> None:
        """Begin the process if there is none, so that it is ready when it is needed.

        Raises:
            OSError: if the system refuses it.
        """
        if self._wire is not None:
            return
        # Proofs leave files while they run. Who is left, desk or prover, removes the folder.
        self._work = WorkFolder("hil-prover-")
        folder = str(self._work.path)
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far:
            try:
                near.setblocking(False)
                self._process = start_child(
                    (*self._program, str(far.fileno()), str(self._header_fd), folder),
                    stdout=DEVNULL,
                    pass_fds=(far.fileno(), self._header_fd),
                    own_session=False,
                    environment={**SINGLE_THREADED, "TMPDIR": folder},
                )
            except BaseException:
                near.close()
                raise
        self._wire = near

    def ask(self, case: PendingRequest) -> None:
        """Put a case; a target that still waits gives way to a newer one of the same client."""
        lane = _lane(case)
        waiting = self._waiting[lane]
        if lane == _POSE:
            for older in [other for other in waiting if other.client == case.client]:
                waiting.remove(older)
                self._verdict(older, "target: a newer one has taken its place", b"")
        if len(waiting) >= QUEUE_MAX:
            self._verdict(case, f"{QUEUE_MAX} questions wait to be proved; ask again later", b"")
            return
        waiting.append(case)
        self._next(lane)

    def _next(self, lane: str) -> None:
        if lane in self._asked or not self._waiting[lane]:
            return
        case = self._asked[lane] = self._waiting[lane].popleft()
        try:
            self.start()
            if self._wire is not None:
                # The library's own JSON: it has a form for every number that a client can send.
                self._wire.send(json.dumps({_POSE: case.pose, _TABLE: case.table}).encode())
        except (OSError, ValueError):
            self._lost()

    def readable(self) -> None:
        """Take the answer that has come, or notice that the process is gone."""
        if self._wire is None:
            return
        try:
            packet = self._wire.recv(ANSWER_MAX_BYTES)
        except BlockingIOError:
            return
        except OSError:
            packet = b""
        if not packet:
            self._lost()
            return
        answer = json.loads(packet)
        case = self._asked.pop(answer["lane"])
        error = answer["error"].encode("utf-8", "replace").decode("utf-8")
        self._verdict(case, error, answer["motion"].encode("utf-8"))
        self._next(answer["lane"])

    def _lost(self) -> None:
        """The process is gone; what it was asked is not proved, the next question begins anew."""
        asked, self._asked = self._asked, {}
        status = self.close()
        for case in asked.values():
            self._verdict(case, f"the proof was not finished (exit status {status})", b"")
        for lane in self._waiting:
            self._next(lane)

    def close(self) -> int | None:
        """End the process; harmless when repeated.

        Returns:
            Its exit status; None if there was none.
        """
        process, self._process = self._process, None
        if self._wire is not None:
            self._wire.close()
            self._wire = None
        status = None
        if process is not None:
            status = process.end(0.01)  # one that has ended by itself keeps its status
        if self._work is not None:
            self._work.remove()
            self._work = None
        return status


def _lane(case: PendingRequest) -> str:
    return _TABLE if case.table is not None else _POSE


def _prove(wire: socket.socket, proof: RequestJudge) -> None:
    """Answer questions until the desk is gone."""
    tables: queue.SimpleQueue[Any] = queue.SimpleQueue()

    def prove_tables() -> None:
        while True:
            _answer(wire, _TABLE, proof.motion, tables.get())

    threading.Thread(target=prove_tables, daemon=True).start()
    while question := wire.recv(ANSWER_MAX_BYTES):
        asked = json.loads(question)
        if asked[_TABLE] is not None:
            tables.put(asked[_TABLE])
        else:
            _answer(wire, _POSE, lambda pose: (proof.target(tuple(pose)), b""), asked[_POSE])


def _answer(
    wire: socket.socket, lane: str, prove: Callable[[Any], tuple[str, bytes]], what: Any
) -> None:
    """Prove one thing and send the verdict; one packet, so threads do not mix theirs."""
    try:
        error, motion = prove(what)
    except Exception as problem:  # whatever it met, it is no proof
        error, motion = f"the proof failed: {type(problem).__name__}: {problem}"[:1000], b""
    answer = {"lane": lane, "error": error, "motion": motion.decode("utf-8")}
    with suppress(ConnectionError):  # the desk is gone; the reader of the wire sees it too
        wire.send(json.dumps(answer).encode())


def serve(proof_of: Callable[[Mapping[str, Any]], RequestJudge]) -> NoReturn:
    """Be the prover's process until the desk is gone.

    Args:
        proof_of: makes the judge from the run's header.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(NICENESS)
    wire, header_fd, folder = socket.socket(fileno=int(sys.argv[1])), int(sys.argv[2]), sys.argv[3]
    with suppress(ConnectionError):
        header = json.loads(os.pread(header_fd, os.fstat(header_fd).st_size, 0))
        _prove(wire, proof_of(header))
    shutil.rmtree(folder, ignore_errors=True)
    os._exit(0)  # a proof that is under way in its thread is of no use any more
