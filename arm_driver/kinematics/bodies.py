"""Self-collision by simple bodies: capsules for the links, a column, the table's plane."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arm_driver.kinematics.geometry import GeometryError, PumaGeometry
from arm_driver.kinematics.kernels import bodies as kernel
from arm_driver.kinematics.kernels import posture

Array = NDArray[np.float64]

PAIRS = (
    ("column", "forearm"),
    ("column", "hand"),
    ("upper arm", "hand"),
    ("table", "upper arm"),
    ("table", "forearm"),
    ("table", "hand"),
)
"""Pairs that can meet. Neighbours share a joint, whose range keeps them apart."""


@dataclass(frozen=True, slots=True)
class Bodies:
    """Sizes of the bodies, wide enough to hold the covers and cables of a PUMA 560.

    The hand is a capsule from the wrist centre to the gripper; what the gripper holds belongs to
    ``hand_radius_m`` and the tool's length. The column ends ``column_gap_m`` under the shoulder,
    so that the shoulder's own housing is not an obstacle to the upper arm that grows out of it.

    Raises:
        GeometryError: a size that is negative or not finite.
    """

    column_radius_m: float = 0.10
    """Column about the waist's axis [m]."""
    column_gap_m: float = 0.10
    """Head of the column under the shoulder axis [m]."""
    upper_arm_radius_m: float = 0.09
    """Upper arm [m]."""
    upper_arm_offset_m: float = 0.24
    """Axis of the upper arm's body beside the waist's axis [m]."""
    forearm_radius_m: float = 0.07
    """Forearm [m]."""
    hand_radius_m: float = 0.05
    """Hand, gripper and load [m]."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            value = getattr(self, name)
            if not (math.isfinite(value) and value >= 0.0):
                raise GeometryError(f"{name}: {value} m, must be finite and at least 0 m")


STANDARD = Bodies()


def clearances_m(geometry: PumaGeometry, q_rad: ArrayLike, bodies: Bodies = STANDARD) -> Array:
    """Free distances [m], shape (N, 6), columns as ``PAIRS``, of angles [rad], shape (N, 6).

    Raises:
        GeometryError: ``q_rad`` is not rows of six finite numbers.
    """
    q = np.array(q_rad, np.float64, order="C")
    if q.ndim != 2 or q.shape[1] != 6 or not np.isfinite(q).all():
        raise GeometryError(f"q_rad: shape {q.shape}, must be (N, 6), all finite")
    poses, points = np.empty((len(q), 12)), np.empty((len(q), 6, 3))
    posture.poses_of_joints(geometry.table, q, poses)
    posture.points_of_joints(geometry.table, q, poses, bodies.upper_arm_offset_m, points)
    head_m = max(0.0, geometry.base_height_m - bodies.column_gap_m - bodies.column_radius_m)
    column = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, head_m]])
    radii = [bodies.column_radius_m, bodies.upper_arm_radius_m]
    radii += [bodies.forearm_radius_m, bodies.hand_radius_m]
    out = np.empty((len(q), kernel.PAIRS))
    kernel.clearances(points, column, np.array(radii), out)
    return out
