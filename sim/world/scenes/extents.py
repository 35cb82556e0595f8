"""Reaches of bodies in directions all round and upwards, which decide whether two are apart.

A body is replaced by points whose hull holds it. Two bodies are apart if their reaches are in any
of the directions, which errs on the safe side: bodies aslant may be refused that just miss.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.robots.bodies import PlacedBody
from sim.world.robots.body import BodyShape

Array = NDArray[np.float64]

COUNT: Final = 32
"""Horizontal directions, 5.6° apart, over half a turn."""
RING: Final = 24
"""Corners of the polygon that replaces a circle and contains it."""
TOUCHING_M: Final = 1e-9
"""Overlap in height below which one body rests on the other."""
_ANGLES: Final = np.arange(COUNT) * (math.pi / COUNT)
DIRECTIONS: Final[Array] = np.vstack(
    [np.stack([np.cos(_ANGLES), np.sin(_ANGLES), np.zeros(COUNT)], axis=1), [[0.0, 0.0, 1.0]]]
)
"""Unit vectors, shape (COUNT + 1, 3); the last is up."""
SIGNS: Final[Array] = np.array(np.meshgrid(*[(-0.5, 0.5)] * 3)).reshape(3, -1).T
"""Corners of a box, in its edges, shape (8, 3)."""


def reach_m(body: PlacedBody, pose: Array) -> Array:
    """Compute the least and greatest coordinate along each direction, shape (2, COUNT + 1).

    Args:
        pose: of its frame, shape (4, 4).
    """
    reaches = TurnedReaches(body, pose[None, :3, :3]).at(pose[None, :3, 3])
    return np.asarray(reaches[0], np.float64)


class TurnedReaches:
    """Reaches of a body in several rotations of its frame, at places that follow.

    Args:
        rotations: of its frame, shape (n, 3, 3).
    """

    def __init__(self, body: PlacedBody, rotations: Array) -> None:
        points, self._radius = _points(body)
        self._centres_m = rotations @ body.position_m
        turned = rotations @ body.rotation
        self._points_m = points @ turned.transpose(0, 2, 1)

    def at(self, places_m: Array) -> Array:
        """Reaches with the frame at places, shape (n, 3): shape (n, 2, COUNT + 1)."""
        centres_m = self._centres_m + places_m
        along = (self._points_m + centres_m[:, None]) @ DIRECTIONS.T
        low, high = along.min(axis=1) - self._radius, along.max(axis=1) + self._radius
        return np.stack([low, high], axis=1)


def circle_reach_m(x_m: float, y_m: float, radius_m: float) -> Array:
    """Compute the reach of an upright circle of any height."""
    middle = DIRECTIONS[:, :2] @ (x_m, y_m)
    found = np.stack([middle - radius_m, middle + radius_m])
    found[:, -1] = -np.inf, np.inf
    return found


def are_apart(reaches: Array, others: Array, gap_m: float) -> NDArray[np.bool_]:
    """Whether a body keeps its distance from each of others; one that rests on another does.

    Args:
        reaches: of the body at several places, shape (n, 2, COUNT + 1).
        others: reaches, shape (bodies, 2, COUNT + 1).

    Returns:
        For each place, shape (n,).
    """
    one = reaches[:, None]
    gaps = np.maximum(one[:, :, 0] - others[:, 1], others[:, 0] - one[:, :, 1])
    wanted = np.append(np.full(COUNT, gap_m), -TOUCHING_M)
    return np.asarray((gaps >= wanted).any(axis=-1).all(axis=-1), np.bool_)


def _points(body: PlacedBody) -> tuple[Array, float]:
    """Points about its centre, shape (n, 3), and the radius of balls about them."""
    size = body.size_m
    match body.shape:
        case BodyShape.BOX:
            return SIGNS * size, 0.0
        case BodyShape.CYLINDER:
            turn = np.arange(RING) * (math.tau / RING)
            ring = size[0] / math.cos(math.pi / RING) * np.stack([np.cos(turn), np.sin(turn)])
            ends = [np.vstack([ring, np.full(RING, end * size[1])]).T for end in (-0.5, 0.5)]
            return np.vstack(ends), 0.0
        case BodyShape.CAPSULE:
            return np.array([(0.0, 0.0, end * size[1]) for end in (-0.5, 0.5)]), size[0]
        case BodyShape.SPHERE:
            return np.zeros((1, 3)), size[0]
        case _:
            return np.zeros((1, 3)), 0.0
