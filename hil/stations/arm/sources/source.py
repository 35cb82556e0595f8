"""What a source of gripper velocity is: a twist at every moment, or the word that it has ended.

A planned source (profile, recording) knows its duration, and is refused when it is made if it asks
too much. A live source (keyboard, gamepad, another process) is hold-to-run: without fresh input it
wants zero velocity, and what it asks too much is scaled down. No source asks for more than
`SourceLimits` permits, ever.
"""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

from numpy.typing import ArrayLike

from hil.desk.velocity.source import SourceError, Twist, check_time, three

LINEAR_CEILING_M_S = 0.1
"""No configuration goes above this: the industrial arm follows its path up to 100 mm/s."""
ANGULAR_CEILING_RAD_S = 1.0
"""Nor above this, a turn of 57 degrees per second."""
ROUNDING_PART = 1e-9
"""Part of a limit that a sum of roundings may exceed it by."""


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """The most that a source may ask for.

    Raises:
        SourceError: a limit is not finite, not positive, or above its ceiling.
    """

    linear_m_s: float
    """Speed [m/s], above 0 and at most 0.1."""
    angular_rad_s: float
    """Turn rate [rad/s], above 0 and at most 1."""
    linear_acceleration_m_s2: float
    angular_acceleration_rad_s2: float

    def __post_init__(self) -> None:
        for name, unit, ceiling in (
            ("linear_m_s", "m/s", LINEAR_CEILING_M_S),
            ("angular_rad_s", "rad/s", ANGULAR_CEILING_RAD_S),
            ("linear_acceleration_m_s2", "m/s^2", math.inf),
            ("angular_acceleration_rad_s2", "rad/s^2", math.inf),
        ):
            value = getattr(self, name)
            if not (math.isfinite(value) and 0.0 < value <= ceiling):
                most = f" and at most {ceiling:g} {unit}" if math.isfinite(ceiling) else ""
                raise SourceError(
                    f"source limits: {name} = {value} {unit}: it must be above 0{most}"
                )

    def bounded(self, wanted: Twist) -> Twist:
        """Scale a twist into the limits by one factor, so that it stays the same motion, slower."""
        factor = 1.0
        for vector, limit in (
            (wanted.linear_m_s, self.linear_m_s),
            (wanted.angular_rad_s, self.angular_rad_s),
        ):
            size = math.hypot(*vector.tolist())
            if size > limit:
                factor = min(factor, limit / size)
        if factor == 1.0:
            return wanted
        # Rounded towards zero: a product may come out one digit above the limit.
        factor = math.nextafter(factor, 0.0) * (1.0 - 4e-16)
        return Twist(wanted.linear_m_s * factor, wanted.angular_rad_s * factor, wanted.frame)

    def check(self, place: str, linear_m_s: ArrayLike, angular_rad_s: ArrayLike) -> None:
        """Refuse a planned velocity above the limits.

        Raises:
            SourceError: with place, value and limit.
        """
        for what, vector, limit, unit in (
            ("speed", linear_m_s, self.linear_m_s, "m/s"),
            ("turn rate", angular_rad_s, self.angular_rad_s, "rad/s"),
        ):
            size = math.hypot(*three(what, vector).tolist())
            if size > limit * (1.0 + ROUNDING_PART):
                raise SourceError(f"{place}: {what} {size:.6g} {unit}, more than {limit:g} {unit}")


class PlannedSource(ABC):
    """A motion that is known before it begins, from rest to rest; nobody has to hold it."""

    held = True
    end_reason = ""

    def __init__(self, duration_s: float) -> None:
        self.duration_s = duration_s

    def listen(self) -> None:  # noqa: B027 nobody has to do so
        """Nothing to hear."""

    def sample(self, t_s: float) -> Twist | None:
        """See `VelocitySource`."""
        if check_time(t_s) >= self.duration_s:
            self.end_reason = "completed"
            return None
        return self._velocity(t_s)

    def close(self) -> None:  # noqa: B027 nobody has to do so
        """Nothing is held."""

    @abstractmethod
    def _velocity(self, t_s: float) -> Twist:
        """The velocity at a time before the end [s]; it may lie before the beginning."""
