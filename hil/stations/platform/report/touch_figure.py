"""Picture of contacts with the platform or its load: contact forces over time."""

from itertools import cycle

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from drives.bank import Touch
from hil.report.phases import STOP_MODES
from hil.report.style import LEG_COLOURS, LIMIT, Picture, draw_png, place
from hil.stations.platform.cycle.touches import touch_line, touches_of
from hil.stations.platform.report.view import RunView

AROUND_S = 0.1
"""Time that is shown before the first contact and after the last [s]."""


def touches(view: RunView) -> Picture | None:
    """Greatest force in each hundredth of a second or so; None if nothing was touched."""
    found = touches_of(view.recording.events)
    if not found:
        return None

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure)
        _forces(axes, found)
        for phase in view.phases:
            if phase.mode in STOP_MODES:
                axes.axvline(phase.start_s, color=LIMIT, linewidth=1.2, linestyle=":")
                axes.annotate(phase.mode, (phase.start_s, 0.98), (3, 0), rotation=90, va="top",
                              xycoords=("data", "axes fraction"), textcoords="offset points",
                              fontsize=8.0, color=LIMIT)  # fmt: skip
        axes.set_xlabel("time of the run [s]")
        axes.set_ylabel("contact force [N]")
        start_s = min(start for _, start, _, _ in found)
        end_s = max(start + step * len(forces) for _, start, step, forces in found)
        axes.set_xlim(start_s - AROUND_S, end_s + AROUND_S)
        axes.set_ylim(bottom=0.0)
        axes.legend(loc="upper right", fontsize=8.0)

    lines = "; ".join(touch_line(one) for one in found)
    return Picture(
        "touches",
        "What was touched",
        f"Contact forces in the simulated world, the greatest of each time step shown: {lines}.",
        draw_png(3.1, draw),
    )


def _forces(axes: Axes, found: list[Touch]) -> None:
    colours = dict(zip(dict.fromkeys(between for between, *_ in found), cycle(LEG_COLOURS)))
    named: set[str] = set()
    for between, start_s, step_s, forces_n in found:
        edges_s = start_s + step_s * np.arange(len(forces_n) + 1)
        label = None if between in named else between
        named.add(between)
        axes.stairs(forces_n, edges_s, color=colours[between], label=label, linewidth=1.4)
