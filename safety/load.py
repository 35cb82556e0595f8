"""What the drives say of their load: force against what the payload can need, and their warnings.

A force above the expected one tells of something that the rig's description does not have: a body
in the way, a bent screw, a payload that is too heavy. It is told (class D); at the limit of the rig
the platform is stopped (class B). Both have to last, because a spike is no load. Counts cycles,
reads no clock; a force that is not finite is no force, and drives that tell none tell 0.
"""

from collections.abc import Iterable

from hil_common.legs import LEG_COUNT, LEGS, SixInts
from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Feedback, Violation

_ALL = (True,) * LEG_COUNT
_NONE = [0] * LEG_COUNT
_NO_WARNING: SixInts = (0, 0, 0, 0, 0, 0)


class LoadWatch:
    """Judges the forces of the legs under power."""

    def __init__(self, limits: GateLimits) -> None:
        self._cycles = limits.force_cycles
        self._expected_n = tuple(leg.force_expected_n for leg in limits.legs)
        self._most_n = tuple(leg.force_max_n for leg in limits.legs)
        self._least_n = min(self._expected_n + self._most_n)
        self.forget()

    def forget(self) -> None:
        """Begin anew: without power there is no force of a drive."""
        self._above_expected, self._above_most = [0] * LEG_COUNT, [0] * LEG_COUNT

    def step(self, feedback: Feedback | None) -> list[Violation] | None:
        """Judge one cycle's forces.

        Args:
            feedback: the last bus cycle's, or None when the bank gave none.

        Returns:
            What is wrong; None, sooner than an empty list, if nothing is.
        """
        if feedback is None:
            return None
        forces_n, least_n = feedback.force_n, self._least_n
        low = -least_n <= min(forces_n) and max(forces_n) <= least_n
        if low and feedback.fresh == _ALL:
            if self._above_expected != _NONE or self._above_most != _NONE:
                self.forget()
            return None
        found: list[Violation] = []
        rows = zip(LEGS, forces_n, self._expected_n, self._most_n, strict=True)
        for leg, force, expected, most in rows:
            if not feedback.fresh[leg - 1]:
                continue  # neither confirms nor clears what was seen before
            if self._lasts(self._above_most, leg, abs(force) > most):
                found.append(_force(leg, force, most, Severity.STOP, ""))
            elif self._lasts(self._above_expected, leg, abs(force) > expected):
                note = "more than the payload can need"
                found.append(_force(leg, force, expected, Severity.INFORM, note))
        return found or None

    def _lasts(self, counts: list[int], leg: int, above: bool) -> bool:
        counts[leg - 1] = counts[leg - 1] + 1 if above else 0
        return counts[leg - 1] >= self._cycles


def _force(leg: int, force: float, limit: float, severity: Severity, note: str) -> Violation:
    return Violation(Check.FORCE, leg, force, limit, "N", severity, -limit, note)


def drive_warnings(feedback: Feedback | None) -> Iterable[Violation]:
    """The warnings of the drives, such as heat or a high I2t: told, and nothing else.

    Args:
        feedback: the last bus cycle's, or None when the bank gave none.
    """
    if feedback is None or (feedback.warning_code == _NO_WARNING and not feedback.high):
        return ()
    inform = Severity.INFORM
    return [
        Violation(Check.WARNING, leg, code, 0.0, "", inform, note=f"warns 0x{code:04X}")
        for leg, code in zip(LEGS, feedback.warning_code, strict=True)
        if code != 0
    ] + [
        Violation(
            Check.WARNING, each.leg, each.value, each.limit, each.unit, inform, note=each.name
        )
        for each in feedback.high
    ]
