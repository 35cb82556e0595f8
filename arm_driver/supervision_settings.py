"""Windows within which a robot's requests have to stay."""

import math
from dataclasses import dataclass, fields


@dataclass(frozen=True, slots=True)
class SupervisionSettings:
    """Windows of the supervision.

    Raises:
        ValueError: If a value is not finite, or makes no window.
    """

    period_tolerance: float = 0.03
    """Share by which the robot's period may differ from the declared one."""
    ahead_s: float = 0.15
    """Largest lead of the requests over that [s]; a request can be received so late."""
    behind_s: float = 0.3
    """Largest delay of the requests behind that [s]."""
    delay_s: tuple[float, float] = (0.3, 1.2)
    """Least and largest time from the request for a waypoint to the arm's being there, at the
    middle of its blend [s]."""
    following_m: float = 0.003
    """Largest reported distance of the robot from the sent path, at rest [m]."""
    following_s: float = 0.02
    """Growth of that distance per speed of the path [s]."""
    following_rad: float = math.radians(1.0)
    """Largest reported turn from it [rad]."""
    feedback_periods: int = 2
    """Requests without a place, one after another, in a stream that began with one; more end it."""

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            for number in value if isinstance(value, tuple) else (value,):
                if not (math.isfinite(number) and number > 0.0):
                    raise ValueError(f"{field.name} = {value}: finite and above zero is needed")
        least_s, largest_s = self.delay_s
        if least_s >= largest_s:
            raise ValueError(f"delay_s = {self.delay_s}: the first has to be below the second")
        if self.period_tolerance >= 0.5:
            raise ValueError(f"period_tolerance = {self.period_tolerance}: below 0.5 is needed")
