"""Places of drawn keys: a number of the scenario, or one of a document that it names.

A key is walked from the top of the scenario's table. Where it meets the name of a document with
more of the key left, it goes on from the top of that document: `robot.link.3.dh.d_m` is the number
`link.3.dh.d_m` of the document that the scenario's key `robot` names.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hil.config.drawn import DRAW
from hil.config.errors import ConfigError, Wrong
from hil.config.file_search import find_file, shipped_folders
from hil.config.settings import apply_overrides, parse_toml, settings_text
from hil.config.similar_names import nearest
from hil.config.toml_text import toml_of

if TYPE_CHECKING:
    from hil.config.file_kind import FileKind


@dataclass(frozen=True, slots=True)
class KeyLocation:
    """Where a drawn number stands."""

    document: Path | None
    """File of the document; None for the scenario itself."""
    key: str
    """Key from the top of that file."""


class DrawPlaces:
    """Places of the keys of a scenario; documents are read once.

    Args:
        table: of the scenario, with the changes of the command line.
        file: of the scenario.
        kind: of the scenario, which knows the folders of shipped documents.
    """

    def __init__(self, table: Mapping[str, Any], file: Path, kind: FileKind) -> None:
        self._table, self._file, self._kind = table, file, kind
        self._documents: dict[Path, dict[str, Any]] = {}

    def find(self, keys: Iterator[str] | list[str]) -> dict[str, KeyLocation]:
        """Location of each key.

        Raises:
            ConfigError: with a line for each key that leads to no number.
        """
        found, wrong = dict[str, KeyLocation](), list[str]()
        for key in keys:
            try:
                found[key] = self._walk(key)
            except ConfigError as error:
                wrong += [
                    Wrong((DRAW, key), line, f'{DRAW}."{key}": {line}') for line in error.problems
                ]
        if wrong:
            raise ConfigError(str(self._file), wrong)
        return found

    def texts(self, values: Mapping[KeyLocation, int | float]) -> dict[str, bytes]:
        """Texts of documents with other values, by real paths."""
        changes: dict[Path, list[tuple[str, Any]]] = {}
        for place, value in values.items():
            if place.document is not None:
                changes.setdefault(place.document, []).append((place.key, value))
        return {
            os.path.realpath(path): toml_of(
                apply_overrides(self._documents[path], found, given=False)
            ).encode()
            for path, found in changes.items()
        }

    def _walk(self, key: str) -> KeyLocation:
        node, file, before = self._table, None, list[str]()
        parts = key.split(".")
        for depth, part in enumerate(parts):
            node = _step(node, part, ".".join(before), file or self._file)
            before.append(part)
            if isinstance(node, str) and depth < len(parts) - 1:
                place = tuple(one for one in before if not one.isdecimal())
                file = self._document(node, place, file)
                node, before = self._documents[file], []
        if isinstance(node, bool) or not isinstance(node, int | float):
            what = "a table" if isinstance(node, Mapping) else f"{node!r:.60}"
            line = f"{'.'.join(before)} is {what} in {file or self._file}; only a number is drawn"
            raise ConfigError("", [line])
        return KeyLocation(file, ".".join(before))

    def _document(self, name: str, place: tuple[str, ...], beside: Path | None) -> Path:
        document = beside or self._file
        known = [one.folder for one in self._kind.names if one.place == place and beside is None]
        refusal: ConfigError | None = None
        for folder in dict.fromkeys((*known, *shipped_folders())):
            try:
                path = find_file(name, beside=document, folder=folder, key=place[-1], suggest=False)
            except ConfigError as error:
                refusal = refusal or error
                continue
            if path.resolve() == self._file.resolve():
                raise ConfigError("", [f"{name!r} names no document, but the scenario itself"])
            if path.suffix.lower() != ".toml":
                raise ConfigError("", [f"{path} is no TOML document; convert it to draw in it"])
            if path not in self._documents:
                self._documents[path] = parse_toml(settings_text(path), path)
            return path
        raise refusal or ConfigError("", [f"{name!r} names no document"])


def _step(node: Any, part: str, before: str, file: Path) -> Any:
    where = f"{before} of {file}" if before else str(file)
    if isinstance(node, Mapping):
        if part in node:
            return node[part]
        keys = list(map(str, node))
        there = ", ".join(keys[:12]) + (", …" if len(keys) > 12 else "") or "no keys"
        line = f"{part!r} is not in {where}; there are {there}{nearest(part, keys)}"
        raise ConfigError("", [f"{line}; write the key there with the value that holds undrawn"])
    if isinstance(node, list):
        if part.isdecimal() and len(part) < 10 and int(part) < len(node):
            return node[int(part)]
        there = f"0 to {len(node) - 1}" if node else "no entries"
        raise ConfigError("", [f"{part!r} is no index in {where} ({there})"])
    raise ConfigError("", [f"{where} is {node!r:.60}, in which there is no {part!r}"])
