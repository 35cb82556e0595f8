"""Gate's process as a child of control: its start, its answers, and its end."""

from __future__ import annotations

import json
import select
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import drives.bank
from drives.bank import BankReport, DriveError, DriveSetupError
from drives.waits import Wait
from hil.config.build import check_build
from hil.config.installation import InstallationError, check_files, code_digest, foreign_code
from hil.config.libraries import check_libraries
from hil.ipc.child import PIPE, SINGLE_THREADED, ChildTimeout, start_child
from hil.stations.platform.cycle.waits import WaitFollower
from hil.stations.platform.gate.order import GateOrder
from hil.stations.platform.gate.status import waits_from_json
from hil.timing.realtime_setup import RealtimeItem

GATE_PROGRAM: Final = ("-m", "hil.stations.platform.gate.process")
START_TIMEOUT_S: Final = 60.0
"""Longest silence of the gate's process while it configures its drives [s]."""
LEAVE_S: Final = 3.0
"""Longest time in which a gate that refuses its drives signs them off and ends [s]: their
watchdogs may be armed by then, and would leave a fault in each."""
LOOK_S: Final = 0.2
"""Period of the poll for reports meanwhile [s]."""
_STARTING: Final = (Wait(0, "the gate's process", "starting", "its first word"),)
_KINDS: Final[dict[str, type[DriveError]]] = {
    name: kind
    for name, kind in vars(drives.bank).items()
    if isinstance(kind, type) and issubclass(kind, DriveError)
}


class GateChild:
    """Gate in a separate process.

    Args:
        program: arguments of the interpreter; another program only in tests.
    """

    def __init__(self, order: GateOrder, program: tuple[str, ...] = GATE_PROGRAM) -> None:
        self._order = order
        self._process = start_child(
            program,
            stdin=PIPE,
            stdout=PIPE,
            pass_fds=order.descriptors,
            environment=SINGLE_THREADED,
        )
        self.code_sha256 = ""
        """Digest of the code that it runs, which is that of this installation."""
        self.setup: tuple[RealtimeItem, ...] = ()
        """Settings for real time that the system granted it."""

    @property
    def pid(self) -> int:
        """Process identifier."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def start(
        self, now_s: Callable[[], float], report: Callable[[str], None] | None = None
    ) -> BankReport:
        """Send the order; return when the drives are configured.

        Args:
            report: takes a line about anything that lasts longer than 2 s.

        Raises:
            DriveError: with the error of the process, or if it did not get ready.
        """
        order, url = self._order, self._order.spec.url
        try:
            check_files()
            check_build()
            check_libraries()
        except InstallationError as error:
            raise DriveSetupError(f"{url}: {error}") from None
        self._process.send(order.to_line(), last=True)
        answer = self._answer(now_s, report)
        if "refused" in answer:
            with suppress(ChildTimeout):
                self._process.wait(LEAVE_S)
            raise _KINDS.get(answer.get("kind", ""), DriveSetupError)(answer["refused"])
        if not answer.get("ready"):
            raise DriveSetupError(
                f"{url}: the gate's process did not get ready within {START_TIMEOUT_S:g} s "
                f"(exit status {self._process.poll()})"
            )
        if foreign := foreign_code(answer.get("home"), answer.get("code")):
            raise DriveSetupError(f"{url}: the gate's process is not ours: {foreign}")
        if answer["limits_sha256"] != order.limits.digest():
            raise DriveSetupError(f"{url}: the gate's process has other limits than were ordered")
        self.code_sha256 = code_digest(answer["code"])
        self.setup = tuple(RealtimeItem(*item) for item in answer["setup"])
        axes = tuple(answer["axes"])
        who, notes = tuple(answer["identities"]), tuple(answer["notes"])
        return BankReport(
            answer["name"],
            answer["url"],
            answer["simulated"],
            axes,
            who,
            notes,
            scale_proved=tuple(answer["scale_proved"]),
            counts=tuple(answer["counts"]),
            first_motion=answer["first_motion"],
        )

    def _answer(
        self, now_s: Callable[[], float], report: Callable[[str], None] | None
    ) -> dict[str, Any]:
        """Return the answer to the order, an empty one if there was none; report what it waits for.

        A line with `waiting` in it is not one: it reports what the setup of the drives waits for.
        """
        stdout, waits, follower = self._process.stdout, _STARTING, WaitFollower()
        received_s = now_s()
        while stdout is not None and now_s() - received_s < START_TIMEOUT_S:
            if select.select([stdout], [], [], LOOK_S)[0]:
                answer: dict[str, Any] = json.loads(stdout.readline() or b"{}")
                if "waiting" not in answer:
                    return answer
                waits, received_s = waits_from_json(answer["waiting"]), now_s()
            line = follower.step(now_s(), waits)
            if line and report is not None:
                report(line)
        return {}

    def end(self, patience_s: float, wait: Callable[[float], bool]) -> None:
        """Wait for its end; kill it if that does not come: the drives' watchdogs stop them then.

        Args:
            wait: waits for a message of it, at most so long [s]; False when there will be none.
        """
        process, step_s = self._process, 0.05
        for _ in range(max(1, round(patience_s / step_s))):
            if process.poll() is not None or not wait(step_s):
                break
        with suppress(ChildTimeout):
            process.wait(patience_s)
        self.kill()

    def kill(self) -> None:
        """Kill it if it still runs; harmless when repeated."""
        self._process.end()
