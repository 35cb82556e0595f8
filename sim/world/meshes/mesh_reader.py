"""Surfaces of a link's mesh, by the endings of its files; each is read once."""

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import lru_cache
from hashlib import sha256
from typing import Final

import numpy as np

from sim.world.meshes.materials import read_library, write_library
from sim.world.meshes.obj import libraries_of, read_obj
from sim.world.meshes.stl import read_stl
from sim.world.meshes.surface import (
    MeshError,
    MeshMaterial,
    MeshSurface,
    brief,
    check_length,
    check_surface,
)
from sim.world.meshes.textures import TextureError, check_texture
from sim.world.meshes.trimesh_reader import ENDINGS as SCENES
from sim.world.meshes.trimesh_reader import read_scene
from sim.world.robots.body import LinkMesh

FILE_MAX: Final = 64_000_000
"""Most bytes of one file."""
ENDINGS: Final = (".stl", ".obj", *SCENES)
"""Endings of files that are read, in capitals too."""
LFS: Final = b"version https://git-lfs"
"""Begin of a file that replaces one that was not fetched."""
PARTS_MAX: Final = 64
"""Most convex parts of one mesh, and files of them."""
BESIDE_MAX: Final = 64
"""Most libraries of materials of one mesh, pictures of each, and both together."""

MeshFiles = Callable[[str], bytes]
"""Function that reads a file by its path in the document. Raises `OutsideError` if a document may
not name it, or OSError if it cannot be had."""

ALLOWED: Final = "copy it into the folder of the document"
"""Remedy for files that a document may not name."""


class OutsideError(OSError):
    """A file that a document may not name; `strerror` says why, and where it would be allowed."""


def no_files(path: str) -> bytes:
    """Refuse every file, for documents without a place of their own."""
    raise FileNotFoundError(f"{path}: the document stands in no folder")


def filled(mesh: LinkMesh, files: MeshFiles) -> LinkMesh:
    """Fill a mesh with its files' contents, as `MeshReader.filled`."""
    return MeshReader(files).filled(mesh)


@dataclass(slots=True)
class MeshReader:
    """Files of the meshes of one document: each is read once, and kept in its final form.

    Meshes are kept as they are, since they are parsed before the document is taken; of libraries
    what is taken of them, of pictures the chunks that pixels are made of.
    """

    files: MeshFiles
    """Source of the files."""
    _known: dict[tuple[str, ...], LinkMesh] = field(default_factory=dict)
    _read: dict[str, bytes] = field(default_factory=dict)
    _pictures: dict[bytes, bytes | TextureError] = field(default_factory=dict)
    """Decoded pictures, or their errors, by the digest of their files."""

    def filled(self, mesh: LinkMesh) -> LinkMesh:
        """Fill a mesh with its files' contents; absent materials and textures are left out.

        Raises:
            MeshError: if a file cannot be had, is too large, or is one that no document may name.
        """
        key = (mesh.file, *mesh.parts)
        if (found := self._known.get(key)) is None:
            found = self._known[key] = self._of_files(mesh)
        return LinkMesh(mesh.file, mesh.scale, mesh.parts, found.contents, found.left_out)

    def _of_files(self, mesh: LinkMesh) -> LinkMesh:
        if len(mesh.parts) > PARTS_MAX:
            raise MeshError(f"{len(mesh.parts)} files of parts", f"at most {PARTS_MAX}")
        contents: dict[str, bytes] = {}
        notes: list[str] = []
        for path in dict.fromkeys((mesh.file, *mesh.parts)):
            if not path.lower().endswith(ENDINGS):
                right = f"a file {', '.join(ENDINGS)}; export it as one of them"
                raise MeshError(f"{brief(path)}: no mesh that is read", right)
            contents[path] = self._had(path)
        if mesh.file.lower().endswith(".obj"):
            libraries = libraries_of(contents[mesh.file], mesh.file)
            _check_count("libraries of materials", len(libraries))
            for library in libraries:
                self._add_library(library, contents, notes)
                _check_count("files of materials", len(contents) - len(mesh.parts) - 1)
        return LinkMesh(mesh.file, mesh.scale, mesh.parts, tuple(contents.items()), tuple(notes))

    def _add_library(self, library: str, contents: dict[str, bytes], notes: list[str]) -> None:
        """Add a library, which may be absent, and those of its pictures that can be laid on."""
        if library in contents:
            return
        if (data := self._optional_file(library)) is None:
            text = "is not there; put it beside the mesh"
            notes.append(f"materials: {brief(library)} {text}")
            return
        said = read_library(data, library)
        notes += said.notes[:BESIDE_MAX]
        _check_count("pictures", len({one.texture for one in said.materials.values()}))
        textures = dict.fromkeys(one.texture for one in said.materials.values() if one.texture)
        problems = {path: self._add_texture(path, contents) for path in textures}
        bad = [name for name, one in said.materials.items() if problems.get(one.texture)]
        for name in bad[:BESIDE_MAX]:
            path = said.materials[name].texture
            notes.append(f"texture {brief(path)} of material {brief(name)}: it {problems[path]}")
        if len(bad) > BESIDE_MAX:
            notes.append(f"textures of {len(bad) - BESIDE_MAX} more materials")
        for name in bad:
            said.materials[name] = MeshMaterial(said.materials[name].colour)
        if kept := write_library(said.materials, library):
            contents[library] = kept
        else:
            notes.append(f"materials: {brief(library)} has none")

    def _add_texture(self, path: str, contents: dict[str, bytes]) -> str:
        """Add a picture; return why it is left out, empty if it is kept."""
        if path in contents:
            return "" if path.lower().endswith(".png") else "is no PNG; convert it"
        if (data := self._optional_file(path)) is None:
            return "is not there; put it beside the mesh"
        if not path.lower().endswith(".png"):
            return "is no PNG; convert it"
        picture = self._picture(data)
        if isinstance(picture, TextureError):
            return str(picture)
        contents[path] = picture
        return ""

    def _picture(self, data: bytes) -> bytes | TextureError:
        """Keep what is needed of a picture; one that has several names is decoded once."""
        digest = sha256(data).digest()
        if (found := self._pictures.get(digest)) is None:
            try:
                found = check_texture(data)
            except TextureError as error:
                found = error
            self._pictures[digest] = found
        return found

    def _optional_file(self, path: str) -> bytes | None:
        """Read a file that may be absent, but must be one that a document may name."""
        try:
            return self._had(path)
        except MeshError as error:
            if isinstance(error.__cause__, OutsideError):
                raise
            return None

    def _had(self, path: str) -> bytes:
        if (data := self._read.get(path)) is None:
            data = self._read[path] = _had(path, self.files)
        return data


def _check_count(what: str, count: int) -> None:
    if count > BESIDE_MAX:
        raise MeshError(f"{count} {what}", f"at most {BESIDE_MAX}")


@lru_cache(maxsize=512)
def surface_of(mesh: LinkMesh) -> MeshSurface:
    """Surface of a mesh's file, in metres.

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
        groups = np.unique(whole.groups).tolist()
        if (count := len(found) + len(groups)) > PARTS_MAX:
            raise MeshError(f"{count} convex parts", f"at most {PARTS_MAX}")
        found += [whole.some(whole.groups == group) for group in groups]
    return tuple(found)


def split_by_material(surface: MeshSurface) -> Iterator[MeshSurface]:
    """Split a surface into one for each of its materials that is used."""
    for material_id in np.unique(surface.material_ids).tolist():
        yield surface.some(surface.material_ids == material_id)


def triangles_of(mesh: LinkMesh) -> int:
    """Count the triangles of its file and of its parts; 0 for what is none."""
    count = 0
    for path in dict.fromkeys((mesh.file, *mesh.parts)):
        with suppress(MeshError):
            count += len(_parsed(replace(mesh, scale=(1.0, 1.0, 1.0)), path).triangles)
    return count


def _surface(mesh: LinkMesh, path: str) -> MeshSurface:
    surface = _parsed(replace(mesh, scale=(1.0, 1.0, 1.0)), path)
    return check_length(check_surface(surface.scaled(mesh.scale)))


@lru_cache(maxsize=128)
def _parsed(mesh: LinkMesh, path: str) -> MeshSurface:
    """Parse one of its files, in units of the file."""
    if (data := mesh.content(path)) is None:
        raise MeshError(f"{brief(path)} was not had", "read the document from its folder")
    ending = path.lower()[-4:]
    if ending == ".stl":
        surface = read_stl(data)
    elif ending in SCENES:
        surface = read_scene(data, ending)
    else:
        surface = read_obj(data, path, mesh.content)
    return check_surface(surface)


def _had(path: str, files: MeshFiles) -> bytes:
    try:
        data = files(path)
    except OutsideError as error:
        raise MeshError(f"{brief(path)} {error.strerror}", ALLOWED) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        text = f"{brief(path)} cannot be read: {brief(reason, 200)}"
        raise MeshError(text, "a file that is there") from None
    if not data:
        raise MeshError(f"{brief(path)} is empty", "a file with a mesh")
    if data.startswith(LFS):
        problem = f"{brief(path)} is not there, but a pointer of Git LFS to it"
        raise MeshError(problem, "git lfs pull, in its repository, gets the file itself")
    if len(data) > FILE_MAX:
        right = f"at most {FILE_MAX // 10**6} MB: reduce (decimate) it in a modelling program"
        raise MeshError(f"{brief(path)} has {len(data)} bytes", right)
    return data
