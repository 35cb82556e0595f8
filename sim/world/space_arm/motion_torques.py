"""Torques over a whole motion: extremes, root mean squares, and what each term contributes.

The motion is that of an arm that follows its commands exactly: a tick begins with the rates of the
one before and reaches its own linearly, so that accelerations are finite and constant in a tick.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.arm import SpaceArmError
from sim.world.space_arm.inverse_dynamics import InverseDynamics, JointTorques
from sim.world.space_arm.links import numbers
from sim.world.space_arm.simulator import TICK_S

Array = NDArray[np.float64]

PARTS = 10
"""Equal parts of a tick at whose ends torques are computed."""


@dataclass(frozen=True, slots=True, eq=False)
class CommandedMotion:
    """A start at rest, and the joint rates that each tick reaches. Arrays are read-only.

    Raises:
        SpaceArmError: wrong shape, not finite, or no tick.
    """

    q_start_rad: Array
    """Joint angles at the start, at rest [rad], shape (n,)."""
    rates_rad_s: Array
    """Joint rates at the end of each tick [rad/s], shape (N, n)."""

    def __post_init__(self) -> None:
        count = len(self.rates_rad_s)
        if count == 0:
            raise SpaceArmError("a motion without a tick")
        joints = len(self.q_start_rad)
        rates = numbers(self.rates_rad_s, (count, joints), "rates_rad_s")
        object.__setattr__(self, "rates_rad_s", rates)
        object.__setattr__(self, "q_start_rad", numbers(self.q_start_rad, (joints,), "q_start_rad"))

    @property
    def duration_s(self) -> float:
        """Length of the motion [s]."""
        return len(self.rates_rad_s) * TICK_S

    def states(self) -> tuple[Array, Array, Array, Array]:
        """Compute the states at both ends of every part of every tick.

        Returns:
            Times [s], shape (M,), angles [rad], rates [rad/s] and accelerations [rad/s2], shape
            (M, n); an instant between two ticks is there twice, with both accelerations.
        """
        ticks, joints = self.rates_rad_s.shape
        begin = np.vstack([np.zeros(joints), self.rates_rad_s[:-1]])
        change = (self.rates_rad_s - begin) / TICK_S
        passed = np.cumsum(0.5 * (begin + self.rates_rad_s), axis=0) * TICK_S
        start = self.q_start_rad + np.vstack([np.zeros(joints), passed[:-1]])
        s = np.linspace(0.0, TICK_S, PARTS + 1)[:, None]
        times = np.arange(ticks)[:, None] * TICK_S + s.T
        q = start[:, None] + begin[:, None] * s + 0.5 * change[:, None] * s * s
        v = begin[:, None] + change[:, None] * s
        a = np.broadcast_to(change[:, None], v.shape)
        return times.ravel(), q.reshape(-1, joints), v.reshape(-1, joints), a.reshape(-1, joints)


@dataclass(frozen=True, slots=True, eq=False)
class MotionTorques:
    """Torques that a motion needs, at the moments of `CommandedMotion.states`."""

    t_s: Array
    """Times [s], shape (M,)."""
    q_rad: Array
    """Joint angles [rad], shape (M, n)."""
    torques: tuple[JointTorques, ...]
    """Torques of each moment."""

    @property
    def motor_nm(self) -> Array:
        """Torques of the motors on the joint's side [N m], shape (M, n)."""
        return np.array([one.motor_nm for one in self.torques])

    def terms_nm(self) -> Array:
        """Stack the terms in the order of `inverse_dynamics.TERMS` [N m], shape (M, 7, n)."""
        return np.array([one.terms() for one in self.torques])


def motion_torques(
    dynamics: InverseDynamics, motion: CommandedMotion, wrench: Array | None = None
) -> MotionTorques:
    """Compute the torques of a motion.

    Args:
        wrench: as in `InverseDynamics.torques`, the same all the time.
    """
    t, q, v, a = motion.states()
    found = tuple(dynamics.torques(*state, wrench) for state in zip(q, v, a, strict=True))
    return MotionTorques(t, q, found)


def root_mean_square(values: Array) -> Array:
    """Compute root mean squares over time of values at `CommandedMotion.states`, per column.

    By the trapezoidal rule within each tick.
    """
    squares = np.square(values).reshape(-1, PARTS + 1, *values.shape[1:])
    weights = np.full(PARTS + 1, 1.0 / PARTS)
    weights[[0, -1]] *= 0.5
    return np.sqrt(np.mean(np.tensordot(squares, weights, (1, 0)), axis=0))
