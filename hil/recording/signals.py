"""The signals of a station's row: one table, of which everything else about rows is made.

A row is CDR (OMG DDS-XTypes, plain CDR of version 1): the mark `00 01 00 00`, then the fields in
order, little-endian, each at a multiple of its size counted from behind the mark; the bytes
between are zero. Arrays are of fixed length, so every row of a table has one size, and
`numpy.frombuffer` reads it as well as whatever knows ROS 2 messages.
"""

from __future__ import annotations

import math
import re
import struct
from collections import namedtuple
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from enum import IntFlag
from functools import cached_property
from itertools import accumulate
from types import MappingProxyType
from typing import Any, Final, Literal, Protocol

Type = Literal["u1", "u2", "u4", "u8", "f8"]

MARK: Final = b"\x00\x01\x00\x00"
"""Encapsulation header of CDR: little-endian, no options."""

MAX_ROW_BYTES: Final = 16_000
"""Largest row [bytes], that of a robot of two hundred joints with all that moves around it; rings
have slots as long as their rows, see `hil.ipc.memory.slot_bytes`."""

CODE: Final = "code"
"""Unit of a signal whose values are numbers of names."""

_TYPES: Final = {
    "u1": ("uint8", "B"), "u2": ("uint16", "H"), "u4": ("uint32", "I"), "u8": ("uint64", "Q"),
    "f8": ("float64", "d"),
}  # fmt: skip
"""Names of the types in a ROS 2 message, and in `struct`."""
_NAME: Final = re.compile(r"[a-z][a-z0-9]*+(?:_[a-z0-9]++)*+")  # of a field of a ROS 2 message


ANGLES: Final = ("x_m", "y_m", "z_m", "alpha_rad", "beta_rad", "gamma_rad")
"""Parts of a pose: its place, and its rotation Rz(alpha) · Ry(beta) · Rx(gamma)."""
QUATERNION: Final = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")
"""Parts of a pose: its place, and its rotation as a unit quaternion."""


class RowFlag(IntFlag):
    """Bits that mean the same in the signal `flags` of every station."""

    OVERRUN = 1  # at least one deadline was given up before this row
    FAULT_LATCHED = 8
    STOP_ASKED = 16  # a signal or the operator asked for the end of the run


class Floats(Protocol):
    """An array of floats."""

    def tobytes(self) -> bytes:
        """Return its bytes, eight a float."""
        ...


class SignalsError(ValueError):
    """A table of signals contradicts itself."""


@dataclass(frozen=True, slots=True)
class Signal:
    """One field of a row."""

    name: str
    """Such as "measured_length_m": the unit at the end, if all its values are of one."""
    type: Type
    """Unsigned integer or float, and its bytes; a float that is not a number is not there."""
    count: int = 1
    unit: str = "1"
    """Unit of each value; several are separated by commas; `CODE` for numbers of names."""
    frame: str = ""
    """Frame in which the values are given, where it matters: "base", "tool"."""
    child: str = ""
    """Frame whose pose in `frame` a pose is: it is published on the topic of poses."""
    parts: tuple[str, ...] = ()
    """Names of several values: "leg1", …; with their units if these differ: "x_m", …."""
    codes: tuple[str, ...] = ()
    """Names of 0, 1, … if the unit is `CODE`."""
    there: str = ""
    """Signal that is 0 where whole numbers that may be missing are; such a signal has no column of
    its own."""

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.name):
            raise SignalsError(
                f"signal {self.name!r}: a name is of lower-case words joined by single underscores,"
                ' such as "measured_length_m"'
            )
        if self.type not in _TYPES:
            raise self._wrong(f"type {self.type!r}; there are {', '.join(_TYPES)}")
        if self.count < 1:
            raise self._wrong(f"{self.count} values; at least 1")
        if not self.unit.strip():
            raise self._wrong('no unit; "1" is the unit of a plain number')
        if self.count > 1 and len(self.parts) != self.count:
            raise self._wrong(f"{len(self.parts)} names of parts for {self.count} values")
        if len(set(self.parts)) != len(self.parts):
            raise self._wrong("two parts of one name")
        if self.child and not (self.frame and self.parts in (ANGLES, QUATERNION)):
            raise self._wrong(f"a pose of {self.child!r} needs a frame and the parts of a pose")
        self._check_codes()

    def _check_codes(self) -> None:
        if self.unit != CODE:
            if self.codes:
                raise self._wrong(f"names of codes, and the unit is {self.unit!r}, not {CODE!r}")
            return
        if self.type == "f8" or self.count > 1:
            raise self._wrong("a code is one unsigned integer")
        if not self.codes:
            raise self._wrong("no names of its codes")
        if len(self.codes) > 1 << (8 * self.size):
            raise self._wrong(f"{len(self.codes)} codes do not fit into {self.ros}")
        constants = [_constant(self.name, name) for name in self.codes]
        for code, name in enumerate(self.codes):
            if not _constant("", name):
                raise self._wrong(f"code {code} has no name")
            if constants.index(constants[code]) != code:
                raise self._wrong(f"code {code} has the name of another one: {name!r}")

    def _wrong(self, what: str) -> SignalsError:
        return SignalsError(f"signal {self.name!r}: {what}")

    @property
    def size(self) -> int:
        """Bytes of one value."""
        return int(self.type[1])

    @property
    def ros(self) -> str:
        """Its type in a ROS 2 message."""
        return _TYPES[self.type][0]

    def columns(self) -> list[str]:
        """Names of its columns in a CSV, one a value; each says its unit."""
        if self.count == 1:
            return [self.name]
        if "," in self.unit:  # each part has its own; "wanted_pose" gives "wanted_x_m"
            stem = self.name.rpartition("_")[0]
            return [f"{stem}_{part}" if stem else part for part in self.parts]
        unit = re.sub(r"[/ ]", "_", self.unit).lower()
        stem = self.name.removesuffix(f"_{unit}")
        return [f"{stem}_{part}_{unit}" for part in self.parts]


@dataclass(frozen=True)
class Signals:
    """The fields of a station's rows, in order.

    The first one of codes gives what the station does, its mode; the second what its gate did.

    Raises:
        SignalsError: if the first two are not the row's number and its time, one is twice, or a
            row is longer than `MAX_ROW_BYTES`.
    """

    station: str
    fields: tuple[Signal, ...]
    first_index: int = 0

    def __post_init__(self) -> None:
        if not _NAME.fullmatch(self.station):
            raise SignalsError(f"station {self.station!r}: a name is of lower-case words")
        head = [(signal.name, signal.type, signal.count) for signal in self.fields[:2]]
        if head != [("index", "u8", 1), ("t_s", "f8", 1)]:
            raise SignalsError(
                f"signals of {self.station!r}: the first are index (u8) and t_s (f8), not {head}"
            )
        names = [name for one in self.fields for name in {one.name, *one.columns()}]
        if twice := [name for name in names if names.count(name) > 1]:
            raise SignalsError(f"signals of {self.station!r}: {twice[0]!r} is there twice")
        self._check_there()
        if self.size > MAX_ROW_BYTES:
            raise SignalsError(
                f"signals of {self.station!r}: rows of {self.size} bytes; at most {MAX_ROW_BYTES} "
                "go through the ring"
            )

    def _check_there(self) -> None:
        plain = {signal.name for signal in self.fields if (signal.type, signal.count) == ("u1", 1)}
        for signal in self.fields:
            if signal.there and (signal.there not in plain or signal.type == "f8"):
                raise SignalsError(
                    f"signal {signal.name!r}: {signal.there!r} must be a signal of one u1 that "
                    "says whether whole numbers are there; a float that is not is NaN"
                )

    def __getitem__(self, name: str) -> Signal:
        return {signal.name: signal for signal in self.fields}[name]

    @cached_property
    def offsets(self) -> tuple[int, ...]:
        """First byte of each field, in a row."""
        offsets, at = list[int](), len(MARK)
        for signal in self.fields:
            at += -(at - len(MARK)) % signal.size
            offsets.append(at)
            at += signal.count * signal.size
        return tuple(offsets)

    @cached_property
    def struct(self) -> struct.Struct:
        """Packs the mark and all values in order; see `pack`."""
        return struct.Struct(_code(self.fields, self.offsets))

    @cached_property
    def shown(self) -> tuple[Signal, ...]:
        """Fields that have columns: all but those that say whether others are there."""
        tellers = {signal.there for signal in self.fields}
        return tuple(signal for signal in self.fields if signal.name not in tellers)

    @cached_property
    def places(self) -> Mapping[str, slice]:
        """Columns of each of them in a table of numbers, see `rows.numbers`."""
        ends = accumulate(signal.count for signal in self.shown)
        return MappingProxyType(
            {
                one.name: slice(end - one.count, end)
                for one, end in zip(self.shown, ends, strict=True)
            }
        )

    @property
    def size(self) -> int:
        """Bytes of a row."""
        return self.struct.size

    @property
    def coded(self) -> tuple[Signal, ...]:
        """Those of codes."""
        return tuple(signal for signal in self.fields if signal.codes)

    @property
    def values(self) -> int:
        """Columns of a table of numbers."""
        return sum(signal.count for signal in self.shown)

    @property
    def topics(self) -> tuple[str, str, str]:
        """Topics of rows, events and poses."""
        return f"/{self.station}/rows", f"/{self.station}/events", f"/{self.station}/tf"

    @property
    def schema_name(self) -> str:
        """Name of the message, such as "hil_msgs/msg/PlatformRow"."""
        title = "".join(word.capitalize() for word in self.station.split("_"))
        return f"hil_msgs/msg/{title}Row"

    def pack(self, row: Iterable[float | Sequence[float]], *floats: Floats) -> bytes:
        """One row as it goes through the ring, to the panels and into the file.

        Args:
            row: a value a field, or as many as the field has, in order; a `struct.error` if there
                are others, or one does not fit its type.
            floats: the values of the fields after those of `row`, which are all floats, in as many
                arrays as one likes: quicker than numbers one by one.
        """
        flat: list[float] = []
        for value in row:
            if isinstance(value, (float, int)):  # much quicker than `float | int`
                flat.append(value)
            else:
                flat += value
        if not floats:
            return self.struct.pack(MARK, *flat)
        head = self._heads.get(len(flat)) or self._head(len(flat))
        whole = b"".join([head.pack(MARK, *flat), *[values.tobytes() for values in floats]])
        if len(whole) != self.struct.size:
            problem = f"a row of {self.station!r} has {self.size} bytes, not {len(whole)}"
            raise struct.error(problem)
        return whole

    @cached_property
    def _heads(self) -> dict[int, struct.Struct]:
        return {}

    def _head(self, count: int) -> struct.Struct:
        """Packs the mark, the first values, and what is between them and the floats behind."""
        ends = list(accumulate(signal.count for signal in self.fields))
        rest = self.fields[ends.index(count) + 1 :] if count in ends else self.fields
        if any(signal.type != "f8" for signal in rest):
            problem = f"after {count} values of a row of {self.station!r} not all fields are floats"
            raise struct.error(problem)
        begun = self.fields[: len(self.fields) - len(rest)]
        behind = self.offsets[len(begun)] if rest else self.size
        head = struct.Struct(_code(begun, self.offsets, behind))
        self._heads[count] = head
        return head

    def packer(self) -> Callable[..., bytes]:
        """Return a function that packs a row of values by the names of their fields.

        It is compiled from the table, and as quick as `struct` is. It takes a value for each field
        of `shown`, by its name or, quicker, in their order; groups are tuples or lists of Python
        numbers (an array's `.tolist()`). None is what is not there, of floats and of those that
        another field says it of.

        Raises:
            TypeError: by the function, if a field is missing or unknown.
            struct.error: by the function, if a group has another number of values, or one does not
                fit its type.
        """
        whose = {one.there: one.name for one in self.fields if one.there}
        values = [
            f"{whose[one.name]} is not None" if one.name in whose else _packed(one)
            for one in self.fields
        ]
        names = ", ".join(one.name for one in self.shown)
        source = f"def of({names}): return pack(mark, {', '.join(values)})"
        return _compiled(source, pack=self.struct.pack, mark=MARK)

    def unpacker(self) -> Callable[[bytes], Any]:
        """Return a function that reads a row into a named tuple of the fields of `shown`.

        Groups are tuples; what another field says is not there is None. Bytes behind the row are
        left alone.

        Raises:
            struct.error: by the function, if there are fewer bytes than a row has.
        """
        values, at, places = list[str](), 1, dict[str, int]()  # behind the mark
        for one in self.fields:
            places[one.name] = at
            at += one.count
        for one in self.shown:
            at = places[one.name]
            value = f"v[{at}]" if one.count == 1 else f"v[{at}:{at + one.count}]"
            values.append(f"{value} if v[{places[one.there]}] else None" if one.there else value)
        row = namedtuple("Row", [one.name for one in self.shown])
        source = f"def of(data):\n    v = unpack(data)\n    return row({', '.join(values)})"
        return _compiled(source, unpack=self.struct.unpack_from, row=row)

    def row(self, **values: float | Sequence[float]) -> bytes:
        """One row of signals by their names, packed; others are not there, or 0."""
        row: list[float | Sequence[float]] = []
        for signal in self.fields:
            missing = math.nan if signal.type == "f8" else 0
            row.append(values.pop(signal.name, [missing] * signal.count))
        if values:
            raise KeyError(f"no signal {next(iter(values))!r}")
        return self.pack(row)

    def layout(self) -> dict[str, Any]:
        """Argument of `numpy.dtype`, as JSON values; `rows.dtype_of` is that of rows."""
        formats = [
            f"<{signal.type}" if signal.count == 1 else f"({signal.count},)<{signal.type}"
            for signal in self.fields
        ]
        names, offsets = [signal.name for signal in self.fields], list(self.offsets)
        return {"names": names, "formats": formats, "offsets": offsets, "itemsize": self.size}

    def message(self) -> str:
        """Definition of the ROS 2 message, for schema encoding `ros2msg`."""
        lines: list[str] = []
        for signal in self.fields:
            for code, name in enumerate(signal.codes):
                lines.append(f"{signal.ros} {_constant(signal.name, name)}={code}")
            array = "" if signal.count == 1 else f"[{signal.count}]"
            where = f", frame {signal.frame}" if signal.frame else ""
            lines.append(f"{signal.ros}{array} {signal.name}  # {signal.unit}{where}")
        return "\n".join(lines) + "\n"

    def columns(self) -> list[str]:
        """Names of a CSV's columns, in order."""
        return [name for signal in self.shown for name in signal.columns()]

    def header(self) -> dict[str, Any]:
        """The table as JSON values; `from_header` reads it back."""
        fields = [
            asdict(one) | {"parts": list(one.parts), "codes": list(one.codes)}
            for one in self.fields
        ]
        return {"station": self.station, "first_index": self.first_index, "fields": fields}

    @classmethod
    def from_header(cls, raw: Mapping[str, Any]) -> Signals:
        """Read back what `header` gave; a `SignalsError` if it is no table of signals."""
        try:
            fields = [
                Signal(**{**one, "parts": tuple(one["parts"]), "codes": tuple(one["codes"])})
                for one in raw["fields"]
            ]
            return cls(raw["station"], tuple(fields), int(raw["first_index"]))
        except SignalsError:
            raise
        except _NO_TABLE as error:
            raise SignalsError(f"not a table of signals: {error!r:.300}") from error


_NO_TABLE: Final = (
    KeyError, TypeError, AttributeError, ValueError, OverflowError, struct.error,
)  # fmt: skip
"""Errors of a header whose values are of other kinds."""


def _code(fields: Sequence[Signal], offsets: Sequence[int], end: int = 0) -> str:
    """Format by which `struct` packs the mark and fields at their places, up to a last place."""
    code = "<4s"
    for signal, offset in zip(fields, offsets, strict=False):
        gap = offset - struct.calcsize(code)
        code += f"{gap}x{signal.count}{_TYPES[signal.type][1]}"
    return f"{code}{max(end - struct.calcsize(code), 0)}x"


def _packed(signal: Signal) -> str:
    """Expression of a field's values in a call; see `Signals.packer`."""
    name, there = signal.name, signal.type == "f8" or signal.there
    missing = "nan" if signal.type == "f8" else "0"
    if signal.count == 1:
        return f"{missing} if {name} is None else {name}" if there else name
    blank = f"({f'{missing}, ' * signal.count})"
    return f"*({blank} if {name} is None else {name})" if there else f"*{name}"


def _compiled(source: str, **names: Any) -> Callable[..., Any]:
    """Return the function `of` of a source that was made of a table; names were checked there."""
    space: dict[str, Any] = {"nan": math.nan, **names}
    exec(source, space)  # noqa: S102 as `namedtuple` does; a loop over fields takes three times it
    return space["of"]


def _constant(signal: str, name: str) -> str:
    """A code's constant in the message: "mode", "controlled stop" → "MODE_CONTROLLED_STOP"."""
    words = re.findall(r"[A-Z0-9]+", f"{signal} {name}".upper())
    return "_".join(words)
