"""Deadlines inside a drive: consumer heartbeat (1016h) and event timer of an RPDO (1400h sub 5).

CiA 301, "Consumer heartbeat time" and "RPDO communication parameter": supervision starts with the
first reception, so that a drive without any communication yet does not complain; after a loss it
starts again with the next reception. Life guarding (100Ch, 100Dh) counts likewise.
"""

from __future__ import annotations

import math


class Deadline:
    """Deadline of one supervised reception.

    Args:
        time_s: Longest silence [s]; 0 = not supervised.
    """

    __slots__ = ("_last_s", "_time_s")

    def __init__(self, time_s: float = 0.0) -> None:
        self._time_s = time_s
        self._last_s: float | None = None

    @property
    def time_s(self) -> float:
        """Longest silence that is tolerated [s]; 0 = not supervised."""
        return self._time_s

    @property
    def running(self) -> bool:
        """Whether something was received and the next reception is awaited."""
        return self._last_s is not None and self._time_s > 0.0

    def set_time(self, time_s: float) -> None:
        """Set the longest silence [s] and wait for a first reception again."""
        self._time_s = time_s
        self._last_s = None

    def stop(self) -> None:
        """Forget the last reception: supervision starts again with the next one."""
        self._last_s = None

    def received(self, now_s: float) -> None:
        """Record a reception."""
        self._last_s = now_s

    def due_s(self) -> float | None:
        """Return when the silence becomes too long [s], or None while nothing is supervised."""
        if self._last_s is None or self._time_s <= 0.0:
            return None
        return self._last_s + self._time_s

    def earliest_s(self, now_s: float) -> float:
        """Return a time before which `expired` cannot come true, whatever is received by then."""
        if self._time_s <= 0.0:
            return math.inf
        return (now_s if self._last_s is None else self._last_s) + self._time_s

    def expired(self, now_s: float) -> bool:
        """Report once per loss that the silence is too long."""
        due_s = self.due_s()
        if due_s is None or now_s < due_s:
            return False
        self._last_s = None
        return True
