"""Emulated drive of a drive file, so that a type of one's own can be tried dry.

The bench reads the same file: an error in it is on both sides, and only the drive itself shows
it. The shipped types are emulated by tables of their own (`sim.devices`).
"""

from collections.abc import Iterator
from dataclasses import fields
from pathlib import Path

from drives.bank import DriveError
from drives.types.drive_type import CIA_402, DriveType, place_of
from drives.types.drive_units import Base, unit_of_text, word_of_unit
from hil.config.settings import ConfigError
from hil.machines.rig.drive_file import canopen_type, read_drive_table
from sim.devices.drive.drive_type import INCREMENTS_PER_S, INCREMENTS_PER_S2, UnitError, Units
from sim.devices.drive.drive_type import DriveType as EmulatedType
from sim.devices.drive.homing import METHODS
from sim.devices.drive.modes import SUPPORTED

SUFFIX = ".toml"
"""Ending of a drive file's name; the name of an emulated type has no dot."""
_MAKERS = frozenset({0x2041, 0x22A2})
"""Objects specific to one maker that the emulated drive has for that maker's type."""
_PLAYED = ("name", "lacks", "ranges", "position_unit", "speed_unit", "acceleration_unit",
           "homing_methods", "modes")  # fmt: skip
"""Keys of a file that an emulated drive plays."""
_OWN_TO_THE_BENCH = ("feed_unit", "boot_timeout_s", "remote_bit", "follows_bit",
                     "interpolation_cycles")  # fmt: skip
"""Keys of a file for the bench only: the emulated drive follows the standard."""
_STAMP = "1013h:0"
_TARGETS = frozenset({"607Ah:0", "60C1h:1"})
"""Objects of which either is the target of an emulated drive in csp and in ip."""


def file_type(name: str) -> EmulatedType:
    """Emulated drive of a drive file.

    Args:
        name: path of the file.

    Raises:
        ConfigError: if the file is wrong, or describes a drive that cannot be emulated.
    """
    type_, path = _read(name)
    try:
        return _emulated(type_, path.stem)
    except (DriveError, UnitError) as error:
        raise ConfigError(str(path), [f"cannot be emulated: {error}"]) from None


def left_out(name: str) -> tuple[str, ...]:
    """Keys of a drive file that its emulated drive does not play, as lines.

    Args:
        name: path of the file.

    Raises:
        ConfigError: if the file is wrong.
    """
    return tuple(_left_out(_read(name)[0]))


def _read(name: str) -> tuple[DriveType, Path]:
    table, path = read_drive_table(name, "canopen", beside=None)
    return canopen_type(table, str(path)), path


def _emulated(type_: DriveType, name: str) -> EmulatedType:
    lacking = {place_of(text) if ":" in text else place_of(text)[0] for text in type_.lacks}
    ranges = {place_of(text): (low, high) for text, low, high in type_.ranges}
    modes = tuple(mode for mode in type_.modes or SUPPORTED if mode in SUPPORTED)
    methods = tuple(each for each in type_.homing_methods or METHODS if each in METHODS)
    if type_.can_home and not methods:
        known, wanted = (", ".join(map(str, each)) for each in (type_.homing_methods, METHODS))
        raise UnitError(f"it homes by the methods {known}; one of {wanted} is needed in [homing]")
    words, counts = zip(*_units(type_), strict=True)
    Units.of(*words, counts_per_m=1.0)
    return EmulatedType(
        name=name,
        lacking=frozenset(lacking | _MAKERS),
        fixed={key: low for key, (low, high) in ranges.items() if low == high},
        ranges={key: limits for key, limits in ranges.items() if limits[0] < limits[1]},
        modes=modes,
        methods=methods or None,
        position_unit=words[0],
        speed_unit=words[1],
        acceleration_unit=words[2],
        speed_counts_s=counts[1],
        acceleration_counts_s2=counts[2],
    )


def _units(type_: DriveType) -> Iterator[tuple[int, float | None]]:
    """Yield the unit words of position, speed and acceleration, each with its size in counts.

    A unit that no word can say is given by its counts; the word is then that of counts.
    """
    texts = (type_.position_unit, type_.speed_unit, type_.acceleration_unit)
    for order, text in enumerate(texts):
        unit = unit_of_text(text, order)
        word = word_of_unit(unit)
        if word is not None:
            yield word, None
        elif order and unit.base in (Base.COUNT, Base.INCREMENT):
            yield (INCREMENTS_PER_S, INCREMENTS_PER_S2)[order - 1], unit.factor
        else:
            raise UnitError(f"{text!r} is no unit that an emulated drive can count in")


def _left_out(type_: DriveType) -> Iterator[str]:
    """Yield the keys of a file that the emulated drive does not play."""
    for field in fields(DriveType):
        value = getattr(type_, field.name)
        if field.name in _PLAYED + _OWN_TO_THE_BENCH or value == getattr(CIA_402, field.name):
            continue
        if field.name == "stamp" and value.object == _STAMP:
            continue
        if field.name == "target_also" and value in _TARGETS:
            continue
        if field.name == "instead" and {place for pair in value for place in pair} <= _TARGETS:
            continue
        yield f"not emulated: what the file says of {field.name}"
    others = [str(mode) for mode in type_.modes if mode not in SUPPORTED]
    if others:
        yield f"not emulated: modes {', '.join(others)}"
