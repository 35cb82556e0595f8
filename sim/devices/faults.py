"""Faults of a rack: `drop node=3 value=0.1 duration_s=2`.

Drives are numbered 1 to 6 here, whatever their node ids; 0 means all six, or the whole bus.

Not modelled: faults of the supply, of single bits on the wire (a garbled line represents them),
of the bus termination.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final

from sim.devices.drive.parameters import NODES
from sim.devices.fault_text import (
    FaultError,
    FaultKind,
    check_table,
    check_times,
    check_value,
    kind_of,
    read_script,
    read_words,
)

KINDS: Final[dict[str, FaultKind]] = {
    "drop": FaultKind("TPDOs get lost", 1.0, 0.0, 1.0, "probability"),
    "delay": FaultKind("frames reach the master late", 0.01, 0.0, 10.0, "delay in s"),
    "garble": FaultKind("lines of the adapter become garbage", 1.0, 0.0, 1.0, "probability"),
    "truncate": FaultKind("lines of the adapter lose their end", 1.0, 0.0, 1.0, "probability"),
    "stuck": FaultKind("TPDOs repeat old data"),
    "jump": FaultKind("the encoder jumps", 0.05, -10.0, 10.0, "distance in m"),
    "scale": FaultKind("the encoder counts too much or too little", 2.0, 0.001, 1000.0, "factor"),
    "mute": FaultKind("no heartbeat and no TPDO"),
    "absent": FaultKind("the drive has no supply"),
    "reboot": FaultKind("the drive loses its supply for a moment", momentary=True),
    "emcy": FaultKind("the drive trips", 0xFF00, 1, 0xFFFF, "error code"),
    "state_drop": FaultKind("the drive disables itself"),
    "wrong_node": FaultKind("the drive answers as another node", 120, 1, 127, "node id"),
    "lag": FaultKind("the rod crawls after its setpoint", 0.2, 0.001, 100.0, "time constant in s"),
    "unwatched": FaultKind("the drive does not notice that the bench is silent"),
    "estop": FaultKind("the interlock of the STO input is ...", 0, 0, 1, "0 open, 1 closed"),
    "bus_off": FaultKind("the adapter is bus-off, frames die", whole_bus=True),
    "error_passive": FaultKind("the adapter is error passive", whole_bus=True),
    "unplug": FaultKind("the adapter is pulled out", whole_bus=True),
    "stall": FaultKind("the adapter stops reading", whole_bus=True),
    "second_master": FaultKind(
        "somebody else sends SYNC and heartbeat", 0.01, 0.001, 10.0, "period in s", whole_bus=True
    ),
}
"""Every kind of fault by name."""


@dataclass(frozen=True, slots=True)
class Injection:
    """Fault of the rack, with its times.

    Raises:
        FaultError: If there is no such kind, drive, value or time.
    """

    kind: str
    """Name in `KINDS`."""
    node: int = 0
    """Drive 1 to 6; 0 = all six, and for the kinds of the whole bus."""
    value: float | None = None
    """Value of the fault; None for the default of the kind."""
    at_s: float = 0.0
    """Begin after the time at which it was given [s]."""
    duration_s: float | None = None
    """Duration [s]; None = until it is cleared."""

    def __post_init__(self) -> None:
        kind = kind_of(self.kind, KINDS)
        if not 0 <= self.node <= NODES:
            raise FaultError(f"{self.kind}: node = {self.node}: drives are 1 to {NODES}, 0 = all")
        if kind.whole_bus and self.node:
            raise FaultError(f"{self.kind}: node = {self.node}: the whole bus has it, leave it out")
        check_value(self.kind, kind, self.value)
        check_times(self.kind, kind, self.at_s, self.duration_s)

    @property
    def strength(self) -> float:
        """Value of the fault, or the default of the kind."""
        return KINDS[self.kind].default if self.value is None else self.value

    @property
    def drives(self) -> tuple[int, ...]:
        """Indices of the affected drives, from 0; (-1,) for the whole bus."""
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
    check_table(table, _KEYS, KINDS)
    node = table.get("node", 0)
    if isinstance(node, bool) or not isinstance(node, int):
        raise FaultError(f"{table['kind']}: node = {node!r}: a drive 1 to {NODES}, 0 = all")
    return Injection(**table)


def parse_script(text: str) -> tuple[Injection, ...]:
    """Read a script: TOML with one `[[fault]]` table for each fault.

    Raises:
        FaultError: If it is no TOML, or a table is wrong; the text names its number.
    """
    return read_script(text, injection_from)


def parse_words(words: list[str]) -> Injection:
    """Read a line of the console: the kind, then `key=value` for each key.

    Args:
        words: The line, split at blanks; at least one word.

    Raises:
        FaultError: If a word makes no sense.
    """
    return injection_from(read_words(words, _KEYS))
