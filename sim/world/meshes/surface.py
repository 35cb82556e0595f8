"""A surface of triangles as read-only arrays, and the errors of its files."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.intp]

TRIANGLES_MAX: Final = 200_000
"""Most triangles of one mesh."""
ROBOT_TRIANGLES_MAX: Final = 1_000_000
"""Most triangles of all meshes of one robot, each as often as links have it."""
VERTICES_MAX: Final = 1_000_000
"""Most vertices of a file, and most places on textures."""
COORDINATE_MAX: Final = 1e6
"""Greatest coordinate that is read."""
FLAT: Final = 1e-7
"""Thickness of a surface, in parts of its length, below which it is in one plane."""


LOOKS_MAX: Final = 256
"""Most materials of one mesh."""
PICTURES_MAX: Final = 64
"""Most pictures left out of a file that are named."""
NOT_LAID: Final = "pictures are laid on meshes of .obj alone; export it as .obj with its .mtl"
FEWER: Final = f"at most {TRIANGLES_MAX}: reduce (decimate) it in a modelling program"
LENGTH_MIN_M: Final = 1e-6
"""Least length of a mesh in metres: what is smaller is a wrong scale, and its volume no number."""


def brief(text: str, most: int = 80) -> str:
    """Shorten a stranger's word for a message: cut where it is long, escaped where invisible."""
    cut = text if len(text) <= most else f"{text[: most - 3]}..."
    return "".join(one if one.isprintable() else repr(one)[1:-1] for one in cut)


def pictures_left_out(names: Iterable[str]) -> tuple[str, ...]:
    """Note each picture that a file has or names, of which none is laid on it."""
    found = list(dict.fromkeys(names))
    notes = [f"texture {brief(one)}: {NOT_LAID}" for one in found[:PICTURES_MAX]]
    more = len(found) - PICTURES_MAX
    return (*notes, f"{more} textures more: {NOT_LAID}") if more > 0 else tuple(notes)


class MeshError(ValueError):
    """File that is no mesh; the text says what is wrong, and what would be right."""

    def __init__(self, problem: str, remedy: str) -> None:
        self.problem: str = problem
        self.remedy: str = remedy
        super().__init__(f"{problem}; {remedy}")


@dataclass(frozen=True, slots=True)
class MeshMaterial:
    """Looks of some of the triangles."""

    colour: tuple[float, float, float] | None = None
    """Colour red, green, blue, 0 to 1; None for that of the link."""
    texture: str = ""
    """Path of a picture (PNG) that is laid on them; empty if there is none."""


@dataclass(frozen=True, slots=True, eq=False)
class MeshSurface:
    """Triangles whose corners run round as seen from outside. Arrays are read-only."""

    vertices: Array
    """Vertices, shape (vertices, 3)."""
    triangles: Whole
    """Three vertices each, shape (triangles, 3)."""
    groups: Whole
    """Group of each triangle, from 0, shape (triangles,)."""
    material_ids: Whole
    """Material of each triangle, as an index, shape (triangles,)."""
    materials: tuple[MeshMaterial, ...] = (MeshMaterial(),)
    """Materials, at least one."""
    laid: Array | None = None
    """Texture coordinates of the corners: right and up, 0 to 1, shape (triangles, 3, 2)."""
    notes: tuple[str, ...] = ()
    """Parts of the file that are left out, for people."""

    def __post_init__(self) -> None:
        for name in ("vertices", "triangles", "groups", "material_ids", "laid"):
            if (array := getattr(self, name)) is not None:
                array.setflags(write=False)

    @property
    def corners(self) -> Array:
        """Corners of all triangles, shape (triangles, 3, 3)."""
        return self.vertices[self.triangles]

    @property
    def is_flat(self) -> bool:
        """Whether all of it is in one plane, so that nothing can touch its inside."""
        used = self.vertices[np.unique(self.triangles)]
        spread = np.linalg.svd(used - used.mean(axis=0), compute_uv=False)
        return len(used) < 4 or bool(spread[2] <= FLAT * spread[0])

    def some(self, chosen: NDArray[np.bool_]) -> "MeshSurface":
        """Select some of its triangles, shape (triangles,)."""
        used, triangles = np.unique(self.triangles[chosen], return_inverse=True)
        return MeshSurface(
            self.vertices[used], triangles.reshape(-1, 3), self.groups[chosen],
            self.material_ids[chosen], self.materials,
            None if self.laid is None else self.laid[chosen],
        )  # fmt: skip

    def scaled(self, scale: tuple[float, float, float]) -> "MeshSurface":
        """Scale to other units; the corners of a mirror's triangles are reversed."""
        turned = bool(np.prod(np.sign(scale)) < 0.0)
        order = slice(None, None, -1) if turned else slice(None)
        return MeshSurface(
            self.vertices * scale, self.triangles[:, order].copy(), self.groups.copy(),
            self.material_ids.copy(), self.materials,
            None if self.laid is None else self.laid[:, order].copy(), self.notes,
        )  # fmt: skip


def alike(rows: Array) -> tuple[Array, Whole]:
    """Find the distinct rows, in order from the first column on, and the index of each row's.

    As ``np.unique(rows, axis=0, return_inverse=True)``, which takes longer.
    """
    order = np.lexsort(rows.T[::-1])
    ordered = rows[order]
    is_new = np.ones(len(rows), np.bool_)
    is_new[1:] = (ordered[1:] != ordered[:-1]).any(axis=1)
    which = np.empty(len(rows), np.intp)
    which[order] = np.cumsum(is_new) - 1
    return ordered[is_new], which


def check_surface(surface: MeshSurface) -> MeshSurface:
    """Check a surface in units of its file, and return it.

    Raises:
        MeshError: if it is empty, too large, or has corners that are no numbers.
    """
    count = len(surface.triangles)
    if not count:
        raise MeshError("it has no triangles", "a mesh with faces")
    if count > TRIANGLES_MAX:
        raise MeshError(f"{count} triangles", FEWER)
    far = np.abs(surface.vertices)
    if not np.isfinite(far).all():
        raise MeshError("a coordinate is not finite", "finite numbers")
    if far.max() > COORDINATE_MAX:
        raise MeshError(f"a coordinate of {far.max():.6g}", f"at most {COORDINATE_MAX:g}")
    return surface


def check_length(surface: MeshSurface) -> MeshSurface:
    """Check a surface in metres, and return it.

    Raises:
        MeshError: if its longest side is shorter than any body's.
    """
    length_m = float(np.ptp(surface.vertices[np.unique(surface.triangles)], axis=0).max())
    if length_m < LENGTH_MIN_M:
        right = f"at least {LENGTH_MIN_M:g} m; scale has metres per unit of the file"
        raise MeshError(f"it is {length_m:.3g} m long", right)
    return surface
