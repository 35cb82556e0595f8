"""The times of a table that has no map: its column says by its name in which unit they are."""

from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import MotionError
from hil.config.tables import NumberTable, read_header, read_table
from hil.config.unit_names import unit_key

TIME_UNITS: Final = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9, "iso": 1.0}
"""Units in a second; `iso` are stamps of ISO 8601, which the reader makes seconds of."""
NAMES: Final = ("t_s", "t_ms", "t_us", "t_ns")
"""Names of the column; any of them may hold stamps of ISO 8601 instead."""


def read_timed(
    path: str | Path, names: Sequence[str], time: str = ""
) -> tuple[NumberTable, str, NDArray[np.float64]]:
    """Read columns of a table and their times.

    Stamps, and numbers that a float would round by more than a nanosecond, such as seconds since
    1970, are counted from the first row.

    Args:
        names: Columns to read beside the times.
        time: The column of the times; empty: the one of `NAMES` that is there.

    Returns:
        The table, the name of its column of times, and the times [s], shape (N,).

    Raises:
        MotionError: As `read_table`; also for two columns of times, and for a name that ends in
            another unit than the file says.
    """
    column = time or _found(path)
    table = read_table(path, [column, *names], time=column)
    if table.clock == "stamps":
        return table, column, table.columns[column]
    return table, column, table.columns[column] / TIME_UNITS[_unit(table, column)]


def _found(path: str | Path) -> str:
    header = read_header(path).header
    there = [name for name in NAMES if name in header]
    if len(there) > 1:
        text = f"{path}: has columns of times {' and '.join(map(repr, there))}"
        raise MotionError(f"{text}: one is needed; leave the others out, or rename them")
    return there[0] if there else NAMES[0]


def _unit(table: NumberTable, column: str) -> str:
    """Unit of times that are numbers: by the column's name, else by the row of units, else s."""
    ending = column.rpartition("_")[2]
    said = unit_key(table.units.get(column, ""))
    if ending in TIME_UNITS and ending != "iso":
        table.check_unit(column, ending)
        return ending
    if said == "iso" or (said is not None and said not in TIME_UNITS):
        text = f"{table.place(0, column)}: holds numbers, the file says {said!r}"
        raise MotionError(f"{text}: times are stamps, or numbers in s, ms, us or ns")
    return said or "s"
