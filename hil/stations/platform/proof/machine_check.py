"""Proof of a motion by the machine's masses and drives: forces, torques, power, brakes, stops.

A controlled and a quick stop are begun at every setpoint of the motion, every 10 ms in a motion of
more than five minutes; the controlled stops that ask most of a leg are followed to their ends.
Friction helps to brake, and stops are judged without. What follows from a stop that asks more force
than the drives have is judged by `platform6dof.dynamics.stop_shortage`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import numpy as np
from numpy.typing import NDArray

from hil.machines.rig.masses import decelerations_in, drive_train_in, machine_in
from hil.machines.rig.payload import force_limit_n
from hil.stations.platform.motion.excerpts import blocks
from hil.stations.platform.motion.fade import setpoints_at
from platform6dof.dynamics.hardest import Excess, Extreme, Extremes, WindowMeans
from platform6dof.dynamics.inverse_dynamics import (
    LegLoads,
    leg_states,
    loads_of_setpoints,
    loads_of_states,
)
from platform6dof.dynamics.stop_shortage import StopForces, StopShortage, cycles_between_stops

if TYPE_CHECKING:
    from hil.machines.rig.body_tables import RigDriveTrain
    from hil.machines.rig.settings import Rig
    from hil.stations.platform.motion.source import MotionSource
    from platform6dof.dynamics.drive_train import DriveTrain
    from platform6dof.dynamics.machine import Machine

Array = NDArray[np.float64]

NO_LIMIT: Final = np.full(6, np.inf)


@dataclass(frozen=True, slots=True)
class MachineFigures:
    """Forces, torques and power of a motion."""

    force_n: Extreme
    """Force of the drives, friction included [N]."""
    hold_n: Extreme
    """Force that holds the machine at rest at the motion's poses [N]."""
    stop_force_n: Extreme
    """Force that a controlled or quick stop begun at any moment asks for [N]."""
    stop_beyond_m: float
    """Distance by which a leg goes beyond a controlled stop that asks for more than its drive gives
    [m]; 0 if none does."""
    motor_nm: Extreme | None = None
    """Torque of the motors [N m]; None without a drive, as what follows."""
    power_w: Extreme | None = None
    """Electrical power of a drive, below 0 where it feeds back [W]."""
    energy_j: float | None = None
    """Energy that the six drives draw [J]."""
    resistor_j: float | None = None
    """Energy that goes to their resistors [J]."""


@dataclass(frozen=True, slots=True)
class MachineFinding:
    """Limit of the machine that a motion passes."""

    quantity: str
    """Quantity: force, stop force, motor torque."""
    excess: Excess
    """Leg, time, value and limit."""
    unit: str
    """Unit of value and limit."""
    remedy: str = ""
    """Key of the limit."""

    def __str__(self) -> str:
        one = self.excess
        unit = f" {self.unit}" if self.unit else ""
        limit = f"limit {one.limit:.6g}{unit}" if one.limit > 0.0 else "there is none"
        text = f"leg {one.leg}: {self.quantity} {one.value:.6g}{unit}, {limit}"
        return f"{text} ({self.remedy})" if self.remedy else text


@dataclass(frozen=True, slots=True)
class MachineProof:
    """Figures of a motion and what is wrong with them."""

    figures: MachineFigures
    """Forces, torques and power."""
    findings: tuple[MachineFinding, ...]
    """Limits that are passed."""


def check_machine(rig: Rig, motion: MotionSource, period_s: float) -> MachineProof | None:
    """Prove a motion by a rig's bodies and drives; None for a rig without bodies."""
    machine = machine_in(rig)
    if machine is None:
        return None
    every = cycles_between_stops(motion.duration_s, period_s)
    judge = _Judge(rig, machine, period_s, every)
    for times_s in blocks(motion.duration_s, period_s):
        judge.take(times_s, setpoints_at(motion, times_s))
    return judge.proof()


class _Judge:
    """Collector of a motion's loads, block by block."""

    def __init__(self, rig: Rig, machine: Machine, period_s: float, every: int = 1) -> None:
        self._machine, self._every = machine, every
        able_n = np.array([force_limit_n(rig, leg) for leg in range(6)])
        drive, train = rig.cylinders.drive, drive_train_in(rig)
        holds_n = NO_LIMIT
        if drive is not None and drive.efficiency_back > 0.0:
            holds_n = np.full(6, drive.brake_n)
        self.force = Extremes(able_n)
        gives_n = np.array(rig.cylinders.force_max_n)
        if drive is not None and train is not None:
            gives_n = np.minimum(gives_n, drive.torque_peak_nm * train.turns_rad_m)
        limits, geometry = decelerations_in(rig), machine.geometry
        travel_m = geometry.closed_length_m, geometry.open_length_m
        window_m = rig.supervision.following_base_m
        self._beyond = StopShortage(machine, limits, gives_n, window_m, travel_m)
        self.stops = StopForces(machine, limits, (self._beyond,))
        self.hold = Extremes(holds_n)
        self.motors: _Motors | None = None
        if drive is not None and train is not None:
            self.motors = _Motors(drive, train, period_s)

    def take(self, times_s: Array, setpoints: Array) -> None:
        machine = self._machine
        states, rows = leg_states(machine, setpoints)
        loads = loads_of_states(machine, setpoints, states, rows)
        friction_n = 0.0 if self.motors is None else self.motors.take(times_s, loads)
        self.force.take(times_s, loads.force_n + friction_n)
        self._stop(*(one[:: self._every] for one in (times_s, setpoints, states, rows)))

    def _stop(self, times_s: Array, setpoints: Array, states: Array, rows: Array) -> None:
        """Hold and stop at each of some setpoints."""
        machine = self._machine
        setpoints, states, rows = (np.ascontiguousarray(one) for one in (setpoints, states, rows))
        still = setpoints.copy()
        still[:, 12:] = 0.0
        self.hold.take(times_s, loads_of_setpoints(machine, still).force_n)
        self.stops.take(times_s, setpoints, states, rows)

    def proof(self) -> MachineProof:
        beyond = self._beyond.controlled
        figures = MachineFigures(
            self.force.extreme(),
            self.hold.extreme(),
            self.stops.force.extreme(),
            float(beyond.worst.max()),
        )
        found = [
            *_findings("force", self.force, "N", "supervision.force_max_n"),
            *_findings(
                "distance beyond a controlled stop for lack of force",
                beyond,
                "m",
                "supervision.following_base_m",
            ),
            *_findings(
                "distance beyond a quick stop for lack of force by the stroke that is left",
                self._beyond.quick,
                "",
                "cylinders.stroke_m",
            ),
            *_findings("holding force", self.hold, "N", "cylinders.drive.brake_n"),
        ]
        if self.motors is not None:
            figures = self.motors.figures(figures)
            found += self.motors.findings()
        return MachineProof(figures, tuple(found))


class _Motors:
    """Collector of torque, power and what goes to the resistors."""

    def __init__(self, drive: RigDriveTrain, train: DriveTrain, period_s: float) -> None:
        self.drive, self.train, self.period_s = drive, train, period_s
        self.torque = Extremes(np.full(6, drive.torque_peak_nm))
        most_w = drive.power_max_w
        self.power = Extremes(NO_LIMIT if most_w is None else np.full(6, most_w))
        self.squares = WindowMeans(drive.thermal_s, period_s)
        self.back = WindowMeans(drive.thermal_s, period_s)
        self.drawn_j = self.back_j = 0.0

    def take(self, times_s: Array, loads: LegLoads) -> Array:
        """Take a block of loads; return the friction of the drives [N], shape (N, 6)."""
        motor = self.train.motor(loads)
        power, back = motor.power_w, motor.fed_back_w
        self.torque.take(times_s, motor.torque_nm)
        self.power.take(times_s, power)
        self.squares.take(times_s, motor.torque_nm**2)
        self.back.take(times_s, back)
        fed = float(back.sum())
        self.back_j += fed * self.period_s
        self.drawn_j += (float(power.sum()) + fed) * self.period_s
        return motor.friction_n

    def figures(self, found: MachineFigures) -> MachineFigures:
        return replace(
            found,
            motor_nm=self.torque.extreme(),
            power_w=self.power.extreme(),
            energy_j=self.drawn_j,
            resistor_j=self.back_j,
        )

    def findings(self) -> Iterator[MachineFinding]:
        yield from _findings("motor torque", self.torque, "N m", "cylinders.drive.torque_peak_nm")
        yield from _findings("power", self.power, "W", "cylinders.drive.power_max_w")
        hardest, at_s = self.squares.hardest()
        yield from _above(
            "effective motor torque",
            np.sqrt(np.maximum(hardest, self.squares.mean)),
            self.drive.torque_continuous_nm,
            at_s,
            ("N m", "cylinders.drive.torque_continuous_nm"),
        )
        yield from _above(
            "mean power to the resistor", self.back.mean, self.drive.resistor_w, 0.0 * at_s,
            ("W", "cylinders.drive.resistor_w"),
        )  # fmt: skip
        hardest, at_s = self.back.hardest()
        yield from _above(
            f"power to the resistor in {self.drive.thermal_s:g} s", hardest,
            self.drive.resistor_peak_w, at_s, ("W", "cylinders.drive.resistor_peak_w"),
        )  # fmt: skip


def _findings(quantity: str, found: Extremes, unit: str, key: str) -> Iterator[MachineFinding]:
    for excess in found.excesses():
        yield MachineFinding(quantity, excess, unit, key)


def _above(
    quantity: str, values: Array, limit: float, at_s: Array, unit_and_key: tuple[str, str]
) -> Iterator[MachineFinding]:
    for leg in np.flatnonzero(values > limit):
        excess = Excess(int(leg) + 1, float(at_s[leg]), float(values[leg]), limit)
        yield MachineFinding(quantity, excess, *unit_and_key)
