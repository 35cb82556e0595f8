"""Commands of buttons to the gate: judged, repeated until they are taken, and answered for."""

from hil.desk.operation import DONE, Refusal
from hil.desk.order import Button
from hil.desk.publisher import Note
from hil.stations.platform.cycle.gated_bank import NEVER_S
from hil.stations.platform.lead.buttons import MOVING_MODES, Readiness, cleared, why_not
from hil.timing.clock import Tick
from safety.faults import describe_faults
from safety.modes import Mode, Request
from safety.verdict import Verdict

BY_CAUTION = (
    Button.HOLD,
    Button.SHUT_DOWN,
    Button.PARK,
    Button.RESET,
    Button.POSE,
    Button.PLAY,
    Button.ENGAGE,
    Button.HOME,
)
"""Order of presses in one cycle: the first is obeyed, and the others are refused."""
REQUEST = {
    Button.HOME: Request.HOME,
    Button.ENGAGE: Request.ENGAGE,
    Button.HOLD: Request.HOLD,
}
"""Request of a press by itself; PARK waits for the stop and the proof of its path."""
ACTS = (Button.HOME, Button.ENGAGE, Button.PARK, Button.RESET)
"""Presses by which a person begins something, or acknowledges a stop: after a stop by itself the
gate starts nothing without one of them."""
TAKEN = {
    Button.HOME: (Mode.HOMING, Mode.STANDBY),
    Button.ENGAGE: (Mode.ENGAGING, Mode.ENGAGED),
}
"""Modes that show that a press was taken; the first may be over before it is seen."""
ASKED_CYCLES = 5
"""Number of cycles for which a press is requested, should the gate miss one."""
RESET_CYCLES = 2
"""Number of cycles for which the reset input stays high."""
RESET_TAKEN = -1
"""Count down to which it then stays low, a cycle at least, before it can rise again."""


class ButtonCommands:
    """Presses of the operator, and their results."""

    def __init__(self, note: Note) -> None:
        self._note = note
        self._asked: tuple[Button, Mode, int] | None = None
        self._reset_left = RESET_TAKEN
        self._resetting = False
        self.act_s = NEVER_S
        """Time of the last press for something to begin, monotonic [s]."""
        self.refused = DONE
        """Refusal of the last order, as far as it was not done."""

    @property
    def reset(self) -> bool:
        """Whether the reset input is high in this cycle."""
        return self._reset_left > 0

    def begin_cycle(self) -> None:
        """Let the reset input fall in its time."""
        if self._reset_left > RESET_TAKEN:
            self._reset_left -= 1

    def watch(self, tick: Tick, verdict: Verdict, *, held: bool) -> None:
        """Check the result of the last press; report why if it came to nothing."""
        self._judge(tick, verdict, held=held)
        if self._reset_left == RESET_TAKEN and self._resetting:
            self._resetting = False
            if verdict.mode is Mode.FAULT:
                why = describe_faults(verdict.faults) or "its cause is still there"
                self.refuse(tick, Refusal(f"the gate keeps the fault: {why}", Button.RESET.value))

    def _judge(self, tick: Tick, verdict: Verdict, *, held: bool) -> None:
        """Check whether the gate has taken the request, or never will."""
        if self._asked is None or self._asked[0] is Button.HOLD:
            return
        button, mode, left = self._asked
        why = ""
        if verdict.mode is not mode:
            if verdict.mode not in TAKEN[button]:
                why = f"the bench went to {verdict.mode.name} first"
        elif not held:
            why = "hold-to-run was released before the gate took it"
        else:
            asked = left < ASKED_CYCLES
            why = refusal_of(REQUEST[button], verdict) if asked else ""
            if left and not why:
                return
            why = why or "the gate did not take it"
        self._asked = None
        if why:
            self.refuse(tick, Refusal(why, button.value))

    def clear(self, verdict: Verdict | None) -> bool:
        """Whether a reset works, as far as a fault's cause and the last reset decide."""
        return verdict is not None and cleared(verdict) and not self._resetting

    def objection(self, button: Button, mode: Mode, readiness: Readiness) -> str:
        """Reason why a press does nothing now; empty if it does something."""
        why = why_not(button, mode, readiness)
        if button is Button.RESET and self._resetting:
            why = why or "the last one is still being taken"
        return why

    def write_down(self, tick: Tick, button: Button, by: str, why: str) -> None:
        """Record a press, and why it does nothing, if so.

        Args:
            by: person who pressed.
            why: reason why nothing is done; empty if it is obeyed.
        """
        data: dict[str, str | bool] = {"button": button.value, "taken": not why, "by": by}
        self.refused = Refusal(why, button.value) if why else DONE
        said = f"pressed, nothing done: {self.refused}" if why else f"{button.name} pressed"
        self._note(tick, said, data)

    def obey(self, button: Button, mode: Mode, pressed_s: float) -> None:
        """Request from the gate what a press means, if it is something for the gate."""
        if button in ACTS:
            self.act_s = pressed_s
        if button in REQUEST:
            self._asked = (button, mode, ASKED_CYCLES)
        elif button is Button.RESET:
            self._reset_left, self._resetting = RESET_CYCLES, True

    def withdraw(self) -> bool:
        """Withdraw the request of a press, unless it is a stop; returns whether there was any."""
        if self._asked is None or self._asked[0] is Button.HOLD:
            return False
        self._asked = None
        return True

    def request(self, verdict: Verdict) -> Request | None:
        """The request of a press, until the gate has taken or refused it (`watch` sees that)."""
        if self._asked is None:
            return None
        button, mode, left = self._asked
        if button is Button.HOLD:
            return self._stop(verdict, mode, left)
        self._asked = (button, mode, left - 1)
        return REQUEST[button]

    def _stop(self, verdict: Verdict, mode: Mode, left: int) -> Request | None:
        """Request a stop as long as anything moves, and a little longer.

        An earlier request may still take effect: then its motion is to stop as well.
        """
        moving = verdict.mode in MOVING_MODES
        if not moving and (left == 0 or mode in MOVING_MODES):
            self._asked = None
            return None
        self._asked = (Button.HOLD, verdict.mode, ASKED_CYCLES if moving else left - 1)
        return Request.HOLD

    def refuse(self, tick: Tick, what: Refusal) -> None:
        """Report and record that an order was not carried out."""
        self.refused = what
        self._note(tick, f"nothing done: {what}", {"taken": False})


def refusal_of(request: Request, verdict: Verdict) -> str:
    """Objection of the gate to a request in its last cycle; empty if there is none."""
    return next((found.note for found in verdict.violations if found.request is request), "")
