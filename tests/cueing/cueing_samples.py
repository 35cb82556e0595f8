"""Inputs of the cueing's tests, and what a platform's motion makes a rider feel."""

import math
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation as Turn

from platform6dof.cueing.parameters import Scale, classical_set
from platform6dof.cueing.vehicle import GRAVITY_M_S2, REST

G = GRAVITY_M_S2
T = 1.0 / 500.0
FREQUENCIES = np.array(
    [0.1, 0.158, 0.251, 0.398, 0.631, 1.0, 1.585, 2.512, 3.981, 6.31, 10.0, 15.849]
)
WIDE = {
    "force_gain": 1.0,
    "rate_gain": 1.0,
    "wn_rad_s": (2.5, 2.5, 4.0),
    "wb_rad_s": 0.2,
    "wl_rad_s": 5.0,
}
UNIT = classical_set(**WIDE)
"""The base set at gain 1."""


def without_limiter(parameters):
    return replace(parameters, tilt=replace(parameters.tilt, rate_rad_s=math.inf))


def force(count, x=0.0, y=0.0, z=0.0):
    """Specific force of a level vehicle with these accelerations, shape (N, 3)."""
    rows = np.zeros((count, 3))
    for k, one in enumerate((x, y, z)):
        rows[:, k] = one
    rows[:, 2] -= G
    return rows


def state(f=(0.0, 0.0, -G), omega=(0.0, 0.0, 0.0), **others):
    return replace(REST, f_m_s2=tuple(f), omega_rad_s=tuple(omega), **others)


def rotations(rows):
    """Of the platform, forward-left-up, by scipy; shape (N, 3, 3)."""
    return Turn.from_euler("ZYX", rows[:, 0, 3:]).as_matrix()


def felt_force(rows):
    """f = Rᵀ(a - g) in axes forward, right, down, of rows (N, 3, 6)."""
    up = rows[:, 2, :3] + np.array([0.0, 0.0, G])
    inside = np.einsum("nji,nj->ni", rotations(rows), up)
    return inside * np.array([1.0, -1.0, -1.0])


def scales(gain, most):
    return (Scale(gain, most),) * 3
