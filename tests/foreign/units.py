"""What a drive's numbers mean: unit words 60A8h to 60AAh, encoder, gear and screw (CiA 402, 303-2).

A unit word has four bytes: power of ten, numerator, denominator, reserved.
"""

from dataclasses import dataclass

INCREMENTS, REVOLUTIONS, DEGREES, METRES, RPM = 0xB5, 0xB4, 0x41, 0x01, 0xC0
SECONDS = {0x03: 1.0, 0x47: 60.0, 0x57: 1.0}
"""Denominators: second, minute, second squared."""


@dataclass(frozen=True, slots=True)
class Mechanics:
    """Between motor and rod.

    Args:
        encoder_counts: increments per revolution of the motor.
        gear: revolutions of the motor per revolution of the screw.
        lead_m: way of the rod per revolution of the screw.
    """

    encoder_counts: int = 5000
    gear: int = 1
    lead_m: float = 0.005

    @property
    def counts_per_m(self) -> float:
        """Encoder increments per metre of rod."""
        return self.encoder_counts * self.gear / self.lead_m

    def metres(self, word: int) -> float:
        """Way of the rod that one unit of a unit word's numerator is [m]."""
        prefix = word >> 24 & 0xFF
        turn_m = self.lead_m / self.gear
        one_m = {
            INCREMENTS: turn_m / self.encoder_counts,
            REVOLUTIONS: turn_m,
            DEGREES: turn_m / 360.0,
            METRES: 1.0,
            RPM: turn_m / 60.0,
        }[word >> 16 & 0xFF]
        return one_m * 10.0 ** (prefix - 256 if prefix > 127 else prefix)

    def rate(self, word: int) -> float:
        """The same for a unit of speed or acceleration [m/s or m/s²]."""
        return self.metres(word) / SECONDS[word >> 8 & 0xFF]


POSITION_INCREMENTS = 0x00B5_0000
SPEED_INCREMENTS = 0x00B5_0300
ACCELERATION_INCREMENTS = 0x00B5_5700
SPEED_RPM = 0x00B4_4700
ACCELERATION_RPM_S = 0x00C0_0300
