"""Which kind of settings file something is, so that a wrong one is called by its name.

Seven kinds are told apart by what stands at their top: three of scenarios, the machines that they
name, and the drives that a machine names. A file of another kind than the wanted one is refused as
such, not by a list of unknown keys.
"""

import difflib
from collections.abc import Mapping
from enum import Enum
from pathlib import Path
from typing import Any

from hil.config.settings import ConfigError, read_toml
from hil.config.shipped import configs_dir, find_file


class FileKind(Enum):
    """A kind of settings file; the value is what it is called."""

    PLATFORM_SCENARIO = "platform scenario"
    ARM_SCENARIO = "arm scenario"
    TOGETHER_SCENARIO = "together scenario"
    RIG = "rig"
    SPACE_ARM = "space arm"
    ROBOT = "robot"
    DRIVE = "drive"

    @property
    def folder(self) -> str:
        """The folder of ``configs/`` that holds such files."""
        return _FOLDERS.get(self, "scenarios")


_FOLDERS = {
    FileKind.RIG: "rigs",
    FileKind.SPACE_ARM: "arms",
    FileKind.ROBOT: "robots",
    FileKind.DRIVE: "drives",
}
_MARKS = {
    FileKind.SPACE_ARM: ("joint", "home_deg"),
    FileKind.ROBOT: ("a2_m", "d4_m", "least_wrist"),
    FileKind.DRIVE: ("drive",),
    FileKind.RIG: ("geometry", "cylinders", "supervision"),
    FileKind.PLATFORM_SCENARIO: ("motion", "rig"),
}
"""Keys that stand at the top of one kind of file only; any of them will do."""
_STATIONS = {"arm": FileKind.ARM_SCENARIO, "together": FileKind.TOGETHER_SCENARIO}

SCENARIOS = (FileKind.PLATFORM_SCENARIO, FileKind.ARM_SCENARIO, FileKind.TOGETHER_SCENARIO)


def kind_of(table: Mapping[str, Any], source: str) -> FileKind | None:
    """What kind of file a table was read from; None if nothing in it says so.

    Args:
        table: the parsed file.
        source: its name, for the error.

    Raises:
        ConfigError: for a ``station`` that there is not.
    """
    if "station" in table:
        station = table["station"]
        if not isinstance(station, str) or station not in _STATIONS:
            raise ConfigError(
                source,
                [f"station = {station!r}: must be 'arm' or 'together'; left out for a platform"],
            )
        return _STATIONS[station]
    return next((kind for kind, marks in _MARKS.items() if table.keys() & set(marks)), None)


def find_kind(name: str, *wanted: FileKind, key: str) -> tuple[Path, FileKind]:
    """The file that the command line means, which has to be of a wanted kind.

    Args:
        name: a path, or the bare name of a shipped file.
        wanted: kinds that will do, the most likely one first.
        key: what to call the argument in an error.

    Returns:
        The file and its kind. One that shows no kind counts as the first: reading it tells what it
        lacks.

    Raises:
        ConfigError: if there is no such file, naming near ones; or if it is of another kind, naming
            that one.
    """
    path = _find(name, wanted, key)
    kind = kind_of(read_toml(path), str(path))
    if kind is not None and kind not in wanted:
        raise ConfigError(
            str(path), [f"is {_named(kind)}; {key} must be {_choice(wanted)} ({_shipped(wanted)})"]
        )
    return path, kind or wanted[0]


def station_of(scenario: str | None) -> tuple[Path | None, FileKind]:
    """The scenario's file and kind; a motion without a scenario is a platform's.

    Raises:
        ConfigError: if there is no such file, or it is no scenario.
    """
    if scenario is None:
        return None, FileKind.PLATFORM_SCENARIO
    return find_kind(scenario, *SCENARIOS, key="SCENARIO")


def _find(name: str, wanted: tuple[FileKind, ...], key: str) -> Path:
    folders = list(dict.fromkeys(kind.folder for kind in wanted))
    others = [kind.folder for kind in FileKind if kind.folder not in folders]
    refusals: list[ConfigError] = []
    for folder in dict.fromkeys(folders + others):
        try:
            return find_file(name, folder=folder, key=key)
        except ConfigError as error:
            refusals.append(error)
    names = [stem for kind in wanted for stem in _stems(kind.folder)]
    close = difflib.get_close_matches(Path(name).stem, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else _shipped(wanted)
    raise ConfigError(refusals[0].source, [f"{text}; {hint}" for text in refusals[0].problems])


def _stems(folder: str) -> list[str]:
    return sorted(path.stem for path in (configs_dir() / folder).glob("*.toml"))


def _shipped(wanted: tuple[FileKind, ...]) -> str:
    """Names of shipped files of the wanted kinds."""
    names = []
    for folder in dict.fromkeys(kind.folder for kind in wanted):
        for path in sorted((configs_dir() / folder).glob("*.toml")):
            if kind_of(read_toml(path), str(path)) in wanted:
                names.append(path.stem)
    return f"shipped: {', '.join(names) or 'none'}"


def _choice(wanted: tuple[FileKind, ...]) -> str:
    return " or ".join(_named(kind) for kind in wanted)


def _named(kind: FileKind) -> str:
    return f"{'an' if kind.value[0] in 'aeiou' else 'a'} {kind.value}"
