"""Counters that notice silence, lateness and standstill.

They count cycles; none of them reads a clock. Comparisons are written so that NaN fails them.
"""

import math

from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import LEG_COUNT, SEQUENCE_MODULUS, Check, Feedback, Setpoint, Six, Violation

_ALL = (True,) * LEG_COUNT
_NO_FAULT = (0,) * LEG_COUNT


class CycleWatch:
    """Watches the cycle itself: every cycle once, in time, and none in a hurry."""

    def __init__(self, limits: GateLimits) -> None:
        self._period_s = limits.period_s
        self._limit_s = limits.late_cycles_max * limits.period_s
        self._index: int | None = None
        self._lead_s = 0.0

    def step(self, index: int, elapsed_s: float, late_s: float) -> list[Violation]:
        """Judge one cycle.

        Args:
            index: number of the cycle; each is one more than the last.
            elapsed_s: measured time since the last cycle [s]; not judged in the first one, which
                has no cycle before it.
            late_s: wake-up after the deadline [s].
        """
        found: list[Violation] = []
        last, self._index = self._index, index
        if not late_s <= self._limit_s:
            found.append(Violation(Check.LATE, None, late_s, self._limit_s, "s", Severity.STOP))
        if last is None:
            return found
        if index != last + 1:
            note = f"cycle {index} after cycle {last}"
            gap_s = (index - last) * self._period_s
            found.append(self._period_violation(gap_s, note))
        if not 0.0 < elapsed_s <= self._limit_s:
            found.append(self._period_violation(elapsed_s, "since the last cycle"))
        # Short cycles are normal after a late one. Many in a row would buy speed with the number
        # of messages, so the cycles together may run ahead of time by one period at most.
        self._lead_s = max(0.0, self._lead_s + self._period_s - elapsed_s)
        if not self._lead_s <= self._period_s * 1.000001:
            note = f"cycles run ahead of time by {self._lead_s:.6g} s"
            found.append(self._period_violation(elapsed_s, note))
            self._lead_s = 0.0
        return found

    def _period_violation(self, value_s: float, note: str) -> Violation:
        return Violation(
            Check.PERIOD, None, value_s, self._limit_s, "s", Severity.STOP, low=0.0, note=note
        )


class SetpointWatch:
    """Picks the setpoints that are new and young enough, and counts the cycles without one."""

    def __init__(self, limits: GateLimits) -> None:
        self._age_max_s = limits.setpoint_age_max_s
        self._last: int | None = None
        self.missed = 0

    def forget(self) -> None:
        """Begin a new stream: any sequence number may come first."""
        self._last = None
        self.missed = 0

    def take(self, asked: Setpoint | None, age_s: float, found: list[Violation]) -> Setpoint | None:
        """Return the setpoint if it may be judged, else None, and count that.

        Args:
            asked: what control asks, or None.
            age_s: its age [s].
            found: takes the reason why a setpoint was left aside.
        """
        if asked is not None:
            if not 0.0 <= age_s <= self._age_max_s:
                limit = self._age_max_s
                found.append(
                    Violation(Check.STALE, None, age_s, limit, "s", Severity.INFORM, low=0.0)
                )
            elif self._last is not None and not is_newer(asked.sequence, self._last):
                note = f"{asked.sequence} is not newer than {self._last}"
                found.append(
                    Violation(
                        Check.SEQUENCE, None, asked.sequence, self._last, "", Severity.INFORM,
                        note=note,
                    )
                )  # fmt: skip
            else:
                self._last = asked.sequence
                self.missed = 0
                return asked
        self.missed += 1
        return None


def is_newer(sequence: int, last: int) -> bool:
    """Whether a 32-bit counter that wraps went forwards, by less than half its range."""
    return 0 < (sequence - last) % SEQUENCE_MODULUS < SEQUENCE_MODULUS // 2


class StandstillWatch:
    """Counts consecutive cycles in which the measured speeds are those of a standing platform."""

    def __init__(self, limits: GateLimits) -> None:
        self._speed_m_s = limits.standstill_speed_m_s
        self._cycles = limits.standstill_cycles
        self._all_cycles = 0
        self._reporting_cycles = 0

    def step(self, feedback: Feedback | None) -> None:
        """Take one cycle's feedback."""
        reporting = 0
        if feedback is not None:
            limit = self._speed_m_s
            for speed, fresh in zip(feedback.speed_m_s, feedback.fresh, strict=True):
                if fresh:
                    if not -limit <= speed <= limit:
                        reporting = 0
                        break
                    reporting += 1
        self._reporting_cycles = self._reporting_cycles + 1 if reporting else 0
        self._all_cycles = self._all_cycles + 1 if reporting == LEG_COUNT else 0

    @property
    def all_legs(self) -> bool:
        """All six legs report, and stand still long enough."""
        return self._all_cycles >= self._cycles

    @property
    def reporting_legs(self) -> bool:
        """Every leg that reports stands still long enough, and at least one does report.

        A silent leg cannot be waited for, or a broken wire would keep the power on for ever.
        """
        return self._reporting_cycles >= self._cycles


class FeedbackWatch:
    """Judges what the drives report: there, finite, without fault, and near the command."""

    def __init__(self, limits: GateLimits) -> None:
        self._limits = limits
        self._base_m = limits.following_base_m
        self._per_movement = limits.following_per_speed_s / limits.period_s
        self._missing = [0] * LEG_COUNT
        self._outside = [0] * LEG_COUNT

    def forget_following(self) -> None:
        """Begin anew: the command was just taken from the measured lengths."""
        self._outside = [0] * LEG_COUNT

    def step(
        self,
        feedback: Feedback | None,
        homed_needed: bool,
        commanded_m: Six | None,
        movement_m: Six,
    ) -> list[Violation]:
        """Judge one cycle's feedback.

        Args:
            feedback: the last bus cycle's, or None when the bank gave none.
            homed_needed: the mode needs all legs homed.
            commanded_m: lengths commanded in that bus cycle [m], or None when there were none;
                with them the drives must be enabled and follow.
            movement_m: their change in that cycle [m].
        """
        found: list[Violation] = []
        if feedback is None:
            for leg in range(LEG_COUNT):
                self._miss(leg, found)
            return found
        if feedback.fresh != _ALL:
            for leg, fresh in enumerate(feedback.fresh):
                if not fresh:
                    self._miss(leg, found)
        self._judge_status(feedback, homed_needed, commanded_m is not None, found)
        outside, base_m, per_movement = self._outside, self._base_m, self._per_movement
        isfinite = math.isfinite
        for leg in range(LEG_COUNT):
            if not feedback.fresh[leg]:
                continue
            self._missing[leg] = 0
            length, speed = feedback.length_m[leg], feedback.speed_m_s[leg]
            if not (isfinite(length) and isfinite(speed)):
                found.append(_not_finite(leg, length, speed))
            elif commanded_m is not None:
                error = length - commanded_m[leg]
                window = base_m + per_movement * abs(movement_m[leg])
                if -window <= error <= window:
                    outside[leg] = 0
                else:
                    self._stray(leg, error, window, found)
        return found

    def _miss(self, leg: int, found: list[Violation]) -> None:
        self._missing[leg] += 1
        missing, limit = self._missing[leg], self._limits.missing_feedback_max
        if missing > limit:
            found.append(
                Violation(Check.FEEDBACK, leg + 1, missing, limit, "cycles", Severity.STOP)
            )

    def _stray(self, leg: int, error_m: float, window_m: float, found: list[Violation]) -> None:
        self._outside[leg] += 1
        if self._outside[leg] >= self._limits.following_cycles:
            found.append(
                Violation(
                    Check.FOLLOWING, leg + 1, error_m, window_m, "m", Severity.STOP, low=-window_m
                )
            )

    @staticmethod
    def _judge_status(
        feedback: Feedback, homed_needed: bool, enabled_needed: bool, found: list[Violation]
    ) -> None:
        if feedback.fault_code != _NO_FAULT:
            for leg, code in enumerate(feedback.fault_code, 1):
                if code != 0:
                    found.append(_drive(leg, code, f"reports fault 0x{code:04X}"))
        if homed_needed and feedback.homed != _ALL:
            for leg, homed in enumerate(feedback.homed, 1):
                if not homed:
                    found.append(_drive(leg, 0, "is not homed any more"))
        if enabled_needed and feedback.enabled != _ALL:
            for leg, enabled in enumerate(feedback.enabled, 1):
                if not enabled:
                    found.append(_drive(leg, 0, "does not follow setpoints any more"))


def _drive(leg: int, value: int, note: str) -> Violation:
    return Violation(Check.DRIVE, leg, value, 0.0, "", Severity.STOP, note=note)


def _not_finite(leg: int, length_m: float, speed_m_s: float) -> Violation:
    if math.isfinite(length_m):
        value, limit, unit, name = speed_m_s, math.inf, "m/s", "measured speed"
    else:
        value, limit, unit, name = length_m, math.inf, "m", "measured length"
    return Violation(Check.FEEDBACK, leg + 1, value, limit, unit, Severity.STOP, note=name)
