"""The process that proves, `python -m hil.desk.prover`, and the desk's end of it.

They share a socket pair: a packet of JSON each way, one question at a time, in order. It begins
when it is first needed, works at a lower priority than the bench, and ends with the desk.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from typing import Final

from hil.desk.parts import Case

Verdict = Callable[[Case, str, bytes], None]
"""Takes a case, what is wrong with it (empty if nothing), and a motion's table as JSON."""

PROVER_PROGRAM: Final = ("-m", "hil.desk.prover")
NICENESS: Final = 5
QUEUE_MAX: Final = 32
ANSWER_MAX_BYTES: Final = 128 * 1024
_SINGLE_THREADED: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}


class ProverChild:
    """The desk's end; nothing here waits.

    Args:
        header_fd: memory file with the run's header, for the process to read the plan from.
        verdict: takes the answers; called by `ask` and `readable`.
        program: arguments of the interpreter; another program only in tests.
    """

    def __init__(
        self, header_fd: int, verdict: Verdict, program: tuple[str, ...] = PROVER_PROGRAM
    ) -> None:
        self._header_fd, self._verdict, self._program = header_fd, verdict, program
        self._process: subprocess.Popen[bytes] | None = None
        self._wire: socket.socket | None = None
        self._waiting: deque[Case] = deque()
        self._asked: Case | None = None

    @property
    def wire(self) -> socket.socket | None:
        """What becomes readable with an answer; None while there is no process."""
        return self._wire

    def start(self) -> None:
        """Begin the process if there is none, so that it is ready when it is needed.

        Raises:
            OSError: if the system refuses it.
        """
        if self._wire is not None:
            return
        near, far = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with far:
            try:
                near.setblocking(False)
                self._process = subprocess.Popen(  # noqa: S603 our own interpreter and module
                    [sys.executable, *self._program, str(far.fileno()), str(self._header_fd)],
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.DEVNULL,
                    pass_fds=(far.fileno(), self._header_fd),
                    env=os.environ | _SINGLE_THREADED,
                )
            except BaseException:
                near.close()
                raise
        self._wire = near

    def ask(self, case: Case) -> None:
        """Put a case; a target that still waits gives way to a newer one of the same client."""
        if case.table is None:
            for older in [c for c in self._waiting if c.table is None and c.client == case.client]:
                self._waiting.remove(older)
                self._verdict(older, "target: a newer one has taken its place", b"")
        if len(self._waiting) >= QUEUE_MAX:
            self._verdict(case, f"{QUEUE_MAX} questions wait to be proved; ask again later", b"")
            return
        self._waiting.append(case)
        self._next()

    def _next(self) -> None:
        if self._asked is not None or not self._waiting:
            return
        case = self._asked = self._waiting.popleft()
        try:
            self.start()
            if self._wire is not None:
                # The library's own JSON: it has a form for every number that a client can send.
                self._wire.send(json.dumps({"pose": case.pose, "table": case.table}).encode())
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
        case = self._asked
        if not packet or case is None:
            self._lost()
            return
        self._asked = None
        answer = json.loads(packet)
        error = answer["error"].encode("utf-8", "replace").decode("utf-8")
        self._verdict(case, error, answer["motion"].encode("utf-8"))
        self._next()

    def _lost(self) -> None:
        """The process is gone; what it was asked is not proved, the next question begins anew."""
        case, self._asked = self._asked, None
        status = self.close()
        if case is not None:
            self._verdict(case, f"the proof was not finished (exit status {status})", b"")
        self._next()

    def close(self) -> int | None:
        """End the process; harmless when repeated.

        Returns:
            Its exit status; None if there was none.
        """
        process, self._process = self._process, None
        if self._wire is not None:
            self._wire.close()
            self._wire = None
        if process is None:
            return None
        with suppress(subprocess.TimeoutExpired):
            # One that has ended by itself keeps its status; another one is not waited for.
            process.wait(0.01)
        process.kill()
        return process.wait()


def _prove(wire: socket.socket, header_fd: int) -> None:
    """Answer questions until the desk is gone."""
    # Imported here: the desk's half of this module stays light.
    from hil.desk.proof import Proof
    from hil.scenario import Plan

    size = os.fstat(header_fd).st_size
    header = json.loads(os.pread(header_fd, size, 0))
    proof = Proof(Plan.build(header["scenario"], "header"))
    while question := wire.recv(ANSWER_MAX_BYTES):
        asked = json.loads(question)
        motion = b""
        try:
            if asked["pose"] is not None:
                error = proof.target(tuple(asked["pose"]))
            else:
                error, motion = proof.motion(asked["table"])
        except Exception as problem:  # whatever it met, it is no proof
            error = f"the proof failed: {type(problem).__name__}: {problem}"[:1000]
        wire.send(json.dumps({"error": error, "motion": motion.decode("utf-8")}).encode())


def main() -> int:
    """Run the prover's process.

    Returns:
        Exit status: 0 when the desk is gone.
    """
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with suppress(OSError):
        os.nice(NICENESS)
    with socket.socket(fileno=int(sys.argv[1])) as wire, suppress(ConnectionError):
        _prove(wire, int(sys.argv[2]))
    return 0


if __name__ == "__main__":
    sys.exit(main())
