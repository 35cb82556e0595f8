"""Emulated drives on Modbus answer exactly the registers that their public tables have.

The judge of the rack is the shipped map, read as a document; that of the servos are the makers'
pages as numbers here.
"""

import tomllib
from pathlib import Path

from sim.devices.modbus.rack import ModbusRackSettings
from sim.devices.modbus.types import MODBUS_TYPES

MAP = Path(__file__).parents[2] / "configs/drives/hil_rack.toml"
EVERY = range(1 << 16)


def made(name):
    kind = MODBUS_TYPES[name]
    return kind.device(ModbusRackSettings(units=kind.units, paced=False), seed=1)


def answered(device, unit):
    return {at for at in EVERY if not isinstance(device.read(unit, at, 1), int)}


def in_map():
    """Registers of six axes on one unit; a value has one, or two if its width is 32 bits."""
    table = tomllib.loads(MAP.read_text())
    found = {table["watchdog_address"]}
    for block, last in (("write", "target_speed"), ("read", "force")):
        place = table[block]
        axis = place["axis"][last] + (2 if last == "target_speed" else 1)
        end = place["first_axis"] + 5 * place["stride"] + max(axis, place["stride"])
        found |= set(range(place["address"], place["address"] + end))
    parameters = table["parameters"]
    first = parameters["address"]
    return found | set(range(first, first + 6 * parameters["stride"]))


def test_the_rack_answers_the_registers_of_its_map_and_no_other():
    assert answered(made("hil_rack"), 1) == in_map()


def test_a_servo_answers_the_registers_of_its_manual_and_no_other():
    """From whole 32-bit values on: NanoJ inputs, outputs, the two process images."""
    blocks = ((2000, 64), (3000, 64), (5000, 10), (6000, 8))
    told = {at for first, count in blocks for at in range(first, first + count, 2)}
    assert answered(made("nanotec_modbus_rtu"), 4) == told
