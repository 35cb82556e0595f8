"""Forces of one pose: what each part contributes, stiffness, modes, what is beyond a limit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import ConfigError, about
from hil.machines.rig.masses import drive_train_in, machine_in
from hil.machines.rig.payload import force_limit_n
from hil.machines.rig.settings import Rig
from hil.stations.platform.proof.force_summaries import (
    BodyForceSummary,
    ForcePartsSummary,
    ServoModeSummary,
    ServoSummary,
    StiffnessSummary,
    SwingSummary,
)
from platform6dof.dynamics.drive_train import MotorLoads
from platform6dof.dynamics.inverse_dynamics import PARTS, LegLoads, forces, loads_of_setpoints
from platform6dof.dynamics.machine import Machine
from platform6dof.dynamics.stiffness import (
    deflection,
    mass_matrix,
    stiffness_matrix,
    swinging_modes,
)
from platform6dof.jacobian import leg_jacobian
from platform6dof.pose import PlatformSetpoint
from sim.world.plants.modes import MassRange, largest_payload_kg, platform_modes

Array = NDArray[np.float64]

STEP_S: Final = 1e-3
"""Step in which drives compute [s]."""


@dataclass(frozen=True, slots=True, eq=False)
class PoseForces:
    """Loads of a rig's machine at one setpoint."""

    rig: Rig
    """Rig with its limits."""
    machine: Machine
    """Bodies and legs."""
    setpoint: PlatformSetpoint
    """Pose, twist and acceleration."""
    loads: LegLoads
    """Forces of the drives, one row."""
    motor: MotorLoads | None
    """Torque and power, one row; None without a drive."""

    @classmethod
    def of(cls, rig: Rig, source: str, setpoint: PlatformSetpoint) -> PoseForces:
        """Compute the loads.

        Raises:
            ConfigError: if the rig has no bodies, or the pose is singular.
        """
        machine = machine_in(rig)
        if machine is None:
            line = "body is left out: forces need the masses, a [[body]] each for platform and load"
            raise ConfigError(source, [about("body", line)])
        loads = loads_of_setpoints(machine, np.array(setpoint.packed)[None])
        if not np.isfinite(loads.parts_n).all():
            line = "the pose is singular: no forces of six legs hold the platform there"
            raise ConfigError("--pose", [line])
        train = drive_train_in(rig)
        return cls(rig, machine, setpoint, loads, None if train is None else train.motor(loads))

    @property
    def friction_n(self) -> Array:
        """Friction of the drives [N], shape (6,)."""
        return np.zeros(6) if self.motor is None else self.motor.friction_n[0]

    @property
    def force_n(self) -> Array:
        """Force of each drive, friction included [N], shape (6,)."""
        return self.loads.force_n[0] + self.friction_n

    @property
    def hold_n(self) -> Array:
        """Force that holds the machine in this pose [N], shape (6,)."""
        return forces(self.machine, PlatformSetpoint.at_rest(self.setpoint.X_BP)).sum(axis=0)

    @property
    def limit_n(self) -> Array:
        """Force that stops the platform [N], shape (6,)."""
        return np.array([force_limit_n(self.rig, leg) for leg in range(6)])

    def parts(self) -> ForcePartsSummary:
        """Parts of the forces."""
        found = self.parts_by_name()
        return ForcePartsSummary(
            bodies=found["bodies"], across=found["across"], rod=found["rod"],
            rotor=found["rotor"], friction=found["friction"],
        )  # fmt: skip

    def parts_by_name(self) -> dict[str, Array]:
        """Parts of the forces by name [N], each of shape (6,)."""
        found = dict(zip(PARTS, self.loads.parts_n[0], strict=True))
        return {**found, "friction": self.friction_n}

    def by_body(self) -> list[BodyForceSummary]:
        """Shares of the bodies."""
        found: list[BodyForceSummary] = []
        for body in self.machine.bodies:
            alone = Machine(self.machine.geometry, (body,))
            share = forces(alone, self.setpoint).sum(axis=0)
            found.append(BodyForceSummary(name=body.name, mass_kg=body.mass_kg, force_n=share))
        return found

    def stiffness(self, wrench: Array) -> StiffnessSummary | None:
        """Stiffness of the platform, and what a wrench at its origin does."""
        drive = self.rig.cylinders.drive
        if drive is None:
            return None
        X_BP, axial = self.setpoint.X_BP, drive.axial_stiffness_n_m
        K = stiffness_matrix(self.machine, X_BP, axial)
        bent = deflection(K, wrench)
        modes = swinging_modes(self.machine, X_BP, axial)
        return StiffnessSummary(
            matrix=K.tolist(),
            wrench=wrench,
            shift_m=bent[:3],
            turn_rad=bent[3:],
            modes=[SwingSummary(axis=one.axis, frequency_hz=one.frequency_hz) for one in modes],
        )

    def servo(self, k_p: float, k_v: float, t_i_s: float) -> ServoSummary:
        """Stability of servos with these gains; see `sim.world.plants.modes`."""
        X_BP = self.setpoint.X_BP
        J, H = leg_jacobian(self.machine.geometry, X_BP), mass_matrix(self.machine, X_BP)
        borne = mass_matrix(Machine(self.machine.geometry, self.machine.bodies), X_BP)
        load_kg, masses = self.machine.load_kg, MassRange.of(k_p, k_v, t_i_s, STEP_S)

        def with_load(mass_kg: float) -> Array:
            return H + (mass_kg / load_kg - 1.0) * borne

        modes = [
            ServoModeSummary(axis=one.axis, mass_kg=one.mass_kg, held=masses.holds(one.mass_kg))
            for one in platform_modes(J, H)
        ]
        return ServoSummary(
            position_gain_1_s=k_p,
            speed_gain_n_s_m=k_v,
            integral_time_s=t_i_s,
            least_kg=masses.least_kg,
            greatest_kg=masses.greatest_kg,
            payload_max_kg=largest_payload_kg(with_load, J, masses),
            modes=modes,
        )

    def problems(self, servo: ServoSummary) -> Iterator[str]:
        """Limits that are passed, each with leg, value and limit."""
        drive = self.rig.cylinders.drive
        for leg in range(6):
            force, limit = abs(self.force_n[leg]), self.limit_n[leg]
            if force > limit:
                yield f"leg {leg + 1}: force {force:.0f} N, limit {limit:.0f} N (supervision)"
            held = abs(self.hold_n[leg])
            if drive is not None and drive.efficiency_back > 0.0 and held > drive.brake_n:
                yield f"leg {leg + 1}: holds {held:.0f} N, its brake {drive.brake_n:.0f} N"
            torque = 0.0 if self.motor is None else abs(self.motor.torque_nm[0, leg])
            if drive is not None and torque > drive.torque_peak_nm:
                peak = drive.torque_peak_nm
                yield f"leg {leg + 1}: motor torque {torque:.4g} N m, limit {peak:.4g} N m"
        for mode in servo["modes"]:
            if not mode["held"]:
                yield (
                    f"servo k_p {servo['position_gain_1_s']:g} 1/s, k_v "
                    f"{servo['speed_gain_n_s_m']:g} N s/m, T_i {servo['integral_time_s']:g} s "
                    f"would swing in {mode['axis']}: {mode['mass_kg']:.0f} kg at the rods, it "
                    f"holds {servo['least_kg']:.0f} to {servo['greatest_kg']:.0f} kg; at most "
                    f"{servo['payload_max_kg']:.0f} kg on the platform, a greater k_v or T_i, or a "
                    "smaller k_p"
                )
