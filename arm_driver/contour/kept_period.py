"""The shortest period that a robot may have, by the times when its last requests were received.

A way that was sent for one period is done in the robot's own, so it may be no longer than the limit
of speed allows in the shortest one that is possible. Requests come late, never early, and two
things are known of the robot's period. Over k periods that are alike it is no less than their time
less a lateness, by k. And if the periods before the last were as usual, the last one took what the
time since an earlier request has in addition, at most: so a robot that goes faster at once is found
by its first request, and one received late, or at its second sending only, is not taken for
it. Before there is a usual period no lateness is made allowance for.
"""

from collections import deque
from typing import Final

RECEIVED_WITHIN_S: Final = 0.02
"""Usual delay of a request at most [s]: a poll of the reader, an adapter's packet."""
LOST_S: Final = 0.1
"""Delay above which a request was lost at first, as a rule, and received when sent again [s]."""
KEPT: Final = 9
"""Requests that count, besides the last."""
USUAL: Final = 3
"""Periods from which on there is a usual one."""


class PeriodBound:
    """Measures the shortest possible period of one stream's robot.

    Args:
        period_s: Declared [s].
        unmeasured_s: What counts before two requests were received [s].
    """

    __slots__ = ("_at_s", "_bound_s", "_lost", "_period_s", "least_s")

    def __init__(self, period_s: float, unmeasured_s: float) -> None:
        self._period_s = period_s
        self._at_s: deque[float] = deque(maxlen=KEPT)
        self._bound_s = unmeasured_s
        self._lost = False
        self.least_s = unmeasured_s
        """The shortest possible period [s]."""

    def take(self, now_s: float, *, timely: bool) -> None:
        """Take a request for a waypoint that was not asked for before.

        Args:
            timely: Whether this host has listened all the time; else the measure stays as it was.
        """
        since_s = now_s - self._at_s[-1] if self._at_s else 0.0
        if self._lost and since_s > self._period_s - LOST_S:  # it paused: what was before is over
            self._at_s = deque([self._at_s[-1]], maxlen=KEPT)
        self._lost = since_s > self._period_s + LOST_S
        before = list(self._at_s)
        self._at_s.append(now_s)
        if not before or not timely:
            return
        bound_s, self._bound_s = self._bound_s, self._bound(before, now_s)
        # A lost request would say that the robot is slow.
        self.least_s: float = min(bound_s, self._bound_s) if self._lost else self._bound_s

    def _bound(self, before: list[float], now_s: float) -> float:
        """The shortest period by the requests received before and now."""
        spans_s = [(k, now_s - at_s) for k, at_s in enumerate(reversed(before), start=1)]
        alike_s = max((span_s - RECEIVED_WITHIN_S) / k for k, span_s in spans_s)
        if len(before) <= USUAL:
            return max(0.0, min(alike_s, now_s - before[-1]))
        # The request before may have been received late: its period is not among the usual ones.
        mean_s = (before[-2] - before[0]) / (len(before) - 2)
        usual_s = max(self._period_s, mean_s)
        last_s = max(span_s - (k - 1) * usual_s for k, span_s in spans_s)
        return max(0.0, min(alike_s, last_s))
