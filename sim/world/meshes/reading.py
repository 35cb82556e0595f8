"""Surfaces of a link's mesh, by the endings of its files; each is read once."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from typing import Final

import numpy as np

from sim.world.meshes.materials import textures_of
from sim.world.meshes.obj import libraries_of, read_obj
from sim.world.meshes.stl import read_stl
from sim.world.meshes.surface import MeshError, MeshSurface, checked_surface
from sim.world.robots.model import LinkMesh

FILE_MAX: Final = 64_000_000
"""Bytes of one file at most."""
ENDINGS: Final = (".stl", ".obj")
"""Of files that are read, in capitals too."""
PARTS_MAX: Final = 64
"""Convex parts of one mesh at most."""

MeshFiles = Callable[[str], bytes]
"""What is in a file, by its path in the document. Raises OSError if it cannot be had."""


def no_files(path: str) -> bytes:
    """Of documents that stand nowhere."""
    raise FileNotFoundError(f"{path}: the document stands in no folder")


def filled(mesh: LinkMesh, files: MeshFiles) -> LinkMesh:
    """A mesh with what is in its files; materials and textures that are not there are left out.

    Raises:
        MeshError: if a file cannot be had, or is too large.
    """
    contents: dict[str, bytes] = {}
    for path in dict.fromkeys((mesh.file, *mesh.parts)):
        if not path.lower().endswith(ENDINGS):
            right = f"a file {' or '.join(ENDINGS)}; export it as one of them"
            raise MeshError(f"{path}: no mesh that is read", right)
        contents[path] = _had(path, files)
    if (data := contents[mesh.file]) and mesh.file.lower().endswith(".obj"):
        for library in libraries_of(data, mesh.file):
            _add(contents, library, files)
            for texture in textures_of(contents.get(library, b""), library):
                _add(contents, texture, files)
    return LinkMesh(mesh.file, mesh.scale, mesh.parts, tuple(contents.items()))


@lru_cache(maxsize=512)
def surface_of(mesh: LinkMesh) -> MeshSurface:
    """Of its file, in metres.

    Raises:
        MeshError: if it has none.
    """
    return _surface(mesh, mesh.file)


@lru_cache(maxsize=512)
def parts_of(mesh: LinkMesh) -> tuple[MeshSurface, ...]:
    """Surfaces of its convex parts, in metres; none if it has none.

    Raises:
        MeshError: if a file has none.
    """
    found: list[MeshSurface] = []
    for path in mesh.parts:
        whole = _surface(mesh, path)
        for group in np.unique(whole.groups).tolist():
            found.append(whole.some(whole.groups == group))
    if len(found) > PARTS_MAX:
        raise MeshError(f"{len(found)} convex parts", f"at most {PARTS_MAX}")
    return tuple(found)


def by_looks(surface: MeshSurface) -> Iterator[MeshSurface]:
    """A surface for each of its materials that is used."""
    for look in np.unique(surface.looks).tolist():
        yield surface.some(surface.looks == look)


def _surface(mesh: LinkMesh, path: str) -> MeshSurface:
    if (data := mesh.content(path)) is None:
        raise MeshError(f"{path} was not had", "read the document from its folder")
    if path.lower().endswith(".stl"):
        surface = read_stl(data)
    else:
        surface = read_obj(data, path, mesh.content)
    return checked_surface(checked_surface(surface).scaled(mesh.scale))


def _had(path: str, files: MeshFiles) -> bytes:
    try:
        data = files(path)
    except OSError as error:
        reason = error.strerror or str(error)
        raise MeshError(f"{path} cannot be read: {reason}", "a file that is there") from None
    if not data:
        raise MeshError(f"{path} is empty", "a file with a mesh")
    if len(data) > FILE_MAX:
        right = f"at most {FILE_MAX // 10**6} MB: reduce (decimate) it in a modelling program"
        raise MeshError(f"{path} has {len(data)} bytes", right)
    return data


def _add(contents: dict[str, bytes], path: str, files: MeshFiles) -> None:
    """One that may be absent; what that costs is told of the surface."""
    if path not in contents:
        try:
            contents[path] = _had(path, files)
        except MeshError:
            return
