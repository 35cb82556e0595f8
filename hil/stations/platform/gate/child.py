"""The gate's process as control starts it, hears it out, and sees it end."""

from __future__ import annotations

import json
import select
from collections.abc import Callable
from contextlib import suppress
from typing import Any, Final

import drives.bank
from drives.bank import BankReport, DriveError, DriveSetupError
from drives.waits import Wait
from hil.config.installation import InstallationError, check_files, code_digest, foreign_code
from hil.config.libraries import check_libraries
from hil.ipc.child import PIPE, SINGLE_THREADED, ChildTimeout, start_child
from hil.stations.platform.gate.order import GateOrder
from hil.stations.platform.gate.status import waits_from_json
from hil.stations.platform.waits import WaitFollower
from hil.timing.realtime_setup import RealtimeItem

GATE_PROGRAM: Final = ("-m", "hil.stations.platform.gate.process")
START_TIMEOUT_S: Final = 60.0
"""How long the gate's process may say nothing while it configures its drives."""
LEAVE_S: Final = 3.0
"""How long a gate that refuses its drives may take to sign them off and to end [s]: their watchdogs
may be armed by then, and would leave a fault in each."""
LOOK_S: Final = 0.2
"""How often it is looked for something that is to be told meanwhile [s]."""
_STARTING: Final = (Wait(0, "the gate's process", "starting", "its first word"),)
_KINDS: Final[dict[str, type[DriveError]]] = {
    name: kind
    for name, kind in vars(drives.bank).items()
    if isinstance(kind, type) and issubclass(kind, DriveError)
}


class GateChild:
    """A gate in a process of its own.

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
        """What the system granted it."""

    @property
    def pid(self) -> int:
        """Number of the process."""
        return self._process.pid

    @property
    def running(self) -> bool:
        """Whether it has not ended yet."""
        return self._process.poll() is None

    def start(
        self, now_s: Callable[[], float], report: Callable[[str], None] | None = None
    ) -> BankReport:
        """Give the order; return when the drives are configured.

        Args:
            tell: told in a line what lasts longer than 2 s.

        Raises:
            DriveError: what the process met, or that it did not get ready.
        """
        order, url = self._order, self._order.spec.url
        try:
            check_files()
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
        """Return the answer to the order, an empty one if there was none; tell what it waits for.

        A line with `waiting` in it is none: it tells what the set-up of the drives waits for.
        """
        stdout, waits, follower = self._process.stdout, _STARTING, WaitFollower()
        heard_s = now_s()
        while stdout is not None and now_s() - heard_s < START_TIMEOUT_S:
            if select.select([stdout], [], [], LOOK_S)[0]:
                answer: dict[str, Any] = json.loads(stdout.readline() or b"{}")
                if "waiting" not in answer:
                    return answer
                waits, heard_s = waits_from_json(answer["waiting"]), now_s()
            line = follower.step(now_s(), waits)
            if line and report is not None:
                report(line)
        return {}

    def end(self, patience_s: float, wait: Callable[[float], bool]) -> None:
        """Wait for its end; kill it if that does not come: the drives' watchdogs stop them then.

        Args:
            wait: waits for a word of it, at most so long [s]; False when there will be none.
        """
        process, step_s = self._process, 0.05
        for _ in range(max(1, round(patience_s / step_s))):
            if process.poll() is not None or not wait(step_s):
                break
        with suppress(ChildTimeout):
            process.wait(patience_s)
        self.kill()

    def kill(self) -> None:
        """End it at once if it still runs; harmless when repeated."""
        self._process.end()
