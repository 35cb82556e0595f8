"""Snapshot of arm and drives at the end of a tick, and what holds a joint back there."""

from dataclasses import dataclass, fields
from enum import Flag

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.drive import HALF_GAP, LOOP_GAIN, TORQUE_MAX, VOLTAGE_MAX
from sim.world.space_arm.integrators import Span, SpanStatus
from sim.world.space_arm.kernels.drive_law import STUCK_RATE_RAD_S
from sim.world.space_arm.kernels.sdirk2 import SLIP, L, W

Array = NDArray[np.float64]

FACE_SHARE = 1e-6
"""Distance from a face, in parts of the half gap, at which a link touches it."""


class Active(Flag):
    """Cause that holds a joint back at the end of a tick."""

    NOTHING = 0
    VOLTAGE = 1
    """Speed loop at its largest voltage."""
    CURRENT = 2
    """Amplifier at its largest current."""
    GAP = 4
    """Gear between its faces: the link floats."""
    STUCK = 8
    """Motor held by dry friction or the brake."""
    CLUTCH = 16
    """Clutch slipping."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """State of the arm at the end of a tick; arrays are read-only, of shape (6,) by default."""

    time_s: float
    """Time since the start [s]."""
    q_rad: Array
    """Angles of the joints [rad]."""
    v_rad_s: Array
    """Rates of the joints [rad/s]."""
    motor_position_rad: Array
    """Positions of the motors, on the joints' side [rad]."""
    motor_rate_rad_s: Array
    """Rates of the motors, on the joints' side [rad/s]."""
    rotation_BG: Array
    """Rotation of the gripper in the base, shape (3, 3)."""
    position_BG_m: Array
    """Position of the gripper in the base [m], shape (3,)."""
    velocity_BG_m_s: Array
    """Velocity of the gripper's origin, in base axes [m/s], shape (3,)."""
    angular_velocity_BG_rad_s: Array
    """Angular velocity of the gripper, in base axes [rad/s], shape (3,)."""
    torque_nm: Array
    """Torques through the gears [N m]."""
    current_a: Array
    """Currents of the motors [A]."""
    voltage_v: Array
    """Voltages of the motors [V]."""
    active: tuple[Active, ...]
    """Causes that hold each joint back."""
    span: Span
    """Outcome of the integration."""
    path_BG_m: Array
    """Positions of the gripper at even times within the tick, its end the last of them [m], shape
    (samples, 3)."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, np.ndarray):
                value.setflags(write=False)

    @property
    def status(self) -> SpanStatus:
        """Status of the integration."""
        return self.span.status


def active_of(
    drive: Array,
    state: Array,
    j: int,
    command_rad_s: float,
    dry_nm: float,
    slip_before_rad: float,
    motor_nm: float,
) -> Active:
    """Return the causes that hold a joint back at the end of a tick.

    Args:
        drive: the drives as the kernels see them.
        state: shape (6, n); see `kernels.sdirk2`.
        command_rad_s: rate that was asked of it [rad/s].
        dry_nm: dry friction of its motor, the brake's included [N m].
        slip_before_rad: how far its clutch had slipped when the tick began [rad].
        motor_nm: torque of its motor [N m].
    """
    active = Active.NOTHING
    if abs(drive[LOOP_GAIN, j] * (command_rad_s - state[W, j])) >= drive[VOLTAGE_MAX, j]:
        active |= Active.VOLTAGE
    if abs(motor_nm) >= drive[TORQUE_MAX, j]:
        active |= Active.CURRENT
    if abs(state[L, j]) < drive[HALF_GAP, j] * (1.0 - FACE_SHARE):
        active |= Active.GAP
    if dry_nm > 0.0 and abs(state[W, j]) <= STUCK_RATE_RAD_S:
        active |= Active.STUCK
    if state[SLIP, j] != slip_before_rad:
        active |= Active.CLUTCH
    return active
