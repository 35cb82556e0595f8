"""The dialect of a foreign table: encoding, separator, header, row of units, first row.

It is decided once, for the whole file, from its first lines. What is above the header is passed
over: comments (``#``, ``%``, ``//``), lines of words, Excel's ``sep=;``, and ``decimal=,``, which
says the decimal sign where the numbers leave it open.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from io import TextIOWrapper
from itertools import islice, pairwise
from pathlib import Path
from typing import IO, BinaryIO, Final, cast

from hil.config.cells import number_in, stamp_ns_in
from hil.config.errors import MotionError
from hil.config.unit_names import unit_key

SEPARATORS: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar", " ": "space"}
"""Separators of columns, and their names; a space means any number of them."""
COMMENTS: Final = ("#", "%", "//")
"""Beginnings of a line that is none of the table."""
LINES_MAX: Final = 200
"""Most lines before the end of the header."""
LINE_MAX: Final = 1_000_000
"""Characters of the lines up to the header."""
HEAD_BYTES: Final = 65_536
"""First bytes of a file, by which its encoding is judged."""
_WESTERN: Final = frozenset("äöüÄÖÜß°²³µ·±§éèêëàâçîïôùûÉÈÀÇñåæøÅÆØ".encode("cp1252"))
"""What German, French, Spanish and Scandinavian names and units have in Windows' encoding."""
_DECLARED: Final = re.compile(
    r"""(?:#|%|//)?\s*["']?(sep|decimal)=(\\t|[,;\t|.])["']?[,;\s]*""", re.I
)
_BOMS: Final = ((b"\xff\xfe\0\0", "utf-32"), (b"\0\0\xfe\xff", "utf-32"),
                (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))  # fmt: skip


_SPACED: Final = re.compile(r'"[^"]*+"(?=\s|$)|\S++')
"""Pattern of a cell where spaces separate cells."""
WORDS_MOST: Final = 4
"""Most lines of words between the header and the first row."""
_NO_NUMBER: Final = frozenset(
    ("nan", "inf", "infinity", "null", "none", "na", "n/a", "#n/a", "nil", "missing", "error")
)
"""Words for a number that is not there, in small letters."""


@dataclass(frozen=True, slots=True)
class Dialect:
    """Dialect of a table."""

    encoding: str
    """Encoding as Python calls it."""
    separator: str
    """One of `SEPARATORS`."""
    decimal: str
    """Sign that the file itself says; empty: its numbers show it."""
    header: tuple[str, ...]
    """Names of the columns."""
    header_line: int
    """Number of their line, from 1."""
    units: tuple[str, ...]
    """Units of the columns, as a row below the header says; empty if there is none."""
    words: int
    """Lines of words below the header that are no units, such as groups of columns."""
    data_line: int
    """First line that may be a row, from 1."""

    def text(self, sign: str, passed: int) -> str:
        """Text of the dialect that was taken; empty of a plain CSV file.

        Args:
            sign: of decimals, as it was found.
            passed: lines between the rows that were passed over as comments.
        """
        taken = []
        if self.encoding != "utf-8-sig":
            taken.append(self.encoding.upper())
        if self.separator != ",":
            taken.append(f"columns apart by {SEPARATORS[self.separator]}")
        if sign == "," or self.decimal:
            taken.append(f"decimal {'comma' if sign == ',' else 'point'}")
        if self.header_line != 1:
            taken.append(f"header in line {self.header_line}")
        if self.units:
            taken.append(f"a row of units: {', '.join(self.units)}")
        if self.words:
            taken.append(f"lines of words below the header: {self.words}")
        if passed:
            taken.append(f"lines of comment between the rows: {passed}")
        return ", ".join(taken)


@contextmanager
def text_of(file: IO[bytes], encoding: str) -> Iterator[TextIOWrapper]:
    """An open file as text from its beginning, with its line ends as they are."""
    file.seek(0)
    text = TextIOWrapper(cast("BinaryIO", file), encoding, newline="")
    try:
        yield text
    finally:
        text.detach()


def dialect_of(path: Path, file: IO[bytes], wanted: Sequence[str]) -> Dialect:
    """Find the dialect of a file by its first lines.

    Args:
        path: Where it is, for errors.
        wanted: Columns that will be read; the line that names them all is the header.

    Raises:
        MotionError: If it holds nothing.
        OSError, UnicodeError: Of the file.
    """
    encoding = _encoding(file)
    with text_of(file, encoding) as text:
        lines = list(_head(text))
    return _of_lines(path, encoding, lines, wanted)


def _encoding(file: IO[bytes]) -> str:
    file.seek(0)
    head = file.read(HEAD_BYTES)
    begin = head[:64]
    for mark, name in _BOMS:
        if begin.startswith(mark):
            return name
    if len(begin) >= 4 and b"\0" not in begin[::2] and not any(begin[1::2]):
        return "utf-16-le"
    if len(begin) >= 4 and b"\0" not in begin[1::2] and not any(begin[::2]):
        return "utf-16-be"
    return "cp1252" if _is_western(head) else "utf-8-sig"


def _is_western(head: bytes) -> bool:
    """Whether a text that is not UTF-8 has only such other letters as names and units have."""
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        return len(head) - error.start > 3 and {*head} - {*range(128)} <= _WESTERN
    return False


def _head(file: TextIOWrapper) -> Iterator[str]:
    left = LINE_MAX
    for _ in range(LINES_MAX):
        line = file.readline(left)
        left -= len(line)
        if not line:
            return
        yield line.rstrip("\r\n")
        if left <= 0:
            return


def is_comment(line: str) -> bool:
    """Whether a line is none of the table, by its beginning."""
    return line.lstrip(' \t"').startswith(COMMENTS)


def split(line: str, separator: str) -> list[str]:
    """Cells of one line, without the space around them; none if it is not well-formed."""
    if separator == " ":
        return [cell.strip('"') for cell in _SPACED.findall(line)]
    try:
        return [cell.strip() for cell in next(csv.reader([line], strict=True, delimiter=separator))]
    except (csv.Error, StopIteration):
        return []


@dataclass(frozen=True, slots=True)
class _Header:
    index: int
    separator: str
    names: list[str]


def _of_lines(path: Path, encoding: str, lines: list[str], wanted: Sequence[str]) -> Dialect:
    said = dict(_declarations(lines))
    separator = said.get("sep", "").replace("\\t", "\t")
    candidates = (separator,) if separator in SEPARATORS else tuple(SEPARATORS)
    plain = [k for k, line in enumerate(lines) if line.strip() and not is_comment(line)
             and not _DECLARED.fullmatch(line)]  # fmt: skip
    found = (
        _naming(lines, plain, candidates, wanted)
        or _commented(lines, plain, candidates)
        or _above_numbers(lines, plain, candidates)
    )
    if found is None:
        raise MotionError(f"{path}, line 1: is empty: a header with the column names is needed")
    units, words, last = _below(lines, plain, found)
    return Dialect(
        encoding, found.separator, said.get("decimal", ""), tuple(found.names), found.index + 1,
        units, words, last + 2,
    )  # fmt: skip


def _declarations(lines: Iterable[str]) -> Iterator[tuple[str, str]]:
    for line in islice(lines, 20):
        if said := _DECLARED.fullmatch(line):
            yield said[1].lower(), said[2]


def _naming(lines: Sequence[str], indices: Iterable[int], candidates: Sequence[str],
            wanted: Sequence[str]) -> _Header | None:  # fmt: skip
    """The first line that names all columns that are wanted."""
    if not wanted:
        return None
    for index in indices:
        for separator in candidates:
            names = split(lines[index], separator)
            if len(names) > 1 and set(wanted) <= set(names):
                return _Header(index, separator, names)
    return None


def _commented(lines: Sequence[str], plain: Sequence[int],
               candidates: Sequence[str]) -> _Header | None:  # fmt: skip
    """The last comment above the first row, if it names a column for each of the row's cells."""
    for separator in candidates if plain else ():
        row = split(lines[plain[0]], separator)
        if len(row) < 2 or not any(map(is_value, row)):
            continue
        for index in range(plain[0] - 1, -1, -1):
            names = split(lines[index].strip().lstrip("#%/ \t"), separator)
            if len(names) == len(row):
                return _Header(index, separator, names)
    return None


def _above_numbers(lines: Sequence[str], plain: Sequence[int],
                   candidates: Sequence[str]) -> _Header | None:  # fmt: skip
    """The first line of names with as many cells as the numbers below it; else the first line."""
    for here, below in pairwise(plain):
        for separator in candidates:
            names, row = split(lines[here], separator), split(lines[below], separator)
            fits = 1 < len(names) == len(row) and not any(map(is_value, names))
            if fits and (any(map(is_value, row)) or _are_units(row)):
                return _Header(here, separator, names)
    if not plain:
        return None
    most = max(candidates, key=lambda each: len(split(lines[plain[0]], each)))
    return _Header(plain[0], most, split(lines[plain[0]], most))


def _below(lines: Sequence[str], plain: Sequence[int], header: _Header
           ) -> tuple[tuple[str, ...], int, int]:  # fmt: skip
    """The row of units below a header, how many lines of words, and the index of the head's end."""
    units, words, last = (), 0, header.index
    for index in [k for k in plain if k > header.index][:WORDS_MOST]:
        row = split(lines[index], header.separator)
        if len(row) != len(header.names):
            break
        if not units and _are_units(row):
            units = tuple(row)
        elif _are_words(row):
            words += 1
        else:
            break
        last = index
    row = next((k for k in plain if k > last), last)
    while last + 1 < row and not lines[last + 1].strip():
        last += 1  # some loggers leave a line free below the head
    return units, words, last


def _are_units(row: Sequence[str]) -> bool:
    """Whether a row says units, of which half or more are known."""
    named = [cell for cell in row if cell]
    known = sum(unit_key(cell) is not None for cell in named)
    bracketed = all(cell[0] + cell[-1] in ("[]", "()", "<>") for cell in named)
    return bool(named) and not any(map(is_value, named)) and (bracketed or 2 * known >= len(named))


def _are_words(row: Sequence[str]) -> bool:
    """Whether a row has no number, and none that is missing."""
    named = [cell for cell in row if cell]
    begin = all(cell[0].isalpha() or cell[0] in "([<" for cell in named)
    return bool(named) and begin and not any(cell.lower() in _NO_NUMBER for cell in named)


def is_value(cell: str) -> bool:
    """Whether a cell is a number or a time, with either decimal sign."""
    return number_in(cell.replace(",", ".")) is not None or stamp_ns_in(cell) is not None
