"""The emergency stop as the gate sees it: two channels, closed when all is well.

The wired circuit cuts the drives' power without any program (IEC 60204-1). The gate reads the same
contacts so that nothing it holds, asks or remembers can move a leg when power returns. A broken
wire reads as an opened contact.
"""

from safety.limits import GateLimits
from safety.modes import Severity
from safety.verdict import Check, Violation

Channels = tuple[bool, bool]
"""Two channels of the emergency stop; True: the circuit is closed, nobody pressed."""

CLOSED: Channels = (True, True)
OPEN: Channels = (False, False)


class EmergencyStopWatch:
    """Judges the two channels in every cycle.

    An open channel is a class A cause at once. Channels that differ for longer than
    `estop_discrepancy_cycles` are a cause of their own, which stays until both were open together:
    a contact that welded closed would agree again as soon as the other one is released.
    """

    def __init__(self, limits: GateLimits) -> None:
        self._fitted = limits.estop_fitted
        self._differing_max = limits.estop_discrepancy_cycles
        self._differing = 0
        self._discrepant = False

    def step(self, channels: Channels | None) -> list[Violation]:
        """Judge one cycle's channels.

        Args:
            channels: what was read, or None when nothing was.
        """
        if not self._fitted:
            return []
        if channels is None:
            note = "fitted, but its two channels are not read"
            return [_violation(Check.ESTOP, 0, 2, Severity.STOP, note)]
        found: list[Violation] = []
        if channels != CLOSED:
            opened = [number for number, closed in enumerate(channels, 1) if not closed]
            words = " and ".join(map(str, opened))
            note = f"channel {words} open"
            found.append(_violation(Check.ESTOP, len(opened), 0, Severity.QUICK_STOP, note))
        self._compare(channels)
        if self._discrepant:
            limit = self._differing_max
            note = f"its channels differed for more than {limit} cycles; open both to prove them"
            found.append(
                _violation(
                    Check.ESTOP_DISCREPANCY,
                    max(self._differing, limit + 1),
                    limit,
                    Severity.STOP,
                    note,
                )
            )
        return found

    def _compare(self, channels: Channels) -> None:
        if channels[0] != channels[1]:
            self._differing += 1
            self._discrepant = self._discrepant or self._differing > self._differing_max
            return
        self._differing = 0
        if channels == OPEN:
            self._discrepant = False


def _violation(check: Check, value: int, limit: int, severity: Severity, note: str) -> Violation:
    return Violation(check, None, value, limit, "", severity, note=note)
