"""Pictures of the motion in space: both arms as sticks, and both grippers' motions laid over."""

from dataclasses import dataclass
from typing import Final

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from hil.recording.decimation import MAX_POINTS
from hil.report.scene_figure import draw_scene, eye_from
from hil.report.style import INK, LIMIT, REACHED, Picture, draw_png, place
from hil.scene.camera import Eye
from hil.stations.arm.report.view import ArmView
from hil.stations.arm.scene.robot import ArmScene, scenes_of

Array = NDArray[np.float64]

INSTANTS: Final = 5
"""Number of moments, evenly spread, at which an arm is drawn."""

SMALL: Final = 0.15
"""A path smaller than this share of its arm is shown again, larger."""

INSET: Final = 0.3
"""Width and height of a path shown again, as shares of its panel."""

VIEWS: Final = (("oblique view", -58.0, 22.0), ("from above", -90.0, 90.0))
"""Name, azimuth and elevation [deg] of each view."""

OPACITY: Final = 0.4
"""Opacity of an arm's body, which is behind its sticks."""

LEFT_OUT: Final = frozenset({"table", "payload", "x", "y", "z"})
"""Slots of bodies that are larger than the arm, or that a picture's own axes replace."""

MEASURED: Final = "#D55E00"
PALE: Final = "#CFCFCF"
"""Colour of the simulated gripper: wide and under the others, which lie on it."""

PLANES: Final = ((0, 1), (0, 2), (1, 2))


def arms(view: ArmView) -> Picture | None:
    """Draw both arms at several instants, side by side, with their grippers' paths."""
    if view.machines is None:
        return None
    chosen = drawn_waypoints(view)
    if not len(chosen):
        return None
    drawn = _drawn(view)
    times = view.fetches.fetched_s[chosen]
    colours = matplotlib.colormaps["viridis"](np.linspace(0.0, 0.9, len(chosen)))

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, len(drawn), squeeze=False)
        place(figure, grid=(len(drawn), 2), right_in=1.35, between_in=(0.6, 0.55))
        for row, (name, azimuth_deg, elevation_deg) in zip(panels, VIEWS, strict=True):
            eye = eye_from(azimuth_deg, elevation_deg)
            for axes, (arm, scene, q_rad, path_m) in zip(row, drawn, strict=True):
                _draw_arm(axes, scene, q_rad[chosen], colours, path_m, eye)
                axes.set_title(f"{arm}, {name} [m]")
        figure.legend(
            handles=[
                Line2D([], [], color=colour, lw=2.2, label=f"{t:.1f} s")
                for colour, t in zip(colours, times, strict=True)
            ]
            + [
                Line2D([], [], color=LIMIT, lw=1.4, label="way of gripper"),
                Line2D([], [], color=INK, lw=0.0, marker="D", ms=5.0, label="gripper"),
                Line2D([], [], color=INK, lw=0.0, marker="s", ms=6.0, label="base"),
            ],
            loc="upper right", handlelength=1.2, borderaxespad=0.1,
        )  # fmt: skip

    if view.robot_alone:
        caption = (
            "The industrial arm as asked; it moved alone. Both axes of a panel have one scale."
        )
        return Picture("arms", "The industrial arm", caption, draw_png(8.4, draw))
    return Picture(
        "arms",
        "Both arms",
        "Left the simulated arm, right the industrial arm as asked, at the same instants; pale: "
        "its body at the last. In each panel both axes have one scale, but the two arms have "
        "scales of their own.",
        draw_png(8.4, draw),
    )


def _drawn(view: ArmView) -> list[tuple[str, ArmScene, Array, Array]]:
    """Name, scene, joint angles [rad] and path of the gripper [m] of each arm."""
    *space, robot = scenes_of(view.recording.header)
    column = view.run.column
    found = [("industrial arm", robot, column("robot_q"), column("target_pose"))]
    if space and view.machines is not None and view.machines.space is not None:
        named = view.machines.space.name, space[0], column("space_q"), column("space_pose")
        found.insert(0, named)
    return [(name, scene, q_rad, pose[view.shown, :3]) for name, scene, q_rad, pose in found]


def _draw_arm(
    axes: Axes, scene: ArmScene, q_rad: Array, colours: Array, path_m: Array, eye: Eye
) -> None:
    draw_scene(axes, scene.build, scene.posed(q_rad[-1]), eye, left_out=LEFT_OUT, opacity=OPACITY)
    camera = eye.axes[:2]
    sticks = [np.vstack([np.zeros(3), scene.points_m(q)]) @ camera.T for q in q_rad]
    for flat, colour in zip(sticks, colours, strict=True):
        axes.plot(flat[:, 0], flat[:, 1], color=colour, lw=2.0, marker="o", ms=3.5, zorder=3)
    grippers = np.array([flat[-1] for flat in sticks])
    axes.scatter(*grippers.T, s=42.0, c=colours, marker="D", zorder=4)
    path = path_m @ camera.T
    axes.plot(path[:, 0], path[:, 1], color=LIMIT, lw=1.3, zorder=5)
    axes.plot(*(np.zeros(3) @ camera.T), color=INK, marker="s", ms=8, zorder=6)
    axes.set_aspect("equal", adjustable="datalim")
    axes.autoscale()
    _magnify(axes, path, np.vstack([_dense(flat) for flat in sticks]))


def _magnify(axes: Axes, path_m: Array, drawn_m: Array) -> None:
    """Show a path again, larger, if it is small against the arm, where the arm is not [m]."""
    span = float(np.ptp(path_m, axis=0).max())
    if not 0.0 < span < SMALL * float(np.ptp(drawn_m, axis=0).max()):
        return
    axes.apply_aspect()
    inset = axes.inset_axes((*free_corner(axes, drawn_m), INSET, INSET))
    moved_mm = 1e3 * (path_m - path_m[0])
    inset.plot(moved_mm[:, 0], moved_mm[:, 1], color=LIMIT, lw=1.2)
    inset.set_aspect("equal", adjustable="datalim")
    inset.tick_params(labelsize=7.0)
    inset.set_title("gripper, moved [mm]", fontsize=8.0)
    inset.locator_params(nbins=3)


def free_corner(axes: Axes, points_m: Array) -> tuple[float, float]:
    """Lower left of an inset in that corner of a panel in which the fewest points are.

    Args:
        axes: with its final limits.
        points_m: what is not to be covered, shape (N, 2).

    Returns:
        Shares of the panel's width and height.
    """
    spread = axes.transAxes.inverted().transform(axes.transData.transform(points_m))
    size = INSET + 0.1  # tick labels and title
    corners = [(x, y) for y in (0.64, 0.06) for x in (0.66, 0.08)]

    def covered(corner: tuple[float, float]) -> int:
        low = np.array(corner) - 0.07
        return int(np.all((spread > low) & (spread < low + size + 0.07), axis=1).sum())

    return min(corners, key=covered)


def _dense(points_m: Array) -> Array:
    """Return the points along a stick, shape (M, 2), from its corners, shape (K, 2)."""
    places = np.linspace(0.0, len(points_m) - 1.0, 20 * len(points_m))
    corners = np.arange(len(points_m))
    return np.column_stack([np.interp(places, corners, points_m[:, axis]) for axis in (0, 1)])


def drawn_waypoints(view: ArmView) -> NDArray[np.intp]:
    """Select the waypoints to draw, spread evenly over those with all arms' joints known."""
    known = np.isfinite(view.run.column("robot_q")).all(axis=1)
    if not view.robot_alone:
        known &= np.isfinite(view.run.column("space_q")).all(axis=1)
    places = np.flatnonzero(known & view.shown)
    if not len(places):
        return places
    return places[np.unique(np.linspace(0, len(places) - 1, INSTANTS).round().astype(int))]


def overlaid(view: ArmView) -> Picture | None:
    """Draw the grippers' motions since their starts, in the gripper's axes, in three planes."""
    lines = motions(view, (7.0, 3.0, 1.0))
    if max((len(one.t_s) for one in lines), default=0) < 2:
        return None

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 3, squeeze=False)[0]
        place(figure, grid=(3, 1), top_in=0.4, bottom_in=0.5, between_in=(0.75, 0.3))
        span = max(float(np.ptp(one.motion[0], axis=0).max()) for one in lines) * 1.12e3
        for axes, (across, up) in zip(panels, PLANES, strict=True):
            for one in lines:
                x, y = 1e3 * one.motion[0][:: 1 + len(one.t_s) // MAX_POINTS, [across, up]].T
                axes.plot(x, y, color=one.colour, lw=one.width, label=one.name)
            _square(axes, 1e3 * lines[0].motion[0][:, [across, up]], max(span, 1.0))
            axes.plot(0.0, 0.0, color=INK, marker="s", ms=5)
            axes.set_xlabel(f"{'xyz'[across]} [mm]")
            axes.set_ylabel(f"{'xyz'[up]} [mm]", labelpad=1)
        handles, labels = panels[0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="upper left", ncols=3, bbox_to_anchor=(0.05, 1.0))

    return Picture(
        "motion",
        "The same motion at two places" if len(view.space) else "Motion of the gripper",
        "Way of each gripper since the start of the stream, in the axes that the industrial "
        "gripper had then; square: start. All panels have one scale.",
        draw_png(3.9, draw),
    )


@dataclass(frozen=True, slots=True, eq=False)
class MotionLine:
    """A gripper's motion since its start as it is drawn."""

    name: str
    colour: str
    width: float
    t_s: Array
    motion: tuple[Array, Array]
    """Relative positions [m] and turns [rad], shape (N, 3) each."""


def motions(view: ArmView, widths: tuple[float, float, float]) -> list[MotionLine]:
    """Return every path there is: simulated, asked, measured, in lines of these widths.

    What was measured is taken relative to the start that was asked, so an error at the start
    stays to be seen.
    """
    found: list[MotionLine] = []
    for name, colour, width, path, start in (
        ("simulated gripper", PALE, widths[0], view.space, None),
        ("asked of the robot", REACHED, widths[1], view.asked, None),
        ("measured at the robot", MEASURED, widths[2], view.measured, view.asked),
    ):
        if len(path) and (start is None or len(start)):
            found.append(MotionLine(name, colour, width, path.t_s, path.relative(start)))
    return found


def _square(axes: Axes, points_mm: Array, span_mm: float) -> None:
    low, high = points_mm.min(axis=0), points_mm.max(axis=0)
    middle = 0.5 * (low + high)
    axes.set_xlim(middle[0] - 0.5 * span_mm, middle[0] + 0.5 * span_mm)
    axes.set_ylim(middle[1] - 0.5 * span_mm, middle[1] + 0.5 * span_mm)
    axes.set_aspect("equal")
