"""Inputs of the cueing's tests, and what a platform's motion makes a rider feel."""

import math
from dataclasses import replace

import numpy as np
from scipy.spatial.transform import Rotation as Turn

from platform6dof.cueing.parameters import (
    BALANCED_DAMPING,
    ClassicalParameters,
    Rotation,
    Scale,
    Tilt,
    Translation,
)
from platform6dof.cueing.vehicle import GRAVITY_M_S2, REST

G = GRAVITY_M_S2
T = 1.0 / 500.0
FREQUENCIES = np.array(
    [0.1, 0.158, 0.251, 0.398, 0.631, 1.0, 1.585, 2.512, 3.981, 6.31, 10.0, 15.849]
)


def classical_set(
    *,
    force_gain: float,
    rate_gain: float,
    wn_rad_s: tuple[float, float, float],
    wb_rad_s: float,
    wl_rad_s: float,
    wr_rad_s: float = 1.0,
    damping: float = BALANCED_DAMPING,
    tilt: Tilt | None = None,
    force_most_m_s2: float = 10.0,
    rate_most_rad_s: float = math.radians(40.0),
) -> ClassicalParameters:
    """Parameters with the same numbers for all axes, as tables of the literature give them.

    Args:
        wn_rad_s: corner of the translation, forward, right, down [rad/s].
        damping: z of the translation.
        tilt: all else of the tilt than its corner; left out, 3 deg/s by a limiter.

    Raises:
        CueingError: with the name, the value and its bounds.
    """
    base = tilt or Tilt()
    x, y, z = (Translation(one, damping, wb_rad_s) for one in wn_rad_s)
    force, rate = Scale(force_gain, force_most_m_s2), Scale(rate_gain, rate_most_rad_s)
    turn = Rotation(wr_rad_s)
    coordinated = Tilt(
        wl_rad_s, base.damping, base.by, base.rate_rad_s, base.acceleration_rad_s2,
        base.most_rad, base.force_m_s2,
    )  # fmt: skip
    return ClassicalParameters(
        (force, force, force), (rate, rate, rate), (x, y, z), coordinated, (turn, turn, turn)
    )


BASE = classical_set(
    force_gain=0.5, rate_gain=0.5, wn_rad_s=(2.5, 2.5, 4.0), wb_rad_s=0.2, wl_rad_s=5.0
)
"""A set that is often quoted after Reid and Nahon for a transport aircraft."""
TIGHT = classical_set(
    force_gain=0.25, rate_gain=0.5, wn_rad_s=(3.0, 3.0, 4.5), wb_rad_s=0.3, wl_rad_s=5.0
)
"""For a platform with a tenth of a metre each way."""
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
