"""Rotation M = Rz(alpha) Ry(beta) Rx(gamma), its angular velocity and its angular acceleration."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

POSE_SIZE = 12
"""Numbers of a packed pose: position (3,), then rotation (3, 3) row by row."""
SETPOINT_SIZE = POSE_SIZE + 12
"""Numbers of a packed setpoint: pose, twist (6,), acceleration (6,)."""


@njit(cache=True, error_model="numpy", forceinline=True)
def _write_pose(q: Array, out: Array) -> tuple[float, float, float, float]:
    """Write the packed pose of the coordinates ``q``; return sine and cosine of alpha and beta."""
    sa, ca = math.sin(q[3]), math.cos(q[3])
    sb, cb = math.sin(q[4]), math.cos(q[4])
    sg, cg = math.sin(q[5]), math.cos(q[5])
    out[0], out[1], out[2] = q[0], q[1], q[2]
    out[3], out[4], out[5] = ca * cb, ca * sb * sg - sa * cg, ca * sb * cg + sa * sg
    out[6], out[7], out[8] = sa * cb, sa * sb * sg + ca * cg, sa * sb * cg - ca * sg
    out[9], out[10], out[11] = -sb, cb * sg, cb * cg
    return sa, ca, sb, cb


@njit(cache=True, error_model="numpy", forceinline=True)
def _write_setpoint(q: Array, dq: Array, ddq: Array, out: Array) -> None:
    """Write the packed setpoint of coordinates and their first and second derivatives.

    The axes of the three turns are z, ``e2 = Rz y`` and ``e3 = Rz Ry x``, so that
    ``omega = alpha' z + beta' e2 + gamma' e3``. The derivative adds to the same sum of second
    derivatives the terms ``beta' de2/dt + gamma' de3/dt``: an axis is carried along by the turns
    before it.
    """
    sa, ca, sb, cb = _write_pose(q, out)
    alpha_dot, beta_dot, gamma_dot = dq[3], dq[4], dq[5]
    for k in range(3):
        out[12 + k] = dq[k]
        out[18 + k] = ddq[k]
    out[15] = -sa * beta_dot + ca * cb * gamma_dot
    out[16] = ca * beta_dot + sa * cb * gamma_dot
    out[17] = alpha_dot - sb * gamma_dot
    de3_x = -alpha_dot * sa * cb - beta_dot * ca * sb
    de3_y = alpha_dot * ca * cb - beta_dot * sa * sb
    out[21] = -sa * ddq[4] + ca * cb * ddq[5] - ca * alpha_dot * beta_dot + de3_x * gamma_dot
    out[22] = ca * ddq[4] + sa * cb * ddq[5] - sa * alpha_dot * beta_dot + de3_y * gamma_dot
    out[23] = ddq[3] - sb * ddq[5] - beta_dot * cb * gamma_dot


@njit(cache=True, error_model="numpy")
def setpoint_of_coordinates(rows: Array, out: Array) -> bool:
    """Write pose, twist and acceleration of the platform from its coordinates.

    Args:
        rows: x, y, z, alpha, beta, gamma [m, rad] and their first and second derivatives, (3, 6).
        out: where to write position (3), rotation (9), ``[v; omega]`` (6) and its derivative (6).

    Returns:
        Whether everything written is finite.
    """
    _write_setpoint(rows[0], rows[1], rows[2], out)
    total = 0.0
    for k in range(SETPOINT_SIZE):
        total += abs(out[k])
    return math.isfinite(total)


@njit(cache=True, error_model="numpy")
def setpoints_of_coordinates(coordinates: Array, rates: Array, second_rates: Array) -> Array:
    """Packed setpoints, shape (N, 24), of coordinates and derivatives, shape (N, 6) each."""
    count = coordinates.shape[0]
    out = np.empty((count, SETPOINT_SIZE))
    for n in range(count):
        _write_setpoint(coordinates[n], rates[n], second_rates[n], out[n])
    return out


@njit(cache=True, error_model="numpy")
def coordinates_of_pose(position: Array, rotation: Array, out: Array) -> None:
    """Write the coordinates of a pose [m, rad], shape (6,).

    Gamma is 0 where beta is a quarter turn.
    """
    out[0], out[1], out[2] = position[0], position[1], position[2]
    cos_beta = math.hypot(rotation[0, 0], rotation[1, 0])
    out[4] = math.atan2(-rotation[2, 0], cos_beta)
    if cos_beta > 1e-9:
        out[3] = math.atan2(rotation[1, 0], rotation[0, 0])
        out[5] = math.atan2(rotation[2, 1], rotation[2, 2])
    else:
        out[3], out[5] = math.atan2(-rotation[0, 1], rotation[1, 1]), 0.0


def warm() -> None:
    """Compile the kernels of this file for the array types they are called with."""
    setpoint_of_coordinates(np.zeros((3, 6)), np.empty(SETPOINT_SIZE))
    batch = np.zeros((1, 6))
    setpoints_of_coordinates(batch, batch, batch)
    pose = np.zeros(POSE_SIZE)
    pose.setflags(write=False)  # as in every Pose: numba compiles for read-only arrays apart
    coordinates_of_pose(pose[:3], pose[3:].reshape(3, 3), np.empty(6))
