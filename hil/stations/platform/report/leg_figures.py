"""Pictures of the six legs over time: strokes, speeds, tracking error."""

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.report.pieces import any_finite
from hil.report.style import LEG_COLOURS, LEGEND_IN, LIMIT, Picture, draw_png, limit_line, place
from hil.report.time_axes import STRIP_IN, TIME_LABEL, time_axes
from hil.run.evidence import tracking_error_m
from hil.stations.platform.report.leg_axes import leg_legend, limit_handles, six_lines
from hil.stations.platform.report.view import LegLimits, RunView

Array = NDArray[np.float64]


def strokes(view: RunView) -> Picture | None:
    """Strokes of the six legs with soft and mechanical limits; lengths if the rig is unknown."""
    limits = view.limits

    def shown(part: RunView) -> Array:
        lengths = part.recording.column("measured_length_m")
        return lengths if limits is None else lengths - limits.closed_m

    if not any_finite(view, shown):
        return None

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, right_in=LEGEND_IN, top_in=STRIP_IN)
        six_lines(axes, view, shown)
        if limits is not None:
            _stroke_limits(axes, limits)
        time_axes(axes, view)
        axes.set_xlabel(TIME_LABEL)
        axes.set_ylabel("leg length [m]" if limits is None else "rod stroke, measured [m]")
        leg_legend(figure, [] if limits is None else limit_handles())

    return Picture(
        "strokes",
        "Strokes of the six legs",
        "Measured length less closed length. The gate lets no leg beyond the soft limits; "
        "the mechanical ends lie outside them. Pale: before homing, when lengths are not known.",
        draw_png(4.3, draw),
    )


def speeds(view: RunView) -> Picture | None:
    """Measured speeds of the six legs with their limits."""
    if not any_finite(view, _measured_speed):
        return None
    limits = view.limits

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, right_in=LEGEND_IN, top_in=STRIP_IN)
        six_lines(axes, view, _measured_speed)
        if limits is not None:
            for sign in (-1.0, 1.0):
                _lines_of_legs(axes, sign * limits.speed_m_s, soft=True)
        time_axes(axes, view)
        axes.set_xlabel(TIME_LABEL)
        axes.set_ylabel("leg speed, measured [m/s]")
        leg_legend(figure, [] if limits is None else [_limit_handle()])

    return Picture(
        "speeds",
        "Leg speeds",
        "Positive when the leg extends.",
        draw_png(3.5, draw),
    )


def tracking(view: RunView) -> Picture | None:
    """Length sent minus length measured, and the same as a share of the window allowed."""
    if not any_finite(view, _error_mm):
        return None
    judged = view.plan is not None

    def draw(figure: Figure) -> None:
        ratios = [1.9, 1.0] if judged else [1.0]
        panels = figure.subplots(len(ratios), 1, sharex=True, squeeze=False, height_ratios=ratios)[
            :, 0
        ]
        place(figure, left_in=0.9, right_in=LEGEND_IN, top_in=STRIP_IN, grid=(1, len(ratios)))
        six_lines(panels[0], view, _error_mm)
        time_axes(panels[0], view)
        panels[0].set_ylabel("sent − measured [mm]")
        if judged:
            six_lines(panels[1], view, _share_percent)
            limit_line(panels[1], 100.0, soft=True)
            time_axes(panels[1], view, strip=False)
            panels[1].set_ylim(bottom=0.0)
            panels[1].set_ylabel("share of the window [%]")
        panels[-1].set_xlabel(TIME_LABEL)
        leg_legend(figure, [_limit_handle()] if judged else [])

    window = ""
    if view.plan is not None:
        watch = view.plan.rig.supervision
        window = (
            f" The window is {watch.following_base_m * 1e3:g} mm at rest and grows by "
            f"{watch.following_per_speed_s * 1e3:g} mm per m/s of leg speed; the gate stops the "
            f"platform after {watch.following_cycles} cycles outside."
        )
    return Picture(
        "tracking",
        "Tracking error",
        f"Length sent minus length measured at the end of the same cycle.{window}",
        draw_png(4.8 if judged else 3.2, draw),
    )


def _measured_speed(view: RunView) -> Array:
    return view.recording.column("measured_speed_m_s")


def _error_mm(view: RunView) -> Array:
    return tracking_error_m(view.recording) * 1e3


def _share_percent(view: RunView) -> Array:
    share = window_share(view)
    return np.full((len(view.times), 6), np.nan) if share is None else share * 100.0


def window_share(view: RunView) -> Array | None:
    """Tracking error as a share of the following window, shape (N, 6); None without a rig.

    The window is that of the gate: a base plus a time times the speed commanded, which is the
    change of the length sent since the last cycle.
    """
    if view.plan is None:
        return None
    watch = view.plan.rig.supervision
    window = watch.following_base_m + watch.following_per_speed_s * np.abs(sent_speed_m_s(view))
    return np.abs(tracking_error_m(view.recording)) / window


def sent_speed_m_s(view: RunView) -> Array:
    """Speed of the sent lengths, from their differences, shape (N, 6); 0 where one is missing."""
    sent = view.recording.column("sent_length_m")
    return np.nan_to_num(step_rate(view, sent))


def step_rate(view: RunView, lengths: Array) -> Array:
    """Change of lengths since the last cycle over the nominal cycle time, shape (N, 6) [m/s].

    NaN in the first cycle, and where cycles are missing in between.
    """
    rate = np.full(lengths.shape, np.nan)
    if len(lengths) > 1 and view.period_s is not None:
        near = np.diff(view.recording.column("index")) == 1
        rate[1:][near] = np.diff(lengths, axis=0)[near] / view.period_s
    return rate


def _limit_handle() -> Line2D:
    return Line2D([], [], color=LIMIT, linewidth=1.0, linestyle=(0, (6, 3)), label="limit")


def _stroke_limits(axes: Axes, limits: LegLimits) -> None:
    _lines_of_legs(axes, limits.soft_min_m - limits.closed_m, soft=True)
    _lines_of_legs(axes, limits.soft_max_m - limits.closed_m, soft=True)
    limit_line(axes, 0.0, soft=False)
    _lines_of_legs(axes, limits.open_m - limits.closed_m, soft=False)


def _lines_of_legs(axes: Axes, values: Array, *, soft: bool) -> None:
    """Draw one line if the six legs share a limit, else one for each in the leg's colour."""
    if np.ptp(values) < 1e-9:
        limit_line(axes, float(values[0]), soft=soft)
        return
    for value, colour in zip(values, LEG_COLOURS, strict=True):
        axes.axhline(value, color=colour, linewidth=0.9, linestyle=(0, (6, 3)) if soft else "-")
