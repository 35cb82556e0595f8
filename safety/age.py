"""Age of the feedback, where the drives report it by a time stamp.

A time stamp is no estimate: one frame that is too old is enough, in any mode. The limit is what the
lag of the measured path may grow by (`safety.lag`), for an old frame adds its age to that lag. An
age below zero is that of a clock that leapt, and nothing is known by it. Comparisons are written so
that NaN fails them.
"""

from hil_common.legs import LEGS, ZERO_SIX
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Feedback, Violation

NOTE = "by the time stamp of the drive"


class AgeWatch:
    """Judges the ages of what the drives report."""

    def __init__(self, limits: GateLimits) -> None:
        self._most_s = limits.feedback_lag_growth_s

    def step(self, feedback: Feedback | None) -> list[Violation] | None:
        """Judge one cycle's feedback; a leg that is not fresh is judged by `safety.feedback`.

        Args:
            feedback: the last bus cycle's, or None when the bank gave none.

        Returns:
            What is wrong; None, sooner than an empty list, if nothing is.
        """
        if feedback is None or feedback.age_s == ZERO_SIX:
            return None
        most_s = self._most_s
        found = [
            Violation(Check.LAG, leg, age_s, most_s, "s", Severity.STOP, -most_s, NOTE)
            for leg, age_s, fresh in zip(LEGS, feedback.age_s, feedback.fresh, strict=True)
            if fresh and not -most_s <= age_s <= most_s
        ]
        return found or None
