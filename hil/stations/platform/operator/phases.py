"""What an operated motion is doing: an enum, and the table of what changes it."""

from enum import Enum


class Phase(Enum):
    """What is being done."""

    RESTING = "resting"
    PLAYING = "playing"
    SLOWING = "slowing"
    """Along the motion's way to a stop, to leave it for a pose."""
    POSING = "posing"
    RETURNING = "returning"
    """On the way to the motion's start, to play it."""


class Happening(Enum):
    """What changes the phase."""

    PLAY = "play"
    POSE = "pose"
    STOOD = "stood"
    """The tempo has come to 0."""
    ARRIVED = "arrived"
    """The path has been followed to its end."""


TRANSITIONS: dict[tuple[Phase, Happening], Phase] = {
    (Phase.RESTING, Happening.PLAY): Phase.RETURNING,
    (Phase.RESTING, Happening.POSE): Phase.POSING,
    (Phase.PLAYING, Happening.POSE): Phase.SLOWING,
    (Phase.PLAYING, Happening.ARRIVED): Phase.RESTING,
    (Phase.SLOWING, Happening.PLAY): Phase.PLAYING,
    (Phase.SLOWING, Happening.STOOD): Phase.POSING,
    (Phase.SLOWING, Happening.ARRIVED): Phase.POSING,
    (Phase.POSING, Happening.PLAY): Phase.RETURNING,
    (Phase.RETURNING, Happening.POSE): Phase.POSING,
    (Phase.RETURNING, Happening.ARRIVED): Phase.PLAYING,
}
"""Every pair that changes something; any other leaves the phase as it is."""

ON_MOTION = (Phase.PLAYING, Phase.SLOWING)
"""Phases in which the motion itself is followed."""

PLAYING_TEXT = {
    Phase.RESTING: "",
    Phase.PLAYING: "play",
    Phase.SLOWING: "pose",
    Phase.POSING: "pose",
    Phase.RETURNING: "play",
}
"""What each phase is called towards people."""


def step(phase: Phase, happening: Happening) -> Phase:
    """Next phase; the same one if nothing follows."""
    return TRANSITIONS.get((phase, happening), phase)
