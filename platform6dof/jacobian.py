"""The Jacobian: leg speeds of the platform's twist, and how well legs hold the platform.

Where singular values or condition numbers are named, the three rotation columns are first divided
by ``geometry.length_scale_m``: only then have all columns one unit, and a value of 0.2 means that
the weakest combination of shift and turn (at that radius) moves the legs a fifth as much.
"""

import numpy as np
from numpy.typing import NDArray

from hil_common.arrays.pose import Pose
from platform6dof.geometry import HexapodGeometry
from platform6dof.kernels import legs as kernel
from platform6dof.kernels import rotation

Array = NDArray[np.float64]


def leg_jacobian(geometry: HexapodGeometry, X_BP: Pose) -> Array:
    """Matrix J of ``leg speeds = J @ [v; omega]``, shape (6, 6), read-only.

    Row i is ``[u_i, c_i x u_i]`` with c_i = M b_i; with a screw lead it holds the winding too.
    Source: time derivative of Bukharov et al. 2022, eqs. 1-2.
    """
    rows = kernel.leg_rows(geometry.table, X_BP.position_m, X_BP.rotation)
    rows.setflags(write=False)
    return rows[1:]


def singular_values(geometry: HexapodGeometry, X_BP: Pose) -> Array:
    """Singular values of the scaled Jacobian, largest first, shape (6,), no unit."""
    scaled = np.array(leg_jacobian(geometry, X_BP))
    scaled[:, 3:] /= geometry.length_scale_m
    return np.asarray(np.linalg.svd(scaled, compute_uv=False), dtype=np.float64)


def smallest_singular_value(geometry: HexapodGeometry, X_BP: Pose) -> float:
    """Smallest singular value of the scaled Jacobian: 0 where the legs lose hold."""
    return float(singular_values(geometry, X_BP)[5])


def condition_number(geometry: HexapodGeometry, X_BP: Pose) -> float:
    """Largest over smallest singular value of the scaled Jacobian; inf at a singularity."""
    values = singular_values(geometry, X_BP)
    return float(values[0] / values[5]) if values[5] > 0.0 else float("inf")


def inverse_jacobians(geometry: HexapodGeometry, coordinates: Array) -> tuple[Array, Array]:
    """Lengths with rows of many Jacobians, and the inverses; not numbers in a singular pose.

    Args:
        coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).

    Returns:
        Shapes (N, 7, 6), lengths before the rows, and (N, 6, 6).
    """
    zero = np.zeros_like(coordinates)
    setpoints = rotation.setpoints_of_coordinates(np.ascontiguousarray(coordinates), zero, zero)
    _, rows = kernel.leg_states_and_rows(geometry.table, setpoints)
    try:
        inverses = np.linalg.inv(rows[:, 1:])
    except np.linalg.LinAlgError:
        inverses = np.array([_inverse_or_nan(one) for one in rows[:, 1:]])
    return rows, np.asarray(inverses, dtype=np.float64)


def _inverse_or_nan(matrix: Array) -> Array:
    try:
        return np.asarray(np.linalg.inv(matrix), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.full((6, 6), np.nan)
