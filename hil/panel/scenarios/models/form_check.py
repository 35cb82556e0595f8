"""What is wrong with a table of settings, each problem at its place in the form.

The bench's own readers judge, with their own words. A model's field is named by its place; what a
reader says of several fields begins with the path of one (``part: names … must differ``). A problem
in a file that the table names is shown at that name.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hil.config.file_kinds import FileKind
from hil.config.settings import ConfigError, Wrong
from hil.config.shipped import find_file
from hil.panel.scenarios.models.form_nodes import Place
from hil.panel.scenarios.models.form_values import ABSENT, value_at
from hil.panel.scenarios.models.toml_text import TomlError, toml_of

_HEAD: Final = re.compile(r"(?P<path>[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)(?: = |: | is | of )")
_NAMED_FILES: Final = (
    (("rig",), "rigs", ABSENT),
    (("robot",), "robots", "rm01"),
    (("space_arm", "arm"), "arms", "bkm"),
)
"""Keys that name a file, its folder, and its name if the key is left out."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong."""

    place: Place
    """Where in the table; empty for the whole."""
    message: str
    """What is wrong and what would be right."""


def problems_of(kind: FileKind, table: Mapping[str, Any], file: Path) -> tuple[Problem, ...]:
    """Everything that is wrong with a table, as the bench would say when it reads it.

    Args:
        file: where it is, or is to be; relative names in it are meant from there.
    """
    try:
        _READERS[kind](table, file)
    except ConfigError as error:
        elsewhere = _place_of_file(error.source, table, file)
        if elsewhere is not None:
            source = Path(error.source).name
            return tuple(Problem(elsewhere, f"{source}: {text}") for text in error.problems)
        return _without_echoes(tuple(located(text, table) for text in error.problems))
    except (TomlError, ValueError) as error:
        return (located(str(error), table),)
    return ()


def located(problem: str, table: Mapping[str, Any]) -> Problem:
    """A line of a `ConfigError` at the place in a table that it is about; () if it names none."""
    if isinstance(problem, Wrong):
        return Problem(problem.place, problem.message)
    head = _HEAD.match(problem)
    if head is None:
        return Problem((), problem)
    parts = head["path"].split(".")
    place: Place = tuple(int(part) if part.isdigit() else part for part in parts)
    known = parts[0] in table or len(place) > 1 or problem[head.end("path") :].startswith(" = ")
    return Problem(place if known else (), problem)


def _without_echoes(problems: tuple[Problem, ...]) -> tuple[Problem, ...]:
    """Each problem once, and none that is only the count of a list with a wrong item in it."""
    inside = {one.place[:depth] for one in problems for depth in range(len(one.place))}
    return tuple(
        one
        for one in dict.fromkeys(problems)
        if one.place not in inside or "after validation" not in one.message
    )


def _place_of_file(source: str, table: Mapping[str, Any], file: Path) -> Place | None:
    """Which key names the file that a problem is in; None if it is in the table itself."""
    if source == str(file):
        return None
    for place, folder, default in _NAMED_FILES:
        name = value_at(table, place)
        name = default if name is ABSENT else name
        if not isinstance(name, str):
            continue
        try:
            found = find_file(name, beside=file, folder=folder, key="file")
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


def _rig(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.machine import check_rig
    from hil.machines.rig import Rig

    toml_of(table)
    check_rig(Rig.build(table, str(file)), str(file))


def _robot(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.robot_settings import RobotSettings

    toml_of(table)
    RobotSettings.build(table, str(file)).check(str(file))


def _space_arm(table: Mapping[str, Any], file: Path) -> None:
    from hil.machines.space_arm_settings import ArmSettings

    toml_of(table)
    ArmSettings.build(table, str(file)).check(str(file))


_READERS: Final[dict[FileKind, Callable[[Mapping[str, Any], Path], None]]] = {
    FileKind.PLATFORM_SCENARIO: _platform,
    FileKind.ARM_SCENARIO: _arm_station,
    FileKind.TOGETHER_SCENARIO: _together,
    FileKind.RIG: _rig,
    FileKind.ROBOT: _robot,
    FileKind.SPACE_ARM: _space_arm,
}
