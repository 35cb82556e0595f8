"""D-H rows of a chain of hinges, each turned by one variable, for users without robot models."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sim.world.motion.chain import Chain
from sim.world.robots.dh import dh_of

Array = NDArray[np.float64]
Row = tuple[float, float, float, float, float]
"""theta [rad], d [m], a [m], alpha [rad], and 1 if a joint turns it about its z first, else 0."""


def dh_rows(chain: Chain) -> tuple[Row, ...]:
    """Rows whose product Rz(theta + q) Tz(d) Tx(a) Rx(alpha) is the pose of the chain's place.

    The first and the last are fixed: from the base to the first joint, and from the last to the
    place. Exact to 1e-9 m, as `dh_of` is.

    Raises:
        ChainError: if a joint slides, or is not moved by a variable of its own, in their order.
    """
    before, axes, last = chain.turning()
    aligned = [np.eye(4), *(rotation_from_z(axis) for axis in axes), np.eye(4)]
    parts = zip(aligned, (*before, last), aligned[1:], strict=False)
    frames = [six(one.T @ part @ other) for one, part, other in parts]
    rows: list[Row] = []
    theta = r = 0.0
    for number, (gamma, b, alpha, d, after, offset) in enumerate(frames):
        rows.append((theta + gamma, r + b, d, alpha, float(number > 0)))
        theta, r = after, offset
    return (*rows, (theta, r, 0.0, 0.0, 0.0))


def six(pose: Array) -> tuple[float, ...]:
    """Compute the six D-H numbers of a pose."""
    found = dh_of(pose)
    return found if len(found) == 6 else (0.0, 0.0, *found)


def rotation_from_z(axis: Array) -> Array:
    """Make the rotation that takes z to an axis, as a pose without translation, shape (4, 4)."""
    pose, z = np.eye(4), np.array([0.0, 0.0, 1.0])
    across = np.cross(z, axis)
    sine, cosine = float(np.linalg.norm(across)), float(axis @ z)
    if sine < 1e-12:
        pose[:3, :3] = np.diag([1.0, math.copysign(1.0, cosine), math.copysign(1.0, cosine)])
        return pose
    x, y, w = across / sine
    K = np.array([[0.0, -w, y], [w, 0.0, -x], [-y, x, 0.0]])
    pose[:3, :3] = np.eye(3) + sine * K + (1.0 - cosine) * K @ K
    return pose
