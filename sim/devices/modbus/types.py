"""Types of drives on Modbus that can be emulated, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from sim.devices.drive.drive_type import DriveType
from sim.devices.drive.maker_types import EMULATED
from sim.devices.modbus.device import ModbusDevice
from sim.devices.modbus.rack import ModbusRackCore
from sim.devices.modbus.servo import ModbusServos
from sim.devices.modbus.servo_table import NANOTEC


class ModbusType(NamedTuple):
    """Type of drives behind Modbus."""

    device: type[ModbusDevice]
    """Device with the registers."""
    drives: DriveType
    """Type of the drives behind them."""
    units: tuple[int, ...]
    """Addresses of its units."""


_GATEWAY: Final = ModbusType(ModbusRackCore, replace(EMULATED, name="hil_rack"), (1,))
_SERVOS: Final = ModbusType(ModbusServos, NANOTEC, (1, 2, 3, 4, 5, 6))
MODBUS_TYPES: Final = {each.drives.name: each for each in (_GATEWAY, _SERVOS)}
