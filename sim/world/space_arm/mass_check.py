"""Check that every joint of an arm moves mass of its own: a singular mass matrix has no motion."""

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm, SpaceArmError
from sim.world.space_arm.kernels import dynamics

LEAST_SHARE = 1e-12
"""Least part of a joint's inertia that remains if all joints before it may give way."""


def check_masses(arm: Arm, q_rad: NDArray[np.float64]) -> None:
    """Refuse an arm with a joint that moves no mass, or none but what others move alike.

    Args:
        q_rad: joint angles of the posture in which it is looked for [rad], shape (n,).

    Raises:
        SpaceArmError: naming the joint.
    """
    mass = np.empty((arm.joints, arm.joints))
    dynamics.mass_matrix(arm.arrays(), q_rad, dynamics.make_scratch(), mass)
    for i, link in enumerate(arm.links):
        left = mass[i, i]
        if i:
            left -= mass[i, :i] @ np.linalg.lstsq(mass[:i, :i], mass[:i, i], rcond=None)[0]
        if not left > LEAST_SHARE * mass[i, i]:
            unit = "kg" if link.prismatic else "kg m2"
            raise SpaceArmError(
                f"joint {link.name}: the mass matrix is singular, {left:.3g} of {mass[i, i]:.3g} "
                f"{unit} are its own; what it moves, and the joints before it do not move alike, "
                "needs a mass, away from its axis, or a moment of inertia"
            )
