"""Watches the drives' own quick stop: a leg that does not slow down in it must lose its power.

A drive whose motor and encoder belong to different legs cannot brake: its loop pushes the wrong
rod, and the longer it has power, the faster that goes. The same holds for a drive that does not
listen any more. Their brakes are then the better stop.
"""

import math

from hil_common.legs import LEG_COUNT, LEGS
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Feedback, Violation

LATENCY_S = 0.05
"""How old a measured speed may be, and how long a ramp may take to begin: meanwhile a leg may go on
speeding up as it is permitted to [s]."""
RAMPS = 3.0
"""A quick stop may last as many times as long as the controlled stop from full speed would."""


class QuickStopWatch:
    """Judges the speeds during a quick stop, which the drives plan themselves."""

    def __init__(self, limits: GateLimits) -> None:
        self._permitted = tuple(leg.speed_max_m_s for leg in limits.legs)
        self._margins = tuple(leg.acceleration_max_m_s2 * LATENCY_S for leg in limits.legs)
        ramp_s = max(leg.speed_max_m_s / leg.stop_deceleration_m_s2 for leg in limits.legs)
        self._patience = limits.standstill_cycles + math.ceil(
            (RAMPS * ramp_s + LATENCY_S) / limits.period_s
        )
        self._limits = self._permitted
        self._cycles = 0
        self.failed: bool = False
        """This quick stop does not stop the legs; the power must go."""

    def begin(self, feedback: Feedback | None, *, failed: bool) -> None:
        """Take the speeds at the beginning of a quick stop as those that must not grow.

        Args:
            feedback: the last bus cycle's, or None when the bank gave none.
            failed: nothing is expected of it: the drives have not even proved that they can brake.
        """
        self._cycles = 0
        self.failed = failed
        rows = zip(self._permitted, self._margins, strict=True)
        highest = tuple(permitted + margin for permitted, margin in rows)
        if feedback is None:
            self._limits = highest
            return
        legs = zip(feedback.speed_m_s, feedback.fresh, highest, self._margins, strict=True)
        self._limits = tuple(
            min(most, abs(speed) + margin) if fresh and math.isfinite(speed) else most
            for speed, fresh, most, margin in legs
        )

    def step(self, feedback: Feedback | None) -> list[Violation]:
        """Judge one cycle of the quick stop.

        Args:
            feedback: what the drives report; a leg that is silent cannot be judged by its speed.
        """
        found: list[Violation] = []
        self._cycles += 1
        if feedback is not None:
            for leg in range(LEG_COUNT):
                speed, limit = abs(feedback.speed_m_s[leg]), self._limits[leg]
                if feedback.fresh[leg] and not speed <= limit:
                    found.append(_fails(LEGS[leg], speed, limit, "m/s", "it does not slow down"))
        if self._cycles == self._patience + 1:
            note = "the quick stop does not end"
            found.append(_fails(None, self._cycles, self._patience, "cycles", note))
        self.failed = self.failed or bool(found)
        return found


def _fails(leg: int | None, value: float, limit: float, unit: str, note: str) -> Violation:
    return Violation(Check.QUICK_STOP, leg, value, limit, unit, Severity.QUICK_STOP, note=note)
