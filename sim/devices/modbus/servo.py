"""Six servo drives on one Modbus line, each a unit of its own, as Nanotec's manuals describe them.

Nothing but process images and NanoJ values lies in their registers. Limits, ramps, homing and units
are what the builder has stored (`sim.devices.modbus.servo_table`), and so is a NanoJ program: it
begins a quick stop when input 1 has not changed for as many milliseconds as input 2 says.

Not modelled: objects by function 43/13 (CAN encapsulation), with which the maker's tool stores
them; outputs of a NanoJ program; which exception the firmware gives, which the manual leaves open:
a wrong place is 2 here, a part of a value 3. Function 43/14 is answered as by any emulated rack,
so that it passes for no real drive.
"""

from __future__ import annotations

from typing import ClassVar, Final

from hil_common.plant import Plant
from sim.devices.drive.node import EmulatedDrive
from sim.devices.modbus import servo_table as table
from sim.devices.modbus.device import (
    ILLEGAL_ADDRESS,
    ILLEGAL_VALUE,
    ModbusDevice,
    ModbusRackSettings,
)
from sim.devices.modbus.servo_table import STORED, Image, Mapped

QUICK_STOP_BIT: Final = 0x04
"""Of the controlword; a quick stop while it is 0."""


class ModbusServos(ModbusDevice):
    """Six drives behind their own registers.

    Args:
        settings: The rack; six units.
        seed: Seed of where the rods stand and what the encoders say when the power comes.
        plant: The body that couples the rods; None for rods by themselves.
    """

    functions: ClassVar[tuple[int, ...]] = table.FUNCTIONS
    registers = table.RECEIVED + table.NANOJ_REGISTERS

    def __init__(
        self, settings: ModbusRackSettings, *, seed: int, plant: Plant | None = None
    ) -> None:
        super().__init__(settings, seed=seed, plant=plant)
        self._received, self._sent = Image(table.RECEIVED_MAPPING), Image(table.TOLD_MAPPING)
        self._forget()

    def power_up(self) -> None:
        """Switch the drives off and on: they have what is stored in them, and no reference."""
        super().power_up()
        self._forget()

    def _forget(self) -> None:
        units = self.settings.units
        self._inputs = {unit: [0] * table.NANOJ_REGISTERS for unit in units}
        self._image = {unit: [0] * self._received.registers for unit in units}
        for drive in self.drives:
            _load_stored(drive, self.settings.cycle_s)

    def read(self, unit: int, address: int, count: int) -> list[int] | int:
        """Read registers; process data from a multiple of 4 bytes on."""
        if count > table.READ_MAX:
            return ILLEGAL_VALUE
        (drive,) = self._drives_of(unit)
        for first, registers in (
            (table.NANOJ_INPUTS, self._inputs[unit]),
            (table.NANOJ_OUTPUTS, [0] * table.NANOJ_REGISTERS),
            (table.TOLD, self._published_words(drive)),
            (table.RECEIVED, self._image[unit]),
        ):
            start = address - first
            if start >= 0 and start + count <= len(registers) and not start % table.ALIGNED:
                return registers[start : start + count]
        return ILLEGAL_ADDRESS

    def write(self, unit: int, address: int, values: list[int], now_s: float) -> int | None:
        """Write registers; a part of a value is refused."""
        start = address - table.RECEIVED
        if start >= 0 and start + len(values) <= self._received.registers:
            found = self._received.objects(start, values)
            if found is None:
                return ILLEGAL_VALUE
            self._image[unit][start : start + len(values)] = values
            if table.ALIVE in found:
                self._take_inputs(unit, 0, values[:2], now_s)
            _obey(self._drives_of(unit)[0], found)
            return None
        start = address - table.NANOJ_INPUTS
        if not (start >= 0 and start + len(values) <= table.NANOJ_REGISTERS):
            return ILLEGAL_ADDRESS
        if start % 2 or len(values) % 2:
            return ILLEGAL_VALUE
        self._take_inputs(unit, start, values, now_s)
        return None

    def state_words(self, drive: EmulatedDrive) -> list[int]:
        """Return what the registers tell of a drive."""
        return self._sent.pack(
            {
                table.STATUSWORD: drive.statusword,
                table.MODE_DISPLAY: drive.mode_display,
                table.ERROR_CODE: drive.error_code,
                table.TORQUE: drive.torque_permille,
                table.INPUTS: drive.digital_inputs,
                table.POSITION: drive.position_counts,
                table.VELOCITY: drive.velocity_counts_s,
            }
        )

    # -- the NanoJ program --------------------------------------------------------------------

    def _take_inputs(self, unit: int, start: int, values: list[int], now_s: float) -> None:
        inputs = self._inputs[unit]
        before = inputs[:4]
        inputs[start : start + len(values)] = values
        if inputs[2:4] != before[2:]:
            self._set_watchdog(unit, inputs[2] << 16 | inputs[3])
        if inputs[:2] != before[:2]:
            self._deadlines[unit].received(now_s)

    def _stop_on_timeout(self, drive: EmulatedDrive) -> None:
        if drive.watched:
            drive.write_controlword(drive.controlword & ~QUICK_STOP_BIT)


def _obey(drive: EmulatedDrive, orders: dict[Mapped, int]) -> None:
    """Give a drive what was written, the controlword last."""
    if table.MODE in orders:
        drive.write_mode(orders[table.MODE])
    if table.SPEED in orders:
        drive.write_velocity_offset(orders[table.SPEED])
    if table.TARGET in orders:
        drive.write_target(orders[table.TARGET])
    if table.CONTROLWORD in orders:
        drive.write_controlword(orders[table.CONTROLWORD] & 0xFFFF)


def _load_stored(drive: EmulatedDrive, cycle_s: float) -> None:
    rod, units, has = drive.settings.rod, drive.units, drive.parameters
    ends = (
        drive.to_counts(STORED.limits_inside_m - rod.reference_m),
        drive.to_counts(rod.stroke_m - rod.reference_m - STORED.limits_inside_m),
    )
    has.software_limit_min, has.software_limit_max = min(ends), max(ends)
    has.following_error_window = round(STORED.following_window_m * units.position_per_m)
    has.following_error_timeout_ms = STORED.following_time_ms
    has.homing_method = STORED.homing_method
    has.homing_speed_switch = round(STORED.homing_speed_m_s * units.speed_per_m_s)
    has.homing_speed_zero = round(STORED.homing_zero_speed_m_s * units.speed_per_m_s)
    has.homing_acceleration = round(STORED.homing_acceleration_m_s2 * units.acceleration_per_m_s2)
    has.max_profile_velocity = round(rod.speed_max_m_s * units.speed_per_m_s)
    hardest = round(rod.acceleration_max_m_s2 * units.acceleration_per_m_s2)
    has.profile_acceleration = has.profile_deceleration = hardest
    has.quick_stop_deceleration = has.max_acceleration = has.max_deceleration = hardest
    has.interpolation_units, has.interpolation_index = round(cycle_s * 1e3), -3
    has.quick_stop_option = STORED.quick_stop_option
    has.fault_reaction_option = STORED.fault_reaction_option
    has.halt_option = STORED.halt_option
