"""Picture of the platform's pose: wanted and reached."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.recording.decimation import Line
from hil.report.pieces import lines
from hil.report.style import REACHED, WANTED, Picture, draw_png, place
from hil.report.time_axes import TIME_LABEL, time_axes
from hil.stations.platform.report.view import RunView

PANEL_POINTS = 1600
"""Most points of a line in a panel, which is a third of the page wide."""

NAMES = ("x", "y", "z", "α about z", "β about y", "γ about x")


def pose(view: RunView) -> Picture | None:
    """Six panels over time: translations in mm, rotations in degrees."""
    (shown,) = lines(view, wanted_and_reached, max_points=PANEL_POINTS)
    if not any(np.isfinite(line.values).any() for line in shown):
        return None
    apart = largest_deviations(view)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 3, sharex=True)
        place(figure, left_in=0.5, top_in=0.62, bottom_in=0.5, grid=(3, 2), between_in=(0.5, 0.36))
        for k, axes in enumerate(panels.flat):
            _panel(axes, view, shown[k], shown[6 + k])
            time_axes(axes, view, strip=False)
            unit = "mm" if k < 3 else "°"
            far = apart[k]
            text = "" if far is None else f"   apart: {figure_or_below(far)} {unit}"
            axes.set_title(f"{NAMES[k]} [{unit}]{text}")
        figure.supxlabel(TIME_LABEL, fontsize=9.0)
        handles = [
            Line2D([], [], color=WANTED, linewidth=3.0, label="wanted"),
            Line2D([], [], color=REACHED, linewidth=1.1, label="reached"),
        ]
        figure.legend(handles=handles, loc="upper right", ncols=2)

    return Picture(
        "pose",
        "Pose wanted and reached",
        "Pose of the platform in the base. Reached is the forward kinematics of the measured "
        "lengths; M = Rz(α) Ry(β) Rx(γ). Apart: the greatest distance of the two in the motion. "
        "Wanted is there only while a path is followed; before homing the lengths, and so the "
        "pose, are not known.",
        draw_png(4.9, draw),
    )


def in_mm_and_deg(coordinates: NDArray[np.float64]) -> NDArray[np.float64]:
    """Coordinates (N, 6) [m, rad] in mm and degrees."""
    return np.hstack([coordinates[:, :3] * 1e3, np.degrees(coordinates[:, 3:])])


def wanted_and_reached(view: RunView) -> NDArray[np.float64]:
    """Wanted and reached coordinates in mm and degrees, shape (N, 12)."""
    wanted = in_mm_and_deg(view.recording.column("wanted_pose"))
    return np.hstack([wanted, in_mm_and_deg(view.reached)])


def largest_deviations(view: RunView) -> list[float | None]:
    """Greatest distance of wanted and reached along each coordinate during the motion [mm, deg].

    Returns:
        None where the two never exist at once.
    """
    most = np.full(6, -np.inf)
    finite = np.zeros(6, np.bool_)
    for part in view.pieces():
        both = wanted_and_reached(part.run)[part.run.moving]
        gap = np.abs(both[:, :6] - both[:, 6:])
        most = np.fmax(most, np.fmax.reduce(gap, axis=0, initial=-np.inf))
        finite |= np.isfinite(gap).any(axis=0)
    pairs = zip(most.tolist(), finite.tolist(), strict=True)
    return [value if there else None for value, there in pairs]


def figure_or_below(value: float) -> str:
    """Deviation with three figures; below a thousandth it is rounding, not motion."""
    return f"{value:.3g}" if value >= 1e-3 else "less than 0.001"


def _panel(axes: Axes, view: RunView, wanted: Line, reached: Line) -> None:
    marker = "." if len(view.times) < 3 else ""
    for line, colour, width in ((wanted, WANTED, 3.0), (reached, REACHED, 1.1)):
        times = view.times[line.places]
        axes.plot(times, line.values, color=colour, linewidth=width, marker=marker)
    low, high = axes.get_ylim()
    if high - low < 1.0:  # a coordinate that stands still is a line, not magnified rounding
        middle = 0.5 * (low + high)
        axes.set_ylim(middle - 0.5, middle + 0.5)
