"""What is wrong with a table of settings, each problem at its place in the form.

The bench's own readers judge, with their own words. A model's field is named by its place; what a
reader says of several fields begins with the path of one (``part: names … must differ``). A problem
in a file that the table names is shown at that name.
"""

import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hil.config.errors import ConfigError, Wrong
from hil.config.file_kind import FileKind
from hil.config.shipped import find_file
from hil.config.toml_text import TomlError, toml_of
from hil.panel.scenarios.models.form_nodes import Place
from hil.panel.scenarios.models.form_values import ABSENT, value_at

_HEAD: Final = re.compile(r"(?P<path>[A-Za-z0-9_]+(?:\.[A-Za-z0-9_]+)*)(?: = |: | is | of )")


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
        toml_of(table)
        kind.check(table, file)
    except ConfigError as error:
        elsewhere = _place_of_file(error.source, kind, table, file)
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


def _place_of_file(
    source: str, kind: FileKind, table: Mapping[str, Any], file: Path
) -> Place | None:
    """Which key names the file that a problem is in; None if it is in the table itself."""
    if source == str(file):
        return None
    for named in kind.names:
        name = value_at(table, named.place)
        name = named.default if name is ABSENT else name
        if not isinstance(name, str):
            continue
        with suppress(ConfigError):
            found = find_file(name, beside=file, folder=named.folder, key="file")
            if str(found) == source:
                return named.place
    return None
