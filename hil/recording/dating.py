"""The date of each row of a recording that was made in real time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.recording.events import EventKind, EventRecord, Level

if TYPE_CHECKING:
    from hil.recording.reader import Recording
    from hil.timing.clock import Moment

CLOCK_NAME: Final = "clock"
"""Name of the event that dates the first cycle."""


def clock_event(t_s: float, index: int, moment: Moment) -> EventRecord:
    """The event that pairs a cycle with the calendar and the monotonic clock.

    Args:
        moment: when it was put down: at its end, so within one cycle.
    """
    text = f"cycle {index} was at {moment.text}"
    data = {"utc": moment.text, "monotonic_s": moment.monotonic_s}
    return EventRecord(t_s, index, EventKind.NOTE, Level.INFO, CLOCK_NAME, text, data)


def dates(recording: Recording) -> NDArray[np.datetime64] | None:
    """Date and time (UTC) of each row, to about one cycle; None for a dry run.

    It is the date of the first cycle and what has passed since by the monotonic clock: a calendar
    that is set during the run changes nothing. A recording of which the time of each cycle is not
    told (an arm's) is dated by its motion time and lateness.

    Returns:
        Dates with microseconds, (N,).
    """
    events = (event for event in recording.events if event.name == CLOCK_NAME)
    event = next(events, None)
    if event is None or not recording.cycles:
        return None
    t_s = recording.t_s
    elapsed_s = t_s - event.t_s
    if "dt_s" in recording.columns:
        # Motion time counts cycles; what a cycle took beyond its period is added.
        follows = np.diff(recording.column("index")) == 1
        beyond_s = np.where(follows, recording.column("dt_s")[1:] - np.diff(t_s), 0.0)
        elapsed_s = elapsed_s + np.concatenate(([0.0], np.cumsum(np.nan_to_num(beyond_s))))
    else:
        elapsed_s = elapsed_s + np.nan_to_num(recording.column("late_s"))
    start = np.datetime64(str(event.data["utc"]).removesuffix("Z"), "us")
    return start + np.round(np.nan_to_num(elapsed_s) * 1e6).astype("timedelta64[us]")
