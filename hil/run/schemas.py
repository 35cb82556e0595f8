"""The JSON schemas of all kinds of files: of machines, of several stations, of each station."""

from typing import Any, Final

from hil.config.file_kinds import FileKind
from hil.config.schema import schema_of
from hil.config.settings import Settings
from hil.run.registry import station_of_kind

KINDS: Final = {
    "scenario": FileKind.PLATFORM_SCENARIO,
    "arm-scenario": FileKind.ARM_SCENARIO,
    "together-scenario": FileKind.TOGETHER_SCENARIO,
    "robot": FileKind.ROBOT,
    "arm": FileKind.SPACE_ARM,
    "rig": FileKind.RIG,
    "drive": FileKind.DRIVE,
}
"""Name on the command line → kind of file."""


def schema_of_kind(kind: FileKind) -> dict[str, Any]:
    """The JSON schema of a kind of file.

    Raises:
        ConfigError: if it is the scenario of a station that cannot be used.
    """
    return schema_of(_model_of(kind), kind.value)


def _model_of(kind: FileKind) -> type[Settings]:
    from hil.machines.drive_file import CanopenDriveFile
    from hil.machines.rig import Rig
    from hil.machines.robot_settings import RobotSettings
    from hil.machines.space_arm_settings import ArmSettings
    from hil.run.together import TogetherScenario

    models: dict[FileKind, type[Settings]] = {
        FileKind.TOGETHER_SCENARIO: TogetherScenario,
        FileKind.ROBOT: RobotSettings,
        FileKind.SPACE_ARM: ArmSettings,
        FileKind.RIG: Rig,
        FileKind.DRIVE: CanopenDriveFile,  # the rest of a Modbus one is its register map
    }
    return models[kind] if kind in models else station_of_kind(kind).scenario()
