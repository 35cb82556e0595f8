"""Events that the arm station puts down, by whose names and data its report finds them."""

from collections.abc import Mapping
from typing import Final

from hil.recording.events import SIMULATED_KEY, EventKind, EventRecord, Level

LINK_TALLY: Final = "link tally"
"""Name of the event that tells the link's counts at the end."""
SUPERVISION: Final = "supervision"
"""Name of the event that tells what was seen of the robot's period and places."""


def stream_result(t_s: float, index: int, result: str, reason: str) -> EventRecord:
    """The event of a stream's end, from which the report tells how a run went.

    Args:
        t_s: motion time [s].
        index: number of the waypoint.
        result: a value of `arm_driver.host_states.StreamResult`, such as "completed".
        reason: why, a sentence for a person.
    """
    level = Level.INFO if result in ("completed", "cancelled") else Level.ERROR
    text = f"stream {result}: {reason}" if reason else f"stream {result}"
    data = {"result": result, "reason": reason}
    return EventRecord(t_s, index, EventKind.NOTE, level, "stream", text, data)


def told_simulated(t_s: float, index: int) -> EventRecord:
    """The event of a controller that says that it is an emulated one (time of the loop [s])."""
    text = "the controller says of itself that it is SIMULATED"
    data = {SIMULATED_KEY: True}
    return EventRecord(t_s, index, EventKind.NOTE, Level.INFO, "link", text, data)


def link_tally(
    t_s: float, index: int, counts: Mapping[str, float], name: str = LINK_TALLY
) -> EventRecord:
    """The event of the link's counts at the end of a run, or of what its supervision has seen.

    Args:
        t_s: time of the loop [s].
        index: number of the last waypoint.
        counts: name → number, such as those of `arm_driver.host_values.LinkCounts`; names that end
            in `_s` are times [s].
        name: of the event.
    """
    text = "; ".join(f"{name.replace('_', ' ')} {value:g}" for name, value in counts.items())
    return EventRecord(t_s, index, EventKind.NOTE, Level.INFO, name, text, dict(counts))
