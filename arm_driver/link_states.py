"""States of a link to a robot, and results of a stream: words alone, without arrays."""

from enum import Enum


class LinkState(Enum):
    """State of the host's end of the link."""

    OFFLINE = "offline"
    """No robot asks."""
    SYNCHRONISING = "synchronising"
    """A robot asks; nothing is answered before the start position is agreed."""
    STREAMING = "streaming"
    """Each request is answered with a waypoint."""
    ENDING = "ending"
    """The last waypoint and the end of the stream are on their way."""
    READY = "ready"
    """A stream is over, and the robot at rest; the next one needs an operator's arm command."""
    HELD = "held"
    """The robot reports hold or emergency stop."""
    FAULT = "fault"
    """The robot reports a fault, or broke the protocol; latched until the next arm command."""


class StreamResult(Enum):
    """Result of a stream."""

    COMPLETED = "completed"
    """The robot is at rest at the declared end."""
    RAN_DRY = "ran dry"
    """The robot got no waypoint in time and came to rest at the last one."""
    CANCELLED = "cancelled"
    """Ended before its declared end, at rest at the last waypoint."""
    REFUSED = "refused"
    """Not started, or ended because a waypoint was beyond a limit."""
    LINK_LOST = "link lost"
    """No request for three periods, or no port."""
    HELD = "held"
    """Hold or emergency stop at the robot."""
    NOT_FOLLOWING = "not following"
    """The robot is not where it was sent, or does not report its place any more."""
    OFF_PERIOD = "off its period"
    """The robot asks faster or slower than it is declared to."""
    FAULTED = "faulted"
    """The robot reported a fault, or broke the protocol."""
