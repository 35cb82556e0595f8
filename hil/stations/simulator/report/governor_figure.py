"""Picture of what was left of the legs' limits in a ride, with the leg that bound in red."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.report.style import LEG_COLOURS, LEGEND_IN, LIMIT, Picture, decimate, draw_png, place
from hil.report.time_axes import TIME_LABEL, time_axes
from hil.stations.platform.report.leg_axes import leg_legend
from hil.stations.simulator.report.view import RideView
from platform6dof.cueing.margins import QUANTITIES

Array = NDArray[np.float64]


def governed(view: RideView) -> Picture | None:
    """Share left of each leg's travel and speed, as commanded, and what the governor held back."""
    limits = view.limits
    if limits is None or not view.engaged.any():
        return None
    lengths = view.recording.column("allowed_length_m")
    speeds = view.recording.column("allowed_speed_m_s")
    half = 0.5 * (limits.soft_max_m - limits.soft_min_m)
    travel = np.minimum(lengths - limits.soft_min_m, limits.soft_max_m - lengths) / half
    pace = 1.0 - np.abs(speeds) / limits.speed_m_s
    binding = _binding_leg(view)
    panels = (("travel to the nearer soft limit", travel), ("speed", pace))

    def draw(figure: Figure) -> None:
        both = figure.subplots(2, 1, sharex=True)
        place(figure, right_in=LEGEND_IN, top_in=0.55, grid=(1, 2), between_in=(0.5, 0.4))
        for number, (axes, (name, values)) in enumerate(zip(both, panels, strict=True)):
            time_axes(axes, view, strip=number == 0)
            _lines(axes, view, values, binding)
            axes.set_ylim(-0.05, 1.05)
            axes.axhline(0.0, color=LIMIT, linewidth=1.0)
            axes.set_ylabel("share left")
            axes.set_title(name, y=1.0 if number else 1.12)
        both[1].set_xlabel(TIME_LABEL)
        leg_legend(figure, [Line2D([], [], color=LIMIT, linewidth=3.0, label="binds")])

    active = view.recording.column("governor_active")[view.engaged] != 0
    return Picture(
        "governed",
        "What was left of the legs' limits",
        "Share of each leg's travel and speed that the setpoints left. Red: the leg by which the "
        f"governor held the motion back. It was active in {100.0 * float(active.mean()):.1f} % of "
        f"the ride. {_others(view)}",
        draw_png(4.4, draw),
    )


def _lines(axes: Axes, view: RideView, values: Array, binding: NDArray[np.intp]) -> None:
    for leg, colour in enumerate(LEG_COLOURS):
        column = values[:, leg]
        chosen = decimate(column)
        axes.plot(view.times[chosen], column[chosen], color=colour, linewidth=1.1)
        bound = np.where(binding == leg + 1, column, np.nan)
        if np.isfinite(bound).any():
            chosen = decimate(bound)
            axes.plot(view.times[chosen], bound[chosen], color=LIMIT, linewidth=3.0, zorder=2.5)


def _binding_leg(view: RideView) -> NDArray[np.intp]:
    """Leg 1 to 6 that the binding quantity of each cycle belongs to; 0 for none, shape (N,)."""
    legs = np.array([0, *(one[2] or 0 for one in QUANTITIES)])
    codes = view.recording.column("governor_binding").astype(np.intp)
    return legs[np.minimum(codes, len(legs) - 1)]


def _others(view: RideView) -> str:
    """What else bound than a leg, in words."""
    codes = view.recording.column("governor_binding").astype(int)
    codes = codes[view.engaged & (codes > 0)]
    kinds = [QUANTITIES[code - 1][0] for code in codes.tolist()]
    counted = {name: kinds.count(name) for name in dict.fromkeys(kinds)}
    if not counted:
        return "Nothing bound."
    most = sorted(counted.items(), key=lambda one: -one[1])
    return "Bound, in cycles: " + ", ".join(f"{name} {count}" for name, count in most) + "."
