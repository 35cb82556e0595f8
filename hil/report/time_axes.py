"""Axes over the time of a run: phases shaded and labelled, six legs as lines."""

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.report.decimate import decimate
from hil.report.phases import ALARM_MODES, Phase
from hil.report.style import DPI, INK, LEG_COLOURS, LEGEND_IN, LIMIT, mode_colour
from hil.stations.platform.report.view import RunView

TIME_LABEL = "time from the start of the loop [s]"

STRIP_IN = 0.42
"""Room above an axis for the strip of phases and a flag over it [inch]."""

_MOST_PHASES = 2000
_STRIP_IN = (0.03, 0.17)
"""Distance of the strip from its axis, and its height [inch]."""
_CHARACTER_IN = 0.075
"""Width of a character of a label [inch]."""


def time_axes(axes: Axes, view: RunView, *, strip: bool = True) -> None:
    """Lay the phases of a run under and above an axis over its time.

    Args:
        axes: where the lines come, in its final place.
        view: the run.
        strip: draw the labelled strip above the axis, too.
    """
    start, end = span_s(view)
    axes.set_xlim(start, end)
    shown = _worth_showing(view.phases, end - start)
    _shade(axes, shown, 0.0, 1.0, alpha=0.22, least_s=0.0, clip=True)
    if strip:
        _draw_strip(axes, shown, end - start)


def span_s(view: RunView) -> tuple[float, float]:
    """First and last time to show [s]; a single moment stands in the middle of one second."""
    if not len(view.times):
        return 0.0, 1.0
    start, end = float(view.times[0]), float(view.times[-1])
    return (start, end) if end > start else (start - 0.5, start + 0.5)


def six_lines(axes: Axes, view: RunView, values: NDArray[np.float64]) -> None:
    """Six legs as lines, thinned without losing a peak.

    What was measured before homing is pale: the drives did not know their lengths yet. The lines
    grow narrower from leg 1 to 6, so that legs which move alike are all seen.

    Args:
        axes: where to draw.
        view: the run.
        values: shape (N, 6); NaN = not there.
    """
    marker = "." if len(values) < 3 else ""
    for leg, colour in enumerate(LEG_COLOURS):
        width = 2.4 - 0.28 * leg
        for part, alpha in ((slice(0, view.homed), 0.3), (slice(view.homed, None), 1.0)):
            column, times = values[part, leg], view.times[part]
            chosen = decimate(column)
            axes.plot(
                times[chosen], column[chosen], color=colour, marker=marker, lw=width, alpha=alpha
            )


def leg_legend(figure: Figure, extra: Sequence[Line2D] = ()) -> None:
    """The legend of the six legs in the room `LEGEND_IN` at the right of the panels."""
    handles = [
        Line2D([], [], color=colour, linewidth=2.2, label=f"leg {leg}")
        for leg, colour in enumerate(LEG_COLOURS, start=1)
    ]
    figure.legend(
        handles=[*handles, *extra],
        loc="upper left",
        bbox_to_anchor=(1.0 - (LEGEND_IN - 0.05) / figure.get_figwidth(), 1.0),
        handlelength=1.6,
    )


def limit_handles() -> list[Line2D]:
    """Legend entries of the two kinds of limit line."""
    return [
        Line2D([], [], color=LIMIT, linewidth=1.0, linestyle=(0, (6, 3)), label="soft limit"),
        Line2D([], [], color=LIMIT, linewidth=1.4, label="mechanical end"),
    ]


def _worth_showing(phases: tuple[Phase, ...], span: float) -> list[Phase]:
    """Phases wide enough to be seen, and every alarm, however short."""
    seen = [p for p in phases if p.mode in ALARM_MODES or p.duration_s > span / 2000.0]
    return seen[:_MOST_PHASES]


def _shade(
    axes: Axes,
    phases: list[Phase],
    bottom: float,
    height: float,
    *,
    alpha: float,
    least_s: float,
    clip: bool,
) -> None:
    """Boxes of the phases, in shares of the axis's height; one collection of all, for speed."""
    if not phases:
        return
    order = {mode: k for k, mode in enumerate(dict.fromkeys(phase.mode for phase in phases))}
    phases = sorted(phases, key=lambda phase: order[phase.mode])  # mode over mode, as first met
    starts = np.array([phase.start_s for phase in phases])
    ends = starts + np.maximum([phase.duration_s for phase in phases], least_s)
    boxes = np.empty((len(phases), 4, 2))
    boxes[:, 0, 0] = boxes[:, 1, 0] = starts
    boxes[:, 2, 0] = boxes[:, 3, 0] = ends
    boxes[:, 0, 1] = boxes[:, 3, 1] = bottom
    boxes[:, 1, 1] = boxes[:, 2, 1] = bottom + height
    colours = [mode_colour(phase.mode) for phase in phases]
    collection = PolyCollection(
        list(boxes), transform=axes.get_xaxis_transform(), clip_on=clip,
        facecolors=colours, edgecolor="none", alpha=alpha, zorder=0.5,
    )  # fmt: skip
    axes.add_collection(collection, autolim=False)


def _draw_strip(axes: Axes, phases: list[Phase], span: float) -> None:
    extent = axes.get_window_extent()
    width_in, height_in = extent.width / DPI, extent.height / DPI
    bottom, height = 1.0 + _STRIP_IN[0] / height_in, _STRIP_IN[1] / height_in
    _shade(axes, phases, bottom, height, alpha=1.0, least_s=span / 600.0, clip=False)
    narrow: list[Phase] = []
    for phase in phases:
        if phase.duration_s / span * width_in > _CHARACTER_IN * (len(phase.mode) + 1):
            axes.text(
                phase.start_s + 0.5 * phase.duration_s, bottom + 0.5 * height, phase.mode,
                transform=axes.get_xaxis_transform(), ha="center", va="center_baseline",
                fontsize=7.5, color=INK, clip_on=False, parse_math=False,
            )  # fmt: skip
        elif phase.mode in ALARM_MODES:
            narrow.append(phase)
    _flag(axes, narrow, bottom + height)


def _flag(axes: Axes, narrow: list[Phase], above: float) -> None:
    """Name the alarms that are too short for a label of their own, above where they begin."""
    if not narrow:
        return
    names = ", ".join(dict.fromkeys(phase.mode for phase in narrow))
    start, end = axes.get_xlim()
    at = narrow[0].start_s
    left = at < 0.5 * (start + end)
    axes.annotate(
        f"▾ {names}" if left else f"{names} ▾",
        (at, above), (-5 if left else 5, 1), xycoords=axes.get_xaxis_transform(),
        textcoords="offset points", ha="left" if left else "right", va="bottom",
        fontsize=8.0, color=LIMIT, fontweight="bold", annotation_clip=False,
    )  # fmt: skip
