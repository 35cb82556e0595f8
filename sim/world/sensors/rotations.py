"""Unit quaternions w, x, y, z."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def quaternions_of(turns_rad: Array) -> Array:
    """Convert rotation vectors to unit quaternions.

    Args:
        turns_rad: shape (…, 3).

    Returns:
        Shape (…, 4).
    """
    half = 0.5 * np.linalg.norm(turns_rad, axis=-1, keepdims=True)
    # sin(a) / (2 a) of the turn's half; numpy's sinc is of π x
    return np.concatenate([np.cos(half), 0.5 * np.sinc(half / np.pi) * turns_rad], axis=-1)
