"""The gate's process as control starts it, hears it out, and sees it end."""

from __future__ import annotations

import json
import os
import select
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import drives.bank
from drives.bank import BankReport, DriveError, DriveSetupError
from hil.gate.order import GateOrder
from hil.realtime_setup import RealtimeItem

GATE_PROGRAM: Final = ("-m", "hil.gate.process")
START_TIMEOUT_S: Final = 60.0
"""How long the gate's process may take until its drives are configured."""
_SINGLE_THREADED: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_KINDS: Final[dict[str, type[DriveError]]] = {
    name: kind
    for name, kind in vars(drives.bank).items()
    if isinstance(kind, type) and issubclass(kind, DriveError)
}


class GateChild:
    """A gate in a process of its own.

    Args:
        order: what it shall guard; its descriptors are handed down.
        program: arguments of the interpreter; another program only in tests.
    """

    def __init__(self, order: GateOrder, program: tuple[str, ...] = GATE_PROGRAM) -> None:
        self._order = order
        self._process = subprocess.Popen(  # noqa: S603 our own interpreter, our own module
            [sys.executable, *program],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            bufsize=0,
            pass_fds=order.descriptors,
            start_new_session=True,
            env=os.environ | _SINGLE_THREADED,
        )
        self.setup: tuple[RealtimeItem, ...] = ()
        """What the system granted it."""

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def start(self) -> BankReport:
        """Give the order; return when the drives are configured.

        Raises:
            DriveError: what the process met, or that it did not get ready.
        """
        order, answer = self._order, self._ask(self._order.to_line())
        url = order.spec.url
        if "refused" in answer:
            raise _KINDS.get(answer.get("kind", ""), DriveSetupError)(answer["refused"])
        if not answer.get("ready"):
            raise DriveSetupError(
                f"{url}: the gate's process did not get ready within {START_TIMEOUT_S:g} s "
                f"(exit status {self._process.poll()})"
            )
        if answer["limits_sha256"] != order.limits.digest():
            raise DriveSetupError(f"{url}: the gate's process has other limits than were ordered")
        self.setup = tuple(RealtimeItem(*item) for item in answer["setup"])
        axes = tuple(answer["axes"])
        who = tuple(answer["identities"])
        return BankReport(answer["name"], answer["url"], answer["simulated"], axes, who)

    def _ask(self, line: bytes) -> dict[str, Any]:
        """Send the order and return the answer; an empty one if there was none."""
        stdin, stdout = self._process.stdin, self._process.stdout
        if stdin is None or stdout is None:
            return {}
        with suppress(BrokenPipeError):  # it died at once: its missing answer says so
            rest = memoryview(line)
            while rest:  # unbuffered: a signal may cut a long write short
                rest = rest[stdin.write(rest) :]
        with suppress(BrokenPipeError):
            stdin.close()
        self._process.stdin = None
        if not select.select([stdout], [], [], START_TIMEOUT_S)[0]:
            return {}
        return json.loads(stdout.readline() or b"{}")

    def end(self, patience_s: float, wait: Callable[[float], bool]) -> None:
        """Wait for its end; kill it if that does not come: the drives' watchdogs stop them then.

        Args:
            patience_s: how long it may take [s].
            wait: waits for a word of it, at most so long [s]; False when there will be none.
        """
        process, step_s = self._process, 0.05
        for _ in range(max(1, round(patience_s / step_s))):
            if process.poll() is not None or not wait(step_s):
                break
        with suppress(subprocess.TimeoutExpired):
            process.wait(patience_s)
        self.kill()

    def kill(self) -> None:
        """End it at once if it still runs; harmless when repeated."""
        process = self._process
        if process.poll() is None:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
