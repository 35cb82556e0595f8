"""What the loop tells the recorder: a row per cycle, and an event for whatever happened.

It never waits: a full ring drops and counts. Events are also kept in memory, so that a run whose
disk is full still says why it stopped.
"""

import math
from collections.abc import Callable

from drives.bank import BankFeedback, SixBools
from hil.recording.dating import clock_event
from hil.recording.events import EVENTS, ROWS, EventKind, EventRecord, Level
from hil.recording.recorder import RecordingSink
from hil.run.audience import Audience
from hil.stations.platform.control import Control
from hil.stations.platform.signals import ACTION_CODE, MODE_CODE, NAN6, CycleFlag, packed
from hil.timing.clock import Moment, Tick
from platform6dof.forward import ForwardResult
from safety.modes import Mode
from safety.verdict import Check, Severity, Verdict, Violation

KEPT_EVENTS = 1000
SERVICE_EVERY = 16
"""Cycles between two looks at the recorder: fewer than the smallest ring has slots to spare."""


class Journal:
    """Writes a run into the ring of a recorder, inline or in a process of its own.

    Args:
        sink: the recorder.
        telemetry: who is told the same bytes at once, panels for instance; None for nobody.
    """

    def __init__(self, sink: RecordingSink, telemetry: Audience | None = None) -> None:
        self._sink = sink
        self._telemetry = telemetry
        self._ring = sink.ring
        self._mode: Mode | None = None
        self._told: tuple[Violation, ...] = ()
        self.dated: Callable[[], Moment] | None = None
        """Tells the instant of the first cycle, which dates all of them; None in a dry run."""
        self.homed: SixBools = (False, False, False, False, False, False)
        """Whether each leg had found its reference in the newest cycle."""
        self.events: list[EventRecord] = []
        self.violations: list[tuple[float, Violation]] = []

    def cycle(
        self,
        tick: Tick,
        control: Control,
        verdict: Verdict,
        feedback: BankFeedback,
        reached: ForwardResult | None,
        busy_s: float,
        flags: int,
    ) -> None:
        """Put one cycle down; asked, allowed, sent and measured side by side.

        Args:
            tick: the cycle.
            control: what control wanted and asked.
            verdict: what the gate made of it.
            feedback: what the drives said.
            reached: the forward kinematics of it, None if it was not tried.
            busy_s: what the last cycle took [s].
            flags: :class:`CycleFlag` bits that the loop knows of.
        """
        self.homed = feedback.homed
        asked, allowed, sent = control.asked, verdict.allowed, feedback.accepted
        if not all(feedback.fresh):
            flags |= CycleFlag.FEEDBACK_STALE
        pose, residual_m = NAN6, math.nan
        if reached is not None:
            if reached.converged:
                pose, residual_m = reached.X_BP.coordinates().tolist(), reached.residual_m
            else:
                flags |= CycleFlag.FORWARD_FAILED
        if verdict.faults:
            flags |= CycleFlag.FAULT_LATCHED
        row = packed(
            tick.index,
            tick.t_s,
            tick.dt_s,
            tick.late_s,
            busy_s,
            MODE_CODE[verdict.mode],
            ACTION_CODE[verdict.action],
            flags,
            NAN6 if control.wanted is None else control.wanted.X_BP.coordinates().tolist(),
            NAN6 if asked is None else asked.length_m,
            NAN6 if asked is None else asked.speed_m_s,
            NAN6 if allowed is None else allowed.length_m,
            NAN6 if allowed is None else allowed.speed_m_s,
            NAN6 if sent is None else sent.length_m,
            feedback.length_m,
            feedback.speed_m_s,
            feedback.force_n,
            pose,
            residual_m,
            feedback.inputs,
            math.nan if verdict.lag_s is None else verdict.lag_s,
        )
        self._push(ROWS, row)
        if self._mode is None and self.dated is not None:
            self._event(clock_event(tick.t_s, tick.index, self.dated()))
        if verdict.mode is not self._mode or verdict.violations or verdict.faults:
            self._tell(tick, verdict)
        if tick.index % SERVICE_EVERY == 0 and (said := self._sink.service()):
            self.note(tick, said, Level.WARNING)

    def note(self, tick: Tick, message: str, level: Level = Level.INFO) -> None:
        """Put a line of text down."""
        self._event(EventRecord(tick.t_s, tick.index, EventKind.NOTE, level, "loop", message))

    def operator(self, tick: Tick, message: str, data: dict[str, str | bool]) -> None:
        """Put down what the operator did, and what came of it."""
        kind, level = EventKind.NOTE, Level.INFO
        self._event(EventRecord(tick.t_s, tick.index, kind, level, "operator", message, data))

    def object(self, tick: Tick, check: str, value: float, limit: float, unit: str) -> None:
        """Put down a violation that the loop found itself."""
        message = f"{check} {value:g} {unit}, more than {limit:g} {unit}"
        data = {"check": check, "leg": None, "value": value, "limit": limit, "unit": unit}
        self._event(
            EventRecord(
                tick.t_s, tick.index, EventKind.VIOLATION, Level.ERROR, "loop", message, data
            )
        )

    def _tell(self, tick: Tick, verdict: Verdict) -> None:
        """Events for a change of mode and for violations that the last cycle did not have."""
        for violation in verdict.violations:
            if not self._repeats(violation):
                kind, level = _weight(violation)
                if kind is EventKind.VIOLATION and len(self.violations) < KEPT_EVENTS:
                    self.violations.append((tick.t_s, violation))
                self._event(
                    EventRecord(
                        tick.t_s,
                        tick.index,
                        kind,
                        level,
                        "gate",
                        str(violation),
                        violation_data(violation),
                    )
                )
        self._told = verdict.violations
        if verdict.mode is not self._mode:
            before = "start" if self._mode is None else self._mode.name
            level = Level.ERROR if verdict.mode in (Mode.FAULT, Mode.LOCKOUT) else Level.INFO
            message = f"{before} → {verdict.mode.name}"
            data = {"mode": verdict.mode.name}
            self._event(
                EventRecord(tick.t_s, tick.index, EventKind.MODE, level, "gate", message, data)
            )
            self._mode = verdict.mode

    def _repeats(self, violation: Violation) -> bool:
        """The same check on the same leg was violated in the last cycle too, and no milder.

        A drive may warn of several things.
        """
        return any(
            t.check is violation.check
            and t.leg == violation.leg
            and t.severity >= violation.severity
            and (t.check is not Check.WARNING or t.note == violation.note)
            for t in self._told
        )

    def _event(self, event: EventRecord) -> None:
        self._push(EVENTS, event.to_bytes())
        if len(self.events) < KEPT_EVENTS:
            self.events.append(event)

    def _push(self, kind: int, payload: bytes) -> None:
        self._ring.push(kind, payload)
        if self._telemetry is not None:
            self._telemetry.push(kind, payload)


def _weight(violation: Violation) -> tuple[EventKind, Level]:
    """A request that must wait is no violation; a setpoint that was bridged is worth a warning."""
    if violation.severity is not Severity.INFORM:
        return EventKind.VIOLATION, Level.ERROR
    waits = violation.check is Check.REQUEST
    return EventKind.NOTE, Level.DEBUG if waits else Level.WARNING


def violation_data(violation: Violation) -> dict[str, str | int | float | bool | None]:
    """A violation for a program: check, leg, value, limit, unit, text."""
    return {
        "check": violation.check.name.lower(),
        "leg": violation.leg,
        "value": violation.value,
        "low": violation.low,
        "limit": violation.limit,
        "unit": violation.unit,
        "message": str(violation),
    }
