"""Meshes of COLLADA, PLY and binary glTF, read by trimesh as one surface.

trimesh gets bytes that were judged before (`collada`, `glb`; here: PLY), and a resolver that has no
file, so it opens nothing by itself. Colours are taken, one for each part; pictures are not, which
is noted. Axes are the file's own: as in RViz and pinocchio, ``up_axis`` of COLLADA turns nothing.
Lengths of COLLADA come out in metres, by its ``unit``.
"""

import io
import logging
import re
import warnings
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.world.meshes.collada import check_collada, strip_materials
from sim.world.meshes.glb import check_glb
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
    pictures_left_out,
)

Array = NDArray[np.float64]

ENDINGS: Final = (".dae", ".ply", ".glb")
"""Endings of files that are read here, in small letters."""
_ELEMENT: Final = re.compile(rb"^element\s+(\S+)\s+(\S+)\s*$", re.MULTILINE)
_PICTURE: Final = re.compile(rb"^comment TextureFile ([^\r\n]{1,400})", re.MULTILINE)
_PLY_MOST: Final = {b"vertex": VERTICES_MAX, b"face": TRIANGLES_MAX}


@dataclass(slots=True)
class _Parts:
    """Parts that were taken so far."""

    vertices: list[Array] = field(default_factory=list)
    triangles: list[NDArray[np.intp]] = field(default_factory=list)
    material_ids: list[int] = field(default_factory=list)
    materials: dict[MeshMaterial, int] = field(default_factory=dict)
    corners: int = 0
    count: int = 0


def read_scene(data: bytes, ending: str) -> MeshSurface:
    """Read the surface of a file: all parts in their places, one group each.

    Args:
        ending: of its name, one of `ENDINGS`.

    Raises:
        MeshError: if it is none, or trimesh is not installed.
    """
    scale, notes, least = 1.0, (), 1
    if ending == ".dae":
        data, scale, notes = check_collada(data)
    elif ending == ".glb":
        data, notes = check_glb(data)
    else:
        least = max(_faces_of_ply(data), 1)
        named = _PICTURE.findall(data.partition(b"end_header")[0])
        notes = pictures_left_out(one.decode("utf-8", "replace").strip() for one in named)
    try:
        scene = _loaded(data, ending)
    except MeshError:
        if ending != ".dae" or (plain := strip_materials(data)) == data:
            raise
        scene, notes = _loaded(plain, ending), (*notes, "materials: they are damaged")
    found = _Parts()
    for node in scene.graph.nodes_geometry:
        X_SN, name = scene.graph[node]  # of the node in the scene
        _add(found, scene.geometry[name], np.asarray(X_SN, np.float64))
    if found.count < least:
        problem = (
            f"{found.count} triangles of {least} faces" if found.count else "it has no triangles"
        )
        raise MeshError(problem, "a mesh with faces, all of them there")
    corners = np.concatenate(found.vertices) * scale + 0.0
    vertices, same = alike(corners)
    counts = [len(one) for one in found.triangles]
    return MeshSurface(
        vertices, same[np.concatenate(found.triangles)], np.repeat(np.arange(len(counts)), counts),
        np.repeat(np.array(found.material_ids, np.intp), counts), tuple(found.materials), None,
        notes,
    )  # fmt: skip


def _loaded(data: bytes, ending: str) -> Any:
    try:
        import trimesh
    except ImportError:
        right = 'pip install "hil-bench[world]", or export it as .stl or .obj'
        raise MeshError(f"{ending} is read by trimesh, which is not installed", right) from None
    if not (log := logging.getLogger("trimesh")).handlers:
        log.addHandler(logging.NullHandler())  # its message is replaced by ours
    options: dict[str, Any] = {"ignore_broken": False} if ending == ".dae" else {}
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return trimesh.load_scene(
                io.BytesIO(data), file_type=ending[1:], resolver={}, process=False, **options
            )
    except Exception as error:  # whatever a damaged file makes of it
        said = f"{type(error).__name__} {error}".strip()
        right = "a file that is whole; or export it as .stl or .obj"
        raise MeshError(f"trimesh does not read it: {brief(said, 120)}", right) from None


def _add(found: _Parts, part: Any, X_SN: Array) -> None:
    """Add the triangles of one part in the place of its node; a mirror's corners are reversed."""
    faces = np.asarray(getattr(part, "faces", ()), np.intp).reshape(-1, 3)
    if not len(faces):
        return
    vertices = np.asarray(part.vertices, np.float64)
    found.count += len(faces)
    if found.count > TRIANGLES_MAX:
        raise MeshError(f"more than {TRIANGLES_MAX} triangles", FEWER)
    if faces.min() < 0 or faces.max() >= len(vertices):
        raise MeshError(f"a corner of {len(vertices)} that are there", "indices of its own")
    used, faces = np.unique(faces, return_inverse=True)
    faces = faces.reshape(-1, 3)
    if np.linalg.det(X_SN[:3, :3]) < 0.0:
        faces = faces[:, ::-1]
    found.vertices.append(vertices[used] @ X_SN[:3, :3].T + X_SN[:3, 3])
    found.triangles.append(faces + found.corners)
    found.corners += len(used)
    material = MeshMaterial(_colour(part))
    found.material_ids.append(found.materials.setdefault(material, len(found.materials)))
    if len(found.materials) > LOOKS_MAX:
        right = f"at most {LOOKS_MAX}: join them in a modelling program"
        raise MeshError(f"more than {LOOKS_MAX} materials", right)


def _colour(part: Any) -> tuple[float, float, float] | None:
    """Colour of a part as a whole; None where it has none."""
    visual = part.visual
    if not visual.defined:
        return None
    if visual.kind == "texture":
        rgba = getattr(visual.material, "baseColorFactor", None)
    elif visual.kind == "face":
        rgba = np.mean(visual.face_colors, axis=0)
    else:
        rgba = np.mean(visual.vertex_colors, axis=0)
    if rgba is None or len(rgba) < 3:
        return None
    r, g, b = (min(max(float(one) / 255.0, 0.0), 1.0) for one in rgba[:3])
    return r, g, b


def _faces_of_ply(data: bytes) -> int:
    """Count the faces by its head, which trimesh does not compare with what it reads.

    Raises:
        MeshError: if it needs more space than a mesh may take, or has fewer rows than it declares.
    """
    head, end, rows = data.partition(b"end_header")
    if not data.startswith(b"ply") or not end:
        raise MeshError("no PLY", "a file that begins with ply and has end_header")
    needed = faces = 0
    for name, word in _ELEMENT.findall(head):
        most = _PLY_MOST.get(name, VERTICES_MAX)
        if not word.isdigit() or len(word) > 9 or int(word) > most:
            problem = f"element {name.decode('utf-8', 'replace')} {word.decode('utf-8', 'replace')}"
            raise MeshError(brief(problem), f"a whole number, at most {most}")
        needed += int(word)
        faces += int(word) if name == b"face" else 0
    count = sum(not row.isspace() for row in rows.splitlines()[1:] if row)
    if b"format ascii" in head and count < needed:
        raise MeshError(f"{count} rows, and its head tells {needed}", "a file that is whole")
    return faces
