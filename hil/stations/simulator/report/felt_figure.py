"""Picture of the wanted and the felt motion of a ride, with the thresholds."""

from __future__ import annotations

from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch
from numpy.typing import NDArray

from hil.config.errors import RefusedError
from hil.recording.decimation import Decimator, Line
from hil.report.style import REACHED, WANTED, Picture, draw_png, place
from hil.stations.simulator.figures.felt_ride import (
    REST_SIGNALS,
    FeltRide,
    describe_demand,
    felt_ride,
)
from hil.stations.simulator.plan.scenario import RidePlan
from hil.stations.simulator.report.view import RideView
from platform6dof.cueing.score import Score
from platform6dof.cueing.vestibular import AXES, REID_NAHON

Array = NDArray[np.float64]

PANEL_POINTS: Final = 1500
"""Most points of a line in a panel, which is half of the page wide."""
NAMES: Final = ("surge", "sway", "heave", "roll", "pitch", "yaw")
UNITS: Final = ("m/s²",) * 3 + ("°/s",) * 3
BELOW: Final = "#F3E3B3"
"""Colour of the range below the threshold."""


def felt(view: RideView) -> Picture | None:
    """Draw a recorded ride; None if nothing was followed."""
    if not isinstance(view.plan, RidePlan):
        return None
    try:
        return felt_picture(felt_ride(view.recording, view.plan), describe_demand(view.plan))
    except RefusedError:
        return None


def felt_picture(ride: FeltRide, wanted: str) -> Picture:
    """Draw two columns of six panels: raw signals, and those of the inner ear.

    Args:
        wanted: how much of the vehicle's motion that is, in words.
    """
    scored = ride.score()
    raw, ear = _lines(ride)
    thresholds = REID_NAHON.thresholds * _SCALE

    def draw(figure: Figure) -> None:
        panels = figure.subplots(6, 2, sharex=True)
        place(
            figure, left_in=0.75, top_in=0.95, bottom_in=0.48, grid=(2, 6), between_in=(0.62, 0.3)
        )
        for k in range(len(AXES)):
            _panel(panels[k, 0], ride.t_s, raw[k], raw[6 + k])
            panels[k, 0].set_ylabel(UNITS[k])
            panels[k, 0].set_title(NAMES[k])
            band = panels[k, 1]
            band.axhspan(-thresholds[k], thresholds[k], color=BELOW, linewidth=0, zorder=0.5)
            _panel(band, ride.t_s, ear[k], ear[6 + k])
            band.set_title(_words(scored, k))
        for axes in panels[-1]:
            axes.set_xlabel("time [s]")
        for side, text in ((0, "as it acts on the head"), (1, "as the inner ear reports it")):
            left = panels[0, side].get_position().x0
            figure.text(left, 1.0 - 0.56 / figure.get_figheight(), text, fontsize=10.5, va="bottom")
        handles = [
            Line2D([], [], color=WANTED, linewidth=3.0, label="wanted"),
            Line2D([], [], color=REACHED, linewidth=1.1, label="felt"),
            Patch(color=BELOW, label="below the threshold"),
        ]
        figure.legend(handles=handles, loc="upper right", ncols=3)

    return Picture(
        "felt",
        "Wanted and felt",
        "Left: specific force (less that at rest) and rates at the rider's head, in axes forward, "
        f"right, down; {wanted}, felt what the setpoints give. Right: "
        "the same through the models of otoliths and canals of Reid and Nahon, means removed; e is "
        "the RMS of their difference over that of the wanted signal, r their correlation.",
        draw_png(10.6, draw),
    )


_SCALE: Final = np.array([1.0] * 3 + [180.0 / np.pi] * 3)


def _lines(ride: FeltRide) -> tuple[list[Line], list[Line]]:
    """Make lines of raw signals, and of the inner ear's: six that were wanted, six felt."""
    thinned = [[Decimator(len(ride.t_s), PANEL_POINTS) for _ in range(12)] for _ in range(2)]
    for raw, ear in zip(ride.pieces(), ride.signals(), strict=True):
        both = np.hstack(raw) - np.tile(REST_SIGNALS, 2), np.hstack((ear.wanted, ear.felt))
        for found, values in zip(thinned, both, strict=True):
            for one, column in zip(found, (values * np.tile(_SCALE, 2)).T, strict=True):
                one.add(column)
    raw_lines, ear_lines = ([one.line() for one in found] for found in thinned)
    return raw_lines, ear_lines


def _panel(axes: Axes, t_s: Array, wanted: Line, felt_: Line) -> None:
    for line, colour, width in ((wanted, WANTED, 2.4), (felt_, REACHED, 1.0)):
        axes.plot(t_s[line.places], line.values, color=colour, linewidth=width)
    low, high = axes.get_ylim()
    if high - low < 0.1:  # an axis in which nothing happens is a line, not magnified rounding
        middle = 0.5 * (low + high)
        axes.set_ylim(middle - 0.05, middle + 0.05)
    axes.margins(x=0.0)


def _words(scored: Score, axis: int) -> str:
    one = scored.axes[axis]
    if not np.isfinite(one.nrmse):
        return "nothing wanted"
    text = f"e {one.nrmse:.2f}"
    if np.isfinite(one.correlation):
        text += f"   r {one.correlation:.2f}"
    if one.false_cue_share >= 0.0005:
        text += f"   false cues {100.0 * one.false_cue_share:.1f} %"
    return text
