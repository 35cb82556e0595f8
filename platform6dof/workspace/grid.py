"""A grid of poses: places at a fixed turn, or turns at a fixed place."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import frozen_array

Array = NDArray[np.float64]

BLOCK = 1 << 15
"""Poses at once: what is computed of them stays in the cache of the second level."""
PLACES, TURNS = (0, 1, 2), (3, 4, 5)

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class PoseGrid:
    """Cells of equal size in three coordinates, the other three fixed; a cell's pose is its middle.

    Raises:
        ValueError: coordinates that are not finite, an empty range, or fewer than two cells.
    """

    free: tuple[int, int, int]
    """Coordinates of the grid: `PLACES` (x, y, z) or `TURNS` (alpha, beta, gamma)."""
    fixed: Array
    """All six coordinates, of which the three others count [m, rad], shape (6,), read-only."""
    lower: Array
    """Lower ends of the grid [m or rad], shape (3,), read-only."""
    upper: Array
    """Upper ends of the grid [m or rad], shape (3,), read-only."""
    points: int
    """Cells along each coordinate, at least 2."""

    def __post_init__(self) -> None:
        for name, shape in (("fixed", (6,)), ("lower", (3,)), ("upper", (3,))):
            _set(self, name, frozen_array(getattr(self, name), shape, name))
        if self.free not in (PLACES, TURNS):
            raise ValueError(f"free: {self.free}, must be {PLACES} or {TURNS}")
        for low, high in zip(self.lower, self.upper, strict=True):
            if not low < high:
                raise ValueError(f"grid: lower end {low} is not below the upper end {high}")
        if self.points < 2:
            raise ValueError(f"points: {self.points}, must be at least 2")

    @property
    def steps(self) -> Array:
        """Size of a cell along each coordinate [m or rad], shape (3,)."""
        return (self.upper - self.lower) / self.points

    @property
    def shape(self) -> tuple[int, int, int]:
        """Number of cells along each coordinate."""
        return self.points, self.points, self.points

    def axis(self, k: int) -> Array:
        """Middles of the cells along a coordinate of the grid, shape (points,)."""
        return self.lower[k] + self.steps[k] * (np.arange(self.points) + 0.5)

    def pose(self, cell: ArrayLike) -> Array:
        """Coordinates of a cell, three numbers from 0, shape (6,)."""
        pose = np.array(self.fixed)
        pose[list(self.free)] = self.lower + self.steps * (np.asarray(cell) + 0.5)
        return pose

    def blocks(self) -> Iterator[tuple[slice, Array]]:
        """Yield which cells, in the order of a flat array, and their coordinates, shape (n, 6)."""
        count = self.points**3
        for first in range(0, count, BLOCK):
            rows = slice(first, min(first + BLOCK, count))
            cells = np.unravel_index(np.arange(rows.start, rows.stop), self.shape)
            poses = np.repeat(self.fixed[None, :], rows.stop - rows.start, axis=0)
            for k, coordinate in enumerate(self.free):
                poses[:, coordinate] = self.lower[k] + self.steps[k] * (cells[k] + 0.5)
            yield rows, poses
