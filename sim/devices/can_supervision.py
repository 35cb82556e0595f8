"""Two records of a CANopen node: whose heartbeats it awaits (1016h), and its last errors (1003h).

CiA 301, clauses "Consumer heartbeat time" and "Pre-defined error field".

Not modelled: the manufacturer's part of an error entry (always 0), the state in a heartbeat.
"""

from __future__ import annotations

import math
from typing import Final

from sim.devices.communication_objects import CONSUMERS, HISTORY_LENGTH
from sim.devices.object_store import VALUE_RANGE, ObjectStore, SdoAbort
from sim.devices.watchdogs import Deadline

_INCOMPATIBLE_PARAMETER: Final = 0x0604_0043


class HeartbeatConsumers:
    """Heartbeats that a node awaits.

    Args:
        store: Objects of the node; 1016h is written there.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._values = store.values
        self._deadlines: dict[int, Deadline] = {}
        for k in range(1, CONSUMERS + 1):
            store.on_write[0x1016, k] = lambda value, k=k: self._write(k, value)

    def clear(self) -> None:
        """Supervise nobody."""
        self._deadlines.clear()

    def hear(self, producer: int, now_s: float) -> bool:
        """Take note of a heartbeat; returns whether its producer is supervised.

        Args:
            producer: Node id.
            now_s: Monotonic time [s].
        """
        deadline = self._deadlines.get(producer)
        if deadline is None:
            return False
        deadline.received(now_s)
        return True

    def lost(self, now_s: float) -> int:
        """Return how many producers have fallen silent since the last call.

        Args:
            now_s: Monotonic time [s].
        """
        return sum(deadline.expired(now_s) for deadline in self._deadlines.values())

    def earliest_s(self, now_s: float) -> float:
        """Return a time before which `lost` stays 0, whatever is heard until then [s].

        Args:
            now_s: Monotonic time [s].
        """
        times = [deadline.earliest_s(now_s) for deadline in self._deadlines.values()]
        return min(times, default=math.inf)

    def _write(self, subindex: int, value: int) -> None:
        words = {k: self._values[0x1016, k] for k in range(1, CONSUMERS + 1)} | {subindex: value}
        deadlines: dict[int, Deadline] = {}
        for word in words.values():
            producer, time_ms = word >> 16 & 0x7F, word & 0xFFFF
            if not producer or not time_ms:
                continue
            if producer in deadlines:
                raise SdoAbort(_INCOMPATIBLE_PARAMETER)  # one entry for each producer
            deadlines[producer] = Deadline(1e-3 * time_ms)
        self._deadlines = deadlines


class ErrorHistory:
    """The last errors, the newest at sub-index 1.

    Args:
        store: Objects of the node; 1003h is kept there.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._values = store.values
        store.on_write[0x1003, 0] = self._write_count

    def add(self, code: int) -> None:
        """Remember an error code."""
        values = self._values
        for k in range(HISTORY_LENGTH, 1, -1):
            values[0x1003, k] = values[0x1003, k - 1]
        values[0x1003, 1] = code
        values[0x1003, 0] = min(HISTORY_LENGTH, values[0x1003, 0] + 1)

    def _write_count(self, value: int) -> None:
        if value != 0:
            raise SdoAbort(VALUE_RANGE)  # only 0 can be written: it clears the list
        for k in range(1, HISTORY_LENGTH + 1):
            self._values[0x1003, k] = 0
