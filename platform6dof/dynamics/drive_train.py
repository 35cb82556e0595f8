"""A drive's screw and motor: friction, torque by efficiency, power, what is fed back.

A screw that drives its load needs more torque than an ideal one, a screw that its load drives gives
less: T = lead / (2 pi) thrust / eta while the motor drives, thrust eta_back while it is driven
(maker's formula of ball screws; e.g. NSK Precision Machine Components, "Ball screws: driving
torque"). Friction along the rod, (F_c + F_s exp(-(v / v_s)²)) sign v + F_v v (Armstrong-Hélouvry,
Dupont, Canudas de Wit, Automatica 30 (1994) 1083-1138), comes on top of the thrust. At rest neither
counts: the torque is that of an ideal screw.
"""

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.dynamics.inverse_dynamics import LegLoads

Array = NDArray[np.float64]

PHASES: Final = 3
"""Phases of a motor."""
AT_REST_M_S: Final = 1e-6
"""Speed up to which a rod rests: it has neither friction nor a screw that drives [m/s]."""


class DriveTrainError(ValueError):
    """Numbers that no drive has; the text says which and why."""


@dataclass(frozen=True, slots=True)
class DriveTrain:
    """Screw and motor of each leg; the six are alike.

    Raises:
        DriveTrainError: not finite, an efficiency outside (0, 1] or [0, 1], a number below 0.
    """

    lead_m: float
    """Travel of the rod for a turn of the motor [m]."""
    rotor_kg_m2: float
    """Moment of rotor and screw [kg m²]."""
    efficiency: float
    """Efficiency of the screw that drives its load, above 0, at most 1."""
    efficiency_back: float
    """Efficiency of the screw that its load drives, 0 (it locks itself) to 1."""
    coulomb_n: float
    """Coulomb friction [N]."""
    viscous_n_s_m: float
    """Viscous friction [N s/m]."""
    torque_constant_nm_a: float
    """Torque by current, effective value of a phase [N m/A]."""
    winding_ohm: float
    """Resistance of a phase [ohm]."""
    stribeck_n: float = 0.0
    """Friction that is added to Coulomb's where motion begins [N]."""
    stribeck_m_s: float = 0.001
    """Speed by which it has fallen to 1/e [m/s]."""

    def __post_init__(self) -> None:
        for name in self.__slots__:
            if not math.isfinite(getattr(self, name)):
                raise DriveTrainError(f"{name} = {getattr(self, name)}: a finite number is needed")
        for name in ("lead_m", "torque_constant_nm_a", "stribeck_m_s"):
            if getattr(self, name) <= 0.0:
                raise DriveTrainError(f"{name} = {getattr(self, name)}: more than 0 is needed")
        for name in ("rotor_kg_m2", "coulomb_n", "viscous_n_s_m", "winding_ohm", "stribeck_n"):
            if getattr(self, name) < 0.0:
                raise DriveTrainError(f"{name} = {getattr(self, name)}: 0 or more is needed")
        if not 0.0 < self.efficiency <= 1.0:
            raise DriveTrainError(f"efficiency = {self.efficiency}: above 0 and at most 1")
        if not 0.0 <= self.efficiency_back <= 1.0:
            raise DriveTrainError(f"efficiency_back = {self.efficiency_back}: 0 to 1")

    @property
    def turns_rad_m(self) -> float:
        """Turning of the motor by travel of the rod, 2 pi / lead [rad/m]."""
        return 2.0 * math.pi / self.lead_m

    @property
    def rotor_kg(self) -> float:
        """Rotor and screw as a mass at the rod [kg]."""
        return self.rotor_kg_m2 * self.turns_rad_m**2

    def friction_n(self, speed_m_s: Array) -> Array:
        """Friction that the drive overcomes, outwards positive [N], shape of the speeds."""
        sense = np.where(np.abs(speed_m_s) > AT_REST_M_S, np.sign(speed_m_s), 0.0)
        dry = self.coulomb_n
        if self.stribeck_n > 0.0:
            dry = dry + self.stribeck_n * np.exp(-((speed_m_s / self.stribeck_m_s) ** 2))
        return sense * dry + self.viscous_n_s_m * speed_m_s

    def friction_at(self, speed_m_s: float) -> float:
        """Friction of one drive [N], as `friction_n` of many."""
        if abs(speed_m_s) <= AT_REST_M_S:
            return self.viscous_n_s_m * speed_m_s
        dry = self.coulomb_n + self.stribeck_n * math.exp(-((speed_m_s / self.stribeck_m_s) ** 2))
        return math.copysign(dry, speed_m_s) + self.viscous_n_s_m * speed_m_s

    def motor(self, loads: LegLoads) -> "MotorLoads":
        """Torque and power of the six motors for loads of N moments."""
        speed = loads.speed_m_s
        friction = self.friction_n(speed)
        thrust = loads.thrust_n + friction
        moving = np.abs(speed) > AT_REST_M_S
        drives = thrust * speed > 0.0
        factor = np.where(drives, 1.0 / self.efficiency, self.efficiency_back)
        screw = thrust * np.where(moving, factor, 1.0) / self.turns_rad_m
        torque = screw + loads.parts_n[:, 3] / self.turns_rad_m
        power = torque * speed * self.turns_rad_m
        copper = PHASES * self.winding_ohm * (torque / self.torque_constant_nm_a) ** 2
        return MotorLoads(friction, torque, power, copper)


@dataclass(frozen=True, slots=True, eq=False)
class MotorLoads:
    """Loads of six motors at N moments, each of shape (N, 6)."""

    friction_n: Array
    """Friction that the drives overcome [N]."""
    torque_nm: Array
    """Torque of the motors [N m]."""
    shaft_w: Array
    """Power of the shafts, below 0 where the load drives [W]."""
    copper_w: Array
    """Loss in the windings [W]."""

    @property
    def power_w(self) -> Array:
        """Electrical power of each drive, below 0 where it feeds back [W]."""
        return self.shaft_w + self.copper_w

    @property
    def fed_back_w(self) -> Array:
        """Power that goes to the resistor of each drive [W]."""
        return np.maximum(0.0, -self.power_w)
