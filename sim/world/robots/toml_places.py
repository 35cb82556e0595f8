"""Where the keys of a TOML document stand, which the standard library does not tell.

For documents that :mod:`sim.toml_reader` has read: their grammar is right. Nothing is read
recursively.
"""

import re
from typing import Final

from sim.toml_reader import read_table

KeyPath = tuple[str | int, ...]
"""Keys and indices from the top of the document."""

_SPACE: Final = re.compile(r"[ \t]*")
_BLANK: Final = re.compile(r"(?:[ \t\r\n]|#[^\n]*)*")
_STRING: Final = re.compile(
    r'"""(?:\\.|[^\\])*?"{3,5}(?!")|\'\'\'.*?\'{3,5}(?!\')|"(?:\\.|[^"\\])*"|\'[^\']*\'', re.DOTALL
)
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_PLAIN: Final = re.compile(r"[^,\]}\n#]*")


def key_places(text: str) -> dict[KeyPath, tuple[int, int]]:
    """Line and column, from 1, of each value, and of each heading.

    Args:
        text: a document that :func:`sim.toml_reader.read_table` reads.
    """
    return _Scan(text.removeprefix("\ufeff").replace("\r\n", "\n")).places()


class _Scan:
    """One pass over a document."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._lines = [0, *(match.end() for match in re.finditer("\n", text))]
        self._line = 0
        self._found: dict[KeyPath, tuple[int, int]] = {}
        self._counts: dict[KeyPath, int] = {}

    def places(self) -> dict[KeyPath, tuple[int, int]]:
        """Of the whole document."""
        table: KeyPath = ()
        self._skip(_BLANK)
        while self._at < len(self._text):
            if self._next("["):
                table = self._heading()
            else:
                path = self._extend_path(table, self._keys())
                self._at += 1  # the equals sign
                self._skip(_SPACE)
                self._value(path)
            self._skip(_BLANK)
        return self._found

    def _heading(self) -> KeyPath:
        begin = self._at
        several = self._next("[[")
        self._at += 2 if several else 1
        keys = self._keys()
        self._at += 2 if several else 1
        path = self._extend_path((), keys[:-1]) + keys[-1:]
        if several:
            self._counts[path] = self._counts.get(path, 0) + 1
        path = self._last(path)
        self._put(path, begin)
        return path

    def _extend_path(self, table: KeyPath, keys: tuple[str, ...]) -> KeyPath:
        """The path of keys below a table; below a list of tables, that of its last."""
        path = self._last(table)
        for key in keys:
            path = self._last((*path, key))
        return path

    def _last(self, path: KeyPath) -> KeyPath:
        return (*path, self._counts[path] - 1) if path in self._counts else path

    def _keys(self) -> tuple[str, ...]:
        """A key, or several with dots between."""
        found: list[str] = []
        while True:
            self._skip(_SPACE)
            if self._next('"') or self._next("'"):
                quoted = self._take(_STRING)
                found.extend(read_table(f"{quoted} = 0"))
            else:
                found.append(self._take(_BARE))
            self._skip(_SPACE)
            if not self._next("."):
                return tuple(found)
            self._at += 1

    def _value(self, path: KeyPath) -> None:
        """A value, with all that is in it."""
        open_lists: list[tuple[KeyPath, int]] = []  # index -1: a table in braces
        while True:
            self._put(path, self._at)
            if self._next("["):
                self._at += 1
                open_lists.append((path, 0))
            elif self._next("{"):
                self._at += 1
                open_lists.append((path, -1))
            elif self._next('"') or self._next("'"):
                self._take(_STRING)
            else:
                self._take(_PLAIN)
            self._skip(_BLANK if open_lists else _SPACE)
            while open_lists and (self._next("]") or self._next("}")):
                self._at += 1
                open_lists.pop()
                self._skip(_BLANK if open_lists else _SPACE)
            if not open_lists:
                return
            path = self._next_path(open_lists)

    def _next_path(self, open_lists: list[tuple[KeyPath, int]]) -> KeyPath:
        """Path of what comes next in the innermost list or table; its comma is passed."""
        inner, index = open_lists[-1]
        if self._next(","):
            self._at += 1
            self._skip(_BLANK)
        if index < 0:
            path = inner + self._keys() if not self._next("}") else inner
            self._at += self._next("=")
            self._skip(_SPACE)
            return path
        open_lists[-1] = inner, index + 1
        return (*inner, index)

    def _next(self, mark: str) -> bool:
        return self._text.startswith(mark, self._at)

    def _skip(self, what: re.Pattern[str]) -> None:
        if match := what.match(self._text, self._at):
            self._at = match.end()

    def _take(self, what: re.Pattern[str]) -> str:
        match = what.match(self._text, self._at)
        if match is None or (match.end() == self._at and what is not _PLAIN):
            raise ValueError(f"no TOML at character {self._at}")
        self._at = match.end()
        return match[0]

    def _put(self, path: KeyPath, at: int) -> None:
        while self._line + 1 < len(self._lines) and self._lines[self._line + 1] <= at:
            self._line += 1
        self._found.setdefault(path, (self._line + 1, at - self._lines[self._line] + 1))
