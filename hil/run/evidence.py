"""The figures of a run, taken from its recording: what a person or a script judges it by."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.recording.events import EventKind
from hil.recording.reader import Recording

MOTION_MODES = ("ENGAGED", "CSTOP", "QSTOP", "HOLD")
"""Modes in which the motion itself, or the stop that ended it, moves the legs."""


@dataclass(frozen=True, slots=True)
class Lateness:
    """How late the cycles began [us]."""

    p50: float
    """Of half of them."""
    p99: float
    """Of 99 % of them."""
    max: float
    """Of the latest."""


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
    """Which cycles belong to the motion or to the stop that ended it, shape (N,).

    A stop counts only if the motion had begun.
    """
    codes = [i for i, name in enumerate(recording.modes) if name in MOTION_MODES]
    engaged = [i for i, name in enumerate(recording.modes) if name == "ENGAGED"]
    mode = recording.column("mode")
    begun = np.maximum.accumulate(np.isin(mode, engaged)) if len(mode) else np.zeros(0, bool)
    return np.isin(mode, codes) & begun


def tracking_error_m(recording: Recording) -> NDArray[np.float64]:
    """Length sent minus length measured, shape (N, 6); NaN where nothing was sent."""
    return recording.column("sent_length_m") - recording.column("measured_length_m")


def evidence_of(recording: Recording, closed_length_m: NDArray[np.float64]) -> Evidence:
    """The figures of a recording; ``closed_length_m`` is with the rods fully in, shape (6,)."""
    late_us = recording.column("late_s") * 1e6
    if len(late_us):
        p50, p99 = np.percentile(late_us, [50, 99])
        lateness = Lateness(float(p50), float(p99), float(late_us.max()))
    else:
        lateness = Lateness(0.0, 0.0, 0.0)
    chosen = in_motion(recording)
    lengths = recording.column("measured_length_m")[chosen]
    if not np.isfinite(lengths).any():
        return Evidence(None, None, None, None, None, None, lateness)
    strokes = lengths - closed_length_m
    error = np.abs(tracking_error_m(recording)[chosen])
    return Evidence(
        length_min_m=float(np.nanmin(lengths)),
        length_max_m=float(np.nanmax(lengths)),
        stroke_min_m=float(np.nanmin(strokes)),
        stroke_max_m=float(np.nanmax(strokes)),
        leg_speed_max_m_s=float(np.nanmax(np.abs(recording.column("measured_speed_m_s")[chosen]))),
        tracking_error_max_m=float(np.nanmax(error)) if np.isfinite(error).any() else None,
        lateness_us=lateness,
    )


def verdicts_of(recording: Recording) -> list[dict[str, Any]]:
    """What the gate objected to, in order: time, check, leg, value, low, limit, unit, the text."""
    return [
        {"t_s": event.t_s, "low": None, **event.data, "message": event.message}
        for event in recording.events
        if event.kind is EventKind.VIOLATION
    ]
