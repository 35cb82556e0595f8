"""Rotations in the emulated controller's form: the vector of axis times angle.

A pose is a rotation beside a position [m], shape (3, 4).

Not modelled: the rounding of a controller's 24-bit arithmetic.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def rotate(vector_rad: Array) -> Array:
    """Return the rotation, shape (3, 3), about a vector by its length [rad] (Rodrigues)."""
    angle = math.hypot(*vector_rad)
    if angle < 1e-12:
        return np.eye(3)
    x, y, z = vector_rad / angle
    cross = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    turned: Array = np.eye(3) + math.sin(angle) * cross + (1.0 - math.cos(angle)) * cross @ cross
    return turned


def rotation_vector(rotation: Array) -> Array:
    """Return axis times angle [rad], shape (3,), of a rotation of less than half a turn.

    Args:
        rotation: Orthonormal matrix, shape (3, 3).
    """
    sines = 0.5 * np.array(
        [
            rotation[2, 1] - rotation[1, 2],
            rotation[0, 2] - rotation[2, 0],
            rotation[1, 0] - rotation[0, 1],
        ]
    )
    sine = math.hypot(*sines)
    angle = math.atan2(sine, 0.5 * (rotation[0, 0] + rotation[1, 1] + rotation[2, 2] - 1.0))
    if sine < 1e-12:
        return sines
    return sines * (angle / sine)


def compose(pose: Array, move: Array) -> Array:
    """Return a pose moved along the base's axes and turned about the gripper's.

    Args:
        pose: Rotation beside position [m], shape (3, 4).
        move: Displacement [m] and rotation vector [rad], shape (6,).
    """
    moved = np.empty((3, 4))
    moved[:, :3] = pose[:, :3] @ rotate(move[3:])
    moved[:, 3] = pose[:, 3] + move[:3]
    return moved
