"""Definition of one object of a CANopen dictionary: type, access, default (CiA 301, CiA 306).

Not modelled: bit types, 64-bit and real types; the emulated drive has none.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from canopen.objectdictionary import datatypes as dt

FORMATS: Final = {
    dt.INTEGER8: "b",
    dt.INTEGER16: "h",
    dt.INTEGER32: "i",
    dt.UNSIGNED8: "B",
    dt.UNSIGNED16: "H",
    dt.UNSIGNED32: "I",
}
"""Format characters of the `struct` module for each numeric type of CiA 301."""


@dataclass(frozen=True, slots=True)
class DictionaryEntry:
    """One variable of the object dictionary."""

    index: int
    """Object, 16 bits."""
    subindex: int
    """Sub-index, 8 bits."""
    name: str
    """Name as in the standard."""
    data_type: int
    """Type number of CiA 301."""
    access: str
    """`ro`, `rw`, `wo` or `const`."""
    default: int | str
    """Value after power-up; node id left out where `relative`."""
    mappable: bool = False
    """Whether a PDO can carry it."""
    relative: bool = False
    """Whether the node id is added to the default."""
    allowed: tuple[int, ...] | None = None
    """Values that a master may write, if they are few."""
    low: int | None = None
    """Least value that a master may write."""
    high: int | None = None
    """Largest value that a master may write."""
    step: int = 1
    """Step of the values; what is written is rounded down to a multiple of it."""

    @property
    def bits(self) -> int:
        """Length of a numeric variable; 0 for text."""
        code = FORMATS.get(self.data_type)
        return 0 if code is None else 8 * struct.calcsize(code)

    def encode(self, value: int | str) -> bytes:
        """Return the bytes of a value, least significant first."""
        if isinstance(value, str):
            return value.encode("ascii")
        return struct.pack("<" + FORMATS[self.data_type], value)

    def decode(self, data: bytes) -> int:
        """Return the number in so many bytes."""
        (value,) = struct.unpack("<" + FORMATS[self.data_type], data)
        return value


@dataclass(frozen=True, slots=True)
class Group:
    """A record or an array: several variables under one index."""

    index: int
    """Object, 16 bits."""
    name: str
    """Name as in the standard."""
    is_array: bool
    """Whether all variables after the first are alike."""
    entries: tuple[DictionaryEntry, ...]
    """The variables, sub-index 0 first."""


Row = DictionaryEntry | Group


def group(
    index: int, name: str, entries: tuple[DictionaryEntry, ...], *, is_array: bool = False
) -> Group:
    """Return a record or array with its sub-index 0, which has the highest one.

    Args:
        index: Object, 16 bits.
        name: Name as in the standard.
        entries: Its variables from sub-index 1.
        is_array: Whether they are all alike.
    """
    highest = max(entry.subindex for entry in entries)
    count = DictionaryEntry(index, 0, "Highest sub-index supported", dt.UNSIGNED8, "const", highest)
    return Group(index, name, is_array, (count, *entries))
