"""State of one stream of waypoints: the one in flight, the one prepared, and their order.

At most one waypoint is in flight, and one more is prepared, already encoded. The one in flight is
kept until the robot requests the next, so that a repeat is the identical line.
"""

import math
from collections.abc import Iterable
from typing import Final, NamedTuple

from arm_driver.contour.host_values import HostSettings, StreamPlan
from arm_driver.contour.kept_period import PeriodBound
from arm_driver.contour.location import Location
from arm_driver.contour.messages import (
    SEQUENCES,
    EndOfStream,
    RobotStatus,
    Waypoint,
    WaypointRequest,
    encode_answer,
    next_sequence,
)
from arm_driver.contour.supervision import Supervision
from arm_driver.link import EndReason
from arm_driver.link_errors import StartRefusedError, WaypointRefusedError

UNMEASURED: Final = 2
"""So many waypoints are sent before the robot's period is measured: between the requests for the
second and the third. What is before says nothing: a robot at rest continues as soon as it can."""

_ROUNDING_S: Final = 1e-9


class PreparedAnswer(NamedTuple):
    """Answer that is encoded before its request has come."""

    seq: int
    """Number of the request."""
    line: bytes
    """The bytes."""
    location: Location | None
    """Place where it leads; None for the end of the stream."""


def prepare(seq: int, location: Location) -> PreparedAnswer:
    """Encode a waypoint for the request with this number."""
    return PreparedAnswer(seq, encode_answer(Waypoint(seq, location)), location)


def check_step(
    before: Location, after: Location, settings: HostSettings, place: str, *, first: bool = False
) -> None:
    """Check the distance between two waypoints against the limits of speed.

    Args:
        before: The waypoint before, or the planned start.
        after: The waypoint.
        place: Which waypoint, for the text of an error.
        first: Whether it is sent before the robot's period is measured.

    Raises:
        WaypointRefusedError: If it is too far or too far turned for one period.
    """
    distance_m = before.distance_m(after)
    turn_rad = before.turn_rad(after, settings.a_zero_rad)
    period_s = settings.unmeasured_s if first else settings.period_s
    why = ""
    if first:
        why = f", at which one of {period_s:g} s is not too fast: it is not measured yet"
    if distance_m > settings.step_max_m(period_s):
        raise WaypointRefusedError(
            f"{place}: {distance_m * 1e3:.2f} mm in one period of {settings.period_s:g} s, at most "
            f"{settings.step_max_m(period_s) * 1e3:.2f} mm "
            f"({settings.speed_max_m_s * 1e3:g} mm/s){why}"
        )
    if turn_rad > settings.turn_max_rad(period_s):
        rate = math.degrees(settings.turn_rate_max_rad_s)
        most = math.degrees(settings.turn_max_rad(period_s))
        raise WaypointRefusedError(
            f"{place}: turns {math.degrees(turn_rad):.3f} deg in one period of "
            f"{settings.period_s:g} s, at most {most:.3f} deg ({rate:g} deg/s){why}"
        )


def check_pace(start: Location, waypoints: Iterable[Location], settings: HostSettings) -> None:
    """Check a whole path against the pace of a robot that requests exactly in time.

    A path that passes is not ended for its speed if its robot keeps its period.

    Raises:
        WaypointRefusedError: If a waypoint is too far or too far turned from the one before.
    """
    kept, before = PeriodBound(settings.period_s, settings.unmeasured_s), start
    for number, location in enumerate(waypoints, start=1):
        if number > 1:
            kept.take(number * settings.period_s, timely=True)
        if why := too_fast(before, location, settings, kept.least_s):
            raise WaypointRefusedError(f"waypoint {number}: {why}")
        before = location


def too_fast(before: Location, after: Location, settings: HostSettings, kept_s: float) -> str:
    """Return why a step breaks a limit of speed in the shortest period; empty if it does not."""
    distance_m, turn_rad = before.distance_m(after), before.turn_rad(after, settings.a_zero_rad)
    least_s = settings.least_s(distance_m, turn_rad)
    if least_s <= kept_s + _ROUNDING_S:
        return ""
    return (
        f"{distance_m * 1e3:.2f} mm and {math.degrees(turn_rad):.3f} deg take {least_s:.3f} s at "
        f"{settings.speed_max_m_s * 1e3:g} mm/s and "
        f"{math.degrees(settings.turn_rate_max_rad_s):g} deg/s; the robot's period is known to be "
        f"no shorter than {kept_s:.3f} s by then, declared are {settings.period_s:g} s"
    )


def check_start(start: Location, measured: Location | None, settings: HostSettings) -> None:
    """Check the measured position against the planned start.

    Args:
        start: Planned.
        measured: Where the robot is; None if nobody knows.
        settings: Tolerances.

    Raises:
        StartRefusedError: If it is not known, too far away, or too far turned; with both places.
    """
    if measured is None:
        text = "where the robot is, is not known: switch its option feedback on"
        raise StartRefusedError(f"{text}, or give the location that its controller shows")
    distance_m = start.distance_m(measured)
    turn_rad = start.turn_rad(measured, settings.a_zero_rad)
    if distance_m > settings.start_tolerance_m or turn_rad > settings.start_tolerance_rad:
        raise StartRefusedError(
            f"the robot is at {measured}, the start is planned at {start}: "
            f"{distance_m * 1e3:.2f} mm and {math.degrees(turn_rad):.3f} deg away, at most "
            f"{settings.start_tolerance_m * 1e3:g} mm and "
            f"{math.degrees(settings.start_tolerance_rad):g} deg; move it there"
        )


class Stream:
    """The waypoints of one stream, from its arm command to its result.

    Args:
        plan: What was declared.
        seq: Number that the robot asks for at the start.

    Attributes:
        reason: Why it is to end; None while it lasts.
        why: The same in words.
    """

    __slots__ = (
        "_asked",
        "_asked_in_vain",
        "_first",
        "_plan",
        "_settings",
        "in_flight",
        "last",
        "reason",
        "sent",
        "slot",
        "supervision",
        "why",
    )

    def __init__(self, plan: StreamPlan, settings: HostSettings, seq: int) -> None:
        self._plan = plan
        self._settings = settings
        self._first = seq
        self._asked: int | None = None
        self._asked_in_vain = False
        self.in_flight: PreparedAnswer | None = None
        self.slot: PreparedAnswer | None = None
        self.last: Location = plan.start
        self.sent: int = 0
        self.reason: EndReason | None = None
        self.why: str = ""
        self.supervision: Supervision = Supervision(
            plan.start,
            settings.period_s,
            settings.unmeasured_s,
            settings.supervision,
            settings.a_zero_rad,
        )

    @property
    def expected(self) -> int:
        """Number of the next request that is not a repeat."""
        return self._first if self.in_flight is None else next_sequence(self.in_flight.seq)

    @property
    def start(self) -> Location:
        """Place where the robot has to be at the start."""
        return self._plan.start

    def begun(self, seq: int) -> bool:
        """Return whether a robot that asks for `seq` has moved in this stream.

        A robot that asks again for the first waypoint has not got it; nor has one that was sent
        nothing but the end.
        """
        flying = self.in_flight
        if flying is None or not self.sent:
            return False
        return self.sent != 1 or flying.location is None or seq != flying.seq

    def asks_anew(self, seq: int) -> bool:
        """Return whether this is the first request for the waypoint after one in flight."""
        anew = seq == self.expected and seq != self._asked
        if anew:
            self._asked = seq
        return anew

    def left_by(self, request: WaypointRequest) -> bool:
        """Return whether a robot with this request can no longer be moving in this stream."""
        flying = self.in_flight
        if request.status is RobotStatus.RAN_DRY or flying is None:
            return True
        own = {flying.seq} if flying.location is None else {flying.seq, self.expected}
        return request.seq not in own

    def dry_text(self, seq: int) -> str:
        """Return the meaning of a request for `seq` by a robot at rest, in words.

        It has given up the number before, so it is at the one before that.
        """
        missed = "the end of the stream" if self._ended else self._counted(seq - 1)
        return (
            f"the robot ran dry: it did not take {missed} in time and is at rest at "
            f"{self._counted(seq - 2)}"
        )

    def fill(self, location: Location) -> None:
        """Put the next waypoint into the empty slot, checked and written as bytes.

        Raises:
            WaypointRefusedError: If it is too far from the one before; the slot stays empty.
        """
        self._check_next(location, "planned")
        self.slot = prepare(self.expected, location)

    @property
    def _ended(self) -> bool:
        """Whether the end of the stream is in flight."""
        return self.in_flight is not None and self.in_flight.location is None

    def _named(self, how: str) -> str:
        """The next waypoint, as its maker counts it and as the wire does."""
        return f"waypoint {self.sent + 1} (number {self.expected} on the line) as {how}"

    def _counted(self, number: int) -> str:
        """The waypoint with a number on the line, likewise; a number of no waypoint stays one."""
        number %= SEQUENCES
        flying = self._first if self.in_flight is None else self.in_flight.seq
        after = (number - flying + SEQUENCES // 2) % SEQUENCES - SEQUENCES // 2
        index = self.sent + self._ended + after
        if index == 0:
            return "the start"
        on_the_line = f"number {number} on the line"
        return f"waypoint {index} ({on_the_line})" if 0 < index <= self.sent + 1 else on_the_line

    def renumber(self, seq: int) -> None:
        """Restart the numbering; only before anything was sent."""
        self._first = seq
        if self.slot is not None and self.slot.location is not None:
            self.slot = prepare(seq, self.slot.location)

    def check_sent(self) -> None:
        """Check the prepared waypoint against the limits of speed again, with the measured period.

        Raises:
            WaypointRefusedError: If it is too far from the one before.
        """
        if self.slot is not None and self.slot.location is not None:
            self._check_next(self.slot.location, "sent")

    def outrun(self) -> str:
        """Return why the prepared waypoint is too fast for the robot's pace; empty if it is not."""
        if self.slot is None or self.slot.location is None:
            return ""
        kept_s = self.supervision.kept_s
        why = too_fast(self.last, self.slot.location, self._settings, kept_s)
        return f"{self._named('sent')}: {why}" if why else ""

    def take(self) -> tuple[PreparedAnswer | None, bool]:
        """Move the slot's waypoint into flight, for the request that was expected.

        Returns:
            The answer, None for an empty slot; and whether it came for a second request only.
        """
        ready, late = self.slot, self._asked_in_vain
        self._asked_in_vain = ready is None
        if ready is None or ready.location is None:
            return None, False
        self.in_flight, self.slot = ready, None
        self.last = ready.location
        self.sent += 1
        self.supervision.sent(ready.location)
        return ready, late

    def _check_next(self, location: Location, how: str) -> None:
        first = self.sent < UNMEASURED
        check_step(self.last, location, self._settings, self._named(how), first=first)

    def take_end(self, reason: EndReason) -> PreparedAnswer:
        """Put the end of the stream into flight, for the request that was expected."""
        self.in_flight = PreparedAnswer(self.expected, encode_answer(EndOfStream(reason)), None)
        self.slot = None
        return self.in_flight

    @property
    def at_end(self) -> bool:
        """Whether the last waypoint is the declared end; live motion declares none."""
        end, settings = self._plan.end, self._settings
        return end is None or (
            self.last.distance_m(end) <= settings.start_tolerance_m
            and self.last.turn_rad(end, settings.a_zero_rad) <= settings.start_tolerance_rad
        )
