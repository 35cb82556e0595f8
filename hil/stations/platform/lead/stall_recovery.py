"""Recovery after a stall of the computer: one press, and the presses that lead there in order.

It gives no permission: each step is the press that a person would make, judged as that, and the
gate decides. It continues while hold-to-run is held, and ends with anything else that happens.
"""

from collections.abc import Callable

from hil.desk.operation import Refusal
from hil.desk.order import Button
from hil.stations.platform.lead.buttons import (
    NEXT_PRESS,
    WAITS,
    WORKS_IN,
    Readiness,
    leads_back,
)
from hil.timing.clock import Tick
from safety.modes import Mode, Severity
from safety.verdict import Verdict


class StallRecovery:
    """Sequence of presses until the one that was made does something.

    Args:
        patience_cycles: most cycles of a step, where no other patience ends it.
        refuse: takes the reason why it came to nothing.
    """

    def __init__(self, patience_cycles: int, refuse: Callable[[Tick, Refusal], None]) -> None:
        self._patience_cycles = patience_cycles
        self._refuse = refuse
        self._mode = Mode.OFF
        self._waited = 0
        self._pressed: Mode | None = None
        self.target: Button | None = None
        """Button that was pressed; None without a recovery."""
        self.pressed_s: float = 0.0
        """Time of that press, monotonic [s]: the act of a person that permits each step."""

    def begin(self, button: Button, mode: Mode, readiness: Readiness, pressed_s: float) -> bool:
        """Begin, if this press can be recovered; returns whether it can."""
        if not leads_back(button, mode, readiness):
            return False
        self.target, self.pressed_s = button, pressed_s
        self._mode, self._waited, self._pressed = mode, 0, None
        return True

    def end(self) -> None:
        """Press nothing more."""
        self.target = None

    def step(self, tick: Tick, verdict: Verdict, readiness: Readiness) -> Button | None:
        """Next press in this cycle, or None.

        Args:
            readiness: facts that decide about presses now.
        """
        target, mode = self.target, verdict.mode
        if target is None:
            return None
        self._waited = self._waited + 1 if mode is self._mode else 0
        self._mode = mode
        if why := self._obstacle(verdict, readiness):
            self.end()
            self._refuse(tick, Refusal(f"taken back: {why}", target.value))
            return None
        if mode in WAITS or self._pressed is mode:
            return None
        if mode in WORKS_IN[target]:
            if mode is Mode.STANDBY and not readiness.ready:
                return None
            self.end()
            return target
        press, _ = NEXT_PRESS[mode]
        if press is Button.ENGAGE and not readiness.ready:
            return None
        self._pressed = mode
        return press

    def _obstacle(self, verdict: Verdict, readiness: Readiness) -> str:
        wrong = [v for v in verdict.violations if v.severity is not Severity.INFORM]
        if wrong:
            return str(wrong[0])
        if not readiness.held:
            return "hold-to-run was released before it was there"
        if readiness.ending:
            return "the end is under way"
        if verdict.mode in (Mode.OFF, Mode.CSTOP, Mode.QSTOP, Mode.LOCKOUT):
            return f"the bench went to {verdict.mode.name}"
        if verdict.mode not in WAITS and self._waited > self._patience_cycles:
            return f"{verdict.mode.name} did not end"
        return ""
