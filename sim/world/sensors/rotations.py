"""Unit quaternions w, x, y, z in rows."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def turned_by(quaternions: Array, turns_rad: Array) -> Array:
    """Axes turned about their own x, y, z by rotation vectors.

    Args:
        quaternions: shape (count, 4).
        turns_rad: shape (count, 3).
    """
    half = 0.5 * np.linalg.norm(turns_rad, axis=1, keepdims=True)
    # sin(a) / (2 a) of the turn's half; numpy's sinc is of π x
    w, xyz = np.cos(half), 0.5 * np.sinc(half / np.pi) * turns_rad
    own, vector = quaternions[:, :1], quaternions[:, 1:]
    scalar = own * w - np.sum(vector * xyz, axis=1, keepdims=True)
    return np.hstack([scalar, own * xyz + w * vector + np.cross(vector, xyz)])


def towards(quaternions: Array, others: Array) -> Array:
    """The same axes by the quaternion that is nearer to another, shape (count, 4) each."""
    opposed = np.sum(quaternions * others, axis=1, keepdims=True) < 0.0
    return np.where(opposed, -quaternions, quaternions)
