"""The interface of every cueing algorithm: a filter from a vehicle to coordinates.

The rider's axes at the platform are forward, left, up: x, y, z of the platform. A vehicle's are
forward, right, down; so in small angles roll φ, pitch θ, yaw ψ of the vehicle are gamma, -beta,
-alpha of the platform, and y and z change their sign.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.vehicle import VehicleState

Rows = NDArray[np.float64]
"""Deviation from neutral: coordinates x, y, z, alpha, beta, gamma [m, rad], their first and second
derivatives, shape (3, 6)."""


class CueingFilter(Protocol):
    """An algorithm that lets a rider feel a vehicle in a small space; one step a cycle."""

    def reset(self) -> None:
        """Return to neutral, as if the vehicle had always been level."""
        ...

    def step(self, state: VehicleState, weight: float = 1.0) -> Rows:
        """Compute the platform's rows of this cycle.

        Args:
            state: what the vehicle does now; complete and finite.
            weight: share of its force (what differs from rest) and of its rates that is wanted,
                0 to 1: less while a source fades in or out.

        Returns:
            The deviation of the rider's head from neutral, a new array.
        """
        ...
