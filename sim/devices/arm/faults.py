"""Faults of the emulated arm, `estop at_s=20 duration_s=3`, and when they are on.

Not modelled: faults of single joints; faults that depend on what the arm does.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final

from sim.devices.fault_text import (
    FaultKind,
    check_table,
    check_times,
    check_value,
    kind_of,
    read_script,
    read_words,
)


def _chance(meaning: str, default: float) -> FaultKind:
    return FaultKind(meaning, default, 0.0, 1.0, "probability")


ARM_FAULTS: Final[dict[str, FaultKind]] = {
    "noise": _chance("a stray byte comes after a byte, both ways, for each", 0.02),
    "parity": _chance("a bit of a byte turns over, both ways, for each", 0.02),
    "drop_request": _chance("requests get lost", 1.0),
    "drop_answer": _chance("answers get lost", 1.0),
    "repeat_request": _chance("requests are sent twice", 1.0),
    "repeat_answer": _chance("answers are received twice", 1.0),
    "echo": FaultKind("the controller echoes what it receives, as a terminal line does"),
    "silence": FaultKind("nothing leaves the controller"),
    "stall": FaultKind("requests are late", 0.2, 0.0, 10.0, "delay in s"),
    "estop": FaultKind("the emergency stop is pressed"),
    "power_off": FaultKind("arm power is off"),
    "uncalibrated": FaultKind("the arm is not calibrated"),
    "elsewhere": FaultKind(
        "the arm at rest is moved up by hand", 0.01, -0.2, 0.2, "distance in m", momentary=True
    ),
    "slow": FaultKind(
        "the arm goes so many times as far as it is asked to", 0.5, 0.0, 1.0, "factor"
    ),
    "beside": FaultKind(
        "the arm tells a place that is so much higher", 0.02, -0.2, 0.2, "way in m"
    ),
    "period": FaultKind("waypoints are asked for and driven in such a time", 0.25, 0.15, 2.0, "s"),
    "unplug": FaultKind("the cable is pulled out"),
}
"""Every kind of fault by name."""


@dataclass(frozen=True, slots=True)
class ArmFault:
    """Fault of the arm, with its times.

    Raises:
        FaultError: If there is no such kind, value or time.
    """

    kind: str
    """Name in `ARM_FAULTS`."""
    value: float | None = None
    """Value of the fault; None for the default of the kind."""
    at_s: float = 0.0
    """Begin after the time at which it was given [s]."""
    duration_s: float | None = None
    """Duration [s]; None: until it is cleared."""

    def __post_init__(self) -> None:
        kind = kind_of(self.kind, ARM_FAULTS)
        check_value(self.kind, kind, self.value)
        check_times(self.kind, kind, self.at_s, self.duration_s)

    @property
    def strength(self) -> float:
        """Value of the fault, or the default of the kind."""
        return ARM_FAULTS[self.kind].default if self.value is None else self.value

    @property
    def words(self) -> str:
        """Console line of the fault."""
        found = [self.kind]
        for key in _KEYS[1:]:
            value = getattr(self, key)
            if value is not None and (key, value) != ("at_s", 0.0):
                found.append(f"{key}={value:g}")
        return " ".join(found)


_KEYS: Final = tuple(field.name for field in fields(ArmFault))


def arm_fault_from(table: dict[str, Any]) -> ArmFault:
    """Build a fault from a table of a script.

    Args:
        table: Keys `kind`, `value`, `at_s`, `duration_s`.

    Raises:
        FaultError: If a key is unknown, missing or of the wrong type.
    """
    check_table(table, _KEYS, ARM_FAULTS)
    return ArmFault(**table)


def parse_arm_script(text: str) -> tuple[ArmFault, ...]:
    """Read a script: TOML with one `[[fault]]` table for each fault.

    Raises:
        FaultError: If it is no TOML, or a table is wrong; the text names its number.
    """
    return read_script(text, arm_fault_from)


def parse_arm_words(words: list[str]) -> ArmFault:
    """Read a line of the console: the kind, then `key=value` for each key.

    Args:
        words: The line, split at blanks; at least one word.

    Raises:
        FaultError: If a word makes no sense.
    """
    return arm_fault_from(read_words(words, _KEYS))


Hook = Callable[[str, bool, float], None]
"""Function of the kind, whether it begins, and the time [s], called when a fault begins or ends."""


class ArmFaultBoard:
    """Active faults and scheduled ones, stepped by time.

    Args:
        changed: Called when a fault begins or ends.
    """

    def __init__(self, changed: Hook) -> None:
        self._changed = changed
        self._waiting: list[tuple[float, ArmFault]] = []
        self._running: list[tuple[float, ArmFault]] = []
        self._values: dict[str, float] = {}

    def start(self, fault: ArmFault, now_s: float) -> None:
        """Schedule a fault, now or `at_s` later (monotonic time [s])."""
        self._waiting.append((now_s + fault.at_s, fault))
        self._waiting.sort(key=lambda item: item[0])
        self.advance(now_s)

    def clear(self, now_s: float, kind: str | None = None) -> int:
        """End active faults, or those of one kind, and forget scheduled ones; return how many."""
        ended = [item for item in self._running if kind in (None, item[1].kind)]
        forgotten = [item for item in self._waiting if kind in (None, item[1].kind)]
        self._running = [item for item in self._running if item not in ended]
        self._waiting = [item for item in self._waiting if item not in forgotten]
        self._refresh(now_s)
        return len(ended) + len(forgotten)

    def advance(self, now_s: float) -> None:
        """Begin and end the faults that are due, in order of time (monotonic time [s])."""
        while (due_s := self.due_s()) <= now_s:
            self._running = [item for item in self._running if item[0] > due_s]
            while self._waiting and self._waiting[0][0] <= due_s:
                fault = self._waiting.pop(0)[1]
                lasting = math.inf if fault.duration_s is None else fault.duration_s
                self._running.append((due_s + lasting, fault))
            self._refresh(due_s)

    def due_s(self) -> float:
        """Return when the next fault begins or ends [s]; inf if none does."""
        if not (self._running or self._waiting):  # asked for at every check
            return math.inf
        times = [until_s for until_s, _ in self._running]
        return min(times + [at_s for at_s, _ in self._waiting[:1]])

    def value(self, kind: str) -> float | None:
        """Return the value of an active fault, or None."""
        return self._values.get(kind)

    @property
    def active(self) -> tuple[ArmFault, ...]:
        """Active faults, oldest first."""
        return tuple(fault for _, fault in self._running)

    @property
    def waiting(self) -> tuple[tuple[float, ArmFault], ...]:
        """Scheduled faults with their times [s], the next one first."""
        return tuple(self._waiting)

    def _refresh(self, now_s: float) -> None:
        before = self._values
        self._values = {fault.kind: fault.strength for _, fault in self._running}
        # Oldest first: the order of a set of texts is another one in each process.
        for kind in [kind for kind in before if kind not in self._values]:
            self._changed(kind, False, now_s)
        for kind in [kind for kind in self._values if kind not in before]:
            self._changed(kind, True, now_s)
        once = [item for item in self._running if ARM_FAULTS[item[1].kind].momentary]
        for item in once:
            self._running.remove(item)
            self._values.pop(item[1].kind, None)
