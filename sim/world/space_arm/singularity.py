"""Mobility of an arm's gripper in a posture, and joint rates by a damped inverse.

Metres and radians are made commensurable by a characteristic length: linear rows of the Jacobian
are divided by it, so singular values are bare numbers that can be compared with one threshold.
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import Arm
from sim.world.space_arm.kernels import dynamics
from sim.world.space_arm.kernels.rates import (
    damped_rates,
    orthogonalise,
    singular_values,
    squared_damping,
)

Array = NDArray[np.float64]

PROBE_RAD = 1e-6
"""Largest turn of a joint over which the slope of the smallest singular value is taken."""

LEVEL = 1e-5
"""Slopes for a rate of 1 rad/s that are smaller than this count as none: they are rounding."""

ESCAPE_BELOW = 1e-3
"""Singular value under which no rates at all would answer a twist in the lost direction."""

ESCAPE_LOOK_RAD = 0.02
"""Length of the self-motion after which it must have opened the lost direction."""

ESCAPE_OPENS = 1e-4
"""Least (bare) speed in the lost direction that counts as opened, for a self-motion of 1 rad/s."""


def reach_m(arm: Arm) -> float:
    """Length of the arm's chain from its second joint on to the gripper frame [m].

    No posture takes the gripper farther from the second joint. The first offset only carries the
    arm, so it does not count.
    """
    chain = (*(link.offset_m for link in arm.links[1:]), arm.tool_offset_m)
    slides = (link for link in arm.links[1:] if link.prismatic)
    travels = (max(abs(link.position_min_rad), abs(link.position_max_rad)) for link in slides)
    return math.fsum((*(float(np.linalg.norm(offset)) for offset in chain), *travels))


def lost_last(sigma: Array, rank: int) -> int:
    """Find the direction of a decomposition that a singularity takes: the smallest that counts.

    Args:
        sigma: singular values in any order.
        rank: how many of them, the largest, belong to directions that the arm has at all.
    """
    if rank == len(sigma):
        return int(np.argmin(sigma))
    return int(np.argsort(sigma)[len(sigma) - rank])


@dataclass(frozen=True, slots=True)
class Damping:
    """Damping of directions near a singularity."""

    below: float = 0.02
    """Singular value under which a direction is damped; above it the inverse is exact."""
    largest: float = 0.02
    """Damping at the singular value 0."""

    @property
    def escape_gain(self) -> float:
        """Gain of the damped inverse at the singular value where an escape hands over to it."""
        square = squared_damping(ESCAPE_BELOW, self.below, self.largest)
        return ESCAPE_BELOW / (ESCAPE_BELOW * ESCAPE_BELOW + square)


@dataclass(frozen=True, slots=True, eq=False)
class Posture:
    """Decomposition of the arm's Jacobian at one posture, made by `PostureSolver.at`."""

    q_rad: Array
    """Joint positions, shape (n,)."""
    rotation_BG: Array
    """Gripper axes in base axes, shape (3, 3)."""
    jacobian: Array
    """Jacobian of the gripper's origin, linear rows first, base axes, shape (6, n)."""
    scaled: Array
    """Lengths that divide the rows of a twist, shape (6,)."""
    columns: Array
    """Columns U S of the scaled Jacobian, shape (6, n)."""
    turns: Array
    """Right singular vectors V of the scaled Jacobian, shape (n, n)."""
    sigma: Array
    """Singular values in the order of the columns, shape (n,)."""
    manipulability: float
    """Product of the singular values that count (Yoshikawa 1985)."""
    rank: int
    """Number of singular values that count: the components that are followed, or the joints."""

    def __post_init__(self) -> None:
        for name in ("q_rad", "rotation_BG", "jacobian", "scaled", "columns", "turns", "sigma"):
            array = np.array(getattr(self, name), dtype=np.float64)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def smallest(self) -> float:
        """The smallest singular value of the scaled Jacobian."""
        return float(self.sigma[self.last])

    @property
    def last(self) -> int:
        """Index of the smallest singular value."""
        return lost_last(self.sigma, self.rank)

    def rates(self, twist_BG: Array, damping: Damping) -> Array:
        """Compute the joint rates for a gripper twist, damped in the directions that need it.

        Args:
            twist_BG: linear [m/s], then angular velocity [rad/s], base axes, shape (6,).
            damping: see `Damping`.

        Returns:
            Joint rates [rad/s], shape (n,).
        """
        rates = np.empty(len(self.q_rad))
        damped_rates(
            self.columns, self.turns, self.sigma, twist_BG / self.scaled,
            damping.below, damping.largest, rates,
        )  # fmt: skip
        return rates


class PostureSolver:
    """Solver that decomposes the Jacobian of one arm at any posture.

    Args:
        length_m: characteristic length that makes metres and radians commensurable.
    """

    def __init__(self, arm: Arm, length_m: float) -> None:
        self._arrays = arm.arrays()
        self._scratch = dynamics.make_scratch()
        self._joints = arm.joints
        self._rank = min(sum(arm.followed), arm.joints)
        self._scaled = np.array([length_m] * 3 + [1.0] * 3)
        self._scaled[~np.array(arm.followed)] = np.inf

    def at(self, q_rad: Array) -> Posture:
        """Decompose at joint positions [rad], shape (n,)."""
        n = self._joints
        rotation, position, jacobian = np.empty((3, 3)), np.empty(3), np.empty((6, n))
        dynamics.gripper_pose(self._arrays, q_rad, self._scratch, rotation, position)
        dynamics.gripper_jacobian(self._arrays, q_rad, self._scratch, jacobian)
        columns, turns, sigma = jacobian / self._scaled[:, None], np.empty((n, n)), np.empty(n)
        if orthogonalise(columns, turns) < 0:
            raise ArithmeticError(
                f"q = {q_rad.tolist()} rad: the Jacobian has no singular values; "
                "the arm's dimensions must be finite"
            )
        manipulability = singular_values(columns, sigma)
        if self._rank < n:
            manipulability = float(np.prod(np.sort(sigma)[n - self._rank :]))
        return Posture(
            q_rad, rotation, jacobian, self._scaled, columns, turns, sigma, manipulability,
            self._rank,
        )  # fmt: skip

    def escape(self, posture: Posture, twist_BG: Array, middle_rad: Array) -> Array:
        """Find the self-motion that opens the direction lost at a singular posture.

        A straight elbow cannot answer a pull inwards with any joint rates; bent either way by its
        self-motion (the right singular vector) it can. The direction towards the middle of the
        range of the joint that moves most is tried first. A push outwards opens in neither.

        Args:
            posture: where the arm is.
            twist_BG: wanted, base axes, shape (6,).
            middle_rad: middle of each joint's range, shape (n,).

        Returns:
            Unit self-motion times the lost part of the (bare) twist, shape (n,); zeros where
            nothing is lost or neither direction helps.
        """
        if posture.smallest >= ESCAPE_BELOW:
            return np.zeros(self._joints)
        motion = posture.turns[:, posture.last]
        lost = _left_vector(posture.jacobian / self._scaled[:, None], self._rank)
        wanted = float(lost @ (twist_BG / self._scaled))
        joint = int(np.argmax(np.abs(motion)))
        first = math.copysign(1.0, (middle_rad - posture.q_rad)[joint] * motion[joint])
        for sign in (first, -first):
            ahead = self.at(posture.q_rad + sign * ESCAPE_LOOK_RAD * motion)
            opened = sign * float(lost @ (ahead.jacobian @ motion / self._scaled))
            if opened * wanted > ESCAPE_OPENS * abs(wanted):
                return sign * abs(wanted) * motion
        return np.zeros(self._joints)

    def slope(self, posture: Posture, rates_rad_s: Array) -> float:
        """Compute the rate of change of the smallest singular value along joint rates [1/s].

        At a singular value of 0 every direction leads out, so the slope is 0 or more there.

        Args:
            posture: where the arm is.
            rates_rad_s: where it moves, shape (n,).
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


def _left_vector(scaled_jacobian: Array, rank: int) -> Array:
    """Find the left singular vector of the smallest singular value, even if that is exactly 0."""
    columns, turns, sigma = scaled_jacobian.T.copy(), np.empty((6, 6)), np.empty(6)
    orthogonalise(columns, turns)
    singular_values(columns, sigma)
    return turns[:, lost_last(sigma, rank)]
