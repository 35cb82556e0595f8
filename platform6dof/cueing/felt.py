"""What a rider feels on a platform: specific force and rates at the head, in the rider's axes.

The rider's axes are forward, right, down (FRD), as the vehicle's; the platform's are forward,
left, up. A head that stands elsewhere than the platform's origin feels the rotation too:
f_head = f + dω × r + ω × (ω × r).
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.vehicle import GRAVITY_M_S2

Array = NDArray[np.float64]

TURNED: Final = np.array([1.0, -1.0, -1.0])
"""Platform axes to the rider's and back: forward stays, left and up change their sign."""
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
    rotation = rotations(rows[:, 0, 3:])
    omega, domega = body_rates(rows)
    force = rows[:, 2, :3] + np.array([0.0, 0.0, GRAVITY_M_S2])
    body = np.einsum("nji,nj->ni", rotation, force)  # R' (a - g)
    if any(head_m):
        arm = np.broadcast_to(np.array(head_m, dtype=np.float64), omega.shape)
        body = body + np.cross(domega, arm) + np.cross(omega, np.cross(omega, arm))
    return np.hstack([body * TURNED, omega * TURNED])


def rotations(angles_rad: Array) -> Array:
    """Rz(alpha) Ry(beta) Rx(gamma) of rows of alpha, beta, gamma [rad], shape (N, 3, 3)."""
    (ca, cb, cg), (sa, sb, sg) = np.cos(angles_rad).T, np.sin(angles_rad).T
    rows = (
        (ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg),
        (sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg),
        (-sb, cb * sg, cb * cg),
    )
    return np.moveaxis(np.array(rows), 2, 0)


def body_rates(rows: Array) -> tuple[Array, Array]:
    """Angular velocity [rad/s] and acceleration [rad/s²] in platform axes, each of shape (N, 3).

    Diebel, "Representing Attitude" (2006), equations of the angles (1, 2, 3), and their derivative.
    """
    _, beta, gamma = rows[:, 0, 3:].T
    da, db, dg = rows[:, 1, 3:].T
    dda, ddb, ddg = rows[:, 2, 3:].T
    sb, cb, sg, cg = np.sin(beta), np.cos(beta), np.sin(gamma), np.cos(gamma)
    omega = (dg - sb * da, cg * db + cb * sg * da, -sg * db + cb * cg * da)
    domega = (
        ddg - sb * dda - cb * db * da,
        cg * ddb - sg * dg * db + cb * sg * dda + (-sb * sg * db + cb * cg * dg) * da,
        -sg * ddb - cg * dg * db + cb * cg * dda - (sb * cg * db + cb * sg * dg) * da,
    )
    return np.stack(omega, axis=1), np.stack(domega, axis=1)
