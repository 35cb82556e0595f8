"""Places between the two worlds: poses in SI, and what a controller writes and shows."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from arm_driver.contour.location import Location
from arm_driver.contour.val import OatConvention, from_oat, to_oat
from arm_driver.link_report import DisplayedPose
from hil_common.arrays.pose import Pose


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class ContourPose(DisplayedPose):
    """A place with the numbers in which it was written."""

    location: Location


def pose_of(location: Location, convention: OatConvention) -> Pose:
    """Return a location as X_RT."""
    return Pose(np.array(location.position_m), from_oat(location.oat_rad, convention))


def location_of(X_RT: Pose, convention: OatConvention, t_now_rad: float = 0.0) -> Location:
    """Return a pose as the controller's location.

    Args:
        t_now_rad: Angle t where o and t are one turn [rad].
    """
    oat_rad = to_oat(X_RT.rotation, convention, t_now_rad)
    return Location.from_si(X_RT.position_m.tolist(), oat_rad.tolist())


def place_at(location: Location, convention: OatConvention) -> ContourPose:
    """Return a location as a place."""
    return ContourPose(pose_of(location, convention), str(location), location=location)


def displayed_place(X_RT: Pose, convention: OatConvention) -> ContourPose:
    """Return a pose as the controller would show it, to the decimals of its display."""
    return place_at(location_of(X_RT, convention), convention)


def read_place(values: Sequence[float], convention: OatConvention) -> ContourPose:
    """Return a place as a controller shows it: x, y, z [mm], o, a, t [deg].

    Raises:
        ValueError: A number is missing, not finite, or beyond the wire's range.
    """
    position_m = [1e-3 * value for value in values[:3]]
    oat_rad = [math.radians(value) for value in values[3:]]
    return place_at(Location.from_si(position_m, oat_rad), convention)
