"""Picture of the lateness and the computing time of a real-time run's cycles."""

from collections.abc import Iterator

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.recording.percentiles import spread_of
from hil.report.style import INK, LIMIT, REACHED, Picture, draw_png, place
from hil.stations.platform.report.view import RunView

_LEAST_US = 1.0
"""Upper end of the first bar [us]: a logarithmic axis has no zero."""


def lateness(view: RunView) -> Picture | None:
    """Histograms of lateness and of compute time; None in the virtual clock."""
    if view.virtual:
        return None
    late_us = _Spread(view, "late_s", 0)
    busy_us = _Spread(view, "busy_s", 1)  # the first cycle has none before it
    if not late_us.found.count:
        return None

    def draw(figure: Figure) -> None:
        left, right = figure.subplots(1, 2, sharey=True)
        place(figure, grid=(2, 1))
        _histogram(left, late_us, "cycles", "start of a cycle after its deadline [µs]")
        if busy_us.found.count:
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


class _Spread:
    """Distribution of a signal's finite values [us].

    Args:
        first: place of the first value that counts.
    """

    def __init__(self, view: RunView, name: str, first: int) -> None:
        self._view, self._name, self._first = view, name, first
        self.found = spread_of(self.pieces, (50.0, 99.0))

    def pieces(self) -> Iterator[NDArray[np.float64]]:
        """Values in order, in pieces [us]."""
        for piece in self._view.recording.pieces():
            seconds = piece.rows.column(self._name)[max(self._first - piece.start, 0) :]
            yield seconds[np.isfinite(seconds)] * 1e6


def _histogram(axes: Axes, values: _Spread, ylabel: str, xlabel: str) -> None:
    greatest, (p50, p99) = values.found.greatest, values.found.percentiles
    top = max(greatest, 100.0)
    edges = np.geomspace(_LEAST_US, top * 1.001, 70)
    counts = sum(np.histogram(np.maximum(one, _LEAST_US), edges)[0] for one in values.pieces())
    axes.hist(edges[:-1], bins=edges.tolist(), weights=counts, color=REACHED, alpha=0.75)
    axes.set_xscale("log")
    axes.set_yscale("log")
    axes.set_ylim(bottom=0.7)
    axes.set_xlabel(xlabel)
    axes.set_ylabel(ylabel)
    words = f"p50 {p50:.0f} µs, p99 {p99:.0f} µs, max {greatest:.0f} µs"
    axes.set_title(f"{words} of {values.found.count} cycles")
    for value in (p50, p99):
        axes.axvline(max(float(value), _LEAST_US), color=INK, linewidth=0.9, linestyle=":")


def _mark(axes: Axes, at_us: float, words: str, colour: str) -> None:
    axes.axvline(at_us, color=colour, linewidth=1.2, linestyle=(0, (6, 3)))
    axes.annotate(
        words, (at_us, 0.97), (-4, 0), xycoords=("data", "axes fraction"), rotation=90,
        textcoords="offset points", ha="right", va="top", color=colour, fontsize=8.0,
    )  # fmt: skip
