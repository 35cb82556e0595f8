"""Inverse kinematics, from platform to legs: lengths, speeds and accelerations.

Source: Bukharov et al. 2022, eqs. 1-2 for lengths; speeds and accelerations are their first and
second time derivatives.
"""

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose, frozen_array
from hil_common.legs import SixFloats
from platform6dof.geometry import HexapodGeometry
from platform6dof.kernels import batch, rotation
from platform6dof.kernels import legs as kernel
from platform6dof.pose import PlatformSetpoint

Array = NDArray[np.float64]

_set = object.__setattr__


@dataclass(frozen=True, slots=True, eq=False)
class LegSetpoint:
    """Setpoint of the six legs; arrays of shape (6,), read-only.

    Raises:
        PoseError: wrong shape or not finite.
    """

    length_m: Array
    """Distance of the joints, or what the encoder counts if the screw winds [m]."""
    speed_m_s: Array
    """Its derivative [m/s]."""
    acceleration_m_s2: Array
    """Its second derivative [m/s²]; see ``leg_setpoint`` for wound screws."""

    def __post_init__(self) -> None:
        _set(self, "length_m", frozen_array(self.length_m, (6,), "length_m"))
        _set(self, "speed_m_s", frozen_array(self.speed_m_s, (6,), "speed_m_s"))
        _set(
            self,
            "acceleration_m_s2",
            frozen_array(self.acceleration_m_s2, (6,), "acceleration_m_s2"),
        )

    @classmethod
    def from_rows(cls, rows: Array) -> Self:
        """Wrap a kernel's read-only rows, shape (3, 6), without copy or check."""
        setpoint = object.__new__(cls)
        _set(setpoint, "length_m", rows[0])
        _set(setpoint, "speed_m_s", rows[1])
        _set(setpoint, "acceleration_m_s2", rows[2])
        return setpoint


def leg_setpoint(geometry: HexapodGeometry, setpoint: PlatformSetpoint) -> LegSetpoint:
    """Lengths, speeds and accelerations of the legs; called every tick.

    l_i = |p + M b_i - a_i|, its rate u_i . (v + omega x c) with c = M b_i, and its second
    rate u_i . (a + omega' x c + omega x (omega x c)) + (|c'|² - l'²) / l with c' = v + omega x c.

    With a screw lead, lengths and speeds hold the winding exactly. The acceleration is that of
    the joint distance: it leaves out lead/(2 pi) times the leg's twist acceleration.

    A leg whose two joints coincide has no direction: its speed and acceleration are then nan.

    Args:
        setpoint: wanted pose and motion of the platform.
    """
    rows = np.empty((3, 6))
    kernel.leg_state(geometry.table, setpoint.packed, rows)
    rows.setflags(write=False)
    return LegSetpoint.from_rows(rows)


def leg_lengths_and_speeds(
    geometry: HexapodGeometry, setpoint: PlatformSetpoint
) -> tuple[SixFloats, SixFloats]:
    """Lengths [m] and speeds [m/s] of ``leg_setpoint`` as plain numbers; called every tick."""
    rows = np.empty((3, 6))
    kernel.leg_state(geometry.table, setpoint.packed, rows)
    return tuple(rows[0].tolist()), tuple(rows[1].tolist())


def leg_lengths(geometry: HexapodGeometry, X_BP: Pose) -> Array:
    """Lengths of the legs [m], shape (6,), read-only. Bukharov et al. 2022, eqs. 1-2."""
    rows = kernel.leg_rows(geometry.table, X_BP.position_m, X_BP.rotation)
    rows.setflags(write=False)
    return rows[0]


def leg_setpoints_batch(
    geometry: HexapodGeometry, coordinates: ArrayLike, rates: ArrayLike
) -> tuple[Array, Array]:
    """Lengths and speeds for many poses at once.

    Non-finite input gives non-finite output in the same row and in no other.

    Args:
        coordinates: x, y, z, alpha, beta, gamma [m, rad], shape (N, 6).
        rates: their time derivatives [m/s, rad/s], shape (N, 6).

    Returns:
        Lengths [m] and speeds [m/s], each of shape (N, 6).

    Raises:
        ValueError: the shapes are not (N, 6) and equal.
    """
    q = np.ascontiguousarray(coordinates, dtype=np.float64)
    dq = np.ascontiguousarray(rates, dtype=np.float64)
    if q.ndim != 2 or q.shape[1] != 6 or q.shape != dq.shape:
        raise ValueError(f"coordinates {q.shape} and rates {dq.shape}: both must be (N, 6)")
    if geometry.screw_lead_m != 0.0:
        setpoints = rotation.setpoints_of_coordinates(q, dq, np.zeros_like(q))
        states = kernel.leg_states(geometry.table, setpoints)
        return np.ascontiguousarray(states[:, 0]), np.ascontiguousarray(states[:, 1])
    lengths, speeds = np.empty_like(q), np.empty_like(q)
    batch.lengths_and_speeds(geometry.table, q, dq, lengths, speeds)
    return lengths, speeds
