"""The phases of a run: stretches of cycles in one mode of the bench."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil.recording.header import code_name
from hil.recording.reader import Recording

STOP_MODES = ("CSTOP", "QSTOP")
"""Modes in which the gate or the drives bring the legs to rest."""

ALARM_MODES = (*STOP_MODES, "FAULT", "LOCKOUT")
"""Modes that a person must see however short they were."""


@dataclass(frozen=True, slots=True)
class Phase:
    """Cycles in one mode without a break.

    Args:
        mode: name of the mode.
        first: place of its first cycle in the recording's columns.
        end: place after its last cycle.
        start_s: when it began [s].
        end_s: when the next one began, or the recording ended [s].
    """

    mode: str
    first: int
    end: int
    start_s: float
    end_s: float

    @property
    def duration_s(self) -> float:
        """How long it lasted [s]."""
        return self.end_s - self.start_s


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
    """The phases in order.

    Args:
        recording: the run.
        times: of its cycles [s], as `times_s` gives them.
    """
    codes = recording.column("mode")
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
