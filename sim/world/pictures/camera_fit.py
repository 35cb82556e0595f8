"""The distance and middle of a camera with all of a model in its picture."""

import math
from dataclasses import replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from sim.world.pictures.wire import View

Array = NDArray[np.float64]

FILLED: Final = 0.86
"""Share of the picture that the model fills."""
ROUNDS: Final = 12
"""Rounds in which middle and distance follow each other; each leaves a small part of the error."""


def camera_axes(view: View) -> Array:
    """Compute a camera's direction, its right and its up, as rows, shape (3, 3)."""
    (sa, ca), (se, ce) = (
        (math.sin(angle), math.cos(angle)) for angle in (view.azimuth_rad, view.elevation_rad)
    )
    return np.array([[ce * ca, ce * sa, se], [sa, -ca, 0.0], [-se * ca, -se * sa, ce]])


def fitted(view: View, points_m: Array, fovy_rad: float, aspect: float) -> View:
    """Fill in a view's middle and distance so that all points fill the picture.

    Args:
        points_m: that are to be seen, in the world, shape (points, 3).
        fovy_rad: between upper and lower edge.
        aspect: width by height.
    """
    if view.target_m is not None:
        return view
    axes = camera_axes(view)
    upper = math.tan(0.5 * fovy_rad)
    edges = FILLED * upper * np.array([aspect, 1.0])
    middle = 0.5 * (points_m.min(axis=0) + points_m.max(axis=0))
    distance = 0.0
    for _ in range(ROUNDS):
        depth, *across = axes @ (points_m - middle).T
        across = np.array(across)  # (2, points)
        distance = float((np.abs(across) / edges[:, None] - depth).max())
        distance = max(distance, 1e-3 - float(depth.min()))
        seen = across / (distance + depth)
        middle = middle + 0.5 * distance * (seen.min(axis=1) + seen.max(axis=1)) @ axes[1:]
    x, y, z = middle.tolist()
    return replace(view, target_m=(x, y, z), distance_m=distance)
