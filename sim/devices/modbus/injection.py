"""Faults of the emulated Modbus rack as lines and scripts: what there is, and how it is written.

A fault is one line, on the console or in a script: `kind [axis] [value] [for seconds]`, such as
`delay 0.08 for 1`, `estop 3`, `exception 4`, `jump 2 0.05`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from typing import Final

from sim.devices.drive.parameters import NODES
from sim.toml_reader import TomlReadError, read_table


class ModbusFaultError(ValueError):
    """A fault that cannot be injected as written; the text says what would be right."""


class Takes(Enum):
    """What follows the name of a fault."""

    NOTHING = "nothing"
    VALUE = "a value"
    AXIS = "an axis"
    AXIS_AND_VALUE = "an axis and a value"


@dataclass(frozen=True, slots=True)
class InjectionKind:
    """One kind of fault."""

    takes: Takes
    """What follows its name."""
    text: str
    """What it does."""
    low: float = 0.0
    """Least value."""
    high: float = 0.0
    """Greatest value."""


KINDS: Final[dict[str, InjectionKind]] = {
    "drop": InjectionKind(Takes.NOTHING, "answers are lost"),
    "delay": InjectionKind(Takes.VALUE, "answers come later [s]", 0.0, 60.0),
    "garble": InjectionKind(Takes.NOTHING, "a byte of each answer is flipped"),
    "truncate": InjectionKind(Takes.NOTHING, "answers lose their last three bytes"),
    "glue": InjectionKind(Takes.NOTHING, "each answer comes twice in one piece"),
    "exception": InjectionKind(Takes.VALUE, "requests are refused with this code", 1, 255),
    "wrong_unit": InjectionKind(Takes.VALUE, "answers carry this unit address", 1, 247),
    "mute": InjectionKind(Takes.NOTHING, "requests are not heard at all"),
    "unplug": InjectionKind(Takes.NOTHING, "the connection is cut, the pty hangs up"),
    "stuck": InjectionKind(Takes.AXIS, "state words stay what they are"),
    "jump": InjectionKind(Takes.AXIS_AND_VALUE, "the encoder jumps [m]", -10.0, 10.0),
    "lag": InjectionKind(Takes.AXIS_AND_VALUE, "the rod crawls after its setpoint [s]", 0.0, 10.0),
    "scale": InjectionKind(
        Takes.AXIS_AND_VALUE, "the encoder counts this much for each metre", -1e4, 1e4
    ),
    "state_drop": InjectionKind(Takes.AXIS, "the drive switches itself off"),
    "emcy": InjectionKind(Takes.AXIS_AND_VALUE, "the drive trips with this code", 1, 0xFFFF),
    "unwatched": InjectionKind(Takes.AXIS, "the drive does not notice that the bench is silent"),
    "estop": InjectionKind(Takes.AXIS, "the interlock input opens"),
    "reboot": InjectionKind(Takes.NOTHING, "the device restarts"),
}


@dataclass(frozen=True, slots=True)
class ModbusInjection:
    """One fault.

    Raises:
        ModbusFaultError: If it cannot be injected.
    """

    kind: str
    """One of `KINDS`."""
    axis: int = 0
    """Axis 1 to 6; 0 where the kind takes none."""
    value: float = 0.0
    """What the kind says."""
    duration_s: float | None = None
    """How long it lasts [s]; None until it is cleared."""

    def __post_init__(self) -> None:
        kind = KINDS.get(self.kind)
        if kind is None:
            raise ModbusFaultError(f"fault {self.kind!r} is unknown; known: {', '.join(KINDS)}")
        if kind.takes in (Takes.AXIS, Takes.AXIS_AND_VALUE) and not 1 <= self.axis <= NODES:
            raise ModbusFaultError(f"{self.kind}: axis {self.axis}, 1 to {NODES} is needed")
        if kind.takes in (Takes.VALUE, Takes.AXIS_AND_VALUE) and not (
            kind.low <= self.value <= kind.high
        ):
            text = f"{self.kind}: value {self.value:g}, {kind.low:g} to {kind.high:g} is needed"
            raise ModbusFaultError(text)
        lasting = self.duration_s
        if lasting is not None and not (math.isfinite(lasting) and lasting > 0.0):
            raise ModbusFaultError(f"{self.kind}: for {lasting} s, more than 0 is needed")


def parse_fault(line: str) -> ModbusInjection:
    """Return the fault of a console line.

    Args:
        line: `kind [axis] [value] [for seconds]`.

    Raises:
        ModbusFaultError: If the line is none; the text says what would be right.
    """
    words = line.split()
    lasting: float | None = None
    if len(words) >= 2 and words[-2] == "for":
        lasting = _number(words[-1], line)
        words = words[:-2]
    name = words[0] if words else ""
    kind = KINDS.get(name)
    if kind is None:
        raise ModbusFaultError(f"fault {name!r} is unknown; known: {', '.join(KINDS)}")
    wanted = {Takes.NOTHING: 0, Takes.VALUE: 1, Takes.AXIS: 1, Takes.AXIS_AND_VALUE: 2}[kind.takes]
    if len(words) != 1 + wanted:
        raise ModbusFaultError(f"{line.strip()!r}: {name} takes {kind.takes.value} [for seconds]")
    numbers = [_number(word, line) for word in words[1:]]
    axis = int(numbers.pop(0)) if kind.takes in (Takes.AXIS, Takes.AXIS_AND_VALUE) else 0
    return ModbusInjection(name, axis, numbers[0] if numbers else 0.0, lasting)


def parse_script(text: str) -> tuple[tuple[float, ModbusInjection], ...]:
    """Return the faults of a TOML script, `[[fault]]` tables of `at_s` and `line`, in time order.

    Raises:
        ModbusFaultError: If it is no such script.
    """
    try:
        table = read_table(text)
    except TomlReadError as error:
        raise ModbusFaultError(f"the fault script {error}") from error
    found: list[tuple[float, ModbusInjection]] = []
    if set(table) - {"fault"} or not isinstance(table.get("fault", []), list):
        raise ModbusFaultError("a fault script holds [[fault]] tables with at_s and line")
    for number, entry in enumerate(table.get("fault", []), start=1):
        at_s = entry.get("at_s")
        if set(entry) != {"at_s", "line"} or type(at_s) not in (int, float) or not at_s >= 0.0:
            raise ModbusFaultError(f"fault {number}: exactly at_s >= 0 and line are needed")
        found.append((float(at_s), parse_fault(str(entry["line"]))))
    return tuple(sorted(found, key=lambda each: each[0]))


def _number(word: str, line: str) -> float:
    try:
        value = float(int(word, 0)) if word.lower().startswith("0x") else float(word)
    except ValueError:
        raise ModbusFaultError(f"{line.strip()!r}: {word!r} is no number") from None
    if not math.isfinite(value):
        raise ModbusFaultError(f"{line.strip()!r}: {word!r} is not finite")
    return value
