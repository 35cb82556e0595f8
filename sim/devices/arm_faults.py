"""Faults of the emulated arm: what they are, how lines and scripts say them, when they are on.

    estop at_s=20 duration_s=3
    noise value=0.01

Not modelled: faults of single joints; faults that depend on what the arm does.
"""

from __future__ import annotations

import math
import tomllib
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any, Final


class ArmFaultError(ValueError):
    """A fault is described wrongly; the text says what would be right."""


@dataclass(frozen=True, slots=True)
class ArmFaultKind:
    """One kind of fault.

    Attributes:
        meaning: What happens.
        value: What its value is, with unit; empty if it has none.
        default: Value if none is given.
        low: Least value.
        high: Largest value.
        momentary: Whether it happens once and has no end.
    """

    meaning: str
    value: str = ""
    default: float = 0.0
    low: float = 0.0
    high: float = 0.0
    momentary: bool = False


def _chance(meaning: str, default: float) -> ArmFaultKind:
    return ArmFaultKind(meaning, "probability", default, 0.0, 1.0)


ARM_FAULTS: Final[dict[str, ArmFaultKind]] = {
    "noise": _chance("a stray byte comes after a byte, both ways, for each", 0.02),
    "parity": _chance("a bit of a byte turns over, both ways, for each", 0.02),
    "drop_request": _chance("requests get lost", 1.0),
    "drop_answer": _chance("answers get lost", 1.0),
    "repeat_request": _chance("requests are sent twice", 1.0),
    "repeat_answer": _chance("answers are received twice", 1.0),
    "echo": ArmFaultKind("the controller echoes what it receives, as a terminal line does"),
    "silence": ArmFaultKind("nothing leaves the controller"),
    "stall": ArmFaultKind("requests are late", "delay in s", 0.2, 0.0, 10.0),
    "estop": ArmFaultKind("the emergency stop is pressed"),
    "power_off": ArmFaultKind("arm power is off"),
    "uncalibrated": ArmFaultKind("the arm is not calibrated"),
    "elsewhere": ArmFaultKind(
        "the arm at rest is moved up by hand", "distance in m", 0.01, -0.2, 0.2, momentary=True
    ),
    "unplug": ArmFaultKind("the cable is pulled out"),
}
"""Every kind of fault by name."""


@dataclass(frozen=True, slots=True)
class ArmFault:
    """A fault to have.

    Attributes:
        kind: Name in `ARM_FAULTS`.
        value: Its value; None for the default of the kind.
        at_s: Begins so long after it was given [s].
        duration_s: Lasts so long [s]; None: until it is cleared.

    Raises:
        ArmFaultError: If there is no such kind, value or time.
    """

    kind: str
    value: float | None = None
    at_s: float = 0.0
    duration_s: float | None = None

    def __post_init__(self) -> None:
        kind = ARM_FAULTS.get(self.kind)
        if kind is None:
            raise ArmFaultError(f"there is no fault {self.kind!r}: one of {', '.join(ARM_FAULTS)}")
        if self.value is not None:
            if not kind.value:
                raise ArmFaultError(f"{self.kind}: value = {self.value}: it has none, leave it out")
            if not kind.low <= self.value <= kind.high:  # also refuses NaN
                raise ArmFaultError(
                    f"{self.kind}: value = {self.value}: {kind.value}, {kind.low:g} to "
                    f"{kind.high:g}"
                )
        if not (math.isfinite(self.at_s) and self.at_s >= 0.0):
            raise ArmFaultError(f"{self.kind}: at_s = {self.at_s} s: a time >= 0 s is needed")
        if self.duration_s is None:
            return
        if kind.momentary:
            raise ArmFaultError(f"{self.kind}: it happens once, leave duration_s out")
        if not (math.isfinite(self.duration_s) and self.duration_s > 0.0):
            raise ArmFaultError(
                f"{self.kind}: duration_s = {self.duration_s} s: a time above 0 s is needed"
            )

    @property
    def strength(self) -> float:
        """The value, or the default of the kind."""
        return ARM_FAULTS[self.kind].default if self.value is None else self.value

    @property
    def words(self) -> str:
        """The line that says it."""
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
        ArmFaultError: If a key is unknown, missing or of the wrong type.
    """
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise ArmFaultError(f"unknown key {unknown[0]!r}: the keys are {', '.join(_KEYS)}")
    if not isinstance(table.get("kind"), str):
        raise ArmFaultError(f"kind = {table.get('kind')!r}: one of {', '.join(ARM_FAULTS)}")
    for key in _KEYS[1:]:
        number = table.get(key, 0.0)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise ArmFaultError(f"{table['kind']}: {key} = {number!r}: a number is needed")
    return ArmFault(**table)


def parse_arm_script(text: str) -> tuple[ArmFault, ...]:
    """Read a script: TOML with one `[[fault]]` table for each fault.

    Args:
        text: The script.

    Raises:
        ArmFaultError: If it is no TOML, or a table is wrong; the text names its number.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ArmFaultError(f"the script is no TOML: {error}") from error
    tables = document.pop("fault", [])
    if document or not isinstance(tables, list):
        raise ArmFaultError("a script holds [[fault]] tables and nothing else")
    found: list[ArmFault] = []
    for number, table in enumerate(tables, start=1):
        try:
            if not isinstance(table, dict):
                raise ArmFaultError(f"{table!r} is no table")
            found.append(arm_fault_from(table))
        except ArmFaultError as error:
            raise ArmFaultError(f"fault {number}: {error}") from error
    return tuple(found)


def parse_arm_words(words: list[str]) -> ArmFault:
    """Read a line of the console: the kind, then `key=value` for each key.

    Args:
        words: The line, split at blanks; at least one word.

    Raises:
        ArmFaultError: If a word makes no sense.
    """
    table: dict[str, Any] = {"kind": words[0]}
    for word in words[1:]:
        key, equals, text = word.partition("=")
        if not equals or key not in _KEYS[1:]:
            raise ArmFaultError(f"{word!r}: write key=value with {', '.join(_KEYS[1:])}")
        if key in table:
            raise ArmFaultError(f"{key} is given twice")
        try:
            table[key] = float(text)
        except ValueError as error:
            raise ArmFaultError(f"{key} = {text!r}: a number is needed") from error
    return arm_fault_from(table)


Hook = Callable[[str, bool, float], None]
"""Called with the kind, whether it begins, and the time [s], when a fault begins or ends."""


class ArmFaultBoard:
    """The faults that are on, and those that will be, stepped by time.

    Args:
        changed: Called when a fault begins or ends.
    """

    def __init__(self, changed: Hook) -> None:
        self._changed = changed
        self._waiting: list[tuple[float, ArmFault]] = []
        self._running: list[tuple[float, ArmFault]] = []
        self._values: dict[str, float] = {}

    def start(self, fault: ArmFault, now_s: float) -> None:
        """Have a fault, now or `at_s` later (monotonic time [s])."""
        self._waiting.append((now_s + fault.at_s, fault))
        self._waiting.sort(key=lambda item: item[0])
        self.advance(now_s)

    def clear(self, now_s: float, kind: str | None = None) -> int:
        """End faults, or those of one kind, and forget those to come; return how many."""
        ended = [item for item in self._running if kind in (None, item[1].kind)]
        forgotten = [item for item in self._waiting if kind in (None, item[1].kind)]
        self._running = [item for item in self._running if item not in ended]
        self._waiting = [item for item in self._waiting if item not in forgotten]
        self._refresh(now_s)
        return len(ended) + len(forgotten)

    def advance(self, now_s: float) -> None:
        """Begin and end what is due, in the order of its times (monotonic time [s])."""
        while (due_s := self.due_s()) <= now_s:
            self._running = [item for item in self._running if item[0] > due_s]
            while self._waiting and self._waiting[0][0] <= due_s:
                fault = self._waiting.pop(0)[1]
                lasting = math.inf if fault.duration_s is None else fault.duration_s
                self._running.append((due_s + lasting, fault))
            self._refresh(due_s)

    def due_s(self) -> float:
        """Return when the next fault begins or ends [s]; inf if none does."""
        times = [until_s for until_s, _ in self._running]
        return min(times + [at_s for at_s, _ in self._waiting[:1]], default=math.inf)

    def value(self, kind: str) -> float | None:
        """Return the value of a fault that is on, or None."""
        return self._values.get(kind)

    @property
    def active(self) -> tuple[ArmFault, ...]:
        """Faults that are on, oldest first."""
        return tuple(fault for _, fault in self._running)

    @property
    def waiting(self) -> tuple[tuple[float, ArmFault], ...]:
        """Faults to come with their times [s], the next one first."""
        return tuple(self._waiting)

    def _refresh(self, now_s: float) -> None:
        before = self._values
        self._values = {fault.kind: fault.strength for _, fault in self._running}
        for kind in before.keys() - self._values.keys():
            self._changed(kind, False, now_s)
        for kind in self._values.keys() - before.keys():
            self._changed(kind, True, now_s)
        once = [item for item in self._running if ARM_FAULTS[item[1].kind].momentary]
        for item in once:
            self._running.remove(item)
            self._values.pop(item[1].kind, None)
