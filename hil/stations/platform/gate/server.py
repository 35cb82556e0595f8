"""Gate's side of the slot: one cycle of the gate, and its behaviour when control is gone.

It reads no clock but the one it is given, sends nothing but through its gated bank, and sends once
per cycle that was run: when calls of `GateServer.cycle` cease, so do the setpoints, the SYNC and
the heartbeat alike, and the drives' own watchdogs see it.

When control is gone, silent or asks to leave, the gate is alone: it requests a controlled stop by
itself, holds for a while, takes the power off and ends.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from enum import Enum
from typing import Final

from drives.bank import BankFeedback
from drives.waits import Waits
from hil.ipc.ring import Ring
from hil.stations.platform.cycle.gated_bank import NEVER_S, GatedBank
from hil.stations.platform.gate.black_box import BlackBox
from hil.stations.platform.gate.command_slot import CommandSlot, Order
from hil.stations.platform.gate.control_state import ControlState
from hil.stations.platform.gate.status import STATUS_KIND, WAITS_KIND, StatusEncoder, waits_to_json
from hil.timing.clock import Tick
from safety.limits import GateLimits
from safety.modes import FOLLOWING_MODES, Mode, Request
from safety.verdict import SEQUENCE_MODULUS, Action, DriveRequest, Setpoint, Verdict

CONTROL_SILENCE_S: Final = 0.2
"""Silence of control that means a stop even without setpoints due: homing, planning, hold [s]."""
HOLD_ALONE_S: Final = 2.0
"""Time for which the gate holds the platform alone before it takes the power off [s]."""
ALONE_MAX_S: Final = 15.0
"""Longest time of stop, hold and power-off before the bus is left all the same [s]."""

WAITS_EVERY_S: Final = 0.5
"""Shortest time between two reports to control on what the drives wait for [s]."""

_CAUTIOUS: Final = frozenset({Request.HOLD, Request.SHUT_DOWN})
"""Requests that are obeyed at any age."""
_MOVING_MODES: Final = FOLLOWING_MODES | {Mode.CSTOP, Mode.HOMING, Mode.QSTOP}


class Alone(Enum):
    """Reason why the gate is alone."""

    GONE = "gone"
    SILENT = "silent"
    LEAVING = "leaving"
    """Control asked to leave; the only reason by request."""


class GateServer:
    """Server that runs a gated bank by the orders of a slot.

    Args:
        slot: source of control's orders.
        now_s: monotonic time [s], the same that stamps the orders.
        wake: signals control that a status is there; returns whether control still exists.
        hold_alone_s: time for which the platform is held before the power goes [s].
        silence_s: silence of control that counts as a stop [s].
        black_box: takes events, for the file that is written at rest.
        poll_control: returns the state of control's process; called in cycles without an order.
    """

    def __init__(
        self,
        gated: GatedBank,
        slot: CommandSlot,
        ring: Ring,
        limits: GateLimits,
        now_s: Callable[[], float],
        wake: Callable[[], bool],
        *,
        hold_alone_s: float = HOLD_ALONE_S,
        silence_s: float = CONTROL_SILENCE_S,
        black_box: BlackBox | None = None,
        poll_control: Callable[[], ControlState] = lambda: ControlState.UNKNOWN,
    ) -> None:
        period_s = limits.period_s
        self._gated = gated
        self._slot = slot
        self._ring = ring
        self._now_s = now_s
        self._wake = wake
        self._poll_control = poll_control
        self._black_box = black_box or BlackBox(period_s)
        self._encoder = StatusEncoder()
        self._late_cycles = int(limits.late_cycles_max)
        self._silence_cycles = max(1, round(silence_s / period_s))
        self._hold_cycles = round(hold_alone_s / period_s)
        self._alone_cycles_max = self._hold_cycles + round(ALONE_MAX_S / period_s)
        self._silent = 0
        self._alone: Alone | None = None
        self._alone_cycles = 0
        self._rested = 0
        self._waits: Waits = ()
        self._waits_every = max(1, round(WAITS_EVERY_S / period_s))
        self._waits_due = 0
        self._mode = gated.mode
        self.ended = False
        """Whether nothing is left to do: the power is off, or could not be taken off in time."""
        self.unheard = 0
        """Number of setpoints that came in another cycle than theirs."""

    @property
    def alone(self) -> Alone | None:
        """Reason why the gate continues without control; None while it does not."""
        return self._alone

    def cycle(self, tick: Tick, overruns: int = 0) -> Verdict:
        """Run one cycle: the slot's order, the gate, the drives, the status.

        Args:
            overruns: deadlines given up so far.

        Raises:
            DriveError: if the bus is gone.
        """
        order = self._slot.take()
        self._watch_control(order, tick.index)
        asked, requests, reset, age_s = self._wanted(order, tick.index)
        act_s = NEVER_S if order is None else order.act_s
        before_s = self._now_s()
        exchange = self._gated.cycle(
            tick, asked, requests, reset=reset, act_s=act_s, age_s=age_s, absent=self._absent
        )
        round_trip_s = self._now_s() - before_s
        verdict, feedback = exchange.verdict, exchange.feedback
        self._mode = verdict.mode
        record = self._encoder.pack(
            tick, verdict, feedback, asked is not None, round_trip_s, exchange.sent_s, overruns
        )
        self._black_box.note(tick, verdict, record)
        if feedback.waits != self._waits and tick.index >= self._waits_due:
            self._send_waits(feedback.waits, tick.index)
        self._ring.push(STATUS_KIND, record)
        if not self._wake():
            self._be_alone(Alone.GONE, tick.index)
        if self._alone is not None:
            self._check_end(verdict, feedback)
        return verdict

    def _send_waits(self, waits: Waits, index: int) -> None:
        """Report to control what the drives wait for, before the status of that cycle."""
        self._waits, self._waits_due = waits, index + self._waits_every
        self._ring.push(WAITS_KIND, json.dumps(waits_to_json(waits)).encode())

    def _watch_control(self, order: Order | None, index: int) -> None:
        """Count the silence; a control that comes back in time finds a platform that holds."""
        if order is None:
            self._silent += 1
            state = self._poll_control()
            if state is ControlState.DEAD:
                self._be_alone(Alone.GONE, index)
            elif state is ControlState.FROZEN or self._silent >= self._silence_cycles:
                self._be_alone(Alone.SILENT, None)
            return
        self._silent = 0
        if order.leave:
            self._be_alone(Alone.LEAVING, None)
        elif self._alone is Alone.SILENT and not self._power_goes:
            self._alone = None
            self._black_box.event("control is back")

    @property
    def _absent(self) -> str:
        """Reason of a stop by the gate itself: control has ceased to lead without saying so."""
        why = self._alone
        return "" if why is None or why is Alone.LEAVING else why.value

    @property
    def _power_goes(self) -> bool:
        return self._rested > self._hold_cycles

    def _be_alone(self, why: Alone, index: int | None) -> None:
        if self._alone is why or self._alone in (Alone.GONE, Alone.LEAVING):
            return
        if self._alone is None:
            self._alone_cycles = self._rested = 0
        self._alone = why
        self._black_box.keep()
        said = f"control is {why.value}"
        self._black_box.event(said if index is None else f"{said}, cycle {index}")

    def _wanted(
        self, order: Order | None, index: int
    ) -> tuple[Setpoint | None, tuple[Request, ...], bool, float]:
        """Parts of an order that count in this cycle: setpoint, requests, reset button, age."""
        if self._alone is not None:
            stop = Request.SHUT_DOWN if self._power_goes else Request.HOLD
            return None, (stop,), False, 0.0
        if order is None:
            return None, (), False, 0.0
        age_s = self._now_s() - order.stamp_s
        asked = order.setpoint
        behind = (index - order.sequence) % SEQUENCE_MODULUS
        if asked is not None and behind:
            # Applied now, it would be a cycle late, and the platform would jerk.
            self.unheard += 1
            asked = None
        requests = order.requests
        if requests and behind > self._late_cycles:
            # Asked long ago by someone who did not know what has happened since.
            requests = tuple(request for request in requests if request in _CAUTIOUS)
        return asked, requests, order.reset and behind <= self._late_cycles, age_s

    def _check_end(self, verdict: Verdict, feedback: BankFeedback) -> None:
        """Alone: hold for a while once at rest, then take the power off, then end."""
        self._alone_cycles += 1
        if verdict.mode not in _MOVING_MODES:
            self._rested += 1
        if self._alone is Alone.LEAVING and not self._power_goes and self._rested:
            self._rested = self._hold_cycles + 1
        off = verdict.drives is DriveRequest.OFF and verdict.action is Action.BLOCKED
        released = off and verdict.mode not in _MOVING_MODES
        # A control that is only silent is given the time to come back.
        if released and (self._power_goes or self._alone is not Alone.SILENT):
            self._end("the drives are without power")
        elif self._alone_cycles > self._alone_cycles_max:
            self._end(f"no standstill within {self._alone_cycles} cycles: the bus is left")

    @property
    def losses(self) -> str:
        """Losses between control and gate, in words."""
        slot = self._slot
        setpoints = f"{self.unheard} setpoints for another cycle"
        return f"{setpoints}, orders {slot.torn} torn, {slot.corrupt} corrupt"

    def _end(self, why: str) -> None:
        self.ended = True
        self._black_box.event(f"{why}; {self.losses}")
