"""Motion felt by a rider on a platform: specific force and rates at the head, in rider's axes.

The rider's axes are forward, right, down (FRD), as the vehicle's; the platform's are forward,
left, up. A head that is elsewhere than the platform's origin feels the rotation too:
f_head = f + dω × r + ω × (ω × r).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from platform6dof.cueing.head_motion_kernels import head_motion_rows
from platform6dof.cueing.vehicle import GRAVITY_M_S2

Array = NDArray[np.float64]


def felt(rows: Array, head_m: ArrayLike = (0.0, 0.0, 0.0)) -> Array:
    """Specific force and rates of a platform's motion.

    Args:
        rows: coordinates x, y, z, alpha, beta, gamma [m, rad] with R = Rz(alpha) Ry(beta)
            Rx(gamma), their first and second derivatives, shape (N, 3, 6).
        head_m: the head from the origin that moves so, in platform axes (forward, left, up) [m],
            shape (3,).

    Returns:
        f_x, f_y, f_z [m/s²], p, q, r [rad/s] at the head in axes FRD, shape (N, 6).

    Raises:
        ValueError: of another shape.
    """
    if rows.ndim != 3 or rows.shape[1:] != (3, 6):
        raise ValueError(f"rows have shape {rows.shape}: it must be (N, 3, 6)")
    out = np.empty((len(rows), 6))
    head = np.ascontiguousarray(head_m, np.float64)
    head_motion_rows(np.ascontiguousarray(rows), head, GRAVITY_M_S2, out)
    return out
