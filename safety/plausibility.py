"""Judgement of measured lengths against what a leg can do: neither frozen nor leaping.

A frame may come in time, say that all is well, and still repeat an old length or make one up. Both
are seen here from the lengths themselves. Comparisons are written so that NaN fails them.
"""

import math

from hil_common.legs import LEG_COUNT, SixFloats
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Feedback, Violation

_ALL = (True,) * LEG_COUNT
_NONE = [0] * LEG_COUNT
_NO_TIME = [0.0] * LEG_COUNT


class PlausibilityWatch:
    """Watch for a measured length that stays the same under motion, or moves faster than any leg.

    Stuck: bit for bit the same in fresh frames for `stuck_cycles`, while the command moved away by
    more than `stuck_movement_m` in that time. Jump: a change since the last fresh frame above
    speed_max * time * `jump_speed_factor` + `jump_base_m`.
    """

    def __init__(self, limits: GateLimits) -> None:
        self._limits = limits
        self._period_s = limits.period_s
        factor = limits.jump_speed_factor
        self._per_s = tuple(leg.speed_max_m_s * factor for leg in limits.legs)
        self._leaps_m = tuple(speed * limits.period_s + limits.jump_base_m for speed in self._per_s)
        self._last_m: SixFloats | None = None
        self._elapsed_s = limits.period_s
        self._silent_s = [0.0] * LEG_COUNT
        self._same = [0] * LEG_COUNT
        self._anchor_m = [0.0] * LEG_COUNT
        self._commanded_m: SixFloats | None = None

    def forget(self) -> None:
        """Begin anew: lengths measured before, such as those before homing, mean nothing."""
        self._last_m = None

    def step(
        self, feedback: Feedback | None, commanded_m: SixFloats | None, elapsed_s: float
    ) -> list[Violation] | None:
        """Judge one cycle's lengths.

        Args:
            feedback: the last bus cycle's, or None when the bank gave none.
            commanded_m: lengths commanded in that bus cycle [m], or None when there were none.
            elapsed_s: measured time since the last cycle [s].

        Returns:
            What is wrong; None, sooner than an empty list, if nothing is.
        """
        last_m = self._last_m
        before_s, self._elapsed_s = self._elapsed_s, elapsed_s
        if last_m is not None and feedback is not None and feedback.fresh == _ALL:
            for length, last, leap in zip(feedback.length_m, last_m, self._leaps_m):
                if not (-leap <= length - last <= leap and length != last):
                    break
            else:  # all six move, and none of them leaps: nearly always
                self._last_m = feedback.length_m
                self._commanded_m = commanded_m
                if self._same != _NONE:
                    self._same = [0] * LEG_COUNT
                if self._silent_s != _NO_TIME:
                    self._silent_s = [0.0] * LEG_COUNT
                return None
        # The time between two frames is that of this cycle or of the one before, by where in the
        # cycle the drives sampled; the longer one is believed, and never less than a period.
        longest_s = self._period_s
        for measured_s in (before_s, elapsed_s):
            if measured_s > longest_s:  # never so for NaN
                longest_s = measured_s
        return self._examine(feedback, commanded_m, longest_s)

    def _examine(
        self, feedback: Feedback | None, commanded_m: SixFloats | None, elapsed_s: float
    ) -> list[Violation] | None:
        """Judge leg by leg, and remember the last fresh length of each."""
        if feedback is None:
            self._silent_s = [silent + elapsed_s for silent in self._silent_s]
            return None
        last_m = self._last_m
        if last_m is None:
            self._start(feedback, commanded_m)
            return None
        found: list[Violation] = []
        kept = list(last_m)
        for leg, fresh in enumerate(feedback.fresh):
            if not fresh:
                self._silent_s[leg] += elapsed_s
                continue
            since_s, self._silent_s[leg] = self._silent_s[leg] + elapsed_s, 0.0
            length, last = feedback.length_m[leg], last_m[leg]
            self._judge_jump(leg, length - last, since_s, found)
            self._judge_stuck(leg, length == last, commanded_m, found)
            kept[leg] = length
        a, b, c, d, e, f = kept
        self._last_m = (a, b, c, d, e, f)
        self._commanded_m = commanded_m
        return found or None

    def _start(self, feedback: Feedback, commanded_m: SixFloats | None) -> None:
        if feedback.fresh == _ALL:
            self._last_m = feedback.length_m
        self._commanded_m = commanded_m
        self._same = [0] * LEG_COUNT
        self._silent_s = [0.0] * LEG_COUNT

    def _judge_jump(
        self, leg: int, change_m: float, since_s: float, found: list[Violation]
    ) -> None:
        bound_m = self._per_s[leg] * since_s + self._limits.jump_base_m
        # What is not finite has been reported already, as such.
        if abs(change_m) > bound_m and math.isfinite(change_m):
            stop = Severity.STOP
            found.append(Violation(Check.JUMP, leg + 1, change_m, bound_m, "m", stop, -bound_m))

    def _judge_stuck(
        self, leg: int, same: bool, commanded_m: SixFloats | None, found: list[Violation]
    ) -> None:
        if not same or commanded_m is None:
            self._same[leg] = 0
            return
        if self._same[leg] == 0:
            # What was commanded when this length was measured first.
            before_m = self._commanded_m or commanded_m
            self._anchor_m[leg] = before_m[leg]
        self._same[leg] += 1
        limits, cycles = self._limits, self._same[leg]
        if cycles < limits.stuck_cycles:
            return
        moved_m, limit_m = abs(commanded_m[leg] - self._anchor_m[leg]), limits.stuck_movement_m
        if moved_m > limit_m:
            note = f"measured length unchanged for {cycles} cycles"
            found.append(
                Violation(Check.STUCK, leg + 1, moved_m, limit_m, "m", Severity.STOP, note=note)
            )
        else:
            self._same[leg] = 0  # a leg that is held: the next stretch of time is judged anew
