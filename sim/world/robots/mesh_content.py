"""Meshes of a document filled with what is in their files; faults stand where the document is."""

from dataclasses import replace

from sim.world.meshes.mesh_reader import MeshFiles, MeshReader
from sim.world.meshes.surface import MeshError
from sim.world.robots.body import LinkMesh
from sim.world.robots.faults import FaultList, FieldKey
from sim.world.robots.model import Robot, RobotLink


def load_meshes(robot: Robot, files: MeshFiles, faults: FaultList) -> Robot:
    """The robot with the contents of its meshes.

    Args:
        files: where they are had from.
        faults: take what cannot be had.
    """
    if not any(link.mesh or (link.visual and link.visual.mesh) for link in robot.links):
        return robot
    reader = MeshReader(files)
    links = tuple(_filled(link, index, reader, faults) for index, link in enumerate(robot.links))
    return replace(robot, links=links)


def _filled(link: RobotLink, index: int, reader: MeshReader, faults: FaultList) -> RobotLink:
    if link.mesh is not None:
        link = replace(link, mesh=_one(link.mesh, ("link", index, "mesh"), reader, faults))
    if link.visual is not None and link.visual.mesh is not None:
        seen = _one(link.visual.mesh, ("link", index, "visual"), reader, faults)
        link = replace(link, visual=replace(link.visual, mesh=seen))
    return link


def _one(mesh: LinkMesh, field: FieldKey, reader: MeshReader, faults: FaultList) -> LinkMesh:
    """Filled; a mesh with contents of its own has no other files, and they are judged likewise."""
    try:
        return (MeshReader(_held(mesh)) if mesh.contents else reader).filled(mesh)
    except MeshError as error:
        faults.unreadable(field, mesh.file, error.problem, error.remedy)
        return replace(mesh, contents=())


def _held(mesh: LinkMesh) -> MeshFiles:
    def read(path: str) -> bytes:
        if (data := mesh.content(path)) is None:
            raise FileNotFoundError(2, "the document does not hold it")
        return data

    return read
