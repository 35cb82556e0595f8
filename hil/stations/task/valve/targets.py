"""Targets of force and moment that a diagram may state, so that nobody asks for what he has.

The judge measures errors against what a diagram states along and about the wheel's axis; to the
sides nothing is wanted of any. What is stated must be within bounds and change slowly: the law's
moment overcomes friction and damping by at most `TURN_NM`, and its change is bounded, too.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from hil.stations.task.valve.limits import TURN_NM

FORCE_N: Final = 10.0
"""Greatest target of the force along the axis [N]; the shipped law has 0."""
FORCE_N_S: Final = 50.0
"""Greatest change of it [N/s]."""
MOMENT_NM: Final = TURN_NM
"""Greatest target of the moment about the axis [N m]."""
MOMENT_NM_S: Final = 30.0
"""Greatest change of it [N m/s]; the shipped law has 25 N m/s."""
UNCHANGED_S: Final = 0.02
"""Longest time of no change that counts for the next: the longest period of a diagram [s]."""
SPARE: Final = 1e-9
"""Share of a limit by which rounding may pass it."""


class StatedTarget:
    """One target of a diagram, as it was stated so far.

    Args:
        what: name of it for people.
        most: greatest amount [unit].
        most_per_s: greatest change [unit/s].
    """

    def __init__(
        self, said: Callable[[], float], what: str, unit: str, most: float, most_per_s: float
    ) -> None:
        self._said, self._what, self._unit = said, what, unit
        self._most, self._most_per_s = most, most_per_s
        self._changed_s: float | None = None
        self.value: float = 0.0
        """Target of this step [unit]."""

    def read(self, t_s: float) -> tuple[str, float, float, str] | None:
        """Read the target of a step; returns what breaks the rule, its value, limit and unit."""
        before, now = self.value, self._said()
        self.value = now
        if not abs(now) <= self._most * (1.0 + SPARE):  # a nan is beyond every limit
            return f"target of the {self._what}", now, self._most, self._unit
        if self._changed_s is None:
            self._changed_s = t_s
            return None
        if now == before:
            return None
        since_s, self._changed_s = min(t_s - self._changed_s, UNCHANGED_S), t_s
        if abs(now - before) <= self._most_per_s * since_s * (1.0 + SPARE) + SPARE:
            return None
        rate = abs(now - before) / since_s
        what = f"change of the target of the {self._what}"
        return what, rate, self._most_per_s, f"{self._unit}/s"


def stated_targets(said: Callable[[str], float]) -> tuple[StatedTarget, StatedTarget]:
    """Targets of force and moment that a diagram states as ``force_n`` and ``moment_nm``."""
    return (
        StatedTarget(lambda: said("force_n"), "force", "N", FORCE_N, FORCE_N_S),
        StatedTarget(lambda: said("moment_nm"), "moment", "N m", MOMENT_NM, MOMENT_NM_S),
    )
