"""Accuracy of machines on two circles when one size of them is varied."""

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.pose import Pose
from platform6dof.accuracy.propagation import SingularPoseError, spread_per_length
from platform6dof.geometry import GeometryError, HexapodGeometry

Array = NDArray[np.float64]


def by_half_angle(
    base_radius_m: float,
    platform_radius_m: float,
    platform_half_angle_rad: float,
    base_half_angles_rad: Array,
    height_m: float,
    plate_rotation_rad: float = 0.0,
) -> Array:
    """Errors of place and turn per error of every leg's length, by the base's half angle.

    Args:
        base_half_angles_rad: half angles of the base [rad], shape (N,).
        height_m: of the level platform over its base [m].
        plate_rotation_rad: turn of the platform's circle about its z [rad].

    Returns:
        One standard deviation of place [m/m] and turn [rad/m], shape (N, 2); NaN where the
        machine is singular.
    """
    half = platform_half_angle_rad
    sizes = ((base_radius_m, angle, platform_radius_m, half) for angle in base_half_angles_rad)
    return np.array([_spread(*each, height_m, plate_rotation_rad) for each in sizes])


def by_height(
    base_radius_m: float,
    platform_radius_m: float,
    base_half_angle_rad: float,
    platform_half_angle_rad: float,
    heights_m: Array,
    plate_rotation_rad: float = 0.0,
) -> Array:
    """Errors as of `by_half_angle`, by the height of the level platform [m], shape (N, 2)."""
    sizes = base_radius_m, base_half_angle_rad, platform_radius_m, platform_half_angle_rad
    return np.array([_spread(*sizes, float(one), plate_rotation_rad) for one in heights_m])


def _spread(
    base_radius_m: float,
    base_half_rad: float,
    radius_m: float,
    half_rad: float,
    height_m: float,
    rotation_rad: float,
) -> tuple[float, float]:
    longest = 2.0 * (base_radius_m + radius_m + height_m)
    pose = Pose(np.array([0.0, 0.0, height_m]), np.eye(3))
    try:
        geometry = HexapodGeometry.from_circles(
            base_radius_m, base_half_rad, radius_m, half_rad, 0.1 * longest, longest, rotation_rad
        )
        return spread_per_length(geometry, pose, np.zeros(3))
    except (GeometryError, SingularPoseError):
        return np.nan, np.nan
