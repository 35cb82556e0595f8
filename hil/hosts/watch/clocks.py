"""A host's clock on ours: by its stamps where it has them, else by the times packets came."""

from __future__ import annotations

import math
from collections import deque
from itertools import pairwise
from typing import Final

WINDOW_S: Final = 1.0
"""Window whose fastest packet gives the offset of the host's clock from ours [s]."""
SLEW: Final = 0.05
"""Largest rate at which a host's clock is taken to have stopped [1]."""
PHASE_GAIN: Final = 0.05
"""Gain of the loop that finds when a packet was sent from when packets came [1]."""
PERIOD_GAIN: Final = 0.0005
"""Gain of that loop on the host's period [1]."""
FIRST_PACKETS: Final = 16
"""Number of packets whose mean period begins the loop."""
BACKLOG_GAP: Final = 0.3
"""Share of the others' distance below which packets at the beginning were held up [1]."""
LOST_SHARE: Final = 0.6
"""Mean number of lost packets a period above which the period was taken too short [1]."""


class StampAlignment:
    """Brings a host's stamps onto our clock: the packet that was fastest came at once.

    The smallest (arrival - stamp) of the last second is the clocks' offset; what makes it larger
    (clocks that drift, a simulator whose time stopped for a frame) is followed slowly.
    """

    def __init__(self) -> None:
        self._offset_s = math.nan
        self._seen_s = math.nan
        self._least: deque[tuple[float, float]] = deque()

    def at(self, stamp_s: float, arrived_s: float) -> float:
        """Return the time at which a packet was sent, on our clock [s]; never after it came.

        Args:
            stamp_s: on the host's clock [s].
            arrived_s: when the kernel took it, on our clock [s].
        """
        offset_s = arrived_s - stamp_s
        while self._least and self._least[-1][1] >= offset_s:
            self._least.pop()
        self._least.append((arrived_s, offset_s))
        while arrived_s - self._least[0][0] > WINDOW_S:
            self._least.popleft()
        if math.isnan(self._offset_s):
            self._offset_s = offset_s
        slewed_s = self._offset_s + SLEW * max(arrived_s - self._seen_s, 0.0)
        self._offset_s = min(self._least[0][1], slewed_s)
        self._seen_s = arrived_s
        return stamp_s + self._offset_s


class ArrivalLoop:
    """Estimates when packets were sent from arrivals alone: a loop that follows a steady period.

    What jitters is taken out; the mean of the delay stays in. A gap of whole periods is taken for
    packets that were lost.
    """

    def __init__(self) -> None:
        self._at_s = math.nan
        self._period_s = math.nan
        self._first: list[float] = []
        self._count, self._lost = 0, 0.0

    def at(self, arrived_s: float) -> float:
        """Estimate when a packet that came at this time was sent, plus a mean delay [s]."""
        if len(self._first) < FIRST_PACKETS:
            return self._begun(arrived_s)
        # A gap counts as a lost packet from 1.6 periods on: were it 1.5, a period of 5/6 of the
        # right one would never differ from the right one, for then the errors are even.
        periods = max(math.floor((arrived_s - self._at_s) / self._period_s + 0.4), 1)
        due_s = self._at_s + periods * self._period_s
        off_s = arrived_s - due_s
        self._lost += (periods - 1 - self._lost) / 32.0
        if abs(off_s) > 2.0 * self._period_s or self._lost > LOST_SHARE:  # another rhythm
            self._first = []
            return self._begun(arrived_s)
        self._count = n = self._count + 1
        # At first the gains are those of a straight line through all packets so far.
        self._at_s = due_s + max(PHASE_GAIN, (4.0 * n - 2.0) / (n * (n + 1.0))) * off_s
        gain = max(PERIOD_GAIN, 6.0 / (n * (n + 1.0)))
        self._period_s = max(self._period_s + gain * off_s, 1e-4)
        return self._at_s

    def _begun(self, arrived_s: float) -> float:
        self._first.append(arrived_s)
        if len(self._first) == FIRST_PACKETS:
            self._first = _without_backlog(self._first)
        gaps = len(self._first) - 1
        if gaps:  # too long rather than too short: only from there the loop finds the right one
            self._period_s = max((arrived_s - self._first[0]) / gaps, 1e-4)
        self._lost = 0.0
        self._count = len(self._first)
        self._at_s = arrived_s
        return arrived_s


def _without_backlog(came_s: list[float]) -> list[float]:
    """Drop packets that came at once at the beginning, save the last of them."""
    gaps = [after - before for before, after in pairwise(came_s)]
    usual_s = sorted(gaps)[-len(gaps) // 4]
    regular = next(at for at, gap in enumerate(gaps) if gap >= BACKLOG_GAP * usual_s)
    return came_s[regular:]
