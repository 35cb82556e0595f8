"""Where a picture in space is looked at from."""

import math

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def camera_axes(azimuth_deg: float, elevation_deg: float) -> Array:
    """The picture's right and up, and the direction to the eye, as rows in base axes, (3, 3).

    Args:
        azimuth_deg: of the eye about z, from x.
        elevation_deg: of the eye above the horizon.
    """
    a, e = math.radians(azimuth_deg), math.radians(elevation_deg)
    to_eye = [math.cos(e) * math.cos(a), math.cos(e) * math.sin(a), math.sin(e)]
    right = [-math.sin(a), math.cos(a), 0.0]
    return np.array([right, np.cross(to_eye, right), to_eye])
