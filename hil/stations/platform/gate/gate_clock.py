"""Clock of a loop whose gate runs in another process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

from hil.timing.clock import Tick, check_period_s


class PacingGate(Protocol):
    """Gate that paces a `GateClock`."""

    @property
    def overruns(self) -> int:
        """Number of cycles that control missed, and deadlines that the gate gave up."""
        ...

    @property
    def last_tick(self) -> Tick | None:
        """Newest cycle of the gate that control knows of."""
        ...

    def now_s(self) -> float:
        """Monotonic time [s]."""
        ...


class GateClock:
    """Clock of a loop whose gate is elsewhere: its ticks are the gate's next cycles.

    It does not sleep; `RemoteGate.cycle` does the waiting. The times of a tick are those that the
    gate measured last; the measured tick of the cycle itself is in the `Exchange`.
    """

    def __init__(self, gate: PacingGate) -> None:
        self._gate = gate

    @property
    def overruns(self) -> int:
        """Number of cycles that control missed, and deadlines that the gate gave up."""
        return self._gate.overruns

    def now_s(self) -> float:
        """Monotonic time [s]."""
        return self._gate.now_s()

    def ticks(self, period_s: float) -> Iterator[Tick]:
        """Yield the gate's next cycle, whenever asked.

        Raises:
            ValueError: if the period is not finite and positive.
        """
        return self._ticks(check_period_s(period_s))

    def _ticks(self, period_s: float) -> Iterator[Tick]:
        while True:
            last = self._gate.last_tick
            if last is None:
                yield Tick(0, 0.0, period_s, 0.0)
            else:
                index = last.index + 1
                yield Tick(index, index * period_s, last.dt_s, last.late_s)
