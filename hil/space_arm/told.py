"""What the verbs of a space arm print with ``--json``: one object each, its keys and meaning."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypedDict

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from hil.space_arm.study.table import ModelRow

    Array = NDArray[np.float64]


class SnapshotTold(TypedDict):
    """A space arm at the end of a tick."""

    time_s: float
    """Since the start [s]."""
    q_rad: Array
    """Joint angles [rad], 6."""
    v_rad_s: Array
    """Joint rates [rad/s], 6."""
    motor_position_rad: Array
    """Of the motors, on the side of the joints [rad], 6."""
    motor_rate_rad_s: Array
    """[rad/s], 6."""
    position_m: Array
    """Of the gripper in the base [m], 3."""
    rotation: Array
    """Of the gripper in the base, 3 by 3."""
    velocity_m_s: Array
    """Of the gripper in the base [m/s], 3."""
    angular_velocity_rad_s: Array
    """Of the gripper in the base [rad/s], 3."""
    torque_nm: Array
    """Of the joints [N m], 6."""
    current_a: Array
    """Of the motors [A], 6."""
    voltage_v: Array
    """Of the motors [V], 6."""
    active: list[list[str]]
    """What holds each joint back, in words."""
    status: str
    """How the integration went."""


class AdvanceTold(TypedDict):
    """A few ticks of a space arm."""

    ok: bool
    """Every tick has a solution."""
    ticks: list[SnapshotTold]
    """A tick of 0.35 s each."""


class TableTold(TypedDict):
    """Accuracy and speed of the drive models."""

    ok: bool
    """Every run has a solution."""
    arm: str
    """Its name."""
    integrator: str
    """Name of the scheme."""
    motions: list[str]
    """That were run."""
    rows: list[ModelRow]
    """A model with a payload each."""
    written: list[str]
    """Files of pictures."""
