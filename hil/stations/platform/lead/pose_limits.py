"""Range of each coordinate of a pose at this moment, for the ends of sliders.

From the pose along each coordinate in both directions, to the first place that is outside. Strokes
are checked finely, the rest of the envelope in a few places up to where the strokes end, then the
step in which it is left is halved. An envelope is no box and may have a notch between two of these
places, so this is where sliders end and no permission: a target is proved by the desk.
"""

import math
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from platform6dof.envelope import Envelope
from platform6dof.inverse import leg_setpoints_batch

Array = NDArray[np.float64]

FINE: Final = 128
"""Number of places in each direction at which the strokes are checked."""
COARSE: Final = 8
"""Number of places among them at which the whole envelope is checked."""
HALVINGS: Final = 9
REACH_RAD: Final = math.pi / 3.0
"""Largest rotation of a platform; beyond a right angle of beta coordinates are ambiguous."""
_AXES: Final = np.repeat(np.arange(6), 2)  # (12,) coordinate of each direction
_SIGNS: Final = np.tile([-1.0, 1.0], 6)  # (12,)


def pose_limits(envelope: Envelope, coordinates: ArrayLike) -> Array:
    """Range of each coordinate about a pose within which the envelope holds, at rest.

    Args:
        coordinates: coordinates of X_BP: x, y, z [m], alpha, beta, gamma [rad], shape (6,).

    Returns:
        Lowest and highest value of each, shape (6, 2) [m, rad]; for a pose that is outside itself
        both ends are the pose.

    Raises:
        ValueError: if the coordinates are not six finite numbers.
    """
    pose = np.array(coordinates, dtype=np.float64)
    if pose.shape != (6,) or not np.isfinite(pose).all():
        raise ValueError(f"coordinates: {pose}; need six finite numbers")
    if not envelope.inside(pose[None, :])[0]:
        return np.stack([pose, pose], axis=1)
    reach = np.where(_AXES < 3, float(envelope.geometry.open_length_m.max()), REACH_RAD)
    most = _strokes_end(envelope, pose, reach)  # (12,)
    near, far = _first_outside(envelope, pose, most)
    for _ in range(HALVINGS):
        middle = 0.5 * (near + far)
        inside = envelope.inside(_places(pose, middle[:, None]))
        near, far = np.where(inside, middle, near), np.where(inside, far, middle)
    ends = pose[_AXES] + _SIGNS * near
    return ends.reshape(6, 2)


def _places(pose: Array, distances: Array) -> Array:
    """Poses at distances (12, n) along the twelve directions, shape (12 n, 6)."""
    poses = np.broadcast_to(pose, (*distances.shape, 6)).copy()
    rows = np.arange(12)
    poses[rows, :, _AXES] += _SIGNS[:, None] * distances
    return poses.reshape(-1, 6)


def _strokes_end(envelope: Envelope, pose: Array, reach: Array) -> Array:
    """Distance in each direction by which a leg has left its stroke, shape (12,)."""
    geometry, margin = envelope.geometry, envelope.limits.soft_margin_m
    distances = reach[:, None] * np.arange(1, FINE + 1) / FINE
    poses = _places(pose, distances)
    lengths, _ = leg_setpoints_batch(geometry, poses, np.zeros_like(poses))
    outside = (lengths < geometry.closed_length_m + margin) | (
        lengths > geometry.open_length_m - margin
    )
    left = outside.any(axis=1).reshape(12, FINE)
    first = np.where(left.any(axis=1), left.argmax(axis=1), FINE - 1)
    return distances[np.arange(12), first]


def _first_outside(envelope: Envelope, pose: Array, most: Array) -> tuple[Array, Array]:
    """Last place inside and first one outside in each direction, distances (12,)."""
    distances = most[:, None] * np.arange(1, COARSE + 1) / COARSE
    inside = envelope.inside(_places(pose, distances)).reshape(12, COARSE)
    first = np.where(inside.all(axis=1), COARSE, inside.argmin(axis=1))
    far = most * np.minimum(first + 1, COARSE) / COARSE
    near = most * first / COARSE
    return near, far
