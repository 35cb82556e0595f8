"""Columns of numbers from a table of text, with where they stood."""

from array import array
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hil.config.dialect import Dialect
from hil.config.errors import MotionError
from hil.config.unit_names import unit_key

Floats = NDArray[np.float64]


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
    """Units of columns, where the file has a row of them."""
    clock: str = "numbers"
    """What its times are: "numbers"; counted from the first row, "long numbers" or, in seconds,
    "stamps"."""

    def place(self, row: int, column: str) -> str:
        """Return where a value stood: file, line and column."""
        return f"{self.path}, line {self.lines[row]}, column {column!r}"

    def check_unit(self, column: str, unit: str) -> None:
        """Refuse a unit that is not the one of the file's own row of units.

        Raises:
            MotionError: With both.
        """
        said = self.units.get(column, "")
        if (known := unit_key(said)) is not None and known != (unit_key(unit) or unit):
            text = f"{self.path}, column {column!r}: the file's row of units says {said!r}"
            raise MotionError(f"{text}, the map says {unit!r}: give the map {known!r}")


def table_of(path: Path, dialect: Dialect, columns: dict[str, Floats], lines: NDArray[np.int64],
          **more: str) -> NumberTable:  # fmt: skip
    """Return a table of columns as they were read; `more` are fields of it."""
    units = dict(zip(dialect.header, dialect.units, strict=False))
    return NumberTable(path, columns, lines, dialect.header, units, **more)


def frozen(values: array | NDArray) -> NDArray:
    """Return values as a read-only array."""
    result = np.array(values)
    result.setflags(write=False)
    return result
