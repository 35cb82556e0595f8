"""Compiled loop of what is felt on a platform, over many rows."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]


@njit(cache=True, error_model="numpy")
def head_motion_rows(rows: Array, head: Array, gravity: float, out: Array) -> None:
    """Specific force and rates at the head in axes FRD.

    The rates of the angles give those of the body (Diebel, "Representing Attitude", 2006, angles
    1, 2, 3) and their derivative; f = R' (a - g) + dω × r + ω × (ω × r).

    Args:
        rows: coordinates and their first and second derivatives, shape (N, 3, 6).
        head: the head from the origin in platform axes [m], shape (3,).
        gravity: g [m/s²].
        out: where to write f_x, f_y, f_z, p, q, r, shape (N, 6).
    """
    hx, hy, hz = head[0], head[1], head[2]
    for n in range(len(rows)):
        q = rows[n]
        ca, sa = math.cos(q[0, 3]), math.sin(q[0, 3])
        cb, sb = math.cos(q[0, 4]), math.sin(q[0, 4])
        cg, sg = math.cos(q[0, 5]), math.sin(q[0, 5])
        da, db, dg = q[1, 3], q[1, 4], q[1, 5]
        dda, ddb, ddg = q[2, 3], q[2, 4], q[2, 5]
        wx, wy, wz = dg - sb * da, cg * db + cb * sg * da, -sg * db + cb * cg * da
        ex = ddg - sb * dda - cb * db * da
        ey = cg * ddb - sg * dg * db + cb * sg * dda + (-sb * sg * db + cb * cg * dg) * da
        ez = -sg * ddb - cg * dg * db + cb * cg * dda - (sb * cg * db + cb * sg * dg) * da
        ax, ay, az = q[2, 0], q[2, 1], q[2, 2] + gravity
        fx = ca * cb * ax + sa * cb * ay - sb * az
        fy = (ca * sb * sg - sa * cg) * ax + (sa * sb * sg + ca * cg) * ay + cb * sg * az
        fz = (ca * sb * cg + sa * sg) * ax + (sa * sb * cg - ca * sg) * ay + cb * cg * az
        ux, uy, uz = wy * hz - wz * hy, wz * hx - wx * hz, wx * hy - wy * hx
        out[n, 0] = fx + ey * hz - ez * hy + wy * uz - wz * uy
        out[n, 1] = -(fy + ez * hx - ex * hz + wz * ux - wx * uz)
        out[n, 2] = -(fz + ex * hy - ey * hx + wx * uy - wy * ux)
        out[n, 3], out[n, 4], out[n, 5] = wx, -wy, -wz
