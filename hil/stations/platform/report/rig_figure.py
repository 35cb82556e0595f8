"""3-D picture of the rig at the instants of its extremes.

The projection is a plain orthographic one: lengths along the picture's axes are true in every
view, which the perspective of a ready-made 3-D axis would not give.
"""

import math
from dataclasses import dataclass
from typing import Final

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from matplotlib.patches import Polygon
from numpy.typing import NDArray

from hil.report.camera import camera_axes
from hil.report.style import INK, WIDTH_IN, Picture, draw_png, place
from hil.stations.platform.report.view import LegLimits, RunView
from platform6dof.geometry import HexapodGeometry
from platform6dof.pose import Pose

Array = NDArray[np.float64]

VIEWS: Final = (("oblique view", -58.0, 22.0), ("seen from +x", 0.0, 0.0))
"""Name, azimuth and elevation [deg] of the place from which one looks."""

BODY: Final = 0.92
"""Share of the closed length that the cylinder's body takes in the picture; the rest is rod."""


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """The rig at one moment.

    Args:
        words: what is special about it.
        leg: the leg it is about, 0 to 5.
        X_BP: pose of the platform.
        length_m: measured lengths [m], shape (6,).
    """

    words: str
    leg: int
    X_BP: Pose
    length_m: Array


def rig(view: RunView) -> Picture | None:
    """The rig with its shortest and with its longest leg, seen from two sides."""
    geometry, limits = view.geometry, view.limits
    if geometry is None or limits is None:
        return None
    instants = extreme_instants(view)
    if not instants:
        return None

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(instants), len(VIEWS), sharex=True, sharey=True, squeeze=False)
        colours = matplotlib.colormaps["RdYlBu"]
        scale = Normalize(0.0, 0.5e3 * float((limits.soft_max_m - limits.soft_min_m).max()))
        for row, instant in zip(panels, instants, strict=True):
            for axes, (name, azimuth_deg, elevation_deg) in zip(row, VIEWS, strict=True):
                camera = camera_axes(azimuth_deg, elevation_deg)
                _draw_instant(axes, geometry, limits, instant, camera, colours, scale)
                axes.set_title(f"{instant.words}, {name}")
        place(figure, left_in=0.1, right_in=1.1, bottom_in=0.1, grid=(2, len(instants)),
              between_in=(0.3, 0.35))  # fmt: skip
        height = figure.get_figheight()
        room = figure.add_axes((1.0 - 0.95 / WIDTH_IN, 0.9 / height, 0.02, 1.0 - 1.8 / height))
        bar = figure.colorbar(ScalarMappable(scale, colours), cax=room)
        bar.set_label("way left to the nearer soft limit [mm]")

    return Picture(
        "rig",
        "The rig at its extremes",
        "Base grey, platform blue, equal scales. A leg's colour is the way it has left to its "
        "nearer soft limit; the number of the leg in question is white on black.",
        draw_png(4.1 * len(instants), draw),
    )


def extreme_instants(view: RunView) -> list[Instant]:
    """The moments of the shortest and of the longest leg that the pose is known of.

    Moments of the motion if there was one, else of the whole recording.
    """
    lengths = view.recording.column("measured_length_m")
    reached = view.reached
    known: NDArray[np.bool_] = np.all(np.isfinite(np.hstack([lengths, reached])), axis=1)
    chosen = np.flatnonzero(known & view.moving)
    if not len(chosen):
        chosen = view.homed + np.flatnonzero(known[view.homed :])
    if not len(chosen):
        return []
    instants: list[Instant] = []
    for word, find in (("shortest", np.argmin), ("longest", np.argmax)):
        cycle, leg = divmod(int(find(lengths[chosen])), 6)
        cycle = int(chosen[cycle])
        metres, at_s = lengths[cycle, leg], view.times[cycle]
        instants.append(
            Instant(
                words=f"{word} leg: {leg + 1}, {metres:.4f} m at {at_s:.2f} s",
                leg=leg,
                X_BP=Pose.from_coordinates(reached[cycle]),
                length_m=lengths[cycle],
            )
        )
    return instants


def remaining_m(limits: LegLimits, length_m: Array) -> Array:
    """Way that each leg has left to its nearer soft limit [m], shape (6,); negative beyond."""
    return np.minimum(length_m - limits.soft_min_m, limits.soft_max_m - length_m)


def _draw_instant(
    axes: Axes,
    geometry: HexapodGeometry,
    limits: LegLimits,
    instant: Instant,
    camera: Array,
    colours: Colormap,
    scale: Normalize,
) -> None:
    base = geometry.base_joints_m
    X_BP = instant.X_BP
    platform = X_BP.position_m + geometry.platform_joints_m @ X_BP.rotation.T  # (6, 3)
    base_2d, platform_2d = base @ camera[:2].T, platform @ camera[:2].T  # (6, 2)
    way_mm = remaining_m(limits, instant.length_m) * 1e3
    _plate(axes, base_2d, "#D5D5D5", "#8A8A8A", 1.0)
    _triad(axes, camera, 0.3 * float(np.linalg.norm(base, axis=1).max()))
    # Far legs first, so that near ones cover them.
    for leg in np.argsort((base + platform) @ camera[2], kind="stable"):
        foot, head = base_2d[leg], platform_2d[leg]
        share = BODY * limits.closed_m[leg] / np.linalg.norm(platform[leg] - base[leg])
        knee = foot + min(float(share), 1.0) * (head - foot)
        colour = colours(scale(float(way_mm[leg])))
        _bar(axes, foot, head, 3.2, "#F7F7F7", INK)
        _bar(axes, foot, knee, 7.5, colour, INK)
        marked = leg == instant.leg
        middle = foot + 0.42 * (knee - foot)
        axes.annotate(
            str(leg + 1), _xy(middle), fontsize=9.5 if marked else 8.0, ha="center", va="center",
            fontweight="bold" if marked else "normal", color="white" if marked else INK, zorder=6,
            bbox={"boxstyle": "circle,pad=0.18", "fc": INK if marked else "white", "ec": INK,
                  "lw": 0.6},
        )  # fmt: skip
    _plate(axes, platform_2d, "#7FB2DC", "#1F5F93", 0.62)
    axes.set_aspect("equal")
    axes.margins(0.06)
    axes.grid(visible=False)
    axes.set_axis_off()
    _scale_bar(axes, base_2d, platform_2d)


def _plate(axes: Axes, points: Array, face: str, edge: str, alpha: float) -> None:
    """The joints' plate as a filled polygon, its corners in order around the middle."""
    offset = points - points.mean(axis=0)
    flat = float(np.ptp(offset[:, 1])) < 1e-9  # seen from its edge, every order is the same
    order = np.argsort(offset[:, 0] if flat else np.arctan2(offset[:, 1], offset[:, 0]))
    axes.add_patch(
        Polygon(points[order], closed=True, facecolor=face, edgecolor=edge, lw=1.6, alpha=alpha,
                zorder=5 if alpha < 1.0 else 1)
    )  # fmt: skip
    axes.plot(*points.T, "o", color=edge, markersize=4.5, zorder=5)


def _bar(axes: Axes, start: Array, end: Array, width: float, colour: object, edge: str) -> None:
    x, y = zip(start, end, strict=True)
    axes.plot(x, y, color=edge, linewidth=width + 1.4, solid_capstyle="round", zorder=3)
    axes.plot(x, y, color=colour, linewidth=width, solid_capstyle="round", zorder=3)


def _triad(axes: Axes, camera: Array, size: float) -> None:
    """Directions of the base's axes at its origin."""
    for name, direction in zip("xyz", np.eye(3), strict=True):
        tip = size * camera[:2] @ direction
        if np.linalg.norm(tip) < 0.05 * size:
            continue  # it points at the eye
        axes.annotate(
            "",
            _xy(tip),
            (0.0, 0.0),
            zorder=2,
            arrowprops={"arrowstyle": "-|>", "color": INK, "lw": 1.0},
        )
        axes.annotate(name, _xy(1.18 * tip), fontsize=8.5, ha="center", va="center", zorder=2)


def _xy(point: Array) -> tuple[float, float]:
    return float(point[0]), float(point[1])


def _scale_bar(axes: Axes, base_2d: Array, platform_2d: Array) -> None:
    """A bar of a round length, left below the base."""
    corners = np.vstack([base_2d, platform_2d])
    low, extent = corners.min(axis=0), float(np.ptp(corners[:, 0]))
    length = 10.0 ** math.floor(math.log10(max(extent, 1e-6)))
    length = length if length <= 0.4 * extent else 0.2 * length
    x, y = float(low[0]), float(low[1]) - 0.09 * extent
    axes.plot([x, x + length], [y, y], color=INK, linewidth=2.0, solid_capstyle="butt")
    axes.annotate(f"{length:g} m", (x + length, y), (4, 0), textcoords="offset points", va="center")
