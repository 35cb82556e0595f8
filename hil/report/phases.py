"""The phases of a run: stretches of cycles in one mode of the bench."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil.recording.header import code_name
from hil.recording.reader import Recording
from hil.recording.row_arrays import gathered

STOP_MODES = ("CSTOP", "QSTOP")
"""Modes in which the gate or the drives bring the legs to rest."""

ALARM_MODES = (*STOP_MODES, "FAULT", "LOCKOUT")


@dataclass(frozen=True, slots=True)
class Phase:
    """Rows in one mode without a break."""

    mode: str
    first: int
    """Place of its first row in the recording's columns."""
    end: int
    """Place after its last row."""
    start_s: float
    end_s: float
    """Time at which the next one began, or the recording ended [s]."""

    @property
    def duration_s(self) -> float:
        """Duration [s]."""
        return self.end_s - self.start_s

    @property
    def alarm(self) -> bool:
        """Whether a person must see it however short it was."""
        return self.mode.upper() in ALARM_MODES


def times_s(recording: Recording) -> NDArray[np.float64]:
    """Time of each cycle [s], finite and never falling, shape (N,), read-only.

    A recording whose times are not usable is drawn over what can be made of them: holes are
    bridged, and with fewer than two times the cycles' places count as seconds.
    """
    try:
        return gathered(_rising(recording), recording.path.parent)
    except _TimeMissingError:
        times = recording.t_s
    good, places = np.isfinite(times), np.arange(len(times), dtype=float)
    times = np.interp(places, places[good], times[good]) if good.sum() >= 2 else places
    times = np.maximum.accumulate(times)
    times.setflags(write=False)
    return times


class _TimeMissingError(Exception):
    """A time is no number."""


def _rising(recording: Recording) -> Iterator[NDArray[np.float64]]:
    last = -np.inf
    for piece in recording.pieces():
        times = piece.rows.t_s
        if not np.isfinite(times).all():
            raise _TimeMissingError
        times = np.maximum(np.maximum.accumulate(times), last) if len(times) else np.zeros(0)
        last = float(times[-1]) if len(times) else last
        yield times


def phases_of(recording: Recording, times: NDArray[np.float64]) -> tuple[Phase, ...]:
    """The phases in order, at the times [s] that `times_s` gives."""
    coded = recording.signals.coded
    if not coded or not recording.cycles:
        return ()
    starts: list[int] = []
    codes: list[int] = []
    for piece in recording.pieces():
        found = piece.rows.column(coded[0].name)
        changed = np.flatnonzero(np.diff(found, prepend=found[:1])).tolist()
        if not codes or codes[-1] != found[0]:
            changed = [0, *changed]
        starts += [piece.start + place for place in changed]
        codes += found[changed].tolist()
    ends = [*starts[1:], recording.cycles]
    return tuple(
        Phase(
            mode=code_name(recording.modes, code),
            first=first,
            end=end,
            start_s=float(times[first]),
            end_s=float(times[min(end, len(times) - 1)]),
        )
        for code, first, end in zip(codes, starts, ends, strict=True)
    )
