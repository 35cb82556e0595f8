"""The turn from one orientation to another, as an axis and an angle.

Its own few lines, because SciPy's rotations bring half of SciPy with them, and with that half the
time that a run takes to start.
"""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

SMALL_SINE = 1e-8
"""Sine of half the angle below which angle and twice the sine are the same to rounding."""


def rotation_vector(rotation: Array) -> Array:
    """Axis times angle of a rotation, the angle 0 to pi [rad], shape (3,).

    By way of the unit quaternion whose largest component is taken first, so that nothing is lost
    near a half turn (Shepperd, "Quaternion from rotation matrix", J. Guidance and Control 1 (1978)
    223-224).

    Args:
        rotation: rotation matrix, shape (3, 3).
    """
    w, x, y, z = _quaternion(rotation)
    vector = math.copysign(1.0, w) * np.array([x, y, z])
    sine, cosine = float(np.linalg.norm(vector)), abs(w)
    if sine < SMALL_SINE:
        return 2.0 / cosine * vector
    return 2.0 * math.atan2(sine, cosine) / sine * vector


def _quaternion(rotation: Array) -> tuple[float, float, float, float]:
    """Unit quaternion (w, x, y, z) of a rotation, of either sign."""
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = rotation.tolist()
    squares = (1.0 + xx + yy + zz, 1.0 + xx - yy - zz, 1.0 - xx + yy - zz, 1.0 - xx - yy + zz)
    largest = max(range(4), key=squares.__getitem__)
    rows = (
        (squares[0], zy - yz, xz - zx, yx - xy),
        (zy - yz, squares[1], yx + xy, xz + zx),
        (xz - zx, yx + xy, squares[2], zy + yz),
        (yx - xy, xz + zx, zy + yz, squares[3]),
    )
    w, x, y, z = rows[largest]
    length = math.sqrt(w * w + x * x + y * y + z * z)
    return w / length, x / length, y / length, z / length
