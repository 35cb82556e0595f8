"""The files of settings that can be picked: what is shipped, and what lies in folders of one's own.

Also the way back to a file. Shipped files are never written to, nor is a file that the panel did
not write itself: its comments would be lost.
"""

import os
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hil.config.errors import ConfigError
from hil.config.file_kind import SCENARIOS_FOLDER, FileKind, NamedFile
from hil.config.file_search import configs_dir, shipped_paths
from hil.config.settings import read_toml
from hil.config.toml_text import toml_of
from hil.panel.scenarios.models.form_nodes import Place
from hil.panel.scenarios.models.form_values import replaced, value_at
from hil.run.file_kinds import TOGETHER, all_kinds, kind_of, kinds_named
from hil.run.registry import stations

FILES_MAX: Final = 500
"""Of one folder that are looked at."""


class SaveError(Exception):
    """A file that cannot be written; the text says why and what to do."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A file that can be picked."""

    path: Path
    """The file."""
    kind: FileKind | None
    """None if it cannot be told."""
    name: str
    """As it calls itself, or its file's."""
    description: str
    """In its own words; empty if it has none."""
    shipped: bool
    """Whether it came with the program."""
    problem: str = ""
    """Why it cannot be used; empty if it can be read."""

    @property
    def station(self) -> str:
        """Name of its station, or ``together``; empty for a machine's file."""
        if self.several:
            return TOGETHER.station
        return next((one.name for one in stations() if one.scenarios is self.kind), "")

    @property
    def several(self) -> bool:
        """Whether it is a scenario of several stations."""
        return self.kind is TOGETHER


def catalogue(folders: Iterable[Path] = ()) -> tuple[Entry, ...]:
    """All files that can be picked: shipped ones first, scenarios before machines, by name."""
    found: dict[Path, Entry] = {}
    named = {one.folder for one in _named_files() if kinds_named(one)}
    for name in sorted({SCENARIOS_FOLDER, *named}):
        _collect(shipped_paths(name, *_endings()), found)
    for folder in folders:
        with suppress(OSError):
            _collect(sorted(one for one in folder.glob("*") if one.suffix in _endings()), found)
    return tuple(sorted(found.values(), key=_order))


def entry_of(path: Path) -> Entry:
    """What a file is; one that cannot be read says why."""
    shipped = is_shipped(path)
    try:
        table, kind = table_of(path)
    except ConfigError as error:
        return Entry(path, None, path.stem, "", shipped, "; ".join(error.problems))
    name, description = table.get("name"), table.get("description")
    stem = path.stem if path.suffix == ".toml" else path.name
    return Entry(
        path,
        kind,
        name if isinstance(name, str) and name else stem,
        description if isinstance(description, str) else "",
        shipped,
        "" if kind is not None else "shows no kind of settings",
    )


def table_of(path: Path) -> tuple[dict[str, Any], FileKind | None]:
    """What a file says, and its kind; None if it shows none.

    Raises:
        ConfigError: if it cannot be read.
    """
    ending = path.suffix.lower()
    other = next((one for one in all_kinds() if one.read and ending in one.endings[1:]), None)
    if other is not None and other.read is not None:
        return other.read(path), other
    table = read_toml(path)
    return table, kind_of(table, str(path))


def begun_entry(kind: FileKind, folder: Path) -> Entry:
    """A new file of a kind, which is in no folder yet."""
    return Entry(folder / f"new_{kind.schema}.toml", kind, f"new {kind.name}", "", shipped=False)


def is_shipped(path: Path) -> bool:
    """Whether a file belongs to the program."""
    return path.resolve().is_relative_to(configs_dir().resolve())


def _endings() -> tuple[str, ...]:
    """Endings of files that hold settings."""
    return tuple(dict.fromkeys(ending for kind in all_kinds() for ending in kind.endings))


def _collect(paths: Sequence[Path], found: dict[Path, Entry]) -> None:
    for path in paths[:FILES_MAX]:
        entry = entry_of(path.resolve())
        # Of others' folders only what is a file of settings: a pyproject.toml is not.
        if entry.kind is not None or (entry.problem and entry.shipped):
            found.setdefault(entry.path, entry)


def _order(entry: Entry) -> tuple[int, bool, str, str]:
    kinds = all_kinds()
    rank = kinds.index(entry.kind) if entry.kind in kinds else len(kinds)
    return rank, not entry.shipped, entry.name, str(entry.path)


class Writer:
    """Writer of new files; it may replace those that it wrote itself."""

    def __init__(self) -> None:
        self._written: set[Path] = set()
        self.lost: tuple[str, ...] = ()
        """What the file that was written last cannot say of its table, a line each."""

    def may_write(self, path: Path) -> str:
        """Why a file must not be written, and what to do; empty if it may be."""
        if is_shipped(path):
            return f"{path}: came with the program and is kept as it is; choose another folder"
        if os.path.lexists(path) and path.resolve() not in self._written:
            return f"{path}: is there already, and may hold comments; choose another name"
        return ""

    def save(
        self, table: Mapping[str, Any], path: Path, source: Path, kind: FileKind | None = None
    ) -> dict[str, Any]:
        """Write a table to a file, whole or not at all.

        Args:
            source: the file that the table came from, for names relative to it.
            kind: of the file; one that has a form of its own is written in that.

        Returns:
            The table as it was written: with names of files as they are seen from there.

        Raises:
            SaveError: if it must not or cannot be written.
            TomlError: if the table cannot be written as TOML.
            ConfigError: if a form of its own cannot say it.
        """
        if why := self.may_write(path):
            raise SaveError(why)
        moved = relocated(table, source, path)
        written, self.lost = toml_of(moved), ()
        if kind is not None and kind.write is not None:
            written, self.lost = kind.write(moved, path)
        draft = path.with_name(f".{path.name}.{os.getpid()}")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            draft.write_text(written, encoding="utf-8")
            self._put(draft, path)
        except OSError as error:
            raise SaveError(f"{path}: cannot be written: {error.strerror or error}") from error
        finally:
            with suppress(OSError):
                draft.unlink()
        self._written.add(path.resolve())
        return moved

    def _put(self, draft: Path, path: Path) -> None:
        if path.resolve() in self._written:
            draft.replace(path)
            return
        os.link(draft, path)  # refuses, as it should, what somebody has put there meanwhile


def relocated(table: Mapping[str, Any], source: Path, target: Path) -> dict[str, Any]:
    """A table for another folder: relative names of files beside the old one still lead there."""
    moved = dict(table)
    keys = {one.place[-1] for one in _named_files()}
    for place in _names(table, (), keys):
        name = str(value_at(table, place))
        there = source.parent / name
        if Path(name).is_absolute() or not there.is_file() or (target.parent / name).is_file():
            continue
        # A shipped file is found from anywhere by its bare name.
        seen = Path(os.path.relpath(there.resolve(), target.parent.resolve()))
        moved = replaced(moved, place, there.name if is_shipped(there) else str(seen))
    return moved


def _named_files() -> Iterator[NamedFile]:
    for kind in all_kinds():
        yield from kind.names


def _names(value: Any, place: Place, keys: Container[object]) -> Iterator[Place]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _names(item, (*place, key), keys)
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from _names(item, (*place, index), keys)
    elif isinstance(value, str) and value and place and place[-1] in keys:
        yield place
