"""Bodies of a scene's fields at random places that do not overlap; a seed decides them all."""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.body import BodyShape
from sim.world.robots.tree import motion, rotation_of
from sim.world.scenes.bodies import MOVED, joint_of, placed_body, pose_of_body
from sim.world.scenes.extents import COUNT, are_apart, circle_reach_m, reach_m
from sim.world.scenes.model import BodyField, Scene, SceneBody

Array = NDArray[np.float64]

ATTEMPTS: Final = 2000
"""Places that are tried for a body."""


class FieldFullError(ValueError):
    """A field's bodies do not find places; the text says how many did."""

    def __init__(self, field: BodyField, placed: int) -> None:
        self.field: str = field.name
        self.placed: int = placed
        super().__init__(
            f"field {field.name}: {placed} of {field.count} bodies found a place, the next one "
            f"none in {ATTEMPTS} attempts: fewer or smaller bodies, a smaller gap_m than "
            f"{field.gap_m:g} m, or a larger box_m"
        )


def all_bodies(scene: Scene, seed: int = 0) -> tuple[SceneBody, ...]:
    """Bodies of a scene, those of its fields placed.

    What robots carry is not seen: a field's ``clear_m`` keeps their places free.

    Args:
        scene: checked.
        seed: of the run, for fields without a seed of their own.

    Raises:
        FieldFullError: if a body finds no place.
    """
    poses = body_poses(scene)
    taken = [
        reach_m(placed_body(body), poses[body.name])
        for body in scene.bodies
        if body.name in poses and body.shape is not BodyShape.NONE
    ]
    found = list(scene.bodies)
    for index, field in enumerate(scene.fields):
        own = seed if field.seed is None else field.seed
        rng = np.random.default_rng([own, index])
        found += _placed(field, taken, rng)
    return tuple(found)


def body_poses(scene: Scene) -> dict[str, Array]:
    """Frames in the world where the scene begins, shape (4, 4), but of what robots bear."""
    poses = {"": np.eye(4)}
    waiting = list(scene.bodies)
    while ready := [body for body in waiting if body.on in poses]:
        for body in ready:
            pose = poses[body.on] @ pose_of_body(body.position_m, body.quaternion)
            if body.motion in MOVED:
                pose = pose @ motion(joint_of(body), (body.start,))
            poses[body.name] = pose
        waiting = [body for body in waiting if body not in ready]
    del poses[""]
    return poses


def _placed(field: BodyField, taken: list[Array], rng: np.random.Generator) -> Sequence[SceneBody]:
    """A field's bodies; what they take is added."""
    clear = [circle_reach_m(*circle) for circle in field.clear_m]
    found: list[SceneBody] = []
    for number in range(field.count):
        kind = field.kinds[int(rng.integers(len(field.kinds)))]
        others = np.array([*taken, *clear]).reshape(-1, 2, COUNT + 1)
        for _ in range(ATTEMPTS):
            body = _draw_place(field, kind, rng)
            if body is None:
                continue
            reach = reach_m(placed_body(body), pose_of_body(body.position_m, body.quaternion))
            if are_apart(reach, others, field.gap_m):
                found.append(replace(body, name=f"{field.name}_{number + 1}"))
                taken.append(reach)
                break
        else:
            raise FieldFullError(field, number)
    return found


def _draw_place(field: BodyField, kind: SceneBody, rng: np.random.Generator) -> SceneBody | None:
    """A body at a random place, as a whole in the field's box; None if it is larger than that."""
    half = 0.5 * float(rng.uniform(-math.pi, math.pi))
    w, x, y, z = kind.quaternion
    cos, sin = math.cos(half), math.sin(half)
    turned = (cos * w - sin * z, cos * x - sin * y, cos * y + sin * x, cos * z + sin * w)
    pose = np.eye(4)
    pose[:3, :3] = rotation_of(turned)
    reach = reach_m(placed_body(kind), pose)[:, [0, COUNT // 2, COUNT]]  # along x, y, z
    least, greatest = np.array(field.box_m[0]) - reach[0], np.array(field.box_m[1]) - reach[1]
    if field.box_m[0][2] == field.box_m[1][2]:
        greatest[2] = least[2]
    share = rng.uniform(size=3)
    if (greatest < least).any():
        return None
    x_m, y_m, z_m = (least + share * (greatest - least)).tolist()
    return replace(kind, position_m=(x_m, y_m, z_m), quaternion=turned)
