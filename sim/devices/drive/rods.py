"""Plant of the emulated rack: the rods of six electro-cylinders with switches and encoders.

A rod is a mass under the force of its motor and a constant load, between two hard end stops.
A brake holds it while its drive has no power. Positions are rod extensions in metres from the
inner end; the drive that turns them into counts is in `sim.devices.drive.node`.

Not modelled: friction and backlash of the screw, bending, motor heating, current loop and torque
ripple, encoder noise and index pulse, switch bounce; without a world (`hil_common.plant`) the
platform that
couples six rods, its weight, and what is in its way.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from enum import Enum


class PlantError(ValueError):
    """A rod is described by numbers that make no sense; the text names value, limit and unit."""


class Switch(Enum):
    """Switches of a rod; the value is the bit of object 60FDh (CiA 402-2, digital inputs)."""

    NEGATIVE_LIMIT = 0
    POSITIVE_LIMIT = 1
    HOME = 2


@dataclass(frozen=True, slots=True)
class RodSettings:
    """Constants of one rod and of the position servo that moves it.

    Raises:
        PlantError: If a value is not finite, not positive, or contradicts another one.
    """

    stroke_m: float = 0.74
    """Travel between the hard end stops [m]."""
    reference_m: float = 0.03
    """Extension at which the home switch opens; it is active below [m]."""
    switch_margin_m: float = 0.005
    """Distance of the limit switches from the end stops [m]."""
    speed_max_m_s: float = 0.6
    """Largest speed of the drive [m/s]."""
    acceleration_max_m_s2: float = 8.0
    """Largest acceleration of the drive [m/s^2]."""
    force_max_n: float = 4000.0
    """Largest force of the motor [N]."""
    moving_mass_kg: float = 60.0
    """Moving mass [kg]."""
    static_load_n: float = 650.0
    """Load that pushes the rod inwards [N]; below 0 it pulls outwards."""
    natural_frequency_hz: float = 25.0
    """Of the closed position loop [Hz]."""
    damping: float = 0.9
    """Of the closed position loop, 1 = critical."""
    brake_deceleration_m_s2: float = 15.0
    """What the closed brake does to a moving rod [m/s^2]."""
    brake_release_s: float = 0.2
    """Time the brake takes to open before a drive is enabled [s]."""
    start_m: float = 0.028
    """Extension when the power comes [m]."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            least = -math.inf if field.name == "static_load_n" else 0.0
            if not (math.isfinite(value) and value >= least):
                needed = "a finite number" if least < 0.0 else "a finite number >= 0"
                raise PlantError(f"{field.name} = {value!r}: {needed} is needed")
        for name in ("stroke_m", "speed_max_m_s", "acceleration_max_m_s2", "force_max_n"):
            self._require_positive(name)
        for name in ("moving_mass_kg", "natural_frequency_hz", "damping"):
            self._require_positive(name)
        if not self.switch_margin_m < self.reference_m < self.stroke_m - self.switch_margin_m:
            raise PlantError(
                f"reference_m = {self.reference_m} m: it must lie between the limit switches, in "
                f"({self.switch_margin_m}, {self.stroke_m - self.switch_margin_m}) m"
            )
        if self.start_m > self.stroke_m:
            raise PlantError(f"start_m = {self.start_m} m: the stroke is {self.stroke_m} m")
        if abs(self.static_load_n) >= self.force_max_n:
            raise PlantError(
                f"static_load_n = {self.static_load_n} N: force_max_n = {self.force_max_n} N "
                "could not hold it"
            )

    def _require_positive(self, name: str) -> None:
        if not getattr(self, name) > 0.0:
            raise PlantError(f"{name} = {getattr(self, name)!r}: it must be above 0")


class Rod:
    """One rod: where it is, how fast, what its motor pushes, what its switches say."""

    __slots__ = (
        "acceleration_m_s2",
        "force_n",
        "negative_edge_m",
        "positive_edge_m",
        "powered",
        "settings",
        "v_m_s",
        "x_m",
    )

    def __init__(self, settings: RodSettings) -> None:
        self.settings: RodSettings = settings
        self.negative_edge_m: float = settings.switch_margin_m
        """Extension up to which the negative limit switch is active [m]."""
        self.positive_edge_m: float = settings.stroke_m - settings.switch_margin_m
        """Extension from which the positive limit switch is active [m]."""
        self.x_m: float = settings.start_m
        self.v_m_s: float = 0.0
        self.acceleration_m_s2: float = 0.0
        """What the drive asks for [m/s^2]; it has no effect while the brake is closed."""
        self.powered: bool = False
        """Whether the motor has power; without it the brake is closed."""
        self.force_n = 0.0
        """Force of the motor, positive when it pushes outwards [N]; 0 without power."""

    @property
    def still(self) -> bool:
        """Whether `advance` would change nothing: the brake holds, and no force is left over."""
        return not self.powered and self.v_m_s == 0.0 and self.force_n == 0.0

    def advance(self, dt_s: float) -> None:
        """Move on by one substep, semi-implicit Euler.

        Args:
            dt_s: Substep [s], at most 1e-3 s for the servo to be stable.
        """
        settings = self.settings
        v_old = self.v_m_s
        if not self.powered and v_old == 0.0:
            self.force_n = 0.0
            return
        if self.powered:
            load = settings.static_load_n
            force = settings.moving_mass_kg * self.acceleration_m_s2 + load
            limit = settings.force_max_n
            force = limit if force > limit else -limit if force < -limit else force
            self.force_n = force
            v = v_old + (force - load) / settings.moving_mass_kg * dt_s
        else:
            self.force_n: float = 0.0
            slower = settings.brake_deceleration_m_s2 * dt_s
            v = 0.0 if abs(v_old) <= slower else v_old - math.copysign(slower, v_old)
        x = self.x_m + v * dt_s
        if x <= 0.0 and v < 0.0:
            x, v = 0.0, 0.0
        elif x >= settings.stroke_m and v > 0.0:
            x, v = settings.stroke_m, 0.0
        self.x_m, self.v_m_s = x, v

    def switch_edge_m(self, switch: Switch) -> float:
        """Return the extension at which a switch changes [m]."""
        if switch is Switch.HOME:
            return self.settings.reference_m
        if switch is Switch.NEGATIVE_LIMIT:
            return self.negative_edge_m
        return self.positive_edge_m

    def switch_word(self) -> int:
        """Return all switches as bits 0 to 2 of object 60FDh."""
        x_m = self.x_m
        if x_m > self.settings.reference_m:  # then the negative limit is not active either
            return 0x02 if x_m >= self.positive_edge_m else 0x00
        return 0x05 if x_m <= self.negative_edge_m else 0x04

    def switch_active(self, switch: Switch) -> bool:
        """Say whether a switch is active where the rod is now."""
        if switch is Switch.POSITIVE_LIMIT:
            return self.x_m >= self.switch_edge_m(switch)
        return self.x_m <= self.switch_edge_m(switch)


def substeps(dt_s: float, substep_max_s: float = 1e-3) -> tuple[int, float]:
    """Divide a time into equal substeps.

    Args:
        dt_s: Time to divide [s], >= 0.
        substep_max_s: Longest substep [s].

    Returns:
        Number of substeps and the length of each [s]; (0, 0.0) for no time at all.
    """
    if dt_s <= 0.0:
        return 0, 0.0
    count = math.ceil(dt_s / substep_max_s - 1e-9)
    count = max(count, 1)
    return count, dt_s / count
