"""The spanning tree of a robot's links, and where they are for given joint coordinates.

A link's frame in that of the link before it is its D-H frame, moved by its joint in the link's own
axes: ``X_PN = A(dh) M(q)``. Joints with points on both links are no part of the tree: they close
loops.
"""

import math
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.body import Numbers
from sim.world.robots.dh import pose_of
from sim.world.robots.model import (
    AT_REST,
    BASE,
    NOWHERE,
    REST,
    JointType,
    Robot,
    RobotJoint,
    RobotLink,
)

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class RobotTree:
    """A robot with its links in an order in which each comes after the one that carries it."""

    robot: Robot
    """Graph of the robot."""
    links: tuple[RobotLink, ...]
    """Links, base first, breadth first; links that nothing ties to the base are left out."""
    drivers: Mapping[int, RobotJoint]
    """Joints that move each link, by the link's number."""
    loops: tuple[RobotJoint, ...]
    """Joints that close loops."""
    ends: tuple[RobotJoint, ...]
    """Places on links, such as those of tools."""

    def coordinates(self, wanted: Mapping[int, Sequence[float]]) -> dict[int, Numbers]:
        """Coordinates of every joint of the tree, by its number.

        Args:
            wanted: of some joints; the others are where they start, and those that follow one
                (`Mimic`) follow.
        """
        moving = {joint.number: joint for joint in self.drivers.values()}
        found = {
            number: tuple(wanted.get(number, joint.start or REST[joint.type]))
            for number, joint in moving.items()
        }
        for number, joint in moving.items():
            if joint.mimic is not None:
                (other,) = found[joint.mimic.joint]
                found[number] = (joint.mimic.ratio * other + joint.mimic.offset,)
        return found

    def poses(self, wanted: Mapping[int, Sequence[float]] | None = None) -> dict[int, Array]:
        """Compute the frames of all links in the world, shape (4, 4) each, by the link's number."""
        coordinates = self.coordinates(wanted or {})
        found = {NOWHERE: np.eye(4)}
        for link in self.links:
            joint = self.drivers[link.number]
            at_rest = found[joint.parent] @ pose_of(link.dh)
            found[link.number] = at_rest @ motion(joint, coordinates[joint.number])
        del found[NOWHERE]
        return found

    def end_poses(self, poses: Mapping[int, Array]) -> dict[int, Array]:
        """Compute the frames of the ends, shape (4, 4) each, by their joint's number."""
        return {end.number: poses[end.parent] @ _shift(end.at_parent_m or ()) for end in self.ends}


def spanning_tree(robot: Robot) -> RobotTree:
    """Order the links of a robot from its base on."""
    links = {link.number: link for link in robot.links}
    drivers = drivers_of(robot)
    carried: dict[int, list[int]] = {}
    for number, joint in drivers.items():
        carried.setdefault(joint.parent, []).append(number)
    order: list[int] = []
    waiting = deque(
        [BASE] if BASE in links and BASE in drivers and drivers[BASE].parent == NOWHERE else []
    )
    while waiting:
        order.append(waiting.popleft())
        waiting.extend(sorted(carried.get(order[-1], ())))
    return RobotTree(
        robot,
        tuple(links[number] for number in order),
        {number: drivers[number] for number in order},
        tuple(joint for joint in robot.joints if joint.closes),
        tuple(joint for joint in robot.joints if joint.type is JointType.END),
    )


def drivers_of(robot: Robot) -> dict[int, RobotJoint]:
    """Find the joint that moves each link, by the link's number; the first if there are several."""
    found: dict[int, RobotJoint] = {}
    for joint in robot.joints:
        if not joint.closes and joint.type is not JointType.END:
            found.setdefault(joint.child, joint)
    return found


def motion(joint: RobotJoint, coordinates: Sequence[float]) -> Array:
    """Compute the motion of a joint's link, in the link's axes, shape (4, 4)."""
    moved, shift, turned, at = np.eye(4), None, None, 0
    for kind, axis in joint.motions:
        if kind == "slide":
            travel = coordinates[at] * unit(axis)
            shift = travel if shift is None else shift + travel
        else:
            one = turn(axis, coordinates[at]) if kind == "hinge" else rotation_of(coordinates[at:])
            turned = one if turned is None else turned @ one
        at += len(AT_REST[kind])
    if shift is not None:
        moved[:3, 3] = shift
    if turned is not None:
        moved[:3, :3] = turned
    return moved


def unit(axis: Sequence[float]) -> Array:
    """Scale an axis to length 1, shape (3,)."""
    return np.asarray(axis, dtype=np.float64) / math.hypot(*axis)


def turn(axis: Sequence[float], angle_rad: float) -> Array:
    """Compute the rotation about an axis (Rodrigues), shape (3, 3)."""
    if not angle_rad:
        return np.eye(3)
    x, y, z = unit(axis).tolist()
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    half = 2.0 * math.sin(0.5 * angle_rad) ** 2
    return np.eye(3) + math.sin(angle_rad) * cross + half * (cross @ cross)


def rotation_of(quaternion: Sequence[float]) -> Array:
    """Compute the rotation of a quaternion w, x, y, z, shape (3, 3)."""
    length = math.hypot(*quaternion)
    w, x, y, z = (one / length for one in quaternion)
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def _shift(position_m: Sequence[float]) -> Array:
    pose = np.eye(4)
    pose[:3, 3] = position_m
    return pose
