"""OBJ as modelling programs export it, with its materials (MTL).

Wavefront's Advanced Visualizer manual, appendix B1: vertices, faces of any number of corners,
indices from 1 or from the end, groups and objects, materials by ``usemtl``. Curved surfaces are
refused; lines, points, normals and smoothing groups say nothing here.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Final

import numpy as np

from sim.world.meshes.materials import beside_path, materials_of
from sim.world.meshes.obj_rows import ObjRows, read_rows
from sim.world.meshes.surface import (
    FEWER,
    LOOKS_MAX,
    TRIANGLES_MAX,
    VERTICES_MAX,
    MeshError,
    MeshMaterial,
    MeshSurface,
    alike,
    brief,
)

SKIPPED: Final = frozenset({"vn", "vp", "s", "l", "p", "mg", "lod", "shadow_obj", "trace_obj",
                            "bevel", "c_interp", "d_interp", "maplib", "usemap"})  # fmt: skip
"""Statements without meaning for a surface of triangles."""
Corner = tuple[int, int]
"""Indices of a vertex and of its place on the texture, -1 for none."""


@dataclass(slots=True)
class _Faces:
    """Part of a file that was read so far."""

    vertices: list[tuple[float, float, float]] = field(default_factory=list)
    places: list[tuple[float, float]] = field(default_factory=list)
    triangles: list[tuple[Corner, Corner, Corner]] = field(default_factory=list)
    groups: list[int] = field(default_factory=list)
    material_ids: list[int] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=lambda: {"": 0})
    """Numbers of materials by their names, in the order of their first use."""
    libraries: dict[str, None] = field(default_factory=dict)
    """Names of the libraries, in their order."""
    group_names: dict[str, int] = field(default_factory=lambda: {"": 0})
    """Numbers of groups and objects by their names, in their order."""
    group: int = 0
    material_id: int = 0


def read_obj(data: bytes, file: str, beside: Callable[[str], bytes | None]) -> MeshSurface:
    """Read the surface of a file.

    Args:
        file: its path.
        beside: what is in a file by its path; None if that is not there.

    Raises:
        MeshError: if it is none; the text has the line.
    """
    found, rows = _alike(data) or _one_by_one(data)
    libraries = [beside_path(file, one) for one in found.libraries]
    whole = all(beside(one) is not None for one in libraries)
    return _surface(found, rows, materials_of(libraries, beside), whole=whole)


def _alike(data: bytes) -> tuple[_Faces, ObjRows] | None:
    """Read a file whose rows are alike; None for any other, and for one with a fault."""
    if (rows := read_rows(data)) is None:
        return None
    found = _Faces()
    begins, named = [-1], [(0, 0)]
    try:
        for line, text in rows.others:
            for _, words in _statements(text):
                _read(found, words)
            begins.append(line)
            named.append((found.group, found.material_id))
    except MeshError:
        return None
    if found.vertices or found.places or found.triangles:  # of another form
        return None
    _check_size(len(rows.corners), max(len(rows.vertices), len(rows.places)), found)
    of_each = np.array(named)[np.searchsorted(begins, rows.lines) - 1]
    found.groups, found.material_ids = of_each.T.tolist()
    return found, rows


def _one_by_one(data: bytes) -> tuple[_Faces, ObjRows]:
    """Read a file statement by statement.

    Raises:
        MeshError: for the first that is wrong.
    """
    found = _Faces()
    for number, words in _statements(data):
        try:
            _read(found, words)
        except MeshError as error:
            raise MeshError(f"line {number}: {error.problem}", error.remedy) from None
        if len(found.triangles) > TRIANGLES_MAX or len(found.vertices) > VERTICES_MAX:
            break
    _check_size(len(found.triangles), max(len(found.vertices), len(found.places)), found)
    return found, ObjRows(
        np.array(found.vertices, np.float64).reshape(-1, 3),
        np.array(found.places, np.float64).reshape(-1, 2),
        np.array(found.triangles, np.intp).reshape(-1, 3, 2),
    )


def libraries_of(data: bytes, file: str) -> list[str]:
    """List the paths of files of materials that it names, each once."""
    if b"\\" not in data:  # each statement is in one line
        data = b"\n".join(line for line in data.splitlines() if b"mtllib" in line)
    rows = (words for _, words in _statements(data) if words[0] == "mtllib" and words[1:])
    return list(dict.fromkeys(beside_path(file, name) for row in rows for name in _named(row[1:])))


def write_obj(vertices: np.ndarray, triangles: np.ndarray) -> bytes:
    """Write a file of vertices, shape (n, 3), and triangles, shape (m, 3), with all digits."""
    lines = [f"v {x!r} {y!r} {z!r}" for x, y, z in np.asarray(vertices, np.float64).tolist()]
    lines += [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in np.asarray(triangles).tolist()]
    return ("\n".join(lines) + "\n").encode()


def _named(words: list[str]) -> list[str]:
    """Names of libraries in a statement, which may be several; one name may have spaces in it."""
    several = len(words) > 1 and all(word.lower().endswith(".mtl") for word in words)
    return words if several else [" ".join(words)]


def _statements(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Split into the line and words of each; a backslash continues in the next line."""
    begun, kept = 0, list[str]()
    for number, line in enumerate(data.decode("utf-8", "replace").splitlines(), start=1):
        if not kept and "#" not in line and "\\" not in line:
            if not line.startswith("vn ") and (words := line.split()):
                yield number, words
            continue
        begun = begun if kept else number
        rest = line.partition("#")[0].rstrip()
        if rest.endswith("\\"):
            kept.append(rest[:-1])
            continue
        words = " ".join((*kept, rest)).split() if kept else rest.split()
        kept.clear()
        if words:
            yield begun, words


def _check_size(triangles: int, vertices: int, found: _Faces) -> None:
    if triangles > TRIANGLES_MAX:
        raise MeshError(f"more than {TRIANGLES_MAX} triangles", FEWER)
    if vertices > VERTICES_MAX:
        right = f"at most {VERTICES_MAX}: reduce (decimate) it in a modelling program"
        raise MeshError(f"more than {VERTICES_MAX} vertices", right)
    if len(found.names) > LOOKS_MAX + 1:
        problem = f"at most {LOOKS_MAX}: join them in a modelling program"
        raise MeshError(f"more than {LOOKS_MAX} materials", problem)


def _read(found: _Faces, words: list[str]) -> None:
    match words[0]:
        case "v":
            try:
                found.vertices.append((float(words[1]), float(words[2]), float(words[3])))
            except (IndexError, ValueError):
                _numbers(words, 3)  # tells what is wrong with them
        case "vt":
            u, *v = _numbers(words, 1 if len(words) == 2 else 2)
            found.places.append((u, v[0] if v else 0.0))
        case "f":
            _face(found, words[1:])
        case "g" | "o":
            name = " ".join(words)
            found.group = found.group_names.setdefault(name, len(found.group_names))
        case "usemtl":
            name = " ".join(words[1:])
            found.material_id = found.names.setdefault(name, len(found.names))
        case "mtllib":
            found.libraries.update(dict.fromkeys(_named(words[1:])))
        case word if word not in SKIPPED:
            right = "a mesh of vertices and faces; convert curves and surfaces to one"
            raise MeshError(f"{brief(word, 40)}: no such statement", right)


def _numbers(words: list[str], count: int) -> list[float]:
    try:
        found = [float(word) for word in words[1 : count + 1]]
    except ValueError:
        found = []
    if len(found) != count:
        raise MeshError(
            f"{brief(' '.join(words), 40)}: not read", f"{words[0]} and {count} numbers"
        )
    return found


def _face(found: _Faces, words: list[str]) -> None:
    """Split a face into triangles, all from its first corner."""
    if len(words) > TRIANGLES_MAX + 2:
        raise MeshError(f"a face of {len(words)} corners", f"at most {TRIANGLES_MAX} triangles")
    vertices, places = len(found.vertices), len(found.places)
    corners: list[Corner] = []
    for word in words:
        vertex, _, rest = word.partition("/")
        place, _, _ = rest.partition("/")
        corners.append((
            _index(vertex, vertices, "vertices"),
            _index(place, places, "places on the texture") if place else -1,
        ))  # fmt: skip
    if len(corners) < 3:
        raise MeshError(f"a face of {len(corners)} corners", "three or more")
    for second, third in pairwise(corners[1:]):
        found.triangles.append((corners[0], second, third))
        found.groups.append(found.group)
        found.material_ids.append(found.material_id)


def _index(word: str, count: int, what: str) -> int:
    try:
        value = int(word)
    except ValueError:
        value = 0
    index = value - 1 if value > 0 else count + value
    if value == 0 or not 0 <= index < count:
        right = f"1 to {count}, or -1 to -{count} from the last"
        raise MeshError(f"{brief(word, 20)}: of {count} {what} so far", right)
    return index


def _surface(
    found: _Faces, rows: ObjRows, by_name: Mapping[str, MeshMaterial], *, whole: bool
) -> MeshSurface:  # fmt: skip
    corners, laid = rows.corners, None
    if (corners[:, :, 1] >= 0).any():
        laid = np.append(rows.places, [(0.0, 0.0)], axis=0)[corners[:, :, 1]]
    materials = tuple(by_name.get(name, MeshMaterial()) for name in found.names)
    notes: list[str] = []
    absent = [brief(name, 40) for name in found.names if name and name not in by_name]
    if absent and whole:
        notes.append(f"material {', '.join(absent[:4])}: in no library of it")
    if laid is None and any(one.texture for one in materials):
        notes.append("textures: its corners have no places (vt) on them")
        materials = tuple(MeshMaterial(one.colour) for one in materials)
    vertices, triangles = alike(rows.vertices + 0.0)
    return MeshSurface(
        vertices, triangles[corners[:, :, 0]], np.array(found.groups, np.intp),
        np.array(found.material_ids, np.intp), materials, laid, tuple(notes),
    )  # fmt: skip
