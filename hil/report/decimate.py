"""Fewer points for a picture, without losing a single peak."""

import numpy as np
from numpy.typing import NDArray

MAX_POINTS = 4000
"""More points than this in one line are thinned out; a picture is about 1000 pixels wide."""


def decimate(values: NDArray[np.float64], max_points: int = MAX_POINTS) -> NDArray[np.intp]:
    """Indices of the values to draw: of each stretch the lowest and the highest.

    The first, the last, the least and the greatest value are always among them. A stretch without
    any number keeps one place, so that a hole in a line stays a hole.

    Args:
        values: one line, shape (N,); NaN = not there.
        max_points: about how many to keep; all of them if there are no more.

    Returns:
        Rising indices, shape (M,), M at most ``max_points`` + 2.

    Raises:
        ValueError: if ``max_points`` is below 2.
    """
    if max_points < 2:
        raise ValueError(f"max_points = {max_points}; at least 2 are needed for a line")
    count = len(values)
    if count <= max_points:
        return np.arange(count)
    size = -(-count // (max_points // 2))
    stretches = -(-count // size)
    padded = np.full(stretches * size, np.nan)
    padded[:count] = values
    table = padded.reshape(stretches, size)
    there = np.isfinite(table)
    first = np.arange(stretches) * size
    lowest = first + np.argmin(np.where(there, table, np.inf), axis=1)
    highest = first + np.argmax(np.where(there, table, -np.inf), axis=1)
    return np.unique(np.concatenate((lowest, highest, [0, count - 1])))
