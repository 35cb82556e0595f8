"""How faults are said: what a kind is, the checks of a fault, scripts, and lines of a console.

A line has the words of a script's table: `estop at_s=20 duration_s=3`. Which kinds a device has,
and what else a fault of it says, is the device's business.

Not modelled: faults that depend on what the device does; a script has times only.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sim.toml_reader import TomlReadError, read_table

Fault = TypeVar("Fault")


class FaultError(ValueError):
    """A fault is described wrongly; the text says what would be right."""


@dataclass(frozen=True, slots=True)
class FaultKind:
    """One kind of fault."""

    meaning: str
    """What happens."""
    default: float = 0.0
    """Value if none is given."""
    low: float = 0.0
    """Least value."""
    high: float = 0.0
    """Largest value."""
    value: str = ""
    """What the value is, with its unit; empty if the kind has none."""
    whole_bus: bool = False
    """Whether the adapter or the bus has the fault, not a drive."""
    momentary: bool = False
    """Whether it happens once and has no end."""


def kind_of(name: str, kinds: Mapping[str, FaultKind]) -> FaultKind:
    """Return a kind by its name.

    Raises:
        FaultError: If there is none.
    """
    kind = kinds.get(name)
    if kind is None:
        raise FaultError(f"there is no fault {name!r}: one of {', '.join(kinds)}")
    return kind


def check_value(name: str, kind: FaultKind, value: float | None) -> None:
    """Raise a `FaultError` if a kind cannot have a value; None stands for its default."""
    if value is None:
        return
    if not kind.value:
        raise FaultError(f"{name}: value = {value}: it has none, leave it out")
    if not kind.low <= value <= kind.high:  # also refuses NaN
        raise FaultError(f"{name}: value = {value}: {kind.value}, {kind.low:g} to {kind.high:g}")


def check_times(name: str, kind: FaultKind, at_s: float, duration_s: float | None) -> None:
    """Raise a `FaultError` if a fault cannot begin or last so [s]; None: until it is cleared."""
    if not (math.isfinite(at_s) and at_s >= 0.0):
        raise FaultError(f"{name}: at_s = {at_s} s: a time >= 0 s is needed")
    if duration_s is None:
        return
    if kind.momentary:
        raise FaultError(f"{name}: it happens once, leave duration_s out")
    if not (math.isfinite(duration_s) and duration_s > 0.0):
        raise FaultError(f"{name}: duration_s = {duration_s} s: a time above 0 s is needed")


def check_table(table: Mapping[str, Any], keys: tuple[str, ...], kinds: Iterable[str]) -> None:
    """Check the types of what every fault's table may say; other keys are the device's.

    Args:
        table: The table.
        keys: Keys that it may have, `kind` first.
        kinds: Names of the kinds.

    Raises:
        FaultError: If a key is unknown, missing or of the wrong type.
    """
    unknown = sorted(set(table) - set(keys))
    if unknown:
        raise FaultError(f"unknown key {unknown[0]!r}: the keys are {', '.join(keys)}")
    name = table.get("kind")
    if not isinstance(name, str):
        raise FaultError(f"kind = {name!r}: one of {', '.join(kinds)}")
    for key in ("value", "at_s", "duration_s"):
        number = table.get(key, 0.0)
        if isinstance(number, bool) or not isinstance(number, int | float):
            raise FaultError(f"{name}: {key} = {number!r}: a number is needed")


def read_script(text: str, build: Callable[[dict[str, Any]], Fault]) -> tuple[Fault, ...]:
    """Read a script: TOML with one `[[fault]]` table for each fault.

    Args:
        build: Makes a fault of a table.

    Raises:
        FaultError: If it is no TOML, or a table is wrong; the text names its number.
    """
    try:
        document = read_table(text)
    except TomlReadError as error:
        raise FaultError(f"the script {error}") from error
    tables = document.pop("fault", [])
    if document or not isinstance(tables, list):
        raise FaultError("a script holds [[fault]] tables and nothing else")
    faults: list[Fault] = []
    for number, table in enumerate(tables, start=1):
        try:
            if not isinstance(table, dict):
                raise FaultError(f"{table!r} is no table")
            faults.append(build(table))
        except FaultError as error:
            raise FaultError(f"fault {number}: {error}") from error
    return tuple(faults)


def read_words(words: list[str], keys: tuple[str, ...]) -> dict[str, Any]:
    """Read a line of a console: the kind, then `key=value` for each key.

    Args:
        words: The line, split at blanks; at least one word.
        keys: Keys that there are, `kind` first.

    Returns:
        The table that a script would have, to be checked as one; 0x10 is a number, too.

    Raises:
        FaultError: If a word makes no sense.
    """
    table: dict[str, Any] = {"kind": words[0]}
    for word in words[1:]:
        key, equals, text = word.partition("=")
        if not equals or key == "kind":
            raise FaultError(f"{word!r}: write key=value with {', '.join(keys[1:])}")
        if key in table:
            raise FaultError(f"{key} is given twice")
        try:
            table[key] = _number(text)
        except ValueError as error:
            raise FaultError(f"{key} = {text!r}: a number is needed") from error
    return table


def _number(text: str) -> float:
    try:
        return int(text, 0)
    except ValueError:
        return float(text)


def list_text(active: Iterable[str], waiting: Iterable[tuple[float, str]], now_s: float) -> str:
    """Return the answer to `list`.

    Args:
        active: Lines of the faults that are on.
        waiting: Times [s] and lines of those to come.
    """
    lines = [f"on: {line}" for line in active]
    lines += [f"in {due_s - now_s:.3f} s: {line}" for due_s, line in waiting]
    return "\n".join(lines) if lines else "no faults"


def kinds_text(kinds: Mapping[str, FaultKind]) -> list[str]:
    """Return a line of help for each kind."""
    width = max(map(len, kinds)) + 1
    lines = []
    for name, kind in kinds.items():
        what = f"; value: {kind.value}, default {kind.default:g}" if kind.value else ""
        lines.append(f"  {name:{width}s} {kind.meaning}{what}")
    return lines
