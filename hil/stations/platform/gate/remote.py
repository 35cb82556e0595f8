"""Control's end of a gate in another process, with the interface of a `GatedBank`.

Each call of `RemoteGate.cycle` writes the slot at once and waits for the gate's next cycle to be
over, so that asked, allowed and measured values of one cycle of the gate are in one record, and
control has nearly a whole period for its next setpoint. Nothing here repeats anything by itself.
"""

from __future__ import annotations

import json
import os
import select
import socket
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, Final

from drives.bank import BankEnd, BankReport, DriveSequenceError, LinkLostError, Touch
from drives.waits import Waits
from hil.ipc.ring import Ring
from hil.stations.platform.cycle.gated_bank import NEVER_S, Exchange
from hil.stations.platform.gate.child import GATE_PROGRAM, GateChild
from hil.stations.platform.gate.command_slot import CommandSlot, Order
from hil.stations.platform.gate.control_state import open_own_record
from hil.stations.platform.gate.gate_clock import GateClock
from hil.stations.platform.gate.order import GATE_PRIORITY, GateOrder
from hil.stations.platform.gate.server import HOLD_ALONE_S
from hil.stations.platform.gate.spec import BankSpec
from hil.stations.platform.gate.status import (
    END_KIND,
    LOST_KIND,
    STATUS_KIND,
    STATUS_SLOT_BYTES,
    STATUS_SLOTS,
    TOUCH_KIND,
    WAITS_KIND,
    Status,
    decode,
    waits_from_json,
)
from hil.timing.clock import Tick
from hil.timing.realtime_setup import RealtimeItem, RealtimePolicy
from safety.limits import GateLimits
from safety.modes import Mode, Request
from safety.verdict import Setpoint

UNTOLD: Final = "legs 1 to 6: the gate's process ended before it told how it left them"
"""Statement about drives that nobody has seen off."""
SILENCE_TIMEOUT_S: Final = 0.5
"""Longest silence of the gate before control calls the link lost [s]."""
END_TIMEOUT_S: Final = 20.0
"""Longest time of a stop, power-off and the end of the process [s]."""
END_TIMEOUT_LOST_S: Final = 3.0
"""Longest time of the same for a gate that was silent before [s]."""


class RemoteGate:
    """Six drives behind a gate in another process (Linux).

    Args:
        now_s: monotonic time [s]; must be the system's, which both processes share.
        black_box: path for the gate's record of events without control; None for none.
        place_file: path for its record of where the legs were left; None for none.
        hold_alone_s: time for which the gate holds the platform when control is gone [s].
        led: whether a person leads the run from a panel.
        silence_timeout_s: longest silence of the gate [s].
        program: arguments of the interpreter that runs the gate; another one only in tests.
        report: takes a line about anything longer than 2 s until the drives are configured.
    """

    def __init__(
        self,
        spec: BankSpec,
        limits: GateLimits,
        now_s: Callable[[], float],
        *,
        black_box: Path | None = None,
        place_file: Path | None = None,
        policy: RealtimePolicy | None = None,
        hold_alone_s: float = HOLD_ALONE_S,
        led: bool = False,
        silence_timeout_s: float = SILENCE_TIMEOUT_S,
        program: tuple[str, ...] = GATE_PROGRAM,
        report: Callable[[str], None] | None = None,
    ) -> None:
        self._spec = spec
        self._limits = limits
        self._now_s = now_s
        self._black_box = "" if black_box is None else str(black_box.absolute())
        self._place_file = "" if place_file is None else str(place_file.absolute())
        self._policy = policy or RealtimePolicy(priority=GATE_PRIORITY)
        self._hold_alone_s = hold_alone_s
        self._led = led
        self._timeout_s = silence_timeout_s
        self._slot: CommandSlot | None = None
        self._ring: Ring | None = None
        self._socket: socket.socket | None = None
        self._child: GateChild | None = None
        self._program = program
        self._report = report
        self._waits: Waits = ()
        self._lost = False
        self._lost_why = ""
        self._end = BankEnd()
        self._end_known = False
        self._last: Status | None = None
        self._missed = 0
        self.waited_s = 0.0
        """Part of the last cycle that was spent waiting for the gate [s]."""
        self.setup: tuple[RealtimeItem, ...] = ()
        """Settings for real time that the system granted to the gate's process."""
        self.clock = GateClock(self)
        """Clock with the ticks of the gate, for the loop."""

    @property
    def mode(self) -> Mode:
        """Last reported mode of the bench."""
        return Mode.OFF if self._last is None else self._last.verdict.mode

    @property
    def last(self) -> Status | None:
        """Newest status of the gate."""
        return self._last

    @property
    def last_tick(self) -> Tick | None:
        """Newest cycle of the gate that control knows of."""
        return None if self._last is None else self._last.tick

    @property
    def overruns(self) -> int:
        """Number of cycles that control missed, and deadlines that the gate gave up."""
        return self._missed + (0 if self._last is None else self._last.overruns)

    @property
    def pid(self) -> int:
        """Identifier of the gate's process.

        Raises:
            LinkLostError: if there is none.
        """
        if self._child is None:
            raise LinkLostError(f"{self._spec.url}: the gate's process is not running")
        return self._child.pid

    def now_s(self) -> float:
        """Monotonic time [s]."""
        return self._now_s()

    def open(self) -> BankReport:
        """Start the gate's process, which configures its drives.

        Raises:
            DriveError: with the error of the gate's process: a drive is absent, reads back
                something else, the link cannot be opened; or the process did not get ready.
        """
        if self._child is not None:
            raise DriveSequenceError("open() comes once, before anything else")
        ours, theirs = socket.socketpair()
        self._socket = ours
        record_fd = open_own_record()
        try:
            self._slot = CommandSlot.shared()
            self._ring = Ring.shared(STATUS_SLOTS, STATUS_SLOT_BYTES)
            order = GateOrder(
                spec=self._spec,
                limits=self._limits,
                slot_fd=self._slot.fileno(),
                ring_fd=self._ring.fileno(),
                socket_fd=theirs.fileno(),
                hold_alone_s=self._hold_alone_s,
                led=self._led,
                black_box=self._black_box,
                place_file=self._place_file,
                policy=self._policy,
                record_fd=record_fd,
            )
            self._child = GateChild(order, self._program)
            theirs.close()  # the gate's copy is the only one: its death ends the connection
            report = self._child.start(self._now_s, self._report)
        except BaseException:
            theirs.close()
            self._let_go()
            raise
        finally:
            if record_fd >= 0:
                os.close(record_fd)
        self.setup = self._child.setup
        return report

    def cycle(
        self,
        tick: Tick,
        asked: Setpoint | None,
        requests: tuple[Request, ...] = (),
        *,
        reset: bool = False,
        act_s: float = NEVER_S,
    ) -> Exchange:
        """Exchange one cycle: write the slot at once, and wait for the gate's next cycle.

        Args:
            tick: tick of `clock`; its index is the cycle of the gate that this is meant for.
            asked: six leg setpoints numbered by the tick's index, or None.
            act_s: time of a person's last press for something to begin, monotonic [s].

        Returns:
            The newest cycle of the gate, with those before it that were not returned yet.

        Raises:
            LinkLostError: if the gate is silent, has ended, or has lost its drives.
        """
        slot, began_s = self._slot, self._now_s()
        if slot is None:
            raise LinkLostError(f"{self._spec.url}: the gate's process is not running")
        slot.write(Order(tick.index, began_s, asked, requests, reset, act_s=act_s))
        statuses = self._wait_for(tick.index)
        self.waited_s = self._now_s() - began_s
        self._last = newest = statuses[-1]
        # All cycles after the one this was meant for went without control.
        self._missed += newest.tick.index - tick.index
        earlier = tuple(_exchange(status) for status in statuses[:-1])
        if self._waits:
            newest = replace(newest, feedback=newest.feedback._replace(waits=self._waits))
        return _exchange(newest, earlier)

    def _wait_for(self, index: int) -> list[Status]:
        """Return the statuses that came, when the one of this cycle or a later one is there."""
        found: list[Status] = []
        deadline_s = self._now_s() + self._timeout_s
        connected = True
        while True:
            self._lost_why = self._read_ring(found) or self._lost_why
            if found and found[-1].tick.index >= index:
                return found
            if self._lost_why:
                raise self._link_lost(f"the gate has lost its drives: {self._lost_why}", found)
            if not connected:
                raise self._link_lost("the gate is gone: its process has ended", found)
            left_s = deadline_s - self._now_s()
            if left_s <= 0.0:
                raise self._link_lost(f"the gate is silent for {self._timeout_s:g} s", found)
            # It may have written between the last read and its end, so one more read follows.
            connected = self._wait(left_s)

    def _link_lost(self, why: str, found: list[Status]) -> LinkLostError:
        self._lost = True
        if found:
            self._last = found[-1]
        where = "" if self._spec.url in why else f" ({self._spec.url})"
        return LinkLostError(f"{why}; {self._last_received()}{where}")

    def _read_ring(self, found: list[Status]) -> str:
        lost = ""
        if self._ring is not None:
            for kind, payload in self._ring.pop_all():
                if kind == STATUS_KIND:
                    found.append(decode(payload))
                elif kind == LOST_KIND:
                    lost = payload.decode(errors="replace")
                elif kind == END_KIND:
                    self._end = replace(_end_of(json.loads(payload)), touched=self._end.touched)
                    self._end_known = True
                elif kind == TOUCH_KIND:
                    touched = (*self._end.touched, _touch_of(json.loads(payload)))
                    self._end = replace(self._end, touched=touched)
                elif kind == WAITS_KIND:
                    self._waits = waits_from_json(json.loads(payload))
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

    def _last_received(self) -> str:
        if self._last is None:
            return "it was never heard"
        tick, verdict = self._last.tick, self._last.verdict
        return (
            f"last heard: cycle {tick.index}, mode {verdict.mode.name}, "
            f"drives {verdict.drives.name}"
        )

    def close(self) -> BankEnd:
        """Ask the gate to stop, take the power off and end; a second call does nothing.

        It waits for the gate's process, at most `END_TIMEOUT_S` beyond what a stop takes.

        Returns:
            How the drives were left; with an empty tally, and no drive proved to be off, if the
            gate did not live to report it.
        """
        child, slot = self._child, self._slot
        if child is None or slot is None:
            return self._end
        if child.running:
            slot.write(Order(0, self._now_s(), None, leave=True))
            patience_s = END_TIMEOUT_LOST_S if self._lost else END_TIMEOUT_S
            child.end(patience_s, self._follow_the_end)
        self._follow_the_end(0.0)  # what it told between our last look and its end
        if not self._end_known:
            self._end = replace(self._end, powered=(UNTOLD,))
        self._let_go()
        return self._end

    def _follow_the_end(self, timeout_s: float) -> bool:
        """Read the reports of the leaving gate, so that `mode` is its last one."""
        goes_on = self._wait(timeout_s)
        found: list[Status] = []
        self._lost_why = self._read_ring(found) or self._lost_why
        if found:
            self._last = found[-1]
        return goes_on

    def _let_go(self) -> None:
        if self._child is not None:
            self._child.kill()
        if self._socket is not None:
            self._socket.close()
        if self._slot is not None:
            self._slot.release()
        if self._ring is not None:
            self._ring.release()
        self._child = self._slot = self._ring = self._socket = None


def _end_of(end: Mapping[str, Any]) -> BankEnd:
    return BankEnd(
        end["tally"], tuple(end["left_m"]), tuple(end["cut_us"]), tuple(end.get("powered", ()))
    )


def _touch_of(document: Sequence[Any]) -> Touch:
    between, start_s, step_s, forces_n = document
    return between, start_s, step_s, tuple(forces_n)


def _exchange(status: Status, earlier: tuple[Exchange, ...] = ()) -> Exchange:
    return Exchange(status.verdict, status.feedback, status.tick, earlier, status.sent_s)
