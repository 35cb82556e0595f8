"""Following of a host's pose: the platform follows it within a box, smoothly, and that is all."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.attitude import vector_between
from platform6dof.cueing.blocks import follower_block
from platform6dof.cueing.cue import Rows
from platform6dof.cueing.parameters import (
    ANGLE_SUM_MAX_RAD,
    PERIOD,
    CueingError,
    ParameterRange,
)
from platform6dof.cueing.vehicle import Quaternion, Vector3, VehicleFlags, VehicleState

Array = NDArray[np.float64]
_SIGNS = np.array([1.0, -1.0, -1.0, -1.0, -1.0, 1.0])
_LEVEL: Quaternion = (1.0, 0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class DirectParameters:
    """Parameters of following a pose that comes in.

    Raises:
        CueingError: with the name, the value and its bounds.
    """

    gain: float = 1.0
    """Share of the pose that is wanted."""
    travel_m: Vector3 = (0.1, 0.1, 0.1)
    """Largest displacement forward, right, down [m]."""
    turn_rad: float = math.radians(15.0)
    """Largest turn about whatever axis [rad]."""
    bandwidth_rad_s: float = 60.0
    """The pose is followed by (3 w² s + w³) / (s + w)³ of this w [rad/s]; a lasting speed is
    followed without an error."""

    def __post_init__(self) -> None:
        ParameterRange(0.0, 2.0, "").check("direct.gain", self.gain)
        for one in self.travel_m:
            ParameterRange(0.0, 5.0, "m").check("direct.travel_m", one)
        ParameterRange(0.0, 0.8 * ANGLE_SUM_MAX_RAD, "rad").check("direct.turn_rad", self.turn_rad)
        band = ParameterRange(1.0, 300.0, "rad/s")
        band.check("direct.bandwidth_rad_s", self.bandwidth_rad_s)


class Direct:
    """Follows poses; a state without one (`VehicleFlags.POSE`) asks for neutral.

    Args:
        parameters: its numbers.
        period_s: of the loop [s].

    Raises:
        CueingError: if the period is out of its bounds.
    """

    def __init__(self, parameters: DirectParameters, period_s: float) -> None:
        PERIOD.check("period_s", period_s)
        self.parameters: DirectParameters = parameters
        """What it was made of."""
        block = follower_block(parameters.bandwidth_rad_s, period_s)
        self._A: Array = block[:9].reshape(3, 3).T.copy()
        self._B: Array = block[9:12].copy()
        self._C: Array = block[12:21].reshape(3, 3).T.copy()
        self._D: Array = block[21:].copy()
        self._travel: Array = np.array(parameters.travel_m)
        self._x: Array = np.zeros((6, 3))

    def reset(self) -> None:
        """Return to neutral."""
        self._x[:] = 0.0

    def step(self, state: VehicleState, weight: float = 1.0) -> Rows:
        """Compute the platform's rows of this cycle; see `cue.CueingFilter`.

        Raises:
            CueingError: if the pose or the weight is not finite; nothing moved.
        """
        wanted = self._wanted(state, weight)
        rows = self._x @ self._C + wanted[:, None] * self._D
        self._x = self._x @ self._A + wanted[:, None] * self._B
        return np.ascontiguousarray((rows * _SIGNS[:, None]).T)

    def _wanted(self, state: VehicleState, weight: float) -> Array:
        """The pose within its box: forward, right, down, yaw, pitch, roll, shape (6,)."""
        wanted = np.zeros(6)
        share = self.parameters.gain * weight
        if not math.isfinite(share):
            raise CueingError(f"weight is {weight}: it must be finite")
        if VehicleFlags.POSE not in state.flags:
            return wanted
        numbers = (*state.position_m, *state.attitude)
        if not all(map(math.isfinite, numbers)) or not any(state.attitude):
            text = f"pose: position {state.position_m} m, attitude {state.attitude}"
            raise CueingError(f"{text}: each must be finite, the attitude a rotation")
        with np.errstate(over="ignore"):
            place = share * np.array(state.position_m)
        wanted[:3] = np.clip(place, -self._travel, self._travel)
        wanted[3:] = _angles(self._turn(state.attitude, share))
        return wanted

    def _turn(self, attitude: Quaternion, share: float) -> Vector3:
        """Axis times angle of the wanted turn [rad]."""
        size = math.hypot(*attitude)
        w, x, y, z = (one / size for one in attitude)
        vector = vector_between(_LEVEL, (w, x, y, z))
        angle = math.hypot(*vector)
        most = self.parameters.turn_rad
        factor = share if abs(share) * angle <= most else math.copysign(most / angle, share)
        return factor * vector[0], factor * vector[1], factor * vector[2]


def _angles(vector: Vector3) -> tuple[float, float, float]:
    """Yaw, pitch, roll of a turn given as axis times angle [rad]."""
    angle = math.hypot(*vector)
    factor = 0.5 if angle < 1e-9 else math.sin(0.5 * angle) / angle
    w = math.cos(0.5 * angle)
    x, y, z = (factor * one for one in vector)
    return (
        math.atan2(2.0 * (w * z + x * y), 1.0 - 2.0 * (y * y + z * z)),
        math.asin(min(1.0, max(-1.0, 2.0 * (w * y - x * z)))),
        math.atan2(2.0 * (w * x + y * z), 1.0 - 2.0 * (x * x + y * y)),
    )
