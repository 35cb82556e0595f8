"""Picture of a stop, in which six legs should slow down together and inside their limits."""

from dataclasses import replace

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.report.phases import STOP_MODES, Phase
from hil.report.recorded_run import BEFORE
from hil.report.style import LEG_COLOURS, LEGEND_IN, LIMIT, Picture, draw_png, place
from hil.stations.platform.report.leg_axes import leg_legend, limit_handles
from hil.stations.platform.report.leg_figures import step_rate
from hil.stations.platform.report.rig_figure import remaining_m
from hil.stations.platform.report.view import RunView

Array = NDArray[np.float64]

SLOW_M_S = 1e-3
"""Least speed of a leg at the stop's beginning for its ratio to be shown: less is noise."""

LEAST_WINDOW_S = 0.03
"""Least time that is shown before and after the braking [s]."""


def stop(view: RunView) -> Picture | None:
    """Speeds of the legs around the first stop, their ratio to the start, and remaining travel."""
    phase = next((phase for phase in view.phases if phase.mode in STOP_MODES), None)
    if phase is None or phase.first == 0 or view.period_s is None or view.limits is None:
        return None
    limits = view.limits
    view, phase = _around(view, phase)
    allowed = view.recording.column("allowed_length_m")
    commanded = bool(np.isfinite(allowed[phase.first : phase.end]).all(axis=1).any())
    lengths = allowed if commanded else view.recording.column("measured_length_m")
    speeds = step_rate(view, lengths) if commanded else view.recording.column("measured_speed_m_s")
    window = braking_window(view, speeds, phase)
    if not np.isfinite(speeds[window]).any():
        return None
    left_mm = remaining_m(limits, lengths[window]) * 1e3
    words = "commanded" if commanded else "measured"

    def draw(figure: Figure) -> None:
        first, second, third = figure.subplots(1, 3)
        place(figure, left_in=0.62, right_in=LEGEND_IN, grid=(3, 1), between_in=(0.6, 0.0))
        time_ms = (view.times[window] - view.times[phase.first]) * 1e3
        _lines(first, time_ms, speeds[window])
        first.set_title(f"leg speeds, {words} [m/s]")
        _lines(second, time_ms, shared_factor(speeds, phase.first)[window])
        second.set_title("speed over its value at the start")
        second.set_ylim(-0.15, 1.75)
        _lines(third, time_ms, left_mm)
        third.axhline(0.0, color=LIMIT, linewidth=1.0, linestyle=(0, (6, 3)))
        third.set_title("way to the nearer soft limit [mm]")
        for axes in (first, second, third):
            axes.axvline(0.0, color=LIMIT, linewidth=1.0, linestyle=":")
            axes.set_xlabel(f"time from the start of {phase.mode} [ms]")
        leg_legend(figure, limit_handles()[:1])

    return Picture(
        "stop",
        f"The stop: {phase.mode}",
        "In a controlled stop the gate multiplies six speeds by one factor: in the middle all legs "
        "lie on one line, and the platform slows down along its path. Lines are wide and "
        f"narrow so that each is seen where they meet. Legs slower than {SLOW_M_S * 1e3:g} mm/s at "
        "the start are left out in the middle.",
        draw_png(3.5, draw),
    )


def _around(view: RunView, phase: Phase) -> tuple[RunView, Phase]:
    """Rows that may be shown of a stop, and its place among them."""
    margin_s = max(LEAST_WINDOW_S, 0.6 * phase.duration_s)
    ends_s = (phase.start_s - margin_s, phase.end_s + margin_s)
    first, end = np.searchsorted(view.times, ends_s).tolist()
    start = max(first - BEFORE, 0)
    moved = replace(phase, first=phase.first - start, end=phase.end - start)
    return view.part(start, end + BEFORE), moved


def shared_factor(speeds_m_s: Array, first: int) -> Array:
    """Speeds over those of the last cycle before a stop, shape (N, 6).

    Args:
        speeds_m_s: speeds of the legs, shape (N, 6).
        first: place of the stop's first cycle, above 0.

    Returns:
        NaN for a leg that hardly moved in that cycle.
    """
    reference = speeds_m_s[first - 1]
    with np.errstate(invalid="ignore"):
        reference = np.where(np.abs(reference) >= SLOW_M_S, reference, np.nan)
    return speeds_m_s / reference


def braking_window(view: RunView, speeds_m_s: Array, phase: Phase) -> slice:
    """Cycles of the braking itself, and about as many before and after it.

    The mode of a stop lasts until the drives report standstill; braking ends where no speed is
    above a hundredth of the greatest at the start.
    """
    part = np.nan_to_num(np.abs(speeds_m_s[phase.first - 1 : phase.end])).max(axis=1)
    moving = np.flatnonzero(part > 0.01 * part[0])
    last = phase.first - 1 + (int(moving[-1]) if len(moving) else 0)
    start_s, end_s = float(view.times[phase.first]), float(view.times[last])
    margin_s = max(LEAST_WINDOW_S, 0.6 * (end_s - start_s))
    first, end = np.searchsorted(view.times, [start_s - margin_s, end_s + margin_s])
    return slice(int(first), int(end) + 1)


def _lines(axes: Axes, time_ms: Array, values: Array) -> None:
    # Wide lines below narrow ones: where six lie on each other, each is still seen.
    for leg, colour in enumerate(LEG_COLOURS):
        axes.plot(time_ms, values[:, leg], color=colour, linewidth=4.4 - 0.7 * leg)
