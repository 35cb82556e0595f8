"""Request to park, from the press until the gate takes it: stop, and proof of the path.

That lasts a while, in which much can take it back. Each cause is reported: an operator who has
pressed for it counts on it.
"""

from collections.abc import Callable, Collection

from hil.desk.operation import Refusal
from hil.desk.order import Button
from hil.stations.platform.lead.button_commands import ASKED_CYCLES, refusal_of
from hil.timing.clock import Tick
from safety.modes import Mode, Request, Severity
from safety.verdict import Check, Verdict, Violation

ON_THE_WAY = (Mode.ENGAGING, Mode.ENGAGED, Mode.CSTOP, Mode.HOLD)
"""Modes in which parking has not begun yet and still can."""
BEGUN = (Mode.PARKING, Mode.STANDBY)


class ParkRequest:
    """Pending request to park.

    Args:
        refuse: takes the reason why it came to nothing.
    """

    def __init__(self, refuse: Callable[[Tick, Refusal], None]) -> None:
        self._refuse = refuse
        self._asked = 0
        self._known: set[tuple[Check, int | None, Severity, str]] | None = None
        self.on = False
        """Whether parking is requested, and has not begun yet."""

    def want(self, on: bool) -> bool:
        """Set or withdraw the request; returns whether it was set."""
        was, self.on = self.on, on
        self._asked, self._known = 0, None
        return was

    def give_up(self, tick: Tick, why: str) -> None:
        """Withdraw the request, and report why."""
        self.on = False
        self._refuse(tick, Refusal(why, Button.PARK.value))

    def asked(self, requests: Collection[Request]) -> None:
        """Take the actual requests to the gate of this cycle: PARK only after the proof."""
        if self.on and Request.PARK in requests:
            self._asked += 1

    def watch(self, tick: Tick, verdict: Verdict, *, held: bool) -> None:
        """Check whether it has begun, or what takes it back."""
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
    """Identity of a fault without its value, which is not equal to itself if it is not a number."""
    return fault.check, fault.leg, fault.severity, fault.note
