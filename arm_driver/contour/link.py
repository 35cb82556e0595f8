"""Contour behind the seam of `arm_driver.link`: poses become counts here, and counts poses.

A waypoint is written with as many decimals as the wire has, is read back, and is refused if it is
not the pose that was offered.
"""

import math
from collections.abc import Callable, Sequence
from typing import Final, Protocol

from arm_driver.contour.host_values import HostReport, HostSettings, StreamPlan
from arm_driver.contour.location import COUNTS_PER_DEG, COUNTS_PER_MM, Location
from arm_driver.contour.place import ContourPose, location_of, place_at, pose_of
from arm_driver.contour.reader import open_line
from arm_driver.contour.stream import check_pace
from arm_driver.contour.urls import FORMS, parse_arm_link
from arm_driver.contour.val import OatConvention
from arm_driver.link import DeclaredPath, EndReason, LinkKind, LinkOrder, Offer, Writer
from arm_driver.link_errors import WaypointRefusedError
from arm_driver.link_report import DisplayedPose, LinkReport
from hil_common.arrays.pose import Pose, angle_between_rad

ROUNDED_M: Final = 0.5001e-3 * math.sqrt(3.0) / COUNTS_PER_MM
"""How far rounding to the wire can put a place from itself [m]."""
ROUNDED_RAD: Final = math.radians(2.0 / COUNTS_PER_DEG)
"""How far it can turn it, three angles together [rad]."""


class Line(Protocol):
    """The host's end of a contour line in its own numbers: a port with a reader, or none."""

    def start(self, plan: StreamPlan, measured: Location | None = None) -> None:
        """Begin a stream; raises StartRefusedError with the reason."""

    def offer(self, location: Location) -> Offer:
        """Put the next waypoint into the slot; raises WaypointRefusedError for one too far."""
        ...

    def poll(self) -> HostReport:
        """Return the line as it is now."""
        ...

    def end(self, reason: EndReason) -> None:
        """End the stream."""

    def close(self) -> None:
        """Leave the line."""


class LocationWriter:
    """Writes the waypoints of one stream as locations, one after the other."""

    def __init__(self, convention: OatConvention) -> None:
        self._convention, self._t_rad = convention, 0.0

    def write(self, X_RT: Pose) -> Location:
        """Return the next waypoint; where o and t are one turn, t stays what it was.

        Raises:
            WaypointRefusedError: If the wire cannot say this place.
        """
        try:
            location = location_of(X_RT, self._convention, self._t_rad)
        except ValueError as error:
            raise WaypointRefusedError(f"the wire cannot say this place: {error}") from None
        written = pose_of(location, self._convention)
        away_m = math.dist(written.position_m, X_RT.position_m)
        away_rad = angle_between_rad(written, X_RT)
        # Not "above": what is no number is not let through either.
        if not (away_m <= ROUNDED_M and away_rad <= ROUNDED_RAD):
            raise WaypointRefusedError(
                f"written as {location} the waypoint would be {1e3 * away_m:.3f} mm and "
                f"{math.degrees(away_rad):.4f} deg off; rounding leaves at most "
                f"{1e3 * ROUNDED_M:.3f} mm and {math.degrees(ROUNDED_RAD):.4f} deg"
            )
        self._t_rad = location.oat_rad[2]
        return location


class ContourLink:
    """A contour line as an `arm_driver.link.ArmLink`."""

    def __init__(self, line: Line, convention: OatConvention) -> None:
        self.line = line
        self.convention = convention
        self._writer = LocationWriter(convention)
        self._measured: ContourPose | None = None

    @property
    def reader_thread(self) -> int | None:
        """Number of the thread that answers the robot, as the kernel counts; None without one."""
        return getattr(self.line, "reader_thread", None)

    def start(self, path: DeclaredPath, measured: DisplayedPose | None = None) -> None:
        """Begin a stream; see `arm_driver.link.ArmLink`."""
        self._writer = LocationWriter(self.convention)
        start, end = location_of(path.start, self.convention), path.end
        last = None if end is None else location_of(end, self.convention)
        self.line.start(StreamPlan(start, last), self._location(measured))

    def _location(self, place: DisplayedPose | None) -> Location | None:
        if place is None or isinstance(place, ContourPose):
            return None if place is None else place.location
        return location_of(place.X_RT, self.convention)

    def offer(self, X_RT: Pose) -> Offer:
        """Put the next waypoint into the slot; see `arm_driver.link.ArmLink`."""
        return self.line.offer(self._writer.write(X_RT))

    def poll(self) -> LinkReport:
        """Return the link as it is now."""
        report = self.line.poll()
        return LinkReport(
            state=report.state,
            result=report.result,
            text=report.text,
            asked=report.status is not None,
            wants=report.wants,
            streamed=report.streamed,
            measured=self._place(report.measured),
            silence_s=report.silence_s,
            gap_s=report.gap_s,
            supervision=report.supervision,
            simulated=report.simulated,
            counts=report.counts,
            latency=report.latency,
        )

    def _place(self, location: Location | None) -> ContourPose | None:
        """Return a measured location as a place; the same object while it stays the same."""
        known = self._measured
        if location is None:
            return None
        if known is None or known.location != location:
            known = self._measured = place_at(location, self.convention)
        return known

    def end(self, reason: EndReason) -> None:
        """End the stream; see `arm_driver.link.ArmLink`."""
        self.line.end(reason)

    def close(self) -> None:
        """End the reader and close the port; a robot that is moving comes to rest by itself."""
        self.line.close()


def host_settings(order: LinkOrder) -> HostSettings:
    """Return the times and limits of an order with those of the protocol."""
    given = order.settings
    return HostSettings(
        period_s=given.period_s,
        silent_periods=given.silent_periods,
        speed_max_m_s=given.speed_max_m_s,
        turn_rate_max_rad_s=given.turn_rate_max_rad_s,
        start_tolerance_m=given.start_tolerance_m,
        start_tolerance_rad=given.start_tolerance_rad,
        supervision=given.supervision,
        a_zero_rad=OatConvention(order.convention).zero_rad[1],
    )


def prove(order: LinkOrder, start: Pose, waypoints: Sequence[Pose]) -> None:
    """Refuse a path that the host would end for its speed though the robot keeps its period.

    Raises:
        WaypointRefusedError: With waypoint, value and limit.
    """
    convention = OatConvention(order.convention)
    write = LocationWriter(convention).write
    places = [write(X_RT) for X_RT in waypoints]
    check_pace(location_of(start, convention), places, host_settings(order))


def writer(order: LinkOrder) -> Writer:
    """Return what writes waypoints as counts of 0.01 mm and 0.001 deg."""
    write = LocationWriter(OatConvention(order.convention)).write
    return lambda X_RT: write(X_RT).counts


def open_contour(order: LinkOrder, now_s: Callable[[], float]) -> ContourLink:
    """Open a line by its URL, for this program alone.

    Raises:
        ArmLinkError: If the URL is wrong, or the port absent, taken, or refuses.
    """
    line = open_line(order.url, now_s=now_s, settings=host_settings(order))
    return ContourLink(line, OatConvention(order.convention))


def check(url: str) -> None:
    """Raise ArmLinkUrlError for a URL that is written wrongly."""
    parse_arm_link(url)


KIND: Final = LinkKind(
    form=", ".join(FORMS), check=check, open=open_contour, supervises=True, prove=prove,
    writer=writer,
)  # fmt: skip
"""Contour on a serial port, or on a TCP connection to one."""
