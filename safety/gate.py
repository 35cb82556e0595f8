"""The last gate before the drives: one call per cycle, a verdict each time.

Order of a cycle: the cycle itself, the feedback, the modes, then the asked setpoint or a step of
the controlled stop. A setpoint that fails a check is blocked, never clipped: the stop begins in the
same cycle from the last commanded state.

Start protocol. When the drives are enabled and stand still in STANDBY, the gate takes the measured
lengths as its commanded state and allows them, at zero speed, in every cycle (`Action.HOLDING`).
After ENGAGE or PARK it goes on holding until control's first setpoint; control plans its movement
from `Gate.commanded` (the same as `Verdict.allowed`), at rest. From the first accepted setpoint on,
every cycle must bring one.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from safety.checks import ROUNDING_M, SetpointChecks
from safety.limits import GateLimits, LegLimits, LimitsError
from safety.modes import (
    FAULT_EVENT,
    FOLLOWING_MODES,
    HOMED_MODES,
    DriveRequest,
    Event,
    Mode,
    Request,
    Severity,
    accepts,
    drive_request,
    most_cautious,
    step,
)
from safety.stopping import StopRamp
from safety.verdict import (
    ZERO_SIX,
    Action,
    Check,
    Feedback,
    LegTarget,
    Setpoint,
    Six,
    Verdict,
    Violation,
)
from safety.watchdog import CycleWatch, FeedbackWatch, SetpointWatch, StandstillWatch

__all__ = [
    "Action",
    "Check",
    "DriveRequest",
    "Feedback",
    "Gate",
    "GateInputs",
    "GateLimits",
    "LegLimits",
    "LegTarget",
    "LimitsError",
    "Mode",
    "Request",
    "Setpoint",
    "Severity",
    "Verdict",
    "Violation",
]


@dataclass(frozen=True, slots=True)
class GateInputs:
    """All that the gate knows of one cycle.

    Args:
        index: number of the cycle.
        elapsed_s: measured time since the last cycle [s].
        late_s: wake-up after the deadline [s].
        asked: control's newest setpoint, or None.
        setpoint_age_s: its age [s]; not looked at without one.
        feedback: what the last bus cycle brought, or None.
        requests: what control and operator ask; the most cautious one is obeyed.
        reset: the operator's reset input; its rising edge counts.
    """

    index: int
    elapsed_s: float
    late_s: float
    asked: Setpoint | None
    setpoint_age_s: float
    feedback: Feedback | None
    requests: tuple[Request, ...] = ()
    reset: bool = False


class Gate:
    """Lets setpoints through, or stops the platform and says why.

    Args:
        limits: the limits, judged at their construction.
    """

    def __init__(self, limits: GateLimits) -> None:
        self._limits = limits
        self._checks = SetpointChecks(limits)
        self._cycle = CycleWatch(limits)
        self._setpoints = SetpointWatch(limits)
        self._feedback = FeedbackWatch(limits)
        self._still = StandstillWatch(limits)
        self._mode = Mode.OFF
        self._target: LegTarget | None = None
        self._movement_m: Six = ZERO_SIX
        self._ramp: StopRamp | None = None
        self._ramp_cycle = 0
        self._waiting = True
        self._released = True
        self._reset_seen_low = False
        self._latched: dict[tuple[Check, int | None], Violation] = {}
        self._faults: tuple[Violation, ...] = ()

    @property
    def mode(self) -> Mode:
        """Mode after the last cycle."""
        return self._mode

    @property
    def commanded(self) -> LegTarget | None:
        """Last commanded state, from which control plans; None while the drives have none."""
        return self._target

    @property
    def limits(self) -> GateLimits:
        """The limits this gate was built with."""
        return self._limits

    def step(self, inputs: GateInputs) -> Verdict:
        """Judge one cycle. Never raises: what breaks inside locks the gate and is told."""
        found: list[Violation] = []
        try:
            action = self._cycle_step(inputs, found)
        except Exception as error:
            action = self._lock_out(f"{type(error).__name__}: {error}", found)
        allowed = None if action is Action.BLOCKED else self._target
        drives = drive_request(self._mode, self._released)
        return Verdict(
            inputs.index, self._mode, action, tuple(found), allowed, drives, self._faults
        )

    def _cycle_step(self, inputs: GateInputs, found: list[Violation]) -> Action:
        mode, feedback, target = self._mode, inputs.feedback, self._target
        self._still.step(feedback)
        found += self._cycle.step(inputs.index, inputs.elapsed_s, inputs.late_s)
        if mode is not Mode.OFF and mode is not Mode.LOCKOUT:
            length_m = None if target is None else target.length_m
            found += self._feedback.step(feedback, mode in HOMED_MODES, length_m, self._movement_m)
        cause_gone = not found
        if found or inputs.requests or mode not in FOLLOWING_MODES:
            self._change_mode(inputs, cause_gone, found)
        self._reset_seen_low = self._mode is Mode.FAULT and not inputs.reset
        return self._output(inputs, found)

    # Modes

    def _change_mode(self, inputs: GateInputs, cause_gone: bool, found: list[Violation]) -> None:
        before = self._mode
        event = self._latch(found)
        if event is not None:
            self._go(event)
        if inputs.requests:
            self._obey(inputs, event is not None, found)
        if self._mode is before:
            observed = self._observe(inputs, cause_gone)
            if observed is not None:
                self._go(observed)

    def _latch(self, found: Iterable[Violation]) -> Event | None:
        """Keep the faults; return the event of all that are latched if one of them is new."""
        new = [
            v for v in found
            if v.severity > Severity.INFORM and (v.check, v.leg) not in self._latched
        ]  # fmt: skip
        if self._mode is Mode.OFF:  # no power, no bus: nothing to stop, nothing to keep
            new = [v for v in new if v.severity is Severity.LOCKOUT]
        if not new:
            return None
        for violation in new:
            self._latched.setdefault((violation.check, violation.leg), violation)
        self._faults = tuple(self._latched.values())
        if self._mode is Mode.FAULT and self._released:
            return None  # without power there is nothing left to react with
        return FAULT_EVENT[self._worst()]

    def _worst(self) -> Severity:
        """Reaction to all latched faults: the worst one; two causes of class B make a class A."""
        worst = max((v.severity for v in self._faults), default=Severity.INFORM)
        causes = {v.cause for v in self._faults if v.severity is Severity.STOP}
        return max(worst, Severity.QUICK_STOP) if len(causes) > 1 else worst

    def _obey(self, inputs: GateInputs, faulted: bool, found: list[Violation]) -> None:
        chosen = most_cautious(inputs.requests)
        for request in set(inputs.requests):
            reason = "another request or a fault goes first"
            if request is chosen and not faulted:
                reason = self._obstacle(request, inputs.feedback)
                if not reason:
                    self._go(self._event(request))
                    continue
            note = f"{request.name} refused in {self._mode.name}: {reason}"
            found.append(Violation(Check.REQUEST, None, 0, 0, "", Severity.INFORM, note=note))

    def _event(self, request: Request) -> Event:
        if request is Request.PARK:
            return Event.PARK_AT_REST if self._at_rest() else Event.PARK_MOVING
        return Event[request.name]

    def _obstacle(self, request: Request, feedback: Feedback | None) -> str:
        """Why a request cannot be obeyed now; empty when it can."""
        event = self._event(request)
        if not accepts(self._mode, event):
            return "this mode does not take it"
        if request is Request.ENGAGE and self._target is None:
            return "; ".join(self._start_obstacles(feedback))
        if request is Request.PARKED and not self._at_rest():
            return "the commanded state moves"
        powers_off = step(self._mode, event) is Mode.OFF and self._mode in HOMED_MODES
        if powers_off and not self._still.all_legs:
            return "a leg is not measured at standstill"
        return ""

    def _observe(self, inputs: GateInputs, cause_gone: bool) -> Event | None:
        mode, feedback = self._mode, inputs.feedback
        stopped = Event.AT_REST
        if self._worst() >= Severity.STOP:
            stopped = Event.AT_REST_FAULTED
        if mode is Mode.HOMING and feedback is not None and self._still.all_legs:
            return Event.HOMED if all(feedback.homed) else None
        if mode is Mode.CSTOP and self._movement_m == ZERO_SIX:
            return stopped
        if mode is Mode.QSTOP and self._still.reporting_legs:
            return stopped
        if mode in (Mode.FAULT, Mode.LOCKOUT) and self._still.reporting_legs:
            self._release()
        edge = self._reset_seen_low and inputs.reset
        if mode is Mode.FAULT and edge and cause_gone and self._still.all_legs:
            return Event.CLEARED
        return None

    def _go(self, event: Event) -> None:
        """Change the mode and do what belongs to entering it."""
        old, new = self._mode, step(self._mode, event)
        if new is old:
            return
        self._mode = new
        self._ramp = None
        if new is Mode.CSTOP and self._target is not None:
            steps = self._checks.brake_steps_m
            self._ramp = StopRamp.begin(self._target.length_m, self._movement_m, steps)
            self._ramp_cycle = 0
        elif new in (Mode.ENGAGING, Mode.PARKING):
            # Asking for it acknowledges what led to a mere hold.
            self._forget_faults()
            self._setpoints.forget()
            self._waiting = True
        elif new in (Mode.OFF, Mode.IDLE):
            self._forget_faults()
            self._release()
        elif new in (Mode.HOMING, Mode.STANDBY):
            self._released = False
        elif new is Mode.QSTOP or (new is Mode.FAULT and old is Mode.QSTOP):
            self._drop_command()
            self._released = new is Mode.FAULT
        elif new is Mode.LOCKOUT:
            self._drop_command()

    def _forget_faults(self) -> None:
        self._latched.clear()
        self._faults = ()

    def _release(self) -> None:
        self._drop_command()
        self._released = True

    def _drop_command(self) -> None:
        self._target = None
        self._movement_m = ZERO_SIX

    # Setpoints

    def _output(self, inputs: GateInputs, found: list[Violation]) -> Action:
        mode = self._mode
        if mode in FOLLOWING_MODES:
            return self._follow(inputs, found)
        if mode is Mode.STANDBY and self._target is None:
            self._take_measured(inputs.feedback)
        if self._target is None:
            return Action.BLOCKED
        if self._ramp is not None:
            self._ramp_cycle += 1
            speed_m_s = self._ramp.speed_m_s(self._ramp_cycle, self._limits.period_s)
            length_m = self._ramp.length_m(self._ramp_cycle)
            return self._emit(Action.STOPPING, length_m, speed_m_s, found)
        return self._emit(Action.HOLDING, self._target.length_m, ZERO_SIX, found)

    def _follow(self, inputs: GateInputs, found: list[Violation]) -> Action:
        target, movement_m = self._target, self._movement_m
        if target is None:
            return self._lock_out("no commanded state to follow from", found)
        asked = self._setpoints.take(inputs.asked, inputs.setpoint_age_s, found)
        if asked is None:
            if self._waiting:
                return self._emit(Action.HOLDING, target.length_m, ZERO_SIX, found)
            return self._bridge(inputs, target, found)
        bad = self._start_offset(target, asked) if self._waiting else []
        if not bad:
            bad = self._checks.judge(target.length_m, movement_m, asked.length_m, asked.speed_m_s)
        if bad:
            return self._stop(bad, inputs, found)
        self._waiting = False
        return self._emit(Action.PASSED, asked.length_m, asked.speed_m_s, found)

    def _bridge(self, inputs: GateInputs, target: LegTarget, found: list[Violation]) -> Action:
        """Go on at constant speed for a few cycles, if that passes every check itself."""
        dt = self._limits.period_s
        a, b, c, d, e, f = map(float.__add__, target.length_m, self._movement_m)
        length_m = (a, b, c, d, e, f)
        a, b, c, d, e, f = (u / dt for u in self._movement_m)
        speed_m_s = (a, b, c, d, e, f)
        missed, limit = self._setpoints.missed, self._limits.missing_setpoints_max
        bad = self._checks.judge(target.length_m, self._movement_m, length_m, speed_m_s)
        enough = missed > limit or bad
        severity = Severity.HOLD if enough else Severity.INFORM
        note = f"no way to go on: {bad[0]}" if bad else ""
        missing = Violation(Check.MISSING, None, missed, limit, "cycles", severity, note=note)
        if enough:
            return self._stop([missing], inputs, found)
        found.append(missing)
        return self._emit(Action.BRIDGED, length_m, speed_m_s, found)

    def _stop(self, bad: list[Violation], inputs: GateInputs, found: list[Violation]) -> Action:
        found += bad
        event = self._latch(bad)
        if event is not None:
            self._go(event)
        if self._mode in FOLLOWING_MODES:
            return self._lock_out("a blocked setpoint did not stop the platform", found)
        return self._output(inputs, found)

    def _start_offset(self, target: LegTarget, asked: Setpoint) -> list[Violation]:
        limit = self._limits.start_tolerance_m
        pairs = zip(asked.length_m, target.length_m, strict=True)
        offsets = [(leg, a - b) for leg, (a, b) in enumerate(pairs, 1)]
        return [
            Violation(Check.START, leg, offset, limit, "m", Severity.HOLD, low=-limit)
            for leg, offset in offsets
            if not -limit <= offset <= limit
        ]

    def _start_obstacles(self, feedback: Feedback | None) -> list[str]:
        """Why the measured lengths cannot be taken as the commanded state."""
        if feedback is None or not all(feedback.fresh):
            return ["feedback of all six legs is needed"]
        reasons: list[str] = []
        if not all(feedback.enabled):
            reasons.append("the drives are not enabled")
        if not self._still.all_legs:
            reasons.append("the legs do not stand still")
        margin = self._limits.margin_m(0.0)
        legs = zip(feedback.length_m, self._limits.legs, strict=True)
        for number, (length, leg) in enumerate(legs, 1):
            low, high = leg.soft_min_m + margin, leg.soft_max_m - margin
            if not low <= length <= high:
                reasons.append(
                    str(Violation(Check.POSITION, number, length, high, "m", Severity.INFORM, low))
                )
        return reasons

    def _take_measured(self, feedback: Feedback | None) -> None:
        if feedback is not None and not self._start_obstacles(feedback):
            self._target = LegTarget(feedback.length_m, ZERO_SIX)
            self._movement_m = ZERO_SIX
            self._feedback.forget_following()

    def _at_rest(self) -> bool:
        """Whether the commanded state stands: one cycle of braking is all it takes."""
        limit = self._limits.standstill_speed_m_s * self._limits.period_s
        pairs = zip(self._movement_m, self._checks.brake_steps_m, strict=True)
        return all(abs(u) <= min(limit, brake) for u, brake in pairs)

    # Output

    def _emit(
        self, action: Action, length_m: Six, speed_m_s: Six, found: list[Violation]
    ) -> Action:
        """Check the gate's own output once more, then make it the commanded state."""
        target = self._target
        if target is None:
            return self._lock_out("no commanded state to go on from", found)
        dt = self._limits.period_s
        movement: list[float] = []
        last_m, before_m = target.length_m, self._movement_m
        for i, leg in enumerate(self._limits.legs):
            length = length_m[i]
            move = length - last_m[i]
            change = move - before_m[i]
            step_max = leg.speed_max_m_s * dt + ROUNDING_M
            change_max = leg.acceleration_max_m_s2 * dt * dt + 2.0 * ROUNDING_M
            if not (
                leg.soft_min_m <= length <= leg.soft_max_m
                and -step_max <= move <= step_max
                and -change_max <= change <= change_max
            ):
                return self._lock_out(f"{action.name} would send {length} m to leg {i + 1}", found)
            movement.append(move)
        a, b, c, d, e, f = movement
        self._movement_m = (a, b, c, d, e, f)
        self._target = LegTarget(length_m, speed_m_s)
        return action

    def _lock_out(self, reason: str, found: list[Violation]) -> Action:
        internal = Violation(Check.INTERNAL, None, 1, 0, "", Severity.LOCKOUT, note=reason)
        found.append(internal)
        self._latched.setdefault((internal.check, None), internal)
        self._faults = tuple(self._latched.values())
        self._go(Event.FAULT_LOCKOUT)
        return Action.BLOCKED
