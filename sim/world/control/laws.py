"""Laws of joints: from wanted and measured motion to the commands of the drives.

Three interfaces: torque [N m] or [N], speed [rad/s] or [m/s], and voltage from -1 to 1 of motors
with ``τ = M_s (U - ω / ω_idle)`` (Strashnov and Mikhaylyuk 2019, eqs. 2 and 3). Every law makes an
effort first; the interfaces differ in how it is asked for.
"""

from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol, Self

import numpy as np
from numpy.typing import NDArray

from sim.world.control.laws_kernel import efforts
from sim.world.robots.model import RobotDrive

Array = NDArray[np.float64]

ControlBy = Literal["speed", "torque", "voltage"]
"""Quantity in which a drive is commanded."""
Law = Literal["pid", "gravity", "computed", "pd"]
"""Law. ``pid``: of the error alone. ``gravity``: and what holds the robot in place. ``computed``:
and what accelerates it as wanted. ``pd``: without integral, the effort taken as a voltage."""

SPEED_PER_ERROR: Final = 20.0
"""Correction of drives commanded by speed: rad/s per rad of error."""


class LawError(ValueError):
    """Law that cannot be used with these drives; the text says why."""


@dataclass(frozen=True, slots=True, eq=False)
class Gains:
    """Gains of the errors, shape (drives,) each."""

    kp: Array
    """Effort per error [N m/rad] or [N/m]."""
    ki: Array
    """Effort per error and second."""
    kd: Array
    """Effort per error of speed."""

    @classmethod
    def damped(cls, inertias: Array, bandwidth_rad_s: float) -> Self:
        """Place two equal poles for each joint alone, ``(s + w)²``, without an integral.

        Args:
            inertias: what each drive accelerates [kg m2] or [kg], shape (drives,).
            bandwidth_rad_s: w.
        """
        w = bandwidth_rad_s
        return cls(w * w * inertias, np.zeros_like(inertias), 2.0 * w * inertias)

    @classmethod
    def placed(cls, inertias: Array, bandwidth_rad_s: float) -> Self:
        """Place three equal poles for each joint alone: ``(s + w)³`` of a double integrator.

        Args:
            inertias: what each drive accelerates [kg m2] or [kg], shape (drives,).
            bandwidth_rad_s: w.
        """
        w = bandwidth_rad_s
        return cls(3.0 * w * w * inertias, w**3 * inertias, 3.0 * w * inertias)


class JointMotion(NamedTuple):
    """Motion of the driven joints, measured or wanted, at one time, shape (drives,) each."""

    positions: Array
    """Positions [rad] or [m]."""
    speeds: Array
    """Speeds [rad/s] or [m/s]."""
    accelerations: Array
    """Accelerations [rad/s2] or [m/s2]; not measured."""


class DriveLaw(Protocol):
    """Law that commands all drives of a robot."""

    @property
    def law(self) -> Law:
        """Effort of the robot's model that the law needs."""
        ...

    @property
    def fault(self) -> str:
        """Reason why the robot has to stop; empty while it need not."""
        ...

    @property
    def integrals(self) -> Array:
        """Effort of each drive's integral, shape (drives,)."""
        ...

    def command(self, wanted: JointMotion, found: JointMotion, needed: Array) -> Array:
        """Compute the commands of the drives, shape (drives,)."""
        ...

    def restart(self) -> None:
        """Forget all state."""
        ...

    def carry(self, integrals: Array) -> None:
        """Start from the integrals of another law, shape (drives,)."""
        ...


class JointLaw:
    """One law for all drives of a robot.

    Its integral is held where the effort is at its limit and would be driven on (clamping).

    Args:
        drives: of the robot, all commanded in the same quantity.
        period_s: from call to call.
        bound: of the efforts that it asks for, whatever the drives could, shape (drives,); None
            for what the drives can.

    Raises:
        LawError: if the drives cannot be commanded so.
    """

    fault: str = ""
    """Reason to stop; always empty for this law."""

    def __init__(
        self, drives: tuple[RobotDrive, ...], control: ControlBy, law: Law, gains: Gains,
        period_s: float, bound: Array | None = None,
    ) -> None:  # fmt: skip
        if law == "pd" and control != "voltage":
            raise LawError(f'law = "pd" makes voltages; control = "{control}" is asked for')
        self._gains, self._control = gains, control
        self.law: Law = law
        self._period_s = period_s
        self._most = np.array([drive.effort_max for drive in drives])
        self._bound = bound
        self._effort_most = self._most if bound is None else np.minimum(bound, self._most)
        self._speed_max = _drive_values(drives, "speed_max", control == "voltage")
        self._speed_gain = _drive_values(drives, "speed_gain", control == "speed")
        self._table = np.array([gains.kp, gains.ki, gains.kd, self._effort_most])
        self._integral = np.zeros(len(drives))
        still = JointMotion(*np.zeros((3, len(drives))))
        self.command(still, still, self._integral.copy())  # compiles the kernel before a run

    def command(self, wanted: JointMotion, found: JointMotion, needed: Array) -> Array:
        """Compute the commands of the drives, shape (drives,).

        Args:
            needed: effort of the model for what is wanted, shape (drives,); zeros for `pid`.
        """
        if self._control == "speed":
            error = wanted.positions - found.positions
            speeds = wanted.speeds + SPEED_PER_ERROR * error + needed / self._speed_gain
            if self._bound is None:
                return speeds
            within = self._effort_most / self._speed_gain
            return np.clip(speeds, found.speeds - within, found.speeds + within)
        if self.law == "pd":
            error, slip = wanted.positions - found.positions, wanted.speeds - found.speeds
            gains = self._gains
            return np.clip((gains.kp * error + gains.kd * slip) / self._most, -1.0, 1.0)
        effort = np.empty(len(self._integral))
        efforts(
            self._table, self._period_s, wanted.positions, wanted.speeds,
            found.positions, found.speeds, needed, self._integral, effort,
        )  # fmt: skip
        if self._control == "torque":
            return effort
        voltage = found.speeds / self._speed_max + effort / self._most
        return np.minimum(np.maximum(voltage, -1.0), 1.0)

    def restart(self) -> None:
        """Forget the integral."""
        self._integral[:] = 0.0

    def snapshot(self) -> bytes:
        """Whole state of the law."""
        return self._integral.tobytes()

    def restore(self, snapshot: bytes) -> None:
        """Restore a snapshot of a law of as many drives."""
        self._integral[:] = np.frombuffer(snapshot)

    def carry(self, integrals: Array) -> None:
        """Start from the integrals of another law, shape (drives,)."""
        self._integral[:] = integrals

    @property
    def integrals(self) -> Array:
        """Effort of each drive's integral, shape (drives,)."""
        return self._integral.copy()


class CommandedEfforts:
    """Efforts that drives make for their commands.

    Raises:
        LawError: if the drives cannot be commanded so.
    """

    def __init__(self, drives: tuple[RobotDrive, ...], control: ControlBy) -> None:
        self._control = control
        self._most = np.array([drive.effort_max for drive in drives])
        self._least = -self._most
        self._speed_max = _drive_values(drives, "speed_max", control == "voltage")
        self._speed_gain = _drive_values(drives, "speed_gain", control == "speed")

    def of(self, command: Array, speeds: Array) -> Array:
        """Compute the efforts at these speeds, within the drives' limits, shape (drives,)."""
        if self._control == "torque":
            asked = command
        elif self._control == "speed":
            asked = self._speed_gain * (command - speeds)
        else:
            asked = self._most * (command - speeds / self._speed_max)
        return np.minimum(np.maximum(asked, self._least), self._most)


def _drive_values(drives: tuple[RobotDrive, ...], field: str, asked: bool) -> Array:
    values = [getattr(drive, field) for drive in drives]
    lacking = [str(drive.joint) for drive in drives if getattr(drive, field) is None]
    if asked and lacking:
        raise LawError(
            f"drives of joints {', '.join(lacking)}: no {field}, which this control needs; the "
            "document's [[drive]] tables have it"
        )
    return np.array([1.0 if value is None else value for value in values])
