"""Joint servos of the emulated arm: a motor behind gears, with friction, under a digital loop.

For each joint, on its own side of the gears, with the inertia J = G^2 Jm + links:

    J q'' = torque - G^2 B q' - Fc(q')
    torque = J (wn^2 (r - q) - 2 wn q') + compensation of friction, within the motor's torque

The loop is critically damped, so the joint cannot overshoot a set-point that comes to rest, but
for what friction the compensation leaves over. Set-points arrive every 28 ms and are divided
into 32 equal increments, as the joint processors of the PUMA do. All joints have the same
bandwidth: straight lines stay straight, only later, by 2/wn.

Motor inertia Jm, gears G, viscous friction B and Coulomb friction Tc (both on the motor's side,
the larger of its two directions) are those of Corke and Armstrong-Helouvry, 1994; largest torques
those of Armstrong, Khatib and Burdick, 1986; largest rates those of data sheets of the class.

Not modelled: elasticity and backlash of the gears, encoder counts, current loops; without a world
(`arm_plant`) gravity, taken as balanced, coupling between the joints, and what the arm touches.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numba import njit
from numpy.typing import NDArray

Array = NDArray[np.float64]

SERVO_S: Final = 0.000875
"""Period of the joint servos [s]."""
STEPS_PER_POINT: Final = 32
"""Servo periods between two set-points: 28 ms."""

MOTOR_INERTIA: Final = (200e-6, 200e-6, 200e-6, 33e-6, 33e-6, 33e-6)
GEARS: Final = (62.6111, 107.815, 53.7063, 76.0364, 71.923, 76.686)
VISCOUS: Final = (1.48e-3, 0.817e-3, 1.38e-3, 71.2e-6, 82.6e-6, 36.7e-6)
COULOMB_NM: Final = (0.435, 0.126, 0.132, 16.9e-3, 14.5e-3, 10.5e-3)
TORQUE_MAX_NM: Final = (97.6, 186.4, 89.4, 24.2, 20.1, 21.3)
LINK_INERTIA: Final = (2.6, 4.4, 0.83, 0.01, 0.01, 0.001)
"""Inertia of the links about each axis [kg m^2], arm stretched, composed from the link table."""

# Rows of the kernel's table.
_INERTIA, _VISCOUS, _COULOMB, _TORQUE, _RATE = range(5)
_STILL_RAD_S = 1e-9
_CREEP_RAD_S = 1e-4  # set-points that move less than this are at rest
_NEAR_RAD = 50e-6  # full compensation of friction at rest from this error on


@dataclass(frozen=True, slots=True)
class ServoSettings:
    """Parameters of the joint servos.

    Raises:
        ValueError: If a value makes no sense.
    """

    bandwidth_rad_s: float = 120.0
    """Natural frequency wn of the position loop [rad/s]."""
    friction_known: float = 0.95
    """Part of the Coulomb friction that the loop compensates, 0 to 1."""
    rate_max_rad_s: tuple[float, ...] = (1.43, 1.29, 2.13, 3.98, 4.21, 3.98)
    """Largest rate of each joint [rad/s]."""
    acceleration_max_rad_s2: tuple[float, ...] = (20.0, 20.0, 25.0, 60.0, 60.0, 60.0)
    """Largest acceleration of each joint [rad/s^2]; the motor's torque may allow less."""

    def __post_init__(self) -> None:
        if not 1.0 <= self.bandwidth_rad_s <= 300.0:
            raise ValueError(
                f"bandwidth_rad_s = {self.bandwidth_rad_s}: 1 to 300 rad/s, a servo period of "
                f"{SERVO_S * 1e3:g} ms carries no more"
            )
        if not 0.0 <= self.friction_known <= 1.0:
            raise ValueError(f"friction_known = {self.friction_known}: 0 to 1")
        for name in ("rate_max_rad_s", "acceleration_max_rad_s2"):
            values = getattr(self, name)
            if len(values) != 6 or not all(math.isfinite(v) and v > 0.0 for v in values):
                raise ValueError(f"{name} = {values}: six values above 0")


@njit(cache=True, error_model="numpy")
def loop_torque(
    table: Array, gains: Array, j: int, error: float, rate: float, drive: float
) -> float:
    """Return the torque that the loop of joint j asks its motor for, as the motor gives it [N m].

    Args:
        table: As in `JointServos`.
        gains: wn [rad/s], known part of friction first.
        error: Set-point less angle [rad].
        rate: Of the joint [rad/s].
        drive: Of the set-point [rad/s].
    """
    wn, known = gains[0], gains[1]
    # At rest, it pushes where the joint should go, or friction would keep it.
    near = min(max(error / _NEAR_RAD, -1.0), 1.0)
    sense = np.sign(drive) if abs(drive) > _CREEP_RAD_S else near
    pull = table[0, j] * (wn * wn * error - 2.0 * wn * rate)
    torque = pull + table[1, j] * rate + known * table[2, j] * sense
    return min(max(torque, -table[3, j]), table[3, j])


@njit(cache=True, error_model="numpy")
def _run(table: Array, gains: Array, state: Array, increment: Array, steps: int) -> None:
    """Run servo periods.

    ``state`` has the rows angle [rad], rate [rad/s], set-point [rad]; ``gains`` is wn [rad/s],
    known part of friction, braking (0 or 1), period [s].
    """
    braking, dt = gains[2], gains[3]
    for _ in range(steps):
        for j in range(6):
            inertia, viscous, coulomb = table[0, j], table[1, j], table[2, j]
            q, rate = state[0, j], state[1, j]
            error, drive = state[2, j] - q, increment[j] / dt
            state[2, j] += increment[j]  # reached at the end of this period, not before
            if braking > 0.0:
                torque = -table[3, j] * np.sign(rate)
            else:
                torque = loop_torque(table, gains, j, error, rate, drive)
            # Friction opposes motion and at rest holds against any lesser torque.
            push = torque - viscous * rate
            moving = rate if abs(rate) > _STILL_RAD_S else push
            if abs(rate) <= _STILL_RAD_S and abs(push) <= coulomb:
                state[1, j] = 0.0
                continue
            after = rate + dt * (push - coulomb * np.sign(moving)) / inertia
            if after * moving < 0.0:  # friction and brake stop a joint, they never drive it back
                after = 0.0 if braking > 0.0 or abs(push) <= coulomb else after
            after = min(max(after, -table[4, j]), table[4, j])
            state[1, j] = after
            state[0, j] = q + 0.5 * dt * (rate + after)  # the torque is held for a period


class JointServos:
    """Servos of six joints.

    Args:
        q_rad: Angles at the start [rad], shape (6,).
    """

    def __init__(self, settings: ServoSettings, q_rad: Array) -> None:
        gears = np.array(GEARS)
        inertia = gears**2 * np.array(MOTOR_INERTIA) + np.array(LINK_INERTIA)
        table = np.empty((5, 6))
        table[_INERTIA] = inertia
        table[_VISCOUS] = gears**2 * np.array(VISCOUS)
        table[_COULOMB] = gears * np.array(COULOMB_NM)
        table[_TORQUE] = np.minimum(
            TORQUE_MAX_NM, inertia * np.array(settings.acceleration_max_rad_s2)
        )
        table[_RATE] = settings.rate_max_rad_s
        self._table = table
        self._gains = np.array([settings.bandwidth_rad_s, settings.friction_known, 0.0, SERVO_S])
        self._state = np.zeros((3, 6))
        self._increment = np.zeros(6)
        self.trip: str = ""
        """Reason why the servos let the brakes fall by themselves; empty if they did not."""
        self.place(q_rad)

    @property
    def q_rad(self) -> Array:
        """Measured angles [rad], shape (6,), a copy."""
        return self._state[0].copy()

    @property
    def rate_rad_s(self) -> Array:
        """Measured rates [rad/s], shape (6,), a copy."""
        return self._state[1].copy()

    @property
    def setpoint_rad(self) -> Array:
        """Angles that the loops want now [rad], shape (6,), a copy."""
        return self._state[2].copy()

    def place(self, q_rad: Array) -> None:
        """Rest at some angles [rad], shape (6,)."""
        self._state[0] = self._state[2] = q_rad
        self._state[1] = 0.0
        self._increment[:] = 0.0

    def aim(self, q_rad: Array) -> None:
        """Take the set-point of the next 28 ms (angles [rad], shape (6,))."""
        self._increment[:] = (q_rad - self._state[2]) / STEPS_PER_POINT

    def brake(self, on: bool) -> None:
        """Let the brakes fall, or lift them; lifted, the loops hold the place they are at."""
        if not on:
            self._state[2] = self._state[0]
        self._increment[:] = 0.0
        self._gains[2] = 1.0 if on else 0.0

    def run(self, steps: int) -> None:
        """Run some servo periods; set-points advance by equal increments."""
        if steps > 0:
            _run(self._table, self._gains, self._state, self._increment, steps)
