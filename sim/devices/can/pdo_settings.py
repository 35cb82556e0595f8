"""Configuration of a process data object over SDO, by the rules of CiA 301.

Clauses "RPDO/TPDO communication parameter" and "mapping parameter": a PDO is changed only while
its COB-ID has bit 31 set and the node is PRE-OPERATIONAL; its mapping only while sub-index 0 of
the mapping is 0, and it holds at most 64 bits.

Not modelled: SYNC start value (sub 6), mapping of single bits, multiplexed PDOs.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from sim.devices.can.communication_objects import PDO_INVALID
from sim.devices.can.object_entry import FORMATS
from sim.devices.can.object_store import (
    CANNOT_MAP,
    DEVICE_STATE,
    MAPPING_TOO_LONG,
    NO_OBJECT,
    UNSUPPORTED_ACCESS,
    VALUE_RANGE,
    ObjectStore,
    SdoAbort,
)

_DUMMIES: Final = {2: 8, 3: 16, 4: 32, 5: 8, 6: 16, 7: 32}
"""Data types that an RPDO may map to skip so many bits."""
_MAX_BITS: Final = 64
LAST_SYNC_TYPE: Final = 240
_EVENT_TYPES: Final = (254, 255)
_RESTRICTED_IDS: Final = (
    (0x000, 0x07F),
    (0x101, 0x180),
    (0x581, 0x5FF),
    (0x601, 0x67F),
    (0x6E0, 0x6FF),
    (0x701, 0x7FF),
)
"""CAN identifiers that no PDO may use: CiA 301, table "Restricted CAN-IDs"."""


class Pdo:
    """Common part of receive and transmit PDOs.

    Args:
        store: Objects of the node.
        number: 0 to 3.
        receive: Whether this is an RPDO.
        may_change: Returns whether the node is PRE-OPERATIONAL.
    """

    def __init__(
        self, store: ObjectStore, number: int, receive: bool, may_change: Callable[[], bool]
    ) -> None:
        self._store = store
        self._receive = receive
        self._may_change = may_change
        self.comm: int = (0x1400 if receive else 0x1800) + number
        self.mapping: int = (0x1600 if receive else 0x1A00) + number
        self._keys: tuple[tuple[int, int], ...] = ()
        self.layout = struct.Struct("<")
        self.cob_id: int | None = None
        """CAN identifier, or None while the PDO does not exist."""
        self.transmission_type = 255
        self.event_driven = True
        """Whether this PDO ignores SYNC."""
        self.inhibit_s = 0.0
        self.event_s = 0.0
        hooks = store.on_write
        hooks[self.comm, 1] = self._write_cob_id
        hooks[self.comm, 2] = self._write_type
        hooks[self.comm, 3] = self._write_inhibit
        hooks[self.mapping, 0] = self._write_count
        for subindex in range(1, 9):
            hooks[self.mapping, subindex] = self._write_mapping
        self.configure()

    def refresh(self) -> None:
        """Read the communication parameters again, after any write to them."""
        values = self._store.values
        word = values[self.comm, 1]
        self.cob_id = None if word & PDO_INVALID else word & 0x7FF
        self.transmission_type: int = values[self.comm, 2]
        self.event_driven: bool = self.transmission_type in _EVENT_TYPES
        self.inhibit_s: float = 1e-4 * values.get((self.comm, 3), 0)
        self.event_s: float = 1e-3 * values.get((self.comm, 5), 0)

    def configure(self) -> None:
        """Read the mapping again and prepare for it."""
        self.refresh()
        self._lay_out(self._store.values[self.mapping, 0])

    def _lay_out(self, count: int) -> None:
        code, keys = "<", []
        for subindex in range(1, count + 1):
            word = self._store.values[self.mapping, subindex]
            index, sub, bits = word >> 16, word >> 8 & 0xFF, word & 0xFF
            if index in _DUMMIES:
                code += f"{bits // 8}x"
            else:
                code += FORMATS[self._store.table.entries[index, sub].data_type]
                keys.append((index, sub))
        self.layout: struct.Struct = struct.Struct(code)
        self._keys = tuple(keys)
        self.bind(self._keys)

    def bind(self, keys: tuple[tuple[int, int], ...]) -> None:
        """Look up the functions of the mapped objects."""
        raise NotImplementedError

    def _exists(self) -> bool:
        return not self._store.values[self.comm, 1] & PDO_INVALID

    def _require_pre_operational(self) -> None:
        if not self._may_change():
            raise SdoAbort(DEVICE_STATE)

    def _write_cob_id(self, value: int) -> None:
        self._require_pre_operational()
        old = self._store.values[self.comm, 1]
        if not old & PDO_INVALID and not value & PDO_INVALID and value != old:
            raise SdoAbort(VALUE_RANGE)  # an existing PDO keeps its identifier
        if value & 0x2000_0000 or value & 0x1FFF_F800:
            raise SdoAbort(VALUE_RANGE)  # no 29-bit identifiers
        identifier = value & 0x7FF
        if any(low <= identifier <= high for low, high in _RESTRICTED_IDS):
            raise SdoAbort(VALUE_RANGE)

    def _write_type(self, value: int) -> None:
        if value > LAST_SYNC_TYPE and value not in _EVENT_TYPES:
            raise SdoAbort(VALUE_RANGE)

    def _write_inhibit(self, value: int) -> None:
        if self._exists() and value != self._store.values[self.comm, 3]:
            raise SdoAbort(VALUE_RANGE)

    def _write_count(self, value: int) -> None:
        self._require_pre_operational()
        if self._exists():
            raise SdoAbort(UNSUPPORTED_ACCESS)
        if value > 8:
            raise SdoAbort(MAPPING_TOO_LONG)
        bits = 0
        for subindex in range(1, value + 1):
            word = self._store.values[self.mapping, subindex]
            self._check_mapping(word)
            bits += word & 0xFF
        if bits > _MAX_BITS:
            raise SdoAbort(MAPPING_TOO_LONG)
        self._lay_out(value)

    def _write_mapping(self, value: int) -> None:
        self._require_pre_operational()
        if self._exists() or self._store.values[self.mapping, 0] != 0:
            raise SdoAbort(UNSUPPORTED_ACCESS)
        if value:
            self._check_mapping(value)

    def _check_mapping(self, word: int) -> None:
        index, subindex, bits = word >> 16, word >> 8 & 0xFF, word & 0xFF
        if index in _DUMMIES:
            if not self._receive or subindex or bits != _DUMMIES[index]:
                raise SdoAbort(CANNOT_MAP)
            return
        entry = self._store.table.entries.get((index, subindex))
        if entry is None:
            raise SdoAbort(NO_OBJECT)
        writable = entry.access == "rw"
        if not entry.mappable or bits != entry.bits or (self._receive and not writable):
            raise SdoAbort(CANNOT_MAP)
