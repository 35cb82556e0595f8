"""Choice of the views drawn in a turn: as time allows, and each as often as the others.

A view that is slow to draw must not make the sign of life late that is due in the next turn. So a
turn begins with what it is late itself, whatever has made it late, and draws what fits into the
rest of its time: who has waited longest first, of those the cheapest. A view that takes more than a
turn is drawn alone, and the turns that are late after it draw little until the time is made up.
"""

from collections.abc import Callable, Mapping
from typing import Final

SKIPS_MAX: Final = 15
"""A view left out for so many turns is drawn in the next one, whatever it costs."""
ALWAYS: Final = 0.2
"""Share of a turn's time that even a late one has, for views that cost next to nothing."""
SELDOM: Final = 0.2
"""Share of the turns below which a view is drawn seldom, which is reported;"""
OFTEN: Final = 0.3
"""share of the turns above which it no longer counts so."""
_FORGET: Final = 0.1
"""Weight of the newest cost in the running mean, and of the newest turn in the share."""


class ViewScheduler:
    """Divides turns among views.

    Args:
        budget_s: time for all views in one turn [s].
    """

    def __init__(self, budget_s: float, period_s: float, now_s: Callable[[], float]) -> None:
        self._budget_s = budget_s
        self._period_s = period_s
        self._now_s = now_s
        self._cost_s: dict[str, float] = {}
        self._skips: dict[str, int] = {}
        self._share: dict[str, float] = {}
        self._seldom: set[str] = set()
        self._begun_s: float | None = None
        self._owed_s = 0.0
        self.gap_s = 0.0
        """From the beginning of the turn before to that of this one [s]."""

    @property
    def cost_s(self) -> Mapping[str, float]:
        """Running mean of what each view costs [s]."""
        return self._cost_s

    def begin(self) -> None:
        """A turn begins: what the last one took beyond its time is owed by the next ones."""
        now_s = self._now_s()
        self.gap_s = 0.0 if self._begun_s is None else now_s - self._begun_s
        self._begun_s = now_s
        late_s = max(0.0, self.gap_s - self._period_s)
        owed_s = max(0.0, self._owed_s - self._budget_s) + late_s
        self._owed_s = min(owed_s, SKIPS_MAX * self._budget_s)  # a machine that slept owes nothing

    def turn(self, views: Mapping[str, Callable[[], object]]) -> tuple[str, ...]:
        """Draw what fits.

        Args:
            views: name → what draws it, painting included.

        Returns:
            Names of those that are drawn seldom, in the order of the views.
        """
        left_s = self._budget_s - self._owed_s
        small_s = ALWAYS * self._budget_s
        for place, name in enumerate(sorted(views, key=self._rank)):
            cost_s = self._cost_s.get(name, 0.0)
            drawn = cost_s <= max(left_s, small_s)
            if place == 0:  # who has waited longest need not fit
                overdue = self._skips.get(name, 0) >= SKIPS_MAX
                drawn = drawn or overdue or left_s >= 0.5 * self._budget_s
            if drawn:
                left_s -= self._draw(name, views[name])
                small_s -= cost_s if cost_s <= small_s else 0.0
            self._count(name, drawn=drawn)
        return tuple(name for name in views if name in self._seldom)

    def _draw(self, name: str, draw: Callable[[], object]) -> float:
        """Draw a view; what it took [s]. The first time is no measure: much is made that stays."""
        before_s = self._now_s()
        draw()
        cost_s = self._now_s() - before_s
        if name not in self._cost_s:
            self._cost_s[name] = 0.0
        else:
            known = self._cost_s[name] or cost_s
            self._cost_s[name] = known + _FORGET * (cost_s - known)
        return cost_s

    def _count(self, name: str, *, drawn: bool) -> None:
        self._skips[name] = 0 if drawn else self._skips.get(name, 0) + 1
        share = self._share.get(name, 1.0)
        self._share[name] = share = share + _FORGET * (float(drawn) - share)
        if share < SELDOM:
            self._seldom.add(name)
        elif share > OFTEN:
            self._seldom.discard(name)

    def _rank(self, name: str) -> tuple[int, float, str]:
        return (-self._skips.get(name, 0), self._cost_s.get(name, 0.0), name)
