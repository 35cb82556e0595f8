"""Judges of a run one of whose processes was struck: rods, modes, words, recording."""

import re
from itertools import pairwise
from signal import SIGKILL

from kill_traces import Seen
from reactions import Reaction

GRACE_S = 0.5
"""Silence of 0.2 s, the slowest watchdog of 0.1 s, and the hearing of what the rack tells."""
BEGUN = {"HOMING", "ENGAGING", "ENGAGED", "PARKING"}
"""Modes that only an act leads into."""
AFTERWARDS = {
    "HOMING": {"STANDBY"},
    "ENGAGING": {"ENGAGED"},
    "PARKING": {"STANDBY"},
}
"""Where a mode that goes on ends by itself."""


def judged(seen: Seen, reaction: Reaction) -> list[str]:
    """What is not as the manual says; empty if all is."""
    wrong = [*went_on(seen), *recorded(seen, reaction)] if reaction.goes_on else []
    if not (reaction.goes_on or rods_are_gone(seen)):
        wrong += rested(seen)
    wrong += begun_by_itself(seen)
    if seen.status not in reaction.status:
        wrong.append(f"exit status {seen.status}, not one of {reaction.status}")
    belongs = not reaction.modes or seen.case.mode in reaction.modes
    if belongs and not re.search(reaction.told, seen.words):
        wrong.append(f"silent loss: nothing says {reaction.told!r}")
    if not seen.result and seen.status >= 0:
        wrong.append("no result")
    if "Traceback" in seen.words:
        wrong.append("a traceback")
    if reaction.unpowered and seen.powered:
        wrong.append("drives with power in the end")
    return wrong


def rods_are_gone(seen: Seen) -> bool:
    """Whether nobody is left who knows where the rods are: the rack itself was killed."""
    return seen.case.process == "rack" and seen.case.number is SIGKILL


def rested(seen: Seen) -> list[str]:
    """The rods come to rest and stay, until somebody acts."""
    moving, ended = False, False
    for at, begins in seen.moving:
        if at <= seen.struck_s:
            moving = begins
        elif at < seen.acted_s:
            if begins and (ended or at > seen.struck_s + GRACE_S):
                return [f"rods began to move {at - seen.struck_s:.2f} s after the signal"]
            moving, ended = begins, ended or (not begins and at > seen.struck_s + GRACE_S)
    return ["the rods never came to rest"] if moving else []


def begun_by_itself(seen: Seen) -> list[str]:
    """No mode that an act alone leads into."""
    after = [mode for at, mode in seen.modes if seen.struck_s < at < seen.acted_s]
    allowed = AFTERWARDS.get(seen.mode, set())
    return [f"{mode} began by itself" for mode in after if mode in BEGUN - allowed]


def went_on(seen: Seen) -> list[str]:
    """The mode lasts, or ends where it does by itself; engaged rods go on moving."""
    after = [mode for at, mode in seen.modes if seen.struck_s < at < seen.acted_s]
    allowed = AFTERWARDS.get(seen.mode, set())
    wrong = [f"left {seen.mode} for {mode}" for mode in after if mode not in allowed]
    if seen.mode == "ENGAGED":
        told = [begins for at, begins in seen.moving if at < seen.acted_s]
        if not (told and told[-1]):
            wrong.append("the rods stand still")
    return wrong


def recorded(seen: Seen, reaction: Reaction) -> list[str]:
    """Every cycle is in the files once, in order; as many files as told."""
    wrong = []
    if seen.parts != reaction.files:
        wrong.append(f"{seen.parts} files of the recording, not {reaction.files}")
    gaps = sum(b != a + 1 for a, b in pairwise(seen.indices))
    if gaps or not seen.indices:
        wrong.append(f"silent loss: {gaps} gaps in {len(seen.indices)} cycles of the recording")
    return wrong
