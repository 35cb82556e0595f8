"""Judgement of what the drives report.

Counts cycles, reads no clock. Comparisons are written so that NaN fails them.
"""

import math

from hil_common.legs import LEG_COUNT, LEGS, SixFloats
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Feedback, Violation
from safety.watches import Watched

_ALL = (True,) * LEG_COUNT
_NO_FRAME = (False,) * LEG_COUNT
_NO_FAULT = (0,) * LEG_COUNT
_NONE = [0] * LEG_COUNT


class FeedbackWatch:
    """Judges what the drives report: there, finite, without fault, and near the command."""

    def __init__(self, limits: GateLimits) -> None:
        self._limits = limits
        self._base_m = limits.following_base_m
        self._per_movement = limits.following_per_speed_s / limits.period_s
        self._missing = [0] * LEG_COUNT
        self._outside = [0] * LEG_COUNT

    def step(
        self,
        feedback: Feedback | None,
        watched: Watched,
        commanded_m: SixFloats | None,
        movement_m: SixFloats,
    ) -> list[Violation]:
        """Judge one cycle's feedback.

        Args:
            feedback: the last bus cycle's, or None when the bank gave none.
            watched: what is watched in the mode.
            commanded_m: lengths commanded in that bus cycle [m], or None when there were none.
            movement_m: their change in that cycle [m].
        """
        found: list[Violation] = []
        if watched.feedback:
            if feedback is not None and feedback.failed:
                # Who reads the drives is broken: nothing else it reports counts.
                note = feedback.failed
                return [Violation(Check.DRIVE, None, 1, 0, "", Severity.QUICK_STOP, note=note)]
            self._judge_arrival(feedback, found)
        if feedback is None:
            return found
        if feedback.fault_code != _NO_FAULT or feedback.homed != _ALL or feedback.enabled != _ALL:
            self._judge_status(feedback, watched, commanded_m is not None, found)
        if watched.following and commanded_m is not None:
            self._judge_following(feedback, commanded_m, movement_m, found)
        return found

    def _judge_arrival(self, feedback: Feedback | None, found: list[Violation]) -> None:
        fresh_ones = _NO_FRAME if feedback is None else feedback.fresh
        if fresh_ones != _ALL:
            for leg, fresh in enumerate(fresh_ones):
                if not fresh:
                    self._miss(leg, found)
        if self._missing != _NONE:
            pairs = zip(self._missing, fresh_ones, strict=True)
            self._missing = [0 if fresh else missing for missing, fresh in pairs]
        # The sum is not finite if any part is not; only then is it worth looking for the part.
        if feedback is not None and not math.isfinite(
            sum(feedback.length_m, 0.0) + sum(feedback.speed_m_s, 0.0)
        ):
            self._judge_finite(feedback, found)

    @staticmethod
    def _judge_finite(feedback: Feedback, found: list[Violation]) -> None:
        legs = zip(LEGS, feedback.length_m, feedback.speed_m_s, feedback.fresh, strict=True)
        for leg, length, speed, fresh in legs:
            if fresh and not math.isfinite(length):
                found.append(_not_finite(leg, length, "m", "measured length"))
            elif fresh and not math.isfinite(speed):
                found.append(_not_finite(leg, speed, "m/s", "measured speed"))

    def _judge_following(
        self,
        feedback: Feedback,
        commanded_m: SixFloats,
        movement_m: SixFloats,
        found: list[Violation],
    ) -> None:
        base_m, per_movement = self._base_m, self._per_movement
        strays = [
            not -(window := base_m + per_movement * (move if move >= 0.0 else -move))
            <= length - commanded
            <= window
            for length, commanded, move in zip(feedback.length_m, commanded_m, movement_m)
        ]
        if True not in strays and self._outside == _NONE:
            return
        for leg in range(LEG_COUNT):
            # A silent leg neither confirms nor clears what was seen before.
            if feedback.fresh[leg]:
                self._outside[leg] = self._outside[leg] + 1 if strays[leg] else 0
                if self._outside[leg] >= self._limits.following_cycles:
                    error = feedback.length_m[leg] - commanded_m[leg]
                    window = base_m + per_movement * abs(movement_m[leg])
                    found.append(
                        Violation(
                            Check.FOLLOWING, leg + 1, error, window, "m", Severity.STOP, -window
                        )
                    )

    def _miss(self, leg: int, found: list[Violation]) -> None:
        self._missing[leg] += 1
        missing, limit = self._missing[leg], self._limits.missing_feedback_max
        if missing > limit:
            found.append(
                Violation(Check.FEEDBACK, leg + 1, missing, limit, "cycles", Severity.STOP)
            )

    @staticmethod
    def _judge_status(
        feedback: Feedback, watched: Watched, commanded: bool, found: list[Violation]
    ) -> None:
        for leg, code in enumerate(feedback.fault_code, 1):
            if watched.drive and code != 0:
                found.append(_drive(leg, code, _in_words(code, feedback.judged[leg - 1])))
        for leg, homed in enumerate(feedback.homed, 1):
            if watched.homed and not homed:
                found.append(_drive(leg, 0, "is not homed any more"))
        for leg, enabled in enumerate(feedback.enabled, 1):
            if watched.enabled and commanded and not enabled:
                found.append(_drive(leg, 0, "does not follow setpoints any more"))


_JUDGEMENTS = {
    0x8100: "it has left the NMT state operational, or refuses what it is asked",
    0x8120: "the CAN adapter is error passive",
    0x8130: "it is silent",
    0x8150: "somebody else sends what only the bench may send",
    0x8180: "it has restarted: its parameters and its reference are lost",
    0x8400: "its speed in homing was another one than it was told: are its units of speed and "
    "acceleration (60A9h, 60AAh; [units] of the drive file) those of the drive?",
    0x8612: "its homing failed",
    0xFF02: "perhaps two nodes have its id",
}
"""Faults of a drive or its bus that the bench itself finds; codes of CiA 301 and CiA 402-2."""
_REFUSED, _EXCEPTION_MAX = 0x8100, 0x0F
"""Codes of a Modbus exception: 8100h and its number."""
_EXCEPTIONS = {
    1: "illegal function",
    2: "illegal data address",
    3: "illegal data value",
    4: "server device failure",
    5: "acknowledge",
    6: "server device busy",
    8: "memory parity error",
    10: "gateway path unavailable",
    11: "gateway target device failed to respond",
}
"""Names of the Modbus Application Protocol V1.1b3, section 7."""


def _in_words(code: int, judged: bool) -> str:
    """Say what a code means, and who says so."""
    if not judged:
        return f"reports fault 0x{code:04X}"
    why = _JUDGEMENTS.get(code, "it cannot be relied on")
    if _REFUSED < code <= _REFUSED | _EXCEPTION_MAX:
        number = code & _EXCEPTION_MAX
        name = _EXCEPTIONS.get(number, "not a code of the standard")
        why = f"it refuses what it is asked: Modbus exception {number}, {name}"
    return f"{why} (judged by the bench, 0x{code:04X})"


def _drive(leg: int, value: int, note: str) -> Violation:
    return Violation(Check.DRIVE, leg, value, 0.0, "", Severity.STOP, note=note)


def _not_finite(leg: int, value: float, unit: str, name: str) -> Violation:
    return Violation(Check.FEEDBACK, leg, value, math.inf, unit, Severity.STOP, note=name)
