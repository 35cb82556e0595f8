"""What a mesh loses by being touched as its convex hull; the engine makes the hull."""

from collections.abc import Iterator
from functools import lru_cache
from typing import Any, Final
from xml.etree.ElementTree import Element

import numpy as np

from sim.world.engine.library import EngineMissingError, engine
from sim.world.engine.mjcf_meshes import MeshAssets
from sim.world.meshes.mass import open_edges, volume_m3
from sim.world.meshes.mesh_reader import parts_of, surface_of
from sim.world.robots.body import LinkMesh
from sim.world.robots.losses import Loss
from sim.world.robots.model import Robot
from sim.world.robots.xml_writer import add, document

FAR_M: Final = 100.0
"""Length of a mesh from which on it is asked whether its scale is right."""
CONVEX: Final = 1.001
"""Volume of the hull, by that of the mesh, up to which it is the same body."""


def mesh_losses(robot: Robot) -> Iterator[Loss]:
    """What the engine does not have of a robot's meshes."""
    for link in robot.links:
        seen = link.visual and link.visual.mesh
        for mesh in dict.fromkeys(one for one in (link.mesh, seen) if one is not None):
            for note in (*mesh.left_out, *surface_of(mesh).notes):
                yield Loss(f"link {link.number}", "mesh", mesh, note)
            if (length_m := float(np.ptp(surface_of(mesh).vertices, axis=0).max())) > FAR_M:
                note = f"it is {length_m:.4g} m long; if its numbers are mm, its scale is 0.001"
                yield Loss(f"link {link.number}", "mesh", mesh, note)
        if link.mesh is not None:
            yield from _hull_losses(link.number, link.mesh)


def _hull_losses(number: int, mesh: LinkMesh) -> Iterator[Loss]:
    surface, parts = surface_of(mesh), parts_of(mesh)
    subject, what = f"link {number}", "its convex hull touches others"
    remedy = "parts = [...] names files of convex parts"
    if parts:
        what, remedy = "hulls of its parts touch others", "parts that are convex and meet"
    try:
        hulls_m3 = hulls_volume_m3(mesh)
    except EngineMissingError:
        yield Loss(subject, "mesh", mesh, f"{what}, how much larger is not known: {remedy}")
        return
    if open_edges(surface):
        yield Loss(subject, "mesh", mesh, f"{what}, as it is not closed: {remedy}")
    elif (ratio := hulls_m3 / abs(volume_m3(surface))) > CONVEX or ratio < 1.0 / CONVEX:
        yield Loss(subject, "mesh", mesh, f"{what}, of {ratio:.3f} times its volume; {remedy}")


@lru_cache(maxsize=512)
def hulls_volume_m3(mesh: LinkMesh) -> float:
    """Of all hulls by which a mesh is touched, as the engine makes them.

    Raises:
        EngineMissingError: if the engine is not installed.
    """
    library: Any = engine()
    root = Element("mujoco")
    names = MeshAssets(root).touched(mesh)
    body = add(add(root, "worldbody"), "body")
    for name in names:
        add(body, "geom", type="mesh", mesh=name, density=1.0)
    return float(library.MjModel.from_xml_string(document(root)).body_mass[1])
