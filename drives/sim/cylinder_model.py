"""The constants of six electro-cylinders, checked, and the table the kernel reads them from."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields

import numpy as np

from drives.bank import LEGS, DriveModelError
from drives.sim import cylinder
from drives.sim.cylinder import Floats

BRAKE_SHARE = 2.0
"""Deceleration of a closing brake, as a multiple of the drive's acceleration limit."""
SUBSTEP_ANGLE_RAD = 0.1
"""Largest phase of the servo's own frequency in one integration step."""
SUBSTEPS_MAX = 1000
"""More steps than this in a cycle say that servo and period do not belong together."""


@dataclass(frozen=True, slots=True, eq=False)
class CylinderModel:
    """Constants of six electro-cylinders.

    A scalar given for one of the (6,) fields counts for all six legs.
    """

    natural_frequency_hz: float
    """Undamped natural frequency of the closed position loop [Hz]."""
    damping: float
    """Damping ratio of that loop."""
    speed_max_m_s: Floats
    """Speed limit of the drives [m/s], shape (6,)."""
    acceleration_max_m_s2: Floats
    """Acceleration limit of the drives [m/s2], shape (6,)."""
    force_max_n: Floats
    """Largest force of each drive, either way [N], shape (6,)."""
    moving_mass_kg: Floats
    """Mass that each drive moves [kg], shape (6,)."""
    static_load_n: Floats
    """Force needed to hold still, positive when pushing [N], shape (6,)."""
    closed_length_m: Floats
    """Leg length on the inner stop [m], shape (6,)."""
    open_length_m: Floats
    """Leg length on the outer stop [m], shape (6,)."""
    reference_length_m: Floats
    """Leg length at the reference switch [m], shape (6,)."""
    homing_speed_m_s: float
    """Speed of the move to the switch [m/s]."""
    enable_cycles: int
    """Bus cycles a drive takes from the request until it is enabled."""

    def __post_init__(self) -> None:
        """Copy and lock the arrays, then refuse what no cylinder can be."""
        for field in fields(self):
            if field.type is Floats:
                array = _six(field.name, getattr(self, field.name))
                object.__setattr__(self, field.name, array)
        for name in ("natural_frequency_hz", "damping", "homing_speed_m_s"):
            _require_positive(name, getattr(self, name))
        for name in ("speed_max_m_s", "acceleration_max_m_s2", "force_max_n", "moving_mass_kg"):
            for leg, value in enumerate(getattr(self, name), start=1):
                _require_positive(f"leg {leg}: {name}", value)
        if self.enable_cycles < 0:
            raise DriveModelError(f"enable_cycles is {self.enable_cycles}, it must be 0 or more")
        for leg in range(LEGS):
            self._check_leg(leg)

    def _check_leg(self, leg: int) -> None:
        closed, opened = self.closed_length_m[leg], self.open_length_m[leg]
        if not 0.0 < closed < opened:
            text = f"closed_length_m {closed:g} m and open_length_m {opened:g} m"
            raise DriveModelError(f"leg {leg + 1}: {text}: 0 < closed < open is needed")
        reference = self.reference_length_m[leg]
        if not closed <= reference <= opened:
            text = f"reference_length_m {reference:g} m is outside [{closed:g}, {opened:g}] m"
            raise DriveModelError(f"leg {leg + 1}: {text}")
        load, force = self.static_load_n[leg], self.force_max_n[leg]
        if not abs(load) < force:
            text = f"static_load_n {load:g} N leaves nothing of force_max_n {force:g} N"
            raise DriveModelError(f"leg {leg + 1}: {text}: |load| < force is needed")
        if self.homing_speed_m_s > self.speed_max_m_s[leg]:
            text = f"homing_speed_m_s {self.homing_speed_m_s:g} m/s is above speed_max_m_s"
            raise DriveModelError(f"leg {leg + 1}: {text} {self.speed_max_m_s[leg]:g} m/s")

    def substeps(self, period_s: float) -> int:
        """Return the integration steps that one cycle needs.

        Raises:
            DriveModelError: If the period is not positive, or far too long for the servo.
        """
        _require_positive("period_s", period_s)
        angle_rad = 2.0 * math.pi * self.natural_frequency_hz * period_s
        count = math.ceil(angle_rad / SUBSTEP_ANGLE_RAD)
        if count > SUBSTEPS_MAX:
            limit_hz = SUBSTEPS_MAX * SUBSTEP_ANGLE_RAD / (2.0 * math.pi * period_s)
            text = f"natural_frequency_hz {self.natural_frequency_hz:g} Hz with period_s"
            raise DriveModelError(f"{text} {period_s:g} s: at most {limit_hz:g} Hz can be followed")
        return count

    def parameters(self, following_window_m: float = math.inf) -> Floats:
        """Return the kernel's parameters, shape (6, PARAMETER_COLUMNS), writable.

        Args:
            following_window_m: Following error that the drives themselves tolerate [m].
        """
        omega = 2.0 * math.pi * self.natural_frequency_hz
        table = np.zeros((LEGS, cylinder.PARAMETER_COLUMNS))
        table[:, cylinder.OMEGA_SQUARED] = omega * omega
        table[:, cylinder.DAMPING_RATE] = 2.0 * self.damping * omega
        table[:, cylinder.FEED] = 1.0
        # |mass * a + load| <= force, and |a| <= the drive's own limit.
        by_force_high = (self.force_max_n - self.static_load_n) / self.moving_mass_kg
        by_force_low = (-self.force_max_n - self.static_load_n) / self.moving_mass_kg
        table[:, cylinder.A_HIGH] = np.minimum(self.acceleration_max_m_s2, by_force_high)
        table[:, cylinder.A_LOW] = np.maximum(-self.acceleration_max_m_s2, by_force_low)
        table[:, cylinder.A_BRAKE] = BRAKE_SHARE * self.acceleration_max_m_s2
        table[:, cylinder.V_MAX] = self.speed_max_m_s
        table[:, cylinder.CLOSED] = self.closed_length_m
        table[:, cylinder.OPEN] = self.open_length_m
        table[:, cylinder.MASS] = self.moving_mass_kg
        table[:, cylinder.LOAD] = self.static_load_n
        table[:, cylinder.REFERENCE] = self.reference_length_m
        table[:, cylinder.V_HOME] = self.homing_speed_m_s
        table[:, cylinder.WINDOW] = following_window_m
        return table

    def describe(self, leg: int) -> str:
        """Return one line about a leg, for the record of a run.

        Args:
            leg: Index of the leg, 0 to 5.
        """
        closed, opened = self.closed_length_m[leg], self.open_length_m[leg]
        return (
            f"leg {leg + 1}: travel {closed:g} to {opened:g} m, "
            f"reference {self.reference_length_m[leg]:g} m, speed {self.speed_max_m_s[leg]:g} m/s, "
            f"acceleration {self.acceleration_max_m_s2[leg]:g} m/s2, "
            f"force {self.force_max_n[leg]:g} N"
        )


def _six(name: str, values: float | Sequence[float] | Floats) -> Floats:
    array = np.array(np.broadcast_to(np.asarray(values, dtype=np.float64), (LEGS,)))
    for leg, value in enumerate(array, start=1):
        if not math.isfinite(value):
            raise DriveModelError(f"leg {leg}: {name} is {value}, it must be a finite number")
    array.setflags(write=False)
    return array


def _require_positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0.0):
        raise DriveModelError(f"{name} is {value}, it must be positive and finite")
