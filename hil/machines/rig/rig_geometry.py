"""Geometry of a rig: joints, legs, whether the platform hangs."""

import math

import numpy as np

from hil.machines.rig.settings import PointsGeometry, Rig
from platform6dof.circles import circle_joints
from platform6dof.geometry import HexapodGeometry, flattest_height_m


def geometry_of(rig: Rig) -> HexapodGeometry:
    """Build the rig's geometry; refuse an impossible or singular one.

    It hangs if the neutral pose is below the height at which its legs are shortest.

    Raises:
        GeometryError: with the reason.
    """
    closed = np.array(rig.cylinders.closed_length_m)
    stroke = np.array(rig.cylinders.stroke_m)
    base, platform = _joints(rig)
    return HexapodGeometry(
        base_joints_m=base,
        platform_joints_m=platform,
        closed_length_m=closed,
        stroke_m=stroke,
        screw_lead_m=rig.cylinders.screw_lead_m,
        hanging=hangs(rig),
    )


def hangs(rig: Rig) -> bool:
    """Whether the platform is below its base, by the neutral pose."""
    return rig.neutral.z_m < flattest_height_m(*_joints(rig))


def _joints(rig: Rig) -> tuple[np.ndarray, np.ndarray]:
    """Joints of the base and of the platform, each in its own axes [m], shape (6, 3)."""
    shape = rig.geometry
    if isinstance(shape, PointsGeometry):
        return np.array(shape.base_joints_m), np.array(shape.platform_joints_m)
    return (
        circle_joints(shape.base_radius_m, math.radians(shape.base_half_angle_deg)),
        circle_joints(
            shape.platform_radius_m,
            math.radians(shape.platform_half_angle_deg),
            math.radians(shape.plate_rotation_deg),
        ),
    )
