"""Counters that notice lateness, silence of control, and standstill.

They count cycles; none of them reads a clock. Comparisons are written so that NaN fails them.
"""

from hil_common.legs import LEG_COUNT
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import SEQUENCE_MODULUS, Check, Feedback, Setpoint, Violation

_ALL = (True,) * LEG_COUNT


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
            note = f"cycle {index} came after cycle {last}"
            found.append(_period(float(index - last), 1.0, "cycles", 1.0, note))
        if not 0.0 < elapsed_s <= self._limit_s:
            found.append(_period(elapsed_s, self._limit_s, "s", 0.0, ""))
        # Short cycles are normal after a late one. Many in a row would buy speed with the number
        # of messages, so the cycles together may run ahead of time by one period at most.
        lead_s = self._lead_s + self._period_s - elapsed_s
        self._lead_s = lead_s if lead_s > 0.0 else 0.0
        if self._lead_s > self._period_s * _LEAD_ROUNDING:
            note = "the cycles together run ahead of time"
            found.append(_period(self._lead_s, self._period_s, "s", None, note))
            self._lead_s = 0.0
        return found


_LEAD_ROUNDING = 1.0 + 1e-6


def _period(value: float, limit: float, unit: str, low: float | None, note: str) -> Violation:
    return Violation(Check.PERIOD, None, value, limit, unit, Severity.STOP, low, note)


class SetpointWatch:
    """Picks the setpoints that are new and young enough, and counts the cycles without one."""

    def __init__(self, limits: GateLimits) -> None:
        self._age_max_s = limits.setpoint_age_max_s
        self._last: int | None = None
        self.missed: int = 0

    def forget(self) -> None:
        """Begin a new stream: any sequence number may come first."""
        self._last = None
        self.missed = 0

    def take(self, asked: Setpoint | None, age_s: float, found: list[Violation]) -> Setpoint | None:
        """Return the setpoint if it may be judged, else None, and count that.

        Args:
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


_WAY_ROUNDING = 1.0 + 1e-9


class StandstillWatch:
    """Counts consecutive cycles in which all that is measured is that of a standing platform.

    The given speed may be frozen while the leg still moves, so the lengths are judged as well: in
    each stretch of as many cycles as make a standstill, a leg may go no further than the greatest
    speed of standing takes it. A standstill takes two cycles at least, or no movement is seen.
    """

    def __init__(self, limits: GateLimits) -> None:
        self._speed_m_s = limits.standstill_speed_m_s
        self._cycles = max(2, limits.standstill_cycles)
        self._steps = self._cycles - 1
        self._rest_travel_m = self._speed_m_s * limits.period_s * self._steps * _WAY_ROUNDING
        self._anchor_m: list[float | None] = [None] * LEG_COUNT
        self._since = [0] * LEG_COUNT
        self._all_cycles = 0
        self._reporting_cycles = 0

    def step(self, feedback: Feedback | None) -> None:
        """Take one cycle's feedback."""
        reporting = 0 if feedback is None else self._count_at_rest(feedback)
        if not reporting:
            self._anchor_m = [None] * LEG_COUNT
        self._reporting_cycles = self._reporting_cycles + 1 if reporting else 0
        self._all_cycles = self._all_cycles + 1 if reporting == LEG_COUNT else 0

    def _count_at_rest(self, feedback: Feedback) -> int:
        """Number of legs that report, if every one of them is at rest; else 0."""
        speeds, limit = feedback.speed_m_s, self._speed_m_s
        if feedback.fresh == _ALL:
            for speed in speeds:
                if not -limit <= speed <= limit:
                    return 0
            reporting = LEG_COUNT
        else:
            reporting = 0
            for leg, fresh in enumerate(feedback.fresh):
                if not fresh:
                    self._anchor_m[leg] = None  # where it was says nothing of where it will be
                    continue
                if not abs(speeds[leg]) <= limit:
                    return 0
                reporting += 1
        return reporting if self._stay(feedback) else 0

    def _stay(self, feedback: Feedback) -> bool:
        """Whether each leg that reports has stayed near where its stretch of cycles began."""
        anchors, since = self._anchor_m, self._since
        for leg, length in enumerate(feedback.length_m):
            if not feedback.fresh[leg]:
                continue
            anchor = anchors[leg]
            if anchor is None:
                anchors[leg], since[leg] = length, 0
                continue
            if not abs(length - anchor) <= self._rest_travel_m:
                return False
            since[leg] += 1
            if since[leg] >= self._steps:
                anchors[leg], since[leg] = length, 0
        return True

    @property
    def all_legs(self) -> bool:
        """Whether all six legs report, and have been at rest long enough."""
        return self._all_cycles >= self._cycles

    @property
    def reporting_legs(self) -> bool:
        """Whether every leg that reports has been at rest long enough, and at least one reports.

        A silent leg cannot be waited for, or a broken wire would keep the power on for ever.
        """
        return self._reporting_cycles >= self._cycles
