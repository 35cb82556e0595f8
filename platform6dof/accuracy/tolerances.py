"""Tolerances of a machine's parts: values without behaviour, and what is assumed of them."""

import math
from dataclasses import dataclass, fields

KINDS = (
    "leg_length", "scale", "base_joint", "platform_joint", "play", "temperature",
    "leg_temperature",
)  # fmt: skip
"""Kinds of errors, in the order of every array that has one number for each."""


@dataclass(frozen=True, slots=True)
class Tolerances:
    """Tolerances ± of the parts of a machine.

    Those of lengths, scale and joints are three standard deviations of normal errors; those of play
    and temperature are ends of uniform ones. Each leg and each joint has its own error; the
    machine's temperature is one for all of it.

    Raises:
        ValueError: a number that is not finite, or below 0.
    """

    leg_length_m: float = 0.2e-3
    """Error of a leg's length as homing leaves it [m]."""
    scale: float = 50e-6
    """Error of a screw's lead, as a share of the travel from the closed length [m/m]."""
    base_joint_m: float = 0.3e-3
    """Error of each coordinate of a base joint's place [m]."""
    platform_joint_m: float = 0.3e-3
    """Error of each coordinate of a platform joint's place [m]."""
    play_m: float = 0.05e-3
    """Play along a leg, of its two joints and its nut together [m]."""
    temperature_k: float = 10.0
    """Difference of the whole machine's temperature to that of its measurement [K]."""
    leg_temperature_k: float = 3.0
    """Difference of one leg's temperature to the machine's [K]."""
    leg_expansion_per_k: float = 11.5e-6
    """Expansion of a leg, steel [1/K]; it is not a tolerance, but a property."""
    plate_expansion_per_k: float = 11.5e-6
    """Expansion of both plates, steel [1/K]; likewise."""

    def __post_init__(self) -> None:
        for one in fields(self):
            value = getattr(self, one.name)
            if not (math.isfinite(value) and value >= 0.0):
                raise ValueError(f"{one.name}: {value}, must be finite and 0 or more")

    @property
    def of_kinds(self) -> tuple[float, ...]:
        """Tolerance of each of `KINDS`, in its unit."""
        return (
            self.leg_length_m, self.scale, self.base_joint_m, self.platform_joint_m, self.play_m,
            self.temperature_k, self.leg_temperature_k,
        )  # fmt: skip


SPREAD = (1.0 / 3.0,) * 4 + (1.0 / math.sqrt(3.0),) * 3
"""Standard deviation of each of `KINDS` as a share of its tolerance: a third of three standard
deviations, and that of a uniform error between its ends."""

NAMES = (
    "leg_length_m", "scale", "base_joint_m", "platform_joint_m", "play_m", "temperature_k",
    "leg_temperature_k",
)  # fmt: skip
"""Names of the tolerances, with their units, in the order of `KINDS`."""
