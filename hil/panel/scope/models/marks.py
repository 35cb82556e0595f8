"""Words of the marks on the axis of time: short ones, and as many as do not lie over each other."""

from collections.abc import Sequence

from hil.recording.events import EventKind, EventRecord

WORDS_MAX = 40
"""Characters of a mark's words."""
_ARROW = " -> "


def words_of(mark: EventRecord) -> str:
    """Text at a mark: of a mode the one that begins, else the message's beginning."""
    message = mark.message
    if mark.kind is EventKind.MODE and _ARROW in message:
        message = message.rsplit(_ARROW, 1)[1]
    return message[:WORDS_MAX]


def fitting(spans: Sequence[tuple[float, float]], gap: float) -> tuple[int, ...]:
    """Choose which of many words fit in one row; the newest come first.

    Args:
        spans: left and right end of each, oldest first, in any one unit.
        gap: least gap between two.

    Returns:
        Their indices, newest first.
    """
    kept: list[int] = []
    for index in range(len(spans) - 1, -1, -1):
        left, right = spans[index]
        if all(right + gap <= spans[k][0] or spans[k][1] + gap <= left for k in kept):
            kept.append(index)
    return tuple(kept)


def near(marks: Sequence[EventRecord], t_s: float, reach_s: float) -> tuple[EventRecord, ...]:
    """Marks at most so far from a time [s], oldest first."""
    return tuple(mark for mark in marks if abs(mark.t_s - t_s) <= reach_s)
