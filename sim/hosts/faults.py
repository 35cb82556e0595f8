"""Faults of an emulated simulator: their kinds, their syntax, and when they are active.

A fault is a line such as ``pause at_s=5 duration_s=2``, as for the bench's other emulated devices.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Final

from sim.devices.fault_text import (
    FaultError,
    FaultKind,
    check_table,
    check_times,
    check_value,
    kind_of,
    kinds_text,
    list_text,
    read_words,
)

KINDS: Final = {
    "pause": FaultKind("the simulation stands still; it says so where its wire can"),
    "menu": FaultKind("the simulation stands still and sends nothing"),
    "replay": FaultKind(
        "the past is played again; it says so where its wire can", 5.0, 0.1, 3600.0,
        "how far back [s]",
    ),
    "reset": FaultKind("the vehicle is where it began", momentary=True),
    "teleport": FaultKind(
        "the vehicle is elsewhere", 500.0, -1e6, 1e6, "how far north [m]", momentary=True
    ),
    "backward": FaultKind(
        "the simulation's clock goes back", 2.0, 0.001, 3600.0, "how far [s]", momentary=True
    ),
    "slow": FaultKind("the simulation's time runs slower or faster", 0.25, 0.01, 16.0,
                      "seconds of it in one of ours"),
    "stall": FaultKind("packets are held back, and then come all at once"),
    "frozen": FaultKind("the values stand still, the clock goes on"),
    "nan": FaultKind("force and rates are no numbers"),
    "spike": FaultKind("one packet's force is far off", 60.0, -1e6, 1e6,
                       "what is added to its x [m/s2]", momentary=True),
    "loop": FaultKind("a loop through 90 degrees of pitch", 20.0, 2.0, 600.0,
                      "how long it takes [s]", momentary=True),
    "truncated": FaultKind("packets are cut", 0.5, 0.0, 0.999, "what is left of them"),
    "second": FaultKind("another simulator sends as well, from another address"),
    "restart": FaultKind("the simulator is started anew: sequence and clock from 0",
                         momentary=True),
    "end": FaultKind("the simulator leaves; it says so where its wire can", momentary=True),
}  # fmt: skip
"""Kinds of fault by name."""

_KEYS: Final = ("kind", "value", "at_s", "duration_s")


@dataclass(frozen=True, slots=True)
class HostFault:
    """One fault of a simulator."""

    kind: str
    value: float | None = None
    """Value of the fault; None: its kind's default."""
    at_s: float = 0.0
    """Begin after the time at which it was given [s]."""
    duration_s: float | None = None
    """Duration [s]; None: until it is cleared."""

    def __post_init__(self) -> None:
        kind = kind_of(self.kind, KINDS)
        check_value(self.kind, kind, self.value)
        check_times(self.kind, kind, self.at_s, self.duration_s)

    @property
    def strength(self) -> float:
        """Value of the fault, or its default."""
        return KINDS[self.kind].default if self.value is None else self.value

    @property
    def line(self) -> str:
        """Line of the fault, as it would be typed."""
        words = [self.kind]
        if KINDS[self.kind].value:
            words.append(f"value={self.strength:g}")
        if self.at_s:
            words.append(f"at_s={self.at_s:g}")
        if self.duration_s is not None:
            words.append(f"duration_s={self.duration_s:g}")
        return " ".join(words)


def parse_fault(line: str) -> HostFault:
    """Read a line: ``spike value=30 at_s=5``, or with the time behind an @: ``spike value=30@5``.

    Raises:
        FaultError: If it makes no sense; the text says what would be right.
    """
    text, at, time = line.partition("@")
    words = text.split()
    if not words:
        raise FaultError(f"fault {line!r}: one of {', '.join(KINDS)} is needed")
    if at:
        words.append(f"at_s={time.strip()}")
    table: dict[str, Any] = read_words(words, _KEYS)
    check_table(table, _KEYS, KINDS)
    return HostFault(**table)


class Schedule:
    """Active faults and scheduled ones.

    Args:
        happen: Called with a momentary fault when it is due.
    """

    def __init__(self, happen: Callable[[HostFault], None]) -> None:
        self._happen = happen
        self._waiting: list[tuple[float, HostFault]] = []
        self._running: list[tuple[float, float, HostFault]] = []

    def start(self, fault: HostFault, now_s: float) -> None:
        """Schedule a fault, `at_s` from now [s]."""
        self._waiting.append((now_s + fault.at_s, fault))
        self._waiting.sort(key=lambda item: item[0])

    def clear(self, kind: str | None = None) -> int:
        """End active faults and forget scheduled ones; return how many."""
        before = len(self._waiting) + len(self._running)
        self._waiting = [item for item in self._waiting if kind not in (None, item[1].kind)]
        self._running = [item for item in self._running if kind not in (None, item[2].kind)]
        return before - len(self._waiting) - len(self._running)

    def advance(self, now_s: float) -> None:
        """Begin and end the faults that are due [s]."""
        while self._waiting and self._waiting[0][0] <= now_s:
            due_s, fault = self._waiting.pop(0)
            if KINDS[fault.kind].momentary:
                self._happen(fault)
            else:
                lasts_s = math.inf if fault.duration_s is None else fault.duration_s
                self._running.append((due_s, due_s + lasts_s, fault))
        if self._running:
            self._running = [item for item in self._running if item[1] > now_s]

    def on(self, kind: str) -> float | None:
        """Strength of an active fault, the newest of its kind; None if there is none."""
        for _, _, fault in reversed(self._running):
            if fault.kind == kind:
                return fault.strength
        return None

    def text(self, now_s: float) -> str:
        """Format the answer to `list`."""
        return list_text(
            (fault.line for _, _, fault in self._running),
            ((due_s, fault.line) for due_s, fault in self._waiting),
            now_s,
        )


def as_faults(faults: Iterable[HostFault | str]) -> tuple[HostFault, ...]:
    """Parse faults, or lines of them; raises `FaultError`."""
    return tuple(parse_fault(one) if isinstance(one, str) else one for one in faults)


def help_text() -> str:
    """List the commands of the console."""
    lines = [
        "KIND [value=X] [at_s=S] [duration_s=S]   have a fault",
        "clear [KIND]                             end faults",
        "list                                     faults that are on or will be",
        "status                                   what the simulator does",
    ]
    return "\n".join(lines + kinds_text(KINDS))
