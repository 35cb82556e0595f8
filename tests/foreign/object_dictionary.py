"""The object dictionary of a CANopen slave: rows with types, ranges and access (CiA 301, 7.4).

A slave is a table; how two slaves differ is how their tables differ.
"""

import struct
from collections.abc import Callable
from dataclasses import dataclass

Key = tuple[int, int]
"""Index and sub-index."""


class AbortError(Exception):
    """An SDO transfer is refused (CiA 301, table 22)."""

    def __init__(self, code: int) -> None:
        super().__init__(f"{code:08X}h")
        self.code = code


TOGGLE_BIT_NOT_ALTERNATED = 0x0503_0000
COMMAND_NOT_KNOWN = 0x0504_0001
READ_OF_WRITE_ONLY = 0x0601_0001
WRITE_OF_READ_ONLY = 0x0601_0002
NO_SUCH_OBJECT = 0x0602_0000
CANNOT_BE_MAPPED = 0x0604_0041
PDO_TOO_LONG = 0x0604_0042
INCOMPATIBLE = 0x0604_0043
LENGTH_TOO_HIGH = 0x0607_0012
LENGTH_TOO_LOW = 0x0607_0013
NO_SUCH_SUB_INDEX = 0x0609_0011
VALUE_TOO_HIGH = 0x0609_0031
VALUE_TOO_LOW = 0x0609_0032
INVALID_VALUE = 0x0609_0030
NOT_IN_THIS_STATE = 0x0800_0022


@dataclass(slots=True)
class Row:
    """One object.

    Args:
        code: type as of `struct`: "b" INTEGER8 to "I" UNSIGNED32; "s" VISIBLE_STRING.
        value: what it holds.
        access: "rw", "ro", "wo".
        low: least value that can be written; None: what the type holds.
        high: largest value that can be written.
        mapped: whether a PDO may carry it.
        live: gives the value at the moment of reading, instead of `value`.
        stored: what becomes of a value that is written: a drive's own resolution.
    """

    code: str
    value: int | str = 0
    access: str = "rw"
    low: int | None = None
    high: int | None = None
    mapped: bool = False
    live: Callable[[], int] | None = None
    stored: Callable[[int], int] | None = None

    @property
    def size(self) -> int:
        """Length [byte]; 0 for texts."""
        return 0 if self.code == "s" else struct.calcsize("<" + self.code)

    def number(self) -> int:
        """The value now."""
        value = self.value if self.live is None else self.live()
        assert isinstance(value, int)
        return value

    def bytes(self) -> bytes:
        """The value now, as it goes over the wire."""
        if self.code == "s":
            return str(self.value).encode("ascii")
        low, high = limits(self.code)
        return struct.pack("<" + self.code, min(max(self.number(), low), high))


def limits(code: str) -> tuple[int, int]:
    """Least and largest value of a type."""
    bits = 8 * struct.calcsize("<" + code)
    return (-(1 << bits - 1), (1 << bits - 1) - 1) if code.islower() else (0, (1 << bits) - 1)


class ObjectDictionary:
    """All objects of one slave."""

    def __init__(self, rows: dict[Key, Row]) -> None:
        self.rows = rows
        self.guards: list[Callable[[int, int, int], None]] = []
        """Asked before a write; they raise `AbortError`."""
        self.written: list[Callable[[int, int, int], None]] = []
        """Told after a write."""

    def has(self, index: int, sub: int = 0) -> bool:
        return (index, sub) in self.rows

    def number(self, index: int, sub: int = 0, default: int = 0) -> int:
        """The value of an object, or a default where the slave has none."""
        row = self.rows.get((index, sub))
        return default if row is None else row.number()

    def row(self, index: int, sub: int) -> Row:
        row = self.rows.get((index, sub))
        if row is None:
            known = any(each == index for each, _ in self.rows)
            raise AbortError(NO_SUCH_SUB_INDEX if known else NO_SUCH_OBJECT)
        return row

    def upload(self, index: int, sub: int) -> bytes:
        """What a master reads."""
        row = self.row(index, sub)
        if row.access == "wo":
            raise AbortError(READ_OF_WRITE_ONLY)
        return row.bytes()

    def download(self, index: int, sub: int, data: bytes, *, size_told: bool = True) -> None:
        """What a master writes; without a size told, four bytes may be more than the type has."""
        row = self.row(index, sub)
        if row.access in ("ro", "const"):
            raise AbortError(WRITE_OF_READ_ONLY)
        if row.code == "s":
            row.value = data.decode("ascii", "replace")
            return
        if len(data) < row.size:
            raise AbortError(LENGTH_TOO_LOW)
        if len(data) > row.size and size_told:
            raise AbortError(LENGTH_TOO_HIGH)
        (value,) = struct.unpack("<" + row.code, data[: row.size])
        self.write(index, sub, value)

    def write(self, index: int, sub: int, value: int) -> None:
        """Write a number as a master does, by SDO or PDO."""
        row = self.row(index, sub)
        if row.low is not None and value < row.low:
            raise AbortError(VALUE_TOO_LOW)
        if row.high is not None and value > row.high:
            raise AbortError(VALUE_TOO_HIGH)
        for guard in self.guards:
            guard(index, sub, value)
        row.value = value if row.stored is None else row.stored(value)
        for told in self.written:
            told(index, sub, value)
