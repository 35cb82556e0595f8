"""Meshes and materials that a model names."""

from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np

from sim.world.meshes.mesh_reader import ENDINGS, SCENES, OutsideError, surface_of
from sim.world.meshes.obj import write_obj
from sim.world.meshes.surface import MeshError
from sim.world.mjcf.values import MjcfValues
from sim.world.robots.body import LinkMesh, Triple
from sim.world.robots.tree import rotation_of
from sim.world.robots.xml_nodes import XmlNode, named
from sim.world.robots.xml_values import triple

LEGACY: Final = "legacy"
"""How a mesh weighs that does not tell it."""
CORNERS_MAX: Final = 3_000_000
"""Numbers of a mesh in the text at most."""


@dataclass(frozen=True, slots=True)
class ModelAssets:
    """By their names."""

    meshes: dict[str, LinkMesh] = field(default_factory=dict)
    """That can be had."""
    unread: dict[str, str] = field(default_factory=dict)
    """Why others cannot."""
    inertias: dict[str, str] = field(default_factory=dict)
    """By what rule meshes weigh, that tell one."""
    colours: dict[str, Triple] = field(default_factory=dict)
    """Of materials."""


def read_assets(values: MjcfValues, root: XmlNode) -> ModelAssets:
    """Those of a model; what is left out of them is told."""
    found = ModelAssets()
    for section in root.all("asset"):
        for node in section.all("mesh"):
            _mesh(values, node, found)
        for node in section.all("material"):
            r, g, b, alpha = values.numbers(node, "rgba", (1.0, 1.0, 1.0, 1.0))
            found.colours[values.name(node)] = (r, g, b)
            if alpha != 1.0:
                reason = "bodies are not seen through"
                values.losses.append(node.loss("alpha", alpha, reason))
    return found


def _mesh(values: MjcfValues, node: XmlNode, found: ModelAssets) -> None:
    file = node.get("file")
    stem = (file or "").replace("\\", "/").rpartition("/")[2].rpartition(".")[0]
    name = node.get("name") or stem
    scale = triple(values.numbers(node, "scale", (1.0, 1.0, 1.0)))
    found.inertias[name] = node.get("inertia") or LEGACY
    built = node.get("builtin")
    mesh, unread = None, "" if built is None else f"its mesh is builtin = {built}"
    if not unread and file is not None:
        mesh, unread = _of_file(values, node, file, scale)
    elif not unread:
        mesh, unread = _of_text(values, node, name, scale)
    if mesh is not None:
        mesh, unread = _moved(values, node, name, mesh)
    if mesh is not None:
        found.meshes[name] = mesh
    else:
        found.unread[name] = unread


def _moved(
    values: MjcfValues, node: XmlNode, name: str, mesh: LinkMesh
) -> tuple[LinkMesh | None, str]:
    """A mesh whose numbers are seen from another frame, as a file that holds them as seen there."""
    at = values.numbers(node, "refpos", (0.0, 0.0, 0.0))
    turned = values.numbers(node, "refquat", (1.0, 0.0, 0.0, 0.0))
    if not any(at) and turned == (1.0, 0.0, 0.0, 0.0):
        return mesh, ""
    if not any(turned):
        values.fault(node, turned, "refquat turns nothing", "w x y z of a length above 0")
        return mesh, ""
    try:
        surface = surface_of(replace(mesh, scale=(1.0, 1.0, 1.0)))
    except MeshError as error:
        return None, f"its mesh {mesh.file}: {error.problem}"
    points = (surface.vertices - at) @ rotation_of(turned)
    file = f"{name} moved.obj"
    return LinkMesh(file, mesh.scale, (), ((file, write_obj(points, surface.triangles)),)), ""


def _of_file(
    values: MjcfValues, node: XmlNode, file: str, scale: Triple
) -> tuple[LinkMesh | None, str]:
    path = file.replace("\\", "/")
    path = path.rpartition("/")[2] if values.units_of(node).bare_names else path
    folder = values.units_of(node).mesh_folder
    path = f"{folder.rstrip('/')}/{path}" if folder and not path.startswith("/") else path
    if not path.lower().endswith(ENDINGS):
        return None, f"its mesh {path} is not read; read are {', '.join(ENDINGS)}"
    try:
        mesh = values.meshes.filled(LinkMesh(path, scale))
        if path.lower().endswith(SCENES):
            surface_of(mesh)
        return mesh, ""
    except MeshError as error:
        if path.lower().endswith(SCENES):
            return None, f"its mesh {path}: {error.problem}; {error.remedy}"
        if isinstance(error.__cause__, OutsideError):
            return None, f"its mesh {error.problem}; {error.remedy}"
        values.fault(node, path, error.problem, error.remedy)
        return LinkMesh(path, scale), ""


def _of_text(
    values: MjcfValues, node: XmlNode, name: str, scale: Triple
) -> tuple[LinkMesh | None, str]:
    """Triangles of the text itself, as a file that holds them with all digits."""
    vertices = values.listed(node, "vertex", CORNERS_MAX)
    faces = values.listed(node, "face", CORNERS_MAX)
    if not vertices or not faces or len(vertices) % 3 or len(faces) % 3:
        return None, "its mesh has neither a file nor vertices and faces"
    points, corners = np.array(vertices).reshape(-1, 3), np.array(faces).reshape(-1, 3)
    if corners.min() < 0 or corners.max() >= len(points) or (corners % 1.0).any():
        right = f"whole numbers from 0 to {len(points) - 1}"
        values.fault(node, None, f"{named(node)} face: no such vertex", right)
        return None, ""
    if node.get("texcoord") is not None:
        values.losses.append(node.loss("texcoord", None, "textures are not read from MJCF"))
    data = write_obj(points, corners.astype(np.intp))
    file = f"{name}.obj"
    return LinkMesh(file, scale, (), ((file, data),)), ""
