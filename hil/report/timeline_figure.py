"""Picture of a run's course: its modes one below the other, and when the gate objected."""

from matplotlib.figure import Figure

from hil.report.ending import violations_of
from hil.report.phases import ALARM_MODES
from hil.report.style import INK, LIMIT, Picture, draw_png, mode_colour
from hil.report.time_axes import TIME_LABEL, span_s
from hil.report.view import RunView

_MOST_BARS = 2000


def timeline(view: RunView) -> Picture | None:
    """A bar for each phase, one line a mode in the order in which they came."""
    if not view.phases:
        return None
    names = list(dict.fromkeys(phase.mode for phase in view.phases))
    start, end = span_s(view)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        for phase in view.phases[:_MOST_BARS]:
            row = names.index(phase.mode)
            alarm = phase.mode in ALARM_MODES
            width = max(phase.duration_s, (end - start) / 400.0)
            axes.barh(
                row, width, left=phase.start_s, height=0.72, color=mode_colour(phase.mode),
                edgecolor=LIMIT if alarm else "#777777", linewidth=0.7,
            )  # fmt: skip
            at_right = phase.start_s > start + 0.85 * (end - start)
            axes.annotate(
                f"{phase.duration_s:.2f} s",
                (phase.start_s if at_right else phase.start_s + width, row),
                (-4 if at_right else 4, 0),
                textcoords="offset points",
                ha="right" if at_right else "left",
                va="center_baseline",
                fontsize=7.5,
                color=INK,
            )
        for event in violations_of(view.recording)[:_MOST_BARS]:
            axes.axvline(event.t_s, color=LIMIT, linewidth=0.9, linestyle=":", zorder=0.8)
        axes.set_yticks(range(len(names)), names)
        axes.set_ylim(len(names) - 0.4, -0.6)
        axes.set_xlim(start, end)
        axes.set_xlabel(TIME_LABEL)

    return Picture(
        "timeline",
        "Course of the run",
        "Modes of the bench with how long they lasted. A dotted red line is an objection of the "
        "gate.",
        draw_png(1.0 + 0.26 * len(names), draw),
    )
