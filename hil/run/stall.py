"""A computer that was too slow, told as the one cause that it is, and not by what followed from it.

Where a cycle comes late, or control is not there in time, answers of drives are late as well, and
lengths jump from one cycle to the next. The gate names all of it; a person needs the first.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.recording.events import EventKind
from hil.recording.percentiles import spread_of
from hil.recording.reader import Recording

OF_THE_COMPUTER: Final = frozenset({"late", "period", "stale", "missing", "control", "overrun"})
"""Checks of the gate that nothing but the computer can offend."""
FOLLOWS_S: Final = 0.5
"""What is objected to so soon after a stall is put down to it."""
_LOOK_BACK_S: Final = 0.05


@dataclass(frozen=True, slots=True)
class Stall:
    """The computer, or the program that leads, stood still."""

    t_s: float
    """Time of the run at which the gate noticed it [s]."""
    lasted_s: float
    """Longest time without a cycle or a setpoint, or from deadline to wake-up [s]."""
    period_s: float
    """Of the cycle [s]."""
    said: str
    """What the gate said first."""
    consequences: int
    """How many more objections came with it and soon after."""

    def __str__(self) -> str:
        more = f", and {self.consequences} more that follow from it" if self.consequences else ""
        return (
            f"the computer was too slow at {self.t_s:.3f} s: it stood still for "
            f"{1e3 * self.lasted_s:.1f} ms, a cycle has {1e3 * self.period_s:g} ms; the gate said: "
            f"{self.said}{more}"
        )

    def remedy(self, beside: Sequence[object] = ()) -> str:
        """What a person does about it."""
        ran = f" (of one processor: {', '.join(map(str, beside))})" if beside else ""
        return (
            f"the drives are not the cause. Lower rate_hz ({1.0 / self.period_s:g} Hz now), see "
            f"`hil doctor`, close what runs beside{ran}"
        )


def _without_setpoint_s(recording: Recording, t_s: float, period_s: float) -> float:
    """How long control asked for nothing about a moment at which the gate missed it [s].

    The gate goes on while control stands still, so its own cycles are in time.
    """
    if "asked_length_m" not in recording.columns:
        return 0.0
    begin_s = end_s = t_s
    for piece in recording.pieces():
        times_s = piece.rows.t_s
        asked = np.isfinite(piece.rows.column("asked_length_m")).all(axis=1)
        before, after = times_s[asked & (times_s < t_s)], times_s[asked & (times_s >= t_s)]
        begin_s = float(before[-1]) + period_s if len(before) else begin_s
        if len(after):
            return max(0.0, float(after[0]) - begin_s)
        end_s = float(times_s[-1]) + period_s if len(times_s) else end_s
    return max(0.0, end_s - begin_s)


def stall_of(recording: Recording) -> Stall | None:
    """The stall that stopped a run; None if something else stopped it, or nothing did."""
    violations = [
        event
        for event in recording.events
        if event.kind is EventKind.VIOLATION and event.data.get("check") != "request"
    ]
    first = (
        [event for event in violations if event.index == violations[0].index] if violations else []
    )
    causes = [event for event in first if event.data.get("check") in OF_THE_COMPUTER]
    if not causes or not {"dt_s", "late_s"} <= recording.columns.keys():
        return None
    t_s = causes[0].t_s
    longest_s = 0.0
    for piece in recording.pieces():
        rows = piece.rows
        near = np.abs(rows.t_s - t_s) <= _LOOK_BACK_S
        waits = np.maximum(rows.column("dt_s")[near], rows.column("late_s")[near])
        longest_s = max(longest_s, float(np.nanmax(waits, initial=0.0)))
    after = [event for event in violations if event.t_s <= t_s + FOLLOWS_S]
    period_s = _period_s(recording)
    missed = [
        period_s * value
        for event in causes
        if isinstance(value := event.data.get("value"), int | float)
        and event.data.get("unit") == "cycles"
    ]
    waited_s = max(longest_s, *missed, 0.0)
    if any(event.data.get("check") == "control" for event in causes):
        waited_s = max(waited_s, _without_setpoint_s(recording, t_s, period_s))
    return Stall(
        t_s=t_s,
        lasted_s=waited_s,
        period_s=period_s,
        said=causes[0].message,
        consequences=len(after) - 1,
    )


def _period_s(recording: Recording) -> float:
    """Half of the steps in time are longer [s]; with one row, what it says of itself."""
    if recording.cycles < 2:
        return float(recording.column("dt_s")[0])

    def steps() -> Iterator[NDArray[np.float64]]:
        for piece in recording.pieces(before=1):
            yield np.diff(piece.rows.t_s)

    return spread_of(steps, (50.0,)).percentiles[0]
