"""Control's end of a gate in another process, with the interface of a `GatedBank`.

Each call of `RemoteGate.cycle` writes the slot at once and waits for the gate's next cycle to be
over, so that what was asked, allowed and measured in one cycle of the gate stand in one record, and
control has nearly a whole period for its next setpoint. Nothing here repeats anything by itself.
"""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import drives.bank
from drives.bank import BankReport, DriveError, DriveSetupError, LinkLostError
from hil.clock import Tick
from hil.gate.order import GATE_PRIORITY, GateOrder
from hil.gate.server import HOLD_ALONE_S
from hil.gate.slot import CommandSlot, Order
from hil.gate.spec import BankSpec
from hil.gate.status import (
    LOST_KIND,
    STATUS_KIND,
    STATUS_SLOT_BYTES,
    STATUS_SLOTS,
    Status,
    decode,
)
from hil.gated_bank import Exchange
from hil.realtime_setup import RealtimeItem, RealtimePolicy
from hil.recording.ring import Ring
from safety.limits import GateLimits
from safety.modes import Mode, Request
from safety.verdict import Setpoint

START_TIMEOUT_S: Final = 60.0
"""How long the gate's process may take until its drives are configured."""
SILENCE_TIMEOUT_S: Final = 0.5
"""How long the gate may be silent before control calls the link lost."""
END_TIMEOUT_S: Final = 20.0
"""How long a stop, power-off and the end of the process may take."""
_SINGLE_THREADED: Final = {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
_KINDS: Final[dict[str, type[DriveError]]] = {
    name: kind
    for name, kind in vars(drives.bank).items()
    if isinstance(kind, type) and issubclass(kind, DriveError)
}


class RemoteGate:
    """Six drives behind a gate that lives in a process of its own (Linux).

    Args:
        spec: the drives.
        limits: of the gate.
        now_s: monotonic time [s]; must be the system's, which both processes share.
        black_box: where the gate writes what happened without control; None for nowhere.
        policy: what the gate's process asks of the system for real time.
        hold_alone_s: how long the gate holds the platform when control is gone [s].
        silence_timeout_s: how long the gate may be silent [s].
    """

    def __init__(
        self,
        spec: BankSpec,
        limits: GateLimits,
        now_s: Callable[[], float],
        *,
        black_box: Path | None = None,
        policy: RealtimePolicy | None = None,
        hold_alone_s: float = HOLD_ALONE_S,
        silence_timeout_s: float = SILENCE_TIMEOUT_S,
    ) -> None:
        self._spec = spec
        self._limits = limits
        self._now_s = now_s
        self._black_box = "" if black_box is None else str(black_box.absolute())
        self._policy = policy or RealtimePolicy(priority=GATE_PRIORITY)
        self._hold_alone_s = hold_alone_s
        self._timeout_s = silence_timeout_s
        self._slot: CommandSlot | None = None
        self._ring: Ring | None = None
        self._socket: socket.socket | None = None
        self._process: subprocess.Popen[bytes] | None = None
        self._last: Status | None = None
        self._missed = 0
        self.waited_s = 0.0
        """Part of the last cycle that was spent waiting for the gate [s]."""
        self.setup: tuple[RealtimeItem, ...] = ()
        """What the system granted to the gate's process."""
        self.clock = GateClock(self)
        """Hands the loop the ticks of the gate."""

    @property
    def mode(self) -> Mode:
        """The bench's mode, as the gate last told it."""
        return Mode.OFF if self._last is None else self._last.verdict.mode

    @property
    def last(self) -> Status | None:
        """The newest status of the gate."""
        return self._last

    @property
    def overruns(self) -> int:
        """Cycles that control was not there for, and deadlines the gate gave up."""
        return self._missed + (0 if self._last is None else self._last.overruns)

    @property
    def pid(self) -> int:
        """Number of the gate's process.

        Raises:
            LinkLostError: if there is none.
        """
        if self._process is None:
            raise LinkLostError(f"{self._spec.url}: the gate's process is not running")
        return self._process.pid

    def now_s(self) -> float:
        """Monotonic time [s]."""
        return self._now_s()

    def open(self) -> BankReport:
        """Start the gate's process, which configures its drives.

        Raises:
            DriveError: what the gate's process met: a drive is absent, reads back something else,
                the link cannot be opened; or the process did not get ready.
        """
        if self._process is not None:
            raise drives.bank.DriveSequenceError("open() comes once, before anything else")
        ours, theirs = socket.socketpair()
        self._socket = ours
        self._slot = CommandSlot.shared()
        self._ring = Ring.shared(STATUS_SLOTS, STATUS_SLOT_BYTES)
        order = GateOrder(
            spec=self._spec,
            limits=self._limits,
            slot_fd=self._slot.fileno(),
            ring_fd=self._ring.fileno(),
            socket_fd=theirs.fileno(),
            hold_alone_s=self._hold_alone_s,
            black_box=self._black_box,
            policy=self._policy,
        )
        try:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "hil.gate.process"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                bufsize=0,
                pass_fds=(order.slot_fd, order.ring_fd, order.socket_fd),
                start_new_session=True,
                env=os.environ | _SINGLE_THREADED,
            )
            theirs.close()  # the gate's copy is the only one: its death ends the connection
            return self._hear(self._ask(self._process, order.to_line()))
        except BaseException:
            theirs.close()
            self._let_go(kill=True)
            raise

    @staticmethod
    def _ask(process: subprocess.Popen[bytes], line: bytes) -> dict[str, Any]:
        """Send the order and return the answer; an empty one if there was none."""
        stdin, stdout = process.stdin, process.stdout
        if stdin is None or stdout is None:
            return {}
        with suppress(BrokenPipeError):  # it died at once: its missing answer says so
            rest = memoryview(line)
            while rest:
                rest = rest[stdin.write(rest) :]
        with suppress(BrokenPipeError):
            stdin.close()
        process.stdin = None
        if not select.select([stdout], [], [], START_TIMEOUT_S)[0]:
            return {}
        return json.loads(stdout.readline() or b"{}")

    def _hear(self, answer: dict[str, Any]) -> BankReport:
        url = self._spec.url
        if "refused" in answer:
            raise _KINDS.get(answer.get("kind", ""), DriveSetupError)(answer["refused"])
        if not answer.get("ready"):
            raise DriveSetupError(
                f"{url}: the gate's process did not get ready within {START_TIMEOUT_S:g} s"
            )
        if answer["limits_sha256"] != self._limits.digest():
            raise DriveSetupError(f"{url}: the gate's process has other limits than were ordered")
        self.setup = tuple(RealtimeItem(*item) for item in answer["setup"])
        axes = tuple(answer["axes"])
        return BankReport(answer["name"], answer["url"], answer["simulated"], axes)

    def cycle(
        self,
        tick: Tick,
        asked: Setpoint | None,
        requests: tuple[Request, ...] = (),
        *,
        reset: bool = False,
    ) -> Exchange:
        """One cycle: the slot is written at once; the gate's next cycle is waited for.

        Args:
            tick: from `clock`; its index is the cycle of the gate that this is meant for.
            asked: six leg setpoints numbered by the tick's index, or None.
            requests: what operator and control ask of the modes.
            reset: the operator's reset button.

        Returns:
            The newest cycle of the gate, with those before it that were not returned yet.

        Raises:
            LinkLostError: if the gate is silent, has ended, or has lost its drives.
        """
        slot, began_s = self._slot, self._now_s()
        if slot is None:
            raise LinkLostError(f"{self._spec.url}: the gate's process is not running")
        slot.write(Order(tick.index, began_s, asked, requests, reset))
        statuses = self._wait_for(tick.index)
        self.waited_s = self._now_s() - began_s
        self._last = newest = statuses[-1]
        # All cycles after the one this was meant for went without control.
        self._missed += newest.tick.index - tick.index
        earlier = tuple(_exchange(status) for status in statuses[:-1])
        return _exchange(newest, earlier)

    def _wait_for(self, index: int) -> list[Status]:
        """Return the statuses that came, when the one of this cycle or a later one is there."""
        found: list[Status] = []
        deadline_s = self._now_s() + self._timeout_s
        while True:
            lost = self._read_ring(found)
            if found and found[-1].tick.index >= index:
                return found
            if lost:
                raise LinkLostError(f"the gate has lost its drives: {lost}; {self._heard(found)}")
            left_s = deadline_s - self._now_s()
            if left_s <= 0.0:
                raise LinkLostError(
                    f"the gate's process is silent for {self._timeout_s:g} s; {self._heard(found)}"
                )
            if not self._wait(left_s):
                # It may have written between our look and its end.
                lost = self._read_ring(found) or "its process has ended"
                raise LinkLostError(f"the gate is gone: {lost}; {self._heard(found)}")

    def _read_ring(self, found: list[Status]) -> str:
        lost = ""
        if self._ring is not None:
            for kind, payload in self._ring.pop_all():
                if kind == STATUS_KIND:
                    found.append(decode(payload))
                elif kind == LOST_KIND:
                    lost = payload.decode(errors="replace")
        return lost

    def _wait(self, timeout_s: float) -> bool:
        """Sleep until the gate calls or the time is over; False if the connection has ended."""
        connection = self._socket
        if connection is None:
            return False
        if not select.select([connection], [], [], timeout_s)[0]:
            return True
        try:
            return connection.recv(4096) != b""
        except OSError:
            return False

    def _heard(self, found: list[Status]) -> str:
        last = found[-1] if found else self._last
        if last is None:
            return "it was never heard"
        verdict = last.verdict
        return (
            f"last heard: cycle {last.tick.index}, mode {verdict.mode.name}, "
            f"drives {verdict.drives.name} ({self._spec.url})"
        )

    def close(self) -> None:
        """Ask the gate to stop, take the power off and end; a second call does nothing.

        It waits for the gate's process, at most `END_TIMEOUT_S` beyond what a stop takes.
        """
        process, slot = self._process, self._slot
        if process is None or slot is None:
            return
        if process.poll() is None:
            slot.write(Order(0, self._now_s(), None, leave=True))
            deadline_s = self._now_s() + END_TIMEOUT_S
            while process.poll() is None and self._now_s() < deadline_s:
                found: list[Status] = []
                self._read_ring(found)
                if found:
                    self._last = found[-1]
                if not self._wait(0.05):
                    break
            with suppress(subprocess.TimeoutExpired):
                process.wait(END_TIMEOUT_S)
        self._let_go(kill=True)

    def _let_go(self, *, kill: bool) -> None:
        process = self._process
        if process is not None:
            if kill and process.poll() is None:
                process.kill()  # it hangs: the drives' own watchdogs stop them
                process.wait()
            for pipe in (process.stdin, process.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
        if self._socket is not None:
            self._socket.close()
        if self._slot is not None:
            self._slot.release()
        if self._ring is not None:
            self._ring.release()
        self._slot = self._ring = self._socket = self._process = None


class GateClock:
    """The clock of a loop whose gate is elsewhere: its ticks are the gate's next cycles.

    It does not sleep; `RemoteGate.cycle` does the waiting. What a tick tells of time is what the
    gate measured last; the measured tick of the cycle itself is in the `Exchange`.

    Args:
        gate: the gate.
    """

    def __init__(self, gate: RemoteGate) -> None:
        self._gate = gate

    @property
    def overruns(self) -> int:
        """Cycles that control missed, and deadlines that the gate gave up."""
        return self._gate.overruns

    def now_s(self) -> float:
        """Monotonic time [s]."""
        return self._gate.now_s()

    def ticks(self, period_s: float) -> Iterator[Tick]:
        """Yield the gate's next cycle, whenever asked.

        Args:
            period_s: cycle time [s].
        """
        while True:
            last = self._gate.last
            if last is None:
                yield Tick(0, 0.0, period_s, 0.0)
            else:
                index = last.tick.index + 1
                yield Tick(index, index * period_s, last.tick.dt_s, last.tick.late_s)


def _exchange(status: Status, earlier: tuple[Exchange, ...] = ()) -> Exchange:
    return Exchange(status.verdict, status.feedback, status.tick, earlier)
