"""Course of an operated run: it begins nothing by itself, stops at once, and ends in order.

Only two things happen without a press: the step from OFF to IDLE, which powers nothing, and the end
of a slow move that was pressed for. A released dead-man stops whatever moves; after a stop nothing
moves until PARK is pressed. A fault does not end the run: it is left by RESET, to IDLE.
"""

from collections.abc import Collection

from drives.waits import Waits, in_words
from hil.desk.operation import Operation, Refusal
from hil.desk.operator import Operator
from hil.desk.order import BUTTONS, Button, OperatorOrder
from hil.desk.publisher import Note, OperationSink
from hil.stations.platform.cycle.journal import violation_data
from hil.stations.platform.cycle.supervisor import Outcome, timeout_reason
from hil.stations.platform.lead.button_commands import BY_CAUTION, ButtonCommands
from hil.stations.platform.lead.buttons import MOVING_MODES, Readiness, readiness_of, stalled
from hil.stations.platform.lead.end_conditions import EndConditions
from hil.stations.platform.lead.motion import OperatedMotion
from hil.stations.platform.lead.park_request import ON_THE_WAY, ParkRequest
from hil.stations.platform.lead.stall_recovery import StallRecovery
from hil.timing.clock import Tick
from safety.faults import describe_faults
from safety.modes import Mode, Request
from safety.verdict import DriveRequest, Verdict

BEFORE_PARKING = (Button.PLAY, Button.POSE)
"""Presses that would take the platform elsewhere, in the cycles until the stop for parking."""


class OperatedCourse:
    """Course of one run by the operator's orders; takes the place of a `Supervisor`.

    Args:
        patience_cycles: most cycles of a stop, standstill after a fault, or the end.
        homing_cycles: most cycles of homing.
        period_s: cycle time, to report how long something was waited for [s]; 0 if not known.
    """

    def __init__(
        self,
        operator: Operator,
        motion: OperatedMotion,
        patience_cycles: int,
        homing_cycles: int,
        sink: OperationSink,
        note: Note,
        *,
        period_s: float = 0.0,
    ) -> None:
        self.patience_cycles = patience_cycles
        self.waits: Waits = ()
        self.hindrance: Waits = ()
        """Conditions that must come before the platform may engage, besides the drives'."""
        self._period_s = period_s
        self._homing_cycles = homing_cycles
        self._operator = operator
        self.motion = motion
        """Motion in ENGAGED."""
        self._sink = sink
        self._note = note
        self._presses = ButtonCommands(note)
        self._ending = EndConditions()
        self._mode = Mode.OFF
        self._waited = 0
        self._held = False
        self._owner = ""
        self._parking = ParkRequest(self._presses.refuse)
        self._back = StallRecovery(patience_cycles, self._presses.refuse)
        self._verdict: Verdict | None = None
        self._given_up = ""
        self.done = False

    # --- as a supervisor ------------------------------------------------------------------------

    @property
    def reason(self) -> str:
        """Reason why the run was not completed: the gravest cause, or an empty text."""
        return self._ending.reason

    @property
    def gave_up(self) -> str:
        """Failure of the drives to act in time, or an empty text."""
        return self._ending.gave_up

    @property
    def outcome(self) -> Outcome:
        """Outcome of the run: completed when the operator shut it down."""
        return self._ending.outcome

    @property
    def reset(self) -> bool:
        """Whether the reset input is high in this cycle."""
        return self._presses.reset

    @property
    def act_s(self) -> float:
        """Time of the operator's last press for something to begin, if it made sense [s]."""
        return self._presses.act_s

    @property
    def refused(self) -> Refusal:
        """Refusal of the last order, as far as it was not done."""
        return self._presses.refused

    def stop(self, why: str) -> None:
        """End the run: stop smoothly, park if the dead-man is held, shut down."""
        self._begin_end()
        self._ending.stop_request = self._ending.stop_request or why

    def trip(self, why: str) -> None:
        """End the run in the same orderly way, as something outside the gate's sight is wrong."""
        self._begin_end()
        self._ending.fault = self._ending.fault or why

    def finish(self) -> None:
        """End the run in the same orderly way, as a success."""
        self._begin_end()
        self._ending.shut_down = True

    def give_up(self, why: str) -> None:
        """Give the motion up, which is at rest: it parks while hold-to-run is held."""
        if self._given_up != why:
            self._given_up = why
            self._parking.want(self._held)

    def _begin_end(self) -> None:
        """Begin the end; its patience counts from here, however long the mode has lasted."""
        self._back.end()
        if not self._ending.has_begun:
            self._waited = 0
            self._parking.want(self._held and self._mode in ON_THE_WAY)

    def refuse_parking(self, tick: Tick, why: str) -> None:
        """Refuse parking from here, as no path that was checked is free; nothing moves."""
        self._parking.give_up(
            tick, f"no way there is free: {why}; if the run ends, the power goes off here"
        )

    def asked(self, requests: Collection[Request]) -> None:
        """Take control's actual requests to the gate of this cycle."""
        self._parking.asked(requests)

    # --- the cycle ------------------------------------------------------------------------------

    def update(self, tick: Tick, verdict: Verdict | None) -> None:
        """Take the operator's order of this cycle, before anything is requested or sampled.

        Args:
            verdict: the gate's last verdict, None before the first cycle.
        """
        request = self._operator.poll()
        order, let_go = request.order, self._held and not request.held
        self._held = request.held
        self._presses.begin_cycle()
        if order.owner != self._owner:
            self._owner = order.owner
            self._back.end()
            whose = f"{order.owner} owns" if order.owner else "nobody owns"
            self._note(tick, f"{whose} the motion", {"owner": order.owner})
        self.motion.order(order.override, order.target, order.motion_serial, order.motion_json)
        self._verdict = verdict
        if verdict is None:
            for button in request.pressed:
                self._presses.write_down(tick, button, order.presser, "the bench has not begun yet")
            return
        if verdict.mode is not self._mode:
            self._enter(verdict)
        else:
            self._waited += 1
        self._watch(tick, verdict, let_go=let_go)
        behind = ""
        if request.pressed:
            self._back.end()
        for button in (b for b in BY_CAUTION if b in request.pressed):
            self._press(tick, verdict, button, order, behind)
            behind = "a more cautious press goes first"
        self._recover_from_stall(tick, verdict)
        for button, why in request.stale:
            self._presses.write_down(tick, button, order.presser, why)
        objection = self.motion.objection()
        if objection:
            self._presses.refuse(tick, objection)

    def ask(self, verdict: Verdict | None, path_done: bool) -> tuple[Request, ...]:
        """Requests of this cycle; sets ``done`` when the run is over.

        Args:
            verdict: the gate's last verdict, None before the first cycle.
            path_done: whether the present slow move has been sampled to its end.
        """
        if verdict is None:
            return (Request.CONFIGURED,)
        if self._out_of_patience(verdict):
            return (Request.SHUT_DOWN,)
        if not self._held and verdict.mode in MOVING_MODES:
            return (Request.HOLD,)
        request = self._presses.request(verdict) or self._next(verdict, path_done)
        return () if request is None else (request,)

    def publish(self, tick: Tick) -> None:
        """Report the state to the panels, at the end of control's part of a cycle."""
        motion, operator = self.motion, self._operator
        engaged = self._mode is Mode.ENGAGED
        faults = () if self._verdict is None else self._verdict.faults
        left_s = (self.patience_cycles - self._waited) * tick.t_s / max(tick.index, 1)
        operation = Operation(
            override=motion.tempo,
            held=self._held,
            playing=motion.playing if engaged else "",
            motion_serial=motion.serial,
            motion_t_s=motion.motion_t_s if engaged else 0.0,
            refused=self.refused,
            seen=operator.seen,
            dead_man=operator.rule,
            end=self._ending.end_now(self._verdict, parks=self._parking.on, left_s=left_s),
            cause=violation_data(faults[0]) if faults else None,
            clear=self._presses.clear(self._verdict),
            stalled=self._verdict is not None and stalled(self._verdict),
        )
        self._sink.publish(tick.t_s, operation)

    # --- what the gate did ----------------------------------------------------------------------

    def _enter(self, verdict: Verdict) -> None:
        """Record a new mode, and discard what no longer holds in it."""
        mode = verdict.mode
        self._mode, self._waited = mode, 0
        if mode is Mode.ENGAGING:
            self._given_up = ""
            self.motion.begin()
        elif mode is not Mode.ENGAGED:
            self.motion.leave()

    def _watch(self, tick: Tick, verdict: Verdict, *, let_go: bool) -> None:
        """Take back a request that is not done yet, after a fault or a released dead-man."""
        if let_go and verdict.mode in MOVING_MODES:
            self._note(tick, f"hold-to-run released in {verdict.mode.name}: stop", {"held": False})
        if verdict.mode is Mode.HOMING and self._waited == self._homing_cycles + 1:
            why = timeout_reason(verdict, self._homing_cycles * self._period_s, self.waits)
            self._presses.refuse(tick, Refusal(f"stopped, {why}", Button.HOME.value))
        self._parking.watch(tick, verdict, held=self._held)
        self._presses.watch(tick, verdict, held=self._held)

    def _out_of_patience(self, verdict: Verdict) -> bool:
        """Whether a mode in which only the drives work lasts too long; ends the run then."""
        mode = verdict.mode
        powered = verdict.drives is not DriveRequest.OFF
        works = mode in (Mode.CSTOP, Mode.QSTOP) or (mode in (Mode.FAULT, Mode.LOCKOUT) and powered)
        if mode is Mode.HOLD and self._parking.on:
            self._waited = 0  # somebody holds it to park; from when that ends, PARK is waited for
        elif self._ending.has_begun and mode in (Mode.OFF, Mode.IDLE, Mode.STANDBY, Mode.HOLD):
            # HOLD has waited for PARK that long already, and then for the gate to go off.
            works = mode is not Mode.HOLD or self._waited > 2 * self.patience_cycles
        if not works or self._waited <= self.patience_cycles:
            return False
        patience_s = self.patience_cycles * self._period_s
        self._ending.gave_up = timeout_reason(verdict, patience_s, self.waits)
        self.done = True
        return True

    # --- what the operator does -----------------------------------------------------------------

    def _press(
        self, tick: Tick, verdict: Verdict, button: Button, order: OperatorOrder, why: str
    ) -> None:
        """Judge one press; obey it, or report why it does nothing (`why`, if that is known)."""
        by, readiness = order.presser, self._readiness(verdict)
        why = why or self._presses.objection(button, verdict.mode, readiness)
        if button is Button.ENGAGE and self.hindrance and not why:
            self.motion.choose()
            why = in_words(self.hindrance)
        if button is Button.HOLD and (self._presses.withdraw() | self._parking.want(False)):
            why = ""  # what is not done yet is taken back in any mode
        if self._parking.on and button in BEFORE_PARKING:
            why = why or "PARK was pressed and goes first"
        self._presses.write_down(tick, button, by, why)
        pressed_s = order.pressed_s[BUTTONS.index(button)]
        if not (why or self._back.begin(button, verdict.mode, readiness, pressed_s)):
            self._obey(button, verdict.mode, by, pressed_s)

    def _readiness(self, verdict: Verdict) -> Readiness:
        return readiness_of(
            verdict,
            held=self._held,
            target=self.motion.has_target,
            playing=self.motion.playing if verdict.mode is Mode.ENGAGED else "",
            ending=self._ending.has_begun,
        )

    def _recover_from_stall(self, tick: Tick, verdict: Verdict) -> None:
        """Press, a step at a time, what leads to the button that was pressed after a stall."""
        back, wanted = self._back, self._back.target
        if wanted is not None and self._presses.refused:
            back.end()  # a step came to nothing, and why was told
        readiness = self._readiness(verdict)
        button = back.step(tick, verdict, readiness)
        if button is None or wanted is None:
            return
        why = self._presses.objection(button, verdict.mode, readiness)
        if button is Button.ENGAGE and self.hindrance:
            why = why or in_words(self.hindrance)
        if why:
            back.end()
            self._presses.refuse(tick, Refusal(f"taken back: {why}", wanted.value))
            return
        self._note(tick, f"{button.name}, on the way to {wanted.name}", {"button": button.value})
        self._obey(button, verdict.mode, self._owner, back.pressed_s)

    def _obey(self, button: Button, mode: Mode, by: str, pressed_s: float) -> None:
        self._presses.obey(button, mode, pressed_s)
        if button is Button.PARK:
            self._parking.want(self._held)
        elif button is Button.SHUT_DOWN:
            self.finish()
            self._ending.by = by
        elif button is Button.PLAY:
            self.motion.play()
        elif button is Button.POSE:
            self.motion.pose()

    # --- what follows ---------------------------------------------------------------------------

    def _next(self, verdict: Verdict, path_done: bool) -> Request | None:
        """Request without a new press: the end of a slow move, or of the run."""
        mode, ending = verdict.mode, self._ending.has_begun
        match mode:
            case Mode.OFF | Mode.IDLE if ending:
                # What the gate stopped for is no good end, unless somebody acted on it since.
                self._ending.fault = self._ending.fault or describe_faults(verdict.faults)
                self.done = True
            case Mode.OFF:
                return Request.CONFIGURED
            case Mode.HOMING:
                return Request.HOLD if ending or self._waited > self._homing_cycles else None
            case Mode.STANDBY:
                return Request.SHUT_DOWN if ending else None
            case Mode.ENGAGING | Mode.ENGAGED if ending or self._parking.on:
                return Request.HOLD  # parking begins where it stands, when its way is proved
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
        """Continue parking that was pressed for before the stop; an end waits for PARK a while."""
        if self._parking.on:
            return Request.PARK
        over = self._ending.has_begun and self._waited > self.patience_cycles
        return Request.SHUT_DOWN if over else None

    def _end_in_fault(self, verdict: Verdict) -> None:
        ending, lost = self._ending, verdict.mode is Mode.LOCKOUT
        if (ending.has_begun or lost) and verdict.drives is DriveRequest.OFF:
            ending.fault = ending.fault or describe_faults(verdict.faults) or verdict.mode.name
            self.done = True
