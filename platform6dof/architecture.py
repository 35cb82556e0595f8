"""Architectural singularity: a geometry that cannot hold its platform in any pose."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

RANK_TOLERANCE = 1e-3
"""A singular value counts towards the rank above this fraction of the largest one. A platform
whose sixth value is smaller everywhere multiplies a leg error by a thousand: no machine."""

_GENERIC_TURNS_RAD = (
    (0.21, -0.13, 0.17),
    (-0.16, 0.24, 0.11),
    (0.12, 0.19, -0.23),
    (-0.27, -0.15, -0.18),
)
_GENERIC_SHIFTS = (
    (0.11, -0.07, 0.05),
    (-0.13, 0.09, -0.06),
    (0.06, 0.14, 0.09),
    (-0.08, -0.12, 0.03),
)
"""Fixed poses about the neutral one, without symmetry: shifts as a fraction of its height."""


@dataclass(frozen=True, slots=True)
class Architecture:
    """Rank of the Jacobian."""

    rank_at_neutral: int
    """Rank at the level pose at mid stroke."""
    rank: int
    """The largest found, there or at any of the fixed generic poses."""
    reason: str
    """Reason why the rank is less than six, empty when it is six."""


def analyse(base_m: Array, platform_m: Array, neutral_position_m: Array) -> Architecture:
    """Rank of the scaled Jacobian at the neutral pose and at fixed generic poses.

    Args:
        base_m: base joints in base axes [m], shape (6, 3).
        platform_m: platform joints in platform axes [m], shape (6, 3).
        neutral_position_m: position of the level platform at mid stroke [m], shape (3,).
    """
    scale = float(np.sqrt(((platform_m - platform_m.mean(axis=0)) ** 2).sum(axis=1).mean()))
    at_neutral = _rank(base_m, platform_m, neutral_position_m, np.eye(3), scale)
    best = at_neutral
    height = abs(float(neutral_position_m[2]))
    for turn, shift in zip(_GENERIC_TURNS_RAD, _GENERIC_SHIFTS, strict=True):
        position = neutral_position_m + height * np.array(shift)
        best = max(best, _rank(base_m, platform_m, position, _rotation(turn), scale))
    reason = "" if best == 6 else _reason(base_m, platform_m)
    return Architecture(at_neutral, best, reason)


def _rotation(turn_rad: tuple[float, float, float]) -> Array:
    """Rotation by a rotation vector, as the Cayley transform: exactly orthonormal, no angles."""
    x, y, z = turn_rad
    half = 0.5 * np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.asarray(np.linalg.solve(np.eye(3) - half, np.eye(3) + half), dtype=np.float64)


def _rank(base_m: Array, platform_m: Array, position: Array, rotation: Array, scale: float) -> int:
    arms = platform_m @ rotation.T  # (6, 3)
    legs = position + arms - base_m
    directions = legs / np.linalg.norm(legs, axis=1, keepdims=True)
    jacobian = np.hstack([directions, np.cross(arms, directions) / max(scale, 1e-12)])  # (6, 6)
    if not np.isfinite(jacobian).all():
        return 0
    values = np.linalg.svd(jacobian, compute_uv=False)
    return int((values > RANK_TOLERANCE * values[0]).sum())


def _reason(base_m: Array, platform_m: Array) -> str:
    """Name the cause if it is one of the classical ones."""
    for name, joints in (("base", base_m), ("platform", platform_m)):
        values = np.linalg.svd(joints - joints.mean(axis=0), compute_uv=False)
        if values[1] < RANK_TOLERANCE * values[0]:
            return f"the joints of the {name} stand on one line"
        if _largest_group(joints) > 3:
            return f"more than three legs meet in one joint of the {name}"
    similar = _similarity(base_m, platform_m)
    if similar is not None:
        scale, turn_deg = similar
        return (
            f"the platform's joints form a figure similar to the base's (scale {scale:.4g}, turned "
            f"by {turn_deg:.2f} deg); give the plates different half angles, for example a "
            "triangle on the platform"
        )
    return "the six legs always belong to one linear complex"


def _largest_group(joints_m: Array) -> int:
    """Number of joints in the most crowded place."""
    distances = np.linalg.norm(joints_m[:, None] - joints_m[None, :], axis=2)  # (6, 6)
    return int((distances < RANK_TOLERANCE * distances.max()).sum(axis=1).max())


def _similarity(base_m: Array, platform_m: Array) -> tuple[float, float] | None:
    """Scale and turn about z that carry the base's figure onto the platform's, leg by leg.

    Both figures seen from above are complex numbers; the best similarity is then one complex
    factor (least squares). None if the figures are not similar or not flat.
    """
    if max(np.ptp(base_m[:, 2]), np.ptp(platform_m[:, 2])) > RANK_TOLERANCE * np.ptp(base_m[:, 0]):
        return None
    base = base_m[:, 0] + 1j * base_m[:, 1]
    platform = platform_m[:, 0] + 1j * platform_m[:, 1]
    base, platform = base - base.mean(), platform - platform.mean()
    factor = np.vdot(base, platform) / np.vdot(base, base)
    residual = np.abs(platform - factor * base).max() / np.abs(platform).max()
    if residual > RANK_TOLERANCE:
        return None
    return float(abs(factor)), float(np.degrees(np.angle(factor)))
