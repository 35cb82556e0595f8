"""Modified D-H numbers of a frame, of 4 numbers or 6, and back from any pose.

    A_B = Rot_z(γ) Trans_z(b) Rot_x(α) Trans_x(d) Rot_z(θ) Trans_z(r)

``(α, d, θ, r)`` after J. J. Craig, Introduction to Robotics, eq. (3.6), whose a and d are d and r
here; ``(γ, b, α, d, θ, r)`` after W. Khalil and J. F. Kleinfinger (1986) for links with more than
one joint, where the common normal does not lie along the x axis. Angles in rad, lengths in m.
"""

import math
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NAMES: Final = ("gamma_rad", "b_m", "alpha_rad", "d_m", "theta_rad", "r_m")
"""Names of the six numbers; four are the last of them."""
COUNTS: Final = (4, 6)
"""Numbers that a frame may have."""
PARALLEL: Final = 1e-8
"""Sine of the angle between two axes up to which they count as parallel."""
ROUNDING: Final = 1e-14
"""γ [rad] and b [m] below which they are left out."""
_NO_MINUS_ZERO: Final = 0.0
"""Added to numbers that shall be written without a sign of nothing."""


def is_angle(name: str) -> bool:
    """Whether one of `NAMES` is an angle."""
    return name.endswith("_rad")


def pose_of(dh: Sequence[float]) -> Array:
    """Compute the frame of 4 or 6 D-H numbers, shape (4, 4)."""
    alpha, d, theta, r = dh[-4:]
    cosine, sine = math.cos(alpha), math.sin(alpha)
    if len(dh) == 4:
        ct, st = math.cos(theta), math.sin(theta)
        return _NO_MINUS_ZERO + np.array(
            [
                [ct, -st, 0.0, d],
                [cosine * st, cosine * ct, -sine, -sine * r],
                [sine * st, sine * ct, cosine, cosine * r],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )
    first = _screw_z(*dh[:2])
    second = _screw_z(theta, r)
    middle = np.array(
        [
            [1.0, 0.0, 0.0, d],
            [0.0, cosine, -sine, 0.0],
            [0.0, sine, cosine, 0.0],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
    return first @ middle @ second


def dh_of(pose: Array) -> tuple[float, ...]:
    """Compute the D-H numbers of a frame: 4 if they do, else 6. |γ| ≤ π/2.

    Exact to 1e-9 m for poses of some metres, but for axes that are parallel to 1e-8 … 1e-6 rad:
    their common normal is far away, and what 64 bits lose there is up to 1e-7 m.

    Args:
        pose: of the frame, shape (4, 4).
    """
    R: Array = pose[:3, :3]
    x, y, z = pose[:3, 3].tolist()
    sine = math.hypot(R[0, 2], R[1, 2])
    if sine > PARALLEL:
        gamma, alpha = math.atan2(R[0, 2], -R[1, 2]), math.atan2(sine, R[2, 2])
        theta = math.atan2(R[2, 0], R[2, 1])
        d = math.cos(gamma) * x + math.sin(gamma) * y
        r = (math.sin(gamma) * x - math.cos(gamma) * y) / sine
        b = z - r * math.cos(alpha)
    else:
        up = math.copysign(1.0, R[2, 2])
        gamma, alpha = math.atan2(y, x), 0.0 if up > 0.0 else math.pi
        turned = math.atan2(R[1, 0], R[0, 0])
        theta = math.remainder(up * (turned - gamma), math.tau)
        d, r, b = math.hypot(x, y), up * z, 0.0
    if abs(gamma) > math.pi / 2:
        gamma, alpha, d = gamma - math.copysign(math.pi, gamma), -alpha, -d
        theta -= math.copysign(math.pi, theta)
    numbers = (gamma, b, alpha, d, theta, r)
    straight = abs(gamma) < ROUNDING and abs(b) < ROUNDING * max(1.0, abs(r))
    return numbers[2:] if straight else numbers


def _screw_z(angle_rad: float, shift_m: float) -> Array:
    """Make a turn about z and a shift along it, shape (4, 4)."""
    cosine, sine = math.cos(angle_rad), math.sin(angle_rad)
    return np.array(
        [
            [cosine, -sine, 0.0, 0.0],
            [sine, cosine, 0.0, 0.0],
            [0.0, 0.0, 1.0, shift_m],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
