"""Phases of an operated motion: an enum, and the table of transitions."""

from enum import Enum


class OperationPhase(Enum):
    """Phase of an operated motion."""

    RESTING = "resting"
    PLAYING = "playing"
    SLOWING = "slowing"
    """Slows along the motion's path to a stop, to leave it for a pose."""
    POSING = "posing"
    RETURNING = "returning"
    """Moves to the motion's start, to play it."""


class OperationEvent(Enum):
    """Event that changes the phase."""

    PLAY = "play"
    POSE = "pose"
    STOOD = "stood"
    """The tempo has come to 0."""
    ARRIVED = "arrived"
    """The path has been followed to its end."""


TRANSITIONS: dict[tuple[OperationPhase, OperationEvent], OperationPhase] = {
    (OperationPhase.RESTING, OperationEvent.PLAY): OperationPhase.RETURNING,
    (OperationPhase.RESTING, OperationEvent.POSE): OperationPhase.POSING,
    (OperationPhase.PLAYING, OperationEvent.POSE): OperationPhase.SLOWING,
    (OperationPhase.PLAYING, OperationEvent.ARRIVED): OperationPhase.RESTING,
    (OperationPhase.SLOWING, OperationEvent.PLAY): OperationPhase.PLAYING,
    (OperationPhase.SLOWING, OperationEvent.STOOD): OperationPhase.POSING,
    (OperationPhase.SLOWING, OperationEvent.ARRIVED): OperationPhase.POSING,
    (OperationPhase.POSING, OperationEvent.PLAY): OperationPhase.RETURNING,
    (OperationPhase.RETURNING, OperationEvent.POSE): OperationPhase.POSING,
    (OperationPhase.RETURNING, OperationEvent.ARRIVED): OperationPhase.PLAYING,
}
"""Next phase by phase and event; any other pair leaves the phase as it is."""

ON_MOTION = (OperationPhase.PLAYING, OperationPhase.SLOWING)
"""Phases in which the motion itself is followed."""

PLAYING_TEXT = {
    OperationPhase.RESTING: "",
    OperationPhase.PLAYING: "play",
    OperationPhase.SLOWING: "pose",
    OperationPhase.POSING: "pose",
    OperationPhase.RETURNING: "play",
}
"""Name of each phase for people."""


def step(phase: OperationPhase, happening: OperationEvent) -> OperationPhase:
    """Return the next phase; the same one if nothing follows."""
    return TRANSITIONS.get((phase, happening), phase)
