"""Picture of how late the cycles of a real-time run began, and how long they computed."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.report.style import INK, LIMIT, REACHED, Picture, draw_png, place
from hil.stations.platform.report.view import RunView

_LEAST_US = 1.0
"""What is less than this is counted in the first bar: a logarithmic axis has no zero."""


def lateness(view: RunView) -> Picture | None:
    """Histograms of lateness and of compute time; None in the virtual clock."""
    if view.virtual:
        return None
    late_us = _in_us(view.recording.column("late_s"))
    busy_us = _in_us(view.recording.column("busy_s")[1:])  # the first cycle has none before it
    if not len(late_us):
        return None

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        place(figure, grid=(2, 1))
        _histogram(left, late_us, "cycles", "start of a cycle after its deadline [µs]")
        if len(busy_us):
            _histogram(right, busy_us, "", "computing time of a cycle [µs]")
        if view.period_s is not None and view.plan is not None:
            allowed = view.plan.rig.supervision.late_cycles_max
            _mark(left, allowed * view.period_s * 1e6, f"stop at {allowed:g} cycles", LIMIT)
            _mark(right, view.period_s * 1e6, "cycle time", LIMIT)

    return Picture(
        "lateness",
        "Lateness and computing time",
        "Of all cycles, counted on a logarithmic scale: one late cycle in a million is seen.",
        draw_png(3.1, draw),
    )


def _in_us(seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    return seconds[np.isfinite(seconds)] * 1e6


def _histogram(axes: Axes, values_us: NDArray[np.float64], ylabel: str, xlabel: str) -> None:
    values = np.maximum(values_us, _LEAST_US)
    top = max(float(values.max()), 100.0)
    edges = np.geomspace(_LEAST_US, top * 1.001, 70)
    axes.hist(values, bins=edges.tolist(), color=REACHED, alpha=0.75)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    p50, p99 = np.percentile(values_us, [50.0, 99.0])
    words = f"p50 {p50:.0f} µs, p99 {p99:.0f} µs, max {values_us.max():.0f} µs"
    axes.set_title(f"{words} of {len(values_us)} cycles")
    for value in (p50, p99):
        axes.axvline(max(float(value), _LEAST_US), color=INK, linewidth=0.9, linestyle=":")


def _mark(axes: Axes, at_us: float, words: str, colour: str) -> None:
    axes.axvline(at_us, color=colour, linewidth=1.2, linestyle=(0, (6, 3)))
    axes.annotate(
        words, (at_us, 0.97), (-4, 0), xycoords=("data", "axes fraction"), rotation=90,
        textcoords="offset points", ha="right", va="top", color=colour, fontsize=8.0,
    )  # fmt: skip
