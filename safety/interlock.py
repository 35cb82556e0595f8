"""The restart interlock: after a stop that no person asked for, only a person starts again.

A stop by the gate itself (control silent or late, a drive, the link, an emergency stop) takes the
permission to start away; that a program continues where it was does not bring it back (unexpected
start-up, ISO 14118; restart interlock, IEC 61496-1). A new gate has the permission: beginning a run
is a person's act. From then on an act is a press at a panel, given by the time at which it was
made: one that was made before the stop, or is only repeated, stays older than the stop for ever.
"""

from collections.abc import Iterable

from safety.faults import FaultLatch
from safety.faults import describe_faults as in_words
from safety.modes import STARTED_MODES, Mode
from safety.verdict import Violation


class RestartInterlock:
    """Closed by each cause that the gate stops for, opened by a person's newer act.

    Args:
        led: whether a person leads the run; without one, parking is part of the stop, once.
    """

    def __init__(self, period_s: float, *, led: bool) -> None:
        self._period_s = period_s
        self._led = led
        self._causes = FaultLatch()
        self._since_cycles = 0
        self._parked = False

    @property
    def causes(self) -> tuple[Violation, ...]:
        """Reasons why it is closed, the first cause first; empty while it is open."""
        return self._causes.faults

    def take_age(self, act_age_s: float) -> None:
        """Count a cycle, and take the age of a person's newest act.

        Args:
            act_age_s: how long ago it was made [s]; infinite for none.
        """
        self._since_cycles += 1
        # Cycles count their nominal time: a gate that was late believes less, never more.
        if self._causes.faults and 0.0 <= act_age_s < self._since_cycles * self._period_s:
            self._causes.clear()
            self._parked = False

    def close(self, causes: Iterable[Violation]) -> None:
        """Take the permission away; acts count from now on only."""
        self._causes.add(causes)
        self._since_cycles = 0

    def objection(self, following: Mode) -> str:
        """Return why a mode may not follow now; empty if it may."""
        if not self.causes:
            return ""
        if following in STARTED_MODES:
            return f"{in_words(self.causes)}; nothing starts again before a person acts"
        if following is Mode.PARKING and (self._led or self._parked):
            why = "it waits for a person's press" if self._led else "it was part of the stop, once"
            return f"{in_words(self.causes)}; {why}"
        return ""

    def entered(self, mode: Mode) -> None:
        """Take note of a new mode."""
        self._parked = self._parked or (mode is Mode.PARKING and bool(self.causes))
