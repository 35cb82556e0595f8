"""Whether a link's meshes can be had, touched and weighed."""

from collections.abc import Iterator, Sequence

from sim.world.meshes.mass import encloses_no_volume, open_edges
from sim.world.meshes.mesh_reader import parts_of, surface_of, triangles_of
from sim.world.meshes.surface import ROBOT_TRIANGLES_MAX, MeshError
from sim.world.robots.body import BodyShape, LinkMesh
from sim.world.robots.faults import Finding
from sim.world.robots.model import RobotLink

Problem = tuple[str, object, str, str]
"""Field, value, what is wrong, what would be right."""


def too_many_triangles(links: Sequence[RobotLink]) -> Iterator[Finding]:
    """The first link whose meshes, with those of the links before it, have too many."""
    count = 0
    for index, link in enumerate(links):
        for mesh in (link.mesh, link.visual and link.visual.mesh):
            count += triangles_of(mesh) if mesh is not None else 0
        if count > ROBOT_TRIANGLES_MAX:
            problem = f"meshes up to it have more than {ROBOT_TRIANGLES_MAX} triangles"
            right = "reduce (decimate) them in a modelling program"
            yield Finding(("link", index, "mesh"), f"link {link.number}", link.mesh, problem, right)
            return


def mesh_problems(link: RobotLink) -> Iterator[Problem]:
    """Of a link's body, and of what is seen of it."""
    yield from _problems_of("mesh", link.shape, link.mesh)
    if link.shape is BodyShape.MESH and link.mesh is not None and _has_scale(link.mesh):
        yield from _of_body(link, link.mesh)
    seen = link.visual
    if seen is not None:
        yield from _problems_of("visual", seen.shape, seen.mesh)
        if seen.shape is BodyShape.MESH and seen.mesh is not None and _has_scale(seen.mesh):
            yield from _of_visual(seen.mesh)


def _problems_of(field: str, shape: BodyShape, mesh: LinkMesh | None) -> Iterator[Problem]:
    if (shape is BodyShape.MESH) != (mesh is not None):
        if mesh is None:
            yield field, None, "the shape is a mesh, of no file", 'mesh = { file = "part.stl" }'
        else:
            problem = f"a mesh is told, and the shape is {shape}"
            yield field, mesh.file, problem, 'shape = "mesh"'
    elif mesh is not None and not _has_scale(mesh):
        yield field, mesh.scale, "no scale", "three finite numbers that are not 0, such as 0.001"


def _has_scale(mesh: LinkMesh) -> bool:
    return all(1e-9 <= abs(one) <= 1e9 for one in mesh.scale)


def _of_body(link: RobotLink, mesh: LinkMesh) -> Iterator[Problem]:
    try:
        surface, parts = surface_of(mesh), parts_of(mesh)
    except MeshError as error:
        yield "mesh", mesh.file, error.problem, error.remedy
        return
    if any(one.is_flat for one in parts or (surface,)):
        right = "a body with thickness; what is seen only is a visual"
        yield "mesh", mesh.file, "it is flat, and nothing can touch it", right
    if not link.density_kg_m3 and link.mass_kg is None:
        return
    right = "close it in a modelling program, or tell mass and inertia outright"
    if edges := open_edges(surface):
        problem = f"it is not closed, so it has no volume: {edges} edges join no two triangles"
        yield "mesh", mesh.file, problem, right
    elif encloses_no_volume(surface):
        yield "mesh", mesh.file, "it bounds no volume", right


def _of_visual(mesh: LinkMesh) -> Iterator[Problem]:
    if mesh.parts:
        yield "visual", mesh.file, "nothing touches what is seen", "leave out its parts"
    try:
        surface_of(mesh)
    except MeshError as error:
        yield "visual", mesh.file, error.problem, error.remedy
