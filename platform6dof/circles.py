"""Joints on a circle, as plates of hexapods have them; needs no compiled kernel."""

import math

import numpy as np
from numpy.typing import NDArray


def circle_joints(
    radius_m: float, half_angle_rad: float, rotation_rad: float = 0.0
) -> NDArray[np.float64]:
    """Joints of the legs 1 to 6 about a plate's origin [m], shape (6, 3).

    Source: Bukharov et al. 2022, section on the geometry: at +t, 120° - t, 120° + t, 240° - t,
    240° + t, -t.

    Args:
        radius_m: of the circle [m].
        half_angle_rad: t [rad].
        rotation_rad: turn of the circle about its z [rad].
    """
    third, half = 2.0 * math.pi / 3.0, half_angle_rad
    places = [half, third - half, third + half, 2.0 * third - half, 2.0 * third + half, -half]
    angles = rotation_rad + np.array(places)
    return radius_m * np.column_stack([np.cos(angles), np.sin(angles), np.zeros(6)])
