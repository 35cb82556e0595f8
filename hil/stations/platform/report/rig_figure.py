"""Picture in space of the rig at the instants of its extremes."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Colormap, Normalize
from matplotlib.figure import Figure
from numpy.typing import NDArray

from hil.report.pieces import Peak, peaks
from hil.report.scene_figure import draw_scene, eye_from
from hil.report.style import INK, WIDTH_IN, Picture, draw_png, place
from hil.scene.camera import Eye
from hil.stations.platform.report.view import LegLimits, RunView
from hil.stations.platform.scene.platform import PlatformScene

Array = NDArray[np.float64]

VIEWS: Final = (("oblique view", -58.0, 22.0), ("seen from +x", 0.0, 0.0))
"""Name, azimuth and elevation [deg] of the views."""

MARK: Final = 0.42
"""Position of a leg's number, as a share of its cylinder's length."""


@dataclass(frozen=True, slots=True, eq=False)
class Instant:
    """Rig at one moment."""

    words: str
    """Description of the moment."""
    leg: int
    """Index of the leg that it is about, 0 to 5."""
    pose: Array
    """Pose of the platform [m, rad], shape (6,)."""
    length_m: Array
    """Measured lengths [m], shape (6,)."""


def rig(view: RunView) -> Picture | None:
    """Rig with its shortest and with its longest leg, seen from two sides."""
    limits, scenario = view.limits, view.recording.scenario
    if view.geometry is None or limits is None or scenario is None:
        return None
    instants = extreme_instants(view)
    if not instants:
        return None
    scene = PlatformScene.from_scenario(scenario)

    def draw(figure: Figure) -> None:
        panels = figure.subplots(len(instants), len(VIEWS), sharex=True, sharey=True, squeeze=False)
        colours = matplotlib.colormaps["RdYlBu"]
        scale = Normalize(0.0, 0.5e3 * float((limits.soft_max_m - limits.soft_min_m).max()))
        for row, instant in zip(panels, instants, strict=True):
            for axes, (name, azimuth_deg, elevation_deg) in zip(row, VIEWS, strict=True):
                eye = eye_from(azimuth_deg, elevation_deg)
                _draw_instant(axes, scene, limits, instant, eye, colours, scale)
                axes.set_title(f"{instant.words}, {name}")
        place(figure, left_in=0.1, right_in=1.1, bottom_in=0.1, grid=(2, len(instants)),
              between_in=(0.3, 0.35))  # fmt: skip
        height = figure.get_figheight()
        bar_axes = figure.add_axes((1.0 - 0.95 / WIDTH_IN, 0.9 / height, 0.02, 1.0 - 1.8 / height))
        bar = figure.colorbar(ScalarMappable(scale, colours), cax=bar_axes)
        bar.set_label("way left to the nearer soft limit [mm]")

    return Picture(
        "rig",
        "The rig at its extremes",
        "Base grey, platform blue with its seat, equal scales. A leg's colour is the way it has "
        "left to its nearer soft limit; the number of the leg in question is white on black.",
        draw_png(4.1 * len(instants), draw),
    )


def extreme_instants(view: RunView) -> list[Instant]:
    """Moments of the shortest and of the longest leg with a known pose.

    Moments of the motion if there was one, else of the whole recording.
    """
    found = _ends(view, lambda part: part.moving)
    if found[0] is None:
        found = _ends(view, lambda part: np.arange(len(part.times)) >= part.homed)
    instants: list[Instant] = []
    for word, peak in zip(("shortest", "longest"), found, strict=True):
        if peak is None:
            continue
        moment, leg = view.part(peak.row, peak.row + 1), peak.column
        length_m = moment.recording.column("measured_length_m")[0]
        instants.append(
            Instant(
                words=f"{word} leg: {leg + 1}, {length_m[leg]:.4f} m at {moment.times[0]:.2f} s",
                leg=leg,
                pose=moment.reached[0],
                length_m=length_m,
            )
        )
    return instants


def _ends(view: RunView, chosen_of: Callable[[RunView], NDArray[np.bool_]]) -> list[Peak | None]:
    """Shortest and longest leg of the chosen cycles with a known pose."""

    def lengths(part: RunView) -> Array:
        found = part.recording.column("measured_length_m")
        known = np.isfinite(np.hstack([found, part.reached])).all(axis=1)
        return np.where((known & chosen_of(part))[:, None], found, np.nan)

    return peaks(view, lambda part: -lengths(part), lengths)


def remaining_m(limits: LegLimits, length_m: Array) -> Array:
    """Remaining travel of each leg to its nearer soft limit [m], shape (6,); negative beyond."""
    return np.minimum(length_m - limits.soft_min_m, limits.soft_max_m - length_m)


def _draw_instant(
    axes: Axes,
    scene: PlatformScene,
    limits: LegLimits,
    instant: Instant,
    eye: Eye,
    colours: Colormap,
    scale: Normalize,
) -> None:
    remaining_mm = remaining_m(limits, instant.length_m) * 1e3
    legs = {f"leg{leg + 1}": colours(scale(float(remaining_mm[leg]))) for leg in range(6)}
    figure = scene.posed(instant.pose)
    corners = draw_scene(axes, scene.build, figure, eye, given=legs)
    placed = dict(zip((part.name for part in scene.build.parts), figure.transforms, strict=True))
    for leg in range(6):
        body = placed[f"leg {leg + 1}"]
        middle = body[:3, 3] + MARK * limits.closed_m[leg] * body[:3, 2]
        marked = leg == instant.leg
        axes.annotate(
            str(leg + 1), _seen(middle, eye), fontsize=9.5 if marked else 8.0, ha="center",
            va="center", fontweight="bold" if marked else "normal",
            color="white" if marked else INK, zorder=6,
            bbox={"boxstyle": "circle,pad=0.18", "fc": INK if marked else "white", "ec": INK,
                  "lw": 0.6},
        )  # fmt: skip
    for label in scene.build.labels:
        if (
            label.words in "xyz"
            and np.hypot(*_seen(np.eye(3)["xyz".index(label.words)], eye)) > 0.1
        ):
            axes.annotate(label.words, _seen(np.array(label.point_m), eye), fontsize=8.5, zorder=6)
    axes.set_aspect("equal")
    axes.margins(0.03)
    axes.set_axis_off()
    _scale_bar(axes, corners)


def _seen(point_m: Array, eye: Eye) -> tuple[float, float]:
    """Position of a point on the picture: right and up [m]."""
    right, up = (eye.axes[:2] @ point_m).tolist()
    return right, up


def _scale_bar(axes: Axes, corners: Array) -> None:
    """Draw a bar of a round length, left below the drawing [m]."""
    low, extent = corners.min(axis=0), float(np.ptp(corners[:, 0]))
    length = 10.0 ** math.floor(math.log10(max(extent, 1e-6)))
    length = length if length <= 0.4 * extent else 0.2 * length
    x, y = float(low[0]), float(low[1]) - 0.05 * extent
    axes.plot([x, x + length], [y, y], color=INK, linewidth=2.0, solid_capstyle="butt")
    axes.annotate(f"{length:g} m", (x + length, y), (4, 0), textcoords="offset points", va="center")
