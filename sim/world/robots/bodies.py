"""Where a link's body is, how long it is, and what it weighs.

Eq. (4) of Su and Xue, missing from our copy, is taken to mean: a body lies between the joint that
moves its link and the first joint that leaves it, or, if none does, one that closes a loop there.
Bodies whose joints coincide, and those of a last link, take their length from the document and lie
along z: about the joint in the first case, from the joint on in the second. A mesh has its place in
its own file.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sim.world.meshes.mass import solid_mesh
from sim.world.meshes.mesh_reader import surface_of
from sim.world.robots.body import BodyShape, LinkInertia, LinkMesh, Numbers
from sim.world.robots.dh import pose_of
from sim.world.robots.model import JointType, Robot, RobotLink
from sim.world.robots.shapes import SIZES, MassProperties, solid, tensor_of, volume_m3
from sim.world.robots.tree import rotation_of

Array = NDArray[np.float64]

SHORTEST_M = 1e-9
"""Distance of two joints below which they are at one place."""
STEEP = -0.9
"""z of a direction below which the smallest turn to it would lose digits."""


@dataclass(frozen=True, slots=True, eq=False)
class PlacedBody:
    """A body in its link's frame."""

    shape: BodyShape
    """What it looks like."""
    size_m: Numbers
    """All numbers that its shape asks for, the length last."""
    position_m: Array
    """Of its centre, shape (3,)."""
    rotation: Array
    """Its axes as columns, shape (3, 3); its length lies along the third."""
    mass: MassProperties
    """Of the link, in the link's frame."""
    mesh: LinkMesh | None = None
    """Of a mesh."""


def far_points_m(robot: Robot) -> dict[int, Array]:
    """For each link the point that its body reaches to, in its own frame; none of last links."""
    joints = {joint.number: joint for joint in robot.joints}
    links = {link.number: link for link in robot.links}
    found: dict[int, Array] = {}
    for joint in robot.joints:
        if joint.closes and joint.at_child_m is not None:
            found.setdefault(joint.child, np.array(joint.at_child_m))
    for link in robot.links:
        if link.leaving and (joint := joints.get(link.leaving[0])) is not None:
            if joint.at_parent_m is not None:
                found[link.number] = np.array(joint.at_parent_m)
            elif joint.type is not JointType.END and joint.child in links:
                found[link.number] = pose_of(links[joint.child].dh)[:3, 3]
    return found


def needs_length(link: RobotLink, far_m: Array | None) -> bool:
    """Whether a body's length must be in its size, as no two joints tell it."""
    if link.shape in (BodyShape.NONE, BodyShape.SPHERE):
        return False
    if len(link.size_m) == len(SIZES[link.shape]):
        return False
    apart = 0.0 if far_m is None else float(np.linalg.norm(far_m))
    return link.place is not None or apart < SHORTEST_M


def scale_mass(robot: Robot, total_kg: float) -> Robot:
    """The robot with all masses and moments in proportion, so that it weighs so much."""
    masses = [body.mass.mass_kg for body in placed_bodies(robot).values()]
    share = total_kg / sum(masses) if sum(masses) > 0.0 else 1.0
    return replace(robot, links=tuple(_scaled(link, share) for link in robot.links))


def _scaled(link: RobotLink, share: float) -> RobotLink:
    inertia = link.inertia
    if inertia is not None:
        xx, yy, zz, xy, xz, yz = (share * one for one in inertia.inertia_kg_m2)
        inertia = LinkInertia(share * inertia.mass_kg, inertia.centre_m, (xx, yy, zz, xy, xz, yz))
    mass_kg = None if link.mass_kg is None else share * link.mass_kg
    return replace(link, density_kg_m3=share * link.density_kg_m3, mass_kg=mass_kg, inertia=inertia)


def placed_bodies(robot: Robot) -> Mapping[int, PlacedBody]:
    """The body of every link, by the link's number."""
    far = far_points_m(robot)
    return {link.number: _placed(link, far.get(link.number)) for link in robot.links}


def _placed(link: RobotLink, far_m: Array | None) -> PlacedBody:
    size = tuple(link.size_m)
    apart = 0.0 if far_m is None else float(np.linalg.norm(far_m))
    whole = len(size) == len(SIZES[link.shape])
    size = size if whole else (*size, apart)
    if link.place is not None:
        position, rotation = np.array(link.place.position_m), rotation_of(link.place.quaternion)
    elif link.shape is BodyShape.MESH:
        position, rotation = np.zeros(3), np.eye(3)
    elif far_m is None and link.shape is not BodyShape.SPHERE:
        length = size[-1] if size else 0.0
        position, rotation = np.array([0.0, 0.0, 0.5 * length]), np.eye(3)
    else:
        position = np.zeros(3) if far_m is None else 0.5 * far_m
        along_axes = apart < SHORTEST_M or (whole and link.shape is BodyShape.BOX)
        rotation = np.eye(3) if along_axes or far_m is None else _along(far_m / apart)
    mass = _mass(link, size, position, rotation)
    return PlacedBody(link.shape, size, position, rotation, mass, link.mesh)


def _mass(link: RobotLink, size: Numbers, position_m: Array, rotation: Array) -> MassProperties:
    if link.inertia is not None:
        inertia = link.inertia
        return MassProperties(
            inertia.mass_kg, np.array(inertia.centre_m), tensor_of(inertia.inertia_kg_m2)
        )
    mass = link.mass_kg
    if link.mesh is not None and (mass or link.density_kg_m3):
        of_mesh = solid_mesh(surface_of(link.mesh), mass, link.density_kg_m3)
        return of_mesh.seen_from(rotation, position_m)
    if mass is None:
        mass = link.density_kg_m3 * volume_m3(link.shape, size)
    return solid(link.shape, size, mass).seen_from(rotation, position_m)


def _along(direction: Array) -> Array:
    """The smallest turn that takes z to a direction, shape (3, 3).

    Down to 26° from -z; nearer to it half a turn about x, and then the smallest one.
    """
    x, y, z = direction.tolist()
    if z < STEEP:
        over = np.diag([1.0, -1.0, -1.0])
        return over @ _along(over @ direction)
    share = 1.0 / (1.0 + z)
    return np.array(
        [
            [1.0 - x * x * share, -x * y * share, x],
            [-x * y * share, 1.0 - y * y * share, y],
            [-x, -y, z],
        ]
    )
