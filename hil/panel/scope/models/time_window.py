"""The stretch of time that a scope shows: what rolls by, a sweep, or a picture that stands."""

from __future__ import annotations

import math
from dataclasses import dataclass

from hil.panel.scope.models.ring import Window


@dataclass(frozen=True, slots=True)
class View:
    """What is to be drawn."""

    from_s: float
    """Time at the left edge [s]."""
    to_s: float
    """Time at the right edge [s]."""
    window: Window
    """The samples between, and one more on either side."""
    edge_s: float
    """Time of the trigger's edge [s], NaN if it is no sweep."""
    live: bool
    """Whether the picture rolls by."""

    @property
    def origin_s(self) -> float:
        """Time that the axis calls 0 [s].

        The edge of a sweep; of what rolls by, now, so that the axis stands still; else the run's
        beginning.
        """
        if math.isfinite(self.edge_s):
            return self.edge_s
        return self.to_s if self.live else 0.0

    @classmethod
    def of(
        cls,
        window: Window,
        from_s: float,
        to_s: float,
        edge_s: float,
        reach_s: float,
        *,
        live: bool,
    ) -> View:
        """A stretch of a history, with what reaches into it from outside by so much [s]."""
        return cls(from_s, to_s, window.between(from_s - reach_s, to_s + reach_s), edge_s, live)


@dataclass(frozen=True, slots=True)
class Still:
    """A picture that stands still, with all the history of its moment."""

    window: Window
    """The history."""
    from_s: float
    """Time at the left edge [s]."""
    to_s: float
    """Time at the right edge [s]."""

    @property
    def span_s(self) -> float:
        """Time from the left edge to the right one [s]."""
        return self.to_s - self.from_s

    def spanning(self, span_s: float) -> Still:
        """So much time [s] about the same middle."""
        middle = 0.5 * (self.from_s + self.to_s)
        return Still(self.window, middle - 0.5 * span_s, middle + 0.5 * span_s)

    def moved(self, share: float) -> Still:
        """Another time, by a share of what is seen.

        At least a tenth of the picture stays filled: nobody gets lost in emptiness.
        """
        if not len(self.window):
            return self
        step_s = share * self.span_s
        low, high = float(self.window.t_s[0]), float(self.window.t_s[-1])
        margin_s = 0.1 * self.span_s
        step_s = min(max(step_s, low + margin_s - self.to_s), high - margin_s - self.from_s)
        return Still(self.window, self.from_s + step_s, self.to_s + step_s)
