"""The body of a link as frozen values: its shape and place, its mesh, its looks, its inertia."""

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

Numbers = tuple[float, ...]
Triple = tuple[float, float, float]


class BodyShape(StrEnum):
    """Shape of a link's body; its own z axis is its length."""

    NONE = "none"
    """No body."""
    BOX = "box"
    """Box of width and height [m], then the length; or three edges along the link's axes."""
    CYLINDER = "cylinder"
    """Cylinder of a radius [m], then the length."""
    CAPSULE = "capsule"
    """Capsule of a radius [m], then the length between the centres of its round ends."""
    SPHERE = "sphere"
    """Sphere of a radius [m]."""
    MESH = "mesh"
    """Surface of triangles from a file, in the link's own axes; its file has its size."""


SOLIDS: Final = tuple(one for one in BodyShape if one is not BodyShape.MESH)
"""Shapes fully described by their numbers."""


@dataclass(frozen=True, slots=True)
class BodyPlace:
    """Place of a body in its link's frame, if it does not reach from joint to joint."""

    position_m: Triple
    """Position of its centre."""
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    """Orientation of its axes: w, x, y, z, of length 1."""


@dataclass(frozen=True, slots=True)
class LinkMesh:
    """Files of a surface of triangles, with their contents."""

    file: str
    """Path as the document has it, relative to the document: STL or OBJ."""
    scale: Triple = (1.0, 1.0, 1.0)
    """Metres per unit of the file, along its axes; below 0 for a mirror's."""
    parts: tuple[str, ...] = ()
    """Files of convex parts that touch others instead of the mesh's hull, each group of theirs one;
    of the same scale."""
    contents: tuple[tuple[str, bytes], ...] = field(default=(), repr=False)
    """Path and bytes of each file, materials and textures too; empty if they were not had."""
    left_out: tuple[str, ...] = field(default=(), repr=False, compare=False)
    """Notes on materials and textures that are missing, or are none."""

    def __str__(self) -> str:
        """Return its file."""
        return self.file

    def content(self, file: str) -> bytes | None:
        """Return the content of one of its files; None if that is missing."""
        return next((data for name, data in self.contents if name == file), None)


@dataclass(frozen=True, slots=True)
class LinkVisual:
    """Visible body of a link, if it differs from the one that touches others."""

    shape: BodyShape
    """Shape of the visible body."""
    size_m: Numbers = ()
    """All numbers that the shape asks for, a length too."""
    position_m: Triple = (0.0, 0.0, 0.0)
    """Position of its centre in the link's frame."""
    quaternion: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    """Orientation of its axes: w, x, y, z, of length 1."""
    mesh: LinkMesh | None = None
    """Mesh of a body of that shape."""


@dataclass(frozen=True, slots=True)
class LinkInertia:
    """Mass and inertia given outright, such as those of a data sheet."""

    mass_kg: float
    """Mass of the link."""
    centre_m: Triple
    """Its centre of mass in the link's frame."""
    inertia_kg_m2: tuple[float, float, float, float, float, float]
    """Inertia about the centre of mass, in the link's axes: xx, yy, zz, xy, xz, yz."""
