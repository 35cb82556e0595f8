"""Which faults are on and which are to come, stepped by a time that is given from outside.

    board.start(Injection("drop", node=3, value=0.1, duration_s=2.0), now_s)

Not modelled: faults that depend on what the machine does; a script has times only.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

from sim.devices.faults import KINDS, Injection

Hook = Callable[[str, int, float, float], None]
"""Called with kind, drive index (-1: the bus), value and time when a fault begins or ends."""


@dataclass(slots=True)
class _ActiveFault:
    injection: Injection
    until_s: float


class FaultBoard:
    """The faults that are on, and those that will be.

    Args:
        begin: Called when a fault begins.
        end: Called when a fault ends.
    """

    def __init__(self, begin: Hook, end: Hook) -> None:
        self._begin, self._end = begin, end
        self._waiting: list[tuple[float, Injection]] = []
        self._running: list[_ActiveFault] = []
        self._values: dict[tuple[str, int], float] = {}
        self._due_s = math.inf
        self.idle = True
        """Whether no fault is on."""
        self.kinds: frozenset[str] = frozenset()
        """Kinds of the faults that are on."""

    def start(self, injection: Injection, now_s: float) -> None:
        """Have a fault, now or `at_s` later."""
        self._waiting.append((now_s + injection.at_s, injection))
        self._waiting.sort(key=lambda item: item[0])
        self._refresh()
        self.advance(now_s)

    def clear(self, now_s: float, kind: str | None = None, node: int | None = None) -> int:
        """End faults and forget those to come.

        Args:
            kind: Only this kind.
            node: Only faults given for this number.

        Returns:
            How many were ended or forgotten.
        """

        def meant(injection: Injection) -> bool:
            right_kind = kind is None or injection.kind == kind
            return right_kind and (node is None or injection.node == node)

        before = len(self._waiting)
        self._waiting = [item for item in self._waiting if not meant(item[1])]
        ended = [running for running in self._running if meant(running.injection)]
        self._running = [running for running in self._running if not meant(running.injection)]
        self._refresh()
        for running in ended:
            self._finish(running.injection, now_s)
        return before - len(self._waiting) + len(ended)

    def advance(self, now_s: float) -> None:
        """Begin and end what is due, in the order of their times."""
        while self._due_s <= now_s:
            due_s = self._due_s
            over = [running for running in self._running if running.until_s <= due_s]
            if over:
                self._running = [r for r in self._running if r.until_s > due_s]
                self._refresh()
                for running in over:
                    self._finish(running.injection, due_s)
                continue
            _, injection = self._waiting.pop(0)
            self._refresh()
            self._launch(injection, due_s)

    def due_s(self) -> float | None:
        """Return when the next fault begins or ends, or None."""
        return self._due_s if self._due_s < math.inf else None

    def value(self, kind: str, drive: int = -1) -> float | None:
        """Return the value of a fault that is on, or None.

        Args:
            kind: Name in `KINDS`.
            drive: Index of the drive from 0; -1 for a kind of the whole bus.
        """
        return self._values.get((kind, drive)) if self._values else None

    @property
    def active(self) -> tuple[Injection, ...]:
        """Faults that are on, oldest first."""
        return tuple(running.injection for running in self._running)

    @property
    def waiting(self) -> tuple[tuple[float, Injection], ...]:
        """Faults to come with their times [s], the next one first."""
        return tuple(self._waiting)

    def _launch(self, injection: Injection, now_s: float) -> None:
        if not KINDS[injection.kind].momentary:
            lasting = math.inf if injection.duration_s is None else injection.duration_s
            self._running.append(_ActiveFault(injection, now_s + lasting))
            self._refresh()
        for drive in injection.drives:
            self._begin(injection.kind, drive, injection.strength, now_s)

    def _finish(self, injection: Injection, now_s: float) -> None:
        for drive in injection.drives:
            self._end(injection.kind, drive, injection.strength, now_s)

    def _refresh(self) -> None:
        self._values = {
            (running.injection.kind, drive): running.injection.strength
            for running in self._running
            for drive in running.injection.drives
        }
        self.idle: bool = not self._running
        self.kinds = frozenset(running.injection.kind for running in self._running)
        times = [running.until_s for running in self._running]
        times += [due_s for due_s, _ in self._waiting[:1]]
        self._due_s = min(times, default=math.inf)
