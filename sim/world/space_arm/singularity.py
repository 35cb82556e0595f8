"""How well an arm's posture can move its gripper, and joint rates by a damped inverse.

Metres and radians are made commensurable by a characteristic length: linear rows of the Jacobian
are divided by it, so singular values are bare numbers that can be compared with one threshold.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.kernels.rates import damped_rates, orthogonalise, singular_values

Array = NDArray[np.float64]

PROBE_RAD = 1e-6
"""Largest turn of a joint over which the slope of the smallest singular value is taken."""

LEVEL = 1e-5
"""Slopes for a rate of 1 rad/s that are smaller than this count as none: they are rounding."""


def reach_m(arm: Arm) -> float:
    """Length of the arm's chain from its second joint on to the gripper frame [m].

    No posture takes the gripper farther from the second joint. The first offset only carries the
    arm, so it does not count.
    """
    chain = (*(link.offset_m for link in arm.links[1:]), arm.tool_offset_m)
    return math.fsum(float(np.linalg.norm(offset)) for offset in chain)


@dataclass(frozen=True, slots=True)
class Damping:
    """How directions near a singularity are damped.

    Args:
        below: singular value under which a direction is damped; above it the inverse is exact.
        largest: damping at the singular value 0.
    """

    below: float = 0.02
    largest: float = 0.02


@dataclass(frozen=True, slots=True, eq=False)
class Posture:
    """The arm's Jacobian at one posture, taken apart. Made by `PostureSolver.at`.

    Args:
        q_rad: joint positions, shape (6,).
        rotation_BG: gripper axes in base axes, shape (3, 3).
        jacobian: of the gripper's origin, linear rows first, base axes, shape (6, 6).
        scaled: lengths that divide the rows of a twist, shape (6,).
        columns: U S of the scaled Jacobian, shape (6, 6).
        turns: V of the scaled Jacobian, shape (6, 6).
        sigma: singular values in the order of the columns, shape (6,).
        manipulability: their product (Yoshikawa 1985).
    """

    q_rad: Array
    rotation_BG: Array
    jacobian: Array
    scaled: Array
    columns: Array
    turns: Array
    sigma: Array
    manipulability: float

    def __post_init__(self) -> None:
        for name in ("q_rad", "rotation_BG", "jacobian", "scaled", "columns", "turns", "sigma"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def smallest(self) -> float:
        """The smallest singular value of the scaled Jacobian."""
        return float(np.min(self.sigma))

    def rates(self, twist_BG: Array, damping: Damping) -> Array:
        """Joint rates for a gripper twist, damped in the directions that need it.

        Args:
            twist_BG: linear [m/s], then angular velocity [rad/s], base axes, shape (6,).
            damping: see `Damping`.

        Returns:
            Joint rates [rad/s], shape (6,).
        """
        rates = np.empty(6)
        damped_rates(
            self.columns, self.turns, self.sigma, twist_BG / self.scaled,
            damping.below, damping.largest, rates,
        )  # fmt: skip
        return rates


class PostureSolver:
    """Takes the Jacobian of one arm apart at any posture.

    Args:
        arm: the arm.
        length_m: characteristic length that makes metres and radians commensurable.
    """

    def __init__(self, arm: Arm, length_m: float) -> None:
        self._arrays = arm.arrays()
        self._scratch = dynamics.make_scratch()
        self._scaled = np.array([length_m] * 3 + [1.0] * 3)

    def at(self, q_rad: Array) -> Posture:
        """The posture at joint positions [rad], shape (6,)."""
        rotation, position, jacobian = np.empty((3, 3)), np.empty(3), np.empty((6, 6))
        dynamics.gripper_pose(self._arrays, q_rad, self._scratch, rotation, position)
        dynamics.gripper_jacobian(self._arrays, q_rad, self._scratch, jacobian)
        columns, turns, sigma = jacobian / self._scaled[:, None], np.empty((6, 6)), np.empty(6)
        if orthogonalise(columns, turns) < 0:
            raise ArithmeticError(
                f"q = {q_rad.tolist()} rad: the Jacobian has no singular values; "
                "the arm's dimensions must be finite"
            )
        manipulability = singular_values(columns, sigma)
        return Posture(
            q_rad, rotation, jacobian, self._scaled, columns, turns, sigma, manipulability
        )

    def slope(self, posture: Posture, rates_rad_s: Array) -> float:
        """Rate of change of the smallest singular value along joint rates [1/s].

        At a singular value of 0 every way leads out, so the slope is 0 or more there.

        Args:
            posture: where the arm is.
            rates_rad_s: where it moves, shape (6,).
        """
        fastest = float(np.max(np.abs(rates_rad_s)))
        if fastest == 0.0:
            return 0.0
        step_s = PROBE_RAD / fastest
        if math.isinf(step_s):
            return 0.0
        ahead = self.at(posture.q_rad + rates_rad_s * step_s)
        rise = ahead.smallest - posture.smallest
        return rise / step_s if abs(rise) > LEVEL * PROBE_RAD else 0.0
