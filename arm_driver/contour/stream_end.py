"""The end of a stream, judged from each request of its robot and given as a result.

Nothing here answers or changes a state: the host does both, by what it is given.
"""

from typing import NamedTuple

from arm_driver.contour.host_states import CAUSES, RESULTS, HostEvent
from arm_driver.contour.messages import RobotStatus, WaypointRequest
from arm_driver.contour.stream import Stream
from arm_driver.link import EndReason
from arm_driver.link_states import StreamResult


class StreamEnd(NamedTuple):
    """End of a stream."""

    event: HostEvent
    """Event for the host's state machine."""
    result: StreamResult
    """Result of the stream."""
    text: str
    """Reason, for the operator."""
    line: bytes = b""
    """The last word to the robot; often none."""


def at_fault(text: str) -> StreamEnd:
    """Return the end of a stream whose robot breaks the protocol."""
    return StreamEnd(HostEvent.FAULT, StreamResult.FAULTED, text)


def off_period(text: str, line: bytes) -> StreamEnd:
    """Return the end of a stream whose robot would be too fast with its next waypoint."""
    return StreamEnd(HostEvent.FAULT, StreamResult.OFF_PERIOD, text, line)


def end_in_request(request: WaypointRequest) -> StreamEnd | None:
    """Return the end of a stream whose robot reports that it stops; None if it does not."""
    cause = CAUSES.get(request.status)
    if cause is None:
        return None
    held = request.status is RobotStatus.HOLD
    event = HostEvent.HOLD if held else HostEvent.FAULT
    result = StreamResult.HELD if held else StreamResult.FAULTED
    return StreamEnd(event, result, f"the robot tells: {cause} (status {request.status:d})")


def judged(
    stream: Stream, request: WaypointRequest, now_s: float, *, timely: bool
) -> StreamEnd | None:
    """Return why a stream is over: its robot is at rest, is off its period or does not follow.

    Args:
        request: Of its robot, which continues.
        timely: Whether this host has listened all the time.

    Returns:
        The end; None while all is well.
    """
    flying = stream.in_flight
    if request.status is RobotStatus.RAN_DRY and stream.begun(request.seq):
        return _dry(stream, request.seq)
    if flying is None:
        return None
    if request.status is RobotStatus.CHECKSUM_ERROR and request.seq != flying.seq:
        return at_fault(
            f"the robot tells a wrong checksum of waypoint {request.seq}, which it was not sent: "
            f"in flight is {flying.seq}"
        )
    if flying.location is not None and stream.asks_anew(request.seq):
        offence = stream.supervision.judge(request, now_s, timely=timely)
        if offence is not None:
            line = stream.take_end(EndReason.CANCELLED).line if timely else b""
            return StreamEnd(HostEvent.FAULT, offence.result, offence.text, line)
    return None


def arrived(stream: Stream, request: WaypointRequest) -> StreamEnd:
    """Return the end of a stream whose robot has taken the end and is at rest."""
    offence = stream.supervision.at_rest(request.location)
    if offence is not None and stream.reason is not EndReason.REFUSED:
        return StreamEnd(HostEvent.FAULT, offence.result, offence.text)
    result = RESULTS[EndReason.CANCELLED if stream.reason is None else stream.reason]
    text = f"{result.value}, at rest"
    if result is StreamResult.COMPLETED and not stream.at_end:
        result, text = StreamResult.CANCELLED, "ended before the declared end"
    elif result is StreamResult.REFUSED:
        text = stream.why
    return StreamEnd(HostEvent.AT_REST, result, text)


def _dry(stream: Stream, seq: int) -> StreamEnd:
    """The end of a stream whose robot has come to rest without an order."""
    text = stream.dry_text(seq)
    if stream.reason is EndReason.REFUSED:
        return StreamEnd(HostEvent.AT_REST, StreamResult.REFUSED, f"{stream.why}; {text}")
    return StreamEnd(HostEvent.AT_REST, StreamResult.RAN_DRY, text)
