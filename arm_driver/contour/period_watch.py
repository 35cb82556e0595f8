"""Supervision of the robot's period, judged from the times at which its requests are received.

A request can come late, never early, so the sum of what is missing from the periods is watched
and not each one (a cumulative sum after Page, "Continuous inspection schemes", Biometrika 41,
1954): noise of hearing averages out, and a robot that is a little too fast for long is found like
one that is much too fast at once. The first period is none: a robot at rest asks for its first
waypoint again and again, and may start as soon as it has it. What one period is too long, the next
may be too short: a request that was lost is received at its second sending.
"""

import math
from enum import Enum

from arm_driver.link_report import PeriodReport
from arm_driver.supervision_settings import SupervisionSettings


class Pace(Enum):
    """Pace of the robot by the times of its requests."""

    IN_TIME = "in time"
    AHEAD = "faster than its period"
    BEHIND = "slower than its period"


class PeriodWatch:
    """Measures the period of one stream.

    Args:
        period_s: Declared [s].
    """

    __slots__ = (
        "_ahead_s",
        "_behind_s",
        "_late_s",
        "_longest_s",
        "_mean_s",
        "_most_ahead_s",
        "_most_behind_s",
        "_n",
        "_period_s",
        "_received_s",
        "_report",
        "_settings",
        "_shortest_s",
        "_squares_s2",
    )  # fmt: skip

    def __init__(self, period_s: float, settings: SupervisionSettings) -> None:
        self._period_s = period_s
        self._settings = settings
        self._received_s: float | None = None
        self._n = 0
        self._mean_s = self._squares_s2 = 0.0
        self._shortest_s, self._longest_s = math.inf, 0.0
        self._ahead_s = self._behind_s = self._late_s = 0.0
        self._most_ahead_s = self._most_behind_s = 0.0
        self._report: PeriodReport | None = PeriodReport()

    def take(self, now_s: float, *, timely: bool) -> Pace:
        """Take a request for a waypoint that was not asked for before.

        Args:
            timely: Whether this host has listened all the time; else the period before it is none.

        Returns:
            Whether the stream is in time.
        """
        before_s, self._received_s = self._received_s, now_s
        if before_s is None or not timely:
            return Pace.IN_TIME
        interval_s = now_s - before_s
        self._count(interval_s)
        slack_s = self._settings.period_tolerance * self._period_s
        gained_s = self._period_s - slack_s - interval_s - self._late_s
        self._ahead_s = max(0.0, self._ahead_s + gained_s)
        self._late_s = max(0.0, interval_s - self._period_s)
        self._behind_s = max(0.0, self._behind_s + interval_s - self._period_s - slack_s)
        self._most_ahead_s = max(self._most_ahead_s, self._ahead_s)
        self._most_behind_s = max(self._most_behind_s, self._behind_s)
        if self._ahead_s > self._settings.ahead_s:
            return Pace.AHEAD
        return Pace.BEHIND if self._behind_s > self._settings.behind_s else Pace.IN_TIME

    def _count(self, interval_s: float) -> None:
        """Mean and sum of squares after Welford (1962)."""
        self._report = None
        self._n += 1
        off_s = interval_s - self._mean_s
        self._mean_s += off_s / self._n
        self._squares_s2 += off_s * (interval_s - self._mean_s)
        self._shortest_s = min(self._shortest_s, interval_s)
        self._longest_s = max(self._longest_s, interval_s)

    def report(self) -> PeriodReport:
        """Return what was measured; asked far more often than there is anything new."""
        if self._report is None:
            self._report = PeriodReport(
                self._n,
                self._mean_s,
                math.sqrt(self._squares_s2 / self._n),
                self._shortest_s,
                self._longest_s,
                self._most_ahead_s / self._settings.ahead_s,
                self._most_behind_s / self._settings.behind_s,
                self._ahead_s,
                self._behind_s,
            )
        return self._report
