"""Frames and Jacobian of a chain of hinges and slides, compiled."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]
Whole = NDArray[np.int64]


@njit(cache=True)
def chain_frames(
    before: Array, axes: Array, slides: NDArray[np.bool_], values: Array, last: Array, found: Array
) -> None:
    """Compute the frames of a chain's moved joints, and that of its place.

    Args:
        before: of each joint in the frame of the one before it, shape (n, 4, 4).
        axes: of length 1, shape (n, 3).
        slides: whether it slides along it, or turns about it, shape (n,).
        values: of each joint [rad] or [m], shape (n,).
        last: of the place in the last joint's frame, shape (4, 4).
        found: the frames, shape (n + 1, 4, 4); written.
    """
    count = len(before)
    at = np.eye(4)
    for index in range(count):
        at = at @ before[index]
        x, y, z = axes[index]
        value = values[index]
        if slides[index]:
            for row in range(3):
                at[row, 3] += value * (at[row, 0] * x + at[row, 1] * y + at[row, 2] * z)
        else:
            s, h = math.sin(value), math.sin(0.5 * value)
            v = 2.0 * h * h
            turned = np.array(
                [
                    [1.0 - v * (y * y + z * z), v * x * y - s * z, v * x * z + s * y],
                    [v * x * y + s * z, 1.0 - v * (x * x + z * z), v * y * z - s * x],
                    [v * x * z - s * y, v * y * z + s * x, 1.0 - v * (x * x + y * y)],
                ]
            )
            at[:3, :3] = np.ascontiguousarray(at[:3, :3]) @ turned
        found[index] = at
    found[count] = at @ last


@njit(cache=True)
def chain_jacobian(
    frames: Array, axes: Array, slides: NDArray[np.bool_], variables: Whole, ratios: Array,
    columns: Array,
) -> None:  # fmt: skip
    """Add the twist of the place per rate of each variable to `columns`, shape (6, variables)."""
    count = len(axes)
    for index in range(count):
        frame, column, ratio = frames[index], variables[index], ratios[index]
        axis = np.ascontiguousarray(frame[:3, :3]) @ axes[index]
        if slides[index]:
            for row in range(3):
                columns[row, column] += ratio * axis[row]
            continue
        x, y, z = frames[count][:3, 3] - frame[:3, 3]
        columns[0, column] += ratio * (axis[1] * z - axis[2] * y)
        columns[1, column] += ratio * (axis[2] * x - axis[0] * z)
        columns[2, column] += ratio * (axis[0] * y - axis[1] * x)
        for row in range(3):
            columns[3 + row, column] += ratio * axis[row]


@njit(cache=True)
def chain_ends(frames: Array, axes: Array, rotations: Array, places: Array) -> None:
    """Compute the pose of the place in each joint's own axes.

    Those: z along the joint's axis, x as near as can be to that of its frame, or to y if it is z.

    Args:
        frames: as `chain_frames` wrote them, shape (n + 1, 4, 4).
        axes: of length 1, shape (n, 3).
        rotations: from each joint's axes to the place's, shape (n, 3, 3); written.
        places: of the place in each joint's axes, shape (n, 3); written.
    """
    count = len(axes)
    end = frames[count]
    own = np.empty((3, 3))
    for index in range(count):
        frame = frames[index]
        z = np.ascontiguousarray(frame[:3, :3]) @ axes[index]
        along = np.ascontiguousarray(frame[:3, :3].T) @ z
        near = 0 if 1.0 - along[0] * along[0] >= 1e-6 else 1
        aside = frame[:3, near] - along[near] * z
        own[:, 0] = aside / math.sqrt(
            aside[0] * aside[0] + aside[1] * aside[1] + aside[2] * aside[2]
        )
        own[:, 2] = z
        own[0, 1] = z[1] * own[2, 0] - z[2] * own[1, 0]
        own[1, 1] = z[2] * own[0, 0] - z[0] * own[2, 0]
        own[2, 1] = z[0] * own[1, 0] - z[1] * own[0, 0]
        for row in range(3):
            places[index, row] = 0.0
            for inner in range(3):
                places[index, row] += own[inner, row] * (end[inner, 3] - frame[inner, 3])
                rotations[index, row, inner] = (
                    end[0, row] * own[0, inner]
                    + end[1, row] * own[1, inner]
                    + end[2, row] * own[2, inner]
                )
