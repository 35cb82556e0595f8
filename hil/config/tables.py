"""Reading columns of numbers from a table that somebody else has written.

The reader believes nothing: whatever the file holds, it gives finite numbers in equal columns, or
an error that names the file, the line, the column, the value and what would have been right. How
the file is written is decided once for all of it (`hil.config.dialect`), and printed.
"""

import difflib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from os import SEEK_END
from pathlib import Path
from typing import IO, Final

import numpy as np

from hil.config.cells import EXACT_MAX, VALUE_MAX, SignError, TimeCells
from hil.config.dialect import Dialect, dialect_of, split
from hil.config.errors import MotionError
from hil.config.exact_table import ExactReader, print_taken, sign_of
from hil.config.files import open_regular
from hil.config.number_table import Floats, NumberTable, frozen, table_of
from hil.config.quick_table import LONG_BYTES, read_long, read_quickly

SIZE_MAX_BYTES = 200_000_000
"""A larger file is refused before it is read."""
_SAMPLE_BYTES: Final = 65_536
"""Rows that show which decimal sign a file has are looked for in so much of it."""


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
    """Read the dialect of a table, with names and units of its columns, but not its rows.

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
        return ExactReader(path, file, dialect, indices, time).table()
    values.setflags(write=False)
    lines = frozen(np.arange(dialect.data_line, dialect.data_line + values.shape[1]))
    columns = dict(zip(wanted, values, strict=True))
    return table_of(path, dialect, columns, lines, clock=clock.kind or "numbers")


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
        print_taken(path, dialect.text(sign, 0))
    return values


def _quick_sign(file: IO[bytes], dialect: Dialect, indices: list[int]) -> str | None:
    """The decimal sign of the first rows, empty if they have none; None if it is not certain."""
    if dialect.separator == "," and not dialect.decimal:
        return "."
    here = file.tell()
    sign = sign_of(dialect)
    try:
        for line in file.read(_SAMPLE_BYTES).decode("ascii", "replace").splitlines()[:-1]:
            row = split(line, dialect.separator)
            for index in indices if len(row) == len(dialect.header) else ():
                sign.number(row[index], 0, "")
    except SignError:
        return None
    file.seek(here)
    return None if sign.ambiguity() else sign.sign


def _check_file(path: Path, size_max_bytes: int) -> None:
    if not path.exists():
        raise MotionError(f"{path}: there is no such file")
    if path.is_dir():
        raise MotionError(f"{path}: is not a file")
    size = path.stat().st_size
    if size > size_max_bytes:
        text = f"{path}: {size / 1e6:.1f} MB are more than the {size_max_bytes / 1e6:.1f} MB"
        raise MotionError(f"{text} that are read: cut the recording, or leave columns out")


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
