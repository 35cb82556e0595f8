"""What a scenario of the pendulum says; the pendulum, and the gate before its motor."""

import math
from typing import Literal

from hil.config.fields import NotNegative, Positive
from hil.config.scenario import Name
from hil.config.settings import Settings

GRAVITY_M_S2 = 9.80665
BRAKE_NM_S = 2.0
"""Torque of the brake for a turn rate."""


class SwingScenario(Settings):
    """A bob on a rod without mass, driven by a sine of torque."""

    station: Literal["pendulum"]
    name: Name
    description: str = ""
    clock: Literal["virtual"] = "virtual"
    duration_s: Positive = 10.0
    rate_hz: Positive = 200.0
    length_m: Positive = 1.0
    inertia_kg_m2: Positive = 1.0
    torque_nm: NotNegative = 0.5
    frequency_hz: Positive = 0.5
    angle_max_deg: Positive = 45.0

    def asked_nm(self, t_s: float) -> float:
        """Torque that the motion asks for."""
        return self.torque_nm * math.sin(2.0 * math.pi * self.frequency_hz * t_s)

    def stepped(self, angle_rad: float, rate_rad_s: float, torque_nm: float) -> tuple[float, float]:
        """Angle from hanging and turn rate after a period (semi-implicit Euler)."""
        gravity = GRAVITY_M_S2 / self.length_m * math.sin(angle_rad)
        rate_rad_s += (torque_nm / self.inertia_kg_m2 - gravity) / self.rate_hz
        return angle_rad + rate_rad_s / self.rate_hz, rate_rad_s


class Gate:
    """Passes torques while the bob stays within its angle; else, or when asked, it brakes."""

    def __init__(self, angle_max_rad: float) -> None:
        self.angle_max_rad, self.mode = angle_max_rad, "swinging"

    def judged(self, asked_nm: float, angle_rad: float, rate_rad_s: float, *, stop: bool) -> float:
        """The torque that the motor may have."""
        within = abs(angle_rad) <= self.angle_max_rad and math.isfinite(asked_nm)
        if self.mode == "swinging" and not within:
            self.mode = "tripped"
        elif self.mode == "swinging" and stop:
            self.mode = "braking"
        elif self.mode == "braking" and max(abs(angle_rad), abs(rate_rad_s)) < 0.01:
            self.mode = "resting"
        return asked_nm if self.mode == "swinging" else -BRAKE_NM_S * rate_rad_s
