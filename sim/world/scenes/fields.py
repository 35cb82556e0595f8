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
from sim.world.scenes.extents import COUNT, TurnedReaches, are_apart, circle_reach_m, reach_m
from sim.world.scenes.model import BodyField, Scene, SceneBody

Array = NDArray[np.float64]

ATTEMPTS: Final = 2000
"""Most places that are tried for a body."""
FIRST: Final = 8
"""Places that are tried at once to begin with."""
AT_ONCE: Final = 128
"""Places that are tried at once where the first few fail."""
NUMBERS: Final = 4
"""Random numbers of a place: its turn, and its shares of the box along x, y, z."""


class FieldFullError(ValueError):
    """Field without enough places for its bodies; the text says how many found one."""

    def __init__(self, field: BodyField, placed: int) -> None:
        self.field: str = field.name
        self.placed: int = placed
        super().__init__(
            f"field {field.name}: {placed} of {field.count} bodies found a place, the next one "
            f"none in {ATTEMPTS} attempts: fewer or smaller bodies, a smaller gap_m than "
            f"{field.gap_m:g} m, or a larger box_m"
        )


def all_bodies(scene: Scene, seed: int = 0) -> tuple[SceneBody, ...]:
    """List the bodies of a scene, those of its fields placed.

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
    """Compute frames in the world where the scene begins, shape (4, 4), except on robots."""
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
    """Place a field's bodies; their reaches are added to those taken."""
    clear = [circle_reach_m(*circle) for circle in field.clear_m]
    found: list[SceneBody] = []
    for number in range(field.count):
        kind = field.kinds[int(rng.integers(len(field.kinds)))]
        others = np.array([*taken, *clear]).reshape(-1, 2, COUNT + 1)
        drawn = _draw_place(field, kind, others, rng)
        if drawn is None:
            raise FieldFullError(field, number)
        body, reach = drawn
        found.append(replace(body, name=f"{field.name}_{number + 1}"))
        taken.append(reach)
    return found


def _draw_place(
    field: BodyField, kind: SceneBody, others: Array, rng: np.random.Generator
) -> tuple[SceneBody, Array] | None:
    """Draw places for a body until one is apart from others; None if no attempt finds one.

    Many are tried at once; the generator is left as if they had been drawn one by one.

    Returns:
        The body at its place, and its reach there.
    """
    placed, tried = placed_body(kind), 0
    while tried < ATTEMPTS:
        count = min(AT_ONCE if tried else FIRST, ATTEMPTS - tried)
        before = rng.bit_generator.state
        shares = rng.random((count, NUMBERS))
        turned = [_turned(kind, share) for share in shares[:, 0].tolist()]
        reaches = TurnedReaches(placed, np.array([rotation_of(one) for one in turned]))
        places_m, fits = _places(field, reaches.at(np.zeros((count, 3))), shares[:, 1:])
        found = reaches.at(places_m)
        good = np.flatnonzero(fits & are_apart(found, others, field.gap_m))
        if len(good):
            first = int(good[0])
            rng.bit_generator.state = before
            rng.random((first + 1, NUMBERS))
            x_m, y_m, z_m = places_m[first].tolist()
            body = replace(kind, position_m=(x_m, y_m, z_m), quaternion=turned[first])
            return body, found[first]
        tried += count
    return None


def _turned(kind: SceneBody, share: float) -> tuple[float, float, float, float]:
    """Quaternion of a body that is turned about the vertical by a share of a whole turn."""
    half = 0.5 * (-math.pi + (math.pi - -math.pi) * share)
    w, x, y, z = kind.quaternion
    cos, sin = math.cos(half), math.sin(half)
    return cos * w - sin * z, cos * x - sin * y, cos * y + sin * x, cos * z + sin * w


def _places(field: BodyField, reaches: Array, shares: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Places within a field's box by shares of it, and whether the body fits into the box at all.

    Args:
        reaches: of the body in the origin, turned, shape (n, 2, COUNT + 1).
        shares: along x, y, z, shape (n, 3).
    """
    along = reaches[:, :, [0, COUNT // 2, COUNT]]  # along x, y, z
    least, greatest = np.array(field.box_m[0]) - along[:, 0], np.array(field.box_m[1]) - along[:, 1]
    if field.box_m[0][2] == field.box_m[1][2]:
        greatest[:, 2] = least[:, 2]
    fits = np.asarray((greatest >= least).all(axis=1), np.bool_)
    return least + shares * (greatest - least), fits
