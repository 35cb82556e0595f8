"""Error of the platform's origin at very many poses, from the errors of the machine's parts.

What `platform6dof.accuracy.propagation` derives of one pose, as arrays of poses.
"""

import numpy as np
from numpy.typing import NDArray

from platform6dof.accuracy.tolerances import KINDS, SPREAD, Tolerances
from platform6dof.geometry import HexapodGeometry
from platform6dof.jacobian import inverse_jacobians
from platform6dof.kernels import rotation

Array = NDArray[np.float64]


def place_errors_m(geometry: HexapodGeometry, tolerances: Tolerances, coordinates: Array) -> Array:
    """Three standard deviations of the origin's place in all directions together [m], shape (N,).

    Not a number in a singular pose. Of one pose: `place_total_m` of `three_sigma` at the origin.

    Args:
        coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).
    """
    rows, inverses = inverse_jacobians(geometry, coordinates)
    lengths, along, place = rows[:, 0], rows[:, 1:, :3], inverses[:, :3]
    share = dict(zip(KINDS, np.multiply(SPREAD, tolerances.of_kinds).tolist(), strict=True))
    joints = share["base_joint"] ** 2 + share["platform_joint"] ** 2
    squares = share["leg_length"] ** 2 + share["play"] ** 2 + joints * (along**2).sum(axis=2)
    squares += (share["scale"] * (lengths - geometry.closed_length_m)) ** 2
    squares += (share["leg_temperature"] * tolerances.leg_expansion_per_k * lengths) ** 2
    own = np.einsum("nki,ni->n", place**2, squares)
    common = tolerances.leg_expansion_per_k * lengths
    common += tolerances.plate_expansion_per_k * _plates(geometry, coordinates, along)
    warm = share["temperature"] * np.einsum("nki,ni->nk", place, common)
    return np.asarray(3.0 * np.sqrt(own + (warm**2).sum(axis=1)))


def _plates(geometry: HexapodGeometry, coordinates: Array, along: Array) -> Array:
    """Error of each leg's closure as both plates grow by their own size [m], shape (N, 6)."""
    zero = np.zeros_like(coordinates)
    poses = rotation.setpoints_of_coordinates(np.ascontiguousarray(coordinates), zero, zero)
    turns = poses[:, 3:12].reshape(-1, 3, 3)
    arms = np.einsum("nij,kj->nki", turns, geometry.platform_joints_m)
    return np.asarray(np.einsum("nki,nki->nk", along, geometry.base_joints_m - arms))
