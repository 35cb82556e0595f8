"""Reading columns of numbers from a table that somebody else has written.

The reader believes nothing: whatever the file holds, it gives finite numbers in equal columns, or
an error that names the file, the line, the column, the value and what would have been right. How
the file is written is decided once for all of it (`hil.config.dialect`), and printed.
"""

import csv
import difflib
import logging
from array import array
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from os import SEEK_END
from pathlib import Path
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.cells import (
    EXACT_MAX,
    VALUE_MAX,
    DecimalSign,
    SignError,
    TimeCells,
    number_in,
    thousands_in,
)
from hil.config.dialect import COMMENTS, Dialect, dialect_of, is_comment, split, text_of
from hil.config.errors import MotionError
from hil.config.files import open_regular
from hil.config.quick_table import LONG_BYTES, read_long, read_quickly
from hil.config.unit_names import unit_in_name, unit_key

Floats = NDArray[np.float64]

SIZE_MAX_BYTES = 200_000_000
"""A larger file is refused before it is read."""
_SAMPLE_BYTES: Final = 65_536
"""Rows that show which decimal sign a file has are looked for in so much of it."""
_LOG: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, eq=False)
class NumberTable:
    """Columns of numbers, with where they stood."""

    path: Path
    """The file."""
    columns: dict[str, Floats]
    """Values of each column asked for, shape (N,) each, read-only."""
    lines: NDArray[np.int64]
    """Line of the file that each row ended on, shape (N,), read-only."""
    header: tuple[str, ...] = ()
    """Names of all columns of the file."""
    units: dict[str, str] = field(default_factory=dict[str, str])
    """Units of columns, as a row of the file says them, or brackets at the end of their names."""
    clock: str = "numbers"
    """What its times are: "numbers"; counted from the first row, "long numbers" or, in seconds,
    "stamps"."""

    def place(self, row: int, column: str) -> str:
        """Return where a value stood: file, line and column."""
        return f"{self.path}, line {self.lines[row]}, column {column!r}"

    def check_unit(self, column: str, unit: str) -> None:
        """Refuse a unit that is not the one that the file itself says.

        Raises:
            MotionError: With both.
        """
        said = self.units.get(column, "")
        known = unit_key(said)
        if known == "iso" and self.clock != "stamps":
            return  # "UTC" above numbers says of which day they are, and not what they count
        if known is not None and known != (unit_key(unit) or unit):
            text = f"{self.path}, column {column!r}: the file says {said!r}, the map says {unit!r}"
            raise MotionError(f"{text}: give the map {known!r}, or correct the file")
        if said and known is None:
            text = f"{self.path}, column {column!r}: the file says {said!r}, which is no unit here"
            raise MotionError(f"{text}; write {unit!r} there if it is that, or nothing")


def read_table(
    path: str | Path,
    wanted: Sequence[str],
    size_max_bytes: int = SIZE_MAX_BYTES,
    *,
    time: str | None = None,
) -> NumberTable:
    """Read columns of a table of text: UTF-8 or UTF-16, with a header.

    Columns are apart by commas, semicolons, tabs, bars or spaces. If not by commas, a number may
    have a decimal comma, as long as all of the file have.

    Args:
        wanted: Names of the columns to read; the others may hold anything.
        time: The one of them that may hold ISO 8601 stamps.

    Returns:
        The columns, in equal length, at least one row.

    Raises:
        MotionError: With the place, the value and what would have been right.
    """
    path = path if isinstance(path, Path) else Path(path)
    with _opened(path, size_max_bytes) as file:
        return _table(path, file, wanted, time)


def read_header(path: str | Path, size_max_bytes: int = SIZE_MAX_BYTES) -> Dialect:
    """How a table is written, with the names and units of its columns, without reading its rows.

    Raises:
        MotionError: As `read_table`.
    """
    path = path if isinstance(path, Path) else Path(path)
    with _opened(path, size_max_bytes) as file:
        return dialect_of(path, file, ())


@contextmanager
def _opened(path: Path, size_max_bytes: int) -> Iterator[IO[bytes]]:
    """A file, opened once; it is named in what goes wrong while it is read."""
    try:
        _check_file(path, size_max_bytes)
        with open_regular(path) as file:
            yield file
    except MotionError:
        raise
    except UnicodeDecodeError as error:
        name = error.encoding.upper().replace("UTF-8-SIG", "UTF-8")
        text = f"{path}: byte {error.object[error.start]:#04x} is not {name} ({error.reason})"
        raise MotionError(f"{text}: save the file as UTF-8 text") from error
    except OSError as error:
        raise MotionError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise MotionError(f"{path}: cannot be read: {error}") from error


def _table(path: Path, file: IO[bytes], wanted: Sequence[str], time: str | None) -> NumberTable:
    dialect = dialect_of(path, file, wanted)
    indices = [_index_of(path, dialect, name) for name in wanted]
    at = wanted.index(time) if time in wanted else None
    clock = TimeCells()
    values = _read_plain(path, file, dialect, indices, at, clock)
    if values is None:
        return _Exact(path, file, dialect, indices, time).table()
    values.setflags(write=False)
    lines = _frozen(np.arange(dialect.data_line, dialect.data_line + values.shape[1]))
    columns = dict(zip(wanted, values, strict=True))
    return _made(path, dialect, columns, lines, clock=clock.kind or "numbers")


def _made(path: Path, dialect: Dialect, columns: dict[str, Floats], lines: NDArray[np.int64],
          **more: str) -> NumberTable:  # fmt: skip
    units = {name: said for name in dialect.header if (said := unit_in_name(name))}
    units |= {name: said for name, said in zip(dialect.header, dialect.units, strict=False) if said}
    return NumberTable(path, columns, lines, dialect.header, units, **more)


def _read_plain(
    path: Path, file: IO[bytes], dialect: Dialect, indices: list[int], time: int | None,
    clock: TimeCells,
) -> Floats | None:  # fmt: skip
    """The values of a table without anything odd in it; None if the exact reader has to look."""
    if dialect.encoding != "utf-8-sig" or dialect.separator == " " or not indices:
        return None
    is_long = file.seek(0, SEEK_END) >= LONG_BYTES
    file.seek(0)
    for _ in range(dialect.data_line - 1):
        line = file.readline()
        if not line.endswith(b"\n") or line.count(b"\r") > line.endswith(b"\r\n"):
            return None
    sign = _quick_sign(file, dialect, indices)
    if sign is None:
        return None
    fields = len(dialect.header)
    if is_long:
        values = read_long(file, dialect.separator, fields, indices, VALUE_MAX, sign, clock, time)
    else:
        values = read_quickly(file, dialect.separator, fields, indices, VALUE_MAX, sign)
        if values is not None and time is not None and not abs(values[time, 0]) <= EXACT_MAX:
            return None
    if values is not None:
        _print_taken(path, dialect.text(sign, 0))
    return values


def _quick_sign(file: IO[bytes], dialect: Dialect, indices: list[int]) -> str | None:
    """The decimal sign of the first rows, empty if they have none; None if it is not certain."""
    if dialect.separator == "," and not dialect.decimal:
        return "."
    here = file.tell()
    sign = _sign(dialect)
    try:
        for line in file.read(_SAMPLE_BYTES).decode("ascii", "replace").splitlines()[:-1]:
            row = split(line, dialect.separator)
            for index in indices if len(row) == len(dialect.header) else ():
                sign.number(row[index], 0, "")
    except SignError:
        return None
    file.seek(here)
    return None if sign.ambiguity() else sign.sign


def _sign(dialect: Dialect) -> DecimalSign:
    return DecimalSign(dialect.separator, dialect.decimal, proved=bool(dialect.decimal))


@cache
def _print_taken(path: Path, text: str) -> None:
    """Report how a file was read, once, if it is no plain CSV."""
    if text:
        _LOG.warning("%s: read with %s", path, text)


def _check_file(path: Path, size_max_bytes: int) -> None:
    if not path.exists():
        raise MotionError(f"{path}: there is no such file")
    if path.is_dir():
        raise MotionError(f"{path}: is not a file")
    size = path.stat().st_size
    if size > size_max_bytes:
        text = f"{path}: {size / 1e6:.1f} MB are more than the {size_max_bytes / 1e6:.1f} MB"
        raise MotionError(f"{text} that are read: cut the recording, or leave columns out")


class _Exact:
    """Reads a table cell by cell, and says of the first one that is wrong where it stands."""

    def __init__(
        self, path: Path, file: IO[bytes], dialect: Dialect, indices: list[int], time: str | None
    ) -> None:
        self._path, self._file, self._dialect, self._indices = path, file, dialect, indices
        self._names = [dialect.header[index] for index in indices]
        self._time = indices[self._names.index(time)] if time in self._names else None
        self._clock, self._sign = TimeCells(), _sign(dialect)
        self._passed = 0

    def table(self) -> NumberTable:
        """All rows.

        Raises:
            MotionError: With the place, the value and what would have been right.
        """
        values = [array("d") for _ in self._indices]
        lines = array("q")
        for line, row in self._rows():
            for index, column in zip(self._indices, values, strict=True):
                column.append(self._value(row[index], line, index))
            lines.append(line)
        if not lines:
            raise MotionError(f"{self._path}: holds a header and no rows: nothing was recorded")
        if open_question := self._sign.ambiguity():
            line, column, _ = self._sign.first or (0, "", "")
            raise MotionError(f"{self._path}, line {line}, column {column!r}: {open_question}")
        _print_taken(self._path, self._dialect.text(self._sign.sign, self._passed))
        columns = {name: _frozen(column) for name, column in zip(self._names, values, strict=True)}
        clock = self._clock.kind or "numbers"
        return _made(self._path, self._dialect, columns, _frozen(lines), clock=clock)

    def _rows(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the rows with the lines that they end on, without comments."""
        header, blank_line = self._dialect.header, 0
        for line, row in self._cells():
            if not row:
                blank_line = blank_line or line
                continue
            if is_comment(row[0]) and not self._is_row(row, line):
                self._passed += 1
                continue
            if blank_line:
                raise MotionError(f"{self._path}, line {blank_line}: is empty, and rows follow")
            if len(row) == len(header) + 1 and not row[-1].strip():
                row.pop()  # some loggers end each line with a separator
            if len(row) != len(header):
                raise self._uneven(row, line)
            yield line, row

    def _cells(self) -> Iterator[tuple[int, list[str]]]:
        """Yield what stands on each line; what the csv module finds wrong becomes an error."""
        before = self._dialect.data_line - 1
        with text_of(self._file, self._dialect.encoding) as file:
            for _ in range(before):
                file.readline()
            if self._dialect.separator == " ":
                rows = (split(line, " ") for line in file)
                yield from enumerate(rows, start=before + 1)
                return
            reader = csv.reader(file, strict=True, delimiter=self._dialect.separator)
            while True:
                try:
                    row = next(reader, None)
                except csv.Error as error:
                    line = before + reader.line_num
                    text = f"{self._path}, line {line}: is not CSV: {error}"
                    raise MotionError(text) from error
                if row is None:
                    return
                yield before + reader.line_num, row

    def _is_row(self, row: list[str], line: int) -> bool:
        """Whether what begins like a comment is a row; an error if it may be either."""
        if len(row) != len(self._dialect.header) or 0 in self._indices:
            return False
        if any(number_in(row[index].replace(",", ".")) is None for index in self._indices):
            return False
        text = f"{self._path}, line {line}: begins with {row[0][:20]!r}: a comment, or a row"
        raise MotionError(f"{text}? take the line out, or the {' '.join(COMMENTS)} before it")

    def _uneven(self, row: list[str], line: int) -> MotionError:
        count = len(self._dialect.header)
        text = f"{self._path}, line {line}: has {len(row)} fields"
        if len(row) == 1:
            text += f", {row[0][:20]!r}"
        if len(row) == 2 * count and self._dialect.separator == ",":
            text = f"{text} (decimal commas? then columns must be apart by semicolons)"
        return MotionError(f"{text}: the header has {count}, and every row must have them")

    def _value(self, text: str, line: int, index: int) -> float:
        column = self._dialect.header[index]
        place = f"{self._path}, line {line}, column {column!r}"
        try:
            value = self._sign.number(text, line, column)
        except SignError as error:
            raise MotionError(f"{place}: {error}") from None
        if index == self._time:
            value = self._clock.time(text.replace(",", ".") if self._sign.sign == "," else text)
        if value is None:
            raise _no_number(text, place, "a time" if index == self._time else "")
        return value


def _frozen(values: array | NDArray) -> NDArray:
    result = np.array(values)
    result.setflags(write=False)
    return result


def _index_of(path: Path, dialect: Dialect, name: str) -> int:
    header = dialect.header
    count = header.count(name)
    if count == 1:
        return header.index(name)
    place = f"{path}, line {dialect.header_line}"
    if count > 1:
        text = f"{place}: {count} columns are called {name!r}"
        raise MotionError(f"{text}: a column to read must have a name of its own")
    there = ", ".join(repr(each) for each in header[:50])
    text = f"{place}: there is no column {name!r}; there are {there}"
    near = difflib.get_close_matches(name, header[:500], n=1)
    raise MotionError(f"{text}; the closest is {near[0]!r}" if near else text)


def _no_number(text: str, place: str, what: str) -> MotionError:
    shown = repr(text if len(text) <= 40 else text[:40] + "...")
    holds = f"holds {shown}" if text.strip() else "is empty"
    wanted = f"a decimal number within +-{VALUE_MAX:g} is needed, such as -0.012 or 1.5e-3"
    if what:
        wanted += ", or times of one kind, such as 2026-01-31T12:00:00.250Z, in all rows"
    if not text.strip():
        wanted += (
            "; a column that is recorded more seldom than the others goes, with its times, into a "
            "file of its own"
        )
    elif thousands_in(text):
        wanted += "; thousands are written without marks"
    return MotionError(f"{place}: {holds}: {wanted}")
