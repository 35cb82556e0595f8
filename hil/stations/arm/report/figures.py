"""Pictures of an arm's run over time: motion, following, speed, margins, and the link's answers."""

from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

from hil.recording.decimation import decimate
from hil.report.style import (
    INK,
    LEG_COLOURS,
    LEGEND_IN,
    LIMIT,
    REACHED,
    Picture,
    draw_png,
    limit_line,
    place,
)
from hil.stations.arm.report.drawing import motions
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.scene.machines import ArmJoints, limit_share

Array = NDArray[np.float64]

TIME_LABEL: Final = "time of the loop [s]"
"""A waypoint is drawn at the time at which the robot fetched it."""

LEAST_SPANS: Final = (2.0, 1.0)
"""Axes of a motion show at least so many mm and degrees: noise is not blown up."""

LEAST_WAYPOINTS: Final = 2
"""Fewer are no line over time."""

JOINT_COLOURS: Final = (*LEG_COLOURS, "#8C564B", "#7F7F7F")
"""Colour of each joint."""

ANSWER_WANTED_S: Final = 2e-3
"""Answers are to be out within this for 99 % of the requests."""

ANSWER_LATEST_S: Final = 0.25
"""Time from a request after which the robot repeats it [s]."""


def mark_actions(panels: Sequence[Axes], view: ArmView) -> None:
    """Draw a line at each action on the space arm's drives; the first panel says which."""
    for at_s, words in view.actions:
        for axes in panels:
            axes.axvline(at_s, color=INK, lw=0.8, ls=(0, (1, 2)), zorder=1.5)
        panels[0].annotate(
            words, (at_s, 1.0), (-3, -3), xycoords=("data", "axes fraction"),
            textcoords="offset points", rotation=90, ha="right", va="top", color=INK,
            fontsize=7.0,
        )  # fmt: skip


def relative_motion(view: ArmView) -> Picture | None:
    """Draw position and turn of the gripper since the start: simulated, asked, measured."""
    if len(view.asked) < LEAST_WAYPOINTS:
        return None
    lines = motions(view, (6.0, 2.8, 1.0))

    def draw(figure: Figure) -> None:
        panels = figure.subplots(3, 2, sharex=True)
        place(figure, grid=(2, 3), top_in=0.4, between_in=(0.7, 0.2))
        for axis in range(3):
            for axes, part, factor in zip(panels[axis], (0, 1), (1e3, 180.0 / np.pi), strict=True):
                for one in lines:
                    values = factor * one.motion[part][:, axis]
                    line(axes, one.t_s, values, one.colour, one.name, one.width)
            for axes, least in zip(panels[axis], LEAST_SPANS, strict=True):
                low, high = axes.get_ylim()
                margin = max(0.0, 0.5 * (least - (high - low)))
                axes.set_ylim(low - margin, high + margin)
            panels[axis, 0].set_ylabel(f"{'xyz'[axis]} [mm]")
            panels[axis, 1].set_ylabel(f"turn about {'xyz'[axis]} [deg]")
        mark_actions(list(panels.ravel()), view)
        times_below(panels[-1])
        handles, labels = panels[0, 0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper left", ncols=3, bbox_to_anchor=(0.05, 1.0))

    return Picture(
        "relative",
        "Motion of both grippers over time",
        "Since the start of the stream, in the axes that the gripper had then. A waypoint is drawn "
        "when the robot fetched it, what was measured when it was told: the shift to the right is "
        "the robot's delay.",
        draw_png(5.4, draw),
    )


def speed(view: ArmView) -> Picture | None:
    """Draw the speed asked of the industrial gripper, with its limit."""
    values = view.run.column("gripper_speed_m_s")
    if not np.isfinite(values).any():
        return None
    limit = None if view.machines is None else 1e3 * view.machines.gripper_speed_max_m_s

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, top_in=0.1)
        line(axes, view.fetches.fetched_s, 1e3 * values, REACHED)
        if limit is not None:
            limit_line(axes, limit, soft=True)
        axes.set_ylim(0.0, 1.1 * max(1e3 * float(np.nanmax(values)), limit or 1.0))
        axes.set_ylabel("gripper speed [mm/s]")
        mark_actions([axes], view)
        times_below([axes])

    return Picture("speed", "Speed of the gripper", "Dashed: the most that is allowed.",
                   draw_png(2.6, draw))  # fmt: skip


def travel_left(view: ArmView) -> Picture | None:
    """Draw the remaining travel of every joint of the arms."""
    caption = "100 %: in the middle of the joint's travel; 0 %: at one of its ends."
    return _both_arms(
        view, "travel", "Way left to the joints' limits", "travel left [%]", 0.0, caption,
        lambda arm: limit_share(view.run.column(arm.angles), arm.low_rad, arm.high_rad),
    )  # fmt: skip


def rates(view: ArmView) -> Picture | None:
    """Draw the rate of every joint of the arms against what it may do."""
    caption = "Size of each joint's rate as a share of the most that is allowed (dashed)."
    return _both_arms(
        view, "rates", "Joint rates", "rate [% of limit]", 100.0, caption,
        lambda arm: np.abs(view.run.column(arm.rates)) / arm.rate_max_rad_s,
    )  # fmt: skip


def _both_arms(
    view: ArmView,
    name: str,
    title: str,
    label: str,
    limit_percent: float,
    caption: str,
    share: Callable[[ArmJoints], Array],
) -> Picture | None:
    if view.machines is None or view.run.waypoints < LEAST_WAYPOINTS:
        return None
    shares = {arm.arm: share(arm) for arm in view.machines.joints()}

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(shares), 1, sharex=True, squeeze=False)[:, 0]
        place(figure, grid=(1, len(shares)), right_in=LEGEND_IN, between_in=(0.5, 0.4))
        for axes, (arm, values) in zip(panels, shares.items(), strict=True):
            for joint, colour in enumerate(JOINT_COLOURS[: values.shape[1]]):
                words = f"joint {joint + 1}"
                line(axes, view.fetches.fetched_s, 100.0 * values[:, joint], colour, words, 1.4)
            limit_line(axes, limit_percent, soft=True)
            axes.set_title(f"{arm} arm")
            axes.set_ylabel(label)
        mark_actions(list(panels), view)
        times_below(list(panels[-1:]))
        handles, labels = max(
            (axes.get_legend_handles_labels() for axes in panels), key=lambda found: len(found[1])
        )
        at = (1.0 - (LEGEND_IN - 0.05) / figure.get_figwidth(), 1.0)
        figure.legend(handles, labels, loc="upper left", bbox_to_anchor=at, handlelength=1.6)

    return Picture(name, title, caption, draw_png(4.6, draw))


def singular(view: ArmView) -> Picture | None:
    """Draw the distances of the industrial arm from its three singularities."""
    margins = view.run.column("margins")
    if np.isfinite(margins).any(axis=1).sum() < LEAST_WAYPOINTS:
        return None
    rows = (("wrist: |sin q5|", 1.0), ("elbow [mm]", 1e3), ("shoulder [mm]", 1e3))
    least = None if view.machines is None else view.machines.least_margins

    def draw(figure: Figure) -> None:
        panels = figure.subplots(3, 1, sharex=True)
        place(figure, grid=(1, 3), top_in=0.1, between_in=(0.5, 0.2))
        for k, (axes, (label, factor)) in enumerate(zip(panels, rows, strict=True)):
            line(axes, view.fetches.fetched_s, factor * margins[:, k], REACHED)
            limit_line(axes, 0.0, soft=False)
            if least is not None:
                limit_line(axes, factor * least[k], soft=True)
            axes.set_ylim(bottom=min(0.0, axes.get_ylim()[0]))
            axes.set_ylabel(label)
        times_below(panels[-1:])

    return Picture(
        "singular",
        "Distance of the industrial arm from its singularities",
        "Wrist centre from full stretch or fold (elbow) and from the cylinder about the waist "
        "(shoulder). Solid red: singular; dashed: the least that is allowed.",
        draw_png(4.9, draw),
    )


def answers(view: ArmView) -> Picture | None:
    """Draw a histogram of the time from a request to its answer."""
    values = view.run.column("answer_latency_s")
    values = 1e3 * values[np.isfinite(values) & (values > 0.0)]
    if not len(values):
        return None

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure)
        low, high = min(float(values.min()), 0.1), max(float(values.max()), 300.0)
        axes.hist(values, bins=np.geomspace(0.95 * low, 1.05 * high, 90).tolist(),
                  color=REACHED, alpha=0.75)  # fmt: skip
        axes.set_xscale("log")
        axes.set_yscale("log")
        axes.set_ylim(bottom=0.7)
        axes.xaxis.set_minor_locator(NullLocator())  # drawing them takes longer than all the rest
        axes.yaxis.set_minor_locator(NullLocator())
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter("{x:g}")
        p50, p99 = np.percentile(values, [50.0, 99.0])
        most = float(values.max())
        axes.set_title(f"p50 {p50:.2f} ms, p99 {p99:.2f} ms, max {most:.2f} ms of {len(values)}")
        marks = ((ANSWER_WANTED_S, "wanted for 99 %", INK), (ANSWER_LATEST_S, "too late", LIMIT))
        for at_s, words, colour in marks:
            axes.axvline(1e3 * at_s, color=colour, lw=1.1, ls=(0, (6, 3)))
            axes.annotate(
                words, (1e3 * at_s, 0.97), (-4, 0), xycoords=("data", "axes fraction"),
                textcoords="offset points", rotation=90, ha="right", va="top", color=colour,
                fontsize=8.0,
            )  # fmt: skip
        axes.set_xlabel("from a request to its answer, at the port [ms]")
        axes.set_ylabel("waypoints")

    return Picture("answers", "Answers to the robot's requests",
                   "Both axes are logarithmic: one late answer among thousands is seen.",
                   draw_png(3.0, draw))  # fmt: skip


def line(
    axes: Axes, times: Array, values: Array, colour: str, label: str = "", width: float = 1.2
) -> None:
    """Draw values over time, thinned where that is not to be seen."""
    chosen = decimate(values)
    marker = "." if len(values) < 3 else ""
    axes.plot(times[chosen], values[chosen], color=colour, lw=width, label=label, marker=marker)


def times_below(panels: Sequence[Axes]) -> None:
    """Label the axis of time below panels."""
    for axes in panels:
        axes.set_xlabel(TIME_LABEL)
        axes.margins(x=0.01)
