"""Straight lines of a place, from a start pose to a goal, with two ways to turn along them."""

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from sim.world.motion.inverse import rotation_left
from sim.world.robots.tree import turn

Array = NDArray[np.float64]

Turning = Literal["slerp", "three_part"]
"""Turn about one fixed axis all along; or about x, then y, then z, each on its own part."""


@dataclass(frozen=True, slots=True, eq=False)
class StraightLine:
    """Straight path of a place.

    `three_part` is eq. (6) of Strashnov and Finagin (2026): ``R = Rz(θ) Ry(ψ) Rx(φ) R_start``,
    first φ grows, then ψ, then θ. Their paper leaves open whether the axes are those of the world:
    here they are. Its last point is the goal itself.
    """

    start: Array
    """Pose at the start, shape (4, 4); never measured anew."""
    goal: Array
    """Pose at the end, shape (4, 4)."""
    turning: Turning = "slerp"
    """Way of turning along the line."""
    parts: tuple[float, float] = (1.0 / 3.0, 2.0 / 3.0)
    """Shares of the length at which x is done and at which y is done, rising in (0, 1)."""

    def __post_init__(self) -> None:
        first, second = self.parts
        if not 0.0 < first < second < 1.0:
            raise ValueError(f"parts {self.parts}: two rising shares in (0, 1) are needed")

    @property
    def length_m(self) -> float:
        """Length of the line."""
        return float(np.linalg.norm(self.goal[:3, 3] - self.start[:3, 3]))

    @property
    def turn_rad(self) -> float:
        """Angle between the two ends."""
        return float(np.linalg.norm(rotation_left(self.goal[:3, :3], self.start[:3, :3])))

    def at(self, share: float) -> Array:
        """Compute the pose at a share of the length, 0 to 1, shape (4, 4)."""
        if share >= 1.0:
            return self.goal.copy()
        pose = self.start.copy()
        pose[:3, 3] += share * (self.goal[:3, 3] - self.start[:3, 3])
        pose[:3, :3] = self._turned(share) @ self.start[:3, :3]
        return pose

    def _turned(self, share: float) -> Array:
        if self.turning == "slerp":
            vector = rotation_left(self.goal[:3, :3], self.start[:3, :3])
            angle = float(np.linalg.norm(vector))
            return turn(vector.tolist(), share * angle) if angle > 0.0 else np.eye(3)
        x, y, z = _angles(self.goal[:3, :3] @ self.start[:3, :3].T)
        first, second = self.parts
        parts = (share / first, (share - first) / (second - first), (share - second) / (1 - second))
        done = [min(1.0, max(0.0, part)) for part in parts]
        about_x, about_y = turn((1, 0, 0), done[0] * x), turn((0, 1, 0), done[1] * y)
        return turn((0, 0, 1), done[2] * z) @ about_y @ about_x


def _angles(rotation: Array) -> tuple[float, float, float]:
    """Decompose into φ, ψ, θ of ``Rz(θ) Ry(ψ) Rx(φ)`` [rad]; φ is 0 where y turns by a quarter."""
    y = math.atan2(-rotation[2, 0], math.hypot(rotation[0, 0], rotation[1, 0]))
    if math.cos(y) < 1e-9:
        return 0.0, y, math.atan2(-rotation[0, 1], rotation[1, 1])
    x = math.atan2(rotation[2, 1], rotation[2, 2])
    return x, y, math.atan2(rotation[1, 0], rotation[0, 0])
