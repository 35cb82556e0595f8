"""What is wrong with a table of settings, each problem at its place in the form.

The bench's own readers judge, with their own words; what they name (``motion.terms.0.amplitude_m``)
is found again in the table. A problem in a file that the table names is shown at that name.
"""

import re
import tempfile
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final

from hil.config.file_kinds import FileKind
from hil.config.settings import ConfigError
from hil.config.shipped import find_file
from hil.panel.scenarios.models.form_nodes import Place
from hil.panel.scenarios.models.form_values import ABSENT, value_at
from hil.panel.scenarios.models.toml_text import TomlError, toml_of

_HEAD: Final = re.compile(r"(?P<path>[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)(?: = |: | is | of )")
_FORM: Final = re.compile(r"\.(?:tuple|list|dict)\[[^\]]*\](?= = )")
"""Pydantic names which of a value's forms it tried; that is no key."""
_TAG: Final = re.compile(r"(?:must have|discriminator) '(?P<key>[a-z_]+)'")
_NAMED_FILES: Final = (
    (("rig",), "rigs"),
    (("robot",), "robots"),
    (("space_arm", "arm"), "arms"),
)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong.

    Args:
        place: where in the table; empty for the whole.
        message: what is wrong and what would be right.
    """

    place: Place
    message: str


def problems_of(kind: FileKind, table: Mapping[str, Any], file: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with a table, as the bench would say when it reads it.

    Args:
        kind: of file that it is to be.
        table: keys and values.
        file: where it is, or is to be; relative names in it are meant from there.
    """
    try:
        _READERS[kind](table, file)
    except ConfigError as error:
        elsewhere = _place_of_file(error.source, table, file)
        if elsewhere is not None:
            source = Path(error.source).name
            return tuple(Problem(elsewhere, f"{source}: {text}") for text in error.problems)
        return _without_echoes(located(text, table) for text in error.problems)
    except (TomlError, ValueError) as error:
        return (located(str(error), table),)
    return ()


def located(problem: str, table: Mapping[str, Any]) -> Problem:
    """A problem's text with its place taken out of it.

    Args:
        problem: a line of a `ConfigError`, beginning with the path of keys.
        table: the table that it is about.
    """
    problem = _FORM.sub("", problem, count=1)
    head = _HEAD.match(problem)
    if head is None:
        return Problem((), problem)
    keys: list[str | int] = []
    node: Any = table
    for part in head["path"].split("."):
        key: str | int = int(part) if isinstance(node, list | tuple) and part.isdigit() else part
        keys.append(key)
        node = value_at(node, (key,))
    if keys[0] not in table and not problem.startswith(f"{keys[0]} is left out"):
        known = len(keys) > 1 or problem[head.end("path") :].startswith(" = ")
        if not known:
            return Problem((), problem)
    message = _without(problem, head["path"], node)
    if (tag := _TAG.search(message)) is not None:
        keys.append(tag["key"])  # the whole table is named, but one key of it decides
    return Problem(tuple(keys), message)


def _without_echoes(found: Iterable[Problem]) -> tuple[Problem, ...]:
    """Each problem once, and none that is only the count of a list with a wrong item in it."""
    problems = tuple(dict.fromkeys(found))
    return tuple(
        one
        for one in problems
        if "after validation" not in one.message
        or not any(
            other.place[: len(one.place)] == one.place and len(other.place) > len(one.place)
            for other in problems
        )
    )


def _without(problem: str, path: str, value: Any) -> str:
    """The message alone: beside its field, neither key nor value need be said again."""
    written = repr(_as_tuples(value))
    written = written if len(written) <= 60 else f"{written[:57]}..."
    for shown in (written, repr(value)):
        if problem.startswith(told := f"{path} = {shown}: "):
            return problem.removeprefix(told)
    for joint in (": ", " "):
        if problem.startswith(told := f"{path}{joint}"):
            return problem.removeprefix(told)
    return problem


def _as_tuples(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _as_tuples(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return tuple(_as_tuples(item) for item in value)
    return value


def _place_of_file(source: str, table: Mapping[str, Any], file: Path) -> Place | None:
    """Which key names the file that a problem is in; None if it is in the table itself."""
    if source == str(file):
        return None
    for place, folder in _NAMED_FILES:
        name = value_at(table, place)
        default = {"robots": "rm01", "arms": "bkm"}.get(folder) if name is ABSENT else name
        if not isinstance(default, str):
            continue
        try:
            found = find_file(default, beside=file, folder=folder, key="file")
        except ConfigError:
            continue
        if str(found) == source:
            return place
    return None


# --- readers ------------------------------------------------------------------------------------


def _platform(table: Mapping[str, Any], file: Path) -> None:
    from hil.stations.platform.motion.build import motion_of
    from hil.stations.platform.scenario import plan_from_table

    motion_of(plan_from_table(table, file))


def _arm_station(table: Mapping[str, Any], file: Path) -> None:
    from hil.stations.arm.scenario import arm_plan_from_table

    arm_plan_from_table(table, file)


def _together(table: Mapping[str, Any], file: Path) -> None:
    from hil.run.together import TogetherScenario

    scenario = TogetherScenario.build(table, str(file))
    names = [part.name for part in scenario.part]
    wrong = [f"part: names {names} must differ"] if len(set(names)) < len(names) else []
    for index, part in enumerate(scenario.part):
        try:
            find_file(part.scenario, beside=file, folder="scenarios", key=f"part.{index}.scenario")
        except ConfigError as error:
            wrong += error.problems
    if wrong:
        raise ConfigError(str(file), wrong)


def _machine(load: Callable[[Path], object]) -> Callable[[Mapping[str, Any], Path], None]:
    """A reader of a machine's file, through a file as it would be saved."""

    def read(table: Mapping[str, Any], file: Path) -> None:
        text = toml_of(table)
        with tempfile.TemporaryDirectory(prefix="hil-form-") as folder:
            draft = Path(folder) / file.name
            draft.write_text(text, encoding="utf-8")
            try:
                load(draft)
            except ConfigError as error:
                source = str(file) if error.source == str(draft) else error.source
                raise ConfigError(source, error.problems) from None

    return read


@cache
def _loader(kind: FileKind) -> Callable[[Path], object]:
    from hil.machines.machine import load_rig
    from hil.machines.robot_settings import RobotSettings
    from hil.machines.space_arm_settings import ArmSettings

    loaders: dict[FileKind, Callable[[Path], object]] = {
        FileKind.RIG: load_rig,
        FileKind.ROBOT: RobotSettings.load,
        FileKind.SPACE_ARM: ArmSettings.load,
    }
    return loaders[kind]


_READERS: Final[dict[FileKind, Callable[[Mapping[str, Any], Path], None]]] = {
    FileKind.PLATFORM_SCENARIO: _platform,
    FileKind.ARM_SCENARIO: _arm_station,
    FileKind.TOGETHER_SCENARIO: _together,
    FileKind.RIG: _machine(lambda path: _loader(FileKind.RIG)(path)),
    FileKind.ROBOT: _machine(lambda path: _loader(FileKind.ROBOT)(path)),
    FileKind.SPACE_ARM: _machine(lambda path: _loader(FileKind.SPACE_ARM)(path)),
}
