"""Lines of a robot's text cut into cells: words and lists of words, each with its column.

    link [2, (0, 0.1), 2, (3), capsule]   # comment

One statement a line; lists hold words only, so nothing is read recursively.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from sim.world.robots.faults import FaultList

LINE_MAX: Final = 4000
"""Most characters of a line."""
NO_STATEMENT: Final = ("no such statement", "a line begins with units, link, joint or #")
_WORD: Final = re.compile(r"[^\s\[\](),#]+")
_CELL: Final = re.compile(r"\s*(\([^\[\]()#]*\)|[^\s\[\](),#]+)\s*")
_OPENED: Final = re.compile(r"\s*\[")


@dataclass(frozen=True, slots=True)
class TextCell:
    """A word, or a list of words in round brackets."""

    column: int
    """Column, from 1."""
    words: tuple[str, ...]
    """Words: one of a word, any number of a list."""
    is_list: bool
    """Whether it is in brackets."""

    @property
    def text(self) -> str:
        """Text in the document."""
        return f"({', '.join(self.words)})" if self.is_list else self.words[0]


@dataclass(frozen=True, slots=True)
class TextRow:
    """A statement: ``link [...]``, ``joint [...]`` or ``units ...``."""

    line: int
    """Line, from 1."""
    column: int
    """Column of its first word, from 1."""
    keyword: str
    """First word of the statement."""
    cells: tuple[TextCell, ...]
    """Cells after the keyword."""


def rows_of(text: str, faults: FaultList) -> Iterator[TextRow]:
    """Split a document into statements; lines that are none are noted as faults."""
    for number, line in enumerate(text.splitlines(), start=1):
        if len(line) > LINE_MAX:
            shown = f"{len(line)} characters"
            faults.add(number, LINE_MAX, shown, "the line is too long", f"at most {LINE_MAX}")
            continue
        rest = line.partition("#")[0]
        if not rest.strip():
            continue
        begin = _WORD.search(rest)
        if begin is None:
            faults.add(number, 1, rest.strip(), *NO_STATEMENT)
            continue
        column, keyword = begin.start() + 1, begin[0]
        if rest[: begin.start()].strip() or keyword not in ("units", "link", "joint"):
            faults.add(number, column, keyword, *NO_STATEMENT)
        elif keyword == "units":
            words = _WORD.finditer(rest, begin.end())
            cells = tuple(TextCell(one.start() + 1, (one[0],), is_list=False) for one in words)
            yield TextRow(number, column, keyword, cells)
        elif (row := _row(number, begin, rest, faults)) is not None:
            yield row


def _row(number: int, keyword: re.Match[str], line: str, faults: FaultList) -> TextRow | None:
    """Split the text between the square brackets; None after a fault."""
    opened = _OPENED.match(line, keyword.end())
    if opened is None:
        right = f"{keyword[0]} [..., ...]"
        faults.add(number, keyword.end() + 1, None, "no square bracket opens", right)
        return None
    cells: list[TextCell] = []
    at, after = opened.end(), ","
    while after == ",":
        found = _CELL.match(line, at)
        words = _words(found[1]) if found else None
        if found is None or words is None:
            right = "words, and words in round brackets, a comma between two"
            faults.add(number, at + 1, line[at:].strip(), "no word and no list", right)
            return None
        cells.append(TextCell(found.start(1) + 1, words, is_list=found[1].startswith("(")))
        at, after = found.end() + 1, line[found.end() : found.end() + 1]
    if after != "]" or line[at:].strip():
        right = "a comma before the next cell, one square bracket at the end of the row"
        faults.add(number, at, line[at - 1 :].strip(), "the row goes on wrongly here", right)
        return None
    return TextRow(number, keyword.start() + 1, keyword[0], tuple(cells))


def _words(cell: str) -> tuple[str, ...] | None:
    """Split a cell into words; None if one is missing, or a comma between two."""
    if not cell.startswith("("):
        return (cell,)
    if not (inner := cell[1:-1].strip()):
        return ()
    words = tuple(word.strip() for word in inner.split(","))
    return words if all(_WORD.fullmatch(word) for word in words) else None
