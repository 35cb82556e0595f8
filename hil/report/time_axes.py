"""Axes over the time of a run: its phases shaded and labelled; and the picture of its course."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure

from hil.report.phases import Phase
from hil.report.recorded_run import RecordedRun
from hil.report.run_verdict import is_request, violations_of
from hil.report.style import DPI, INK, LIMIT, Picture, draw_png, mode_colour, place

TIME_LABEL = "time from the start of the loop [s]"

STRIP_IN = 0.42
"""Space above an axis for the strip of phases and a flag over it [inch]."""

_MOST_PHASES = 2000
_STRIP_IN = (0.03, 0.17)
"""Distance of the strip from its axis, and its height [inch]."""
_CHARACTER_IN = 0.075
"""Width of a character of a label [inch]."""


_MOST_LABELS = 40
_MOST_LINES = 500
_NARROWEST = 400.0


def time_axes(axes: Axes, view: RecordedRun, *, strip: bool = True) -> None:
    """Lay the phases of a run under an axis in its final place, and in a strip above it."""
    start, end = span_s(view)
    axes.set_xlim(start, end)
    shown = _worth_showing(view.phases, end - start)
    _shade(axes, shown, 0.0, 1.0, alpha=0.22, least_s=0.0, clip=True)
    if strip:
        _draw_strip(axes, shown, end - start)


def span_s(view: RecordedRun) -> tuple[float, float]:
    """First and last time to show [s]; a single moment is in the middle of one second."""
    if not len(view.times):
        return 0.0, 1.0
    start, end = float(view.times[0]), float(view.times[-1])
    return (start, end) if end > start else (start - 0.5, start + 0.5)


def _worth_showing(phases: tuple[Phase, ...], span: float) -> list[Phase]:
    """Phases wide enough to be seen, and every alarm, however short."""
    seen = [p for p in phases if p.alarm or p.duration_s > span / 2000.0]
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
        elif phase.alarm:
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


def timeline(view: RecordedRun) -> Picture | None:
    """A bar for each phase, one line a mode in the order in which they came."""
    if not view.phases:
        return None
    names = list(dict.fromkeys(phase.mode for phase in view.phases))
    start, end = span_s(view)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, left_in=0.95, top_in=0.1)
        for row, name in enumerate(names):
            _bars(axes, view.phases, name, row, end - start)
        if len(view.phases) <= _MOST_LABELS:
            for phase in view.phases:
                _label(axes, phase, start, end, names.index(phase.mode))
        for event in violations_of(view.recording)[:_MOST_LINES]:
            colour = "#777777" if is_request(event) else LIMIT
            axes.axvline(event.t_s, color=colour, linewidth=0.9, linestyle=":", zorder=0.8)
        axes.set_yticks(range(len(names)), names, parse_math=False)
        axes.set_ylim(len(names) - 0.4, -0.6)
        margin = 0.012 * (end - start)
        axes.set_xlim(start - margin, end + margin)
        axes.set_xlabel(TIME_LABEL)

    return Picture(
        "timeline",
        "Course of the run",
        "Modes of the bench with how long they lasted. Dotted lines: objections of the gate, "
        "red, and requests it refused, grey.",
        draw_png(1.0 + 0.26 * len(names), draw),
    )


def _bars(axes: Axes, phases: tuple[Phase, ...], name: str, row: int, span_s: float) -> None:
    """The bars of one mode; the shortest phase is wide enough to be seen."""
    own = [phase for phase in phases if phase.mode == name]
    spans = [(phase.start_s, max(phase.duration_s, span_s / _NARROWEST)) for phase in own]
    axes.broken_barh(
        spans, (row - 0.36, 0.72), facecolor=mode_colour(name), linewidth=0.7,
        edgecolor=LIMIT if own[0].alarm else "#777777",
    )  # fmt: skip


def _label(axes: Axes, phase: Phase, start: float, end: float, row: int) -> None:
    """Label a phase with its duration: right of its bar, or left of or in it at the edge."""
    span = end - start
    width = max(phase.duration_s, span / _NARROWEST)
    if phase.start_s + width < end - 0.06 * span:
        at, offset, side = phase.start_s + width, 4, "left"
    elif phase.start_s > start + 0.06 * span:
        at, offset, side = phase.start_s, -4, "right"
    else:
        at, offset, side = phase.start_s, 6, "left"
    axes.annotate(
        f"{phase.duration_s:.2f} s", (at, row), (offset, 0), textcoords="offset points",
        ha=side, va="center_baseline", fontsize=7.5, color=INK,
    )  # fmt: skip
