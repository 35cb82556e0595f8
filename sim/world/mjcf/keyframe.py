"""Where a model begins: the first of its keys, as coordinates of a document's joints."""

import numpy as np

from sim.world.mjcf.bodies import ModelBodies
from sim.world.mjcf.joints import MjcfJoint
from sim.world.mjcf.values import MjcfValues, shift
from sim.world.robots.body import Numbers
from sim.world.robots.model import REST, JointType
from sim.world.robots.rotations import quaternion_of
from sim.world.robots.tree import rotation_of
from sim.world.robots.xml_nodes import XmlNode

POSITIONS_MAX = 100_000
"""Coordinates of a model at most."""


def read_start(values: MjcfValues, root: XmlNode, bodies: ModelBodies) -> None:
    """Give joints their coordinates of the first key; others are told."""
    key: XmlNode | None = None
    for section in root.all("keyframe"):
        key = section.one("key") if key is None else key
    if key is None or key.get("qpos") is None:
        return
    key.get("name")
    positions = values.listed(key, "qpos", POSITIONS_MAX)
    counts = [_count(mine) for _, mine in bodies.moving]
    if len(positions) != sum(counts):
        right = f"{sum(counts)} of all joints in their order"
        values.fault(key, len(positions), "so many coordinates of another model", right)
        return
    at = 0
    for (joint, mine), count in zip(bodies.moving, counts, strict=True):
        start = _start(joint.type, mine, positions[at : at + count], bodies, joint.child)
        if not joint.leader:
            joint.start = None if start is None or start == REST[joint.type] else start
        at += count
        if start is None:
            values.fault(
                key, positions[at - count : at], "a quaternion of no length", "of length 1"
            )


def _count(joint: MjcfJoint) -> int:
    return len(REST[joint.type])


def _start(
    kind: JointType, joint: MjcfJoint, coordinates: Numbers, bodies: ModelBodies, link: str
) -> Numbers | None:  # fmt: skip
    match kind:
        case JointType.BALL:
            return _unit(coordinates)
        case JointType.FREE:
            if (turned := _unit(coordinates[3:])) is None:
                return None
            if joint.is_made:
                return (*coordinates[:3], *turned)
            pose = shift(np.array(coordinates[:3]))
            pose[:3, :3] = rotation_of(turned)
            own = np.linalg.inv(bodies.poses[link]) @ pose
            return (*own[:3, 3].tolist(), *quaternion_of(own[:3, :3]))
        case _:
            return tuple(one - ref for one, ref in zip(coordinates, joint.refs, strict=True))


def _unit(quaternion: Numbers) -> Numbers | None:
    length = float(np.linalg.norm(quaternion))
    if length == 0.0:
        return None
    return quaternion if abs(length - 1.0) <= 1e-12 else tuple(one / length for one in quaternion)
