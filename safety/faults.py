"""Latched faults and the reaction to all of them together.

The reaction is a function of the set of faults alone: their order makes no difference, and one more
fault never weakens it.
"""

from collections.abc import Iterable

from safety.modes import Severity
from safety.verdict import Check, Violation


class FaultLatch:
    """Keeps the first violation of each check and leg until somebody clears them."""

    def __init__(self) -> None:
        self._kept: dict[tuple[Check, int | None], Violation] = {}
        self._faults: tuple[Violation, ...] = ()

    @property
    def faults(self) -> tuple[Violation, ...]:
        """The latched violations, in the order they came."""
        return self._faults

    def add(self, found: Iterable[Violation], least: Severity = Severity.HOLD) -> bool:
        """Latch what is at least this severe; say whether any of it is new."""
        before = len(self._kept)
        for violation in found:
            if violation.severity >= least:
                self._kept.setdefault((violation.check, violation.leg), violation)
        new = len(self._kept) > before
        if new:
            self._faults = tuple(self._kept.values())
        return new

    def clear(self) -> None:
        """Forget all faults."""
        self._kept.clear()
        self._faults = ()

    @property
    def reaction(self) -> Severity:
        """The worst latched severity; two causes of class B make a class A."""
        return reaction_to(self._faults)


def reaction_to(faults: Iterable[Violation]) -> Severity:
    """Reaction to a set of faults; `Severity.INFORM` for none.

    Two class B faults with different causes mean that more than one thing is broken, and a stop
    that relies on the rest is not to be trusted any more: they make a class A.
    """
    worst = Severity.INFORM
    causes: set[str] = set()
    for fault in faults:
        worst = max(worst, fault.severity)
        if fault.severity is Severity.STOP:
            causes.add(fault.cause)
    return max(worst, Severity.QUICK_STOP) if len(causes) > 1 else worst
