"""Picture of a stop: do six legs slow down together, inside their limits?"""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.report.leg_figures import step_rate
from hil.report.phases import STOP_MODES, Phase
from hil.report.style import LEG_COLOURS, LIMIT, Picture, draw_png
from hil.report.time_axes import leg_legend
from hil.report.view import RunView

Array = NDArray[np.float64]

SLOW_M_S = 1e-3
"""A leg slower than this when the stop began is left out of the ratios: it would be noise."""

_BEFORE_S, _AFTER_S = 0.15, 0.25


def stop(view: RunView) -> Picture | None:
    """Speeds of the legs around the first stop, their ratio to the start, and the lengths."""
    phase = next((phase for phase in view.phases if phase.mode in STOP_MODES), None)
    if phase is None or phase.first == 0 or view.period_s is None:
        return None
    sent = view.recording.column("allowed_length_m")
    commanded = np.isfinite(sent[phase.first : phase.end]).all(axis=1).any()
    lengths = sent if commanded else view.recording.column("measured_length_m")
    speeds = step_rate(view, lengths) if commanded else view.recording.column("measured_speed_m_s")
    window = _window(view, phase)
    if not np.isfinite(speeds[window]).any():
        return None
    words = "commanded" if commanded else "measured"

    def draw(figure: Figure) -> None:
        left, middle, right = figure.subplots(1, 3)
        time_ms = (view.times[window] - view.times[phase.first]) * 1e3
        _lines(left, time_ms, speeds[window])
        left.set_title(f"leg speeds, {words} [m/s]")
        _lines(middle, time_ms, shared_factor(speeds, phase.first)[window])
        middle.set_title("speed over its value at the start")
        middle.set_ylim(-0.25, 1.35)
        _lines(right, time_ms, lengths[window])
        _limits(right, view)
        right.set_title(f"leg lengths, {words} [m]")
        for axes in (left, middle, right):
            axes.axvline(0.0, color=LIMIT, linewidth=1.0, linestyle=":")
            axes.set_xlabel(f"time from the start of {phase.mode} [ms]")
        leg_legend(figure)

    return Picture(
        "stop",
        f"The stop: {phase.mode}",
        "In a controlled stop the gate multiplies six speeds by one factor, so in the middle all "
        "legs lie on one line and the platform slows down along its path. Dashed lines at the "
        f"right: soft limits. Legs slower than {SLOW_M_S * 1e3:g} mm/s at the start are left out "
        "in the middle.",
        draw_png(3.6, draw),
    )


def shared_factor(speeds_m_s: Array, first: int) -> Array:
    """Speeds over those of the last cycle before a stop, shape (N, 6).

    Args:
        speeds_m_s: shape (N, 6).
        first: place of the stop's first cycle, above 0.

    Returns:
        NaN for a leg that hardly moved in that cycle.
    """
    reference = speeds_m_s[first - 1]
    with np.errstate(invalid="ignore"):
        reference = np.where(np.abs(reference) >= SLOW_M_S, reference, np.nan)
    return speeds_m_s / reference


def _window(view: RunView, phase: Phase) -> slice:
    """Cycles shortly before, in and shortly after a stop."""
    start, end = np.searchsorted(
        view.times, [phase.start_s - _BEFORE_S, min(phase.end_s, phase.start_s + 5.0) + _AFTER_S]
    )
    return slice(int(start), int(end) + 1)


def _lines(axes: Axes, time_ms: Array, values: Array) -> None:
    # Wide lines below narrow ones: where six lie on each other, each is still seen.
    for leg, colour in enumerate(LEG_COLOURS):
        axes.plot(time_ms, values[:, leg], color=colour, linewidth=4.4 - 0.7 * leg)


def _limits(axes: Axes, view: RunView) -> None:
    if view.limits is None:
        return
    for values in (view.limits.soft_min_m, view.limits.soft_max_m):
        for value in np.unique(values):
            axes.axhline(value, color=LIMIT, linewidth=1.0, linestyle=(0, (6, 3)))
