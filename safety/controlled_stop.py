"""The controlled stop, in exact discrete form.

A stop takes whole cycles, so its length is a sum over cycles, not v^2/(2a): the continuous formula
overshoots by up to a*dt^2/8. Six legs stop together: one factor s scales all six speeds, so the
platform slows down along the way it was going and is never twisted by legs that stop one by one.
The ramp bounds speed and deceleration; jerk is not bounded.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

from hil_common.legs import SixFloats, as_six


def ramp_distance(ratio: float) -> float:
    """Way of a whole stop, in units of the last movement per cycle.

    Args:
        ratio: 1/delta >= 1, where delta is what the common factor loses in each cycle.

    Returns:
        K - delta*K(K+1)/2 with K = floor(1/delta); 0 for a stop within one cycle.
    """
    k = math.floor(ratio)
    return k - k * (k + 1) / (2.0 * ratio)


@dataclass(frozen=True, slots=True)
class StopRamp:
    """Controlled stop of six legs from one commanded state.

    In cycle j = 1, 2, ... each leg moves by its last movement times 1 - j/ratio, until that is
    zero. The leg that needs longest sets the ratio and brakes at its full deceleration.
    """

    start_m: SixFloats
    """Last commanded lengths [m]."""
    movement_m: SixFloats
    """Last commanded movement per cycle [m]."""
    ratio: float
    """Cycles of the stop, 1 or more, not rounded."""

    @classmethod
    def begin(
        cls, start_m: SixFloats, movement_m: SixFloats, brake_steps_m: Sequence[float]
    ) -> "StopRamp":
        """Plan a stop.

        Args:
            start_m: last commanded lengths [m].
            movement_m: last commanded movement per cycle [m].
            brake_steps_m: permitted change of each leg's movement per cycle, a*dt^2 [m].
        """
        ratios = (abs(u) / brake for u, brake in zip(movement_m, brake_steps_m, strict=True))
        return cls(start_m, movement_m, max(1.0, *ratios))

    def factor(self, cycle: int) -> float:
        """Common factor on all six speeds in cycle 1, 2, ... of the stop."""
        return max(0.0, 1.0 - cycle / self.ratio)

    def length_m(self, cycle: int) -> SixFloats:
        """Commanded lengths in cycle 1, 2, ... of the stop [m]."""
        distance = ramp_distance(self.ratio)
        if cycle < self.ratio:
            distance = cycle - cycle * (cycle + 1) / (2.0 * self.ratio)
        pairs = zip(self.start_m, self.movement_m, strict=True)
        return as_six(x + u * distance for x, u in pairs)

    def speed_m_s(self, cycle: int, dt_s: float) -> SixFloats:
        """Speeds in cycle 1, 2, ... of the stop [m/s]."""
        scale = self.factor(cycle) / dt_s
        return as_six(u * scale for u in self.movement_m)
