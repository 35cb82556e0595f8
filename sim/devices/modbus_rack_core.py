"""The device behind the Modbus registers: six emulated drives, a watchdog, and no wire at all.

Time is told to it; requests come in as register reads and writes and are answered at once, with
values or with an exception code (Modbus Application Protocol V1.1b3, section 7). The watchdog is
the true fallback of the bench: nobody else needs to be alive for it to stop the drives.

Not modelled: processing time of the device, saving of parameters, coils and input registers,
words that a real gateway updates in its own slower rhythm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Final

from sim.devices import modbus_rack_table as table
from sim.devices.drive_group import DriveGroup
from sim.devices.drive_node import EmulatedDrive
from sim.devices.drive_parameters import NODES, RackSettings
from sim.devices.modbus_rack_parameters import (
    ILLEGAL_ADDRESS,
    ILLEGAL_VALUE,
    read_parameters,
    write_parameters,
)
from sim.devices.modbus_rack_table import Word
from sim.devices.plant import PlantError, Rod
from sim.devices.watchdogs import Deadline

MASTER_LOST: Final = 0x8130
"""Error code: the master's cyclic requests stay away (CiA 301, life guard or heartbeat error)."""
COMMUNICATION_BIT: Final = 0x10
"""Error register 1001h: communication error."""
WATCHDOG_DEFAULT_MS: Final = 100


@dataclass(frozen=True, slots=True)
class ModbusRackSettings:
    """The rack and its line.

    Attributes:
        rack: The six drives.
        units: Unit addresses: one unit with six axes, or six units with one axis each.
        baud: Of the serial line [Bd].
        stop_bits: 1 or 2; a pty has no parity bit, so the line has none, and 2 as the standard
            wants it then (Modbus over Serial Line V1.02, 2.5.1).
        paced: Whether answers on the serial line take the time that their bytes take.
        vendor_name: Device identification, object 0.
        product_code: Device identification, object 1.
        revision: Device identification, object 2.

    Raises:
        PlantError: If a value makes no sense.
    """

    rack: RackSettings = field(default_factory=RackSettings)
    units: tuple[int, ...] = (1,)
    baud: int = 115200
    stop_bits: int = 2
    paced: bool = True
    vendor_name: str = "HIL bench"
    product_code: str = "HIL emulated rack"
    revision: str = "1.0"

    def __post_init__(self) -> None:
        if len(self.units) not in (1, NODES) or len(set(self.units)) != len(self.units):
            raise PlantError(f"units {self.units}: 1 or {NODES} different unit addresses")
        if not all(1 <= unit <= 247 for unit in self.units):
            raise PlantError(f"units {self.units}: unit addresses are 1 to 247")
        if not 300 <= self.baud <= 4_000_000:
            raise PlantError(f"baud = {self.baud} Bd: 300 to 4000000")
        if self.stop_bits not in (1, 2):
            raise PlantError(f"stop_bits = {self.stop_bits}: 1 or 2")

    @property
    def bits_per_byte(self) -> int:
        """Bits of a character on the line: start, 8 data, stop."""
        return 9 + self.stop_bits


class ModbusRackCore:
    """Six drives behind registers.

    Args:
        settings: The rack.
        seed: Seed of where the rods stand and what the encoders say when the power comes.
    """

    def __init__(self, settings: ModbusRackSettings, *, seed: int) -> None:
        self.settings = settings
        self._group = DriveGroup(settings.rack, seed=seed)
        self._now_s: float | None = None
        self._per_unit = NODES // len(settings.units)
        self._orders = {unit: [0] * self._order_count for unit in settings.units}
        self._watchdog_ms = dict.fromkeys(settings.units, WATCHDOG_DEFAULT_MS)
        self._deadlines = {unit: Deadline(WATCHDOG_DEFAULT_MS / 1e3) for unit in settings.units}
        self._boot_count = 1
        self.tripped_at_s: float | None = None
        """When the watchdog stopped the drives last [s]."""
        self.hold_values: dict[int, list[int]] = {}
        """Fault: state words of a drive, 0 to 5, that are told whatever it does."""

    @property
    def rods(self) -> tuple[Rod, ...]:
        """The true rods, for observers."""
        return self._group.rods

    @property
    def drives(self) -> tuple[EmulatedDrive, ...]:
        """The six drives."""
        return self._group.drives

    def resting_until_s(self) -> float:
        """Return the time before which nothing happens unless it is written [s]."""
        if not self._group.still:
            return -math.inf
        due_s = self._next_trip_s()
        return math.inf if due_s is None else due_s

    @property
    def _order_count(self) -> int:
        return table.ORDERS + self._per_unit * table.ORDER_STRIDE

    @property
    def _state_count(self) -> int:
        return table.STATES - table.ECHO + self._per_unit * table.STATE_STRIDE

    def power_up(self) -> None:
        """Switch the rack off and on: parameters, references and the watchdog are as at first."""
        for drive in self.drives:
            drive.power_up()
        self._boot_count = self._boot_count + 1 & 0xFFFF
        for unit in self.settings.units:
            self._orders[unit] = [0] * self._order_count
            self._set_watchdog(unit, WATCHDOG_DEFAULT_MS)

    def advance(self, now_s: float) -> None:
        """Move everything on to a time; the watchdog fires at its own moment on the way.

        Args:
            now_s: Monotonic time [s].
        """
        if self._now_s is None:
            self._now_s = now_s
        while (due_s := self._next_trip_s()) is not None and due_s <= now_s:
            self._move_to(max(due_s, self._now_s))
            for unit, deadline in self._deadlines.items():
                if deadline.expired(self._now_s):
                    self.tripped_at_s = self._now_s
                    for drive in self._drives_of(unit):
                        drive.abort_connection(MASTER_LOST, COMMUNICATION_BIT)
        self._move_to(now_s)

    def read(self, unit: int, address: int, count: int) -> list[int] | int:
        """Read registers.

        Args:
            unit: Unit address, one of the rack's.
            address: First register.
            count: Number of registers.

        Returns:
            Their values, or an exception code.
        """
        if address >= table.ECHO and address + count <= table.ECHO + self._state_count:
            start = address - table.ECHO
            return self._states(unit)[start : start + count]
        if address + count <= self._order_count:
            return self._orders[unit][address : address + count]
        if (address, count) == (table.WATCHDOG_MS, 1):
            return [self._watchdog_ms[unit]]
        axis, offset = self._parameter_place(address, count)
        if axis is None:
            return ILLEGAL_ADDRESS
        return read_parameters(self._drives_of(unit)[axis])[offset : offset + count]

    def write(self, unit: int, address: int, values: list[int], now_s: float) -> int | None:
        """Write registers.

        Args:
            unit: Unit address, one of the rack's.
            address: First register.
            values: What to write.
            now_s: Monotonic time [s].

        Returns:
            None, or the exception code with which it is refused; then nothing was written.
        """
        if address + len(values) <= self._order_count:
            return self._write_orders(unit, address, values, now_s)
        if (address, len(values)) == (table.WATCHDOG_MS, 1):
            self._set_watchdog(unit, values[0])
            return None
        axis, offset = self._parameter_place(address, len(values))
        if axis is None:
            return ILLEGAL_ADDRESS
        return write_parameters(self._drives_of(unit)[axis], offset, values)

    # -- time ---------------------------------------------------------------------------------

    def _move_to(self, now_s: float) -> None:
        if self._now_s is None or now_s <= self._now_s:
            return
        self._group.advance(now_s - self._now_s)
        self._now_s = now_s

    def _next_trip_s(self) -> float | None:
        times = [due for each in self._deadlines.values() if (due := each.due_s()) is not None]
        return min(times, default=None)

    def _set_watchdog(self, unit: int, time_ms: int) -> None:
        self._watchdog_ms[unit] = time_ms
        self._deadlines[unit].set_time(time_ms / 1e3)

    # -- cyclic words -------------------------------------------------------------------------

    def _drives_of(self, unit: int) -> tuple[EmulatedDrive, ...]:
        first = self.settings.units.index(unit) * self._per_unit
        return self.drives[first : first + self._per_unit]

    def _write_orders(self, unit: int, address: int, values: list[int], now_s: float) -> int | None:
        """Give the drives their orders; half a 32-bit value is refused, it would be a jump."""
        end = address + len(values)
        touched: list[tuple[int, Word]] = []
        for axis in range(self._per_unit):
            for word in (table.MODE, table.SPEED, table.TARGET, table.CONTROLWORD):
                start = table.ORDERS + axis * table.ORDER_STRIDE + word.at
                inside = max(0, min(end, start + word.width) - max(address, start))
                if 0 < inside < word.width:
                    return ILLEGAL_VALUE
                if inside:
                    touched.append((axis, word))
        orders = self._orders[unit]
        before = orders[table.SEQUENCE]
        orders[address:end] = values
        if orders[table.SEQUENCE] != before:
            # A repeated request does not prove that anybody is still there.
            self._deadlines[unit].received(now_s)
        for axis, word in touched:
            start = table.ORDERS + axis * table.ORDER_STRIDE + word.at
            value = table.value_of(orders[start : start + word.width], word)
            _order(self._drives_of(unit)[axis], word, value)
        return None

    def _states(self, unit: int) -> list[int]:
        registers = [self._orders[unit][table.SEQUENCE], self._boot_count]
        for drive in self._drives_of(unit):
            number = self.drives.index(drive)
            registers += self.hold_values.get(number) or state_words(drive)
        return registers

    # -- parameters ---------------------------------------------------------------------------

    def _parameter_place(self, address: int, count: int) -> tuple[int | None, int]:
        axis, offset = divmod(address - table.PARAMETERS, table.PARAMETER_STRIDE)
        fits = 0 <= axis < self._per_unit and offset + count <= table.PARAMETER_STRIDE
        return (axis if fits else None), offset


def state_words(drive: EmulatedDrive) -> list[int]:
    """Return the state words of a drive as they lie in the registers."""
    registers = [0] * table.STATE_STRIDE
    for word, value in (
        (table.STATUSWORD, drive.statusword),
        (table.MODE_DISPLAY, drive.mode_display),
        (table.ERROR_CODE, drive.error_code),
        (table.INPUTS, drive.digital_inputs & 0xFFFF),
        (table.POSITION, drive.position_counts),
        (table.VELOCITY, drive.velocity_counts_s),
        (table.FORCE, drive.torque_permille),
    ):
        registers[word.at : word.at + word.width] = table.words_of(value, word)
    return registers


def _order(drive: EmulatedDrive, word: Word, value: int) -> None:
    if word is table.MODE:
        drive.write_mode(value)
    elif word is table.SPEED:
        drive.write_velocity_offset(value)
    elif word is table.TARGET:
        drive.write_target(value)
    else:
        drive.write_controlword(value)
