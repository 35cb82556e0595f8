"""A type of CANopen drive as plain data: what it has, lacks, calls otherwise and counts in.

A drive file (`configs/drives`) is read and checked in `hil`; what it says travels to the gate's
process as this. The defaults are the drive of the standards: it has every object, counts speeds in
counts/s, and obeys CiA 402-2 to the letter. Places are written as the standards write them, such as
``607Fh:0``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

from drives.axes.cia402 import OperationMode
from drives.bank import DriveModelError
from drives.types.drive_units import unit_of_text

Place = tuple[int, int]
"""Index and sub-index of an object."""
_PLACE = re.compile(r"([0-9A-F]{4})h(?::([0-9]{1,3}))?")
STAMP_WRAP_MIN_S = 1.0
"""Shortest time after which a time stamp may wrap around [s]."""
KINDS = ("u8", "i8", "u16", "i16", "u32", "i32")
"""Types of CiA 301 by short name."""


def place_of(text: str) -> Place:
    """Return index and sub-index of "607Fh:0"; sub-index 0 if none is written.

    Raises:
        DriveModelError: If the text is no place.
    """
    match = _PLACE.fullmatch(text)
    if match is None or int(match[2] or 0) > 255:
        raise DriveModelError(f"{text!r} is no place of an object; 607Fh or 6099h:1 would be one")
    return int(match[1], 16), int(match[2] or 0)


def place_text(index: int, sub: int) -> str:
    """Return a place as the standards write it."""
    return f"{index:04X}h:{sub}"


@dataclass(frozen=True, slots=True)
class InputBits:
    """Bits in which a drive reports its digital inputs."""

    object: str = "60FDh:0"
    """The object."""
    kind: str = "u32"
    """Its type, without sign."""
    negative_limit: int | None = 0
    """Bit of the negative limit switch; None if it is not reported."""
    positive_limit: int | None = 1
    """Bit of the positive limit switch."""
    home: int | None = 2
    """Bit of the home switch."""
    interlock: int | None = 3
    """Bit of the interlock, to which a channel of the emergency stop is wired."""

    @property
    def data_bytes(self) -> int:
        """Bytes of the object."""
        return int(self.kind[1:]) // 8

    def standard(self, raw: int) -> int:
        """Return what the object holds with its bits where 60FDh of CiA 402-2 has them."""
        order = (self.negative_limit, self.positive_limit, self.home, self.interlock)
        return sum((raw >> own & 1) << place for place, own in enumerate(order) if own is not None)


STANDARD_INPUTS = InputBits()
"""60FDh as CiA 402-2 has it."""


@dataclass(frozen=True, slots=True)
class Timer:
    """A time-out of the maker's, or of SYNC, by which a drive stops without the bench."""

    name: str
    """Name, for texts."""
    object: str
    """Object that it is written to."""
    kind: str
    """Type of the object, one of `KINDS`."""
    unit_s: float
    """One unit of it [s]."""
    times: int = 1
    """Number of the written times that pass before the drive stops."""


@dataclass(frozen=True, slots=True)
class Reading:
    """A maker's object that gives temperature or load of a drive."""

    name: str
    """Name, for operator and report."""
    object: str
    """Object that it is read from."""
    kind: str
    """Type of the object, one of `KINDS`."""
    factor: float
    """Size of one unit of it, in `unit`."""
    unit: str
    """Unit for people, such as "degC" or "%"."""
    warn_above: float
    """Value above which it is a warning, in `unit`."""


@dataclass(frozen=True, slots=True)
class Stamp:
    """An object that a TPDO can carry and that says when, or of which SYNC, its values are."""

    object: str
    """The object."""
    kind: str
    """Type of the object, without sign."""
    tick_s: float
    """Duration of one unit of it [s]; 0 of a counter of SYNCs."""

    def __post_init__(self) -> None:
        """Refuse one that wraps around before an age that matters is over."""
        wrap_s = 2 ** (8 * self.data_bytes) * self.tick_s
        if self.tick_s and wrap_s < STAMP_WRAP_MIN_S:
            raise DriveModelError(
                f"stamp {self.object}: {self.kind} in units of {self.tick_s:g} s wraps around "
                f"after {wrap_s:g} s, {STAMP_WRAP_MIN_S:g} s at least is needed"
            )

    @property
    def data_bytes(self) -> int:
        """Bytes of the object."""
        return int(self.kind[1:]) // 8


@dataclass(frozen=True, slots=True)
class Write:
    """A value that is written to a place; a way out of a fault of the maker's."""

    object: str
    kind: str
    value: int


@dataclass(frozen=True, slots=True)
class DriveType:
    """A type of CANopen drive."""

    name: str = "CiA 402 drive"
    """Name of the type in texts."""
    lacks: tuple[str, ...] = ()
    """Places that it does not have; an index by itself means all of its sub-indices."""
    instead: tuple[tuple[str, str], ...] = ()
    """Place of the standard and the one where this type has the same thing."""
    target_also: str = ""
    """Place that gets the target in each cycle too, beside that of the mode; empty if none does."""
    ranges: tuple[tuple[str, int, int], ...] = ()
    """Place and the smallest and largest value that it takes, in its own units; both the same
    where the value is fixed."""
    position_unit: str = "counts"
    """Unit of 6064h, 607Ah and 607Dh, where the drive has no 60A8h."""
    speed_unit: str = "counts/s"
    """Unit of 606Ch, 607Fh, 6099h and 60B1h, where the drive has no 60A9h."""
    acceleration_unit: str = "counts/s2"
    """Unit of 6084h, 6085h, 609Ah and 60C5h, where the drive has no 60AAh."""
    feed_unit: str = "um"
    """Unit of the feed in 6092h: a length, or "counts" where it is in position units."""
    homing_methods: tuple[int, ...] = ()
    """Methods of 6098h that it knows; empty where nobody says. A drive that has a list of its own
    (60E3h) is asked for it when it is set up."""
    modes: tuple[int, ...] = ()
    """Modes of operation (6060h), where it has no 6502h; empty where nobody says."""
    inputs: InputBits = STANDARD_INPUTS
    """Bits of its digital inputs."""
    timers: tuple[Timer, ...] = ()
    """Time-outs besides 1400h:5, 1016h and 100Ch by which it stops without the bench."""
    interpolation_cycles: int = 0
    """Cycles without a new setpoint after which it stops by itself (60C2h); 0 if it does not."""
    boot_timeout_s: float = 15.0
    """Time that it may take to boot [s]."""
    fault_exit: tuple[Write, ...] = ()
    """Writes to a drive in fault where bit 7 of the controlword is not enough."""
    remote_bit: bool = True
    """Whether bit 9 of the statusword says if it obeys the bus."""
    follows_bit: bool = True
    """Whether bit 12 of the statusword says in csp if it follows."""
    stamp: Stamp | None = None
    """Stamp with the age of its feedback; None if there is none."""
    readings: tuple[Reading, ...] = ()
    """Temperatures and loads that it reports."""

    def __post_init__(self) -> None:
        """Refuse places, units and ranges that are none."""
        for order, name in ((0, "position"), (1, "speed"), (2, "acceleration"), (0, "feed")):
            try:
                unit_of_text(getattr(self, f"{name}_unit"), order)
            except DriveModelError as error:
                raise DriveModelError(f"units.{name}: {error}") from None
        also = (self.target_also,) if self.target_also else ()
        for text in (*self.lacks, *also, *(each for pair in self.instead for each in pair)):
            place_of(text)
        for text, low, high in self.ranges:
            place_of(text)
            if low > high:
                raise DriveModelError(f"range of {text}: {low} is above {high}")

    @property
    def can_home(self) -> bool:
        """Whether it has the mode of operation homing, and any object of it, as far as is known."""
        mode = not self.modes or OperationMode.HOMING.value in self.modes
        return mode and any(self.has(*place) for place in ((0x6098, 0), (0x6099, 1), (0x609A, 0)))

    def has(self, index: int, sub: int) -> bool:
        """Say whether it may have an object: whether nothing says that it has not."""
        return not {f"{index:04X}h", place_text(index, sub)} & set(self.lacks)

    def place(self, index: int, sub: int) -> Place:
        """Return where this type has what the standard has at a place."""
        wanted = place_text(index, sub)
        return next((place_of(own) for std, own in self.instead if std == wanted), (index, sub))

    def targets(self, mode: int) -> tuple[Place, ...]:
        """Return where this type takes its target in a mode, csp or ip: one place, or two.

        Raises:
            DriveModelError: If the second place is the first.
        """
        interpolated = mode == OperationMode.INTERPOLATED_POSITION.value
        first = self.place(0x60C1, 1) if interpolated else self.place(0x607A, 0)
        if not self.target_also:
            return (first,)
        second = place_of(self.target_also)
        if second == first:
            text = f"target_also = {place_text(*second)!r}, where the target goes in mode {mode}"
            raise DriveModelError(f"{text}; another place, or none, is needed")
        return first, second

    def range_of(self, index: int, sub: int) -> tuple[int, int] | None:
        """Return the smallest and largest value that a place takes; None if nobody says."""
        wanted = place_text(index, sub)
        return next(((low, high) for text, low, high in self.ranges if text == wanted), None)


CIA_402 = DriveType()
"""The drive of the standards, of which no drive file says anything."""

_NESTED: dict[str, type[Any]] = {"inputs": InputBits, "stamp": Stamp}
_ROWS: dict[str, type[Any]] = {"timers": Timer, "readings": Reading, "fault_exit": Write}


def drive_type_from(table: Mapping[str, Any]) -> DriveType:
    """Return the type that `dataclasses.asdict` and JSON made a table of.

    Args:
        table: The table; lists mean tuples.

    Raises:
        DriveModelError: If it holds a key that no type has, or a value that is none.
    """
    known = {field.name for field in fields(DriveType)}
    if unknown := sorted(set(table) - known):
        raise DriveModelError(f"drive type holds {unknown}, known are {sorted(known)}")
    values: dict[str, Any] = {}
    try:
        for key, value in table.items():
            if key in _NESTED:
                values[key] = None if value is None else _NESTED[key](**value)
            elif key in _ROWS:
                values[key] = tuple(_ROWS[key](**row) for row in value)
            elif isinstance(value, list | tuple):
                values[key] = tuple(tuple(v) if isinstance(v, list) else v for v in value)
            else:
                values[key] = value
        return DriveType(**values)
    except TypeError as error:
        raise DriveModelError(f"drive type: {error}") from error
