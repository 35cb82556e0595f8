"""Kinds of settings files and their recognition, so that an error names the kind of a wrong file.

Kinds are distinguished by their top-level keys; they are those of the installed stations,
and that of several stations together. A file of another kind than the expected one is refused as
such, not by a list of unknown keys. Each kind has a JSON schema.
"""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hil.config.errors import ConfigError
from hil.config.file_kind import TABLES, FileKind, NamedFile
from hil.config.file_search import find_file, shipped_paths
from hil.run.registry import DEFAULT, station_named, stations

if TYPE_CHECKING:
    from hil.config.settings import Settings
    from hil.run.station import Station


def _together() -> type[Settings]:
    from hil.run.together import TogetherScenario

    return TogetherScenario


def _check_together(table: Mapping[str, Any], file: Path) -> None:
    from hil.run.together import check_parts

    check_parts(table, file)


TOGETHER: Final = FileKind(
    name="together scenario", schema="together-scenario", station="together",
    names=(NamedFile(("part", "scenario"), "scenarios"),), model=_together, check=_check_together,
)  # fmt: skip
"""Kind of a scenario of several stations at the same time."""


def scenario_kinds() -> tuple[FileKind, ...]:
    """Kinds of scenarios: the default station's first, that of several stations last."""
    return (*(one.scenarios for one in _stations()), TOGETHER)


def all_kinds() -> tuple[FileKind, ...]:
    """Kinds of scenarios, then those of the machines that they name."""
    machines = (kind for station in _stations() for kind in station.machines)
    return tuple(dict.fromkeys((*scenario_kinds(), *machines)))


def _stations() -> list[Station]:
    """Stations that can be used, the default one first."""
    return sorted(stations(), key=lambda one: one.name != DEFAULT)


def kinds_named(named: NamedFile) -> frozenset[FileKind]:
    """Kinds permitted for a file that a key names; none if it is not a settings file."""
    if named.pattern != TABLES:
        return frozenset()
    return frozenset(one for one in all_kinds() if one.folder == named.folder) - {TOGETHER}


def kind_of(table: Mapping[str, Any], source: str) -> FileKind | None:
    """Kind of the file that a table was read from; None if the table does not show it."""
    if "station" in table:
        station = table["station"]
        if station == TOGETHER.station:
            return TOGETHER
        try:
            return station_named(station, source).scenarios
        except ConfigError as error:
            several = f"{TOGETHER.station!r} is for several at the same time"
            raise ConfigError(source, [f"{text}; {several}" for text in error.problems]) from None
    machines_first = reversed(all_kinds())
    return next((one for one in machines_first if table.keys() & set(one.marks)), None)


def find_kind(
    name: str, *wanted: FileKind, key: str, beside: Path | None = None
) -> tuple[Path, FileKind]:
    """Find the file that is named, which must be of a permitted kind, and its kind.

    A file that shows no kind counts as the first permitted one, which is the most likely:
    reading it then reports what is missing.

    Args:
        name: a path, or the bare name of a shipped file.
        key: what to call the argument in an error.
        beside: the file that has the name; None for the command line.

    Raises:
        ConfigError: naming similar files if there is no such file, or the kind of a wrong one.
    """
    from hil.config.settings import read_toml

    path = _find(name, wanted, key, beside)
    kind = kind_of(read_toml(path), str(path))
    if kind is not None and kind not in wanted:
        raise ConfigError(
            str(path), [f"is {kind.named}; {key} must be {_choice(wanted)} ({_shipped(wanted)})"]
        )
    return path, kind or wanted[0]


def scenario_file(scenario: str | None) -> tuple[Path | None, FileKind]:
    """The scenario's file and kind; a motion without a scenario is the default station's."""
    if scenario is None:
        return None, station_named(DEFAULT, "command line").scenarios
    return find_kind(scenario, *scenario_kinds(), key="SCENARIO")


def run_file(scenario: str | None) -> tuple[Path | None, FileKind]:
    """Scenario file and kind, or a file of a machine that runs by itself (`FileKind.runs`)."""
    from hil.config.settings import read_toml

    if scenario is None:
        return scenario_file(None)
    path = _find(scenario, scenario_kinds(), "SCENARIO")
    ending = path.suffix.lower()
    by_itself = [kind for kind in all_kinds() if ending in kind.runs]
    if ending != ".toml" and by_itself:
        return path, by_itself[0]
    kind = kind_of(read_toml(path), str(path)) if by_itself else None
    return (path, kind) if kind in by_itself and kind else scenario_file(scenario)


def _find(name: str, wanted: tuple[FileKind, ...], key: str, beside: Path | None = None) -> Path:
    folders = list(dict.fromkeys(kind.folder for kind in wanted))
    others = [kind.folder for kind in all_kinds() if kind.folder not in folders]
    refusals: list[ConfigError] = []
    for folder in dict.fromkeys(folders + others):
        try:
            return find_file(name, beside=beside, folder=folder, key=key, suggest=False)
        except ConfigError as error:
            refusals.append(error)
    names = [stem for kind in wanted for stem in _stems(kind.folder)]
    close = difflib.get_close_matches(Path(name).stem, names, n=1, cutoff=0.5)
    hint = f"did you mean {close[0]}?" if close else _shipped(wanted)
    first = refusals[0]
    raise ConfigError(first.source, [f"{text}; {hint}" for text in first.problems])


def _stems(folder: str) -> list[str]:
    return [path.stem for path in shipped_paths(folder)]


def _shipped(wanted: tuple[FileKind, ...]) -> str:
    """Names of shipped files of the given kinds."""
    from hil.config.settings import read_toml

    names = []
    for folder in dict.fromkeys(kind.folder for kind in wanted):
        for path in shipped_paths(folder):
            with suppress(ConfigError):  # of a station that is broken
                if kind_of(read_toml(path), str(path)) in wanted:
                    names.append(path.stem)
    return f"shipped: {', '.join(names) or 'none'}"


def _choice(wanted: tuple[FileKind, ...]) -> str:
    return " or ".join(kind.named for kind in wanted)


def kinds_by_name() -> dict[str, FileKind]:
    """Kinds of files by their names on the command line, the default station's scenario first.

    A station's name means its scenario, unless a kind of file has that name.
    """
    kinds = {one.schema: one for one in all_kinds()}
    return kinds | {one.name: one.scenarios for one in stations() if one.name not in kinds}


def schema_of_kind(kind: FileKind) -> dict[str, Any]:
    """The JSON schema of a kind of file; of several forms, that of its first."""
    from hil.config.schema import schema_of

    return schema_of(kind.model(), kind.name)


def schema_of_forms(kind: FileKind) -> dict[str, Any]:
    """The JSON schema of a kind of file in all of its forms."""
    from hil.config import schema

    if kind.forms is None:
        return schema_of_kind(kind)
    models = {value: model() for value, model in kind.forms.items()}
    return schema.schema_of_forms(models, kind.form_place, kind.name)
