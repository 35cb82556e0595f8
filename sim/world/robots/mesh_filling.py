"""Meshes of a document filled with what is in their files; faults stand where the document is."""

from dataclasses import replace

from sim.world.meshes.reading import MeshFiles, filled
from sim.world.meshes.surface import MeshError
from sim.world.robots.faults import FaultList, FieldKey
from sim.world.robots.model import LinkMesh, Robot, RobotLink


def with_files(robot: Robot, files: MeshFiles, faults: FaultList) -> Robot:
    """The robot with the contents of its meshes.

    Args:
        files: where they are had from.
        faults: take what cannot be had.
    """
    if not any(link.mesh or (link.visual and link.visual.mesh) for link in robot.links):
        return robot
    links = tuple(_filled(link, index, files, faults) for index, link in enumerate(robot.links))
    return replace(robot, links=links)


def _filled(link: RobotLink, index: int, files: MeshFiles, faults: FaultList) -> RobotLink:
    if link.mesh is not None:
        link = replace(link, mesh=_one(link.mesh, ("link", index, "mesh"), files, faults))
    if link.visual is not None and link.visual.mesh is not None:
        seen = _one(link.visual.mesh, ("link", index, "visual"), files, faults)
        link = replace(link, visual=replace(link.visual, mesh=seen))
    return link


def _one(mesh: LinkMesh, field: FieldKey, files: MeshFiles, faults: FaultList) -> LinkMesh:
    if mesh.contents:
        return mesh
    try:
        return filled(mesh, files)
    except MeshError as error:
        faults.unreadable(field, mesh.file, error.problem, error.remedy)
        return mesh
