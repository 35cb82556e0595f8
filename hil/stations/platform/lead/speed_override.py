"""Tempo of a motion: rate of its own time, from 0 (at rest) to 1 (as written).

The tempo s' goes to its target with bounded s'' and s''', so that a motion slowed down or stopped
in the middle stays smooth and on its path. The plan is a few phases of constant s''', integrated
exactly over any step of time.
"""

import math
from dataclasses import dataclass

ACCELERATION_PER_S = 1.0
"""Bound of s'' [1/s]: from rest to full tempo in 1.25 s."""
JERK_PER_S2 = 4.0
"""Bound of s''' [1/s2]."""


@dataclass(frozen=True, slots=True)
class OverrideRamp:
    """Tempo after a step of time."""

    passed_s: float
    """Advance of the motion's own time in the step [s]."""
    rate: float
    """Tempo s' [1]."""
    second: float
    """Rate of the tempo s'' [1/s]."""


class Tempo:
    """Tempo that follows its target.

    Args:
        rate: tempo at first, 0 to 1.
    """

    __slots__ = ("_phases", "_rate", "_second", "_wanted")

    def __init__(self, rate: float = 1.0) -> None:
        self._phases: list[tuple[float, float]] = []
        self._rate = self._wanted = _share(rate)
        self._second = 0.0

    @property
    def rate(self) -> float:
        """Present tempo, 0 to 1."""
        return self._rate

    @property
    def at_rest(self) -> bool:
        """Whether the motion's time rests, and will until another tempo is wanted."""
        return self._rate == 0.0 and self._second == 0.0 and not self._phases

    def jump(self, rate: float) -> None:
        """Take a tempo at once; only where the motion is at rest, so that nothing jumps with it."""
        self._phases = []
        self._rate = self._wanted = _share(rate)
        self._second = 0.0

    def aim(self, rate: float) -> None:
        """Go to a tempo from now on.

        Args:
            rate: target; beyond 0 to 1 the nearer end, one that is not a number changes nothing.
        """
        if rate != rate:
            return
        rate = _share(rate)
        if rate == self._wanted:
            return
        self._wanted = rate
        self._phases = _plan(self._rate, self._second, rate)

    def advance(self, dt_s: float) -> OverrideRamp:
        """Advance by a time [s], 0 or more; however long, the integral is exact."""
        passed_s, phases = 0.0, self._phases
        while phases and dt_s > 0.0:
            lasting_s, jerk = phases[0]
            step_s = min(lasting_s, dt_s)
            passed_s += self._integrate(step_s, jerk)
            dt_s -= step_s
            if step_s == lasting_s:
                phases.pop(0)
            else:
                phases[0] = (lasting_s - step_s, jerk)
            if not phases:  # rounding ends with the plan
                self._rate, self._second = self._wanted, 0.0
        passed_s += self._rate * dt_s
        return OverrideRamp(passed_s, self._rate, self._second)

    def _integrate(self, t_s: float, jerk: float) -> float:
        rate, second = self._rate, self._second
        passed_s = t_s * (rate + t_s * (second / 2.0 + t_s * jerk / 6.0))
        self._rate = _share(rate + t_s * (second + t_s * jerk / 2.0))
        self._second = second + t_s * jerk
        return max(passed_s, 0.0)


def _share(rate: float) -> float:
    return min(max(rate, 0.0), 1.0)


def _plan(rate: float, second: float, wanted: float) -> list[tuple[float, float]]:
    """Phases (length [s], s''' [1/s2]) of the shortest approach to a tempo at rest (s'' = 0).

    First to a peak of s'', then along it if it is at its bound, then to 0. Where s'' would lead
    if it were simply brought to 0 shows on which side of the wanted tempo the peak lies.
    """
    jerk, bound = JERK_PER_S2, ACCELERATION_PER_S
    left = wanted - (rate + second * abs(second) / (2.0 * jerk))
    side = 1.0 if left >= 0.0 else -1.0
    # The peak p from here with s'' = a: (p^2 - a^2 / 2) / jerk = side (wanted - rate).
    gap = side * (wanted - rate)
    peak = math.sqrt(max(jerk * gap + second * second / 2.0, 0.0))
    level_s = 0.0
    if peak > bound:
        level_s = (gap - (bound * bound - second * second / 2.0) / jerk) / bound
        peak = bound
    phases = (
        (max(peak - side * second, 0.0) / jerk, side * jerk),
        (level_s, 0.0),
        (peak / jerk, -side * jerk),
    )
    return [(lasting_s, third) for lasting_s, third in phases if lasting_s > 0.0]
