"""Supervision by a CANopen node: heartbeats (1016h), guarding (100Ch, 100Dh), errors (1003h).

CiA 301, clauses "Consumer heartbeat time", "Node guarding protocol" and "Pre-defined error field".

Not modelled: the manufacturer's part of an error entry (always 0), the state in a heartbeat.
"""

from __future__ import annotations

import math
from typing import Final

from sim.devices.can.object_store import VALUE_RANGE, ObjectStore, SdoAbort
from sim.devices.drive.watchdogs import Deadline

_INCOMPATIBLE_PARAMETER: Final = 0x0604_0043


class HeartbeatConsumers:
    """Heartbeats that a node awaits.

    Args:
        store: Objects of the node; 1016h is written there.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._values = store.values
        self._deadlines: dict[int, Deadline] = {}
        entries = store.table.entries
        self._numbers = [k for k in range(1, 128) if (0x1016, k) in entries]
        for k in self._numbers:
            store.on_write[0x1016, k] = lambda value, k=k: self._write(k, value)

    def clear(self) -> None:
        """Stop all supervision."""
        self._deadlines.clear()

    def take_heartbeat(self, producer: int, now_s: float) -> bool:
        """Record a heartbeat; return whether its producer is supervised.

        Args:
            producer: Node id.
        """
        deadline = self._deadlines.get(producer)
        if deadline is None:
            return False
        deadline.received(now_s)
        return True

    def lost(self, now_s: float) -> int:
        """Return how many producers have fallen silent since the last call."""
        return sum(deadline.expired(now_s) for deadline in self._deadlines.values())

    def earliest_s(self, now_s: float) -> float:
        """Return a time before which `lost` stays 0, whatever is received until then [s]."""
        times = [deadline.earliest_s(now_s) for deadline in self._deadlines.values()]
        return min(times, default=math.inf)

    def _write(self, subindex: int, value: int) -> None:
        words = {k: self._values[0x1016, k] for k in self._numbers} | {subindex: value}
        deadlines: dict[int, Deadline] = {}
        for word in words.values():
            producer, time_ms = word >> 16 & 0x7F, word & 0xFFFF
            if not producer or not time_ms:
                continue
            if producer in deadlines:
                raise SdoAbort(_INCOMPATIBLE_PARAMETER)  # one entry for each producer
            deadlines[producer] = Deadline(1e-3 * time_ms)
        self._deadlines = deadlines


class LifeGuard:
    """Guard requests of the master that a node awaits, and the toggle bit of its answers.

    The life time is the guard time (100Ch) times the life time factor (100Dh), and is supervised
    from the first request on.

    Args:
        store: Objects of the node; 100Ch and 100Dh are written there.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._values = store.values
        self._deadline = Deadline()
        self._toggle = 0
        for index in (0x100C, 0x100D):
            store.on_write[index, 0] = lambda value, index=index: self._write(index, value)

    def clear(self) -> None:
        """Stop all supervision, and reset the toggle bit."""
        self._deadline.set_time(0.0)
        self._toggle = 0

    def answer(self, state: int, now_s: float) -> bytes:
        """Return the answer to a guard request.

        Args:
            state: NMT state as in the heartbeat.
        """
        self._deadline.received(now_s)
        answer_data = bytes((self._toggle | state,))
        self._toggle ^= 0x80
        return answer_data

    def lost(self, now_s: float) -> bool:
        """Report once that the requests stay away."""
        return self._deadline.expired(now_s)

    def earliest_s(self, now_s: float) -> float:
        """Return a time before which `lost` stays false, whatever comes until then [s]."""
        return self._deadline.earliest_s(now_s)

    def _write(self, index: int, value: int) -> None:
        guard_ms, factor = (
            value if each == index else self._values.get((each, 0), 0) for each in (0x100C, 0x100D)
        )
        self._deadline.set_time(1e-3 * guard_ms * factor)


class ErrorHistory:
    """The last errors, the newest at sub-index 1.

    Args:
        store: Objects of the node; 1003h is kept there.
    """

    def __init__(self, store: ObjectStore) -> None:
        self._values = store.values
        self._length = sum(index == 0x1003 for index, _ in store.table.entries) - 1
        store.on_write[0x1003, 0] = self._write_count

    def add(self, code: int) -> None:
        """Remember an error code."""
        values = self._values
        for k in range(self._length, 1, -1):
            values[0x1003, k] = values[0x1003, k - 1]
        values[0x1003, 1] = code
        values[0x1003, 0] = min(self._length, values[0x1003, 0] + 1)

    def _write_count(self, value: int) -> None:
        if value != 0:
            raise SdoAbort(VALUE_RANGE)  # only 0 can be written: it clears the list
        for k in range(1, self._length + 1):
            self._values[0x1003, k] = 0
