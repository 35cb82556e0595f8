"""Which views are drawn in a turn: all that fit, the cheapest first, and none left out for long.

A view that is slow to draw must not make the others late, still less the sign of life that is due
in the next turn. So views are drawn in the order of what they cost of late; once the time of the
turn is used up, the rest is left out, and one that was left out too often goes first.
"""

from collections.abc import Callable, Mapping
from typing import Final

SKIPS_MAX: Final = 15
"""A view left out for so many turns is drawn in the next one, whatever it costs."""
_FORGET: Final = 0.1
"""Weight of the newest cost in the running mean."""


class Pace:
    """Divides a turn among views.

    Args:
        budget_s: time for all views in one turn [s].
        now_s: monotonic time [s].
    """

    def __init__(self, budget_s: float, now_s: Callable[[], float]) -> None:
        self._budget_s = budget_s
        self._now_s = now_s
        self._cost_s: dict[str, float] = {}
        self._skips: dict[str, int] = {}

    @property
    def cost_s(self) -> Mapping[str, float]:
        """Running mean of what each view costs [s]."""
        return self._cost_s

    def turn(self, views: Mapping[str, Callable[[], object]]) -> tuple[str, ...]:
        """Draw what fits.

        Args:
            views: name → what draws it.

        Returns:
            Names of those that were left out.
        """
        begun_s = self._now_s()
        left_out: list[str] = []
        for name in sorted(views, key=self._rank):
            spent_s = self._now_s() - begun_s
            due = self._skips.get(name, 0) >= SKIPS_MAX
            too_much = spent_s + self._cost_s.get(name, 0.0) > self._budget_s
            if spent_s > 0.0 and too_much and not due:
                self._skips[name] = self._skips.get(name, 0) + 1
                if name in self._cost_s:  # what was slow once may be quick again
                    self._cost_s[name] *= 1.0 - _FORGET
                left_out.append(name)
                continue
            before_s = self._now_s()
            views[name]()
            self._learn(name, self._now_s() - before_s)
            self._skips[name] = 0
        return tuple(left_out)

    def _rank(self, name: str) -> tuple[bool, float, str]:
        due = self._skips.get(name, 0) >= SKIPS_MAX
        return (not due, self._cost_s.get(name, 0.0), name)

    def _learn(self, name: str, cost_s: float) -> None:
        """The first time is no measure: there much is made that stays."""
        known = self._cost_s.get(name)
        self._cost_s[name] = 0.0 if known is None else known + _FORGET * (cost_s - known)
