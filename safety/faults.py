"""Latched faults and the reaction to all of them together.

The reaction is a function of the set of faults alone: their order makes no difference, and one more
fault never weakens it.
"""

from collections.abc import Iterable

from safety.modes import Severity
from safety.verdict import Check, Violation


class FaultLatch:
    """Keeps the first violation of each check and leg, and each worse one, until they are cleared.

    What was seen first says what went wrong; what is worst decides. So neither hides the other.
    """

    def __init__(self) -> None:
        self._worst: dict[tuple[Check, int | None], Severity] = {}
        self.faults: tuple[Violation, ...] = ()
        """The latched violations, in the order they came: the first cause is the first of them."""

    def add(self, found: Iterable[Violation], least: Severity = Severity.HOLD) -> bool:
        """Latch what is at least this severe; say whether any of it is new, or worse than before.

        Args:
            found: violations of a cycle.
            least: milder ones are left aside.
        """
        kept: list[Violation] = []
        for violation in found:
            key = violation.check, violation.leg
            if violation.severity >= max(least, self._worst.get(key, Severity.INFORM) + 1):
                self._worst[key] = violation.severity
                kept.append(violation)
        self.faults += tuple(kept)
        return bool(kept)

    def clear(self) -> None:
        """Forget all faults."""
        self._worst.clear()
        self.faults = ()

    @property
    def reaction(self) -> Severity:
        """The worst latched severity; two causes of class B make a class A."""
        return reaction_to(self.faults)


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


def describe_faults(faults: tuple[Violation, ...]) -> str:
    """The first cause in words, and the worst one if that came later; empty for no fault."""
    if not faults:
        return ""
    first, worst = faults[0], max(faults, key=lambda fault: fault.severity)
    return f"{first}; then {worst}" if worst.severity > first.severity else str(first)
