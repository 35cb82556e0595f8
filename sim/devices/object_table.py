"""The objects of an emulated CANopen drive: one row for each, as an EDS file would list them.

Communication profile: CiA 301 (1000h to 1A03h). Drive profile: CiA 402-2 (6007h to 6502h).
Nothing here acts; `sim.devices.object_store` binds the rows to a drive.

Not modelled: 1002h, 1005h as producer, 1012h to 1015h inhibit, 1019h, 1F80h and the LSS.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Final

from canopen.objectdictionary import datatypes as dt

from sim.devices.drive_parameters import DriveParameters
from sim.devices.homing import METHODS
from sim.devices.modes import SUPPORTED, supported_modes_word

FORMATS: Final = {
    dt.INTEGER8: "b",
    dt.INTEGER16: "h",
    dt.INTEGER32: "i",
    dt.UNSIGNED8: "B",
    dt.UNSIGNED16: "H",
    dt.UNSIGNED32: "I",
}
"""Format characters of the `struct` module for each numeric type of CiA 301."""

DEVICE_NAME: Final = "HIL emulated drive"
VENDOR_ID: Final = 0
"""1018h sub 1: 0 is nobody's number, so no real drive has it."""
PRODUCT_CODE: Final = 0x0402
REVISION: Final = 0x0001_0000
PDO_COUNT: Final = 4
"""Receive PDOs, and as many transmit PDOs."""
PDO_INVALID: Final = 0x8000_0000
HISTORY_LENGTH: Final = 8
CONSUMERS: Final = 2

RPDO_BASE: Final = (0x200, 0x300, 0x400, 0x500)
TPDO_BASE: Final = (0x180, 0x280, 0x380, 0x480)
"""Predefined connection set of CiA 301, without the node id."""

_DEFAULT_RPDO: Final = (
    ((0x6040, 0, 16), (0x6060, 0, 8), (0x607A, 0, 32)),
    ((0x60B1, 0, 32),),
    ((0x6040, 0, 16), (0x60FF, 0, 32)),
    ((0x6040, 0, 16), (0x60C1, 1, 32)),
)
_DEFAULT_TPDO: Final = (
    ((0x6041, 0, 16), (0x6061, 0, 8), (0x6064, 0, 32)),
    ((0x606C, 0, 32), (0x6077, 0, 16)),
    ((0x60FD, 0, 32),),
    ((0x60F4, 0, 32), (0x603F, 0, 16)),
)
_DEFAULT_INHIBIT: Final = 100
"""Of event-driven TPDOs [100 us]: a moving rod changes its position all the time."""
_DEFAULT_EVENT_MS: Final = 100


@dataclass(frozen=True, slots=True)
class Entry:
    """One variable of the object dictionary.

    Attributes:
        index: Object, 16 bits.
        subindex: Sub-index, 8 bits.
        name: Name as in the standard.
        data_type: Type number of CiA 301.
        access: `ro`, `rw`, `wo` or `const`.
        default: Value after power-up; node id left out where `relative`.
        mappable: Whether a PDO can carry it.
        relative: Whether the node id is added to the default.
        allowed: Values that a master may write, if they are few.
        low: Least value that a master may write.
        high: Largest value that a master may write.
    """

    index: int
    subindex: int
    name: str
    data_type: int
    access: str
    default: int | str
    mappable: bool = False
    relative: bool = False
    allowed: tuple[int, ...] | None = None
    low: int | None = None
    high: int | None = None

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
    """A record or an array: several variables under one index.

    Attributes:
        index: Object, 16 bits.
        name: Name as in the standard.
        is_array: Whether all variables after the first are alike.
        entries: The variables, sub-index 0 first.
    """

    index: int
    name: str
    is_array: bool
    entries: tuple[Entry, ...]


Row = Entry | Group

_U8, _U16, _U32 = dt.UNSIGNED8, dt.UNSIGNED16, dt.UNSIGNED32
_I8, _I16, _I32 = dt.INTEGER8, dt.INTEGER16, dt.INTEGER32
_TEXT = dt.VISIBLE_STRING
_COUNT_NAME = "Highest sub-index supported"


def _group(index: int, name: str, entries: tuple[Entry, ...], *, is_array: bool = False) -> Group:
    highest = max(entry.subindex for entry in entries)
    count = Entry(index, 0, _COUNT_NAME, _U8, "const", highest)
    return Group(index, name, is_array, (count, *entries))


def _pdo_rows(number: int, receive: bool) -> tuple[Group, Group]:
    """Return communication and mapping parameters of one PDO, numbered from 0."""
    kind = "RPDO" if receive else "TPDO"
    comm = (0x1400 if receive else 0x1800) + number
    mapping_index = (0x1600 if receive else 0x1A00) + number
    base = (RPDO_BASE if receive else TPDO_BASE)[number]
    mapping = (_DEFAULT_RPDO if receive else _DEFAULT_TPDO)[number]
    cob = base if number == 0 else base | PDO_INVALID
    inhibit = 0 if receive else _DEFAULT_INHIBIT
    event = 0 if receive else _DEFAULT_EVENT_MS
    parameters = _group(
        comm,
        f"{kind}{number + 1} communication parameter",
        (
            Entry(comm, 1, f"COB-ID used by {kind}{number + 1}", _U32, "rw", cob, relative=True),
            Entry(comm, 2, "Transmission type", _U8, "rw", 255),
            Entry(comm, 3, "Inhibit time", _U16, "rw", inhibit),
            Entry(comm, 5, "Event timer", _U16, "rw", event),
        ),
    )
    words = [(o << 16) | (s << 8) | n for o, s, n in mapping]
    words += [0] * (8 - len(words))
    count = Entry(mapping_index, 0, "Number of mapped objects", _U8, "rw", len(mapping))
    entries = tuple(
        Entry(mapping_index, k + 1, f"Mapped object {k + 1}", _U32, "rw", word)
        for k, word in enumerate(words)
    )
    name = f"{kind}{number + 1} mapping parameter"
    return parameters, Group(mapping_index, name, False, (count, *entries))


def _communication_rows() -> list[Row]:
    errors = (
        Entry(0x1003, k, f"Standard error field {k}", _U32, "ro", 0)
        for k in range(1, HISTORY_LENGTH + 1)
    )
    history = (Entry(0x1003, 0, "Number of errors", _U8, "rw", 0), *errors)
    consumers = tuple(
        Entry(0x1016, k, f"Consumer heartbeat time {k}", _U32, "rw", 0, low=0, high=0x7F_FFFF)
        for k in range(1, CONSUMERS + 1)
    )
    rows: list[Row] = [
        Entry(0x1000, 0, "Device type", _U32, "const", 0x0002_0192),
        Entry(0x1001, 0, "Error register", _U8, "ro", 0, mappable=True),
        Group(0x1003, "Pre-defined error field", True, history),
        Entry(0x1005, 0, "COB-ID SYNC message", _U32, "rw", 0x80, low=1, high=0x7FF),
        Entry(0x1006, 0, "Communication cycle period", _U32, "rw", 0),
        Entry(0x1008, 0, "Manufacturer device name", _TEXT, "const", DEVICE_NAME),
        Entry(0x1009, 0, "Manufacturer hardware version", _TEXT, "const", "emulated"),
        Entry(0x100A, 0, "Manufacturer software version", _TEXT, "const", "1.0"),
        _group(
            0x1010,
            "Store parameters",
            (Entry(0x1010, 1, "Save all parameters", _U32, "rw", 0),),
            is_array=True,
        ),
        _group(
            0x1011,
            "Restore default parameters",
            (Entry(0x1011, 1, "Restore all default parameters", _U32, "rw", 1),),
            is_array=True,
        ),
        Entry(0x1014, 0, "COB-ID emergency message", _U32, "ro", 0x80, relative=True),
        _group(0x1016, "Consumer heartbeat time", consumers, is_array=True),
        Entry(0x1017, 0, "Producer heartbeat time", _U16, "rw", 0),
        _group(
            0x1018,
            "Identity object",
            (
                Entry(0x1018, 1, "Vendor-ID", _U32, "const", VENDOR_ID),
                Entry(0x1018, 2, "Product code", _U32, "const", PRODUCT_CODE),
                Entry(0x1018, 3, "Revision number", _U32, "const", REVISION),
                Entry(0x1018, 4, "Serial number", _U32, "ro", 0),
            ),
        ),
        _group(
            0x1029,
            "Error behaviour",
            (Entry(0x1029, 1, "Communication error", _U8, "rw", 0, allowed=(0, 1, 2)),),
            is_array=True,
        ),
    ]
    for receive in (True, False):
        pairs = [_pdo_rows(number, receive) for number in range(PDO_COUNT)]
        rows += [pair[0] for pair in pairs] + [pair[1] for pair in pairs]
    return rows


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
) -> Entry:
    default = getattr(_DEFAULTS, PARAMETERS[index, subindex])
    return Entry(index, subindex, name, data_type, "rw", default, allowed=allowed)


def _option_rows() -> list[Row]:
    return [
        _parameter(0x6007, 0, "Abort connection option code", _I16, (0, 1, 2, 3)),
        Entry(0x603F, 0, "Error code", _U16, "ro", 0, mappable=True),
        Entry(0x6040, 0, "Controlword", _U16, "rw", 0, mappable=True),
        Entry(0x6041, 0, "Statusword", _U16, "ro", 0, mappable=True),
        _parameter(0x605A, 0, "Quick stop option code", _I16, tuple(range(9))),
        _parameter(0x605B, 0, "Shutdown option code", _I16, (0, 1)),
        _parameter(0x605C, 0, "Disable operation option code", _I16, (0, 1)),
        _parameter(0x605D, 0, "Halt option code", _I16, (1, 2, 3, 4)),
        _parameter(0x605E, 0, "Fault reaction option code", _I16, (0, 1, 2, 3, 4)),
        Entry(
            0x6060, 0, "Modes of operation", _I8, "rw", 0, mappable=True, allowed=(0, *SUPPORTED)
        ),
        Entry(0x6061, 0, "Modes of operation display", _I8, "ro", 0, mappable=True),
    ]


def _motion_rows() -> list[Row]:
    return [
        Entry(0x6062, 0, "Position demand value", _I32, "ro", 0, mappable=True),
        Entry(0x6064, 0, "Position actual value", _I32, "ro", 0, mappable=True),
        _parameter(0x6065, 0, "Following error window", _U32),
        _parameter(0x6066, 0, "Following error time out", _U16),
        _parameter(0x6067, 0, "Position window", _U32),
        _parameter(0x6068, 0, "Position window time", _U16),
        Entry(0x606C, 0, "Velocity actual value", _I32, "ro", 0, mappable=True),
        Entry(0x6076, 0, "Motor rated torque", _U32, "ro", 0),
        Entry(0x6077, 0, "Torque actual value", _I16, "ro", 0, mappable=True),
        Entry(0x607A, 0, "Target position", _I32, "rw", 0, mappable=True),
        _parameter(0x607C, 0, "Home offset", _I32),
        _group(
            0x607D,
            "Software position limit",
            (
                _parameter(0x607D, 1, "Min position limit", _I32),
                _parameter(0x607D, 2, "Max position limit", _I32),
            ),
            is_array=True,
        ),
        _parameter(0x607F, 0, "Max profile velocity", _U32),
        _parameter(0x6081, 0, "Profile velocity", _U32),
        _parameter(0x6083, 0, "Profile acceleration", _U32),
        _parameter(0x6084, 0, "Profile deceleration", _U32),
        _parameter(0x6085, 0, "Quick stop deceleration", _U32),
    ]


def _ratio(index: int, name: str, first: str, second: str) -> Group:
    """A ratio that is 1:1 and cannot be changed."""
    return _group(
        index,
        name,
        (
            Entry(index, 1, first, _U32, "ro", 1),
            Entry(index, 2, second, _U32, "ro", 1),
        ),
        is_array=True,
    )


def _other_rows() -> list[Row]:
    return [
        _ratio(0x608F, "Position encoder resolution", "Encoder increments", "Motor revolutions"),
        _ratio(0x6091, "Gear ratio", "Motor revolutions", "Shaft revolutions"),
        _ratio(0x6092, "Feed constant", "Feed", "Shaft revolutions of feed"),
        _parameter(0x6098, 0, "Homing method", _I8, METHODS),
        _group(
            0x6099,
            "Homing speeds",
            (
                _parameter(0x6099, 1, "Speed during search for switch", _U32),
                _parameter(0x6099, 2, "Speed during search for zero", _U32),
            ),
            is_array=True,
        ),
        _parameter(0x609A, 0, "Homing acceleration", _U32),
        Entry(0x60B1, 0, "Velocity offset", _I32, "rw", 0, mappable=True),
        Entry(0x60C0, 0, "Interpolation sub mode select", _I16, "rw", 0, allowed=(0,)),
        _group(
            0x60C1,
            "Interpolation data record",
            (Entry(0x60C1, 1, "Interpolation data", _I32, "rw", 0, mappable=True),),
            is_array=True,
        ),
        _group(
            0x60C2,
            "Interpolation time period",
            (
                _parameter(0x60C2, 1, "Interpolation time units", _U8),
                _parameter(0x60C2, 2, "Interpolation time index", _I8, tuple(range(-6, 1))),
            ),
        ),
        _parameter(0x60C5, 0, "Max acceleration", _U32),
        _parameter(0x60C6, 0, "Max deceleration", _U32),
        Entry(0x60F4, 0, "Following error actual value", _I32, "ro", 0, mappable=True),
        Entry(0x60FD, 0, "Digital inputs", _U32, "ro", 0, mappable=True),
        Entry(0x60FF, 0, "Target velocity", _I32, "rw", 0, mappable=True),
        Entry(0x6502, 0, "Supported drive modes", _U32, "ro", supported_modes_word()),
    ]


ROWS: Final[tuple[Row, ...]] = (
    *_communication_rows(),
    *_option_rows(),
    *_motion_rows(),
    *_other_rows(),
)
"""Every object, by rising index."""


def _flatten() -> dict[tuple[int, int], Entry]:
    table: dict[tuple[int, int], Entry] = {}
    for row in ROWS:
        for entry in row.entries if isinstance(row, Group) else (row,):
            table[entry.index, entry.subindex] = entry
    return table


ENTRIES: Final = _flatten()
"""Every variable by index and sub-index."""
INDICES: Final = frozenset(row.index for row in ROWS)
