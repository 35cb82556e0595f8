"""Reading columns of numbers from a CSV file that somebody else has written.

The reader believes nothing: whatever the file holds, it gives finite numbers in equal columns, or
an error that names the file, the line, the column, the value and what would have been right.
"""

import csv
import difflib
import re
from array import array
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from io import TextIOWrapper
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import MotionError
from hil.config.files import open_regular
from hil.config.quick_table import read_quickly

Floats = NDArray[np.float64]

SIZE_MAX_BYTES = 200_000_000
"""A larger file is refused before it is read."""

_HEADER_MAX = 1_000_000
VALUE_MAX = 1e15
"""Larger numbers are not measurements, and would overflow on the way."""

# Stricter than float(), which also reads "1_0", "nan", "infinity" and digits of other scripts.
_NUMBER = re.compile(
    r"\s*+[+-]?(?:[0-9]++(?:\.[0-9]*+)?|\.[0-9]++)(?:[eE][+-]?[0-9]++)?\s*+", re.ASCII
)
"""What is taken is not given back, so that a long cell takes no long time."""


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

    def place(self, row: int, column: str) -> str:
        """Return where a value stood: file, line and column."""
        return f"{self.path}, line {self.lines[row]}, column {column!r}"


def read_table(
    path: str | Path, wanted: Sequence[str], size_max_bytes: int = SIZE_MAX_BYTES
) -> NumberTable:
    """Read columns of a CSV file: UTF-8, commas or semicolons, one header line.

    With semicolons, a number may have a decimal point or a decimal comma.

    Args:
        wanted: Names of the columns to read; the others may hold anything.

    Returns:
        The columns, in equal length, at least one row.

    Raises:
        MotionError: With the place, the value and what would have been right.
    """
    path = path if isinstance(path, Path) else Path(path)
    try:
        _check_file(path, size_max_bytes)
        with open_regular(path) as opened:
            table = _read_plain(path, opened, wanted)
            if table is not None:
                return table
            opened.seek(0)
            file = TextIOWrapper(opened, "utf-8-sig", newline="")
            delimiter = delimiter_of(file.readline(_HEADER_MAX))
            file.seek(0)
            reader = csv.reader(file, strict=True, delimiter=delimiter)
            return _read(path, reader, wanted, decimal_comma=delimiter == ";")
    except MotionError:
        raise
    except UnicodeDecodeError as error:
        text = f"{path}: byte {error.object[error.start]:#04x} is not UTF-8 ({error.reason})"
        raise MotionError(f"{text}: save the file as UTF-8 text") from error
    except OSError as error:
        raise MotionError(f"{path}: cannot be read: {error.strerror or error}") from error
    except ValueError as error:
        raise MotionError(f"{path}: cannot be read: {error}") from error


def _read_plain(path: Path, file: IO[bytes], wanted: Sequence[str]) -> NumberTable | None:
    """A table without anything odd in it; None if the exact reader has to look."""
    line = file.readline(_HEADER_MAX)
    if not line.endswith(b"\n") or b'"' in line or line.count(b"\r") > line.endswith(b"\r\n"):
        return None
    text = line.decode("utf-8-sig")
    header = header_of(text)
    if any(header.count(name) != 1 for name in wanted):
        return None
    indices = [header.index(name) for name in wanted]
    values = read_quickly(file, delimiter_of(text), len(header), indices, VALUE_MAX)
    if values is None:
        return None
    values.setflags(write=False)
    lines = np.arange(2, 2 + values.shape[1])
    lines.setflags(write=False)
    return NumberTable(path, dict(zip(wanted, values, strict=True)), lines, tuple(header))


def header_of(line: str) -> list[str]:
    """Names of the columns that the first line of a file gives."""
    return [name.strip() for name in line.split(delimiter_of(line))]


def delimiter_of(line: str) -> str:
    """What stands between the columns of a file, by its first line: comma or semicolon."""
    return ";" if ";" in line and "," not in line else ","


def _check_file(path: Path, size_max_bytes: int) -> None:
    if not path.exists():
        raise MotionError(f"{path}: there is no such file")
    if path.is_dir():
        raise MotionError(f"{path}: is not a file")
    size = path.stat().st_size
    if size > size_max_bytes:
        text = f"{path}: {size / 1e6:.1f} MB are more than the {size_max_bytes / 1e6:.1f} MB"
        raise MotionError(f"{text} that are read: cut the recording, or leave columns out")


def _rows(path: Path, reader: Iterator[list[str]]) -> Iterator[list[str]]:
    """Yield the rows; what the csv module finds wrong becomes an error with its line."""
    while True:
        try:
            row = next(reader, None)
        except csv.Error as error:
            line = getattr(reader, "line_num", 0)
            raise MotionError(f"{path}, line {line}: is not CSV: {error}") from error
        if row is None:
            return
        yield row


def _read(
    path: Path, reader: Iterator[list[str]], wanted: Sequence[str], *, decimal_comma: bool
) -> NumberTable:
    rows = _rows(path, reader)
    header = [name.strip() for name in next(rows, [])]
    if not header:
        raise MotionError(f"{path}, line 1: is empty: a header with the column names is needed")
    indices = [_index_of(path, header, name) for name in wanted]
    values = [array("d") for _ in wanted]
    lines = array("q")
    blank_line = 0
    for row in rows:
        line: int = reader.line_num  # type: ignore[attr-defined]
        if not row:
            blank_line = blank_line or line
            continue
        if blank_line:
            raise MotionError(f"{path}, line {blank_line}: is empty, and rows follow")
        if len(row) != len(header):
            text = f"{path}, line {line}: has {len(row)} fields"
            if len(row) == 2 * len(header) and not decimal_comma:
                text = f"{text} (decimal commas? then columns must be apart by semicolons)"
            raise MotionError(f"{text}: the header has {len(header)}, and every row must have them")
        for index, column in zip(indices, values, strict=True):
            cell = row[index]
            value = number_in(cell.replace(",", ".") if decimal_comma else cell)
            if value is None:
                raise _no_number(cell, path, line, header[index])
            column.append(value)
        lines.append(line)
    if not lines:
        raise MotionError(f"{path}: holds a header and no rows: nothing was recorded")
    columns = {name: _frozen(column) for name, column in zip(wanted, values, strict=True)}
    return NumberTable(path, columns, _frozen(lines), tuple(header))


def _frozen(values: array) -> NDArray:
    result = np.array(values)
    result.setflags(write=False)
    return result


def _index_of(path: Path, header: list[str], name: str) -> int:
    count = header.count(name)
    if count == 1:
        return header.index(name)
    if count > 1:
        text = f"{path}, line 1: {count} columns are called {name!r}"
        raise MotionError(f"{text}: a column to read must have a name of its own")
    there = ", ".join(repr(each) for each in header[:50])
    text = f"{path}, line 1: there is no column {name!r}; there are {there}"
    near = difflib.get_close_matches(name, header[:500], n=1)
    raise MotionError(f"{text}; the closest is {near[0]!r}" if near else text)


def number_in(text: str) -> float | None:
    """The number that a text is, in plain decimal ASCII and within `VALUE_MAX`; None if none."""
    if _NUMBER.fullmatch(text):
        value = float(text)
        if abs(value) <= VALUE_MAX:
            return value
    return None


def _no_number(text: str, path: Path, line: int, column: str) -> MotionError:
    shown = repr(text if len(text) <= 40 else text[:40] + "...")
    what = f"holds {shown}" if text.strip() else "is empty"
    wanted = f"a decimal number within +-{VALUE_MAX:g} is needed, such as -0.012 or 1.5e-3"
    return MotionError(f"{path}, line {line}, column {column!r}: {what}: {wanted}")
