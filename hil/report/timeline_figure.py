"""Picture of a run's course: its modes one below the other, and when the gate objected."""

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from hil.report.ending import is_request, violations_of
from hil.report.phases import Phase
from hil.report.recorded import RecordedRun
from hil.report.style import INK, LIMIT, Picture, draw_png, mode_colour, place
from hil.report.time_axes import TIME_LABEL, span_s

_MOST_LABELS = 40
_MOST_LINES = 500
_NARROWEST = 400.0


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
        room = 0.012 * (end - start)
        axes.set_xlim(start - room, end + room)
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
    """How long a phase lasted: right of its bar, or left of or in it at the picture's edge."""
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
