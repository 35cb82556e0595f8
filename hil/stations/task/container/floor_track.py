"""Track of the robot on the floor: path, turns, and the least distance to an obstacle."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.scenes.bodies import placed_body
from sim.world.scenes.extents import COUNT, DIRECTIONS, reach_m
from sim.world.scenes.fields import body_poses
from sim.world.scenes.model import Scene

Array = NDArray[np.float64]

LENGTH_M: Final = 0.6
"""Length of the chassis [m]."""
WIDTH_M: Final = 0.52
"""Width of the chassis over its wheels [m]."""
POINTS: Final = 9
"""Points on each side of the outline."""
EVERY_S: Final = 0.05
"""Time between two looks [s]."""


class FloorTrack:
    """Track of a robot among the bodies of a scene that do not move.

    Args:
        bodies: names of the bodies that it keeps away from.
    """

    def __init__(self, scene: Scene, bodies: tuple[str, ...]) -> None:
        poses = body_poses(scene)
        reaches = [reach_m(placed_body(one), poses[one.name]) for one in scene.bodies
                   if one.name in bodies]  # fmt: skip
        self._reaches = np.array(reaches).reshape(-1, 2, COUNT + 1)[:, :, :COUNT]
        self._outline = _outline()
        self._last: tuple[float, float, float] | None = None
        self._due_s = 0.0
        self.path_m: float = 0.0
        """Length of the path of the robot's middle [m]."""
        self.turned_rad: float = 0.0
        """Sum of all turns, to either side [rad]."""
        self.least_m: float = math.inf
        """Least distance of the chassis from a body [m]; infinite without bodies."""

    def is_due(self, t_s: float) -> bool:
        """Whether the next look is due."""
        return t_s >= self._due_s

    def update(self, t_s: float, base: Array) -> None:
        """Take the pose of the base, shape (4, 4), when a look is due."""
        if not self.is_due(t_s):
            return
        self._due_s = t_s + EVERY_S
        x, y = float(base[0, 3]), float(base[1, 3])
        heading = math.atan2(float(base[1, 0]), float(base[0, 0]))
        if self._last is not None:
            self.path_m += math.hypot(x - self._last[0], y - self._last[1])
            self.turned_rad += abs(math.remainder(heading - self._last[2], math.tau))
        self._last = x, y, heading
        if len(self._reaches):
            points = self._outline @ base[:2, :2].T + base[:2, 3]
            along = (points @ DIRECTIONS[:COUNT, :2].T)[:, None]
            low, high = self._reaches[:, 0], self._reaches[:, 1]
            away = np.maximum(low - along, along - high).max(axis=-1)
            self.least_m = min(self.least_m, max(0.0, float(away.min())))


def _outline() -> Array:
    """Points on the outline of the chassis in its frame, shape (n, 2)."""
    x, y = 0.5 * LENGTH_M, 0.5 * WIDTH_M
    along, across = np.linspace(-x, x, POINTS), np.linspace(-y, y, POINTS)
    sides = [np.stack([along, np.full(POINTS, side * y)], axis=1) for side in (-1.0, 1.0)]
    sides += [np.stack([np.full(POINTS, side * x), across], axis=1) for side in (-1.0, 1.0)]
    return np.concatenate(sides)
