"""The states of the host's end of the contour link: one table of transitions, and a pure step."""

from collections.abc import Mapping
from enum import Enum

from arm_driver.contour.messages import EndReason, RobotStatus


class HostState(Enum):
    """What the host's end of the link is doing."""

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
    """The robot tells of hold or emergency stop."""
    FAULT = "fault"
    """The robot tells of a fault, or broke the protocol; latched until the next arm command."""


class HostEvent(Enum):
    """What makes the host change its state."""

    ASKED = "a robot that is neither held nor at fault asks"
    ARMED = "the operator gives the arm command, and no cause stands against it"
    START_AGREED = "the measured position is the planned start"
    END_GIVEN = "the stream is to end"
    AT_REST = "the robot is at rest, or has taken the end of the stream"
    HOLD = "the robot tells of hold or emergency stop"
    FAULT = "the robot tells of a fault or breaks the protocol"
    SILENCE = "no request for three periods, or the port is lost"


_S = HostState
_E = HostEvent

TRANSITIONS: Mapping[tuple[HostState, HostEvent], HostState] = (
    {
        (_S.OFFLINE, _E.ASKED): _S.SYNCHRONISING,
        (_S.READY, _E.ARMED): _S.SYNCHRONISING,
        (_S.HELD, _E.ARMED): _S.SYNCHRONISING,
        (_S.FAULT, _E.ARMED): _S.SYNCHRONISING,
        (_S.SYNCHRONISING, _E.START_AGREED): _S.STREAMING,
        (_S.STREAMING, _E.END_GIVEN): _S.ENDING,
        (_S.STREAMING, _E.AT_REST): _S.READY,
        (_S.ENDING, _E.AT_REST): _S.READY,
    }
    # A fault is latched, and outranks a hold and silence.
    | {(state, _E.HOLD): _S.HELD for state in _S if state is not _S.FAULT}
    | {(state, _E.SILENCE): _S.OFFLINE for state in _S if state is not _S.FAULT}
    | {(state, _E.FAULT): _S.FAULT for state in _S}
)
"""Every transition; an event that is not here changes nothing."""


def step(state: HostState, event: HostEvent) -> HostState:
    """Return the state after an event."""
    return TRANSITIONS.get((state, event), state)


class StreamResult(Enum):
    """How a stream went."""

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
    """The robot is not where it was sent, or does not tell any more."""
    OFF_PERIOD = "off its period"
    """The robot asks faster or slower than it is declared to."""
    FAULTED = "faulted"
    """The robot told of a fault, or broke the protocol."""


CAUSES: Mapping[RobotStatus, str] = {
    RobotStatus.HOLD: "hold or emergency stop",
    RobotStatus.LIMIT: "limit or error of its controller",
    RobotStatus.NOT_CALIBRATED: "not calibrated",
}
"""Statuses with which a robot tells that it goes no further, in words."""

RESULTS: Mapping[EndReason, StreamResult] = {
    EndReason.COMPLETED: StreamResult.COMPLETED,
    EndReason.CANCELLED: StreamResult.CANCELLED,
    EndReason.REFUSED: StreamResult.REFUSED,
}
"""What the result of a stream is that was ended for a reason."""
