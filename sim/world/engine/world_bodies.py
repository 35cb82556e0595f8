"""Bodies of a scene in a world, contacts and pushes.

Poses, speeds and contacts are those of the beginning of the last step, as the engine computes them
first and steps then; `World.settle` brings them to its end.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.body import Numbers
from sim.world.scenes.bodies import MOVED
from sim.world.scenes.model import BodyMotion, SceneBody

Array = NDArray[np.float64]

CORNERS: Final[Array] = np.array(list(product((-1.0, 1.0), repeat=3)))
"""Corners of a box, in halves of its edges."""
UNMOVED: Final[Array] = np.eye(4)
"""Pose of a frame that is where the world's is."""


@dataclass(frozen=True, slots=True)
class Push:
    """A force and a moment that act for some time."""

    body: int
    """Engine's number of the body."""
    wrench: Numbers
    """Force [N] at its centre of mass and moment [N m], in the world's axes."""
    left_s: float
    """Time that they still act."""

    def after(self, step_s: float) -> "Push":
        """Push that remains after a step, without a remainder of rounding."""
        left_s = self.left_s - step_s
        return replace(self, left_s=left_s if left_s > 1e-9 * step_s else 0.0)


@dataclass(frozen=True, slots=True, eq=False)
class Contact:
    """Point at which two bodies touch. Arrays are read-only."""

    bodies: tuple[str, str]
    """Names of the two: bodies of the scene, links of robots, the floor."""
    position_m: Array
    """Position in the world, shape (3,)."""
    force_n: Array
    """Force of the first on the second, in the world's axes, shape (3,)."""
    depth_m: float
    """Penetration depth; below 0 if the bodies are apart."""

    def __post_init__(self) -> None:
        for array in (self.position_m, self.force_n):
            array.setflags(write=False)


class WorldBody:
    """A body of a scene.

    Args:
        library: the engine.
        model: of the engine.
        data: the engine's state.
    """

    def __init__(self, library: Any, model: Any, data: Any, body: SceneBody) -> None:
        self.document = body
        """Body as the scene describes it."""
        self._engine, self._model, self._data = library, model, data
        self._body = int(model.body(body.name).id)
        self._positions = self._freedoms = np.arange(0)
        self.start: Numbers = ()
        """Coordinates where the scene begins: position [m] and quaternion w, x, y, z of a free
        body, angle [rad] or travel [m] of a hinge or slide, none of a fixed one."""
        if body.motion is BodyMotion.FREE:
            self.start = (*body.position_m, *body.quaternion)
        elif body.motion in MOVED:
            self.start = (body.start,)
        if self.start:
            joint = model.joint(f"{body.name}/joint")
            self._positions = joint.qposadr[0] + np.arange(len(self.start))
            self._freedoms = joint.dofadr[0] + np.arange(min(len(self.start), 6))

    def move_to(self, coordinates: Sequence[float]) -> None:
        """Move it at once; what follows from that is computed by `World.settle`."""
        self._data.qpos[self._positions] = coordinates

    def coordinates(self) -> Numbers:
        """Coordinates as in `start`, at the end of the last step."""
        return tuple(self._data.qpos[self._positions].tolist())

    def speeds(self) -> Numbers:
        """Speeds of its coordinates at the end of the last step.

        Of a free body linear ones in the world's axes [m/s], then angular ones in its own [rad/s].
        """
        return tuple(self._data.qvel[self._freedoms].tolist())

    def pose(self) -> Array:
        """Frame of the body in the world, shape (4, 4)."""
        return body_pose(self._data, self._body)

    def velocity(self) -> tuple[Array, Array]:
        """Velocity of its frame's origin [m/s], and angular velocity [rad/s]; the world's axes."""
        found = np.zeros(6)
        kind = self._engine.mjtObj.mjOBJ_XBODY
        self._engine.mj_objectVelocity(self._model, self._data, kind, self._body, found, 0)
        return found[3:], found[:3]


def body_pose(data: Any, body: int) -> Array:
    """Frame of a body in the world after the last step, shape (4, 4), by the engine's number."""
    pose = UNMOVED.copy()
    pose[:3, :3] = data.xmat[body].reshape(3, 3)
    pose[:3, 3] = data.xpos[body]
    return pose


def corners_of(library: Any, model: Any, data: Any) -> Array:
    """Corners of boxes about all shapes but endless planes, and origins of bodies, shape (n, 3)."""
    planes = model.geom_type == library.mjtGeom.mjGEOM_PLANE
    found = [data.xpos[1:] if model.nbody > 1 else np.zeros((1, 3))]
    for geom in np.flatnonzero(~planes).tolist():
        box = model.geom_aabb[geom]
        local = box[:3] + CORNERS * box[3:]
        found.append(local @ data.geom_xmat[geom].reshape(3, 3).T + data.geom_xpos[geom])
    return np.concatenate(found)


def contacts_of(library: Any, model: Any, data: Any) -> tuple[Contact, ...]:
    """List the contacts, in the engine's order."""
    found: list[Contact] = []
    for index in range(data.ncon):
        contact, wrench = data.contact[index], np.zeros(6)
        library.mj_contactForce(model, data, index, wrench)
        axes = contact.frame.reshape(3, 3)
        names = (_name(model, int(contact.geom[0])), _name(model, int(contact.geom[1])))
        force_n, at_m = axes.T @ wrench[:3], contact.pos.copy()
        found.append(Contact(names, at_m, force_n, -float(contact.dist)))
    return tuple(found)


def _name(model: Any, geom: int) -> str:
    """Name of the body that a geom belongs to, or of the geom if that is the world."""
    body = int(model.geom_bodyid[geom])
    return model.body(body).name if body else model.geom(geom).name


def ties_of(library: Any, model: Any) -> tuple[tuple[str, str], ...]:
    """List the two parts of each equality by their names, or those of the bodies they are on.

    A joint that follows none is tied to the world.
    """
    kinds, found = library.mjtObj, list[tuple[str, str]]()
    named = {int(kinds.mjOBJ_BODY): model.body, int(kinds.mjOBJ_JOINT): model.joint,
             int(kinds.mjOBJ_SITE): model.site, int(kinds.mjOBJ_TENDON): model.tendon}  # fmt: skip
    joint = int(library.mjtEq.mjEQ_JOINT)
    for number in range(model.neq):
        kind = int(model.eq_objtype[number])
        if int(model.eq_type[number]) == joint:
            kind = int(kinds.mjOBJ_JOINT)
        sides = int(model.eq_obj1id[number]), int(model.eq_obj2id[number])
        first, second = ("world" if at < 0 else str(named[kind](at).name) for at in sides)
        found.append((first, second))
    return tuple(found)
