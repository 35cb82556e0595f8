"""A strict reader for the tables of a register map: a key that nobody asks for is refused."""

import itertools
from collections.abc import Mapping
from enum import Enum
from typing import Any, NamedTuple

from drives.bank import DriveModelError


class RegisterMapError(DriveModelError):
    """A register map contradicts itself or the protocol; the text names file and key."""


class RegisterType(Enum):
    """Type of a value in registers."""

    U16 = "u16"
    I16 = "i16"
    U32 = "u32"
    I32 = "i32"

    @property
    def registers(self) -> int:
        """Return how many registers a value takes."""
        return 2 if self in (RegisterType.U32, RegisterType.I32) else 1


class FieldPlace(NamedTuple):
    """Place of a value: registers after the beginning of its axis."""

    name: str
    offset: int
    type: RegisterType


class StrictTable:
    """One table of a map, read strictly: `finish` refuses what nobody asked for.

    Args:
        source: Name of the file, for errors.
        path: Where in the file it is; "" at the top.

    Raises:
        RegisterMapError: If it is no table; each method if the file holds something else.
    """

    def __init__(self, values: object, source: str, path: str) -> None:
        if not isinstance(values, Mapping):
            raise RegisterMapError(f"{source}: {path or 'map'} is {values!r}, a table is needed")
        self._values, self._source, self._path = values, source, path
        self._known: set[str] = set()

    def error(self, key: str, text: str) -> RegisterMapError:
        """Return the error of a key: file, place, and what is wrong with it."""
        place = f"{self._path}.{key}" if self._path else key
        return RegisterMapError(f"{self._source}: {place} {text}")

    def has(self, key: str) -> bool:
        """Say whether the key is there; from now on it is known."""
        self._known.add(key)
        return key in self._values

    def value(self, key: str) -> Any:
        """Return the value of a key; it must be there."""
        if not self.has(key):
            raise self.error(key, "is missing")
        return self._values[key]

    def number(self, key: str, low: int, high: int) -> int:
        """Return a whole number from `low` to `high`."""
        value = self.value(key)
        if type(value) is not int or not low <= value <= high:
            raise self.error(key, f"is {value!r}, a whole number from {low} to {high} is needed")
        return value

    def optional_number(self, key: str, low: int, high: int) -> int | None:
        """Return a whole number from `low` to `high`, or None if the key is not there."""
        return self.number(key, low, high) if self.has(key) else None

    def offsets(self, key: str, highest: int) -> tuple[int, ...]:
        """Return a list of whole numbers from 0 to `highest`; none if the key is not there."""
        found = self.value(key) if self.has(key) else []
        if not isinstance(found, list) or not all(
            type(one) is int and 0 <= one <= highest for one in found
        ):
            raise self.error(key, f"is {found!r}, a list of numbers from 0 to {highest} is needed")
        return tuple(found)

    def text(self, key: str, default: str | None = None) -> str:
        """Return a text, or the default if the key is not there."""
        if default is not None and not self.has(key):
            return default
        value = self.value(key)
        if not isinstance(value, str):
            raise self.error(key, f"is {value!r}, a text is needed")
        return value

    def flag(self, key: str, *, default: bool) -> bool:
        """Return true or false, or the default if the key is not there."""
        value = self.value(key) if self.has(key) else default
        if type(value) is not bool:
            raise self.error(key, f"is {value!r}, true or false is needed")
        return value

    def table(self, key: str) -> "StrictTable":
        """Return the table of a key."""
        path = f"{self._path}.{key}" if self._path else key
        return StrictTable(self.value(key), self._source, path)

    def places(self, types: Mapping[str, RegisterType], stride: int) -> tuple[FieldPlace, ...]:
        """Read this table as offsets of named values, ordered by offset."""
        found = [
            FieldPlace(name, self.number(name, 0, stride - kind.registers), kind)
            for name, kind in types.items()
            if self.has(name)
        ]
        self.finish()
        found.sort(key=lambda place: place.offset)
        for before, after in itertools.pairwise(found):
            end = before.offset + before.type.registers
            if after.offset < end:
                text = f"is {after.offset} and overlaps {before.name}; {end} or more is needed"
                raise self.error(after.name, text)
        return tuple(found)

    def finish(self) -> None:
        """Refuse keys that nobody asked for."""
        for key in self._values:
            if key not in self._known:
                raise self.error(str(key), f"is unknown; known: {', '.join(sorted(self._known))}")
