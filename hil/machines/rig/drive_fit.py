"""What a rig does for the drives it has: refuses what they cannot, tightens what they lack."""

from pathlib import Path
from typing import Any

from drives.axes.cia402 import PLACING_METHODS
from drives.axes.scaling import LegScale
from drives.bank import DriveError
from drives.links import CanLink, ModbusRtuLink, ModbusTcpLink
from drives.modbus.register_map import register_map_from
from drives.types.drive_type import DriveType, place_of
from hil.config.errors import ConfigError, about
from hil.config.settings import read_toml
from hil.machines.rig.drive_file import canopen_type, find_drive_file, header_of, read_drive_table
from hil.machines.rig.offered_banks import link_of
from hil.machines.rig.settings import Rig

MODES = {"csp": 8, "ip": 7}
"""Modes of operation (CiA 402, object 6060h)."""
MODBUS_TYPE = "hil_rack"
"""Drives behind a Modbus gateway of which the rig says no type."""
OUTSIDE_SOFT_M = 0.002
"""How far outside the gate's soft limits the drives' own ones lie, so that the gate acts first.

Drives without limits of their own cannot be the second to act: there the gate's lie so much further
in.
"""


def drive_type_of(rig: Rig, rig_file: Path) -> DriveType:
    """The type of a rig's CANopen drives; without ``drives.type`` that of the standards.

    Raises:
        ConfigError: if there is no such drive file, or it is wrong, or one of a Modbus drive.
    """
    name = rig.drives.type
    if name is None:
        return DriveType()
    table, path = read_drive_table(name, "canopen", beside=rig_file)
    return canopen_type(table, str(path))


def register_table_of(rig: Rig, rig_file: Path) -> tuple[dict[str, Any], Path]:
    """The parsed register map of a rig's Modbus drives, and its file.

    Raises:
        ConfigError: if there is no such drive file, or it is wrong, or one of a CANopen drive.
    """
    table, path = read_drive_table(rig.drives.type or MODBUS_TYPE, "modbus", beside=rig_file)
    _check_register_map(table, path)
    return table, path


def _check_register_map(table: dict[str, Any], path: Path) -> None:
    try:
        register_map_from(table, str(path))
    except DriveError as error:
        raise ConfigError(str(path), [str(error)]) from None


def _check_drive_file(name: str, rig_file: Path) -> None:
    """Refuse the file of drives that are not used in this run, as a run that uses them does."""
    path = find_drive_file(name, beside=rig_file)
    table = read_toml(path)
    if header_of(table, str(path)).protocol == "canopen":
        canopen_type(table, str(path))
    else:
        _check_register_map(table, path)


def scales_of(rig: Rig) -> tuple[LegScale, ...]:
    """How the six drives count, from their reference switches."""
    drives, cylinders = rig.drives, rig.cylinders
    return tuple(
        LegScale(drives.counts_per_m[leg], drives.sign[leg], cylinders.reference_length_m[leg])
        for leg in range(6)
    )


def fitted(rig: Rig, rig_file: Path, url: str, *, goes_round: bool = False) -> Rig:
    """The rig as its drives need it.

    Args:
        url: where its drives are in this run.
        goes_round: whether the count of a drive goes round in the stroke of its leg.

    Raises:
        ConfigError: if their drive file is missing or wrong, or the rig wants of its drives what
            their type cannot do.
    """
    link = link_of(url.split()[0])
    if isinstance(link, ModbusTcpLink | ModbusRtuLink):
        register_table_of(rig, rig_file)
    elif not isinstance(link, CanLink) and rig.drives.type is not None:
        _check_drive_file(rig.drives.type, rig_file)
    if not isinstance(link, CanLink):
        return tightened(rig, DriveType(), goes_round=goes_round and url != "sim:")
    type_ = drive_type_of(rig, rig_file)
    _refuse_impossible(rig, type_, str(rig_file))
    return tightened(rig, type_, goes_round=goes_round)


def tightened(rig: Rig, type_: DriveType, *, goes_round: bool = False) -> Rig:
    """The rig with the gate's limits tighter where its drives have none of their own.

    Without software limits (607Dh), or where a count that goes round leaves no room for them, the
    soft limits lie further in; without a following window (6065h) the gate's own trips after fewer
    cycles.
    """
    limits, watch = rig.limits, rig.supervision
    if goes_round or not (type_.has(0x607D, 1) and type_.has(0x607D, 2)):
        margin_m = limits.soft_margin_m + OUTSIDE_SOFT_M
        limits = limits.model_copy(update={"soft_margin_m": margin_m})
    if not type_.has(0x6065, 0):
        watch = watch.model_copy(update={"following_cycles": (watch.following_cycles + 1) // 2})
    return rig.model_copy(update={"limits": limits, "supervision": watch})


def _refuse_impossible(rig: Rig, type_: DriveType, rig_file: str) -> None:
    problems: list[str] = []
    inputs = type_.inputs
    has_interlock = type_.has(*place_of(inputs.object)) and inputs.interlock is not None
    if rig.supervision.estop_fitted and not has_interlock:
        problems.append(
            about(
                "supervision.estop_fitted",
                f"supervision.estop_fitted = true: {type_.name} tells no interlock input "
                f"({inputs.object}); name the object and the bit that do in [inputs] of its drive "
                "file",
            )
        )
    if rig.drives.canopen.speed_feed_forward and not type_.has(0x60B1, 0):
        problems.append(
            about(
                "drives.canopen.speed_feed_forward",
                f"drives.canopen.speed_feed_forward = true: {type_.name} has no velocity offset "
                "(60B1h); false would be right",
            )
        )
    if type_.modes and MODES[rig.drives.mode] not in type_.modes:
        right = [name for name, number in MODES.items() if number in type_.modes]
        problems.append(
            about(
                "drives.mode",
                f"drives.mode = {rig.drives.mode!r}: {type_.name} follows in "
                f"{right or 'no such mode'}",
            )
        )
    if rig.drives.homing == "switch" and not type_.can_home:
        problems.append(
            about(
                "drives.homing",
                f'drives.homing = "switch": {type_.name} cannot home (it has no mode 6, or none of '
                '6098h, 6099h, 609Ah); "absolute" would be right (hil drives reference)',
            )
        )
    method, methods = rig.drives.homing_method, type_.homing_methods
    if rig.drives.homing == "switch" and methods and method not in methods:
        placing = ", ".join(str(each) for each in PLACING_METHODS if each in methods) or "none"
        problems.append(
            about(
                "drives.homing_method",
                f"drives.homing_method = {method}: {type_.name} does not know it; of those that "
                f"find a place it knows {placing} (homing.methods of its drive file)",
            )
        )
    if problems:
        raise ConfigError(rig_file, problems)
