"""Search for a passage between bodies on the floor: a way that a round body of a radius can take.

Bodies are grown by the radius and looked at from above on a grid; a way is one of squares with a
common edge. Where two corners of a grown body stand off by less than a square, a passage may be
missed, never invented.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.scenes.bodies import placed_body
from sim.world.scenes.extents import COUNT, DIRECTIONS, reach_m
from sim.world.scenes.fields import body_poses
from sim.world.scenes.model import Scene

Array = NDArray[np.float64]
Place = tuple[float, float]
"""Coordinates x, y in the world [m]."""

SQUARE_M: Final = 0.1
"""Edge of a square of the grid [m]."""


class FloorPlan:
    """Bodies of a scene from above, and the ways between them.

    Args:
        scene: scene whose fields are placed already.
        room_m: least and greatest corner x, y of the floor that is searched.
        lifted_m: height above which a body is no obstacle.
        ignored: names of bodies that are none either.
    """

    def __init__(
        self, scene: Scene, room_m: tuple[Place, Place], lifted_m: float = 1.0,
        ignored: Sequence[str] = (),
    ) -> None:  # fmt: skip
        poses = body_poses(scene)
        found = [
            reach_m(placed_body(body), poses[body.name])
            for body in scene.bodies
            if body.name in poses and body.shape.value != "none" and body.name not in ignored
        ]
        low = [one for one in found if one[0, COUNT] < lifted_m]
        self._reaches = np.array(low).reshape(-1, 2, COUNT + 1)
        (self._least_x, self._least_y), (most_x, most_y) = room_m
        columns = max(1, math.floor((most_x - self._least_x) / SQUARE_M))
        rows = max(1, math.floor((most_y - self._least_y) / SQUARE_M))
        x = self._least_x + SQUARE_M * (0.5 + np.arange(columns))
        y = self._least_y + SQUARE_M * (0.5 + np.arange(rows))
        self._x, self._y = np.asarray(x, np.float64), np.asarray(y, np.float64)
        self._reached: dict[tuple[tuple[int, int], float], NDArray[np.bool_]] = {}

    def _clearances(self, places: Array) -> Array:
        """Distance from each place to the nearest body along the directions, never too much."""
        along = places @ DIRECTIONS[:COUNT, :2].T
        nearest = np.full(places.shape[:-1], np.inf)
        for reach in self._reaches:
            outside = np.maximum(reach[0, :COUNT] - along, along - reach[1, :COUNT])
            nearest = np.minimum(nearest, outside.max(axis=-1))
        return nearest

    def clearance_m(self, place: Place) -> float:
        """Distance from a place to the nearest body [m]; below 0 inside one."""
        return float(self._clearances(np.array([place]))[0])

    def has_way(self, start: Place, goal: Place, radius_m: float) -> bool:
        """Whether a round body of this radius can come from one place to the other."""
        key = self._square(start), radius_m
        if (reached := self._reached.get(key)) is None:
            reached = self._reached[key] = _flooded(self._free(radius_m), key[0])
        return bool(reached[self._square(goal)])

    def _free(self, radius_m: float) -> NDArray[np.bool_]:
        """Squares whose middle is at least this far from every body, shape (columns, rows)."""
        squares = np.stack(np.meshgrid(self._x, self._y, indexing="ij"), axis=-1)
        along = squares @ DIRECTIONS[:COUNT, :2].T
        free = np.ones(along.shape[:2], np.bool_)
        spare = radius_m + SQUARE_M
        for low, high in self._reaches[:, :, :COUNT]:
            columns = _near(self._x, low[0] - spare, high[0] + spare)
            rows = _near(self._y, low[COUNT // 2] - spare, high[COUNT // 2] + spare)
            near = along[columns, rows]
            outside = np.maximum(low - near, near - high)
            free[columns, rows] &= outside.max(axis=-1) >= radius_m
        return free

    def _square(self, place: Place) -> tuple[int, int]:
        """Square of the grid nearest to a place."""
        columns, rows = len(self._x), len(self._y)
        column = math.floor((place[0] - self._least_x) / SQUARE_M)
        row = math.floor((place[1] - self._least_y) / SQUARE_M)
        return min(max(column, 0), columns - 1), min(max(row, 0), rows - 1)


def _near(places_m: Array, least_m: float, most_m: float) -> slice:
    """Part of rising places that lies between two bounds."""
    begin, end = np.searchsorted(places_m, (least_m, most_m)).tolist()
    return slice(begin, end)


def _flooded(free: NDArray[np.bool_], begin: tuple[int, int]) -> NDArray[np.bool_]:
    """Squares that are reached from one by common edges of free squares; none from a taken one."""
    edged = np.zeros((free.shape[0] + 2, free.shape[1] + 2), np.uint8)
    edged[1:-1, 1:-1] = free
    width, left = edged.shape[1], bytearray(edged.tobytes())
    waiting = [(begin[0] + 1) * width + begin[1] + 1]
    while waiting:
        at = waiting.pop()
        if left[at]:
            left[at] = 0
            waiting += (at + 1, at - 1, at + width, at - width)
    return edged[1:-1, 1:-1] != np.frombuffer(left, np.uint8).reshape(edged.shape)[1:-1, 1:-1]
