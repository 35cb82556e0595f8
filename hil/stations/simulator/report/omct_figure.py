"""Picture of the cueing test: modulus and phase of each test over frequency, and its coherence."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import NullFormatter, ScalarFormatter

from hil.report.style import LIMIT, REACHED, Picture, draw_png, place
from platform6dof.cueing.omct import TESTS, OmctPoint

TRUSTED: Final = 0.9
"""Coherence below which a modulus says little."""
COLUMNS: Final = 5
SMALLEST: Final = 1e-4
"""Lower end of a modulus that is drawn."""


def omct_picture(points: Sequence[OmctPoint]) -> Picture:
    """Modulus above phase, a column a test; hollow where the coherence is below `TRUSTED`."""
    tests = sorted({one.test for one in points})
    columns = min(COLUMNS, len(tests))
    bands = math.ceil(len(tests) / COLUMNS)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2 * bands, columns, sharex=True, squeeze=False)
        place(figure, left_in=0.62, top_in=0.72, grid=(columns, 2 * bands), between_in=(0.5, 0.34))
        for at, test in enumerate(tests):
            row, column = 2 * (at // COLUMNS), at % COLUMNS
            own = [one for one in points if one.test == test]
            _modulus(panels[row, column], own)
            _phase(panels[row + 1, column], own)
            panels[row, column].set_title(f"{test}  {TESTS[test - 1].name}")
        for at in range(len(tests), bands * columns):
            row, column = 2 * (at // COLUMNS), at % COLUMNS
            panels[row, column].set_visible(False)
            panels[row + 1, column].set_visible(False)
        for band in range(bands):
            panels[2 * band, 0].set_ylabel("modulus")
            panels[2 * band + 1, 0].set_ylabel("phase [°]")
        for axes in panels[-1]:
            axes.set_xlabel("rad/s")
        figure.legend(handles=_legend(), loc="upper right", ncols=3)

    return Picture(
        "omct",
        "Response to sinusoids",
        "Cueing test after ICAO 9625: response over input along the axis asked, and along another "
        "where the name says so (an angle counts as the force g times angle). Hollow: coherence "
        f"below {TRUSTED:g}, the response is not a sinusoid and its fundamental says little. Red: "
        "a limiter or the governor acted. The curves are shown, not judged.",
        draw_png(0.9 + 4.1 * bands, draw),
    )


def _legend() -> list[Line2D]:
    ends = {"linestyle": "none", "marker": "o", "markersize": 5.0}
    return [
        Line2D([], [], color=REACHED, label="linear", **ends),
        Line2D([], [], color=LIMIT, label="limited", **ends),
        Line2D([], [], color=REACHED, markerfacecolor="white", label="coherence < 0.9", **ends),
    ]


def _modulus(axes: Axes, points: Sequence[OmctPoint]) -> None:
    values = np.array([max(one.modulus, SMALLEST) for one in points])
    _curve(axes, points, values)
    axes.set_yscale("log")
    low, high = min(values.min() * 0.7, 0.5), max(values.max() * 1.4, 1.5)
    axes.set_ylim(low, high)
    if high / low < 30.0:
        axes.yaxis.set_major_formatter(ScalarFormatter())
        axes.set_yticks([tick for tick in (0.1, 0.2, 0.5, 1.0, 2.0) if low <= tick <= high])
        axes.yaxis.set_minor_formatter(NullFormatter())
    axes.axhline(1.0, color="#999999", linewidth=0.8, zorder=1.0)


def _phase(axes: Axes, points: Sequence[OmctPoint]) -> None:
    phases_deg = np.array([one.phase_deg for one in points])
    known = np.isfinite(phases_deg)
    phases_deg[known] = np.degrees(np.unwrap(np.radians(phases_deg[known])))
    _curve(axes, points, phases_deg)
    axes.axhline(0.0, color="#999999", linewidth=0.8, zorder=1.0)
    low, high = axes.get_ylim()
    if high - low < 20.0:
        axes.set_ylim(min(low, -10.0), max(high, 10.0))


def _curve(axes: Axes, points: Sequence[OmctPoint], values: np.ndarray) -> None:
    w = np.array([one.rad_s for one in points])
    axes.plot(w, values, color="#B7C9D6", linewidth=1.0)
    for one, x, y in zip(points, w, values, strict=True):
        if not math.isfinite(y):
            continue
        colour = LIMIT if one.limited_share > 0.0 else REACHED
        face = colour if one.coherence >= TRUSTED else "white"
        axes.plot(
            [x], [y], linestyle="none", marker="o", markersize=4.2, color=colour,
            markerfacecolor=face,
        )  # fmt: skip
    axes.set_xscale("log")
    axes.set_xticks([0.1, 1.0, 10.0], ["0.1", "1", "10"])
    axes.xaxis.set_minor_formatter(NullFormatter())
    axes.set_xlim(0.08, 20.0)
