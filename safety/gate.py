"""The last gate before the drives: one call per cycle, a verdict each time.

Order of a cycle: timing, feedback, modes, then the requested setpoint or a step of the
controlled stop. A setpoint that fails a check is blocked, never clipped: the stop begins in the
same cycle from the last commanded state.

Start protocol. When the drives are enabled and at rest in STANDBY, the gate takes the measured
lengths as its commanded state and allows them, at zero speed, in every cycle (`Action.HOLDING`).
After ENGAGE or PARK it keeps holding until control's first setpoint; control plans its movement
from `Gate.commanded` (the same as `Verdict.allowed`), at rest. From the first accepted setpoint on,
every cycle must bring one.
"""

import math
from collections.abc import Iterable
from typing import NamedTuple

from hil_common.legs import LegTarget
from safety.age import AgeWatch
from safety.checks import SetpointChecks
from safety.command import CommandedState, GateInconsistentError
from safety.estop import Channels, EmergencyStopWatch
from safety.faults import FaultLatch
from safety.feedback import FeedbackWatch
from safety.first_motion import UNMADE, FirstMotionWatch, FirstStage
from safety.interlock import RestartInterlock
from safety.lag import LagWatch
from safety.limits import GateLimits
from safety.load import LoadWatch, drive_warnings
from safety.modes import (
    FAULT_EVENT,
    FOLLOWING_MODES,
    HOMED_MODES,
    Event,
    Mode,
    Request,
    Severity,
    accepts,
    drive_request,
    most_cautious,
    step,
)
from safety.plausibility import PlausibilityWatch
from safety.quick_stop import QuickStopWatch
from safety.stream import SetpointStream
from safety.verdict import Action, Check, Feedback, Setpoint, Verdict, Violation
from safety.watchdog import CycleWatch, StandstillWatch
from safety.watches import WATCHED, Watched


class GateInputs(NamedTuple):
    """All inputs of the gate in one cycle."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody uses
    """Number of the cycle."""
    elapsed_s: float
    """Measured time since the last cycle [s]."""
    late_s: float
    """Wake-up after the deadline [s]."""
    asked: Setpoint | None
    """Control's newest setpoint, or None."""
    setpoint_age_s: float
    """Age of that setpoint [s]; ignored if there is none."""
    feedback: Feedback | None
    """Feedback of the last bus cycle, or None."""
    requests: tuple[Request, ...] = ()
    """Requests of control and operator; the most cautious one is obeyed."""
    reset: bool = False
    """The operator's reset input; its rising edge counts."""
    estop: Channels | None = None
    """The two channels of the emergency stop, True while closed; None when not read."""
    act_age_s: float = math.inf
    """Age of a person's last act to start something [s]; infinite for never."""
    absent: str = ""
    """Reason why control no longer counts as alive; empty while it does."""


_ASKED_FOR = (Mode.OFF, Mode.IDLE, Mode.HOMING, Mode.ENGAGING, Mode.PARKING)
"""Modes that clear latched faults: a request for one acknowledges the cause of a hold, but no
request clears anything worse."""
_QUICK_STOPPING = (Mode.QSTOP, Mode.LOCKOUT)
"""Modes in which the drives stop by themselves, which they may fail to do."""


class Gate:
    """Passes setpoints, or stops the platform and reports why.

    Args:
        limits: the limits, checked at their construction.
        led: whether a person operates the run: then nothing parks by itself after a stop.
    """

    def __init__(self, limits: GateLimits, *, led: bool = False) -> None:
        self._limits = limits
        self._checks = SetpointChecks(limits)
        self._cycle = CycleWatch(limits)
        self._feedback = FeedbackWatch(limits)
        self._plausible = PlausibilityWatch(limits)
        self._lag = LagWatch(limits)
        self._age = AgeWatch(limits)
        self._load = LoadWatch(limits)
        self._estop = EmergencyStopWatch(limits)
        self._estop_fitted = limits.estop_fitted
        self._still = StandstillWatch(limits)
        self._quick_stop = QuickStopWatch(limits)
        self._command = CommandedState(limits)
        self._first = FirstMotionWatch(limits)
        self._stream = SetpointStream(limits, self._checks, self._command, self._first)
        self._latch = FaultLatch()
        self._interlock = RestartInterlock(limits.period_s, led=led)
        self._mode = Mode.OFF
        self._last_feedback: Feedback | None = None
        self._released = True  # the drives may be without power
        self._reset_was_low = False

    @property
    def mode(self) -> Mode:
        """Mode after the last cycle."""
        return self._mode

    @property
    def commanded(self) -> LegTarget | None:
        """Last commanded state, from which control plans; None while there is none."""
        return self._command.target

    @property
    def limits(self) -> GateLimits:
        """The limits this gate was built with."""
        return self._limits

    def expect_first_motion(self, stages: Iterable[FirstStage]) -> None:
        """Pass only a first motion until it is complete; call before the drives are enabled.

        Args:
            stages: its parts, in order.
        """
        self._first.expect(stages)

    def step(self, inputs: GateInputs) -> Verdict:
        """Judge one cycle. Never raises: an internal error locks the gate and is reported."""
        found: list[Violation] = []
        try:
            action = self._cycle_step(inputs, found)
        except Exception as error:
            action = self._lock_out(error, found)
        allowed = None if action is Action.BLOCKED else self._command.target
        drives = drive_request(self._mode, self._released)
        faults = self._interlock.causes or self._latch.faults
        lag_s = self._lag.greatest_s
        return Verdict(
            inputs.index, self._mode, action, tuple(found), allowed, drives, faults, lag_s
        )

    def _cycle_step(self, inputs: GateInputs, found: list[Violation]) -> Action:
        feedback = inputs.feedback
        self._last_feedback = feedback
        self._interlock.take_age(inputs.act_age_s)
        self._still.step(feedback)
        self._judge(inputs, WATCHED[self._mode], found)
        if found or inputs.requests or self._mode not in FOLLOWING_MODES:
            self._change_mode(inputs, found)
        self._reset_was_low = not inputs.reset
        return self._output(inputs, found)

    def _judge(self, inputs: GateInputs, watched: Watched, found: list[Violation]) -> None:
        """Apply all watches of the mode except that of requested setpoints."""
        feedback, command = inputs.feedback, self._command
        commanded_m = None if command.target is None else command.target.length_m
        if watched.control and inputs.absent:
            found.append(
                Violation(Check.CONTROL, None, 1, 0, "", Severity.HOLD, note=inputs.absent)
            )
        if watched.cycle:
            found += self._cycle.step(inputs.index, inputs.elapsed_s, inputs.late_s)
        found += self._feedback.step(feedback, watched, commanded_m, command.movement_m)
        if watched.age:
            found += self._age.step(feedback) or ()
        false = None
        if watched.path:
            false = self._plausible.step(feedback, commanded_m, inputs.elapsed_s)
            found += false or ()
        if false:
            self._lag.forget()  # lengths that are no lengths tell no lag
        elif watched.lag:
            found += self._lag.step(feedback, commanded_m) or ()
        if watched.force:
            found += self._load.step(feedback) or ()
        if watched.first_motion and self._first.due and commanded_m is not None:
            found += self._first.step(feedback, commanded_m)
        if watched.warning:
            found += drive_warnings(feedback)
        if watched.estop and self._estop_fitted:
            found += self._estop.step(inputs.estop)
        if watched.quick_stop:
            found += self._quick_stop.step(feedback)

    def _lock_out(self, error: Exception, found: list[Violation]) -> Action:
        note = f"{type(error).__name__}: {error}"
        found.append(Violation(Check.INTERNAL, None, 1, 0, "", Severity.LOCKOUT, note=note))
        self._latch.add(found)
        self._interlock.close(self._latch.faults)
        self._go(Event.FAULT_LOCKOUT)
        return Action.BLOCKED

    def _change_mode(self, inputs: GateInputs, found: list[Violation]) -> None:
        """Change the mode: faults first, then at most one request, then observed events."""
        before = self._mode
        event = self._fault_event(found)
        if event is Event.FAULT_STOP and self._only_enabling:
            event = Event.FAULT_QUICK_STOP
        if event is not None:
            self._go(event)
        if inputs.requests:
            self._obey(inputs, event is not None, found)
        if self._mode is before:
            observed = self._observe(inputs)
            if observed is not None:
                self._go(observed)

    @property
    def _only_enabling(self) -> bool:
        """Whether the drives are only being enabled: no path to stop along, none may continue."""
        return self._mode is Mode.STANDBY and self._command.target is None

    def _fault_event(self, found: list[Violation]) -> Event | None:
        """Latch the faults; return the reaction to all latched ones if any of them is new."""
        if self._mode is Mode.OFF:
            # Without power and bus there is nothing to stop; only the loss of control is latched.
            found = [each for each in found if each.check is Check.CONTROL]
        new = self._latch.add(found)
        if any(each.severity >= Severity.HOLD for each in found):
            self._interlock.close(self._latch.faults)
        # Without power there is nothing left to react with: the fault is only added to the list.
        if not new or (self._mode is Mode.FAULT and self._released):
            return None
        return FAULT_EVENT[self._latch.reaction]

    def _obey(self, inputs: GateInputs, faulted: bool, found: list[Violation]) -> None:
        chosen = most_cautious(inputs.requests)
        mode, obstacle = self._mode, "a fault goes first"
        if not faulted:
            event = self._event(chosen)
            obstacle = self._obstacle(event, inputs.feedback)
            if not obstacle:
                self._go(event)
        for request in sorted(set(inputs.requests), key=lambda r: r.name):
            reason = obstacle if request is chosen else f"{chosen.name} goes first"
            if reason:
                note = f"{request.name} refused in {mode.name}: {reason}"
                found.append(
                    Violation(
                        Check.REQUEST, None, 0, 0, "", Severity.INFORM, note=note, request=request
                    )
                )

    def _event(self, request: Request) -> Event:
        if request is Request.PARK:
            at_rest = self._command.at_rest and not (
                self._mode is Mode.ENGAGING and self._first.due
            )
            return Event.PARK_AT_REST if at_rest else Event.PARK_MOVING
        return Event[request.name]

    def _obstacle(self, event: Event, feedback: Feedback | None) -> str:
        """Return why a request cannot be obeyed now; empty when it can."""
        if not accepts(self._mode, event):
            return "this mode does not take it"
        following = step(self._mode, event)
        if following is not self._mode and (why := self._interlock.objection(following)):
            return why
        if self._first.due and following in (Mode.ENGAGED, Mode.PARKING):
            return UNMADE
        if event is Event.ENGAGE and self._command.target is None:
            # Had there been no obstacle, the last cycle would have taken the measured lengths.
            reasons = self._checks.start_obstacles(feedback, self._still.all_legs)
            return "; ".join(reasons) or "the measured lengths are only being taken in this cycle"
        if event is Event.PARKED and not self._command.at_rest:
            return "the commanded state moves"
        powers_off = self._mode in HOMED_MODES and step(self._mode, event) is Mode.OFF
        if powers_off and not self._still.all_legs:
            return "a leg is not measured at standstill"
        return ""

    def _observe(self, inputs: GateInputs) -> Event | None:
        """Event that occurred in this mode without a request."""
        mode, feedback, still = self._mode, inputs.feedback, self._still
        if mode is Mode.HOMING:
            homed = feedback is not None and still.all_legs and all(feedback.homed)
            return Event.HOMED if homed else None
        if mode is Mode.QSTOP and self._quick_stop.failed:
            return Event.STOP_FAILED
        if (mode is Mode.CSTOP and self._command.stopped) or (
            mode is Mode.QSTOP and still.reporting_legs
        ):
            faulted = self._latch.reaction >= Severity.STOP
            return Event.AT_REST_FAULTED if faulted else Event.AT_REST
        failed = mode is Mode.LOCKOUT and self._quick_stop.failed
        if failed or (mode in (Mode.FAULT, Mode.LOCKOUT) and still.reporting_legs):
            self._release()
        # A mode that was FAULT before this cycle makes it an edge inside FAULT. While a cause is
        # there, and until somebody acts after it, the interlock is closed.
        edge = self._reset_was_low and inputs.reset
        if mode is Mode.FAULT and edge and not self._interlock.causes and still.all_legs:
            return Event.CLEARED
        return None

    def _go(self, event: Event) -> None:
        """Change the mode and make the changes of state that entering it requires."""
        old, new = self._mode, step(self._mode, event)
        if new is old:
            return
        self._mode = new
        self._interlock.entered(new)
        self._command.end_stop()
        self._forget_unwatched(WATCHED[new])
        if new in _QUICK_STOPPING:
            strayed = old is Mode.ENGAGING and self._first.failed
            self._quick_stop.begin(self._last_feedback, failed=strayed)
        if new in _ASKED_FOR:
            self._latch.clear()
        if new is Mode.CSTOP:
            self._command.begin_stop()
        elif new in (Mode.ENGAGING, Mode.PARKING):
            self._stream.begin()
            if new is Mode.ENGAGING and self._first.due:
                self._first.begin(self._command.last().length_m)
        elif new in (Mode.OFF, Mode.IDLE):
            self._release()
        elif new in (Mode.HOMING, Mode.QSTOP):
            self._released = False
            self._command.drop()
        elif new is Mode.FAULT and old is Mode.QSTOP:
            self._release()  # the drives' own stop is over; they must not be enabled again
        elif new is Mode.LOCKOUT:
            self._command.drop()

    def _forget_unwatched(self, watched: Watched) -> None:
        """Reset the watches that are inactive in the new mode."""
        if not watched.path:
            self._plausible.forget()
        if not watched.lag:
            self._lag.forget()
        if not watched.force:
            self._load.forget()

    def _release(self) -> None:
        self._command.drop()
        self._released = True

    def _output(self, inputs: GateInputs, found: list[Violation]) -> Action:
        command = self._command
        if WATCHED[self._mode].setpoint:
            return self._follow(inputs, found)
        if self._mode is Mode.STANDBY and command.target is None:
            self._take_measured(inputs.feedback)
        if command.target is None:
            return Action.BLOCKED
        return Action.STOPPING if command.hold_or_stop() else Action.HOLDING

    def _take_measured(self, feedback: Feedback | None) -> None:
        """Begin the commanded state at the measured lengths, once all conditions are met."""
        obstacles = self._checks.start_obstacles(feedback, self._still.all_legs)
        if feedback is not None and not obstacles:
            self._command.start(feedback.length_m)

    def _follow(self, inputs: GateInputs, found: list[Violation]) -> Action:
        """Let the stream continue, or block it and begin the stop in the same cycle."""
        action, bad = self._stream.step(inputs.asked, inputs.setpoint_age_s, found)
        if action is not Action.BLOCKED:
            return action
        found += bad
        event = self._fault_event(bad)
        if event is None or step(self._mode, event) in FOLLOWING_MODES:
            raise GateInconsistentError("a blocked setpoint would not stop the platform")
        self._go(event)
        return self._output(inputs, found)
