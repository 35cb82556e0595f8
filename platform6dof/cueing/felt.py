"""What a rider feels on a platform: specific force and rates at the head, in the rider's axes.

The rider's axes are forward, right, down (FRD), as the vehicle's; the platform's are forward,
left, up. A head that stands elsewhere than the platform's origin feels the rotation too:
f_head = f + dω × r + ω × (ω × r).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.felt_kernels import felt_rows
from platform6dof.cueing.vehicle import GRAVITY_M_S2

Array = NDArray[np.float64]

REST_FELT: Final = (0.0, 0.0, -GRAVITY_M_S2, 0.0, 0.0, 0.0)
"""At rest and level [m/s², rad/s]."""


def felt(rows: Array, head_m: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Array:
    """Specific force and rates of a platform's motion.

    Args:
        rows: coordinates x, y, z, alpha, beta, gamma [m, rad] with R = Rz(alpha) Ry(beta)
            Rx(gamma), their first and second derivatives, shape (N, 3, 6).
        head_m: the head from the origin that moves so, in platform axes (forward, left, up) [m].

    Returns:
        f_x, f_y, f_z [m/s²], p, q, r [rad/s] at the head in axes FRD, shape (N, 6).

    Raises:
        ValueError: of another shape.
    """
    if rows.ndim != 3 or rows.shape[1:] != (3, 6):
        raise ValueError(f"rows have shape {rows.shape}: it must be (N, 3, 6)")
    out = np.empty((len(rows), 6))
    head = np.array(head_m, dtype=np.float64)
    felt_rows(np.ascontiguousarray(rows), head, GRAVITY_M_S2, out)
    return out


def rotations(angles_rad: Array) -> Array:
    """Rz(alpha) Ry(beta) Rx(gamma) of rows of alpha, beta, gamma [rad], shape (N, 3, 3)."""
    (ca, cb, cg), (sa, sb, sg) = np.cos(angles_rad).T, np.sin(angles_rad).T
    rows = (
        (ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg),
        (sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg),
        (-sb, cb * sg, cb * cg),
    )
    return np.moveaxis(np.array(rows), 2, 0)
