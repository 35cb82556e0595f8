"""Conversions between forms of a rotation: matrix, unit quaternion, turn vector.

Closed forms over plain numbers, because a motion needs them one at a time: a general library takes
longer to check its argument than these take to convert it.
"""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Quaternion = tuple[float, float, float, float]
"""Unit quaternion w, x, y, z."""


def quaternion_of(rotation: Array) -> Quaternion:
    """Unit quaternion of a rotation matrix, w not negative.

    The greatest of the four, which is at least one half, comes from the diagonal, and the others
    are divided by it: so all keep their digits at any angle.

    Source: Shepperd, Quaternion from rotation matrix, J. Guidance and Control 1 (1978) 223;
    Markley, Unit quaternion from rotation matrix, J. Guidance, Control and Dynamics 31 (2008) 440.

    Args:
        rotation: shape (3, 3), orthonormal to rounding; anything else that is not finite gives NaN.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation.tolist()
    trace = xx + yy + zz
    greatest = max(trace, xx, yy, zz)
    if greatest == trace:
        w, x, y, z = 1.0 + trace, zy - yz, xz - zx, yx - xy
    elif greatest == xx:
        w, x, y, z = zy - yz, 1.0 + 2.0 * xx - trace, xy + yx, xz + zx
    elif greatest == yy:
        w, x, y, z = xz - zx, xy + yx, 1.0 + 2.0 * yy - trace, yz + zy
    else:
        w, x, y, z = yx - xy, xz + zx, yz + zy, 1.0 + 2.0 * zz - trace
    size = math.copysign(math.hypot(w, x, y, z), w)
    return w / size, x / size, y / size, z / size


def turn_vector(rotation: Array) -> Array:
    """Turn vector of a rotation matrix: along its axis, as long as its angle [rad], 0 to pi.

    Args:
        rotation: shape (3, 3), orthonormal to rounding.

    Returns:
        Shape (3,).
    """
    w, *axis = quaternion_of(rotation)
    sine = math.hypot(*axis)  # of half the angle
    factor = 2.0 * math.atan2(sine, w) / sine if sine > 0.0 else 2.0
    return factor * np.array(axis)


def rotation_about(turn_rad: Array) -> Array:
    """Rotation matrix of a turn vector, shape (3, 3), through its quaternion.

    Args:
        turn_rad: along the axis, as long as the angle [rad], shape (3,).
    """
    angle = math.hypot(*turn_rad.tolist())
    factor = math.sin(0.5 * angle) / angle if angle > 0.0 else 0.5
    w = math.cos(0.5 * angle)
    x, y, z = (factor * turn_rad).tolist()
    return np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - w * z), 2.0 * (x * z + w * y)],
            [2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)],
            [2.0 * (x * z - w * y), 2.0 * (y * z + w * x), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
