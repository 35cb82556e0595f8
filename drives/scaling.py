"""Between leg lengths in metres and the counts of a drive: the only place where both are known.

A drive counts from its reference switch: count 0 is where homing ends. So a wrong switch position
shifts a leg, and a wrong scale or sign shows in the slow test move.
"""

import math
from dataclasses import dataclass

from drives.bank import DriveCommandError, DriveModelError

INT32_MAX = 2**31 - 1
"""Largest count that a drive's 32-bit objects hold."""


@dataclass(frozen=True, slots=True)
class LegScale:
    """Scale of one leg.

    Attributes:
        counts_per_m: Counts of the drive per metre of rod travel [1/m].
        sign: +1 if the counts grow when the leg grows, -1 if they fall.
        reference_length_m: Leg length, joint to joint, at count 0: the reference switch [m].

    Raises:
        DriveModelError: If a number makes no scale.
    """

    counts_per_m: float
    sign: int
    reference_length_m: float

    def __post_init__(self) -> None:
        """Refuse what is no scale."""
        if not (math.isfinite(self.counts_per_m) and self.counts_per_m > 0.0):
            raise DriveModelError(f"counts_per_m is {self.counts_per_m}, it must be positive")
        if self.sign not in (1, -1):
            raise DriveModelError(f"sign is {self.sign}, it must be 1 or -1")
        if not math.isfinite(self.reference_length_m):
            raise DriveModelError(f"reference_length_m is {self.reference_length_m} m")

    def counts(self, length_m: float) -> int:
        """Return the position count of a leg length [m].

        Raises:
            DriveCommandError: If the length is not finite, or no 32-bit count stands for it. Were
                it let through, a conversion would turn it into a full stroke.
        """
        return self._whole((length_m - self.reference_length_m) * self.counts_per_m, "length")

    def speed_counts(self, speed_m_s: float) -> int:
        """Return the counts per second of a leg speed [m/s].

        Raises:
            DriveCommandError: If the speed is not finite, or no 32-bit count stands for it.
        """
        return self._whole(speed_m_s * self.counts_per_m, "speed")

    def length_m(self, counts: int) -> float:
        """Return the leg length of a position count [m]."""
        return self.reference_length_m + self.sign * counts / self.counts_per_m

    def speed_m_s(self, counts_per_s: int) -> float:
        """Return the leg speed of counts per second [m/s]."""
        return self.sign * counts_per_s / self.counts_per_m

    def distance_counts(self, distance_m: float) -> int:
        """Return the counts of a distance, whichever way [m], such as a window."""
        return abs(self._whole(distance_m * self.counts_per_m, "distance"))

    def _whole(self, exact: float, name: str) -> int:
        if not abs(exact) <= INT32_MAX:  # NaN fails this too
            text = f"{name} of {exact} counts: a finite number within ±{INT32_MAX} is needed"
            raise DriveCommandError(text)
        return self.sign * round(exact)
