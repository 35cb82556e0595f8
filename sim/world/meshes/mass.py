"""Closedness of a surface, and mass properties of the body that it bounds.

Divergence theorem over its triangles: each makes a tetrahedron with the origin, whose signed volume
and moments are exact (D. Eberly, Polyhedral Mass Properties, 2002; the tetrahedron's second moments
after J. Tonon, 2004).
"""

from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.meshes.surface import MeshSurface
from sim.world.robots.shapes import MassProperties

Array = NDArray[np.float64]

NO_VOLUME: Final = 1e-9
"""Volume, in parts of the box about it, below which a closed surface bounds none."""


def open_edges(surface: MeshSurface) -> int:
    """Edges that do not join two triangles that go along them against each other; 0 if closed."""
    a, b, c = surface.triangles.T
    begins, ends = np.concatenate([a, b, c]), np.concatenate([b, c, a])
    count = len(surface.vertices)
    edge_keys = np.concatenate([begins * count + ends, ends * count + begins])
    edges, of_each = np.unique(edge_keys, return_inverse=True)
    along = np.bincount(of_each[: len(begins)], minlength=len(edges))
    against = np.bincount(of_each[len(begins) :], minlength=len(edges))
    unlike = edges[along != against]
    return len(np.unique(np.minimum(unlike, unlike % count * count + unlike // count)))


def volume_m3(surface: MeshSurface) -> float:
    """Volume that a closed surface bounds; below 0 if its corners run round as seen from inside."""
    corners = surface.corners
    return float(_six_volumes(corners - _middle(corners)).sum() / 6.0)


def encloses_no_volume(surface: MeshSurface) -> bool:
    """Whether a closed surface has next to no volume."""
    box = np.prod(np.maximum(np.ptp(surface.corners.reshape(-1, 3), axis=0), 1e-300))
    return abs(volume_m3(surface)) <= NO_VOLUME * float(box)


def solid_mesh(
    surface: MeshSurface, mass_kg: float | None, density_kg_m3: float, *, unsigned: bool = False
) -> MassProperties:
    """Mass properties of the homogeneous body in a closed surface, in the surface's axes.

    Args:
        mass_kg: its mass; None for that by density.
        density_kg_m3: if there is no mass.
        unsigned: whether each triangle counts as seen from outside, from the middle of all: the
            engine's manual, XML reference, mesh/inertia, "legacy". It asks for no closed surface,
            and is the same for a convex one.
    """
    middle = _centroid(surface.corners) if unsigned else _middle(surface.corners)
    corners = surface.corners - middle  # few digits are lost far from the origin
    six = _six_volumes(corners)
    six = np.abs(six) if unsigned else six
    volume = six.sum() / 6.0
    sums = corners.sum(axis=1)  # (triangles, 3)
    centre = np.einsum("t,ti->i", six, sums) / (24.0 * volume)
    total = volume
    if unsigned:  # as the engine does it: moments of tetrahedra from the centre of mass
        corners = corners - centre
        six, sums = np.abs(_six_volumes(corners)), corners.sum(axis=1)
        total = six.sum() / 6.0
    second = np.einsum("t,tki,tkj->ij", six, corners, corners)
    second += np.einsum("t,ti,tj->ij", six, sums, sums)
    second /= 120.0 * total  # mean of x xᵀ over the body
    if not unsigned:
        second -= np.outer(centre, centre)
    mass = abs(float(total)) * density_kg_m3 if mass_kg is None else mass_kg
    inertia = mass * (np.trace(second) * np.eye(3) - second)
    return MassProperties(mass, middle + centre, 0.5 * (inertia + inertia.T))


def _six_volumes(corners: Array) -> Array:
    """Six times the volumes of the tetrahedra with the origin, shape (triangles,)."""
    first, second, third = corners[:, 0], corners[:, 1], corners[:, 2]
    return np.einsum("ti,ti->t", first, np.cross(second, third))


def _centroid(corners: Array) -> Array:
    """Centroid of the triangles themselves."""
    first, second, third = corners[:, 0], corners[:, 1], corners[:, 2]
    areas = np.linalg.norm(np.cross(second - first, third - first), axis=1)
    return np.einsum("t,ti->i", areas, corners.mean(axis=1)) / areas.sum()


def _middle(corners: Array) -> Array:
    points = corners.reshape(-1, 3)
    return 0.5 * (points.min(axis=0) + points.max(axis=0))
