"""PARK from the press until the gate takes it: through the stop, and the proof of the way.

That lasts a while, in which much can take it back. Whatever does is told: an operator who has
pressed for it counts on it.
"""

from collections.abc import Callable, Collection

from hil.desk.operation import Refusal
from hil.desk.order import Button
from hil.stations.platform.operator.button_commands import ASKED_CYCLES, refusal_of
from hil.timing.clock import Tick
from safety.modes import Mode, Request, Severity
from safety.verdict import Check, Verdict, Violation

ON_THE_WAY = (Mode.ENGAGING, Mode.ENGAGED, Mode.CSTOP, Mode.HOLD)
"""Modes in which it is not begun yet and still can be."""
BEGUN = (Mode.PARKING, Mode.STANDBY)


class ParkRequest:
    """Whether somebody wants the platform parked.

    Args:
        refuse: takes why it came to nothing.
    """

    def __init__(self, refuse: Callable[[Tick, Refusal], None]) -> None:
        self._refuse = refuse
        self._asked = 0
        self._known: set[tuple[Check, int | None, Severity, str]] | None = None
        self.on = False
        """Whether it is wanted, and not begun yet."""

    def want(self, on: bool) -> bool:
        """It is wanted from now on, or not any more; whether it was."""
        was, self.on = self.on, on
        self._asked, self._known = 0, None
        return was

    def give_up(self, tick: Tick, why: str) -> None:
        """It comes to nothing, and why is told."""
        self.on = False
        self._refuse(tick, Refusal(why, Button.PARK.value))

    def asked(self, requests: Collection[Request]) -> None:
        """Hear what was really asked of the gate in this cycle: PARK only after the proof."""
        if self.on and Request.PARK in requests:
            self._asked += 1

    def watch(self, tick: Tick, verdict: Verdict, *, held: bool) -> None:
        """See whether it has begun, or what takes it back."""
        if not self.on:
            return
        if verdict.mode in BEGUN:
            self.on = False
        elif why := self._obstacle(verdict, held=held):
            self.give_up(tick, why)

    def _obstacle(self, verdict: Verdict, *, held: bool) -> str:
        # A fault that left the platform in HOLD is latched until it parks: no reason not to.
        if self._known is None:
            self._known = {_name_of(fault) for fault in verdict.faults}
        wrong = [v for v in verdict.violations if v.severity is not Severity.INFORM]
        wrong += [fault for fault in verdict.faults if _name_of(fault) not in self._known]
        if wrong:
            return f"taken back: {wrong[0]}"
        if verdict.mode not in ON_THE_WAY:
            return f"taken back: the bench went to {verdict.mode.name} first"
        if not held:
            return "taken back: hold-to-run was released before it began"
        if self._asked >= ASKED_CYCLES:
            return refusal_of(Request.PARK, verdict) or "the gate did not take it"
        return ""


def _name_of(fault: Violation) -> tuple[Check, int | None, Severity, str]:
    """What makes it the same fault; a value that is not a number is not even equal to itself."""
    return fault.check, fault.leg, fault.severity, fault.note
