"""Picture of what was left of the legs' limits in a ride, with the leg that bound in red."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.recording.decimation import Line
from hil.report.pieces import lines
from hil.report.style import LEG_COLOURS, LEGEND_IN, LIMIT, Picture, draw_png, place
from hil.report.time_axes import TIME_LABEL, time_axes
from hil.stations.platform.report.leg_axes import leg_legend
from hil.stations.platform.report.view import LegLimits
from hil.stations.simulator.report.view import RideView, governor_active, share_engaged
from platform6dof.cueing.margins import QUANTITIES

Array = NDArray[np.float64]


def governed(view: RideView) -> Picture | None:
    """Share left of each leg's travel and speed, as commanded, and what the governor held back."""
    limits = view.limits
    if limits is None or not view.was_engaged:
        return None
    (drawn,) = lines(view, lambda part: _shares_left(part, limits))
    panels = (("travel to the nearer soft limit", drawn[:12]), ("speed", drawn[12:]))

    def draw(figure: Figure) -> None:
        both = figure.subplots(2, 1, sharex=True)
        place(figure, right_in=LEGEND_IN, top_in=0.55, grid=(1, 2), between_in=(0.5, 0.4))
        for number, (axes, (name, shown)) in enumerate(zip(both, panels, strict=True)):
            time_axes(axes, view, strip=number == 0)
            _draw(axes, view, shown)
            axes.set_ylim(-0.05, 1.05)
            axes.axhline(0.0, color=LIMIT, linewidth=1.0)
            axes.set_ylabel("share left")
            axes.set_title(name, y=1.0 if number else 1.12)
        both[1].set_xlabel(TIME_LABEL)
        leg_legend(figure, [Line2D([], [], color=LIMIT, linewidth=3.0, label="binds")])

    active = share_engaged(view, governor_active)
    return Picture(
        "governed",
        "What was left of the legs' limits",
        "Share of each leg's travel and speed that the setpoints left. Red: the leg by which the "
        f"governor held the motion back. It was active in {active} of the ride. {_others(view)}",
        draw_png(4.4, draw),
    )


def _shares_left(part: RideView, limits: LegLimits) -> Array:
    """Of travel, then of speed: share left of each leg, and where it bound, shape (N, 24)."""
    lengths = part.recording.column("allowed_length_m")
    half = 0.5 * (limits.soft_max_m - limits.soft_min_m)
    travel = np.minimum(lengths - limits.soft_min_m, limits.soft_max_m - lengths) / half
    pace = 1.0 - np.abs(part.recording.column("allowed_speed_m_s")) / limits.speed_m_s
    binds = _binding_leg(part)[:, None] == np.arange(1, 7)
    both = ((values, np.where(binds, values, np.nan)) for values in (travel, pace))
    return np.hstack([values for pair in both for values in pair])


def _draw(axes: Axes, view: RideView, shown: Sequence[Line]) -> None:
    """Six lines, and six more where the leg bound."""
    for leg, bound, colour in zip(shown[:6], shown[6:], LEG_COLOURS, strict=True):
        axes.plot(view.times[leg.places], leg.values, color=colour, linewidth=1.1)
        if np.isfinite(bound.values).any():
            times = view.times[bound.places]
            axes.plot(times, bound.values, color=LIMIT, linewidth=3.0, zorder=2.5)


def _binding_leg(part: RideView) -> NDArray[np.intp]:
    """Leg 1 to 6 that the binding quantity of each cycle belongs to; 0 for none, shape (N,)."""
    legs = np.array([0, *(one[2] or 0 for one in QUANTITIES)])
    codes = part.recording.column("governor_binding").astype(np.intp)
    return legs[np.minimum(codes, len(legs) - 1)]


def _others(view: RideView) -> str:
    """What else bound than a leg, in words."""
    counted: dict[str, int] = {}
    for part in view.pieces():
        codes = part.run.recording.column("governor_binding").astype(int)[part.before :]
        codes = codes[part.run.engaged[part.before :] & (codes > 0)]
        found, first, count = np.unique(codes, return_index=True, return_counts=True)
        for at in np.argsort(first).tolist():
            name = QUANTITIES[int(found[at]) - 1][0]
            counted[name] = counted.get(name, 0) + int(count[at])
    if not counted:
        return "Nothing bound."
    most = sorted(counted.items(), key=lambda one: -one[1])
    return "Bound, in cycles: " + ", ".join(f"{name} {count}" for name, count in most) + "."
