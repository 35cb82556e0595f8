"""The course of an operated run: it begins nothing by itself, stops at once, and ends in order.

Only two things happen without a press: the step from OFF to IDLE, which powers nothing, and the end
of a slow move that was pressed for. A released dead-man stops whatever moves; after a stop nothing
moves until PARK is pressed. A fault does not end the run: it is left by RESET, to IDLE.
"""

from collections.abc import Callable

from hil.clock import Tick
from hil.desk.operation import Operation
from hil.desk.order import Button
from hil.operated.buttons import MOVING_MODES, standing_of, why_not
from hil.operated.motion import OperatedMotion
from hil.operated.operator import Operator
from hil.operated.tell import Told
from hil.supervisor import Outcome
from safety.modes import Mode, Request, Severity
from safety.verdict import Check, DriveRequest, Verdict

Note = Callable[[Tick, str, dict[str, str | bool]], None]
"""Where it is written down what the operator did."""

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
"""Of several presses in one cycle the first of these is obeyed; the others are told of it."""
REQUEST = {
    Button.HOME: Request.HOME,
    Button.ENGAGE: Request.ENGAGE,
    Button.HOLD: Request.HOLD,
    Button.PARK: Request.PARK,
}
ASKED_CYCLES = 5
"""For so many cycles a press is asked of the gate, should a cycle of it have been missed."""
RESET_CYCLES = 2
"""The reset input stays high for so long ..."""
RESET_TAKEN = -1
"""... and low for a cycle at least before it can rise again."""


class OperatedCourse:
    """Leads one run as the operator wants it; takes the place of a `Supervisor`.

    Args:
        operator: whose presses count.
        motion: what is followed in ENGAGED.
        patience_cycles: how many cycles a stop, standstill after a fault, or the end may take.
        homing_cycles: the same for homing.
        told: where the operation is told.
        note: where a press is written down.
    """

    def __init__(
        self,
        operator: Operator,
        motion: OperatedMotion,
        patience_cycles: int,
        homing_cycles: int,
        told: Told,
        note: Note,
    ) -> None:
        self.patience_cycles = patience_cycles
        self._homing_cycles = homing_cycles
        self._operator = operator
        self.motion = motion
        """What is followed in ENGAGED."""
        self._told = told
        self._note = note
        self._mode = Mode.OFF
        self._waited = 0
        self._held = False
        self._parking = False
        self._asked: tuple[Button, Mode, int] | None = None
        self._reset_left = RESET_TAKEN
        self._resetting = False
        self._refused = ""
        self._shut_down = False
        self._gave_up = ""
        self._fault = ""
        self._wish = ""
        self.done = False

    # --- as a supervisor ------------------------------------------------------------------------

    @property
    def reason(self) -> str:
        """Why the run did not complete: the gravest cause, or an empty text."""
        return self._fault or self._gave_up or self._wish

    @property
    def gave_up(self) -> str:
        """What the drives did not do in time, or an empty text."""
        return self._gave_up

    @property
    def outcome(self) -> Outcome:
        """How the run ended: completed when the operator shut it down."""
        if self._fault:
            return Outcome.TRIPPED
        if self._gave_up:
            return Outcome.FAILED
        return Outcome.STOPPED if self._wish else Outcome.COMPLETED

    @property
    def reset(self) -> bool:
        """Whether the reset input is high in this cycle."""
        return self._reset_left > 0

    @property
    def refused(self) -> str:
        """Why the last press did nothing; empty if it did."""
        return self._refused

    def stop(self, why: str) -> None:
        """End the run: stop smoothly, park if the dead-man is held, shut down."""
        if not self._wish:
            self._wish = why
            self._parking = self._held

    def trip(self, why: str) -> None:
        """Something outside the gate's sight is wrong: end the run in the same orderly way."""
        if not self._fault:
            self._fault = why
            self._parking = self._held

    def finish(self) -> None:
        """End the run in the same orderly way, as a success."""
        if not self._shut_down:
            self._shut_down = True
            self._parking = self._held

    @property
    def _ending(self) -> bool:
        return bool(self._shut_down or self._wish or self._fault or self._gave_up)

    # --- the cycle ------------------------------------------------------------------------------

    def look(self, tick: Tick, verdict: Verdict | None) -> None:
        """Take the operator's order of this cycle; before anything is asked or sampled.

        Args:
            tick: this cycle.
            verdict: the gate's last verdict, None before the first cycle.
        """
        wish = self._operator.look()
        order, let_go = wish.order, self._held and not wish.held
        self._held = wish.held
        if self._reset_left > RESET_TAKEN:
            self._reset_left -= 1
        self.motion.order(order.override, order.target, order.motion_serial, order.motion_json)
        if verdict is None:
            return
        if verdict.mode is not self._mode:
            self._enter(verdict)
        else:
            self._waited += 1
        self._watch(tick, verdict, let_go=let_go)
        for number, button in enumerate(b for b in BY_CAUTION if b in wish.pressed):
            self._press(tick, verdict, button, behind=number > 0)
        objection = self.motion.objection()
        if objection:
            self._refuse(tick, objection)

    def ask(self, verdict: Verdict | None, path_done: bool) -> tuple[Request, ...]:
        """The requests of this cycle; sets ``done`` when the run is over.

        Args:
            verdict: the gate's last verdict, None before the first cycle.
            path_done: the present slow move has been sampled to its end.
        """
        if verdict is None:
            return (Request.CONFIGURED,)
        if self._out_of_patience(verdict):
            return (Request.SHUT_DOWN,)
        if not self._held and verdict.mode in MOVING_MODES:
            return (Request.HOLD,)
        pressed = self._still_asked(verdict)
        request = pressed or self._next(verdict, path_done)
        return () if request is None else (request,)

    def tell(self, tick: Tick) -> None:
        """Tell the panels how it stands; at the end of control's part of a cycle."""
        motion, operator = self.motion, self._operator
        engaged = self._mode is Mode.ENGAGED
        operation = Operation(
            override=motion.tempo,
            held=self._held,
            playing=motion.playing if engaged else "",
            motion_serial=motion.serial,
            motion_t_s=motion.motion_t_s if engaged else 0.0,
            refused=self._refused,
            seen=operator.seen,
            dead_man=operator.rule,
        )
        self._told.tell(tick.t_s, operation)

    # --- what the gate did ----------------------------------------------------------------------

    def _enter(self, verdict: Verdict) -> None:
        """Note a new mode, and what no longer holds in it."""
        mode = verdict.mode
        self._mode, self._waited = mode, 0
        if mode is Mode.ENGAGING:
            self.motion.begin()
        if mode not in (Mode.ENGAGING, Mode.ENGAGED, Mode.CSTOP, Mode.HOLD):
            self._parking = False

    def _watch(self, tick: Tick, verdict: Verdict, *, let_go: bool) -> None:
        """Whatever went wrong or was let go takes back what was pressed for and is not done yet."""
        if verdict.faults or any(v.severity is not Severity.INFORM for v in verdict.violations):
            self._parking = False
        if not self._held:
            self._parking = False
            if self._asked is not None and self._asked[0] is not Button.HOLD:
                self._asked = None
        if let_go and verdict.mode in MOVING_MODES:
            self._note(tick, f"dead-man released in {verdict.mode.name}: stop", {"held": False})
        if self._reset_left == RESET_TAKEN and self._resetting:
            self._resetting = False
            if verdict.mode is Mode.FAULT:
                why = str(verdict.faults[0]) if verdict.faults else "its cause is still there"
                self._refuse(tick, f"RESET: the gate keeps the fault: {why}")

    def _out_of_patience(self, verdict: Verdict) -> bool:
        """Whether a mode in which only the drives work lasts too long; ends the run then."""
        mode = verdict.mode
        powered = verdict.drives is not DriveRequest.OFF
        works = mode in (Mode.CSTOP, Mode.QSTOP) or (mode in (Mode.FAULT, Mode.LOCKOUT) and powered)
        if self._ending and mode in (Mode.OFF, Mode.IDLE, Mode.STANDBY, Mode.HOLD):
            # HOLD has waited for PARK that long already, and then for the gate to take it.
            works = mode is not Mode.HOLD or self._waited > 2 * self.patience_cycles
        if not works or self._waited <= self.patience_cycles:
            return False
        self._gave_up = f"{mode.name} lasted longer than {self.patience_cycles} cycles"
        self.done = True
        return True

    # --- what the operator does -----------------------------------------------------------------

    def _press(self, tick: Tick, verdict: Verdict, button: Button, *, behind: bool) -> None:
        """Judge one press; obey it, or say why it does nothing."""
        standing = standing_of(
            verdict,
            held=self._held,
            target=self.motion.has_target,
            playing=self.motion.playing if verdict.mode is Mode.ENGAGED else "",
            ending=self._ending,
        )
        why = "a more cautious press goes first" if behind else ""
        why = why or why_not(button, verdict.mode, standing)
        if button is Button.RESET and self._resetting:
            why = why or "the last one is still being taken"
        if button is Button.HOLD and self._parking:
            self._parking, why = False, ""  # the wish to park is taken back while stopping
        data: dict[str, str | bool] = {"button": button.value, "taken": not why}
        if why:
            self._refused = f"{button.name}: {why}"
            self._note(tick, f"pressed, nothing done: {self._refused}", data)
            return
        self._refused = ""
        self._note(tick, f"{button.name} pressed", data)
        self._obey(button, verdict.mode)

    def _obey(self, button: Button, mode: Mode) -> None:
        self._parking = button in (Button.PARK, Button.SHUT_DOWN) and self._held
        if button in REQUEST:
            self._asked = (button, mode, ASKED_CYCLES)
        match button:
            case Button.RESET:
                self._reset_left, self._resetting = RESET_CYCLES, True
            case Button.SHUT_DOWN:
                self._shut_down = True
            case Button.PLAY:
                self.motion.play()
            case Button.POSE:
                self.motion.pose()
            case _:
                pass

    def _still_asked(self, verdict: Verdict) -> Request | None:
        """The request of a press, until the gate has taken or refused it."""
        if self._asked is None:
            return None
        button, mode, left = self._asked
        if verdict.mode is not mode:
            self._asked = None
            return None
        refusal = next(
            (
                found.note
                for found in verdict.violations
                if found.check is Check.REQUEST and found.note.startswith(REQUEST[button].name)
            ),
            "",
        )
        if left < ASKED_CYCLES and (refusal or left == 0):
            self._refused = f"{button.name}: {refusal or 'the gate did not take it'}"
            self._asked = None
            return None
        self._asked = (button, mode, left - 1)
        return REQUEST[button]

    # --- what follows ---------------------------------------------------------------------------

    def _next(self, verdict: Verdict, path_done: bool) -> Request | None:
        """What is asked without a new press: the end of a slow move, or of the run."""
        mode, ending = verdict.mode, self._ending
        match mode:
            case Mode.OFF:
                self.done = ending
                return None if ending else Request.CONFIGURED
            case Mode.IDLE:
                self.done = ending
            case Mode.HOMING:
                return Request.HOLD if ending or self._homing_too_long() else None
            case Mode.STANDBY:
                return Request.SHUT_DOWN if ending else None
            case Mode.ENGAGING | Mode.ENGAGED if ending:
                return Request.PARK if self._parking else Request.HOLD
            case Mode.ENGAGING:
                return Request.RISEN if path_done else None
            case Mode.PARKING:
                return Request.PARKED if path_done else None
            case Mode.HOLD:
                return self._from_hold()
            case Mode.FAULT | Mode.LOCKOUT:
                self._end_in_fault(verdict)
            case _:
                pass
        return None

    def _from_hold(self) -> Request | None:
        """Parking that was pressed for before the stop goes on; an end waits for PARK a while."""
        if self._parking:
            return Request.PARK
        if not self._ending:
            return None
        if self._waited > self.patience_cycles:
            return Request.SHUT_DOWN
        self._refused = (
            "the end is under way: hold the dead-man and press PARK, "
            "else the power goes off where the platform stands"
        )
        return None

    def _homing_too_long(self) -> bool:
        if self._waited <= self._homing_cycles:
            return False
        self._refused = f"HOME: stopped, homing lasted longer than {self._homing_cycles} cycles"
        return True

    def _end_in_fault(self, verdict: Verdict) -> None:
        lost = verdict.mode is Mode.LOCKOUT
        if (self._ending or lost) and verdict.drives is DriveRequest.OFF:
            self._fault = self._fault or (
                str(verdict.faults[0]) if verdict.faults else verdict.mode.name
            )
            self.done = True

    def _refuse(self, tick: Tick, why: str) -> None:
        self._refused = why
        self._note(tick, f"nothing done: {why}", {"taken": False})
