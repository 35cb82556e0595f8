"""OBJ as modelling programs export it, with its materials (MTL).

Wavefront's Advanced Visualizer manual, appendix B1: vertices, faces of any number of corners,
indices from 1 or from the end, groups and objects, materials by ``usemtl``. Curved surfaces are
refused; lines, points, normals and smoothing groups say nothing here.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from sim.world.meshes.materials import MaterialText, beside_path, read_materials
from sim.world.meshes.surface import TRIANGLES_MAX, MeshError, MeshMaterial, MeshSurface

SKIPPED: Final = frozenset({"vn", "vp", "s", "l", "p", "mg", "lod", "shadow_obj", "trace_obj",
                            "bevel", "c_interp", "d_interp", "maplib", "usemap"})  # fmt: skip
"""Statements that say nothing of a surface of triangles."""
Corner = tuple[int, int]
"""Indices of a vertex and of its place on the texture, -1 for none."""


@dataclass(slots=True)
class _Faces:
    """What was read so far."""

    vertices: list[tuple[float, float, float]] = field(default_factory=list)
    places: list[tuple[float, float]] = field(default_factory=list)
    triangles: list[tuple[Corner, Corner, Corner]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    looks: list[int] = field(default_factory=list)
    names: list[str] = field(default_factory=lambda: [""])
    """Of materials, in the order of their first use."""
    libraries: list[str] = field(default_factory=list)
    group_names: list[str] = field(default_factory=lambda: [""])
    """Of groups and objects, in their order."""
    group: int = 0
    look: int = 0


def read_obj(data: bytes, file: str, beside: Callable[[str], bytes | None]) -> MeshSurface:
    """The surface of a file.

    Args:
        file: its path.
        beside: what is in a file by its path; None if that is not there.

    Raises:
        MeshError: if it is none; the text has the line.
    """
    found = _Faces()
    for number, words in _statements(data):
        try:
            _read(found, words)
        except MeshError as error:
            raise MeshError(f"line {number}: {error.problem}", error.remedy) from None
        if len(found.triangles) > TRIANGLES_MAX:
            right = f"at most {TRIANGLES_MAX}: reduce (decimate) it in a modelling program"
            raise MeshError(f"more than {TRIANGLES_MAX} triangles", right)
    libraries = (beside_path(file, one) for one in found.libraries)
    return _surface(found, read_materials(libraries, beside))


def libraries_of(data: bytes, file: str) -> list[str]:
    """Paths of files of materials that it names."""
    rows = (words for _, words in _statements(data) if words[0] == "mtllib")
    return [beside_path(file, " ".join(words[1:])) for words in rows]


def write_obj(vertices: np.ndarray, triangles: np.ndarray) -> bytes:
    """A file of vertices, shape (n, 3), and triangles, shape (m, 3), with all digits."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, np.float64).tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in np.asarray(triangles).tolist()]
    return ("\n".join(lines) + "\n").encode()


def _statements(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Line and words of each; a backslash goes on in the next line."""
    begun, kept = 0, ""
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        begun = begun if kept else number
        rest = kept + line.partition("#")[0].rstrip()
        if rest.endswith("\\"):
            kept = rest[:-1] + " "
            continue
        kept = ""
        if words := rest.split():
            yield begun, words


def _read(found: _Faces, words: list[str]) -> None:
    match words[0]:
        case "v":
            x, y, z = _numbers(words, 3)
            found.vertices.append((x, y, z))
        case "vt":
            u, *v = _numbers(words, 1 if len(words) == 2 else 2)
            found.places.append((u, v[0] if v else 0.0))
        case "f":
            _face(found, words[1:])
        case "g" | "o":
            name = " ".join(words)
            if name not in found.group_names:
                found.group_names.append(name)
            found.group = found.group_names.index(name)
        case "usemtl":
            name = " ".join(words[1:])
            if name not in found.names:
                found.names.append(name)
            found.look = found.names.index(name)
        case "mtllib":
            found.libraries.append(" ".join(words[1:]))
        case word if word not in SKIPPED:
            right = "a mesh of vertices and faces; convert curves and surfaces to one"
            raise MeshError(f"{word}: no such statement", right)


def _numbers(words: list[str], count: int) -> list[float]:
    try:
        found = [float(word) for word in words[1 : count + 1]]
    except ValueError:
        found = []
    if len(found) != count:
        raise MeshError(f"{' '.join(words)[:40]}: not read", f"{words[0]} and {count} numbers")
    return found


def _face(found: _Faces, words: list[str]) -> None:
    """Its triangles, all from its first corner."""
    corners = [_corner(found, word) for word in words]
    if len(corners) < 3:
        raise MeshError(f"a face of {len(corners)} corners", "three or more")
    for second, third in pairwise(corners[1:]):
        found.triangles.append((corners[0], second, third))
        found.groups.append(found.group)
        found.looks.append(found.look)


def _corner(found: _Faces, word: str) -> Corner:
    parts = word.split("/")
    vertex = _index(parts[0], len(found.vertices), "vertices")
    if len(parts) < 2 or not parts[1]:
        return vertex, -1
    return vertex, _index(parts[1], len(found.places), "places on the texture")


def _index(word: str, count: int, what: str) -> int:
    try:
        value = int(word)
    except ValueError:
        value = 0
    index = value - 1 if value > 0 else count + value
    if value == 0 or not 0 <= index < count:
        right = f"1 to {count}, or -1 to -{count} from the last"
        raise MeshError(f"{word[:20]}: of {count} {what} so far", right)
    return index


def _surface(found: _Faces, told: MaterialText) -> MeshSurface:
    corners = np.array(found.triangles, np.intp).reshape(-1, 3, 2)
    laid = None
    if len(corners) and (corners[:, :, 1] >= 0).any():
        places = np.array([*found.places, (0.0, 0.0)], np.float64)
        laid = places[corners[:, :, 1]]
    materials = tuple(told.materials.get(name, MeshMaterial()) for name in found.names)
    notes = list(told.notes)
    absent = [name for name in found.names[1:] if name not in told.materials]
    if absent and not told.notes:
        notes.append(f"material {', '.join(absent[:4])}: in no library of it")
    if laid is None and any(one.texture for one in materials):
        notes.append("textures: its corners have no places (vt) on them")
        materials = tuple(MeshMaterial(one.colour) for one in materials)
    vertices, triangles = np.unique(
        np.array(found.vertices, np.float64).reshape(-1, 3) + 0.0, axis=0, return_inverse=True
    )
    return MeshSurface(
        vertices, triangles.reshape(-1)[corners[:, :, 0]], np.array(found.groups, np.intp),
        np.array(found.looks, np.intp), materials, laid, tuple(notes),
    )  # fmt: skip
