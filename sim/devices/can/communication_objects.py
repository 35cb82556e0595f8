"""Communication objects of the emulated drive: 1000h to 1A03h of CiA 301.

Not modelled: 1002h, 1005h as producer, 1012h, 1015h, 1019h, 1F80h and the LSS.
"""

from __future__ import annotations

from typing import Final

from canopen.objectdictionary import datatypes as dt

from sim.devices.can.object_entry import DictionaryEntry, Group, Row, group

DEVICE_NAME: Final = "HIL emulated drive"
VENDOR_ID: Final = 0
"""Vendor id (1018h sub 1): 0 is unassigned, so no real drive has it."""
PRODUCT_CODE: Final = 0x0402
REVISION: Final = 0x0001_0000
PDO_COUNT: Final = 4
"""Receive PDOs, and as many transmit PDOs."""
PDO_INVALID: Final = 0x8000_0000
SYNC_ID: Final = 0x80
"""CAN id of SYNC, also of a drive that does not show it (1005h)."""

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
"""Inhibit time of event-driven TPDOs [100 us]: a moving rod changes its position all the time."""
_DEFAULT_EVENT_MS: Final = 100


_U8, _U16, _U32 = dt.UNSIGNED8, dt.UNSIGNED16, dt.UNSIGNED32
_TEXT = dt.VISIBLE_STRING


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
    parameters = group(
        comm,
        f"{kind}{number + 1} communication parameter",
        (
            DictionaryEntry(
                comm, 1, f"COB-ID used by {kind}{number + 1}", _U32, "rw", cob, relative=True
            ),
            DictionaryEntry(comm, 2, "Transmission type", _U8, "rw", 255),
            DictionaryEntry(comm, 3, "Inhibit time", _U16, "rw", inhibit),
            DictionaryEntry(comm, 5, "Event timer", _U16, "rw", event),
        ),
    )
    words = [(o << 16) | (s << 8) | n for o, s, n in mapping]
    words += [0] * (8 - len(words))
    count = DictionaryEntry(mapping_index, 0, "Number of mapped objects", _U8, "rw", len(mapping))
    entries = tuple(
        DictionaryEntry(mapping_index, k + 1, f"Mapped object {k + 1}", _U32, "rw", word)
        for k, word in enumerate(words)
    )
    name = f"{kind}{number + 1} mapping parameter"
    return parameters, Group(mapping_index, name, False, (count, *entries))


def _error_history(errors: int) -> Group:
    """Return 1003h, with a field for each error that is kept."""
    fields = (
        DictionaryEntry(0x1003, k, f"Standard error field {k}", _U32, "ro", 0)
        for k in range(1, errors + 1)
    )
    count = DictionaryEntry(0x1003, 0, "Number of errors", _U8, "rw", 0)
    return Group(0x1003, "Pre-defined error field", True, (count, *fields))


def _heartbeat_consumers(heartbeats: int) -> Group:
    """Return 1016h, with an entry for each node that is watched, and one at least."""
    entries = tuple(
        DictionaryEntry(
            0x1016, k, f"Consumer heartbeat time {k}", _U32, "rw", 0, low=0, high=0x7F_FFFF
        )
        for k in range(1, max(1, heartbeats) + 1)
    )
    return group(0x1016, "Consumer heartbeat time", entries, is_array=True)


def communication_rows(heartbeats: int, errors: int) -> list[Row]:
    """Return the objects 1000h to 1A03h, by rising index.

    Args:
        heartbeats: Entries of 1016h.
        errors: Entries of 1003h.
    """
    rows: list[Row] = [
        DictionaryEntry(0x1000, 0, "Device type", _U32, "const", 0x0002_0192),
        DictionaryEntry(0x1001, 0, "Error register", _U8, "ro", 0, mappable=True),
        _error_history(errors),
        DictionaryEntry(0x1005, 0, "COB-ID SYNC message", _U32, "rw", SYNC_ID, low=1, high=0x7FF),
        DictionaryEntry(0x1006, 0, "Communication cycle period", _U32, "rw", 0),
        DictionaryEntry(0x1008, 0, "Manufacturer device name", _TEXT, "const", DEVICE_NAME),
        DictionaryEntry(0x1009, 0, "Manufacturer hardware version", _TEXT, "const", "emulated"),
        DictionaryEntry(0x100A, 0, "Manufacturer software version", _TEXT, "const", "1.0"),
        DictionaryEntry(0x100C, 0, "Guard time", _U16, "rw", 0),
        DictionaryEntry(0x100D, 0, "Life time factor", _U8, "rw", 0),
        group(
            0x1010,
            "Store parameters",
            (DictionaryEntry(0x1010, 1, "Save all parameters", _U32, "rw", 0),),
            is_array=True,
        ),
        group(
            0x1011,
            "Restore default parameters",
            (DictionaryEntry(0x1011, 1, "Restore all default parameters", _U32, "rw", 1),),
            is_array=True,
        ),
        DictionaryEntry(0x1013, 0, "High resolution time stamp", _U32, "ro", 0, mappable=True),
        DictionaryEntry(0x1014, 0, "COB-ID emergency message", _U32, "ro", 0x80, relative=True),
        _heartbeat_consumers(heartbeats),
        DictionaryEntry(0x1017, 0, "Producer heartbeat time", _U16, "rw", 0),
        group(
            0x1018,
            "Identity object",
            (
                DictionaryEntry(0x1018, 1, "Vendor-ID", _U32, "const", VENDOR_ID),
                DictionaryEntry(0x1018, 2, "Product code", _U32, "const", PRODUCT_CODE),
                DictionaryEntry(0x1018, 3, "Revision number", _U32, "const", REVISION),
                DictionaryEntry(0x1018, 4, "Serial number", _U32, "ro", 0),
            ),
        ),
        group(
            0x1029,
            "Error behaviour",
            (DictionaryEntry(0x1029, 1, "Communication error", _U8, "rw", 0, allowed=(0, 1, 2)),),
            is_array=True,
        ),
    ]
    for receive in (True, False):
        pairs = [_pdo_rows(number, receive) for number in range(PDO_COUNT)]
        rows += [pair[0] for pair in pairs] + [pair[1] for pair in pairs]
    return rows
