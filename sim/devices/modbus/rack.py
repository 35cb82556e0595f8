"""The gateway of the emulated Modbus rack: one register table for one unit with six axes, or six.

The watchdog is the true fallback of the bench: nobody else needs to be alive for it to stop the
drives.

Not modelled: words that a real gateway updates in its own slower rhythm.
"""

from __future__ import annotations

from typing import Final

from hil_common.plant import Plant
from sim.devices.drive.node import EmulatedDrive
from sim.devices.modbus import rack_table as table
from sim.devices.modbus.device import (
    ILLEGAL_ADDRESS,
    ILLEGAL_VALUE,
    ModbusDevice,
    ModbusRackSettings,
)
from sim.devices.modbus.rack_parameters import read_parameters, write_parameters
from sim.devices.modbus.rack_table import Word

MASTER_LOST: Final = 0x8130
"""Error code: the master's cyclic requests stay away (CiA 301, life guard or heartbeat error)."""
COMMUNICATION_BIT: Final = 0x10
"""Error register 1001h: communication error."""


class ModbusRackCore(ModbusDevice):
    """Six drives behind the registers of the bench's own gateway.

    Args:
        seed: Seed of where the rods stand and what the encoders say when the power comes.
        plant: The body that couples the rods; None for rods by themselves.
    """

    watchdog_default_ms = 100

    def __init__(
        self, settings: ModbusRackSettings, *, seed: int, plant: Plant | None = None
    ) -> None:
        super().__init__(settings, seed=seed, plant=plant)
        self._orders = {unit: [0] * self._order_count for unit in settings.units}
        self._boot_count = 1

    @property
    def _order_count(self) -> int:
        return table.ORDERS + self._per_unit * table.ORDER_STRIDE

    @property
    def _state_count(self) -> int:
        return table.STATES - table.ECHO + self._per_unit * table.STATE_STRIDE

    def power_up(self) -> None:
        """Switch the rack off and on: parameters, references and the watchdog are as at first."""
        super().power_up()
        self._boot_count = self._boot_count + 1 & 0xFFFF
        for unit in self.settings.units:
            self._orders[unit] = [0] * self._order_count

    def read(self, unit: int, address: int, count: int) -> list[int] | int:
        """Read registers."""
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
        """Write registers; half a 32-bit value is refused."""
        if address + len(values) <= self._order_count:
            return self._write_orders(unit, address, values, now_s)
        if (address, len(values)) == (table.WATCHDOG_MS, 1):
            self._set_watchdog(unit, values[0])
            return None
        axis, offset = self._parameter_place(address, len(values))
        if axis is None:
            return ILLEGAL_ADDRESS
        return write_parameters(self._drives_of(unit)[axis], offset, values)

    # -- cyclic words -------------------------------------------------------------------------

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
            registers += self._published_words(drive)
        return registers

    def state_words(self, drive: EmulatedDrive) -> list[int]:
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

    def _stop_on_timeout(self, drive: EmulatedDrive) -> None:
        drive.abort_connection(MASTER_LOST, COMMUNICATION_BIT)

    # -- parameters ---------------------------------------------------------------------------

    def _parameter_place(self, address: int, count: int) -> tuple[int | None, int]:
        axis, offset = divmod(address - table.PARAMETERS, table.PARAMETER_STRIDE)
        fits = 0 <= axis < self._per_unit and offset + count <= table.PARAMETER_STRIDE
        return (axis if fits else None), offset


def _order(drive: EmulatedDrive, word: Word, value: int) -> None:
    if word is table.MODE:
        drive.write_mode(value)
    elif word is table.SPEED:
        drive.write_velocity_offset(value)
    elif word is table.TARGET:
        drive.write_target(value)
    else:
        drive.write_controlword(value)
