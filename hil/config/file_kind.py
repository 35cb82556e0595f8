"""A kind of settings file as a value, from the reader of such files."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hil.config.settings import Settings

SCENARIOS_FOLDER = "scenarios"
TABLES = "*.toml"


@dataclass(frozen=True, slots=True)
class NamedFile:
    """A key of a file that names another file."""

    place: tuple[str, ...]
    """Keys from the top of the table; numbers of a list's entries are left out."""
    folder: str = ""
    """Folder of ``configs/`` that has such files; empty if none has."""
    pattern: str = TABLES
    """Pattern of such files' names."""
    default: str = ""
    """Name that holds if the key is left out; empty if it must not be."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FileKind:
    """A kind of settings file; each is one object."""

    name: str
    """Name of the kind: ``space arm``."""
    schema: str
    """Name of its JSON schema on the command line."""
    folder: str = SCENARIOS_FOLDER
    """Folder of ``configs/`` that has such files."""
    station: str = ""
    """Value of ``station`` at its top; empty if it has none, and `marks` identify it."""
    marks: tuple[str, ...] = ()
    """Keys at the top of this kind only; any of them will do."""
    names: tuple[NamedFile, ...] = ()
    """Its keys that name other files."""
    model: Callable[[], type[Settings]]
    """Gives the model of its tables."""
    forms: Mapping[str, Callable[[], type[Settings]]] | None = None
    """Models of its tables by the value at `form_place`, which `model` is one of; None if it has
    one form only."""
    form_place: tuple[str, ...] = ()
    """Keys from the top of the table to the value that names the form."""
    check: Callable[[Mapping[str, Any], Path], object] | None = None
    """Reads a table as a run does, with the files that it names, which are looked for beside the
    file; raises `ConfigError`. None: its model says all."""
    endings: tuple[str, ...] = (".toml",)
    """Endings of its files; others than TOML need the next two."""
    read: Callable[[Path], dict[str, Any]] | None = None
    """Reads a file as a table; None for plain TOML. Raises `ConfigError`."""
    write: Callable[[Mapping[str, Any], Path], tuple[str, tuple[str, ...]]] | None = None
    """The text of a file, by the ending of its name, and a line for each thing that it cannot say;
    None for plain TOML. Raises `ConfigError`."""
    begun: Mapping[str, Any] | None = None
    """A new file's table; None if none is begun from nothing."""
    runs: tuple[str, ...] = ()
    """Endings of its files that `hil run` and `hil check` take in place of a scenario: their
    station makes one of what they describe."""
    grids: tuple[str, ...] = ()
    """Its lists of tables that a form shows as a grid, a line for each table."""

    def judge(self, table: Mapping[str, Any], file: Path) -> None:
        """Read a table as a run does.

        Raises:
            ConfigError: with the file, the key path, the value and what would have been right.
        """
        if self.check is not None:
            self.check(table, file)
        else:
            self.model().build(table, str(file))

    @property
    def named(self) -> str:
        """The same with its article."""
        return f"{'an' if self.name[0] in 'aeiou' else 'a'} {self.name}"
