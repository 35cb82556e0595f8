"""Which fault a wire can show, by the fields that its kind says it has, and what is seen then."""

from dataclasses import dataclass

from hil.hosts.watch.states import Cause

FIRST_S = 0.06
"""A packet may be lost, and one is as late as its jitter and a cycle [s]."""


@dataclass(frozen=True)
class Shown:
    """What is seen of a fault."""

    causes: tuple[Cause, ...]
    """The first that may be told; empty: the wire cannot show it."""
    within_s: float = FIRST_S
    """After the fault began [s]."""
    limited: str = ""
    """What limits the motion where it cannot."""


NOTHING = "the motion goes on as a vehicle's could; filter and governor"
STANDS = "the pose stands still; governor"
FAULTS = {
    "pause": "pause duration_s=1.2",
    "menu": "menu duration_s=1.2",
    "replay": "replay value=5 duration_s=1.2",
    "reset": "reset",
    "teleport": "teleport value=500",
    "backward": "backward value=2",
    "slow": "slow value=0.4 duration_s=1.5",
    "stall": "stall duration_s=1",
    "frozen": "frozen duration_s=1.2",
    "nan": "nan duration_s=1",
    "spike": "spike value=60",
    "loop": "loop value=12",
    "truncated": "truncated value=0.5 duration_s=1",
    "second": "second duration_s=2",
    "restart": "restart",
    "end": "end",
}


def shown(fault, tells):
    """What a wire with these fields shows of a fault.

    Args:
        fault: name of a fault of an emulated simulator.
        tells: fields of its kind.
    """
    moves = {"position_m", "v_m_s"} <= tells
    place = (Cause.POSITION_JUMP, Cause.ATTITUDE_JUMP) if moves else ()
    pose = "f_m_s2" not in tells
    if fault in ("menu", "stall", "truncated"):
        return Shown((Cause.NO_PACKET,), 0.1 + FIRST_S)
    if fault == "end":
        told = "flags.END" in tells
        return Shown((Cause.END,)) if told else Shown((Cause.NO_PACKET,), 0.1 + FIRST_S)
    if fault == "pause":
        if "flags.PAUSED" in tells:
            return Shown((Cause.PAUSED,))
        if "t_s" in tells:
            return Shown((Cause.STAMP_FROZEN,), 0.1 + FIRST_S)
    if fault in ("pause", "frozen"):
        if not moves:
            return Shown((), 0.0, STANDS)
        # Without a time the path stands still beside the speed, which is seen about as soon.
        paced = () if "t_s" in tells else (Cause.SPEED_FACTOR,)
        return Shown((Cause.VALUES_FROZEN, *paced), 0.25 + FIRST_S)
    if fault == "replay" and "flags.REPLAY" in tells:
        return Shown((Cause.REPLAY,))
    if fault == "reset" and "flags.RESET" in tells:
        return Shown((Cause.RESET,))
    if fault == "restart" and "sequence" in tells:
        return Shown((Cause.SEQUENCE_RESTART,))
    if fault == "backward" or (fault == "restart" and "t_s" in tells):
        if "t_s" in tells:
            return Shown((Cause.TIME_BACKWARD, Cause.NO_PACKET), 0.1 + FIRST_S)
        return Shown((), 0.0, NOTHING)
    if fault in ("replay", "reset", "restart", "teleport") and moves:
        return Shown(place)
    if fault in ("replay", "reset", "restart"):
        return Shown((), 0.0, "the pose may step by its margin; governor")
    if fault == "slow":
        if "speed_factor" in tells:
            return Shown((Cause.SPEED_FACTOR,))
        if "t_s" in tells or moves:
            return Shown((Cause.SPEED_FACTOR,), 1.0 + FIRST_S)
    if fault == "nan" and not pose:
        return Shown((Cause.STEP, Cause.NO_PACKET), 0.1 + FIRST_S)
    if fault == "spike":
        return Shown((Cause.NONE,)) if not pose else Shown(place or (Cause.POSITION_JUMP,))
    if fault == "loop" and pose:
        return Shown((), 0.0, "what flips in the tool itself is an attitude jump; governor")
    if fault in ("loop", "second"):
        return Shown((Cause.NONE,))
    return Shown((), 0.0, NOTHING)


KINDS = (
    "hcu1", "flightgear", "flightgear_generic", "jsbsim", "xplane_rref", "xplane_data", "beamng",
    "pose_template",
)  # fmt: skip
WORDS = {
    Cause.NO_PACKET: "no packet",
    Cause.STAMP_FROZEN: "stamp frozen",
    Cause.PAUSED: "paused",
    Cause.REPLAY: "replay",
    Cause.SPEED_FACTOR: "speed factor",
    Cause.END: "end",
    Cause.POSITION_JUMP: "position jump",
    Cause.TIME_BACKWARD: "time backward",
    Cause.SEQUENCE_RESTART: "sequence restart",
    Cause.RESET: "reset",
    Cause.STEP: "step",
    Cause.VALUES_FROZEN: "values frozen",
}


def cell(fault, tells):
    """What the table of the documents says of a fault on a wire."""
    seen = shown(fault, tells)
    if not seen.causes:
        return f"not shown: {seen.limited}"
    if seen.causes == (Cause.NONE,):
        return {"spike": "dropped", "loop": "followed", "second": "not heard"}[fault]
    within_s = round(seen.within_s - FIRST_S, 3)
    return WORDS[seen.causes[0]] + (f", {within_s:g} s" if within_s else "")


def table(tells):
    """The table, of the fields of each kind, as lines of a document."""
    lines = ["| fault | " + " | ".join(f"`{name}`" for name in KINDS) + " |"]
    lines.append("| --- " * (1 + len(KINDS)) + "|")
    for fault in FAULTS:
        cells = (cell(fault, tells[name]) for name in KINDS)
        lines.append(f"| `{fault}` | " + " | ".join(cells) + " |")
    return "\n".join(lines)
