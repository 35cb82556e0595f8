"""Columns of numbers from a table of text, with their lines in the file."""

from array import array
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hil.config.dialect import Dialect
from hil.config.errors import MotionError
from hil.config.unit_names import unit_in_name, unit_key

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class NumberTable:
    """Columns of numbers, with their lines."""

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
        """Return the place of a value: file, line and column."""
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


def table_of(path: Path, dialect: Dialect, columns: dict[str, Floats], lines: NDArray[np.int64],
          **more: str) -> NumberTable:  # fmt: skip
    """Return a table of columns as they were read; `more` are fields of it."""
    units = {name: said for name in dialect.header if (said := unit_in_name(name))}
    units |= {name: said for name, said in zip(dialect.header, dialect.units, strict=False) if said}
    return NumberTable(path, columns, lines, dialect.header, units, **more)


def frozen(values: array | NDArray) -> NDArray:
    """Return values as a read-only array."""
    result = np.array(values)
    result.setflags(write=False)
    return result
