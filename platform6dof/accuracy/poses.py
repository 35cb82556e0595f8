"""Poses of a box that a machine can take: corners, middles of its faces, and random ones."""

import numpy as np
from numpy.typing import NDArray

from platform6dof.envelope import Envelope
from platform6dof.workspace import PoseBox

Array = NDArray[np.float64]

RANDOM = 1000
"""Random poses besides corners and faces."""


def reachable_poses(
    envelope: Envelope, box: PoseBox, count: int = RANDOM, seed: int = 0
) -> tuple[Array, int]:
    """Find coordinates of a box within all limits of a machine.

    Args:
        count: random poses, 0 or more.
        seed: of numpy's PCG64.

    Returns:
        Coordinates x, y, z, alpha, beta, gamma [m, rad], shape (N, 6), and how many were tried.
    """
    bits = (np.arange(64)[:, None] >> np.arange(6)) & 1  # (64, 6)
    corners = np.where(bits == 1, box.upper, box.lower)
    centre = 0.5 * (box.lower + box.upper)
    ends = 0.5 * np.vstack([np.eye(6), -np.eye(6)]) * (box.upper - box.lower)
    generator = np.random.Generator(np.random.PCG64(seed))
    drawn = box.lower + (box.upper - box.lower) * generator.random((count, 6))
    tried = np.vstack([centre, centre + ends, corners, drawn])
    return tried[envelope.inside(tried)], len(tried)
