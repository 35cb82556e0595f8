"""The exact reader of tables: cell by cell, with the place of the first one that is wrong."""

import csv
import logging
from array import array
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import IO, Final

from hil.config.cells import VALUE_MAX, DecimalSign, SignError, TimeCells, number_in, thousands_in
from hil.config.dialect import COMMENTS, Dialect, is_comment, split, text_of
from hil.config.errors import MotionError
from hil.config.number_table import NumberTable, frozen, table_of

_LOG: Final = logging.getLogger(__name__)


class ExactReader:
    """Reader of a table cell by cell, which names the place of the first one that is wrong."""

    def __init__(
        self, path: Path, file: IO[bytes], dialect: Dialect, indices: list[int], time: str | None
    ) -> None:
        self._path, self._file, self._dialect, self._indices = path, file, dialect, indices
        self._names = [dialect.header[index] for index in indices]
        self._time = indices[self._names.index(time)] if time in self._names else None
        self._clock, self._sign = TimeCells(), sign_of(dialect)
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
        print_taken(self._path, self._dialect.text(self._sign.sign, self._passed))
        columns = {name: frozen(column) for name, column in zip(self._names, values, strict=True)}
        clock = self._clock.kind or "numbers"
        return table_of(self._path, self._dialect, columns, frozen(lines), clock=clock)

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
        """Yield the cells of each line; what the csv module finds wrong becomes an error."""
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


def sign_of(dialect: Dialect) -> DecimalSign:
    """Return what follows the decimal sign of a file."""
    return DecimalSign(dialect.separator, dialect.decimal, proved=bool(dialect.decimal))


@cache
def print_taken(path: Path, text: str) -> None:
    """Report how a file was read, once, if it is no plain CSV."""
    if text:
        _LOG.warning("%s: read with %s", path, text)


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
