"""Journal of a run for the recorder: a row per cycle, and events."""

from collections.abc import Callable, Mapping

from drives.bank import BankFeedback
from hil.recording.events import EventKind, Level
from hil.recording.recorder import RecordingSink
from hil.run.journal import KEPT_EVENTS, Audience, Journal, Scalar
from hil.stations.platform.cycle.control import Control
from hil.stations.platform.cycle.expected_force import ExpectedForces
from hil.stations.platform.cycle.run_warnings import CHECKS, GATE, RunWarnings
from hil.stations.platform.signals import ACTION_CODE, MODE_CODE, CycleFlag, packed
from hil.timing.clock import Tick
from hil_common.legs import SixBools
from platform6dof.forward import ForwardResult
from safety.modes import Mode
from safety.verdict import Check, Severity, Verdict, Violation

SERVICE_EVERY = 16
"""Number of cycles between two polls of the recorder: fewer than the smallest ring can spare."""


class PlatformJournal(Journal):
    """Journal of a run of this station.

    Args:
        sink, audience: those of `Journal`.
        blank: bytes of an extension's signals in the row of a cycle without them.
        expected: signal of the forces that the rig's masses need; None without one.
    """

    def __init__(
        self,
        sink: RecordingSink,
        audience: Audience | None = None,
        blank: bytes = b"",
        expected: ExpectedForces | None = None,
    ) -> None:
        super().__init__(sink, audience)
        self._blank, self._expected = blank, expected
        self._mode: Mode | None = None
        self._violations: tuple[Violation, ...] = ()
        self.homed: SixBools = (False, False, False, False, False, False)
        """Whether each leg had found its reference in the newest cycle."""
        self.violations: list[tuple[float, Violation]] = []
        self.say: Callable[[str], None] | None = None
        """Takes a line for the person at the terminal, without waiting; None if there is none."""
        self._warned = RunWarnings()

    def cycle(
        self,
        tick: Tick,
        control: Control,
        verdict: Verdict,
        feedback: BankFeedback,
        reached: ForwardResult | None,
        busy_s: float,
        flags: int,
        sent_s: float,
    ) -> None:
        """Record one cycle; asked, allowed, sent and measured side by side.

        Args:
            reached: its forward kinematics, None if that was not tried.
            busy_s: computing time of the last cycle [s].
            flags: :class:`CycleFlag` bits that the loop knows of.
            sent_s: time at which the drives were commanded, monotonic [s].
        """
        self.homed = feedback.homed
        wanted, asked = control.wanted, control.asked
        allowed, sent = verdict.allowed, feedback.accepted
        pose = residual_m = None
        if reached is not None and reached.converged:
            pose, residual_m = reached.X_BP.six_coordinates(), reached.residual_m
        elif reached is not None:
            flags |= CycleFlag.FORWARD_FAILED
        if not all(feedback.fresh):
            flags |= CycleFlag.FEEDBACK_STALE
        if verdict.faults:
            flags |= CycleFlag.FAULT_LATCHED
        row = packed(  # in the order of the table: names would cost time
            tick.index,
            tick.t_s,
            tick.dt_s,
            tick.late_s,
            busy_s,
            MODE_CODE[verdict.mode],
            ACTION_CODE[verdict.action],
            flags,
            None if wanted is None else wanted.six_coordinates(),
            None if asked is None else asked.length_m,
            None if asked is None else asked.speed_m_s,
            None if allowed is None else allowed.length_m,
            None if allowed is None else allowed.speed_m_s,
            None if sent is None else sent.length_m,
            feedback.length_m,
            feedback.speed_m_s,
            feedback.force_n,
            pose,
            residual_m,
            feedback.inputs,
            verdict.lag_s,
            sent_s,
        )
        self.row(row + self._beside(control), tick.t_s, tick.index)
        if verdict.mode is not self._mode or verdict.violations or verdict.faults:
            self._note_violations(tick, verdict)
        if tick.index % SERVICE_EVERY == 0:
            self.service()

    def _beside(self, control: Control) -> bytes:
        """Bytes of a row behind the signals of every rig."""
        beside = control.beside or self._blank
        return beside if self._expected is None else beside + self._expected.row(control.wanted)

    def note(self, tick: Tick, message: str, level: Level = Level.INFO) -> None:
        """Record a line of text."""
        self.put(tick.t_s, tick.index, message, level=level)

    def operator(self, tick: Tick, message: str, data: dict[str, str | bool]) -> None:
        """Record an act of the operator, and its result."""
        self.put(tick.t_s, tick.index, message, data, who="operator")

    def desk(self, tick: Tick, message: str, data: dict[str, str | bool]) -> None:
        """Record a change of the operator's desk."""
        self.warn(tick.t_s, tick.index, message, data, who="operator")

    def object(self, tick: Tick, check: str, value: float, limit: float, unit: str) -> None:
        """Record a violation that the loop found itself."""
        message = f"{check} {value:g} {unit}, more than {limit:g} {unit}"
        data = {"check": check, "leg": None, "value": value, "limit": limit, "unit": unit}
        self.put(tick.t_s, tick.index, message, data, kind=EventKind.VIOLATION, level=Level.ERROR)

    def _note_violations(self, tick: Tick, verdict: Verdict) -> None:
        """Record a change of mode, and violations that the last cycle did not have, as events."""
        for violation in verdict.violations:
            if not self._repeats(violation):
                kind, level = _weight(violation)
                if kind is EventKind.VIOLATION and len(self.violations) < KEPT_EVENTS:
                    self.violations.append((tick.t_s, violation))
                data = violation_data(violation)
                self.put(
                    tick.t_s, tick.index, str(violation), data, who=GATE, kind=kind, level=level
                )
                if kind is EventKind.NOTE and data["check"] in CHECKS:
                    self._warn(tick, str(violation), data)
        self._violations = verdict.violations
        if verdict.mode is not self._mode:
            before = "start" if self._mode is None else self._mode.name
            level = Level.ERROR if verdict.mode in (Mode.FAULT, Mode.LOCKOUT) else Level.INFO
            message = f"{before} → {verdict.mode.name}"
            data = {"mode": verdict.mode.name}
            self.put(
                tick.t_s, tick.index, message, data, who="gate", kind=EventKind.MODE, level=level
            )
            self._mode = verdict.mode

    def _warn(self, tick: Tick, message: str, data: Mapping[str, Scalar]) -> None:
        """Warn a person: at the end, and at the terminal when it comes first."""
        key, one = self._warned.take(tick.t_s, message, data)
        self.remember(key, one.line)
        if self.say is not None and one.times == 1:
            self.say(f"at {tick.t_s:.2f} s {message}; the run goes on")

    def _repeats(self, violation: Violation) -> bool:
        """Whether the same check on the same leg was violated in the last cycle too, and no milder.

        A drive may warn of several things.
        """
        return any(
            t.check is violation.check
            and t.leg == violation.leg
            and t.severity >= violation.severity
            and (t.check is not Check.WARNING or t.note == violation.note)
            for t in self._violations
        )


def _weight(violation: Violation) -> tuple[EventKind, Level]:
    """Kind and level of an event: a waiting request is a note, a bridged setpoint a warning."""
    if violation.severity is not Severity.INFORM:
        return EventKind.VIOLATION, Level.ERROR
    waits = violation.check is Check.REQUEST
    return EventKind.NOTE, Level.DEBUG if waits else Level.WARNING


def violation_data(violation: Violation) -> dict[str, str | int | float | bool | None]:
    """Data of a violation for a program: check, leg, value, limit, unit, text.

    Counts are floats too, as from a gate in another process and from a compiled one.
    """
    return {
        "check": violation.check.name.lower(),
        "leg": violation.leg,
        "value": float(violation.value),
        "low": None if violation.low is None else float(violation.low),
        "limit": float(violation.limit),
        "unit": violation.unit,
        "message": str(violation),
    }
