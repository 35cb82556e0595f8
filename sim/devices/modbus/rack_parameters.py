"""Parameters of a drive as registers: readable values, effects of writes, and refusals.

Not modelled: parameters that take effect only after a restart, and access levels.
"""

from __future__ import annotations

from collections.abc import Callable

from sim.devices.drive.homing import METHODS
from sim.devices.drive.node import EmulatedDrive
from sim.devices.modbus import rack_table as table
from sim.devices.modbus.device import ILLEGAL_ADDRESS, ILLEGAL_VALUE
from sim.devices.modbus.rack_table import Word


def read_parameters(drive: EmulatedDrive) -> list[int]:
    """Return the whole parameter block of a drive; registers without a meaning are 0."""
    registers = [0] * table.PARAMETER_STRIDE

    def put(word: Word, value: int) -> None:
        registers[word.at : word.at + word.width] = table.words_of(value, word)

    for name, word in table.SETTABLE.items():
        put(word, getattr(drive.parameters, name))
    put(table.INTERPOLATION_US, round(drive.parameters.interpolation_period_s * 1e6))
    put(table.COUNTS_PER_M, round(drive.settings.counts_per_m))
    put(table.RATED_FORCE_N, round(drive.settings.rod.force_max_n))
    put(table.SUPPORTED_MODES, drive.supported_modes)
    put(table.SERIAL, drive.settings.serial)
    return registers


def write_parameters(drive: EmulatedDrive, offset: int, values: list[int]) -> int | None:
    """Write whole parameters; all or none.

    Args:
        offset: First register after the beginning of the block.

    Returns:
        None, or the exception code with which it is refused.
    """
    changes: list[Callable[[], None]] = []
    left = set(range(offset, offset + len(values)))
    for name, word in (*table.SETTABLE.items(), ("", table.INTERPOLATION_US)):
        places = set(range(word.at, word.at + word.width))
        if not places & left:
            continue
        if not places <= left:
            return ILLEGAL_VALUE
        left -= places
        start = word.at - offset
        value = table.value_of(values[start : start + word.width], word)
        if name == "homing_method" and value not in METHODS:
            return ILLEGAL_VALUE
        changes.append(_setting(drive, name, value))
    if left:
        return ILLEGAL_ADDRESS
    for change in changes:
        change()
    return None


def _setting(drive: EmulatedDrive, name: str, value: int) -> Callable[[], None]:
    def change() -> None:
        if name:
            setattr(drive.parameters, name, value)
        else:
            drive.parameters.interpolation_units = value
            drive.parameters.interpolation_index = -6

    return change
