"""Pictures of the motion in space: both arms as sticks, and both grippers' motions laid over."""

from typing import Final

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.report.arm_machines import ArmMachines
from hil.report.arm_view import ArmView
from hil.report.decimate import MAX_POINTS
from hil.report.rig_figure import camera_axes
from hil.report.style import INK, LIMIT, REACHED, Picture, draw_png, place

Array = NDArray[np.float64]

INSTANTS: Final = 5
"""At so many moments, evenly spread, an arm is drawn."""

SMALL: Final = 0.15
"""A path smaller than this share of its arm is shown again, larger."""

VIEWS: Final = (("oblique view", -58.0, 22.0), ("from above", -90.0, 90.0))
"""Name, azimuth and elevation [deg] of the place from which one looks."""

MEASURED: Final = "#D55E00"
PALE: Final = "#CFCFCF"
"""Of the simulated gripper: wide and under the others, which lie on it."""

PLANES: Final = ((0, 1), (0, 2), (1, 2))


def arms(view: ArmView) -> Picture | None:
    """Both arms at several instants, side by side, with their grippers' paths."""
    machines = view.machines
    if machines is None:
        return None
    chosen = drawn_waypoints(view)
    if not len(chosen):
        return None
    sticks = _sticks(view, machines, chosen)
    paths = (
        view.run.column("space_pose")[view.streamed, :3],
        view.run.column("target_pose")[view.streamed, :3],
    )
    times = view.run.t_s[chosen]

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2, squeeze=False)
        place(figure, grid=(2, 2), right_in=1.05, between_in=(0.65, 0.6))
        colours = matplotlib.colormaps["viridis"](np.linspace(0.0, 0.9, len(chosen)))
        for row, (name, azimuth_deg, elevation_deg) in zip(panels, VIEWS, strict=True):
            camera = camera_axes(azimuth_deg, elevation_deg)[:2]
            both = zip(row, (machines.space.name, "industrial arm"), sticks, paths, strict=True)
            for axes, arm, figures, path in both:
                for points, colour in zip(figures, colours, strict=True):
                    flat = points @ camera.T
                    axes.plot(flat[:, 0], flat[:, 1], color=colour, lw=2.0, marker="o", ms=3.5)
                way = path @ camera.T
                axes.plot(way[:, 0], way[:, 1], color=LIMIT, lw=1.3, zorder=5)
                axes.plot(*(np.zeros(3) @ camera.T), color=INK, marker="s", ms=7, zorder=6)
                axes.set_aspect("equal", adjustable="datalim")
                axes.set_title(f"{arm}, {name} [m]")
                _magnify(axes, way, max(float(np.ptp(flat)) for flat in figures))
        figure.legend(
            handles=[
                Line2D([], [], color=colour, lw=2.2, label=f"{t:.1f} s")
                for colour, t in zip(colours, times, strict=True)
            ]
            + [Line2D([], [], color=LIMIT, lw=1.4, label="gripper")],
            loc="upper right", handlelength=1.2, borderaxespad=0.1,
        )  # fmt: skip

    return Picture(
        "arms",
        "Both arms",
        "Left the simulated arm, right the industrial arm as asked, at the same instants; square: "
        "base. In each panel both axes have one scale, but the two arms have scales of their own.",
        draw_png(9.2, draw),
    )


def _magnify(axes: Axes, way_m: Array, size_m: float) -> None:
    """Show a path again, larger, if it is small against the arm [m]."""
    span = float(np.ptp(way_m, axis=0).max())
    if not 0.0 < span < SMALL * size_m:
        return
    inset = axes.inset_axes((0.68, 0.68, 0.31, 0.31))
    inset.plot(way_m[:, 0], way_m[:, 1], color=LIMIT, lw=1.2)
    inset.set_aspect("equal", adjustable="datalim")
    inset.tick_params(labelsize=7.0)
    inset.set_title(f"gripper, {span:.2g} m across", fontsize=8.0)
    inset.locator_params(nbins=3)


def drawn_waypoints(view: ArmView) -> NDArray[np.intp]:
    """Which waypoints are drawn: evenly spread over those at which both arms' joints are known."""
    known = np.isfinite(view.run.column("space_q")).all(axis=1)
    known &= np.isfinite(view.run.column("robot_q")).all(axis=1)
    places = np.flatnonzero(known & view.streamed)
    if not len(places):
        return places
    return places[np.unique(np.linspace(0, len(places) - 1, INSTANTS).round().astype(int))]


def _sticks(
    view: ArmView, machines: ArmMachines, chosen: NDArray[np.intp]
) -> tuple[list[Array], list[Array]]:
    space, robot = view.run.column("space_q"), view.run.column("robot_q")
    return (
        [machines.space_points_m(space[k]) for k in chosen],
        [machines.robot_points_m(robot[k]) for k in chosen],
    )


def overlaid(view: ArmView) -> Picture | None:
    """The grippers' motions since their starts, in the gripper's axes, in three planes."""
    lines = motions(view)
    if not lines:
        return None

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 3, squeeze=False)[0]
        place(figure, grid=(3, 1), top_in=0.6, bottom_in=0.5, between_in=(0.75, 0.3))
        span = max(float(np.ptp(moved, axis=0).max()) for _, _, _, moved in lines) * 1.12e3
        for axes, (across, up) in zip(panels, PLANES, strict=True):
            for name, colour, width, moved in lines:
                points = 1e3 * moved[:: 1 + len(moved) // MAX_POINTS]
                axes.plot(points[:, across], points[:, up], color=colour, lw=width, label=name)
            _square(axes, 1e3 * lines[0][3][:, [across, up]], max(span, 1.0))
            axes.plot(0.0, 0.0, color=INK, marker="s", ms=5)
            axes.set_xlabel(f"{'xyz'[across]} [mm]")
            axes.set_ylabel(f"{'xyz'[up]} [mm]", labelpad=1)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper left", ncols=3, bbox_to_anchor=(0.05, 1.0))

    return Picture(
        "motion",
        "The same motion at two places",
        "Way of each gripper since the start of the stream, in the axes that the industrial "
        "gripper had then; square: start. All panels have one scale.",
        draw_png(4.1, draw),
    )


def motions(view: ArmView) -> list[tuple[str, str, float, Array]]:
    """Name, colour, width and relative positions [m], shape (N, 3), of every path there is.

    What was measured is taken relative to the start that was asked, so an error at the start
    stays to be seen.
    """
    found: list[tuple[str, str, float, Array]] = []
    if len(view.space):
        found.append(("simulated gripper", PALE, 7.0, view.space.relative()[0]))
    if len(view.asked):
        found.append(("asked of the robot", REACHED, 3.0, view.asked.relative()[0]))
        if len(view.measured):
            moved = view.measured.relative(view.asked)[0]
            found.append(("measured at the robot", MEASURED, 1.0, moved))
    return found


def _square(axes: Axes, points_mm: Array, span_mm: float) -> None:
    low, high = points_mm.min(axis=0), points_mm.max(axis=0)
    middle = 0.5 * (low + high)
    axes.set_xlim(middle[0] - 0.5 * span_mm, middle[0] + 0.5 * span_mm)
    axes.set_ylim(middle[1] - 0.5 * span_mm, middle[1] + 0.5 * span_mm)
    axes.set_aspect("equal")
