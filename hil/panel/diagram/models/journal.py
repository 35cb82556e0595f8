"""Edits on the disk as they are made, so that none is lost with the process.

Beside ``law.toml`` stands ``.law.toml.edits``: a line with the text that was edited, then a line
for each edit, each with the CRC-32 of all so far. A line is in the system's hands before the edit
is shown: a process that is killed loses none. Of a line that is half written the edit is left out;
anything else that does not fit is damage, and the file is set aside. Whoever edits a diagram holds
the lock of its journal.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from hil.config.errors import RefusedError
from hil.config.files import read_regular
from hil.config.visible_text import visible
from hil.diagram.file.model import Diagram, DiagramFile
from hil.diagram.file.read import read_text
from hil.diagram.file.write import text_of
from hil.panel.diagram.models.history import History, Step, step_of, table_of

VERSION: Final = 1
_NO_EDIT: Final = (LookupError, TypeError, ValueError, AttributeError, RecursionError)
"""What comes of a table that is none."""
BYTES_MOST: Final = 1 << 28


class DamagedError(ValueError):
    """An autosave that cannot be trusted; the text says why."""


def journal_path(path: Path) -> Path:
    """Where a diagram's edits are kept."""
    return path.with_name(f".{path.name}.edits")


class EditJournal:
    """The autosave of one diagram, locked while it is open.

    Args:
        path: Of the diagram.
        descriptor: Open for appending.
        check: CRC-32 of the lines that are there.
    """

    def __init__(self, path: Path, descriptor: int, check: int) -> None:
        self._path = path
        self._descriptor = descriptor
        self._check = check

    @classmethod
    def begin(cls, path: Path, text: str | None) -> EditJournal:
        """A new one in place of any other.

        Args:
            text: That is edited; None if the file is not there yet.

        Raises:
            OSError: If it cannot be written.
        """
        place = journal_path(path)
        part = place.with_name(f"{place.name}.{os.urandom(4).hex()}")
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_APPEND
        descriptor = os.open(part, flags, 0o600)
        try:
            _lock(descriptor)
            header = {"version": VERSION, "file": path.name, "text": text}
            data, check = _line(header, 0)
            _write(descriptor, data)
            os.fsync(descriptor)
            part.replace(place)
        except BaseException:
            os.close(descriptor)
            part.unlink(missing_ok=True)
            raise
        return cls(path, descriptor, check)

    @classmethod
    def resume(cls, path: Path) -> tuple[EditJournal, History, str | None] | None:
        """The one that is there, with its edits and the text before them; None if there is none.

        Raises:
            RefusedError: If another process edits the diagram.
            DamagedError: If it cannot be trusted.
            OSError: If it cannot be read.
        """
        place = journal_path(path)
        try:
            descriptor = os.open(place, os.O_RDWR | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0))
        except FileNotFoundError:
            return None
        try:
            if not _lock(descriptor):
                raise RefusedError(f"{path} is being edited elsewhere: {place.name} is locked")
            data = read_regular(place, BYTES_MOST)
            whole = data[: data.rfind(b"\n") + 1]
            tables, check = _tables(whole)
            history, text = _replayed(tables, path)
            os.ftruncate(descriptor, len(whole))
        except BaseException:
            os.close(descriptor)
            raise
        return cls(path, descriptor, check), history, text

    def write(self, what: str, step: Step) -> None:
        """Keep an edit.

        Args:
            what: ``do``, ``undo`` or ``redo``.

        Raises:
            OSError: If it cannot be written.
        """
        data, self._check = _line({what: table_of(step)}, self._check)
        _write(self._descriptor, data)

    def close(self, *, remove: bool) -> None:
        """Let go of it, and take it away if nothing in it is needed."""
        if remove:
            journal_path(self._path).unlink(missing_ok=True)
        os.close(self._descriptor)


def set_aside(path: Path) -> Path:
    """Move a damaged autosave out of the way; where it is then."""
    place = journal_path(path)
    number = 1
    while (aside := place.with_name(f"{place.name}.damaged{number}")).exists():
        number += 1
    return place.rename(aside)


def _lock(descriptor: int) -> bool:
    """Whether the lock was free."""
    try:
        import fcntl
    except ImportError:  # pragma: no cover  # no Linux: two windows are not told from each other
        return True
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _line(table: Mapping[str, Any], check: int) -> tuple[bytes, int]:
    """A line and the CRC-32 up to it, given that of the lines before it."""
    data = json.dumps(table, ensure_ascii=True, separators=(",", ":")).encode()
    check = zlib.crc32(data, check)
    return b"%08x %s\n" % (check, data), check


def _write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def _tables(whole: bytes) -> tuple[list[dict[str, Any]], int]:
    """What the lines say, and the CRC-32 of all of them."""
    tables, check = [], 0
    for number, line in enumerate(whole.splitlines(), 1):
        stated, _, data = line.partition(b" ")
        check = zlib.crc32(data, check)
        if stated != b"%08x" % check:
            raise DamagedError(f"line {number}: its checksum is wrong")
        try:
            table = json.loads(data)
        except (ValueError, RecursionError) as error:
            raise DamagedError(f"line {number}: no JSON: {error}") from None
        if not isinstance(table, dict):
            raise DamagedError(f"line {number}: no edit")
        tables.append(table)
    return tables, check


def _replayed(tables: list[dict[str, Any]], path: Path) -> tuple[History, str | None]:
    """The edits of a journal, and the text before them."""
    if not tables or tables[0].get("version") != VERSION:
        raise DamagedError("it does not begin as one of this version does")
    text = tables[0].get("text")
    if not isinstance(text, str | None):
        raise DamagedError("line 1: its text is none")
    try:
        history = History(
            DiagramFile(Diagram(), path=path) if text is None else read_text(text, path)
        )
        for number, table in enumerate(tables[1:], 2):
            try:
                _apply(history, table)
            except _NO_EDIT as error:
                raise DamagedError(f"line {number}: {_first_line(error)}") from None
        read_text(text_of(history.file), path)
    except DamagedError:
        raise
    except _NO_EDIT as error:
        raise DamagedError(f"it does not make a diagram: {_first_line(error)}") from None
    return history, text


def _first_line(error: Exception) -> str:
    """What an error says first, of a text that may hold anything."""
    return visible(str(error).partition("\n")[0][:300])


def _apply(history: History, table: Mapping[str, Any]) -> None:
    ((what, plain),) = table.items()
    step = step_of(plain)
    if what == "do":
        history.push(step)
    elif what == "undo":
        # What was done before the file was saved is in the line alone.
        if history.undo() is None:
            history.file = step.undo(history.file)
            history.undone.append(step)
    elif what == "redo":
        if history.redo() is None:
            history.push(step)
    else:
        raise DamagedError(f"{what!r:.40}: no edit")
