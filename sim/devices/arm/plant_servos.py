"""Servos of the emulated arm behind a body that couples the joints: gravity, load, contact.

The loop is that of `arm_servo`, with the motors' own torque limits; what the joints then do is the
plant's affair. Nothing sits between a joint that does not follow and its motor, so the servos watch
themselves, as controllers of the VAL class do (envelope error): a joint that is further from its
set-point than a window beside its usual lag, or whose motor is at its limit for too long, lets the
brakes fall in that very servo period. They stay so until somebody lifts them.

Not modelled: limits of the joints' rates, heat of the motors, one brake for each joint.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sim.devices.arm.servo import SERVO_S, TORQUE_MAX_NM, JointServos, ServoSettings, loop_torque

Array = NDArray[np.float64]

_STILL: Final = (0.0,) * 6
_AT_LIMIT: Final = 1.0 - 1e-9
"""Share of the largest torque that counts as the limit."""


class JointPlant(Protocol):
    """A body with six joints: what their motors turn with goes in, where they are comes out."""

    def begin(self, angles_rad: Sequence[float]) -> None:
        """Stand at rest with the joints at these angles, brakes closed [rad], 6."""
        ...

    def advance(self, torques_nm: Sequence[float], braked: bool, dt_s: float) -> None:
        """Go on by a time [s].

        Args:
            torques_nm: Of the motors, on the joints' side of the gears [N m], 6.
            braked: Whether the brakes are closed; then the motors do nothing.
            dt_s: Time that passes [s].
        """
        ...

    def angles_rad(self) -> Sequence[float]:
        """Of the joints [rad], 6."""
        ...

    def rates_rad_s(self) -> Sequence[float]:
        """Of the joints [rad/s], 6."""
        ...

    def touches(self) -> Sequence[tuple[str, float]]:
        """What presses on the arm, for people, and with which force [N]."""
        ...


@dataclass(frozen=True, slots=True)
class EnvelopeSettings:
    """When joints count as not following; ``math.inf`` switches a part off.

    Raises:
        ValueError: If a value makes no sense.
    """

    window_deg: tuple[float, ...] = (1.0, 1.0, 1.0, 3.0, 3.0, 3.0)
    """How far each joint may be from its set-point, beside its usual lag [deg]."""
    overload_s: float = 0.5
    """How long a motor may be at its largest torque [s]."""

    def __post_init__(self) -> None:
        if len(self.window_deg) != 6 or not all(value > 0.0 for value in self.window_deg):
            raise ValueError(f"window_deg = {self.window_deg}: six angles above 0 deg")
        if not self.overload_s > 0.0:
            raise ValueError(f"overload_s = {self.overload_s}: a time above 0 s")


@njit(cache=True, error_model="numpy")
def _period(
    table: Array, gains: Array, state: Array, increment: Array, watch: Array, torque: Array
) -> int:
    """Run the loops for one period, without the joints.

    Args:
        table: As in `JointServos`, like gains, state and increment; set-points go on.
        watch: Window of each joint [rad] and how long its motor is at its limit [s], shape (2, 6).
        torque: Out: of the motors [N m], shape (6,).

    Returns:
        The joint, 0 to 5, that is outside its window; -1 if none is.
    """
    beyond = -1
    for j in range(6):
        rate, drive = state[1, j], increment[j] / gains[3]
        error = state[2, j] - state[0, j]
        torque[j] = loop_torque(table, gains, j, error, rate, drive)
        lag = 2.0 / gains[0] * max(abs(rate), abs(drive))
        if abs(error) > watch[0, j] + lag:
            beyond = j
        at_limit = abs(torque[j]) >= _AT_LIMIT * table[3, j]
        watch[1, j] = watch[1, j] + gains[3] if at_limit else 0.0
        state[2, j] += increment[j]  # reached at the end of this period, not before
    return beyond


class PlantServos(JointServos):
    """Six joints of a plant under their servos.

    Args:
        q_rad: Where they stand [rad], shape (6,).
    """

    def __init__(
        self, settings: ServoSettings, envelope: EnvelopeSettings, plant: JointPlant, q_rad: Array
    ) -> None:
        self._plant, self._envelope = plant, envelope
        self._watch = np.zeros((2, 6))
        self._watch[0] = np.radians(envelope.window_deg)
        self._torque = np.zeros(6)
        self._braked = False
        self._time_s = 0.0
        self.saturated_s: float = math.inf
        """When a motor was at its limit for the first time, in time of the servos [s]."""
        super().__init__(settings, q_rad)
        self._table[3] = TORQUE_MAX_NM

    @property
    def torque_nm(self) -> Array:
        """Of the motors in the last period [N m], shape (6,), a copy."""
        return self._torque.copy()

    @property
    def time_s(self) -> float:
        """How long the servos have run [s]."""
        return self._time_s

    def place(self, q_rad: Array) -> None:
        """Stand somewhere at rest (angles [rad], shape (6,)).

        Raises:
            ValueError: If the plant cannot be there; nothing has moved.
        """
        self._plant.begin(q_rad.tolist())  # it may refuse
        super().place(q_rad)

    def brake(self, on: bool) -> None:
        """Let the brakes fall, or lift them; lifted, the loops hold the place they are at."""
        super().brake(on)
        self._braked = on
        self._watch[1] = 0.0
        if not on:
            self.trip = ""

    def run(self, steps: int) -> None:
        """Run so many servo periods; set-points go on by equal increments."""
        plant, state = self._plant, self._state
        for _ in range(steps):
            torques: Sequence[float] = _STILL
            if not self._braked:
                self._loops()
                torques = self._torque.tolist()
            plant.advance(torques, self._braked, SERVO_S)
            self._time_s += SERVO_S
            state[0] = plant.angles_rad()
            state[1] = plant.rates_rad_s()

    def _loops(self) -> None:
        """Take the motors' torques of a period; let the brakes fall if a joint does not follow."""
        beyond = _period(
            self._table, self._gains, self._state, self._increment, self._watch, self._torque
        )
        held_s = self._watch[1]
        if beyond >= 0:
            error = math.degrees(abs(self._state[2, beyond] - self._state[0, beyond]))
            self._fall(
                f"joint {beyond + 1}: {error:.2f} deg from its set-point, beside its lag "
                f"{self._envelope.window_deg[beyond]:g} deg are allowed"
            )
        elif held_s.max() > 0.0:
            self.saturated_s = min(self.saturated_s, self._time_s)
            if held_s.max() >= self._envelope.overload_s:
                joint = int(held_s.argmax())
                self._fall(
                    f"joint {joint + 1}: at its largest torque of {TORQUE_MAX_NM[joint]:g} N m "
                    f"for {held_s[joint]:.2f} s, {self._envelope.overload_s:g} s are allowed"
                )

    def _fall(self, why: str) -> None:
        touched = "".join(f"; {what}: {force_n:.0f} N" for what, force_n in self._plant.touches())
        self.brake(True)
        self.trip = why + touched


def warm_plant_servos() -> None:
    """Compile what the servos of a plant call."""
    zeros = np.zeros((3, 6))
    gains = np.array([120.0, 0.95, 0.0, SERVO_S])
    _period(np.ones((5, 6)), gains, zeros, np.zeros(6), np.ones((2, 6)), np.zeros(6))
