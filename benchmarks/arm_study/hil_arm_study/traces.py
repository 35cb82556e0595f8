"""What happens inside a joint, finely sampled: demonstrations for pictures."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sim.world.space_arm.actions import TimedAction
from sim.world.space_arm.arm import Arm, Body
from sim.world.space_arm.drive import DriveModel
from sim.world.space_arm.kernels.sdirk2 import SLIP
from sim.world.space_arm.simulator import SpaceArm
from sim.world.space_arm.snapshot import Active

Array = NDArray[np.float64]
Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class HeldCommand:
    """A command that is held."""

    duration_s: float
    """For so long."""
    rate_rad_s: float
    """Of the joint that is looked at; all others are asked to rest."""


@dataclass(frozen=True, slots=True)
class Demonstration:
    """One joint that is moved, and what is simulated of its drive."""

    joint: int
    """Number of the joint, from 0."""
    model: DriveModel
    """Of all drives."""
    payload: Body | None
    """What the gripper holds."""
    phases: tuple[HeldCommand, ...]
    """Commands, one after the other."""
    sample_s: float
    """Time between two samples."""
    actions: tuple[TimedAction, ...] = ()
    """Actions on the drives, at times from the beginning."""


@dataclass(frozen=True, slots=True)
class JointTrace:
    """One joint over time; all arrays have one value a sample."""

    time_s: Array
    """At the ends of the samples [s]."""
    command_rad_s: Array
    """Rate that is asked for [rad/s]."""
    motor_rad_s: Array
    """Rate of the motor on the joint's side [rad/s]."""
    link_rad_s: Array
    """Rate of the link [rad/s]."""
    windup_rad: Array
    """Angle of the motor ahead of the link [rad]."""
    slip_rad: Array
    """Angle by which the clutch has slipped [rad]."""
    torque_nm: Array
    """Through the gear [N m]."""
    voltage_v: Array
    """Of the motor [V]."""
    current_a: Array
    """Of the motor [A]."""
    active: tuple[Active, ...]
    """What holds the joint back."""

    def where(self, what: Active) -> Bools:
        """At which samples this holds the joint back."""
        return np.array([bool(active & what) for active in self.active])


def trace(arm: Arm, q_start_rad: Sequence[float] | Array, shown: Demonstration) -> JointTrace:
    """Simulate a demonstration.

    Args:
        arm: the arm, without payload.
        q_start_rad: where it starts, at rest [rad], shape (n,).
    """
    simulated = SpaceArm(arm, shown.model, q_start_rad, payload=shown.payload)
    joint, rows, active = shown.joint, [], []
    for phase in shown.phases:
        command = np.zeros(arm.joints)
        command[joint] = phase.rate_rad_s
        for _ in range(round(phase.duration_s / shown.sample_s)):
            begin_s = len(rows) * shown.sample_s
            due = [
                TimedAction(0.0, one.action)
                for one in shown.actions
                if begin_s <= one.at_s + 1e-9 < begin_s + shown.sample_s
            ]
            now = simulated.advance(command, shown.sample_s, actions=due)
            rows.append(
                (
                    now.time_s, phase.rate_rad_s, now.motor_rate_rad_s[joint], now.v_rad_s[joint],
                    now.motor_position_rad[joint] - now.q_rad[joint],
                    simulated.state[SLIP, joint], now.torque_nm[joint],
                    now.voltage_v[joint], now.current_a[joint],
                )
            )  # fmt: skip
            active.append(now.active[joint])
    return JointTrace(*np.array(rows).T, active=tuple(active))
