"""Process data objects of one node: configuration over SDO, transmission and reception.

CiA 301, clauses "Process data object (PDO)", "RPDO/TPDO communication parameter" and "mapping
parameter": a PDO is changed only while its COB-ID has bit 31 set and the node is PRE-OPERATIONAL;
its mapping only while sub-index 0 of the mapping is 0.

Transmission types: 0 (with SYNC, after a change), 1 to 240 (every nth SYNC), 254 and 255 (on
change, and by event timer, at most once per inhibit time). For RPDOs: up to 240 acts at the next
SYNC, 254 and 255 at once; the event timer supervises the reception.

Not modelled: remote transmission requests (252, 253), SYNC start value (sub 6), bit mapping,
multiplexed PDOs.
"""

from __future__ import annotations

import struct
from collections.abc import Callable
from typing import Final

from sim.devices.object_store import (
    CANNOT_MAP,
    DEVICE_STATE,
    MAPPING_TOO_LONG,
    NO_OBJECT,
    UNSUPPORTED_ACCESS,
    VALUE_RANGE,
    ObjectStore,
    SdoAbort,
)
from sim.devices.object_table import ENTRIES, FORMATS, PDO_COUNT, PDO_INVALID
from sim.devices.watchdogs import Deadline

_DUMMIES: Final = {2: 8, 3: 16, 4: 32, 5: 8, 6: 16, 7: 32}
"""Data types that an RPDO may map to skip so many bits."""
_MAX_BITS: Final = 64
_LAST_SYNC_TYPE: Final = 240
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
    """What receive and transmit PDOs have in common.

    Args:
        store: Objects of the node.
        number: 0 to 3.
        receive: Whether this is an RPDO.
        may_change: Says whether the node is PRE-OPERATIONAL.
    """

    def __init__(
        self, store: ObjectStore, number: int, receive: bool, may_change: Callable[[], bool]
    ) -> None:
        self._store = store
        self._receive = receive
        self._may_change = may_change
        self.comm = (0x1400 if receive else 0x1800) + number
        self.mapping = (0x1600 if receive else 0x1A00) + number
        self._keys: tuple[tuple[int, int], ...] = ()
        self.layout = struct.Struct("<")
        self.cob_id: int | None = None
        """CAN identifier, or None while the PDO does not exist."""
        self.transmission_type = 255
        self.event_driven = True
        """Whether SYNC means nothing to this PDO."""
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
        self.transmission_type = values[self.comm, 2]
        self.event_driven = self.transmission_type in _EVENT_TYPES
        self.inhibit_s = 1e-4 * values[self.comm, 3]
        self.event_s = 1e-3 * values[self.comm, 5]

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
                code += FORMATS[ENTRIES[index, sub].data_type]
                keys.append((index, sub))
        self.layout = struct.Struct(code)
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
        if value > _LAST_SYNC_TYPE and value not in _EVENT_TYPES:
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
        entry = ENTRIES.get((index, subindex))
        if entry is None:
            raise SdoAbort(NO_OBJECT)
        writable = entry.access == "rw"
        if not entry.mappable or bits != entry.bits or (self._receive and not writable):
            raise SdoAbort(CANNOT_MAP)


class ReceivePdo(Pdo):
    """One RPDO: data wait for SYNC or act at once; `deadline` supervises the reception."""

    def __init__(self, store: ObjectStore, number: int, may_change: Callable[[], bool]) -> None:
        self.deadline = Deadline()
        self._waiting: bytes | None = None
        self._writers: tuple[Callable[[int], None], ...] = ()
        super().__init__(store, number, True, may_change)
        store.on_write[self.comm, 5] = self._write_event

    def bind(self, keys: tuple[tuple[int, int], ...]) -> None:
        """Look up the functions that write the mapped objects."""
        self._writers = tuple(self._store.writer(*key) for key in keys)

    def configure(self) -> None:
        """Read the mapping and the event timer again."""
        super().configure()
        self._waiting = None
        self.deadline.set_time(self.event_s)

    def _write_event(self, value: int) -> None:
        self.deadline.set_time(1e-3 * value)

    def receive(self, data: bytes, now_s: float) -> int:
        """Take a frame.

        Args:
            data: Its bytes; more than mapped are cut off.
            now_s: Monotonic time [s].

        Returns:
            0, or the emergency code of CiA 301 for a wrong length: 8210h too short and not used,
            8220h too long.
        """
        size = self.layout.size
        if len(data) < size:
            return 0x8210
        self.deadline.received(now_s)
        if self.event_driven:
            self._apply(data)
        else:
            self._waiting = data
        return 0x8220 if len(data) > size else 0

    def on_sync(self) -> None:
        """Let data that waited for SYNC act."""
        if self._waiting is not None:
            data, self._waiting = self._waiting, None
            self._apply(data)

    def stop(self) -> None:
        """Forget what waits, because the node left OPERATIONAL."""
        self._waiting = None
        self.deadline.stop()

    def _apply(self, data: bytes) -> None:
        for write, value in zip(self._writers, self.layout.unpack_from(data), strict=True):
            write(value)


class TransmitPdo(Pdo):
    """One TPDO: says when it is due and what it carries."""

    def __init__(self, store: ObjectStore, number: int, may_change: Callable[[], bool]) -> None:
        self._readers: tuple[Callable[[], int], ...] = ()
        self._last: bytes | None = None
        self._sent_s = 0.0
        self._syncs = 0
        super().__init__(store, number, False, may_change)

    def bind(self, keys: tuple[tuple[int, int], ...]) -> None:
        """Look up the functions that read the mapped objects."""
        self._readers = tuple(self._store.reader(*key) for key in keys)

    def start(self) -> None:
        """Begin anew, because the node became OPERATIONAL."""
        self._last = None
        self._syncs = 0

    def on_sync(self, now_s: float) -> bytes | None:
        """Return the data to send with this SYNC, or None.

        Args:
            now_s: Monotonic time [s].
        """
        kind = self.transmission_type
        if kind > _LAST_SYNC_TYPE or self.cob_id is None:
            return None
        data = self._pack()
        if kind == 0:
            due = data != self._last
        else:
            self._syncs += 1
            due = self._syncs >= kind
            if due:
                self._syncs = 0
        return self._sent(data, now_s) if due else None

    def on_time(self, now_s: float) -> bytes | None:
        """Return the data of an event-driven PDO that changed or whose timer ran out, or None.

        Args:
            now_s: Monotonic time [s].
        """
        if not self.event_driven or self.cob_id is None:
            return None
        if self._last is not None and now_s < self._sent_s + self.inhibit_s - 1e-9:
            return None
        data = self._pack()
        if data == self._last:
            event_s = self.event_s
            if event_s == 0.0 or now_s < self._sent_s + event_s - 1e-9:
                return None
        return self._sent(data, now_s)

    def _pack(self) -> bytes:
        return self.layout.pack(*[read() for read in self._readers])

    def _sent(self, data: bytes, now_s: float) -> bytes:
        self._last, self._sent_s = data, now_s
        return data


def pdos_of(
    store: ObjectStore, may_change: Callable[[], bool]
) -> tuple[tuple[ReceivePdo, ...], tuple[TransmitPdo, ...]]:
    """Return the PDOs of a node.

    Args:
        store: Objects of the node.
        may_change: Says whether the node is PRE-OPERATIONAL.
    """
    receive = tuple(ReceivePdo(store, number, may_change) for number in range(PDO_COUNT))
    transmit = tuple(TransmitPdo(store, number, may_change) for number in range(PDO_COUNT))
    return receive, transmit
