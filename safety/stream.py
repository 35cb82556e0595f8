"""The stream of asked setpoints: its start, the setpoints that pass, the gaps that are bridged."""

from hil_common.legs import LegTarget
from safety.checks import SetpointChecks
from safety.command import CommandedState
from safety.first_motion import FirstMotionWatch
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Action, Check, Setpoint, Violation
from safety.watchdog import SetpointWatch

Outcome = tuple[Action, list[Violation]]
"""Action; with `Action.BLOCKED`, nothing was done, for these reasons."""

_NOTHING: list[Violation] = []
_OF_JOINING = frozenset({Check.SPEED, Check.ACCELERATION, Check.SPEED_MISMATCH})
"""Checks that a sound motion may offend after bridged cycles: it did not keep constant speed."""


class SetpointStream:
    """Moves the commanded state on as control asks, as long as that passes the checks."""

    def __init__(
        self,
        limits: GateLimits,
        checks: SetpointChecks,
        command: CommandedState,
        first: FirstMotionWatch,
    ) -> None:
        self._missing_max = limits.missing_setpoints_max
        self._checks = checks
        self._command = command
        self._first = first
        self._watch = SetpointWatch(limits)
        self._waiting = True

    def begin(self) -> None:
        """Wait, holding, for the first setpoint of a new stream."""
        self._watch.forget()
        self._waiting = True

    def step(self, asked: Setpoint | None, age_s: float, found: list[Violation]) -> Outcome:
        """Take one cycle's setpoint or its absence.

        Args:
            found: takes what is only reported, such as a stale setpoint.
        """
        command = self._command
        last = command.last()
        missed = self._watch.missed
        setpoint = self._watch.take(asked, age_s, found)
        if setpoint is None:
            if self._waiting:
                command.hold_or_stop()
                return Action.HOLDING, _NOTHING
            return self._bridge(last, found)
        if self._waiting:
            bad = self._checks.start_offset(last.length_m, setpoint.length_m)
            if bad:
                return Action.BLOCKED, bad
        bad = self._checks.judge(
            last.length_m, command.movement_m, setpoint.length_m, setpoint.speed_m_s
        )
        if self._first.due:
            bad += self._first.objections(last.length_m, setpoint.length_m)
        if bad:
            return Action.BLOCKED, self._after_gap(missed, bad)
        self._waiting = False
        command.advance(setpoint.length_m, setpoint.speed_m_s)
        return Action.PASSED, bad

    def _after_gap(self, missed: int, bad: list[Violation]) -> list[Violation]:
        """Name the gap first, where a setpoint does not continue what it was bridged with."""
        if self._waiting or not missed or bad[0].check not in _OF_JOINING:
            return bad
        note = f"bridged, and what came then does not go on from there: {bad[0]}"
        return [self._missing(missed, Severity.HOLD, note), *bad]

    def _bridge(self, last: LegTarget, found: list[Violation]) -> Outcome:
        """Continue at constant speed for a few cycles, if that passes every check itself."""
        command, missed = self._command, self._watch.missed
        ahead = command.extrapolated()
        bad = self._checks.judge(last.length_m, command.movement_m, ahead.length_m, ahead.speed_m_s)
        if bad or missed > self._missing_max:
            note = f"cannot go on at constant speed: {bad[0]}" if bad else ""
            return Action.BLOCKED, [self._missing(missed, Severity.HOLD, note)]
        found.append(self._missing(missed, Severity.INFORM, "bridged"))
        command.advance(ahead.length_m, ahead.speed_m_s)
        return Action.BRIDGED, bad

    def _missing(self, missed: int, severity: Severity, note: str) -> Violation:
        return Violation(
            Check.MISSING, None, missed, self._missing_max, "cycles", severity, note=note
        )
