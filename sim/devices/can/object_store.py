"""Values of one node's objects: what SDO and PDO read and write, bound to its emulated drive.

A read of an object that a drive computes asks the drive; a write that means something acts at
once. Everything else is stored. Refusals carry the SDO abort code of CiA 301.

Not modelled: storing parameters (1010h refuses), transfers of more than a few bytes of text.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from sim.devices.can.object_entry import DictionaryEntry
from sim.devices.can.object_table import PARAMETERS, ObjectTable, table_of
from sim.devices.drive.drive_type import SCREW_LEAD_M, UnitError
from sim.devices.drive.node import EmulatedDrive

READ_OF_WRITE_ONLY: Final = 0x0601_0001
WRITE_OF_READ_ONLY: Final = 0x0601_0002
NO_OBJECT: Final = 0x0602_0000
NO_SUBINDEX: Final = 0x0609_0011
LENGTH_MISMATCH: Final = 0x0607_0010
VALUE_RANGE: Final = 0x0609_0030
CANNOT_STORE: Final = 0x0800_0020
DEVICE_STATE: Final = 0x0800_0022
UNSUPPORTED_ACCESS: Final = 0x0601_0000
CANNOT_MAP: Final = 0x0604_0041
MAPPING_TOO_LONG: Final = 0x0604_0042

_TIME_STAMPS: Final = ((0x1013, 0), (0x2041, 0))
_UNIT_WORDS: Final = (0x60A8, 0x60A9, 0x60AA)
_LIMITS: Final = {(0x607F, 0), (0x6083, 0), (0x6084, 0), (0x6085, 0), (0x60C5, 0), (0x60C6, 0)}

_LOAD: Final = 0x64616F6C
"""`load` as bytes, least significant first: the signature of object 1011h."""


class SdoAbort(Exception):  # noqa: N818  (CiA 301 calls it an abort)
    """Refusal of an access.

    Args:
        code: Abort code of CiA 301, clause "SDO abort codes".
    """

    def __init__(self, code: int) -> None:
        super().__init__(f"SDO abort 0x{code:08X}")
        self.code = code


class ObjectStore:
    """Objects of one node.

    Args:
        drive: The drive behind them.
        node_id: Its node id, for the defaults of COB-IDs.
    """

    def __init__(self, drive: EmulatedDrive, node_id: int) -> None:
        self.drive = drive
        self.node_id = node_id
        self.values: dict[tuple[int, int], int] = {}
        self.on_write: dict[tuple[int, int], Callable[[int], None]] = {}
        """Functions of a new value, called before it is stored; may raise `SdoAbort`."""
        self.table: ObjectTable = table_of(drive.settings.type)
        """Objects of the dictionary."""
        self.clock_us = 0
        """Time of the drive's own clock [us], which its owner keeps updating; a master reads
        it as 1013h, or where its maker has it."""
        self._readers = _readers(drive) | dict.fromkeys(_TIME_STAMPS, self._time_stamp)
        self._writers = _writers(drive)
        self.reset()

    def reset(self) -> None:
        """Give every stored object its default."""
        self.values.clear()
        for key, entry in self.table.entries.items():
            if isinstance(entry.default, int):
                self.values[key] = entry.default + (self.node_id if entry.relative else 0)
        settings = self.drive.settings
        for key, value in (
            ((0x1018, 4), settings.serial),
            # A screw of 10 mm a turn, in micrometres, and an encoder that gives the counts.
            ((0x608F, 1), round(settings.counts_per_m * SCREW_LEAD_M)),
            ((0x6092, 1), round(SCREW_LEAD_M * 1e6)),
            ((0x6076, 0), round(1000.0 * settings.rod.force_max_n)),
        ):
            if key in self.table.entries:
                self.values[key] = value

    def _time_stamp(self) -> int:
        return self.clock_us & 0xFFFF_FFFF

    def load_parameters(self) -> None:
        """Give the drive's parameters their values after power-up.

        What a type lacks does not limit it: a speed or acceleration of 0 is as much as it can.
        """
        for key, name in PARAMETERS.items():
            entry = self.table.entries.get(key)
            if entry is not None and isinstance(entry.default, int):
                setattr(self.drive.parameters, name, entry.default)
            elif key in _LIMITS:
                setattr(self.drive.parameters, name, 0)

    def find(self, index: int, subindex: int) -> DictionaryEntry:
        """Return a variable of the dictionary.

        Raises:
            SdoAbort: If there is no such object or sub-index.
        """
        entry = self.table.entries.get((index, subindex))
        if entry is None:
            raise SdoAbort(NO_SUBINDEX if index in self.table.indices else NO_OBJECT)
        return entry

    def reader(self, index: int, subindex: int) -> Callable[[], int]:
        """Return the function that reads a numeric object: PDOs keep it."""
        key = (index, subindex)
        found = self._readers.get(key)
        if found is not None:
            return found
        name = PARAMETERS.get(key)
        if name is not None:
            return lambda: getattr(self.drive.parameters, name)
        return lambda: self.values[key]

    def writer(self, index: int, subindex: int) -> Callable[[int], None]:
        """Return the function that writes a mappable object: PDOs keep it."""
        key = (index, subindex)
        found = self._writers.get(key)
        return found if found is not None else lambda value: self.values.__setitem__(key, value)

    def read(self, index: int, subindex: int) -> bytes:
        """Return the bytes of an object.

        Raises:
            SdoAbort: If there is no such object, or it cannot be read.
        """
        entry = self.find(index, subindex)
        if entry.access == "wo":
            raise SdoAbort(READ_OF_WRITE_ONLY)
        if isinstance(entry.default, str):
            return entry.encode(entry.default)
        return entry.encode(self.reader(index, subindex)())

    def check_writable(self, index: int, subindex: int) -> DictionaryEntry:
        """Return the variable if a master may write it.

        Raises:
            SdoAbort: If there is no such object, or it is read-only.
        """
        entry = self.find(index, subindex)
        if entry.access in ("ro", "const"):
            raise SdoAbort(WRITE_OF_READ_ONLY)
        return entry

    def write(self, index: int, subindex: int, data: bytes) -> None:
        """Write the bytes of an object.

        Raises:
            SdoAbort: If the object cannot be written, or not with this value.
        """
        entry = self.check_writable(index, subindex)
        if 8 * len(data) != entry.bits:
            raise SdoAbort(LENGTH_MISMATCH)
        value = entry.decode(data)
        if entry.allowed is not None and value not in entry.allowed:
            raise SdoAbort(VALUE_RANGE)
        if entry.low is not None and value < entry.low:
            raise SdoAbort(VALUE_RANGE)
        if entry.high is not None and value > entry.high:
            raise SdoAbort(VALUE_RANGE)
        self._act(index, subindex, value - value % entry.step)

    def _act(self, index: int, subindex: int, value: int) -> None:
        key = (index, subindex)
        if index == 0x1010:
            raise SdoAbort(CANNOT_STORE)
        if index == 0x1011:
            if value != _LOAD:
                raise SdoAbort(CANNOT_STORE)
            return  # nothing is ever stored, so defaults come back with every reset
        name = PARAMETERS.get(key)
        if name is not None:
            setattr(self.drive.parameters, name, value)
            return
        hook = self.on_write.get(key)
        if hook is not None:
            hook(value)
        if index in _UNIT_WORDS:
            self._take_unit(index, value)
        writer = self._writers.get(key)
        if writer is not None:
            writer(value)
        else:
            self.values[key] = value

    def _take_unit(self, index: int, word: int) -> None:
        words = [word if each == index else self.values.get((each, 0)) for each in _UNIT_WORDS]
        try:
            self.drive.use_units(*words)
        except UnitError:
            raise SdoAbort(VALUE_RANGE) from None


def _readers(drive: EmulatedDrive) -> dict[tuple[int, int], Callable[[], int]]:
    return {
        (0x1001, 0): lambda: drive.error_register,
        (0x603F, 0): lambda: drive.error_code,
        (0x6040, 0): lambda: drive.controlword,
        (0x6041, 0): lambda: drive.statusword,
        (0x6060, 0): lambda: drive.mode_request,
        (0x6061, 0): lambda: drive.mode_display,
        (0x6062, 0): lambda: drive.demand_counts,
        (0x6064, 0): lambda: drive.position_counts,
        (0x606C, 0): lambda: drive.velocity_counts_s,
        (0x6077, 0): lambda: drive.torque_permille,
        (0x607A, 0): lambda: drive.target_raw,
        (0x60B1, 0): lambda: drive.velocity_offset or 0,
        (0x60C1, 1): lambda: drive.target_raw,
        (0x60F4, 0): lambda: drive.following_error_counts,
        (0x60FD, 0): lambda: drive.digital_inputs,
        (0x60FF, 0): lambda: drive.target_velocity,
    }


def _writers(drive: EmulatedDrive) -> dict[tuple[int, int], Callable[[int], None]]:
    return {
        (0x6040, 0): drive.write_controlword,
        (0x6060, 0): drive.write_mode,
        (0x607A, 0): drive.write_target,
        (0x607E, 0): drive.set_polarity,
        (0x60B1, 0): drive.write_velocity_offset,
        (0x60C1, 1): drive.write_target,
        (0x60FF, 0): drive.write_target_velocity,
    }
