"""Meshes of URDF: ``<mesh filename scale>``, with ``<part filename>`` of ours for convex parts."""

from urllib.parse import unquote

from sim.world.meshes.mesh_reader import ENDINGS, SCENES, OutsideError, surface_of
from sim.world.meshes.surface import MeshError
from sim.world.robots.body import LinkMesh
from sim.world.robots.xml_nodes import XmlNode
from sim.world.robots.xml_values import XmlValues, triple

PACKAGE = "package://"
"""Begins the path of a file in a package, whose folder another program knows."""


def read_mesh(values: XmlValues, node: XmlNode) -> tuple[LinkMesh | None, str]:
    """A mesh with its files, or none and why it is left out.

    Files of other programs' forms that are not read, and of packages that are not found, are left
    out; an STL or OBJ of the document's own that cannot be read is a fault.
    """
    file = path_of(values.word(node, "filename"))
    scale = values.numbers(node, "scale", (1.0, 1.0, 1.0))
    parts = tuple(path_of(values.word(part, "filename")) for part in node.all("part"))
    if node.attributes.get("filename") == "":
        return None, "its mesh has no name of a file"
    if file and not file.lower().endswith(ENDINGS):
        return None, f"its mesh {file} is not read; read are {', '.join(ENDINGS)}"
    mesh = LinkMesh(file, triple(scale), parts)
    try:
        mesh = values.meshes.filled(mesh) if file else mesh
        if file.lower().endswith(SCENES):
            surface_of(mesh)
        return mesh, ""
    except MeshError as error:
        if file.lower().endswith(SCENES):
            return None, f"its mesh {file}: {error.problem}; {error.remedy}"
        if isinstance(error.__cause__, OutsideError):
            return None, f"its mesh {error.problem}; {error.remedy}"
        if file.startswith(PACKAGE) and not isinstance(error.__cause__, OutsideError):
            return None, f"its mesh {file} is not there: no folder above the document has it"
        values.fault(node, file, error.problem, error.remedy)
    return mesh, ""


def path_of(name: str) -> str:
    """Of a file: with slashes, as of Windows too; of an URI its letters that are written as %20."""
    name = name.replace("\\", "/")
    return unquote(name) if "://" in name else name


def unreadable(mesh: LinkMesh) -> str:
    """Why a mesh that is only seen is left out: no motion asks for it; empty if it can be had."""
    try:
        surface_of(mesh)
    except MeshError as error:
        return f"its mesh {mesh.file}: {error.problem}"
    return ""
