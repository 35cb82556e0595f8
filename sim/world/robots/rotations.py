"""Rotations as unit quaternions and as roll, pitch and yaw, without loss near any of them."""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def quaternion_of(rotation: Array) -> tuple[float, float, float, float]:
    """Convert a rotation, shape (3, 3), to a unit quaternion w, x, y, z; w ≥ 0.

    S. W. Shepperd, Quaternion from rotation matrix (1978): the largest of the four is found first,
    so that nothing is lost near half a turn.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = np.asarray(rotation).tolist()
    squares = (1 + xx + yy + zz, 1 + xx - yy - zz, 1 - xx + yy - zz, 1 - xx - yy + zz)
    match squares.index(max(squares)):
        case 0:
            w, x, y, z = row = squares[0], zy - yz, xz - zx, yx - xy
        case 1:
            w, x, y, z = row = zy - yz, squares[1], xy + yx, xz + zx
        case 2:
            w, x, y, z = row = xz - zx, xy + yx, squares[2], yz + zy
        case _:
            w, x, y, z = row = yx - xy, xz + zx, yz + zy, squares[3]
    length = math.copysign(math.hypot(*row), w)
    return w / length, x / length, y / length, z / length


def rpy_of(rotation: Array) -> tuple[float, float, float]:
    """Decompose a rotation ``Rot_z(yaw) Rot_y(pitch) Rot_x(roll)`` into roll, pitch and yaw [rad].

    Roll is taken from what yaw leaves of it, so that both hold where the pitch is a right angle.
    """
    (xx, xy, xz), (yx, yy, yz), (zx, _, _) = np.asarray(rotation).tolist()
    pitch = math.atan2(-zx, math.hypot(xx, yx))
    yaw = math.atan2(yx, xx)
    sine, cosine = math.sin(yaw), math.cos(yaw)
    roll = math.atan2(sine * xz - cosine * yz, cosine * yy - sine * xy)
    return roll, pitch, yaw


def rotation_of_rpy(rpy_rad: Sequence[float]) -> Array:
    """Compute the rotation of roll, pitch and yaw, shape (3, 3)."""
    (sr, sp, sy), (cr, cp, cy) = ([f(one) for one in rpy_rad] for f in (math.sin, math.cos))
    return np.array(
        [
            [cy * cp, cy * sp * sr - sy * cr, cy * sp * cr + sy * sr],
            [sy * cp, sy * sp * sr + cy * cr, sy * sp * cr - cy * sr],
            [-sp, cp * sr, cp * cr],
        ]
    )
