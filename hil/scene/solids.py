"""Bodies of which a picture in space is made: convex solids of few triangles.

Every face has corners of its own, so that edges stay sharp; only round surfaces share normals.
Triangles turn counter-clockwise seen from outside.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Faces = NDArray[np.uint32]

SIDES: Final = 14
"""Sides of what is round: no corner is seen at the size of these pictures."""


@dataclass(frozen=True, slots=True, eq=False)
class Solid:
    """One convex body; its arrays are read-only."""

    vertices_m: Array
    """Corners [m], shape (V, 3)."""
    normals: Array
    faces: Faces

    def __post_init__(self) -> None:
        for name, kind in (
            ("vertices_m", np.float64), ("normals", np.float64), ("faces", np.uint32)
        ):  # fmt: skip
            array = np.array(getattr(self, name), kind).reshape(-1, 3)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    def placed(self, rotation: ArrayLike, position_m: ArrayLike) -> Self:
        """The same body elsewhere: its axes as columns, (3, 3), and its origin [m], (3,)."""
        turn = np.asarray(rotation, np.float64)
        moved = self.vertices_m @ turn.T + np.asarray(position_m, np.float64)
        return type(self)(moved, self.normals @ turn.T, self.faces)

    def moved(self, x_m: float, y_m: float, z_m: float) -> Self:
        """The same body, shifted [m]."""
        return self.placed(np.eye(3), (x_m, y_m, z_m))


def hull(points_m: ArrayLike) -> Array:
    """Corners of the convex hull of points in a plane, counter-clockwise, (K, 2) [m].

    The monotone chain of A. M. Andrew, "Another efficient algorithm for convex hulls in two
    dimensions", Information Processing Letters 9, 1979: SciPy's takes longer to load than all
    these solids to make. Points on an edge are no corners.

    Args:
        points_m: at least three that are not on one line [m], shape (N, 2).
    """
    points = np.unique(np.asarray(points_m, np.float64), axis=0).tolist()  # from left to right
    corners = [*_chain(points), *_chain(points[::-1])]
    if len(corners) < 3:
        raise ValueError(f"{len(points)} points on one line have no hull; need three that are not")
    return np.array(corners)


def _chain(points: list[list[float]]) -> list[list[float]]:
    """Half of a hull, turning left only; without its last point, where the other half begins."""
    chain: list[list[float]] = []
    for point in points:
        while len(chain) > 1 and _turn(chain[-2], chain[-1], point) <= 0.0:
            chain.pop()
        chain.append(point)
    return chain[:-1]


def _turn(first: list[float], second: list[float], third: list[float]) -> float:
    """Twice the area of a triangle, above 0 if its corners go round counter-clockwise."""
    (ax, ay), (bx, by), (cx, cy) = first, second, third
    return (bx - ax) * (cy - ay) - (by - ay) * (cx - ax)


def prism(outline_m: ArrayLike, low_m: float, high_m: float) -> Solid:
    """A convex hull in the plane x-y, of points (N, 2), extruded along z between heights [m]."""
    points = np.asarray(outline_m, np.float64)
    corners = hull(points)
    count = len(corners)
    vertices, normals, faces = [], [], []
    for height, up in ((low_m, -1.0), (high_m, 1.0)):
        vertices.append(np.column_stack([corners, np.full(count, height)]))
        normals.append(np.tile([0.0, 0.0, up], (count, 1)))
    for k in range(count):
        first, second = corners[k], corners[(k + 1) % count]
        along = second - first
        outwards = np.array([along[1], -along[0], 0.0]) / np.hypot(*along)
        start = 2 * count + 4 * k
        vertices.append([[*first, low_m], [*second, low_m], [*second, high_m], [*first, high_m]])
        normals.append(np.tile(outwards, (4, 1)))
        faces += [[start, start + 1, start + 2], [start, start + 2, start + 3]]
    for k in range(1, count - 1):
        faces += [[0, k + 1, k], [count, count + k, count + k + 1]]
    return Solid(np.vstack(vertices), np.vstack(normals), np.array(faces))


def box(size_m: Sequence[float]) -> Solid:
    """A box about the origin, its three sides along the axes [m]."""
    x, y, z = (0.5 * side for side in size_m)
    return prism([[-x, -y], [x, -y], [x, y], [-x, y]], -z, z)


def frustum(low_radius_m: float, high_radius_m: float, length_m: float) -> Solid:
    """A cylinder or cone about z, from 0 to its length [m]; a radius of 0 is a tip."""
    turns = np.arange(SIDES) * (2.0 * math.pi / SIDES)
    ring = np.column_stack([np.cos(turns), np.sin(turns), np.zeros(SIDES)])
    slope = math.atan2(low_radius_m - high_radius_m, length_m)
    outwards = ring * math.cos(slope) + [0.0, 0.0, math.sin(slope)]
    low, high = ring * low_radius_m, ring * high_radius_m + [0.0, 0.0, length_m]
    down, up = np.tile([0.0, 0.0, -1.0], (SIDES, 1)), np.tile([0.0, 0.0, 1.0], (SIDES, 1))
    faces = []
    for k in range(SIDES):
        following = (k + 1) % SIDES
        faces += [[k, following, SIDES + following], [k, SIDES + following, SIDES + k]]
    for k in range(1, SIDES - 1):
        faces.append([2 * SIDES, 2 * SIDES + k + 1, 2 * SIDES + k])
        faces.append([3 * SIDES, 3 * SIDES + k, 3 * SIDES + k + 1])
    normals = np.vstack([outwards, outwards, down, up])
    return Solid(np.vstack([low, high, low, high]), normals, np.array(faces))


def cylinder(radius_m: float, length_m: float) -> Solid:
    """A cylinder about z, from 0 to its length [m]."""
    return frustum(radius_m, radius_m, length_m)


def ball(radius_m: float, sides: int = 10) -> Solid:
    """A sphere about the origin [m], of so many sides around."""
    rings = sides // 2 + 1
    tilt, turn = np.meshgrid(
        np.linspace(0.0, math.pi, rings), np.arange(sides) * (2.0 * math.pi / sides), indexing="ij"
    )
    unit = np.stack([np.sin(tilt) * np.cos(turn), np.sin(tilt) * np.sin(turn), np.cos(tilt)], -1)
    faces = []
    for ring in range(rings - 1):
        for k in range(sides):
            here, beside = ring * sides + k, ring * sides + (k + 1) % sides
            below, across = here + sides, beside + sides
            if ring > 0:
                faces.append([here, below, beside])
            if ring < rings - 2:
                faces.append([beside, below, across])
    points = unit.reshape(-1, 3)
    return Solid(points * radius_m, points, np.array(faces))


def bar(start_m: ArrayLike, end_m: ArrayLike, radius_m: float) -> Solid:
    """A cylinder from one point to another [m], each of shape (3,)."""
    start, end = np.asarray(start_m, np.float64), np.asarray(end_m, np.float64)
    length = float(np.linalg.norm(end - start))
    turn = axes_along(((end - start) / length).reshape(1, 3))[0]
    return cylinder(radius_m, length).placed(turn, start)


def arrow(direction: ArrayLike, length_m: float, radius_m: float) -> tuple[Solid, Solid]:
    """Shaft and head of an arrow from the origin along a unit vector, of a whole length [m]."""
    turn = axes_along(np.asarray(direction, np.float64).reshape(1, 3))[0]
    head_m = min(5.0 * radius_m, 0.5 * length_m)
    shaft = cylinder(radius_m, length_m - head_m)
    head = frustum(2.2 * radius_m, 0.0, head_m).moved(0.0, 0.0, length_m - head_m)
    return shaft.placed(turn, np.zeros(3)), head.placed(turn, np.zeros(3))


def axes_along(directions: Array) -> Array:
    """Right-handed axes whose z is given; how they are turned about z is of no concern.

    Args:
        directions: unit vectors, shape (N, 3). The axes are columns, shape (N, 3, 3).
    """
    helper = np.where(np.abs(directions[:, :1]) > 0.9, [[0.0, 1.0, 0.0]], [[1.0, 0.0, 0.0]])
    side = helper - directions * (helper * directions).sum(axis=1, keepdims=True)
    side /= np.linalg.norm(side, axis=1, keepdims=True)
    x, y, z = directions.T
    a, b, c = side.T
    third = np.stack([y * c - z * b, z * a - x * c, x * b - y * a], axis=1)
    return np.stack([side, third, directions], axis=2)


def matrix(rotation: Array, position_m: Array) -> Array:
    """Placement of axes (3, 3) at a point [m] (3,), shape (4, 4)."""
    placed = np.eye(4)
    placed[:3, :3] = rotation
    placed[:3, 3] = position_m
    return placed
