"""The phases of a run: stretches of cycles in one mode of the bench."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil.recording.header import code_name
from hil.recording.reader import Recording

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
    """When the next one began, or the recording ended [s]."""

    @property
    def duration_s(self) -> float:
        """How long it lasted [s]."""
        return self.end_s - self.start_s

    @property
    def alarm(self) -> bool:
        """Whether a person must see it however short it was."""
        return self.mode.upper() in ALARM_MODES


def times_s(recording: Recording) -> NDArray[np.float64]:
    """Time of each cycle [s], finite and never falling, shape (N,), read-only.

    A recording whose times are not usable is drawn over what can be made of them: holes are
    bridged, and with fewer than two times the cycles' places stand for seconds.
    """
    times = recording.t_s
    good = np.isfinite(times)
    if not good.all():
        places = np.arange(len(times), dtype=float)
        times = np.interp(places, places[good], times[good]) if good.sum() >= 2 else places
    times = np.maximum.accumulate(times) if len(times) else np.zeros(0)
    times.setflags(write=False)
    return times


def phases_of(recording: Recording, times: NDArray[np.float64]) -> tuple[Phase, ...]:
    """The phases in order, at the times [s] that `times_s` gives."""
    coded = recording.signals.coded
    codes = recording.column(coded[0].name) if coded else times[:0]
    if not len(codes):
        return ()
    starts = np.concatenate(([0], np.flatnonzero(np.diff(codes)) + 1))
    ends = np.concatenate((starts[1:], [len(codes)]))
    return tuple(
        Phase(
            mode=code_name(recording.modes, int(codes[first])),
            first=int(first),
            end=int(end),
            start_s=float(times[first]),
            end_s=float(times[min(end, len(times) - 1)]),
        )
        for first, end in zip(starts, ends, strict=True)
    )
