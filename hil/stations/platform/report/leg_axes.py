"""Six legs over the time of a run, on axes of their own."""

from collections.abc import Callable, Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.report.pieces import lines
from hil.report.style import LEG_COLOURS, LEGEND_IN, LIMIT
from hil.stations.platform.report.view import RunView

Array = NDArray[np.float64]


def six_lines(axes: Axes, view: RunView, values_of: Callable[[RunView], Array]) -> None:
    """Draw six legs as lines, thinned without losing a peak.

    Measurements before homing are pale: the drives did not know their lengths yet. The lines
    grow narrower from leg 1 to 6, so that legs which move alike are all seen.

    Args:
        values_of: values of some rows of the run, shape (n, 6); NaN = not there.
    """
    count = len(view.times)
    marker = "." if count < 3 else ""
    pale, sound = lines(view, values_of, ((0, view.homed), (view.homed, count)))
    for leg, (colour, *both) in enumerate(zip(LEG_COLOURS, pale, sound, strict=True)):
        width = 2.4 - 0.28 * leg
        for line, alpha in zip(both, (0.3, 1.0), strict=True):
            times = view.times[line.places]
            axes.plot(times, line.values, color=colour, marker=marker, lw=width, alpha=alpha)


def leg_legend(figure: Figure, extra: Sequence[Line2D] = ()) -> None:
    """Draw the legend of the six legs in the margin `LEGEND_IN` at the right of the panels."""
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
