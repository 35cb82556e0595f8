"""A rod on a screw behind a motor: what moves, and what its switches say. The rack's plant.

Place 0 is the inner end stop; places and ways are metres along the rod, outwards positive.
"""

import math
from dataclasses import dataclass

HOME, NEGATIVE_LIMIT, POSITIVE_LIMIT, INTERLOCK = 4, 1, 2, 8
"""Bits of the digital inputs 60FDh (CiA 402)."""


@dataclass(slots=True)
class ElectroCylinder:
    """A rod driven by a position servo, held by a brake when it has no power.

    Args:
        place_m: where it stands.
        stroke_m: way between its end stops.
        home_m: edge of the home switch, which is closed from the inner end to here.
        frequency_hz: natural frequency of the position servo.
        damping: of the servo.
        acceleration_max_m_s2: what the motor can.
        speed_max_m_s: what motor and screw can.
        mass_kg: that it moves.
        load_n: that it carries.
        rated_n: force at rated torque.
    """

    place_m: float
    stroke_m: float = 0.74
    home_m: float = 0.03
    frequency_hz: float = 25.0
    damping: float = 0.9
    acceleration_max_m_s2: float = 25.0
    speed_max_m_s: float = 1.0
    mass_kg: float = 60.0
    load_n: float = 650.0
    rated_n: float = 4000.0
    speed_m_s: float = 0.0
    acceleration_m_s2: float = 0.0

    def step(self, dt_s: float, demand_m: float, demand_m_s: float, *, powered: bool) -> None:
        """Move for a step; without power the brake closes."""
        limit = self.acceleration_max_m_s2
        if powered:
            w = 2.0 * math.pi * self.frequency_hz
            wanted = w * w * (demand_m - self.place_m)
            wanted += 2.0 * self.damping * w * (demand_m_s - self.speed_m_s)
        else:
            wanted = -self.speed_m_s / dt_s
        before = self.speed_m_s
        speed = before + min(max(wanted, -limit), limit) * dt_s
        self.speed_m_s = min(max(speed, -self.speed_max_m_s), self.speed_max_m_s)
        self.place_m += self.speed_m_s * dt_s
        if not 0.0 <= self.place_m <= self.stroke_m:
            self.place_m = min(max(self.place_m, 0.0), self.stroke_m)
            self.speed_m_s = 0.0
        self.acceleration_m_s2 = (self.speed_m_s - before) / dt_s

    @property
    def inputs(self) -> int:
        """Digital inputs, as 60FDh has them."""
        bits = INTERLOCK
        bits |= HOME if self.place_m < self.home_m else 0
        bits |= NEGATIVE_LIMIT if self.place_m < 0.002 else 0
        bits |= POSITIVE_LIMIT if self.place_m > self.stroke_m - 0.002 else 0
        return bits

    @property
    def torque_per_mille(self) -> int:
        """Of the rated torque (6077h)."""
        return round(1e3 * (self.load_n + self.mass_kg * self.acceleration_m_s2) / self.rated_n)
