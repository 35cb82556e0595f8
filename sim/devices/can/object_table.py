"""The objects of an emulated CANopen drive: one row for each, as an EDS file would list them.

Drive profile: CiA 402-2 (6007h to 6502h); the communication profile is in
`sim.devices.can.communication_objects`. `table_of` makes of these rows the table of one type of
drive (`sim.devices.drive.drive_type`). Nothing here acts: `sim.devices.can.object_store` binds the
rows.

Not modelled: objects of modes that the drive does not have.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from canopen.objectdictionary import datatypes as dt

from sim.devices.can.communication_objects import DEVICE_NAME, communication_rows
from sim.devices.can.object_entry import DictionaryEntry, Group, Row, group
from sim.devices.drive.drive_type import DriveType, Key
from sim.devices.drive.homing import METHODS
from sim.devices.drive.maker_types import EMULATED
from sim.devices.drive.modes import SUPPORTED, modes_word
from sim.devices.drive.parameters import DriveParameters

_U8, _U16, _U32 = dt.UNSIGNED8, dt.UNSIGNED16, dt.UNSIGNED32
_I8, _I16, _I32 = dt.INTEGER8, dt.INTEGER16, dt.INTEGER32


PARAMETERS: Final[dict[tuple[int, int], str]] = {
    (0x6007, 0): "abort_connection_option",
    (0x605A, 0): "quick_stop_option",
    (0x605B, 0): "shutdown_option",
    (0x605C, 0): "disable_operation_option",
    (0x605D, 0): "halt_option",
    (0x605E, 0): "fault_reaction_option",
    (0x6065, 0): "following_error_window",
    (0x6066, 0): "following_error_timeout_ms",
    (0x6067, 0): "position_window",
    (0x6068, 0): "position_window_time_ms",
    (0x607C, 0): "home_offset",
    (0x607D, 1): "software_limit_min",
    (0x607D, 2): "software_limit_max",
    (0x607F, 0): "max_profile_velocity",
    (0x6081, 0): "profile_velocity",
    (0x6083, 0): "profile_acceleration",
    (0x6084, 0): "profile_deceleration",
    (0x6085, 0): "quick_stop_deceleration",
    (0x6098, 0): "homing_method",
    (0x6099, 1): "homing_speed_switch",
    (0x6099, 2): "homing_speed_zero",
    (0x609A, 0): "homing_acceleration",
    (0x60C2, 1): "interpolation_units",
    (0x60C2, 2): "interpolation_index",
    (0x60C5, 0): "max_acceleration",
    (0x60C6, 0): "max_deceleration",
}
"""Objects that are parameters of a drive, and the names of `DriveParameters`."""

_DEFAULTS: Final = DriveParameters()


def _parameter(
    index: int, subindex: int, name: str, data_type: int, allowed: tuple[int, ...] | None = None
) -> DictionaryEntry:
    default = getattr(_DEFAULTS, PARAMETERS[index, subindex])
    return DictionaryEntry(index, subindex, name, data_type, "rw", default, allowed=allowed)


def _option_rows() -> list[Row]:
    return [
        DictionaryEntry(0x2041, 0, "Timestamp", _U32, "ro", 0, mappable=True),
        DictionaryEntry(0x22A2, 0, "Drive Temperature in C", _U16, "ro", 40, mappable=True),
        _parameter(0x6007, 0, "Abort connection option code", _I16, (0, 1, 2, 3)),
        DictionaryEntry(0x603F, 0, "Error code", _U16, "ro", 0, mappable=True),
        DictionaryEntry(0x6040, 0, "Controlword", _U16, "rw", 0, mappable=True),
        DictionaryEntry(0x6041, 0, "Statusword", _U16, "ro", 0, mappable=True),
        _parameter(0x605A, 0, "Quick stop option code", _I16, tuple(range(9))),
        _parameter(0x605B, 0, "Shutdown option code", _I16, (0, 1)),
        _parameter(0x605C, 0, "Disable operation option code", _I16, (0, 1)),
        _parameter(0x605D, 0, "Halt option code", _I16, (1, 2, 3, 4)),
        _parameter(0x605E, 0, "Fault reaction option code", _I16, (0, 1, 2, 3, 4)),
        DictionaryEntry(
            0x6060, 0, "Modes of operation", _I8, "rw", 0, mappable=True, allowed=(0, *SUPPORTED)
        ),
        DictionaryEntry(0x6061, 0, "Modes of operation display", _I8, "ro", 0, mappable=True),
    ]


def _motion_rows() -> list[Row]:
    return [
        DictionaryEntry(0x6062, 0, "Position demand value", _I32, "ro", 0, mappable=True),
        DictionaryEntry(0x6064, 0, "Position actual value", _I32, "ro", 0, mappable=True),
        _parameter(0x6065, 0, "Following error window", _U32),
        _parameter(0x6066, 0, "Following error time out", _U16),
        _parameter(0x6067, 0, "Position window", _U32),
        _parameter(0x6068, 0, "Position window time", _U16),
        DictionaryEntry(0x606C, 0, "Velocity actual value", _I32, "ro", 0, mappable=True),
        DictionaryEntry(0x6076, 0, "Motor rated torque", _U32, "ro", 0),
        DictionaryEntry(0x6077, 0, "Torque actual value", _I16, "ro", 0, mappable=True),
        DictionaryEntry(0x607A, 0, "Target position", _I32, "rw", 0, mappable=True),
        _parameter(0x607C, 0, "Home offset", _I32),
        group(
            0x607D,
            "Software position limit",
            (
                _parameter(0x607D, 1, "Min position limit", _I32),
                _parameter(0x607D, 2, "Max position limit", _I32),
            ),
            is_array=True,
        ),
        DictionaryEntry(0x607E, 0, "Polarity", _U8, "rw", 0),
        _parameter(0x607F, 0, "Max profile velocity", _U32),
        _parameter(0x6081, 0, "Profile velocity", _U32),
        _parameter(0x6083, 0, "Profile acceleration", _U32),
        _parameter(0x6084, 0, "Profile deceleration", _U32),
        _parameter(0x6085, 0, "Quick stop deceleration", _U32),
    ]


def _ratio(index: int, name: str, first: str, second: str) -> Group:
    """A ratio that is 1:1 and cannot be changed."""
    return group(
        index,
        name,
        (
            DictionaryEntry(index, 1, first, _U32, "ro", 1),
            DictionaryEntry(index, 2, second, _U32, "ro", 1),
        ),
        is_array=True,
    )


def _other_rows() -> list[Row]:
    return [
        _ratio(0x608F, "Position encoder resolution", "Encoder increments", "Motor revolutions"),
        _ratio(0x6091, "Gear ratio", "Motor revolutions", "Shaft revolutions"),
        _ratio(0x6092, "Feed constant", "Feed", "Shaft revolutions of feed"),
        _ratio(0x6096, "Velocity factor", "Numerator", "Divisor"),
        _parameter(0x6098, 0, "Homing method", _I8, METHODS),
        group(
            0x6099,
            "Homing speeds",
            (
                _parameter(0x6099, 1, "Speed during search for switch", _U32),
                _parameter(0x6099, 2, "Speed during search for zero", _U32),
            ),
            is_array=True,
        ),
        _parameter(0x609A, 0, "Homing acceleration", _U32),
        DictionaryEntry(0x60A8, 0, "SI unit position", _U32, "ro", 0),
        DictionaryEntry(0x60A9, 0, "SI unit velocity", _U32, "ro", 0),
        DictionaryEntry(0x60AA, 0, "SI unit acceleration", _U32, "ro", 0),
        DictionaryEntry(0x60B1, 0, "Velocity offset", _I32, "rw", 0, mappable=True),
        DictionaryEntry(0x60C0, 0, "Interpolation sub mode select", _I16, "rw", 0, allowed=(0,)),
        group(
            0x60C1,
            "Interpolation data record",
            (DictionaryEntry(0x60C1, 1, "Interpolation data", _I32, "rw", 0, mappable=True),),
            is_array=True,
        ),
        group(
            0x60C2,
            "Interpolation time period",
            (
                _parameter(0x60C2, 1, "Interpolation time units", _U8),
                _parameter(0x60C2, 2, "Interpolation time index", _I8, tuple(range(-6, 1))),
            ),
        ),
        _parameter(0x60C5, 0, "Max acceleration", _U32),
        _parameter(0x60C6, 0, "Max deceleration", _U32),
        DictionaryEntry(0x60F4, 0, "Following error actual value", _I32, "ro", 0, mappable=True),
        DictionaryEntry(0x60FD, 0, "Digital inputs", _U32, "ro", 0, mappable=True),
        DictionaryEntry(0x60FF, 0, "Target velocity", _I32, "rw", 0, mappable=True),
        DictionaryEntry(0x6502, 0, "Supported drive modes", _U32, "ro", 0),
    ]


def _rows(kind: DriveType) -> tuple[Row, ...]:
    communication = communication_rows(kind.heartbeats, kind.errors)
    return (*communication, *_option_rows(), *_motion_rows(), *_other_rows())


@dataclass(frozen=True, slots=True)
class ObjectTable:
    """Dictionary of one type of drive."""

    rows: tuple[Row, ...]
    """Every object, by rising index."""
    entries: Mapping[Key, DictionaryEntry]
    """Every variable by index and sub-index."""
    indices: frozenset[int]
    """Indices of the objects."""


def table_of(kind: DriveType) -> ObjectTable:
    """Return the dictionary of a type of drive."""
    rows = tuple(
        row
        for each in _rows(kind)
        if each.index not in kind.lacking and (row := _row_of(kind, each)) is not None
    )
    entries: dict[Key, DictionaryEntry] = {}
    for row in rows:
        for entry in row.entries if isinstance(row, Group) else (row,):
            entries[entry.index, entry.subindex] = entry
    return ObjectTable(rows, entries, frozenset(row.index for row in rows))


def _row_of(kind: DriveType, row: Row) -> Row | None:
    """Return a row as this type has it."""
    if isinstance(row, DictionaryEntry):
        return _entry_of(kind, row)
    kept = tuple(
        _entry_of(kind, entry)
        for entry in row.entries
        if (entry.index, entry.subindex) not in kind.lacking
    )
    kept = _mapping_of(kind, kept) if row.index & 0xFF00 in (0x1600, 0x1A00) else kept
    return replace(row, entries=kept)


def _entry_of(kind: DriveType, entry: DictionaryEntry) -> DictionaryEntry:
    key = (entry.index, entry.subindex)
    low, high = kind.ranges.get(key, (entry.low, entry.high))
    entry = replace(
        entry, default=_special(kind).get(key, kind.defaults.get(key, entry.default)), low=low,
        high=high, step=kind.steps.get(key, 1),
    )  # fmt: skip
    if key in kind.fixed:
        return replace(entry, access="ro", default=kind.fixed[key])
    if entry.index in kind.writable_units:
        return replace(entry, access="rw")
    if entry.index == 0x6060:
        return replace(entry, allowed=(0, *kind.modes))
    if entry.index == 0x6098 and kind.methods is not None:
        return replace(entry, allowed=kind.methods)
    return entry


def _special(kind: DriveType) -> dict[Key, int | str]:
    """Return the objects that identify a type."""
    return {
        (0x1008, 0): DEVICE_NAME if kind is EMULATED else f"{DEVICE_NAME}, {kind.name}",
        (0x60A8, 0): kind.position_unit,
        (0x60A9, 0): kind.speed_unit,
        (0x60AA, 0): kind.acceleration_unit,
        (0x6502, 0): modes_word(kind.modes) if kind.modes_word is None else kind.modes_word,
    }


def _mapping_of(
    kind: DriveType, entries: tuple[DictionaryEntry, ...]
) -> tuple[DictionaryEntry, ...]:
    """Return a default mapping without the objects that this type has not."""
    words = [int(entry.default) for entry in entries[1:]]
    there = [word for word in words if word and kind.has(word >> 16, word >> 8 & 0xFF)]
    there += [0] * (len(words) - len(there))
    count = sum(word != 0 for word in there)
    mapped = (replace(entry, default=word) for entry, word in zip(entries[1:], there, strict=True))
    return (replace(entries[0], default=count), *mapped)
