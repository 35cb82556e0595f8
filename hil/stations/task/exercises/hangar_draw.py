"""Draw of a course: a hangar with two rows of goods between start and goal, ways round them.

Each row is closed towards one wall, the first on one hand, the second on the other; beside the
closed end goods stand out, so that the near side is seen to be closed. All follows from the draws.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from random import Random
from typing import Final

from hil.machines.world.scene_documents import scene_of
from hil.stations.task.container import hangar
from hil.stations.task.container.settings import Obstacle
from sim.world.scenes.model import Scene

ROOM_M: Final = (11.0, 7.4)
"""Length and width of the hangar within its walls [m]."""
REACH_M: Final = {"barrel": 0.29, "crate": 0.3}
"""Half of what each kind takes of a row [m]."""
ROW_GAP_M: Final = 0.1
"""Gap in a row, which nothing fits through [m]."""


@dataclass(frozen=True, slots=True)
class DrivenHangar:
    """A hangar, the start of the robot in it, and its goal."""

    scene: Scene
    """Scene with all bodies at their places, without a robot."""
    start: tuple[float, float]
    """Place where the robot starts [m]."""
    heading_rad: float
    """Heading at the start [rad]."""
    goal: tuple[float, float]
    """Place where it is to come to [m]."""
    direction_rad: float
    """Heading that it is to have there [rad]."""


def draw_hangar(draw: Random) -> DrivenHangar:
    """Draw a hangar, start and goal."""
    turn = draw.choice((0.0, math.pi))
    side = draw.choice((1.0, -1.0))
    goods = [*_row(draw, -1.9, side, 3), *_row(draw, 1.9, -side, 2)]
    start = (-4.5 + draw.uniform(-0.1, 0.1), draw.uniform(-0.15, 0.15))
    goal = (4.2 + draw.uniform(-0.2, 0.2), draw.uniform(-0.2, 0.2))
    heading_rad, direction_rad = draw.uniform(-math.pi, math.pi), draw.uniform(-math.pi, math.pi)
    template = scene_of(hangar.TEMPLATE).scene
    bar_rad, aside = draw.uniform(-math.pi, math.pi), side * 2.8
    room = hangar.furnish(
        template, ROOM_M, _turned((4.6, -aside), turn), bar_rad, _turned((-4.6, aside), turn),
        1.0, 0.8,
    )  # fmt: skip
    bodies = tuple(one for one in room.bodies if "container" not in (one.name, one.on))
    room = replace(room, bodies=bodies)
    obstacles = [
        Obstacle(kind=kind, at_m=_turned(at, turn), turn_deg=angle)  # type: ignore[arg-type]
        for kind, at, angle in goods
    ]
    scene = hangar.put(room, hangar.kinds(template), obstacles)
    start, goal = _turned(start, turn), _turned(goal, turn)
    return DrivenHangar(scene, start, heading_rad, goal, direction_rad)


Good = tuple[str, tuple[float, float], float]
"""Kind, place [m] and turn [deg] of a thing that stands there."""


def _row(draw: Random, x_m: float, side: float, closing: int) -> list[Good]:
    """Draw goods across the way, open on one side (1: to the left), closed to the wall.

    One stands out at the open end, some at the closed side, between which no beam passes.

    Args:
        closing: number of the goods at the closed side.
    """
    found: list[Good] = []
    y, half = 1.25, 0.5 * ROOM_M[1]
    while y > 0.3 - half:
        kind = draw.choice(sorted(REACH_M))
        y -= REACH_M[kind]
        place = (x_m + draw.uniform(-0.05, 0.05), side * y)
        found.append((kind, place, draw.uniform(80.0, 100.0)))
        y -= REACH_M[kind] + draw.uniform(0.2, 1.0) * ROW_GAP_M
    beside = [(-0.7, 1.55), *((-0.72 - 0.65 * number, -1.3) for number in range(closing))]
    for along_m, across_m in beside:
        kind = draw.choice(sorted(REACH_M))
        place = (x_m + along_m, side * (across_m + draw.uniform(-0.05, 0.05)))
        found.append((kind, place, draw.uniform(-10.0, 10.0)))
    return found


def _turned(at: tuple[float, float], turn: float) -> tuple[float, float]:
    cos, sin = math.cos(turn), math.sin(turn)
    return cos * at[0] - sin * at[1], sin * at[0] + cos * at[1]
