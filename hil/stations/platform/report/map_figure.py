"""Pictures of a map of poses: a quantity where the machine holds, and the limits that end it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import Normalize, to_rgba
from matplotlib.figure import Figure
from matplotlib.patches import Patch, Rectangle
from numpy.typing import NDArray

from hil.config.files import write_whole
from hil.report.style import INK, draw_png, place
from platform6dof.workspace import PoseBox
from platform6dof.workspace.pose_map import KINDS, SINGULAR_POSE, PoseMap

Array = NDArray[np.float64]

NAMES: Final = ("x [m]", "y [m]", "z [m]", "α [°]", "β [°]", "γ [°]")
SHORT_NAMES: Final = ("x", "y", "z", "α", "β", "γ")
PLANES: Final = ((0, 2), (1, 2), (0, 1))
"""Coordinates of a map's three slices, to the right and up."""
OUTSIDE: Final = "#E4E4E4"
SINGULAR: Final = "#111111"
KIND_COLOURS: Final = (
    "#0072B2", "#D55E00", "#CC79A7", "#E69F00", "#009E73", "#8C6D46", "#7A5195", SINGULAR,
    "#8F8F8F", "#FFFFFF", "#B3001B",
)  # fmt: skip
"""One colour for each limit, in the order of `KINDS`."""


def write_map_figures(found: PoseMap, box: PoseBox | None, folder: Path) -> list[Path]:
    """Write the pictures of a map.

    Args:
        box: box whose outline is drawn, such as the rig's pose box; None: none is.
        folder: folder to write to; made if it does not exist.

    Raises:
        OSError: if the folder cannot be written.
    """
    folder.mkdir(parents=True, exist_ok=True)
    pictures = {
        f"map_{found.quantity.name}.png": draw_png(4.2, _quantity(found, box)),
        f"map_{found.quantity.name}_limits.png": draw_png(4.2, _limits(found, box)),
    }
    written: list[Path] = []
    for name, png in pictures.items():
        write_whole(folder / name, png)
        written.append(folder / name)
    return written


def middle_cell(found: PoseMap) -> tuple[int, int, int]:
    """Cell through which the slices go: the fixed pose's own, or the inside's middle."""
    grid = found.grid
    own = (np.asarray(grid.fixed)[list(grid.free)] - grid.lower) / grid.steps
    cell = tuple(int(one) for one in np.clip(np.floor(own), 0, grid.points - 1))
    if not found.inside[cell] and found.inside.any():
        cells = np.argwhere(found.inside)
        nearest = np.argmin(((cells - cells.mean(axis=0)) ** 2).sum(axis=1))
        cell = tuple(int(one) for one in cells[nearest])
    return cell[0], cell[1], cell[2]


def _quantity(found: PoseMap, box: PoseBox | None) -> Callable[[Figure], None]:
    quantity, finite = found.quantity, found.values[np.isfinite(found.values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (0.0, 1.0)
    scale = Normalize(low, high if high > low else low + 1.0)
    colours = "viridis" if quantity.worst == "least" else "viridis_r"
    mappable = ScalarMappable(scale, colours)

    def draw(figure: Figure) -> None:
        panels = _panels(figure, found, box, right_in=1.0)
        for axes, plane in zip(panels, PLANES, strict=True):
            values, singular = _slice(found, found.values, plane), _singular(found, plane)
            image = mappable.to_rgba(values)
            image[~np.isfinite(values)] = _rgba(OUTSIDE)
            image[singular] = _rgba(SINGULAR)
            _show(axes, found, plane, image)
        bar = figure.add_axes((0.925, 0.2, 0.014, 0.6))
        figure.colorbar(mappable, cax=bar)
        bar.grid(visible=False)
        unit = f" [{quantity.unit}]" if quantity.unit else ""
        figure.suptitle(f"{quantity.title}{unit}", fontsize=10.0, x=0.06, ha="left")
        handles = [Patch(color=OUTSIDE, label="outside a limit")]
        if (found.limit == SINGULAR_POSE).any():
            handles.append(Patch(color=SINGULAR, label="singular"))
        _legend(figure, handles, box)

    return draw


def _limits(found: PoseMap, box: PoseBox | None) -> Callable[[Figure], None]:
    colours = np.array([_rgba(one) for one in KIND_COLOURS])

    def draw(figure: Figure) -> None:
        panels = _panels(figure, found, box, right_in=0.2)
        shown = np.zeros(len(KINDS), np.bool_)
        for axes, plane in zip(panels, PLANES, strict=True):
            limit = _slice(found, found.limit, plane).astype(np.intp)
            inside = _slice(found, found.inside, plane).astype(np.bool_)
            image = colours[limit]
            image[inside, :3] = 1.0 - 0.22 * (1.0 - image[inside, :3])
            shown[np.unique(limit)] = True
            _show(axes, found, plane, image)
        figure.suptitle(
            "limit that binds: outside (full colours), and inside the one with the least left "
            "(pale)", fontsize=10.0, x=0.06, ha="left",
        )  # fmt: skip
        handles = [
            Patch(facecolor=KIND_COLOURS[k], label=KINDS[k], edgecolor="#999999")
            for k in np.flatnonzero(shown)
        ]
        _legend(figure, handles, box)

    return draw


def _panels(figure: Figure, found: PoseMap, box: PoseBox | None, right_in: float) -> list[Axes]:
    """Three slices with their axes, their outline and where they are."""
    panels = list(figure.subplots(1, 3))
    place(figure, left_in=0.65, right_in=right_in, top_in=0.6, bottom_in=0.9, grid=(3, 1),
          between_in=(0.75, 0.0))  # fmt: skip
    cell = middle_cell(found)
    for axes, plane in zip(panels, PLANES, strict=True):
        axes.grid(visible=False)
        right, up = (found.grid.free[k] for k in plane)
        axes.set_xlabel(NAMES[right])
        axes.set_ylabel(NAMES[up])
        (across,) = {0, 1, 2} - set(plane)
        at = _shown(found, across, float(found.grid.axis(across)[cell[across]]))
        kind = found.grid.free[across]
        unit = "°" if kind > 2 else " m"
        axes.set_title(f"at {SHORT_NAMES[kind]} = {round(at, 3) + 0.0:g}{unit}")
        if box is not None:
            _outline(axes, found, box, plane)
    return panels


def _shown(found: PoseMap, k: int, value: float) -> float:
    """A coordinate of the grid in metres or degrees."""
    return float(np.degrees(value)) if found.grid.free[k] > 2 else value


def _outline(axes: Axes, found: PoseMap, box: PoseBox, plane: tuple[int, int]) -> None:
    corner = [_shown(found, k, float(box.lower[found.grid.free[k]])) for k in plane]
    other = [_shown(found, k, float(box.upper[found.grid.free[k]])) for k in plane]
    axes.add_patch(
        Rectangle((corner[0], corner[1]), other[0] - corner[0], other[1] - corner[1], fill=False,
                  edgecolor=INK, linewidth=1.0, linestyle=(0, (5, 3)), zorder=3.0)
    )  # fmt: skip


def _slice(found: PoseMap, values: NDArray[np.generic], plane: tuple[int, int]) -> Array:
    """Values of a slice, rows upwards."""
    cell = middle_cell(found)
    (across,) = {0, 1, 2} - set(plane)
    taken = np.take(values, cell[across], axis=across)
    return np.asarray(taken.T)


def _singular(found: PoseMap, plane: tuple[int, int]) -> NDArray[np.bool_]:
    return np.asarray(_slice(found, found.limit, plane) == SINGULAR_POSE)


def _show(axes: Axes, found: PoseMap, plane: tuple[int, int], image: Array) -> None:
    ends = [
        _shown(found, k, float(end[k]))
        for k in plane
        for end in (found.grid.lower, found.grid.upper)
    ]
    axes.imshow(image, origin="lower", extent=(ends[0], ends[1], ends[2], ends[3]),
                aspect="equal", interpolation="nearest", zorder=1.0)  # fmt: skip


def _rgba(colour: str) -> Array:
    return np.asarray(to_rgba(colour))


def _legend(figure: Figure, handles: list[Patch], box: PoseBox | None) -> None:
    if box is not None:
        handles = [
            *handles,
            Patch(fill=False, edgecolor=INK, linestyle=(0, (5, 3)), label="the rig's pose box"),
        ]
    figure.legend(handles=handles, loc="lower left", ncols=5, bbox_to_anchor=(0.05, 0.0))
