"""The figure that a view draws of a machine: where its parts are now, and their colours.

A `Scene` is made once for a run, with the `Build` of its parts. Each refresh gives a `Figure`: one
placement a part and one colour role a slot. Colours are named by their role, so the same scene
is in a light window and in a dark one.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil.scene.solids import Solid

Array = NDArray[np.float64]


TRACE_POINTS: Final = 1500
"""Points of a path at most: at 0.35 s a point, nine minutes."""


@dataclass(frozen=True, slots=True)
class Piece:
    """One body of a part."""

    solid: Solid
    slot: str


@dataclass(frozen=True, slots=True)
class Part:
    """Bodies that move as one."""

    name: str
    pieces: tuple[Piece, ...]
    ghost: bool = False


@dataclass(frozen=True, slots=True)
class Label:
    """A word at a point of the scene that does not move."""

    words: str
    point_m: tuple[float, float, float]
    role: str = "text"


@dataclass(frozen=True, slots=True)
class LegendEntry:
    """Meaning of a colour."""

    role: str
    words: str


@dataclass(frozen=True, slots=True)
class Camera:
    """Direction from which a scene is seen."""

    middle_m: tuple[float, float, float]
    """Point in the middle of the picture [m]."""
    size_m: float
    """Diameter of what must be seen [m]."""
    azimuth_deg: float = 38.0
    elevation_deg: float = 22.0


@dataclass(frozen=True, slots=True, eq=False)
class Ground:
    """Fixed parts of a scene that are drawn as lines."""

    lines_m: Array
    """Ends of the floor's lines in turn [m], shape (2 N, 3), read-only."""
    step_m: float


@dataclass(frozen=True, slots=True, eq=False)
class Build:
    """A scene's parts, packed for drawing in one go."""

    parts: tuple[Part, ...]
    """The bodies, in the order of `Figure.transforms`."""
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
    """All corners of a scene in one table, as a graphics card takes them; read-only."""

    corners: NDArray[np.float32]
    """x, y, z [m], normal x, y, z, number of the part, number of the slot; (V, 8)."""
    solid_faces: NDArray[np.uint32]
    ghost_faces: NDArray[np.uint32]
    pieces: NDArray[np.int64]
    """First corner, end of the corners, part and slot of each piece, shape (pieces, 4)."""


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


@dataclass(frozen=True, slots=True, eq=False)
class Figure:
    """Present places of all parts; arrays are read-only."""

    transforms: Array
    """Placement of each part, shape (parts, 4, 4); all zero where it is not seen."""
    roles: tuple[str, ...]
    trace_m: Array = field(default_factory=lambda: np.zeros((0, 3)))
    """Path of what is followed [m], shape (N, 3), oldest first."""
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
    def title(self) -> str:
        """Name of the scene, and the machine's own."""
        ...

    @property
    def build(self) -> Build:
        """The bodies to draw, built once."""
        ...

    def take(self, rows: Array, now_s: float) -> None:
        """Learn of new frames: their values, oldest first, (N, values), and when they came [s]."""
        ...

    def figure(self, now_s: float) -> Figure:
        """Present places of everything at a moment [s] of the same clock."""
        ...
