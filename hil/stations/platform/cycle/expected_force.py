"""Forces that a rig's masses and drives say a cycle's setpoint needs, beside the measured ones.

They are of the setpoint that control wants, friction included, and take a few microseconds of a
cycle. Only rows of rigs with bodies have them; those of every other rig stay as they are.
"""

import math
import struct
from typing import Final, Self

from hil.machines.rig.masses import drive_train_in, machine_in
from hil.machines.rig.settings import Rig
from hil.recording.signals import Signal, Signals
from hil.stations.platform.signals import LEGS
from platform6dof.dynamics.drive_train import DriveTrain
from platform6dof.dynamics.inverse_dynamics import expected_force_n
from platform6dof.dynamics.machine import Machine
from platform6dof.inverse import leg_lengths_and_speeds
from platform6dof.pose import PlatformSetpoint

_SIGNAL: Final = Signal("expected_force_n", "f8", 6, "N", parts=LEGS)


def signals_for(rig: Rig, signals: Signals) -> Signals:
    """Table of a cycle; of a rig with bodies with the forces that they need, last."""
    return _with_expected(signals) if rig.body else signals


def _with_expected(signals: Signals) -> Signals:
    return Signals(signals.station, (*signals.fields, _SIGNAL))


class ExpectedForces:
    """Signal of the forces that each cycle's setpoint needs.

    Args:
        before: signals before it in a row.
    """

    def __init__(self, machine: Machine, train: DriveTrain | None, before: Signals) -> None:
        self._machine, self._train = machine, train
        size = _with_expected(before).size - before.size
        self._pack = struct.Struct(f"<{size - 6 * 8}x6d").pack  # padding, then six floats
        self._blank = self._pack(*[math.nan] * 6)
        self.row(PlatformSetpoint.at_rest(machine.geometry.neutral_pose))  # compiles, if need be

    @classmethod
    def of(cls, rig: Rig, before: Signals) -> Self | None:
        """Make the signal of a rig; None if it has no bodies."""
        machine = machine_in(rig)
        return None if machine is None else cls(machine, drive_train_in(rig), before)

    def row(self, wanted: PlatformSetpoint | None) -> bytes:
        """Bytes of the signal in a cycle's row; not numbers in one without a setpoint."""
        if wanted is None:
            return self._blank
        force_n = expected_force_n(self._machine, wanted)
        if self._train is not None:
            _, speeds = leg_lengths_and_speeds(self._machine.geometry, wanted)
            friction = self._train.friction_at
            pairs = zip(force_n, speeds, strict=True)
            return self._pack(*(force + friction(speed) for force, speed in pairs))
        return self._pack(*force_n)
