"""The answers to the requests of one stream: the next waypoint, the same once more, or nothing."""

from arm_driver.contour.host_values import HostSettings
from arm_driver.contour.messages import RobotStatus, WaypointRequest
from arm_driver.contour.stream import PreparedAnswer, Stream, check_start
from arm_driver.contour.stream_end import StreamEnd, arrived, at_fault, off_period
from arm_driver.link import EndReason
from arm_driver.link_errors import StartRefusedError, WaypointRefusedError
from arm_driver.link_report import LinkCounts

_STRAY_FORGOTTEN = 10
"""Noise can make one request out of sequence; another one within so many is a fault."""
_REPEATS_ALLOWED = 8
"""Most repetitions of a line in a row; a robot that never takes it is at fault."""


class Answers:
    """Answers the robot of one stream.

    Args:
        counts: Where answers are counted.
    """

    __slots__ = ("_counts", "_repeats", "_settings", "_stray_at", "_stream")

    def __init__(self, stream: Stream, settings: HostSettings, counts: LinkCounts) -> None:
        self._stream = stream
        self._settings = settings
        self._counts = counts
        self._stray_at: int | None = None
        self._repeats = 0

    def answer(self, request: WaypointRequest) -> bytes | StreamEnd:
        """Return the answer to the newest request, or that the stream is over with it.

        Args:
            request: In time, of a robot that continues.

        Returns:
            A line, none for a request that gets no answer; or the end.
        """
        stream, flying = self._stream, self._stream.in_flight
        if flying is not None and request.seq == flying.seq:
            return self._repeat(flying)
        self._repeats = 0
        if flying is None and request.status is RobotStatus.CHECKSUM_ERROR:
            return b""  # nothing was sent that could have had a checksum
        if flying is None and request.seq != stream.expected:
            stream.renumber(request.seq)  # written anew now, sent at the next request
            return b""
        if request.seq != stream.expected:
            return self._stray(request)
        if flying is not None and flying.location is None:
            return arrived(stream, request)  # it asks beyond the end, so it has taken the end
        return self._next(request)

    def _repeat(self, flying: PreparedAnswer) -> bytes | StreamEnd:
        """Send what is in flight once more; it is a fault if that never helps."""
        self._counts.repeats += 1
        self._repeats += 1
        if self._repeats > _REPEATS_ALLOWED:
            text = f"the robot asked {self._repeats} times more for waypoint {flying.seq}"
            return at_fault(f"{text} and never took it")
        return flying.line

    def _next(self, request: WaypointRequest) -> bytes | StreamEnd:
        """Answer a request that is in sequence, out of the slot, if the robot is not too fast."""
        stream = self._stream
        try:
            if stream.in_flight is None and request.location is not None:
                check_start(stream.start, request.location, self._settings)
            stream.check_sent()
        except (WaypointRefusedError, StartRefusedError) as refusal:
            stream.reason, stream.why = EndReason.REFUSED, f"refused: {refusal}"
            return stream.take_end(EndReason.REFUSED).line
        if why := stream.outrun():
            return off_period(why, stream.take_end(EndReason.CANCELLED).line)
        prepared, late = stream.take()
        if prepared is not None:
            self._counts.waypoints += 1
            self._counts.late_answers += late
            return prepared.line
        if stream.reason is not None:
            return stream.take_end(stream.reason).line
        self._counts.empty_slot += 1
        return b""

    def _stray(self, request: WaypointRequest) -> bytes | StreamEnd:
        """Leave a request out of sequence without an answer; a second one soon is a fault."""
        self._counts.out_of_sequence += 1
        before, self._stray_at = self._stray_at, self._counts.requests
        if before is not None and self._stray_at - before <= _STRAY_FORGOTTEN:
            text = f"the robot asks for waypoint {request.seq}; the stream is at "
            return at_fault(f"{text}{self._stream.expected}, as if it began anew")
        return b""
