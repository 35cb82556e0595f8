"""Time as an argument: the tick handed to every block, the clock protocol and the virtual clock.

Nothing else of the bench asks what time it is. A run takes a `Clock`; with a `VirtualClock` the
same scenario gives the same bits, as fast as the machine can go, and with the real clock of
`hil.timing.realtime` the very same loop is paced by absolute deadlines.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import count
from typing import NamedTuple, Protocol


class Tick(NamedTuple):
    """One turn of the loop."""

    index: int  # type: ignore[assignment]  # hides tuple.index, which nobody uses
    """Number of this cycle, from 0, without holes."""
    t_s: float
    """Motion time, index · period [s]. It counts cycles that were executed, so the motion never
    jumps, even when deadlines were missed."""
    dt_s: float
    """Time that really passed since the last tick [s]; the period for the first one."""
    late_s: float
    """Wake-up minus deadline [s]; 0 on the virtual clock."""


class Clock(Protocol):
    """Clock that paces the loop."""

    @property
    def overruns(self) -> int:
        """Deadlines given up so far because a cycle took longer than its period."""
        ...

    def now_s(self) -> float:
        """Monotonic time [s] from an arbitrary origin; it only serves differences."""
        ...

    def ticks(self, period_s: float) -> Iterator[Tick]:
        """Yield one `Tick` per period, without end.

        Raises:
            ValueError: if the period is not finite and positive.
        """
        ...


def check_period_s(period_s: float) -> float:
    """Return the period [s] unchanged, or refuse it.

    Raises:
        ValueError: if it is not finite and positive.
    """
    if not (math.isfinite(period_s) and period_s > 0.0):
        raise ValueError(f"period_s = {period_s!r} s: a finite time above 0 s is needed")
    return float(period_s)


class VirtualClock:
    """Time that passes only because the loop turned.

    t_s is index · period by one multiplication, never a running sum, so that cycle N has the same
    time whether it was reached in one run or asked for on its own.
    """

    __slots__ = ("_now_s", "overruns")

    def __init__(self) -> None:
        self._now_s = 0.0
        self.overruns: int = 0
        """Always 0: nothing is late in virtual time."""

    def now_s(self) -> float:
        """Time of the tick being worked on [s]; it is constant within a cycle."""
        return self._now_s

    def ticks(self, period_s: float) -> Iterator[Tick]:
        """Yield ticks at once, each one period after the other, from t_s = 0 and from now on.

        Raises:
            ValueError: if the period is not finite and positive.
        """
        return self._ticks(check_period_s(period_s))

    def _ticks(self, period_s: float) -> Iterator[Tick]:
        begun_s = self._now_s
        for index in count():
            self._now_s = begun_s + index * period_s
            yield Tick(index, index * period_s, period_s, 0.0)


@dataclass(frozen=True, slots=True)
class Moment:
    """One instant, by the calendar and by the monotonic clock.

    The pair dates what was timed by the monotonic clock; the calendar is read nowhere else, because
    it can jump: no deadline and no recorded quantity may come from it.
    """

    utc: datetime
    """Date and time."""
    monotonic_s: float
    """Time of the run's clock [s]."""

    @property
    def text(self) -> str:
        """ISO 8601 with microseconds, such as 2026-01-31T23:59:59.000001Z."""
        return self.utc.astimezone(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")


def moment(now_s: Callable[[], float]) -> Moment:
    """This instant."""
    return Moment(datetime.now(UTC), now_s())


def worked_s() -> float:
    """Monotonic time of this machine [s], in virtual time as well: for what work takes of it."""
    return time.monotonic()


def utc_stamp() -> str:
    """Return the date and time, as 20260131T235959Z: for names of run folders, nothing else."""
    return datetime.now(UTC).strftime("%Y%m%dT%H%M%SZ")


class ReportingClock:
    """A clock that reports the time now and then.

    Args:
        report: called with the time of a tick [s]; a terminal that has gone stops nothing.
        every: of so many ticks one is told.
    """

    def __init__(self, clock: Clock, report: Callable[[float], object], every: int) -> None:
        self._clock, self._report, self._every = clock, report, every

    @property
    def overruns(self) -> int:
        """Overruns of the clock."""
        return self._clock.overruns

    def now_s(self) -> float:
        """Time of the clock [s]."""
        return self._clock.now_s()

    def ticks(self, period_s: float) -> Iterator[Tick]:
        """Yield the clock's ticks."""
        for tick in self._clock.ticks(period_s):
            if tick.index % self._every == 0:
                with suppress(OSError):
                    self._report(tick.t_s)
            yield tick


_TOGETHER_S = 1e-4
"""Two readings of a clock that lie no further apart were taken together [s]."""


def kernel_lead_s(now_s: Callable[[], float]) -> float:
    """Lead of the kernel's clock, which stamps packets, over the run's clock [s].

    It is the calendar's: it can jump, so that a stamp is brought over at once and judged.
    """
    before_s, calendar_s, after_s = now_s(), time.time_ns() * 1e-9, now_s()
    for _ in range(2):
        if after_s - before_s < _TOGETHER_S:
            break  # else the processor was taken away between the two
        before_s, calendar_s, after_s = now_s(), time.time_ns() * 1e-9, now_s()
    return calendar_s - 0.5 * (before_s + after_s)
