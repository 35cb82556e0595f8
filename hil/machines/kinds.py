"""The kinds of files that describe machines; their models are loaded when they are asked for."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hil.config.file_kind import FileKind, NamedFile

if TYPE_CHECKING:
    from hil.config.settings import Settings


def _rig() -> type[Settings]:
    from hil.machines.rig.settings import Rig

    return Rig


def _check_rig(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.rig.machine import build_rig, check_rig

    check_rig(build_rig(table, str(file)), str(file))


def _robot() -> type[Settings]:
    from hil.machines.robot.settings import RobotSettings

    return RobotSettings


def _check_robot(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.robot.settings import RobotSettings

    RobotSettings.build(table, str(file)).check(str(file))


def _space_arm() -> type[Settings]:
    from hil.machines.space_arm.settings import ArmSettings

    return ArmSettings


def _check_space_arm(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.space_arm.settings import ArmSettings

    ArmSettings.build(table, str(file)).check(str(file))


def _drive() -> type[Settings]:
    from hil.machines.rig.drive_file import CanopenDriveFile

    return CanopenDriveFile


def _modbus_drive() -> type[Settings]:
    from hil.machines.rig.modbus_drive_file import ModbusDriveFile

    return ModbusDriveFile


def _check_drive(table: Mapping[str, Any], file: Path) -> None:
    from drives.bank import DriveError
    from drives.modbus.register_map import register_map_from
    from hil.config.errors import ConfigError
    from hil.machines.rig.drive_file import canopen_type, header_of

    if header_of(table, str(file)).protocol == "canopen":
        canopen_type(table, str(file))
        return
    try:
        register_map_from(table, str(file))
    except DriveError as error:
        raise ConfigError(str(file), [str(error)]) from None


def _cueing_preset() -> type[Settings]:
    from hil.machines.cueing.preset import CueingPreset

    return CueingPreset


def _check_cueing_preset(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.cueing.preset import preset_from

    preset_from(table, str(file))


def _ride_map() -> type[Settings]:
    from hil.machines.cueing.ride_map import RideMap

    return RideMap


def _check_ride_map(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.cueing.ride_map import RideMap

    RideMap.build(dict(table), str(file))


def _cylinders() -> type[Settings]:
    from hil.machines.rig.cylinders import CylinderCatalogue

    return CylinderCatalogue


def _design() -> type[Settings]:
    from hil.machines.rig.design_spec import DesignSpec

    return DesignSpec


def _check_design(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.rig.design_spec import DesignSpec

    DesignSpec.build(table, str(file)).check(str(file))


def _check_cylinders(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.rig.cylinders import CylinderCatalogue, check_catalogue

    check_catalogue(CylinderCatalogue.build(table, str(file)), str(file))


RIG: Final = FileKind(
    name="rig", schema="rig", folder="rigs", marks=("geometry", "cylinders", "supervision"),
    model=_rig, check=_check_rig,
)  # fmt: skip
ROBOT: Final = FileKind(
    name="robot", schema="robot", folder="robots", marks=("a2_m", "d4_m", "least_wrist"),
    model=_robot, check=_check_robot,
)  # fmt: skip
SPACE_ARM: Final = FileKind(
    name="space arm", schema="arm", folder="arms", marks=("joint", "home_deg"),
    model=_space_arm, check=_check_space_arm,
)  # fmt: skip
DRIVE: Final = FileKind(
    name="drive", schema="drive", folder="drives", marks=("drive",),
    model=_drive, check=_check_drive,
    forms={"canopen": _drive, "modbus": _modbus_drive}, form_place=("drive", "protocol"),
)  # fmt: skip
CYLINDERS: Final = FileKind(
    name="cylinder catalogue", schema="cylinders", folder="cylinders", marks=("cylinder",),
    model=_cylinders, check=_check_cylinders,
)  # fmt: skip
DESIGN: Final = FileKind(
    name="design", schema="design", folder="designs", marks=("variables", "objectives"),
    names=(NamedFile(("rig",), "rigs"),), model=_design, check=_check_design,
)  # fmt: skip
CUEING_PRESET: Final = FileKind(
    name="cueing preset", schema="cueing", folder="cueing", marks=("algorithm",),
    model=_cueing_preset, check=_check_cueing_preset,
)  # fmt: skip
RIDE_MAP: Final = FileKind(
    name="ride map", schema="ride", folder="rides", marks=("columns",),
    model=_ride_map, check=_check_ride_map,
)  # fmt: skip
