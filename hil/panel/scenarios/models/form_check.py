"""What is wrong with a table of settings, each problem at its place in the form.

The bench's own readers judge, with their own words, and say which key each is about. A problem in a
file that the table names is shown at that name.
"""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hil.config.errors import ConfigError, Wrong
from hil.config.file_kind import FileKind
from hil.config.file_search import find_file
from hil.config.toml_text import TomlError, toml_of
from hil.panel.scenarios.models.form_nodes import Place
from hil.panel.scenarios.models.form_values import ABSENT, value_at

_COUNTS: Final = frozenset({"too_short", "too_long"})
"""Rules of how many items a list has."""


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
        kind.judge(table, file)
    except ConfigError as error:
        elsewhere = _place_of_file(error.source, kind, table, file)
        if elsewhere is not None:
            source = Path(error.source).name
            return tuple(Problem(elsewhere, f"{source}: {text}") for text in error.problems)
        return _without_echoes(error.problems)
    except TomlError as error:
        return (Problem(error.place, str(error)),)
    except ValueError as error:
        return (Problem((), str(error)),)
    return ()


def located(problem: str) -> Problem:
    """A line of a `ConfigError` at the place that it is about; () if it is about none."""
    if isinstance(problem, Wrong):
        return Problem(problem.place, problem.message)
    return Problem((), problem)


def _without_echoes(problems: Iterable[str]) -> tuple[Problem, ...]:
    """Each problem once, and none that is only the count of a list with a wrong item in it."""
    known = list(dict.fromkeys(problems))
    places = [one.place for one in known if isinstance(one, Wrong)]
    inside = {place[:depth] for place in places for depth in range(len(place))}
    return tuple(
        located(one)
        for one in known
        if not (isinstance(one, Wrong) and one.code in _COUNTS and one.place in inside)
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
