"""Hangars of the task `container`: the shipped one with its goods, stand and bin moved."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from sim.world.robots.body import BodyShape
from sim.world.scenes.model import BodyField, BodyMotion, Scene, SceneBody, SceneCamera

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hil.stations.task.container.settings import Obstacle

Place = tuple[float, float]

TEMPLATE: Final = "hangar"
"""Scene that the hangars are made of."""
FRICTION_RATIO: Final = 100.0
"""Stiffness of friction against that of the normal contact: a held container creeps by about
0.01 mm/s, with the engine's 10 by 0.07 mm/s."""
GRIP_CONTACT_S: Final = 0.004
"""Time constant of the contact of the grip bar, whose own friction counts then [s]."""
POLE: Final = SceneBody("pole", BodyShape.CYLINDER, (0.03, 1.6), colour=(0.75, 0.2, 0.15))
"""Thin pole, as a field's kind."""
CLEAR_M: Final = 0.5
"""Radius around stand and bin that stays free for the approach, besides the drawn gap [m]."""
START_CLEAR_M: Final = 0.2
"""Radius around the start that stays free for a turn on the spot, besides the gap [m]."""
WALL_M: Final = 0.1
"""Thickness of a wall [m]."""
PARTS_KG: Final = 0.2
"""Mass of the container's grip bar and its posts [kg]."""
FIELD: Final = "goods"


def kinds(template: Scene) -> tuple[SceneBody, ...]:
    """Kinds of obstacles, none of which moves: what touches one has failed already."""
    field = next(one for one in template.fields if one.name == FIELD)
    return *(replace(one, motion=BodyMotion.FIXED) for one in field.kinds), POLE


def grip_height_m(template: Scene) -> float:
    """Height of the middle of the grip bar above the floor [m]."""
    found = {one.name: one for one in template.bodies}
    return found["container"].position_m[2] + found["grip"].position_m[2]


def rim_height_m(template: Scene) -> float:
    """Height of the bin's rim above the floor [m]."""
    found = {one.name: one for one in template.bodies}
    side = found["bin_side_1"]
    return found["bin"].position_m[2] + side.position_m[2] + 0.5 * side.size_m[2]


def furnish(
    template: Scene, room_m: Place, container: Place, heading_rad: float, bin_m: Place,
    mass_kg: float, friction: float,
) -> Scene:  # fmt: skip
    """Move walls, stand, container and bin of the hangar; no goods are in it.

    Args:
        heading_rad: turn of stand and container about the vertical.
        mass_kg: mass of the container with its bar.
        friction: coefficient of friction of the bar.
    """
    quaternion = _upright(heading_rad)
    bodies: list[SceneBody] = []
    for one in template.bodies:
        match one.name:
            case "stand" | "container":
                one = replace(one, position_m=(*container, one.position_m[2]))
                one = replace(one, quaternion=quaternion)
                if one.name == "container":
                    one = replace(one, mass_kg=mass_kg - PARTS_KG)
            case "bin":
                one = replace(one, position_m=(*bin_m, one.position_m[2]))
            case "grip":
                one = replace(one, friction=friction, contact_time_s=GRIP_CONTACT_S)
            case _ if one.name.startswith("wall_"):
                one = _wall(one, room_m)
        bodies.append(one)
    stepping = replace(template.stepping, friction_ratio=FRICTION_RATIO)
    cameras = tuple(_camera(one, room_m) for one in template.cameras)
    return replace(
        template, bodies=tuple(bodies), fields=(), stepping=stepping, cameras=cameras, robots=()
    )


def scatter(
    scene: Scene, kinds: tuple[SceneBody, ...], count: int, gap_m: float, seed: int, start: Place
) -> Scene:
    """Add a field of obstacles; stand, bin and start stay clear."""
    if not count:
        return scene
    found = {one.name: one for one in scene.bodies}
    half = (0.5 * found["wall_1"].size_m[0] - WALL_M, 0.5 * found["wall_3"].size_m[1])
    clear = tuple((*found[name].position_m[:2], CLEAR_M) for name in ("stand", "bin"))
    box = ((-half[0], -half[1], 0.0), (half[0], half[1], 0.0))
    field = BodyField(FIELD, count, box, kinds, seed, gap_m, (*clear, (*start, START_CLEAR_M)))
    return replace(scene, fields=(field,))


def put(scene: Scene, kinds: Sequence[SceneBody], obstacles: Sequence[Obstacle]) -> Scene:
    """Add obstacles at definite places."""
    known = {one.name: one for one in kinds}
    bodies = list(scene.bodies)
    for number, one in enumerate(obstacles, start=1):
        kind = known[one.kind]
        height = kind.size_m[2] if kind.shape is BodyShape.BOX else kind.size_m[1]
        bodies.append(
            replace(kind, name=f"{FIELD}_{number}", position_m=(*one.at_m, 0.5 * height),
                    quaternion=_upright(math.radians(one.turn_deg)))
        )  # fmt: skip
    return replace(scene, bodies=tuple(bodies))


def _wall(wall: SceneBody, room_m: Place) -> SceneBody:
    """Wall of a hangar of this size, along the side where it is."""
    x, y, z = wall.position_m
    half = (0.5 * (room_m[0] + WALL_M), 0.5 * (room_m[1] + WALL_M))
    height = wall.size_m[2]
    if abs(x) < abs(y):
        size, at = (room_m[0] + 2 * WALL_M, WALL_M, height), (0.0, math.copysign(half[1], y), z)
    else:
        size, at = (WALL_M, room_m[1], height), (math.copysign(half[0], x), 0.0, z)
    return replace(wall, size_m=size, position_m=at)


def _camera(camera: SceneCamera, room_m: Place) -> SceneCamera:
    """Camera at the same share of another room; one from above is as high as the room is long."""
    x, y, z = camera.position_m
    if z > 5.0:
        return replace(camera, position_m=(x, y, 1.17 * room_m[0]))
    return replace(camera, position_m=(x / 12.0 * room_m[0], y / 9.0 * room_m[1], z))


def _upright(heading_rad: float) -> tuple[float, float, float, float]:
    return math.cos(0.5 * heading_rad), 0.0, 0.0, math.sin(0.5 * heading_rad)
