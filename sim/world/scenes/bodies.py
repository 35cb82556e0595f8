"""A body of a scene as a robot's link on its joint: shape, mass, motion by the same rules."""

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.bodies import PlacedBody, placed_bodies
from sim.world.robots.body import BodyPlace
from sim.world.robots.model import NOWHERE, JointType, Robot, RobotJoint, RobotLink
from sim.world.robots.tree import rotation_of
from sim.world.scenes.model import BodyMotion, SceneBody

Array = NDArray[np.float64]

LINK_FIELDS = (
    "name", "shape", "size_m", "colour", "density_kg_m3", "mass_kg", "inertia", "place",
)  # fmt: skip
"""That a body and a link have both."""
JOINT_FIELDS = {
    "axis": "axis", "start": "start", "limits": "limits", "friction": "joint_friction",
    "damping": "damping", "armature": "armature",
}  # fmt: skip
"""Of a body, by those of a joint."""
MOVED = (BodyMotion.HINGE, BodyMotion.SLIDE)
"""Motions with one coordinate."""


def link_of(body: SceneBody) -> RobotLink:
    """Its shape and mass."""
    fields: dict[str, Any] = {field: getattr(body, field) for field in LINK_FIELDS}
    return RobotLink(0, (0.0, 0.0, 0.0, 0.0), **fields)


def joint_of(body: SceneBody) -> RobotJoint:
    """Its motion."""
    return RobotJoint(
        0, JointType(body.motion.value), body.axis, NOWHERE, 0, name=body.name,
        start=(body.start,) if body.motion in MOVED else None,
        limits=() if body.limits is None else (body.limits,),
        friction=body.joint_friction, damping=body.damping, armature=body.armature,
    )  # fmt: skip


def placed_body(body: SceneBody) -> PlacedBody:
    """Where its shape is in its frame (about the origin if it is not told), and what it weighs."""
    link = link_of(body)
    centred = replace(link, place=link.place or BodyPlace((0.0, 0.0, 0.0)))
    return placed_bodies(Robot((centred,), ()))[0]


def pose_of_body(position_m: tuple[float, ...], quaternion: tuple[float, ...]) -> Array:
    """A frame from position and quaternion, shape (4, 4)."""
    pose = np.eye(4)
    pose[:3, :3] = rotation_of(quaternion)
    pose[:3, 3] = position_m
    return pose
