"""Types of drives on Modbus that can be emulated, by name."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, NamedTuple

from sim.devices.drive_type import DriveType
from sim.devices.maker_types import EMULATED
from sim.devices.modbus_device import ModbusDevice
from sim.devices.modbus_rack_core import ModbusRackCore
from sim.devices.modbus_servo import ModbusServos
from sim.devices.modbus_servo_table import NANOTEC


class ModbusType(NamedTuple):
    """One type.

    Attributes:
        device: What has the registers.
        drives: The drives behind them.
        units: Addresses of its units.
    """

    device: type[ModbusDevice]
    drives: DriveType
    units: tuple[int, ...]


_GATEWAY: Final = ModbusType(ModbusRackCore, replace(EMULATED, name="hil_rack"), (1,))
_SERVOS: Final = ModbusType(ModbusServos, NANOTEC, (1, 2, 3, 4, 5, 6))
MODBUS_TYPES: Final = {each.drives.name: each for each in (_GATEWAY, _SERVOS)}
