"""Figures of a machine's accuracy: random machines, shares, a slice of the box, the geometry."""

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, LogLocator, NullLocator
from numpy.typing import NDArray

from hil.machines.rig.settings import CirclesGeometry, Rig
from hil.report.style import INK, LEG_COLOURS, LIMIT, REACHED, draw_png, place
from hil.stations.platform.machine.accuracy import AccuracyTask, PoseAccuracy
from hil_common.arrays.pose import Pose
from platform6dof.accuracy.propagation import leg_errors, variances
from platform6dof.accuracy.tolerances import KINDS
from platform6dof.accuracy.variations import by_half_angle, by_height

Array = NDArray[np.float64]
Draw = Callable[[Figure], None]

GRID: Final = 61
"""Poses of the slice, in each direction."""
WIDER: Final = 0.6
"""Part of the box's size by which its slice goes beyond it on each side."""
HALF_ANGLES_DEG: Final = np.linspace(2.0, 30.0, 57)
PLANES: Final = ((0, 1, "x", "y"), (0, 2, "x", "z"), (1, 2, "y", "z"))


def accuracy_figures(
    rig: Rig, task: AccuracyTask, here: PoseAccuracy, worst: PoseAccuracy | None
) -> dict[str, bytes]:
    """Draw the accuracy of a rig; file names and PNGs."""
    found = {
        "accuracy_random_machines.png": draw_png(4.3, _cloud(task, here)),
        "accuracy_shares.png": draw_png(3.4, _shares(here, worst)),
        "accuracy_slice.png": draw_png(5.2, _slice(task, here)),
    }
    if isinstance(rig.geometry, CirclesGeometry):
        height_m = abs(float(here.coordinates[2]))
        found["accuracy_geometry.png"] = draw_png(6.4, _geometry(rig.geometry, height_m))
    return found


def _cloud(task: AccuracyTask, here: PoseAccuracy) -> Draw:
    """Errors of random machines in three planes, with the ellipse of three standard deviations."""
    pose = Pose.from_coordinates(here.coordinates)
    errors = leg_errors(task.geometry, task.tolerances, pose)
    covariance = variances(errors, task.tolerances, task.point_m).sum(axis=0)
    dots = 1e3 * here.drawn.place_m
    reach = 1.15e3 * max(float(here.worst.place_m.max()), 1e-9)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(1, 3)
        place(figure, top_in=0.62, bottom_in=0.5, grid=(3, 1), between_in=(0.7, 0.0))
        for axes, (one, other, first, second) in zip(panels, PLANES, strict=True):
            axes.plot(dots[:, one], dots[:, other], ".", color=REACHED, markersize=1.5, alpha=0.5)
            axes.plot(*_ellipse(1e6 * covariance[np.ix_((one, other), (one, other))]), color=INK)
            half = 1e3 * here.worst.place_m[[one, other]]
            corners = np.array([[-1, -1], [1, -1], [1, 1], [-1, 1], [-1, -1]]) * half
            axes.plot(corners[:, 0], corners[:, 1], color=LIMIT, linestyle=(0, (6, 3)))
            axes.set_xlim(-reach, reach)
            axes.set_ylim(-reach, reach)
            axes.set_aspect("equal", adjustable="box")
            axes.set_xlabel(f"{first} [mm]")
            axes.set_ylabel(f"{second} [mm]")
        figure.suptitle(
            f"Error of the point's place of {len(dots)} random machines; line: 3σ to first order; "
            f"dashed: worst case along each axis",
            fontsize=10.0,
        )

    return draw


def _ellipse(covariance: Array) -> tuple[Array, Array]:
    """Points of the ellipse of three standard deviations of a covariance, shape (2, 2)."""
    sizes, axes = np.linalg.eigh(covariance)
    turn = np.linspace(0.0, 2.0 * np.pi, 181)
    circle = 3.0 * np.sqrt(np.maximum(sizes, 0.0))[:, None] * np.array([np.cos(turn), np.sin(turn)])
    x, y = axes @ circle
    return x, y


def _shares(here: PoseAccuracy, worst: PoseAccuracy | None) -> Draw:
    """Share of each kind of errors in the variance of the place."""
    rows = [("this pose", here)] + ([] if worst is None else [("worst pose of the box", worst)])

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, left_in=1.35, right_in=0.3)
        high = 0.8 / len(rows)
        for number, (words, found) in enumerate(rows):
            values = [100.0 * found.shares[kind] for kind in KINDS]
            label = f"{words}: 3σ {1e3 * found.linear.place_total_m:.3f} mm"
            ys = np.arange(len(KINDS)) + high * (number - 0.5 * (len(rows) - 1))
            axes.barh(ys, values, height=high, color=LEG_COLOURS[number], label=label)
        axes.set_yticks(range(len(KINDS)), [kind.replace("_", " ") for kind in KINDS])
        axes.invert_yaxis()
        axes.set_xlabel("share of the variance of the point's place [%]")
        axes.legend(loc="lower right")
        axes.set_title("What the error is made of")

    return draw


def _slice(task: AccuracyTask, here: PoseAccuracy) -> Draw:
    """Error of the place over x and z at the pose's y and direction; grey: beyond the limits."""
    low, high = task.box.lower[[0, 2]], task.box.upper[[0, 2]]
    more = WIDER * (high - low)
    xs, zs = (np.linspace(low[k] - more[k], high[k] + more[k], GRID) for k in range(2))
    poses = np.tile(here.coordinates, (GRID * GRID, 1))
    poses[:, 0], poses[:, 2] = (part.ravel() for part in np.meshgrid(xs, zs))
    inside = task.envelope.inside(poses)
    values = np.full(len(poses), np.nan)
    values[inside] = 1e3 * task.place_errors(poses[inside])
    shown = values.reshape(GRID, GRID)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        place(figure, right_in=1.6)
        axes.set_facecolor("#D9D9D9")
        axes.grid(visible=False)
        edges = xs[0], xs[-1], zs[0], zs[-1]
        if inside.any():
            image = axes.imshow(
                shown, origin="lower", extent=edges, aspect="auto", cmap="viridis",
                interpolation="nearest",
            )  # fmt: skip
            bar = figure.colorbar(image, cax=figure.add_axes((0.88, 0.1, 0.02, 0.82)))
            bar.set_label("3σ of the point's place [mm]")
        corners = [(low[0], low[1]), (high[0], low[1]), (high[0], high[1]), (low[0], high[1])]
        axes.plot(*zip(*corners, corners[0], strict=True), color=INK, linestyle=(0, (6, 3)))
        axes.set_xlim(edges[:2])
        axes.set_ylim(edges[2:])
        axes.set_xlabel("x of the platform [m]")
        axes.set_ylabel("z of the platform [m]")
        axes.set_title("Error over x and z, direction as asked for; dashed: pose box, grey: limits")

    return draw


def _geometry(shape: CirclesGeometry, height_m: float) -> Draw:
    """Error per error of the lengths, by the base's half angle and by the height, two plates."""
    base, top = shape.base_radius_m, shape.platform_radius_m
    own = math.radians(shape.platform_half_angle_deg)
    angle = math.radians(shape.base_half_angle_deg)
    paired, plate = math.pi / 3.0 - own, math.radians(shape.plate_rotation_deg)
    plates = ((own, "as it is"), (paired, "other way round"))
    heights = np.linspace(0.15, 2.2 * max(base, top), 120)
    by_angle = [
        (by_half_angle(base, top, half, np.radians(HALF_ANGLES_DEG), height_m, plate), words)
        for half, words in plates
    ]
    of_height = [
        (by_height(base, top, angle, half, heights, plate), words) for half, words in plates
    ]

    def draw(figure: Figure) -> None:
        panels = figure.subplots(2, 2)
        place(figure, top_in=0.65, grid=(2, 2), between_in=(0.75, 0.5), bottom_in=0.8, left_in=0.85)
        for row, (unit, scale) in enumerate((("place [mm/mm]", 1.0), ("turn [deg/mm]", 0.0573))):
            _lines(panels[row][0], HALF_ANGLES_DEG, [(v[:, row] * scale, w) for v, w in by_angle])
            _lines(panels[row][1], heights, [(v[:, row] * scale, w) for v, w in of_height])
            panels[row][0].set_ylabel(unit)
            panels[row][0].axvline(shape.base_half_angle_deg, color=INK, linewidth=0.8)
            panels[row][1].axvline(height_m, color=INK, linewidth=0.8)
            panels[row][1].axvline(2.0 * base, color=LIMIT, linewidth=0.8, linestyle=(0, (6, 3)))
            panels[row][1].axvline(2.0 * top, color=LIMIT, linewidth=0.8, linestyle=(0, (2, 2)))
        panels[1][0].set_xlabel("half angle of the base's pairs [deg]")
        panels[1][1].set_xlabel("height [m]; dashed: diameters of both circles")
        handles, labels = panels[0][0].get_legend_handles_labels()
        figure.legend(handles, labels, loc="lower center", ncols=2)
        figure.suptitle(
            f"Error per error of every leg's length (1σ); half angle of the platform "
            f"{math.degrees(own):g}° as it is, {math.degrees(paired):g}° the other way round; "
            f"thin: this machine",
            fontsize=10.0,
        )

    return draw


def _lines(axes: Axes, xs: Array, rows: list[tuple[Array, str]]) -> None:
    for (values, words), colour in zip(rows, LEG_COLOURS, strict=False):
        axes.plot(xs, values, color=colour, label=f"platform {words}")
    axes.set_yscale("log")
    axes.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0)))
    axes.yaxis.set_minor_locator(NullLocator())
    axes.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
