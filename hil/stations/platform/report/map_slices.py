"""Slices of a map of poses: where they go, what is in them, and the colours of limits."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.workspace.pose_map import PoseMap

Array = NDArray[np.float64]

SHORT_NAMES: Final = ("x", "y", "z", "α", "β", "γ")
PLANES: Final = ((0, 2), (1, 2), (0, 1))
"""Coordinates of a map's three slices, to the right and up."""
SINGULAR: Final = "#111111"
KIND_COLOURS: Final = (
    "#0072B2", "#D55E00", "#CC79A7", "#E69F00", "#009E73", "#8C6D46", "#7A5195", SINGULAR,
    "#8F8F8F", "#FFFFFF", "#B3001B",
)  # fmt: skip
"""One colour for each limit, in the order of `KINDS`."""


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


def slice_title(found: PoseMap, plane: tuple[int, int]) -> str:
    """Where a slice is, for people."""
    across = across_of(plane)
    cell = middle_cell(found)
    at = shown(found, across, float(found.grid.axis(across)[cell[across]]))
    kind = found.grid.free[across]
    unit = "°" if kind > 2 else " m"
    return f"at {SHORT_NAMES[kind]} = {round(at, 3) + 0.0:g}{unit}"


def across_of(plane: tuple[int, int]) -> int:
    """Coordinate that a slice does not show, of the grid's three."""
    (across,) = {0, 1, 2} - set(plane)
    return across


def shown(found: PoseMap, k: int, value: float) -> float:
    """A coordinate of the grid in metres or degrees."""
    return float(np.degrees(value)) if found.grid.free[k] > 2 else value


def ends_of(
    found: PoseMap, plane: tuple[int, int], lower: Array, upper: Array
) -> tuple[float, float, float, float]:
    """Left, right, lower and upper end of a slice's part, in metres or degrees.

    Args:
        lower: lower ends in the order of the grid's coordinates, shape (3,).
        upper: upper ends likewise.
    """
    right, up = (
        (shown(found, k, float(lower[k])), shown(found, k, float(upper[k]))) for k in plane
    )
    return right[0], right[1], up[0], up[1]


def slice_of(found: PoseMap, values: NDArray[np.generic], plane: tuple[int, int]) -> Array:
    """Values of a slice, rows upwards."""
    across = across_of(plane)
    taken = np.take(values, middle_cell(found)[across], axis=across)
    return np.asarray(taken.T)
