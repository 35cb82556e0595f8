"""What a view draws: parts that are built once, and where they are now.

A `Scene` is made once for a run. Each refresh gives a `Figure`: one placement a part and one
colour role a slot; no corner of a body is touched again. Colours are named by their role, so the
same scene stands in a light window and in a dark one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil.panel.models.scene_solids import Solid

Array = NDArray[np.float64]

TRACE_POINTS: Final = 1500
"""Points of a path that are kept: at 0.35 s a point, nine minutes."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One body of a part.

    Args:
        solid: the body, in the part's frame.
        slot: which colour it has; a slot's role may change while the bench runs.
    """

    solid: Solid
    slot: str


@dataclass(frozen=True, slots=True)
class Part:
    """Bodies that move as one.

    Args:
        name: of the part, unique in its scene.
        pieces: its bodies.
        ghost: drawn translucent, after all others.
    """

    name: str
    pieces: tuple[Piece, ...]
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A word at a point of the scene that does not move.

    Args:
        words: what is written.
        point_m: where [m].
        role: colour of the words.
    """

    words: str
    point_m: tuple[float, float, float]
    role: str = "text"


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """What a colour means.

    Args:
        role: the colour.
        key: of the words in the panel's texts.
        value: what the words leave room for as ``{value}``, such as "0.5 m".
    """

    role: str
    key: str
    value: str = ""


@dataclass(frozen=True, slots=True)
class Camera:
    """From where a scene is looked at.

    Args:
        middle_m: point in the middle of the picture [m].
        size_m: diameter of what must be seen [m].
        azimuth_deg: of the eye about z, from x.
        elevation_deg: of the eye above the horizon.
    """

    middle_m: tuple[float, float, float]
    size_m: float
    azimuth_deg: float = 38.0
    elevation_deg: float = 22.0


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """What stands still and is drawn as lines.

    Args:
        lines_m: ends of the floor's lines in turn [m], shape (2 N, 3), read-only.
        step_m: between two lines [m].
    """

    lines_m: Array
    step_m: float


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """Where everything is now; arrays are read-only.

    Args:
        transforms: placement of each part, shape (parts, 4, 4); all zero where it is not seen.
        roles: colour role of each slot.
        trace_m: path of what is followed [m], shape (N, 3), oldest first.
        trace_serial: changes whenever the path does.
        note: key of a text that says what a reader must know, empty without any.
    """

    transforms: Array
    roles: tuple[str, ...]
    trace_m: Array = field(default_factory=lambda: np.zeros((0, 3)))
    trace_serial: int = 0
    note: str = ""

    def __post_init__(self) -> None:
        self.transforms.setflags(write=False)
        self.trace_m.setflags(write=False)


def same_figure(first: Figure, second: Figure) -> bool:
    """Whether two figures look the same."""
    return (
        first.trace_serial == second.trace_serial
        and first.roles == second.roles
        and np.array_equal(first.transforms, second.transforms)
    )


class Scene(Protocol):
    """A machine that can be drawn: what it is, and where it is."""

    @property
    def title(self) -> tuple[str, str]:
        """Key of its name in the panel's texts, and the machine's own name."""
        ...

    @property
    def build(self) -> "Build":
        """What is drawn, built once."""
        ...

    def take(self, rows: Array, now_s: float) -> None:
        """Learn of new frames.

        Args:
            rows: values of frames in the layout's order, oldest first, shape (N, values).
            now_s: monotonic time at which they came [s].
        """
        ...

    def figure(self, now_s: float) -> Figure:
        """Where everything is at a moment [s] of the same clock."""
        ...


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """A scene's parts, packed for drawing in one go.

    Args:
        parts: the bodies, in the order of `Figure.transforms`.
        roles: first colour role of each slot, in the order of `Figure.roles`.
        ground: floor.
        labels: words that stand still.
        legend: what the colours mean.
        camera: first point of view.
    """

    parts: tuple[Part, ...]
    roles: dict[str, str]
    ground: Ground
    labels: tuple[Label, ...]
    legend: tuple[LegendEntry, ...]
    camera: Camera
    slots: tuple[str, ...] = field(init=False)
    packed: "Packed" = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "slots", tuple(self.roles))
        object.__setattr__(self, "packed", _pack(self.parts, self.slots))


@dataclass(frozen=True, slots=True, eq=False)
class Packed:
    """All corners of a scene in one table, as a graphics card takes them; read-only.

    Args:
        corners: x, y, z [m], normal x, y, z, number of the part, number of the slot; (V, 8).
        solid_faces: triangles of opaque parts, shape (F, 3).
        ghost_faces: triangles of ghosts, shape (G, 3).
        pieces: first corner, end of the corners, part and slot of each piece, shape (pieces, 4).
    """

    corners: NDArray[np.float32]
    solid_faces: NDArray[np.uint32]
    ghost_faces: NDArray[np.uint32]
    pieces: NDArray[np.int64]


def _pack(parts: Sequence[Part], slots: Sequence[str]) -> Packed:
    corners: list[Array] = []
    faces: dict[bool, list[NDArray[np.uint32]]] = {False: [], True: []}
    pieces: list[tuple[int, int, int, int]] = []
    start = 0
    for number, part in enumerate(parts):
        for piece in part.pieces:
            solid, slot = piece.solid, slots.index(piece.slot)
            count = len(solid.vertices_m)
            tags = np.tile([float(number), float(slot)], (count, 1))
            corners.append(np.hstack([solid.vertices_m, solid.normals, tags]))
            faces[part.ghost].append(solid.faces + np.uint32(start))
            pieces.append((start, start + count, number, slot))
            start += count
    none = np.zeros((0, 3), np.uint32)
    packed = Packed(
        np.ascontiguousarray(np.vstack(corners), np.float32),
        np.ascontiguousarray(np.vstack([none, *faces[False]]), np.uint32),
        np.ascontiguousarray(np.vstack([none, *faces[True]]), np.uint32),
        np.array(pieces, np.int64),
    )
    for array in (packed.corners, packed.solid_faces, packed.ghost_faces, packed.pieces):
        array.setflags(write=False)
    return packed


def grid(
    extent_m: float, step_m: float, height_m: float = 0.0, middle: ArrayLike = (0, 0)
) -> Ground:
    """A square floor grid.

    Args:
        extent_m: half its side; rounded up to whole steps [m].
        step_m: between lines [m].
        height_m: of the floor [m].
        middle: its middle, x and y; rounded to whole steps [m].
    """
    count = int(np.ceil(extent_m / step_m))
    reach = count * step_m
    x0, y0 = np.round(np.asarray(middle, np.float64) / step_m) * step_m
    lines: list[list[float]] = []
    for k in range(-count, count + 1):
        at = k * step_m
        lines += [[x0 - reach, y0 + at, height_m], [x0 + reach, y0 + at, height_m]]
        lines += [[x0 + at, y0 - reach, height_m], [x0 + at, y0 + reach, height_m]]
    points = np.array(lines)
    points.setflags(write=False)
    return Ground(points, step_m)


class Trace:
    """The last points of a path, oldest first.

    Args:
        least_step_m: points nearer to the last one than this are left out [m].
    """

    def __init__(self, least_step_m: float) -> None:
        self._least_m = least_step_m
        self._points: list[tuple[float, float, float]] = []
        self._array: Array | None = None
        self.serial = 0

    def add(self, points_m: Array) -> None:
        """More points [m], shape (N, 3); those that are not finite are left out."""
        added = False
        for x, y, z in points_m[np.isfinite(points_m).all(axis=1)].tolist():
            if self._points and math.dist((x, y, z), self._points[-1]) < self._least_m:
                continue
            self._points.append((x, y, z))
            added = True
        if added:
            del self._points[:-TRACE_POINTS]
            self._changed()

    def clear(self) -> None:
        """Forget the path."""
        if self._points:
            self._points.clear()
            self._changed()

    def _changed(self) -> None:
        self._array = None
        self.serial += 1

    @property
    def points_m(self) -> Array:
        """The points [m], shape (N, 3), read-only."""
        if self._array is None:
            self._array = np.array(self._points, np.float64).reshape(-1, 3)
            self._array.setflags(write=False)
        return self._array
