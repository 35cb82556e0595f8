"""Two cursors in time, and what the traces are at them."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hil.panel.scope.models.channels import Channel
from hil.panel.scope.models.ring import Window


@dataclass(frozen=True, slots=True)
class Cursors:
    """Positions of the cursors."""

    a_s: float
    """Time of the first [s]."""
    b_s: float
    """Time of the second [s]."""
    active: int = 0
    """Number of the cursor that keys move, 0 or 1."""

    @property
    def dt_s(self) -> float:
        """Time from the first to the second [s]."""
        return self.b_s - self.a_s

    @property
    def rate_hz(self) -> float:
        """1/|dt| [Hz]; infinite if they are at one place."""
        return 1.0 / abs(self.dt_s) if self.dt_s else math.inf

    def at(self, which: int) -> float:
        """Time of one of them [s]."""
        return self.b_s if which else self.a_s

    def put(self, which: int, t_s: float) -> "Cursors":
        """One of them elsewhere [s]; keys move this one from now on."""
        moved = replace(self, b_s=t_s) if which else replace(self, a_s=t_s)
        return replace(moved, active=which)


@dataclass(frozen=True, slots=True)
class CursorReading:
    """One trace at the cursors."""

    channel: Channel
    """Signal of the trace."""
    a: float
    """Its sample nearest to the first cursor; NaN where there is none."""
    b: float
    """Its sample nearest to the second cursor; NaN where there is none."""

    @property
    def difference(self) -> float:
        """Difference from the first to the second, in the signal's unit."""
        return self.b - self.a


def readings(
    window: Window, channels: Sequence[Channel], cursors: Cursors, reach_s: float
) -> tuple[CursorReading, ...]:
    """Values of the traces at the cursors.

    Args:
        reach_s: a sample farther away than this is not taken [s].
    """
    places = [nearest(window, cursors.at(which), reach_s) for which in (0, 1)]
    found: list[CursorReading] = []
    for channel in channels:
        a, b = (
            math.nan if place is None else float(window.values[channel.column, place])
            for place in places
        )
        found.append(CursorReading(channel, a, b))
    return tuple(found)


def nearest(window: Window, t_s: float, reach_s: float) -> int | None:
    """Place of the sample nearest to a time [s], the earlier of two; None beyond the reach."""
    times = window.t_s
    if not len(times):
        return None
    after = int(np.searchsorted(times, t_s))
    places = [place for place in (after - 1, after) if 0 <= place < len(times)]
    best = min(places, key=lambda place: abs(float(times[place]) - t_s))
    return best if abs(float(times[best]) - t_s) <= reach_s else None
