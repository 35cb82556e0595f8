"""Supervision of the robot's position, judged from the places in its requests.

They are held against the path by the numbers of the waypoints and not by this host's clock: at its
request for waypoint n the robot is on the path, one delay behind, between the waypoints n - delay /
period. The delay is the controller's own and is in the robot's file as a range.
"""

import math
from collections import deque
from dataclasses import replace
from typing import NamedTuple

from arm_driver.contour.location import VAL_A_ZERO_RAD, Location
from arm_driver.link_report import FollowingReport
from arm_driver.supervision_settings import SupervisionSettings


class _Off(NamedTuple):
    """Distance from the path: share of the window, distance, turn, travel along the axes."""

    share: float
    off_m: float
    off_rad: float
    off_xyz_m: tuple[float, ...]

    def __str__(self) -> str:
        """Text for people, with the axis that is furthest off."""
        axis = max(range(3), key=lambda number: abs(self.off_xyz_m[number]))
        return (
            f"{self.off_m * 1e3:.1f} mm (most in {'xyz'[axis]}, {self.off_xyz_m[axis] * 1e3:+.1f} "
            f"mm) and {math.degrees(self.off_rad):.2f} deg"
        )


class FollowingWatch:
    """Holds where the robot says it is against the path that one stream was sent.

    Args:
        start: Where the path begins.
        a_zero_rad: Of the controller's angles, see `Location.turn_rad`.
    """

    __slots__ = ("_a_zero_rad", "_blank", "_path", "_period_s", "_report", "_settings")

    def __init__(
        self,
        start: Location,
        period_s: float,
        settings: SupervisionSettings,
        a_zero_rad: float = VAL_A_ZERO_RAD,
    ) -> None:
        self._settings = settings
        self._period_s = period_s
        self._a_zero_rad = a_zero_rad
        kept = math.ceil(settings.delay_s[1] / period_s) + 2
        self._path = deque([start], maxlen=kept)
        self._blank = 0
        self._report = FollowingReport()

    @property
    def report(self) -> FollowingReport:
        """Report of the robot's following so far."""
        return replace(self._report, blank=self._blank)

    def sent(self, location: Location) -> None:
        """Take the next waypoint of the path."""
        self._path.append(location)

    def judge(self, measured: Location | None) -> str:
        """Take a request for the waypoint after the last one that was sent.

        Args:
            measured: Where the robot says it is; None if it does not say.

        Returns:
            Why the robot does not follow, with axis and distance; empty while it does.
        """
        if measured is None:
            self._blank += 1
            if self._report.measured and self._blank > self._settings.feedback_periods:
                return f"it has not told where it is for {self._blank} requests"
            return ""
        self._blank = 0
        least_s, largest_s = self._settings.delay_s
        behind = 1.0 - least_s / self._period_s, 1.0 - largest_s / self._period_s
        return self._judge(measured, *behind)

    def at_rest(self, measured: Location | None) -> str:
        """Take the place of a robot at rest at the end of the path; as `judge`."""
        if measured is None:
            return ""
        return self._judged(self._nearest(measured, len(self._path) - 1, 0.0, 0.0))

    def _judge(self, measured: Location, newest: float, oldest: float) -> str:
        """Hold a place against the path between two times, in periods after the last waypoint."""
        last = len(self._path) - 1
        first, end = (min(max(last + at, 0.0), float(last)) for at in (oldest, newest))
        low = min(int(first), max(last - 1, 0))
        return self._judged(
            min(
                self._nearest(measured, index, max(first - index, 0.0), min(end - index, 1.0))
                for index in range(low, max(low + 1, math.ceil(end)))
            )
        )

    def _judged(self, best: _Off) -> str:
        """Note how far off the robot is, and say so if that is too far."""
        old = self._report
        self._report = FollowingReport(
            old.measured + 1,
            max(old.largest_m, best.off_m),
            max(old.largest_rad, best.off_rad),
            max(old.share, best.share),
            best.share,
        )
        return "" if best.share <= 1.0 else f"{best} from where it was sent"

    def _nearest(self, measured: Location, index: int, least: float, most: float) -> _Off:
        """Return how far a place is from the part of a segment of the path that is nearest.

        The squares of distance and turn are quadratic in the part of the way, the turn's as long as
        turns are small: they add like vectors, and Stewart's theorem gives the distance of a
        triangle's corner from a point of the side across.
        """
        settings, a_zero = self._settings, self._a_zero_rad
        before, after = self._path[index], self._path[min(index + 1, len(self._path) - 1)]
        ends_m = tuple(zip(before.position_m, after.position_m, measured.position_m, strict=True))
        distance_m2 = sum((b - a) ** 2 for a, b, _ in ends_m)
        along_m2 = sum((m - a) * (b - a) for a, b, m in ends_m)
        whole = before.turn_rad(after, a_zero) ** 2
        first, last = (one.turn_rad(measured, a_zero) ** 2 for one in (before, after))
        limit_m = (
            settings.following_m + settings.following_s * math.sqrt(distance_m2) / self._period_s
        )
        weight = (limit_m / settings.following_rad) ** 2
        slope, curve = (
            along_m2 + weight * (first + whole - last) / 2.0,
            distance_m2 + weight * whole,
        )
        part = min(max(slope / curve if curve else 0.0, least), most)
        off_xyz_m = tuple(m - (a + part * (b - a)) for a, b, m in ends_m)
        off_m = math.hypot(*off_xyz_m)
        turn = (1.0 - part) * first + part * last - part * (1.0 - part) * whole
        off_rad = math.sqrt(max(turn, 0.0))
        return _Off(
            max(off_m / limit_m, off_rad / settings.following_rad), off_m, off_rad, off_xyz_m
        )
