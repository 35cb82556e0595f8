"""Between leg lengths in metres and the counts of a drive: the only place where both are known.

A drive counts from its reference switch: count 0 is where homing ends. So a wrong switch position
shifts a leg, and a wrong scale or sign shows in the slow test move. An absolute encoder counts from
where a person has measured the leg, and its count may go round on the
way (`drives.axes.count_circle`).
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from drives.axes.count_circle import WHOLE_RANGE, difference, wrapped
from drives.bank import DriveCommandError, DriveModelError
from hil_common.legs import LEG_COUNT, SixFloats, SixInts

INT32_MAX = 2**31 - 1
"""Largest count that a drive's 32-bit objects hold."""


@dataclass(frozen=True, slots=True)
class LegScale:
    """Scale of one leg.

    Raises:
        DriveModelError: If a number makes no scale.
    """

    counts_per_m: float
    """Counts of the drive per metre of rod travel [1/m]."""
    sign: int
    """+1 if the counts grow when the leg grows, -1 if they fall."""
    reference_length_m: float
    """Leg length, joint to joint, at the reference count: that of the reference switch, or one that
    was measured [m]."""
    speed_unit: float = 1.0
    """Counts per second of one unit in which the drive counts speeds; negative where they run
    against its positions."""
    reference_count: int = 0
    """Count at the reference length, of 32 bits with sign; 0 where homing finds the switch."""

    def __post_init__(self) -> None:
        """Refuse what is no scale."""
        if not (math.isfinite(self.speed_unit) and self.speed_unit):
            raise DriveModelError(f"speed_unit is {self.speed_unit} counts/s, it must not be 0")
        if not (math.isfinite(self.counts_per_m) and self.counts_per_m > 0.0):
            raise DriveModelError(f"counts_per_m is {self.counts_per_m}, it must be positive")
        if self.sign not in (1, -1):
            raise DriveModelError(f"sign is {self.sign}, it must be 1 or -1")
        if not math.isfinite(self.reference_length_m):
            raise DriveModelError(f"reference_length_m is {self.reference_length_m} m")
        if wrapped(self.reference_count) != self.reference_count:
            raise DriveModelError(f"reference_count is {self.reference_count}, it has 32 bits")

    def counts(self, length_m: float) -> int:
        """Return the position count of a leg length [m].

        Raises:
            DriveCommandError: If the length is not finite, or too far from the reference for one
                count to stand for it alone. Were it let through, a conversion would turn it into a
                full stroke.
        """
        return wrapped(self.reference_count + self._offset_counts(length_m))

    def range_counts(self, low_m: float, high_m: float) -> tuple[int, int]:
        """Return least and largest count between two leg lengths [m].

        They are those of `WHOLE_RANGE` if the count goes round in between.

        Raises:
            DriveCommandError: As `counts` does.
        """
        ends = sorted((self.counts(low_m), self.counts(high_m)))
        near, far = sorted((self._offset_counts(low_m), self._offset_counts(high_m)))
        return (ends[0], ends[1]) if ends[1] - ends[0] == far - near else WHOLE_RANGE

    def _offset_counts(self, length_m: float) -> int:
        return self._whole((length_m - self.reference_length_m) * self.counts_per_m, "length")

    def speed_counts(self, speed_m_s: float) -> int:
        """Return what a drive takes for a leg speed [m/s], in its own units.

        Raises:
            DriveCommandError: If the speed is not finite, or no 32-bit number represents it.
        """
        return self._whole(speed_m_s * self.counts_per_m / self.speed_unit, "speed")

    def length_m(self, counts: int) -> float:
        """Return the leg length of a position count [m]."""
        offset = difference(counts, self.reference_count)
        return self.reference_length_m + self.sign * offset / self.counts_per_m

    def speed_m_s(self, counts_per_s: int) -> float:
        """Return the leg speed of a drive's speed in its own units [m/s]."""
        return self.sign * counts_per_s * self.speed_unit / self.counts_per_m

    def distance_counts(self, distance_m: float) -> int:
        """Return the counts of a distance, whichever way [m], such as a window."""
        return abs(self._whole(distance_m * self.counts_per_m, "distance"))

    def _whole(self, exact: float, name: str) -> int:
        if not abs(exact) <= INT32_MAX:  # NaN fails this too
            text = f"{name} of {exact} counts: a finite number within ±{INT32_MAX} is needed"
            raise DriveCommandError(text)
        return self.sign * round(exact)


class SixScales:
    """The scales of six legs, for a cycle: the same numbers as six `LegScale`, in one call.

    Args:
        scales: Scale of each leg, 6.
    """

    __slots__ = ("_factors", "_finest_count_m", "_rows", "_zeros", "scales")

    def __init__(self, scales: Sequence[LegScale]) -> None:
        self.scales: tuple[LegScale, ...] = tuple(scales)
        self._rows = tuple(
            (s.reference_length_m, s.counts_per_m, s.sign, s.reference_count) for s in self.scales
        )
        self._zeros = tuple(s.reference_count for s in self.scales)
        self._factors = tuple((s.sign * s.speed_unit, s.counts_per_m) for s in self.scales)
        self._finest_count_m = 1.0 / max(s.counts_per_m / abs(s.speed_unit) for s in self.scales)

    def counts(self, length_m: SixFloats) -> SixInts:
        """Return the position counts of six leg lengths [m].

        Raises:
            DriveCommandError: If no 32-bit count represents a length; names the leg.
        """
        try:
            a, b, c, d, e, f = [
                sign * round((length - reference) * per_m)
                for length, (reference, per_m, sign, _) in zip(length_m, self._rows, strict=True)
            ]
        except (ValueError, OverflowError):  # not finite: the leg is named below
            pass
        else:
            offsets = (a, b, c, d, e, f)
            if min(offsets) > -INT32_MAX and max(offsets) < INT32_MAX:
                p, q, r, s, t, u = self._zeros
                return (
                    wrapped(a + p), wrapped(b + q), wrapped(c + r),
                    wrapped(d + s), wrapped(e + t), wrapped(f + u),
                )  # fmt: skip
        return self._leg_by_leg(LegScale.counts, length_m)

    def speed_counts(self, speed_m_s: SixFloats) -> SixInts:
        """Return the counts per second of six leg speeds [m/s].

        Raises:
            DriveCommandError: If no 32-bit count represents a speed; names the leg.
        """
        return self._leg_by_leg(LegScale.speed_counts, speed_m_s)

    def check_speeds(self, speed_m_s: SixFloats) -> None:
        """Refuse six finite leg speeds [m/s] as `speed_counts` does, whose counts nobody needs.

        Raises:
            DriveCommandError: If no 32-bit count represents a speed; names the leg.
        """
        # Half of what the finest scale can resolve leaves no doubt; what is above is looked at.
        limit_m_s = 0.5 * INT32_MAX * self._finest_count_m
        if not (-limit_m_s < min(speed_m_s) and max(speed_m_s) < limit_m_s):
            self.speed_counts(speed_m_s)

    def lengths_m(self, counts: Sequence[int]) -> SixFloats:
        """Return the leg lengths of six position counts [m]."""
        a, b, c, d, e, f = [
            reference + sign * difference(count, zero) / per_m
            for count, (reference, per_m, sign, zero) in zip(counts, self._rows, strict=True)
        ]
        return (a, b, c, d, e, f)

    def speeds_m_s(self, counts_per_s: Sequence[int]) -> SixFloats:
        """Return the leg speeds of six times counts per second [m/s]."""
        a, b, c, d, e, f = [
            sign * count / per_m
            for count, (sign, per_m) in zip(counts_per_s, self._factors, strict=True)
        ]
        return (a, b, c, d, e, f)

    def _leg_by_leg(self, of: Callable[[LegScale, float], int], values: SixFloats) -> SixInts:
        found = [0] * LEG_COUNT
        for leg, (scale, value) in enumerate(zip(self.scales, values, strict=True)):
            try:
                found[leg] = of(scale, value)
            except DriveCommandError as error:
                raise DriveCommandError(f"leg {leg + 1}: {error}") from error
        a, b, c, d, e, f = found
        return (a, b, c, d, e, f)
