"""The program in the emulated controller: states, events, one table; and counts.

Not modelled: the other tasks and the monitor of the controller.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

from sim.devices.arm.protocol import ArmStatus


class ArmState(Enum):
    """State of the program in the controller."""

    OFF = auto()
    """No program runs: the controller is silent."""
    WAITING = auto()
    """Rest; asks for the first waypoint of a stream."""
    RUNNING = auto()
    """Motion along the path, with a request for the next waypoint every period."""
    ENDING = auto()
    """Stream ended by the host: on the way to rest."""
    STARVING = auto()
    """Missing answer: on the way to rest."""
    DRY = auto()
    """Rest after running dry; reports it, and would begin another stream."""
    REFUSED = auto()
    """Waypoint refused: comes to rest, and stays until the program is started again."""
    HELD = auto()
    """Stop by brakes, until the program is started again."""
    NOT_CALIBRATED = auto()
    """Stop by brakes, until the arm is calibrated."""
    FAULTED = auto()
    """Stop by brakes after a joint did not follow, until the program is started again."""


class ArmEvent(Enum):
    """Event of the program."""

    START = auto()
    STOP = auto()
    ACCEPTED = auto()
    ENDED = auto()
    MISSED = auto()
    REJECTED = auto()
    AT_REST = auto()
    HOLD = auto()
    UNCALIBRATED = auto()
    CALIBRATED = auto()
    TRIPPED = auto()


_BRAKED: Final = (ArmState.OFF, ArmState.HELD, ArmState.NOT_CALIBRATED)
"""States with closed brakes, in which no joint can fail to follow."""
_TO: Final[dict[tuple[ArmState, ArmEvent], ArmState]] = {
    (ArmState.OFF, ArmEvent.START): ArmState.WAITING,
    (ArmState.REFUSED, ArmEvent.START): ArmState.WAITING,
    (ArmState.HELD, ArmEvent.START): ArmState.WAITING,
    (ArmState.FAULTED, ArmEvent.START): ArmState.WAITING,
    (ArmState.NOT_CALIBRATED, ArmEvent.CALIBRATED): ArmState.HELD,
    (ArmState.WAITING, ArmEvent.ACCEPTED): ArmState.RUNNING,
    (ArmState.DRY, ArmEvent.ACCEPTED): ArmState.RUNNING,
    (ArmState.WAITING, ArmEvent.REJECTED): ArmState.REFUSED,
    (ArmState.DRY, ArmEvent.REJECTED): ArmState.REFUSED,
    (ArmState.RUNNING, ArmEvent.REJECTED): ArmState.REFUSED,
    (ArmState.DRY, ArmEvent.ENDED): ArmState.WAITING,
    (ArmState.RUNNING, ArmEvent.ENDED): ArmState.ENDING,
    (ArmState.RUNNING, ArmEvent.MISSED): ArmState.STARVING,
    (ArmState.ENDING, ArmEvent.AT_REST): ArmState.WAITING,
    (ArmState.STARVING, ArmEvent.AT_REST): ArmState.DRY,
    **{(s, ArmEvent.STOP): ArmState.OFF for s in ArmState},
    **{(s, ArmEvent.HOLD): ArmState.HELD for s in ArmState if s is not ArmState.OFF},
    **{
        (s, ArmEvent.UNCALIBRATED): ArmState.NOT_CALIBRATED
        for s in ArmState
        if s is not ArmState.OFF
    },
    (ArmState.NOT_CALIBRATED, ArmEvent.HOLD): ArmState.NOT_CALIBRATED,
    **{(s, ArmEvent.TRIPPED): ArmState.FAULTED for s in ArmState if s not in _BRAKED},
}

STATUS: Final[dict[ArmState, ArmStatus]] = {
    ArmState.WAITING: ArmStatus.RUNNING,
    ArmState.RUNNING: ArmStatus.RUNNING,
    ArmState.DRY: ArmStatus.AT_REST,
    ArmState.REFUSED: ArmStatus.LIMIT,
    ArmState.HELD: ArmStatus.HELD,
    ArmState.NOT_CALIBRATED: ArmStatus.NOT_CALIBRATED,
    ArmState.FAULTED: ArmStatus.LIMIT,
}
"""Status of a request in each state; in the others nothing is asked."""

LISTENING: Final = frozenset({ArmState.WAITING, ArmState.RUNNING, ArmState.DRY})
"""States in which an answer counts."""


def step(state: ArmState, event: ArmEvent) -> ArmState:
    """Return the state after an event; an event that means nothing in a state changes nothing."""
    return _TO.get((state, event), state)


@dataclass(slots=True)
class ArmCounts:
    """Counts of the controller."""

    requests: int = 0
    repeats: int = 0
    waypoints: int = 0
    ends: int = 0
    garbled: int = 0  # lines that are no answer, or have another checksum
    stale: int = 0  # answers to another request than the one that is open
    unasked: int = 0  # lines while nothing was asked
    refused: int = 0
    dry: int = 0
