"""What the manual says of each process that is killed or stopped, as data.

Each reaction names a sentence of the safety manual that it was read from; a test finds it there.
"""

import re
from dataclasses import dataclass
from pathlib import Path
from signal import SIGKILL, SIGSTOP, Signals

MANUAL = Path(__file__).parents[2] / "docs" / "safety_manual.md"
ALOFT = ("HOMING", "ENGAGING", "ENGAGED", "HOLD", "PARKING")
"""Modes in which the dead-man counts, or drives have power."""


@dataclass(frozen=True)
class Reaction:
    """What is to be seen after a signal.

    Args:
        process: that was struck.
        signals: by what.
        goes_on: whether the motion goes on; else the rods come to rest and stay until an act.
        status: exit statuses that the run may have.
        told: pattern found in result, console, recording or the gate's record.
        manual: a sentence of the manual, or a part of one.
        modes: to which the words belong; empty for all.
        files: files of the recording.
        unpowered: whether the drives have no power in the end.
    """

    process: str
    signals: tuple[Signals, ...]
    goes_on: bool
    status: tuple[int, ...]
    told: str
    manual: str
    modes: tuple[str, ...] = ()
    files: int = 1
    unpowered: bool = True


BOTH = (SIGKILL, SIGSTOP)
REACTIONS = (
    Reaction(
        "control",
        (SIGKILL,),
        goes_on=False,
        status=(-SIGKILL,),
        told=r"control is gone",
        manual="does not come back | holds 2 s, takes the power off, leaves the bus, ends",
    ),
    Reaction(
        "control",
        (SIGSTOP,),
        goes_on=False,
        status=(0, 1),
        told=r"control: silent|control is silent",
        manual="comes back before the power is off | finds HOLD, STANDBY or IDLE and the cause",
    ),
    Reaction(
        "gate",
        BOTH,
        goes_on=False,
        status=(1,),
        told=r"the gate.*(has ended|silent)",
        manual="the gate freezes or is killed | the drives' watchdogs, 50 ms | the run ends with "
        "the link lost",
    ),
    Reaction(
        "rack",
        (SIGKILL,),
        goes_on=False,
        status=(1,),
        told=r"lost|closed|gone",
        manual="link, adapter, cable | each drive; the gate ends the run",
    ),
    Reaction(
        "rack",
        (SIGSTOP,),
        goes_on=False,
        status=(0, 1),
        told=r"missing|lost|heartbeat|0x8130|0x8250|8130h|8250h",
        manual="A lost link stays lost, and nothing is enabled again by itself",
    ),
    Reaction(
        "desk",
        (SIGKILL,),
        goes_on=False,
        status=(0, 1),
        told=r"operator's desk: the desk has died \(exit status -9\)",
        manual="the desk is killed | the same | HOLD; another desk begins within about 1 s",
    ),
    Reaction(
        "desk",
        (SIGSTOP,),
        goes_on=False,
        status=(0, 1),
        told=r"hold-to-run released in ",
        manual="the desk freezes | the same | after 4 s it is killed, and as below",
        modes=("HOMING", "ENGAGING", "ENGAGED", "PARKING"),
    ),
    Reaction(
        "keeper",
        (SIGKILL,),
        goes_on=False,
        status=(0, 1),
        told=r"operator's desk: .*keeper",
        manual="the desk's keeper is killed, and the desk ends with it | the same",
    ),
    Reaction(
        "keeper",
        (SIGSTOP,),
        goes_on=True,
        status=(0,),
        told="",
        manual="the desk's keeper freezes | not stopped: the motion continues",
    ),
    Reaction(
        "panel",
        (SIGKILL,),
        goes_on=False,
        status=(0, 1),
        told=r"nobody owns the motion",
        manual="the panel is closed or killed | the end of its socket and one cycle later",
    ),
    Reaction(
        "panel",
        (SIGSTOP,),
        goes_on=False,
        status=(0, 1),
        told=r"hold-to-run released in ",
        manual="the panel freezes, or its machine is too busy | 0.15 s after its last sign of life",
        modes=("HOMING", "ENGAGING", "ENGAGED", "PARKING"),
    ),
    Reaction(
        "prover",
        BOTH,
        goes_on=True,
        status=(0,),
        told="",
        manual="the desk's prover freezes or is killed | not stopped: the motion continues",
    ),
    Reaction(
        "recorder",
        (SIGKILL,),
        goes_on=True,
        status=(0,),
        told=r"recording-2\.mcap goes on",
        manual="A recorder that is killed does not affect the motion: another one continues in "
        "`recording-2.mcap`, and both are read as one",
        files=2,
    ),
    Reaction(
        "recorder",
        (SIGSTOP,),
        goes_on=True,
        status=(0,),
        told="",
        manual="recorder, disk, display | nothing: the motion continues",
    ),
    Reaction(
        "standby",
        BOTH,
        goes_on=True,
        status=(0,),
        told="",
        manual="recorder, disk, display | nothing: the motion continues",
    ),
)


def reaction_to(process: str, number: Signals) -> Reaction:
    """The one reaction to a signal."""
    (found,) = (each for each in REACTIONS if each.process == process and number in each.signals)
    return found


def plain(text: str) -> str:
    """Words of a page without its line breaks and marks."""
    return " ".join(re.sub(r"[`*]", "", text).split())
