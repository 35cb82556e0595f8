"""A place of the gripper as it is written on the wire: six scaled integers.

The wire has millimetres with two decimals and degrees with three. Counts of these decimals, not
floats, are what the checksum runs over, so they are kept as integers from here on.

The angles o, a, t are Euler angles of type Z-Y'-Z''. Fixed turns before and after them change no
angle between two locations, but a zero of the middle one does: at a = 0 VAL's hand is horizontal,
a quarter turn away from where Z and Z'' are one.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

COUNTS_PER_MM: Final = 100
COUNTS_PER_DEG: Final = 1000
POSITION_MAX_COUNTS: Final = 999_999
"""Largest coordinate, 9999.99 mm: with it the checksum stays below 2^24."""
ANGLE_MAX_COUNTS: Final = 360 * COUNTS_PER_DEG
"""Largest angle that is understood; those that are written lie in -180..180 degrees."""
VAL_A_ZERO_RAD: Final = 0.5 * math.pi
"""Angle between the base's Z and the hand's Z'' at a = 0 in VAL [rad]."""
AXES: Final = ("x", "y", "z", "o", "a", "t")

_COUNTS_PER_M: Final = COUNTS_PER_MM * 1000
_HALF_TURN_COUNTS: Final = 180 * COUNTS_PER_DEG
_RAD_PER_COUNT: Final = math.radians(1.0 / COUNTS_PER_DEG)
_ABSURD: Final = 1e9
"""A larger number has no count; the wire's own range is far below it."""


@dataclass(frozen=True, slots=True)
class Location:
    """Place of the gripper in the robot's base: x, y, z and o, a, t.

    Raises:
        ValueError: If there are not six integers, or one is out of the range of the protocol.
    """

    counts: tuple[int, int, int, int, int, int]
    """x, y, z in 0.01 mm, then o, a, t in 0.001 degrees."""

    def __post_init__(self) -> None:
        if len(self.counts) != len(AXES):
            raise ValueError(f"location has {len(self.counts)} numbers; x, y, z, o, a, t are six")
        for axis, count in zip(AXES, self.counts, strict=True):
            position = axis in "xyz"
            limit = POSITION_MAX_COUNTS if position else ANGLE_MAX_COUNTS
            if type(count) is not int or abs(count) > limit:
                unit = "0.01 mm" if position else "0.001 deg"
                raise ValueError(f"{axis} = {count!r} is no integer in ±{limit} of {unit}")

    @classmethod
    def from_si(cls, position_m: Sequence[float], oat_rad: Sequence[float]) -> "Location":
        """Round a place to the decimals of the wire.

        Args:
            position_m: x, y, z [m], shape (3,).
            oat_rad: o, a, t [rad], shape (3,); any number of turns.

        Returns:
            The nearest location, its angles in -180..180 degrees.

        Raises:
            ValueError: If a number is missing, not finite, or beyond 9999.99 mm.
        """
        numbers = [float(value) for value in (*position_m, *oat_rad)]
        if len(numbers) != len(AXES):
            raise ValueError(f"location has {len(numbers)} numbers; x, y, z, o, a, t are six")
        for axis, number in zip(AXES, numbers, strict=True):
            if not math.isfinite(number):
                raise ValueError(f"{axis} = {number} is not finite; metres and radians are needed")
            if abs(number) > _ABSURD:
                raise ValueError(f"{axis} = {number:g}: beyond {_ABSURD:g} m or rad")
        x, y, z = (round(value * _COUNTS_PER_M) for value in numbers[:3])
        o, a, t = (_within_half_turn(round(value / _RAD_PER_COUNT)) for value in numbers[3:])
        return cls((x, y, z, o, a, t))

    @property
    def position_m(self) -> tuple[float, float, float]:
        """x, y, z [m]."""
        x, y, z = self.counts[:3]
        return x / _COUNTS_PER_M, y / _COUNTS_PER_M, z / _COUNTS_PER_M

    @property
    def oat_rad(self) -> tuple[float, float, float]:
        """o, a, t [rad]."""
        o, a, t = self.counts[3:]
        return o * _RAD_PER_COUNT, a * _RAD_PER_COUNT, t * _RAD_PER_COUNT

    def __str__(self) -> str:
        """Text for an operator: millimetres and degrees."""
        x, y, z = (count / COUNTS_PER_MM for count in self.counts[:3])
        o, a, t = (count / COUNTS_PER_DEG for count in self.counts[3:])
        return f"x {x:.2f} y {y:.2f} z {z:.2f} mm, o {o:.3f} a {a:.3f} t {t:.3f} deg"

    def distance_m(self, other: "Location") -> float:
        """Return how far away another location is [m]."""
        return math.dist(self.counts[:3], other.counts[:3]) / _COUNTS_PER_M

    def turn_rad(self, other: "Location", a_zero_rad: float = VAL_A_ZERO_RAD) -> float:
        """Return the angle of the one rotation that leads to another location [rad], 0 to pi.

        Args:
            other: The other location.
            a_zero_rad: Angle between Z and Z'' at a = 0 [rad]; 0 for plain Z-Y'-Z''.
        """
        # The sine comes from the difference of quaternions, not from the cosine: near zero the
        # cosine says nothing below some 1e-8 rad.
        ours = _quaternion(self.oat_rad, a_zero_rad)
        theirs = _quaternion(other.oat_rad, a_zero_rad)
        apart = math.dist(ours, theirs)
        along = math.hypot(*map(sum, zip(ours, theirs, strict=True)))
        return 4.0 * math.atan2(min(apart, along), max(apart, along))


def _quaternion(
    oat_rad: tuple[float, float, float], a_zero_rad: float
) -> tuple[float, float, float, float]:
    """Unit quaternion w, x, y, z of Rz(o) Ry(a + zero) Rz(t)."""
    o, a, t = oat_rad
    cos_a, sin_a = math.cos(0.5 * (a + a_zero_rad)), math.sin(0.5 * (a + a_zero_rad))
    half_sum, half_difference = 0.5 * (o + t), 0.5 * (o - t)
    return (
        cos_a * math.cos(half_sum),
        -sin_a * math.sin(half_difference),
        sin_a * math.cos(half_difference),
        cos_a * math.sin(half_sum),
    )


def _within_half_turn(count: int) -> int:
    """Take whole turns off an angle [0.001 deg]; half a turn itself is written as +180."""
    wrapped = (count + _HALF_TURN_COUNTS) % (2 * _HALF_TURN_COUNTS) - _HALF_TURN_COUNTS
    return _HALF_TURN_COUNTS if wrapped == -_HALF_TURN_COUNTS else wrapped
