"""The states of the host's end of the contour link: one table of transitions, and a pure step."""

from collections.abc import Mapping
from enum import Enum

from arm_driver.contour.messages import RobotStatus
from arm_driver.link import EndReason
from arm_driver.link_states import LinkState, StreamResult


class HostEvent(Enum):
    """Event that changes the host's state."""

    ASKED = "a robot that is neither held nor at fault asks"
    ARMED = "the operator gives the arm command, and no cause stands against it"
    START_AGREED = "the measured position is the planned start"
    END_GIVEN = "the stream is to end"
    AT_REST = "the robot is at rest, or has taken the end of the stream"
    HOLD = "the robot tells of hold or emergency stop"
    FAULT = "the robot tells of a fault or breaks the protocol"
    SILENCE = "no request for three periods, or the port is lost"


_S = LinkState
_E = HostEvent

TRANSITIONS: Mapping[tuple[LinkState, HostEvent], LinkState] = (
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


def step(state: LinkState, event: HostEvent) -> LinkState:
    """Return the state after an event."""
    return TRANSITIONS.get((state, event), state)


CAUSES: Mapping[RobotStatus, str] = {
    RobotStatus.HOLD: "hold or emergency stop",
    RobotStatus.LIMIT: "limit or error of its controller",
    RobotStatus.NOT_CALIBRATED: "not calibrated",
}
"""Statuses with which a robot reports that it stops, in words."""

RESULTS: Mapping[EndReason, StreamResult] = {
    EndReason.COMPLETED: StreamResult.COMPLETED,
    EndReason.CANCELLED: StreamResult.CANCELLED,
    EndReason.REFUSED: StreamResult.REFUSED,
}
"""Result of a stream that was ended for a reason."""
