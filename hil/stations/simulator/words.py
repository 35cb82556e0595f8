"""Words for the states and causes of a live source."""

from __future__ import annotations

from typing import Final

from hil.hosts.watch.states import Cause, HostState

CAUSES: Final = {
    Cause.NONE: "nothing is wrong",
    Cause.NO_PACKET: "no fresh packet",
    Cause.STAMP_FROZEN: "its packets come, and their stamp stands still",
    Cause.PAUSED: "it is paused",
    Cause.REPLAY: "it replays",
    Cause.SPEED_FACTOR: "its time does not run as ours",
    Cause.END: "it said that it leaves",
    Cause.POSITION_JUMP: "the vehicle was elsewhere at once",
    Cause.ATTITUDE_JUMP: "the vehicle was turned at once",
    Cause.TIME_BACKWARD: "its time went back",
    Cause.SEQUENCE_RESTART: "it counts its packets anew",
    Cause.RESET: "it was reset",
    Cause.STEP: "force or rate beyond what a vehicle can",
    Cause.VALUES_FROZEN: "the vehicle moves, and its values stand still",
    Cause.MUTED: "a person muted it",
    Cause.MODEL_FAILED: "the model failed",
    Cause.OTHER_SENDER: "it is silent, and another sender that does not lead has come",
    Cause.FORCE: "its force is no vehicle's",
    Cause.SLOPE: "its force or rates contradict its motion",
    Cause.POSE: "its pose is not near the middle of its range",
    Cause.SIGNS: "nobody has looked at signs that nothing in its packets contradicts",
}
"""Reasons why a source is not followed, as half a sentence."""

PHYSICAL: Final = (Cause.FORCE, Cause.SLOPE, Cause.POSE, Cause.SIGNS)
"""Causes that a source's map has, or its simulator's settings."""


def state_text(state: HostState, cause: Cause, more: str = "") -> str:
    """Describe what a source is doing, and why where it is not followed.

    Args:
        cause: why it is not followed, or was not the last time: not said of one that is.
        more: what is known of the cause besides.
    """
    text = state.name.lower().replace("_", " ")
    if cause is Cause.NONE or state in (HostState.LIVE, HostState.FADING_IN):
        return text
    return f"{text}: {CAUSES[cause]}{f' ({more})' if more else ''}"


def why_lost(cause: Cause, more: str = "") -> str:
    """Return why a ride was given up.

    Args:
        more: what is known of the cause besides.
    """
    return f"the live source was lost: {CAUSES[cause]} for 2 s{f' ({more})' if more else ''}"
