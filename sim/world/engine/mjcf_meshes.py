"""Meshes of links as assets of MJCF: vertices in the text itself, pictures beside it.

A touched mesh is the engine's convex hull of it; what is seen is the surface, one for each of its
materials. The same mesh of several links is written once.
"""

from collections.abc import Iterator
from typing import Final
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import NDArray

from sim.world.meshes.mesh_reader import parts_of, split_by_material, surface_of
from sim.world.meshes.surface import MeshMaterial, MeshSurface, alike
from sim.world.robots.body import LinkMesh, Triple
from sim.world.robots.xml_writer import add, numbers

Array = NDArray[np.float64]

GLOSS: Final = 0.2
"""``specular`` of materials."""


class MeshAssets:
    """Mesh assets of one model.

    Args:
        root: of its text; the section is added with the first asset.
    """

    def __init__(self, root: Element) -> None:
        self.files: dict[str, bytes] = {}
        """Pictures that the text names, by their paths there."""
        self._root = root
        self._section: Element | None = None
        self._known: dict[tuple[LinkMesh, str], tuple[str, ...]] = {}
        self._materials: dict[tuple[Triple, str], str] = {}
        self._pictures: dict[tuple[str, bytes], str] = {}
        self._count = 0

    def touched(self, mesh: LinkMesh) -> tuple[str, ...]:
        """Names of the meshes whose hulls touch others."""
        surfaces = parts_of(mesh) or (surface_of(mesh),)
        return self._named(mesh, "hull", surfaces)

    def seen(self, mesh: LinkMesh, colour: Triple) -> Iterator[tuple[str, str]]:
        """Name of each mesh that is seen, and of its material.

        Args:
            colour: of a mesh without one.
        """
        surfaces = tuple(split_by_material(surface_of(mesh)))
        names = self._named(mesh, "skin", surfaces)
        for name, surface in zip(names, surfaces, strict=True):
            material = surface.materials[int(surface.material_ids[0])]
            yield name, self._material(mesh, material, colour)

    def _named(
        self, mesh: LinkMesh, use: str, surfaces: tuple[MeshSurface, ...]
    ) -> tuple[str, ...]:
        if (found := self._known.get((mesh, use))) is None:
            found = tuple(self._add(use, surface) for surface in surfaces)
            self._known[mesh, use] = found
        return found

    def _add(self, use: str, surface: MeshSurface) -> str:
        """Add a mesh; its inertia is the link's, and what the engine computes only places it."""
        self._count += 1
        name = f"mesh{self._count}"
        vertices, triangles, places = _vertex_arrays(surface, laid=use == "skin")
        add(self._assets, "mesh", name=name, inertia="convex" if use == "hull" else "shell",
            vertex=vertices.ravel(), face=numbers(triangles),
            texcoord=None if places is None else places.ravel())  # fmt: skip
        return name

    def _material(self, mesh: LinkMesh, material: MeshMaterial, colour: Triple) -> str:
        texture = self._texture(mesh, material.texture) if material.texture else ""
        own = material.colour or ((1.0, 1.0, 1.0) if texture else colour)
        if (name := self._materials.get((own, texture))) is None:
            name = f"look{len(self._materials) + 1}"
            self._materials[own, texture] = name
            add(self._assets, "material", name=name, texture=texture or None, rgba=(*own, 1.0),
                specular=GLOSS)  # fmt: skip
        return name

    def _texture(self, mesh: LinkMesh, path: str) -> str:
        data = mesh.content(path) or b""
        if (name := self._pictures.get((path, data))) is None:
            name = f"picture{len(self._pictures) + 1}"
            self._pictures[path, data] = name
            file = path if path not in self.files else f"{name}.png"
            self.files[file] = data
            add(self._assets, "texture", name=name, type="2d", file=file)
        return name

    @property
    def _assets(self) -> Element:
        if self._section is None:
            self._section = add(self._root, "asset")
        return self._section


def is_plain(mesh: LinkMesh) -> bool:
    """Whether what touches others and what is seen is one mesh, of the link's colour."""
    surface = surface_of(mesh)
    return not mesh.parts and len(np.unique(surface.material_ids)) == 1 and (
        surface.materials[int(surface.material_ids[0])] == MeshMaterial()
    )  # fmt: skip


def _vertex_arrays(
    surface: MeshSurface, *, laid: bool
) -> tuple[Array, NDArray[np.intp], Array | None]:  # fmt: skip
    """Arrays of vertices, triangles, and each vertex's texture coordinates from the upper left."""
    if not laid or surface.laid is None:
        return surface.vertices, surface.triangles, None
    corners = np.concatenate(
        [surface.triangles.reshape(-1, 1).astype(np.float64), surface.laid.reshape(-1, 2)], axis=1
    )
    each, triangles = alike(corners)
    places = each[:, 1:] * (1.0, -1.0) + (0.0, 1.0)
    vertices = surface.vertices[each[:, 0].astype(np.intp)]
    return vertices, triangles.reshape(-1, 3), places
