"""Faults that a rack can have: what they are, and how a line or a script says them.

Drives are numbered 1 to 6 here, whatever their node ids; 0 means all six, or the whole bus.
A line of the console has the words of a script's table: `drop node=3 value=0.1 duration_s=2`.

Not modelled: faults of the supply, of single bits on the wire (a garbled line stands for them),
of the bus termination.
"""

from __future__ import annotations

import math
import tomllib
from dataclasses import dataclass, fields
from typing import Any, Final

from sim.devices.drive_parameters import NODES


class FaultError(ValueError):
    """A fault is described wrongly; the text says what would be right."""


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of fault.

    Attributes:
        meaning: What happens.
        default: Value if none is given.
        low: Least value.
        high: Largest value.
        value: What the value is, with its unit; empty if the kind has none.
        whole_bus: Whether the adapter or the bus has the fault, not a drive.
        momentary: Whether it happens once and has no end.
    """

    meaning: str
    default: float = 0.0
    low: float = 0.0
    high: float = 0.0
    value: str = ""
    whole_bus: bool = False
    momentary: bool = False


KINDS: Final[dict[str, Kind]] = {
    "drop": Kind("TPDOs get lost", 1.0, 0.0, 1.0, "probability"),
    "delay": Kind("frames reach the master late", 0.01, 0.0, 10.0, "delay in s"),
    "garble": Kind("lines of the adapter become garbage", 1.0, 0.0, 1.0, "probability"),
    "truncate": Kind("lines of the adapter lose their end", 1.0, 0.0, 1.0, "probability"),
    "stuck": Kind("TPDOs repeat old data"),
    "jump": Kind("the encoder jumps", 0.05, -10.0, 10.0, "distance in m"),
    "scale": Kind("the encoder counts too much or too little", 2.0, 0.001, 1000.0, "factor"),
    "mute": Kind("no heartbeat and no TPDO"),
    "absent": Kind("the drive has no supply"),
    "reboot": Kind("the drive loses its supply for a moment", momentary=True),
    "emcy": Kind("the drive trips", 0xFF00, 1, 0xFFFF, "error code"),
    "state_drop": Kind("the drive disables itself"),
    "wrong_node": Kind("the drive answers as another node", 120, 1, 127, "node id"),
    "lag": Kind("the rod crawls after its setpoint", 0.2, 0.001, 100.0, "time constant in s"),
    "estop": Kind("the interlock of the STO input is ...", 0, 0, 1, "0 open, 1 closed"),
    "bus_off": Kind("the adapter is bus-off, frames die", whole_bus=True),
    "error_passive": Kind("the adapter is error passive", whole_bus=True),
    "unplug": Kind("the adapter is pulled out", whole_bus=True),
    "stall": Kind("the adapter stops reading", whole_bus=True),
    "second_master": Kind(
        "somebody else sends SYNC and heartbeat", 0.01, 0.001, 10.0, "period in s", whole_bus=True
    ),
}
"""Every kind of fault by name."""


@dataclass(frozen=True, slots=True)
class Injection:
    """A fault to have.

    Attributes:
        kind: Name in `KINDS`.
        node: Drive 1 to 6; 0 = all six, and for the kinds of the whole bus.
        value: Its value; None for the default of the kind.
        at_s: Begins so long after it was given [s].
        duration_s: Lasts so long [s]; None = until it is cleared.

    Raises:
        FaultError: If there is no such kind, drive, value or time.
    """

    kind: str
    node: int = 0
    value: float | None = None
    at_s: float = 0.0
    duration_s: float | None = None

    def __post_init__(self) -> None:
        kind = KINDS.get(self.kind)
        if kind is None:
            raise FaultError(f"there is no fault {self.kind!r}: one of {', '.join(KINDS)}")
        if not 0 <= self.node <= NODES:
            raise FaultError(f"{self.kind}: node = {self.node}: drives are 1 to {NODES}, 0 = all")
        if kind.whole_bus and self.node:
            raise FaultError(f"{self.kind}: node = {self.node}: the whole bus has it, leave it out")
        self._check_value(kind)
        if not (math.isfinite(self.at_s) and self.at_s >= 0.0):
            raise FaultError(f"{self.kind}: at_s = {self.at_s} s: a time >= 0 s is needed")
        if self.duration_s is not None:
            if kind.momentary:
                raise FaultError(f"{self.kind}: it happens once, leave duration_s out")
            if not (math.isfinite(self.duration_s) and self.duration_s > 0.0):
                raise FaultError(
                    f"{self.kind}: duration_s = {self.duration_s} s: a time above 0 s is needed"
                )

    def _check_value(self, kind: Kind) -> None:
        if self.value is None:
            return
        if not kind.value:
            raise FaultError(f"{self.kind}: value = {self.value}: it has none, leave it out")
        if not kind.low <= self.value <= kind.high:  # also refuses NaN
            raise FaultError(
                f"{self.kind}: value = {self.value}: {kind.value}, {kind.low:g} to {kind.high:g}"
            )

    @property
    def strength(self) -> float:
        """The value, or the default of the kind."""
        return KINDS[self.kind].default if self.value is None else self.value

    @property
    def drives(self) -> tuple[int, ...]:
        """Indices of the drives that have it, from 0; (-1,) for the whole bus."""
        if KINDS[self.kind].whole_bus:
            return (-1,)
        return tuple(range(NODES)) if self.node == 0 else (self.node - 1,)


_KEYS: Final = tuple(field.name for field in fields(Injection))


def injection_from(table: dict[str, Any]) -> Injection:
    """Build a fault from a table of a script.

    Args:
        table: Keys `kind`, `node`, `value`, `at_s`, `duration_s`.

    Raises:
        FaultError: If a key is unknown, missing or of the wrong type.
    """
    unknown = sorted(set(table) - set(_KEYS))
    if unknown:
        raise FaultError(f"unknown key {unknown[0]!r}: the keys are {', '.join(_KEYS)}")
    kind = table.get("kind")
    if not isinstance(kind, str):
        raise FaultError(f"kind = {kind!r}: one of {', '.join(KINDS)}")
    node = table.get("node", 0)
    if isinstance(node, bool) or not isinstance(node, int):
        raise FaultError(f"{kind}: node = {node!r}: a drive 1 to {NODES}, 0 = all")
    for key in ("value", "at_s", "duration_s"):
        number = table.get(key, 0.0)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise FaultError(f"{kind}: {key} = {number!r}: a number is needed")
    return Injection(**table)


def parse_script(text: str) -> tuple[Injection, ...]:
    """Read a script: TOML with one `[[fault]]` table for each fault.

    Args:
        text: The script.

    Raises:
        FaultError: If it is no TOML, or a table is wrong; the text names its number.
    """
    try:
        document = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise FaultError(f"the script is no TOML: {error}") from error
    tables = document.pop("fault", [])
    if document or not isinstance(tables, list):
        raise FaultError("a script holds [[fault]] tables and nothing else")
    faults: list[Injection] = []
    for number, table in enumerate(tables, start=1):
        try:
            if not isinstance(table, dict):
                raise FaultError(f"{table!r} is no table")
            faults.append(injection_from(table))
        except FaultError as error:
            raise FaultError(f"fault {number}: {error}") from error
    return tuple(faults)


def parse_words(words: list[str]) -> Injection:
    """Read a line of the console: the kind, then `key=value` for each key.

    Args:
        words: The line, split at blanks.

    Raises:
        FaultError: If a word makes no sense.
    """
    table: dict[str, Any] = {"kind": words[0]}
    for word in words[1:]:
        key, equals, text = word.partition("=")
        if not equals or key == "kind":
            raise FaultError(f"{word!r}: write key=value with {', '.join(_KEYS[1:])}")
        if key in table:
            raise FaultError(f"{key} is given twice")
        try:
            table[key] = int(text, 0)
        except ValueError:
            try:
                table[key] = float(text)
            except ValueError as error:
                raise FaultError(f"{key} = {text!r}: a number is needed") from error
    return injection_from(table)
