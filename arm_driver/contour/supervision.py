"""Supervision of one stream: does the robot keep its period, and is it where it was sent?"""

from typing import NamedTuple

from arm_driver.contour.following_watch import FollowingWatch
from arm_driver.contour.kept_period import PeriodBound
from arm_driver.contour.location import Location
from arm_driver.contour.messages import WaypointRequest
from arm_driver.contour.period_watch import Pace, PeriodWatch
from arm_driver.link_report import SupervisionReport
from arm_driver.link_states import StreamResult
from arm_driver.supervision_settings import SupervisionSettings


class Offence(NamedTuple):
    """Reason why a stream has to end."""

    result: StreamResult
    """Result that the stream ends with."""
    text: str
    """Observation with value and limit, for people."""


class Supervision:
    """Supervises one stream.

    Args:
        start: Where its path begins.
        unmeasured_s: What counts as the robot's period before it is measured [s].
        a_zero_rad: Of the controller's angles, see `Location.turn_rad`.
    """

    __slots__ = ("_following", "_kept", "_period", "_period_s", "_report", "_settings")

    def __init__(
        self,
        start: Location,
        period_s: float,
        unmeasured_s: float,
        settings: SupervisionSettings,
        a_zero_rad: float,
    ) -> None:
        self._period_s = period_s
        self._settings = settings
        self._period = PeriodWatch(period_s, settings)
        self._kept = PeriodBound(period_s, unmeasured_s)
        self._following = FollowingWatch(start, period_s, settings, a_zero_rad)
        self._report: SupervisionReport | None = None

    @property
    def kept_s(self) -> float:
        """The shortest period that the robot may have, by its last requests [s]."""
        return self._kept.least_s

    def sent(self, location: Location) -> None:
        """Take the next waypoint of the path."""
        self._following.sent(location)

    def judge(self, request: WaypointRequest, now_s: float, *, timely: bool) -> Offence | None:
        """Take the first request for a number, of a robot that is to be moving.

        Args:
            timely: Whether this host has listened all the time.

        Returns:
            Why the stream has to end; None while all is well.
        """
        self._report = None
        self._kept.take(now_s, timely=timely)
        pace = self._period.take(now_s, timely=timely)
        if pace is not Pace.IN_TIME:
            return Offence(StreamResult.OFF_PERIOD, self._describe(pace))
        text = self._following.judge(request.location)
        return (
            Offence(StreamResult.NOT_FOLLOWING, f"the robot does not follow: {text}")
            if text
            else None
        )

    def at_rest(self, measured: Location | None) -> Offence | None:
        """Take the place of the robot at rest at the end of its path; as `judge`."""
        self._report = None
        text = self._following.at_rest(measured)
        return (
            Offence(StreamResult.NOT_FOLLOWING, f"the robot did not arrive: {text}")
            if text
            else None
        )

    def report(self) -> SupervisionReport:
        """Return what was seen so far: the same report as long as nothing has changed."""
        if self._report is None:
            self._report = SupervisionReport(self._period.report(), self._following.report)
        return self._report

    def _describe(self, pace: Pace) -> str:
        report, settings = self._period.report(), self._settings
        limit_s = settings.ahead_s if pace is Pace.AHEAD else settings.behind_s
        return (
            f"the robot is {pace.value}: it asks every {report.mean_s:.3f} s on average, "
            f"declared are {self._period_s:g} s ± {settings.period_tolerance:.0%}, and it has run "
            f"{pace.name.lower()} by more than {limit_s:g} s"
        )
