"""Orientation angles o, a, t of the VAL family of controllers, and rotation matrices.

Both conventions are ``R = Rz(o + o0) Ry(a + a0) Rz(t)``: a turn about the vertical, one about the
hand's lateral axis that the first turn has moved, one about the approach axis that both have
moved. They differ in their zero. Source of VAL's: Fu, Gonzalez and Lee, Robotics, 1987, section
2.2.3: at zero angles the hand's normal is -z, its sliding axis +x and its approach -y of the base.
"""

import math
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike, NDArray

from arm_driver.errors import arm_array

Array = NDArray[np.float64]

DEGENERATE = 1e-9
"""Sine of the approach axis' angle to the vertical below which o and t turn about one line."""


class OatConvention(Enum):
    """Meaning of zero angles; controllers differ, so it is a choice of the configuration."""

    VAL = "val"
    """The hand points along -y of the base where o = a = t = 0; a runs from -90 to 90 degrees."""
    ZYZ = "zyz"
    """The hand's axes are the base's where o = a = t = 0 (V+ and kin); a from 0 to 180 degrees."""

    @property
    def zero_rad(self) -> tuple[float, float]:
        """Offsets o0 and a0 [rad]."""
        return (-0.5 * math.pi, 0.5 * math.pi) if self is OatConvention.VAL else (0.0, 0.0)


def from_oat(oat_rad: ArrayLike, convention: OatConvention = OatConvention.VAL) -> Array:
    """Rotation matrix of angles o, a, t.

    Args:
        oat_rad: o, a, t [rad], shape (3,), of any size.
        convention: what zero means.

    Returns:
        Axes of the hand in the base as columns, shape (3, 3), read-only.

    Raises:
        NumbersError: not three finite numbers.
    """
    o, a, t = arm_array(oat_rad, (3,), "oat_rad").tolist()
    turn, tilt = convention.zero_rad
    # Sines and cosines are those of the angles themselves: an offset of a quarter turn would
    # leave 6e-17 where the matrix has a zero.
    co, so = _quarter(o, turn)
    ca, sa = _quarter(a, tilt)
    ct, st = math.cos(t), math.sin(t)
    rotation = np.array(
        [
            [co * ca * ct - so * st, -co * ca * st - so * ct, co * sa],
            [so * ca * ct + co * st, -so * ca * st + co * ct, so * sa],
            [-sa * ct, sa * st, ca],
        ]
    )
    rotation.setflags(write=False)
    return rotation


def to_oat(
    rotation: ArrayLike, convention: OatConvention = OatConvention.VAL, t_now_rad: float = 0.0
) -> Array:
    """Angles o, a, t of a rotation matrix.

    Where the approach axis is vertical (|sine| <= 1e-9) only o + t or o - t counts: t is then
    given as ``t_now_rad``, and o takes the rest.

    Args:
        rotation: axes of the hand in the base as columns, shape (3, 3).
        convention: what zero means.
        t_now_rad: the t that a degenerate orientation shall keep [rad].

    Returns:
        o and t in (-pi, pi], except a kept t, and a in [-pi/2, pi/2] (VAL) or [0, pi] (ZYZ)
        [rad], shape (3,), read-only.

    Raises:
        NumbersError: not a (3, 3) array of finite numbers.
    """
    r = arm_array(rotation, (3, 3), "rotation")
    turn, tilt = convention.zero_rad
    if math.hypot(r[0, 2], r[1, 2]) > DEGENERATE:
        yaw = math.atan2(r[1, 2], r[0, 2])
        t = math.atan2(r[2, 1], -r[2, 0])
    else:
        t = t_now_rad
        # Rz(o') Ry(tilt') = R Rz(-t), whose second column is (-sin o', cos o', 0).
        ct, st = math.cos(t), math.sin(t)
        yaw = math.atan2(-(r[0, 0] * st + r[0, 1] * ct), r[1, 0] * st + r[1, 1] * ct)
    # The sine of the tilt is not negative; with t kept, rounding could make it so.
    along = max(0.0, math.cos(yaw) * r[0, 2] + math.sin(yaw) * r[1, 2])
    oat = np.array([_wrapped(yaw - turn), math.atan2(along, r[2, 2]) - tilt, t])
    oat.setflags(write=False)
    return oat


def _quarter(angle: float, offset: float) -> tuple[float, float]:
    """Cosine and sine of an angle plus minus, zero or plus a quarter turn."""
    c, s = math.cos(angle), math.sin(angle)
    if offset > 0.0:
        return -s, c
    return (s, -c) if offset < 0.0 else (c, s)


def _wrapped(angle: float) -> float:
    """The same direction in (-pi, pi]."""
    if -math.pi < angle <= math.pi:
        return angle
    return angle - 2.0 * math.pi * math.ceil((angle - math.pi) / (2.0 * math.pi))
