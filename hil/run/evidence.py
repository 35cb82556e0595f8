"""The figures of a run, taken from its recording: what a person or a script judges it by."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.recording.events import EventKind
from hil.recording.percentiles import spread_of
from hil.recording.reader import Recording

MOTION_MODES = ("ENGAGED", "CSTOP", "QSTOP", "HOLD")
"""Modes in which the motion itself, or the stop that ended it, moves the legs."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """Lateness of the cycles [us]."""

    p50: float
    """Bound of half of the cycles [us]."""
    p99: float
    """Bound of 99 % of the cycles [us]."""
    max: float
    """Lateness of the latest cycle [us]."""


@dataclass(frozen=True, slots=True)
class Evidence:
    """Figures of a run; None where there was no motion.

    Extremes are of the measured lengths during the motion and its stop, over all six legs; rise
    and parking are not part of them.
    """

    length_min_m: float | None
    length_max_m: float | None
    stroke_min_m: float | None
    """Least rod stroke (length minus closed length)."""
    stroke_max_m: float | None
    leg_speed_max_m_s: float | None
    tracking_error_max_m: float | None
    """Greatest distance between a length sent and the one measured at the end of that cycle."""
    lateness_us: Lateness


def in_motion(recording: Recording) -> NDArray[np.bool_]:
    """Find the cycles of the motion, or of the stop that ended it, shape (N,).

    A stop counts only if the motion had begun.
    """
    moving = np.zeros(recording.cycles, np.bool_)
    for _, at, own in _in_motion(recording):
        moving[at : at + len(own)] = own
    return moving


def _in_motion(recording: Recording) -> Iterator[tuple[Recording, int, NDArray[np.bool_]]]:
    """Rows of each piece, the place of the first, and which belong to the motion."""
    codes = [i for i, name in enumerate(recording.modes) if name in MOTION_MODES]
    engaged = [i for i, name in enumerate(recording.modes) if name == "ENGAGED"]
    begun = False
    for piece in recording.pieces():
        mode = piece.rows.column("mode")
        after = np.logical_or.accumulate(np.isin(mode, engaged)) | begun
        begun = begun or bool(after.any())
        yield piece.rows, piece.start, np.isin(mode, codes) & after


def tracking_error_m(recording: Recording) -> NDArray[np.float64]:
    """Length sent minus length measured, shape (N, 6); NaN where nothing was sent."""
    return recording.column("sent_length_m") - recording.column("measured_length_m")


def evidence_of(recording: Recording, closed_length_m: NDArray[np.float64]) -> Evidence:
    """The figures of a recording; ``closed_length_m`` is with the rods fully in, shape (6,)."""
    length, stroke = Range(), Range()
    speed, error = Range(), Range()
    for rows, _, chosen in _in_motion(recording):
        lengths = rows.column("measured_length_m")[chosen]
        length.add(lengths)
        stroke.add(lengths - closed_length_m)
        speed.add(np.abs(rows.column("measured_speed_m_s")[chosen]))
        error.add(np.abs(tracking_error_m(rows)[chosen]))
    lateness = lateness_us(recording)
    if not length.finite:
        return Evidence(None, None, None, None, None, None, lateness)
    return Evidence(
        length_min_m=length.low,
        length_max_m=length.high,
        stroke_min_m=stroke.low,
        stroke_max_m=stroke.high,
        leg_speed_max_m_s=math.nan if speed.high is None else speed.high,
        tracking_error_max_m=error.high if error.finite else None,
        lateness_us=lateness,
    )


def lateness_us(recording: Recording) -> Lateness:
    """Lateness of the cycles [us]; zeros if there are none."""
    if not recording.cycles:
        return Lateness(0.0, 0.0, 0.0)

    def late_us() -> Iterator[NDArray[np.float64]]:
        for piece in recording.pieces():
            yield piece.rows.column("late_s") * 1e6

    spread = spread_of(late_us, (50.0, 99.0))
    p50, p99 = spread.percentiles
    return Lateness(p50, p99, spread.greatest)


@dataclass(slots=True)
class Range:
    """Least and greatest of the numbers that came; None before the first."""

    low: float | None = None
    high: float | None = None
    finite: bool = False
    """Whether one of them was finite."""

    def add(self, values: NDArray[np.float64]) -> None:
        """Take more; what is NaN does not count."""
        known = values[~np.isnan(values)]
        if known.size:
            self.finite = self.finite or bool(np.isfinite(known).any())
            low, high = float(known.min()), float(known.max())
            self.low = low if self.low is None else min(self.low, low)
            self.high = high if self.high is None else max(self.high, high)


def verdicts_of(recording: Recording) -> list[dict[str, Any]]:
    """Objections of the gate in order: time, check, leg, value, low, limit, unit, the text."""
    return [
        {"t_s": event.t_s, "low": None, **event.data, "message": event.message}
        for event in recording.events
        if event.kind is EventKind.VIOLATION
    ]
