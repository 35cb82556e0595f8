"""Numbers of a file: read when a diagram is loaded, and kept with the recording."""

from __future__ import annotations

from typing import Final

from hil.config.errors import ConfigError, MotionError
from hil.config.tables import NumberTable
from hil.config.times import read_timed
from hil.config.unit_names import unit_key
from hil.diagram.file.model import FILE, Diagram, DrawnBlock
from hil.diagram.file.units import UnitError, unit
from hil.diagram.library.kind import (
    NUMBERS_MOST,
    BlockKind,
    Example,
    ParameterKind,
    Parameters,
    PortKind,
    Ports,
)

PATH_MOST: Final = 1000


def _drawn(p: Parameters) -> Diagram:
    blocks = {"values": DrawnBlock("TimeTable", table_of(p)), "y": DrawnBlock("Out")}
    return Diagram(blocks, {"y.u": "values.y"})


def table_of(p: Parameters) -> Parameters:
    """Return the parameters of the `TimeTable` that a block reads.

    Args:
        p: ``file`` as it was judged (`JudgedPath`): a link that has come since is not followed.

    Raises:
        ConfigError: With file, line, column and value of what is wrong.
    """
    try:
        table, _, times = read_timed(p["file"], [p["column"]], p["time"])
    except MotionError as error:
        raise ConfigError(str(p["file"]), [str(error)]) from None
    _check_unit(table, p["column"], p["unit"])
    values = table.columns[p["column"]]
    if len(times) > NUMBERS_MOST:
        problem = f"{len(times)} rows; at most {NUMBERS_MOST}: leave some out"
        raise ConfigError(str(p["file"]), [problem])
    return {"times_s": tuple(times.tolist()), "values": tuple(values.tolist()), "unit": p["unit"]}


def _check_unit(table: NumberTable, column: str, given: str) -> None:
    """Refuse a unit other than the file's, if diagrams know that one.

    Raises:
        ConfigError: With both.
    """
    said = table.units.get(column, "").strip("[]()<> ")
    key = unit_key(said)
    text = said if key is None else _OF_KEYS.get(key, key)
    try:
        same = unit(text) == unit(given)
    except UnitError:
        same = key is None or given in ("1", said)  # one that only a Gain can turn
    if said and not same:
        problem = (
            f"{table.path}, column {column!r}: the file says {said!r}, the block unit = {given!r}"
        )
        raise ConfigError(
            str(table.path), [f"{problem}: give the block that one, or correct the file"]
        )


_OF_KEYS: Final = {
    "m_s2": "m/s^2", "gal": "cm/s^2", "rad_s": "rad/s", "deg_s": "deg/s", "m_s": "m/s",
    "cm_s": "cm/s", "km_h": "km/h", "ft_s2": "ft/s^2", "ft_s": "ft/s", "g": "standard gravity",
}  # fmt: skip
"""Units of recordings as diagrams write them; what they do not have is no unit of theirs."""


KINDS: Final = (
    BlockKind(
        name=FILE, group="sources", about="A column of a CSV file over time, linear between its "
        "rows, ends held. It is read when the diagram is loaded.",
        equation="y = values at t, linear between times",
        ports=lambda p: Ports((), (PortKind("y", p["unit"], ()),)), drawn=_drawn,
        parameters=(
            ParameterKind("file", "file", high=PATH_MOST,
                          about="beside the diagram, or one of configs/motions"),
            ParameterKind("column", "text", about="name of the column"),
            ParameterKind("time", "text", "t_s", about="column of times: seconds, or as its "
                          "name ends (_ms, _us, _ns), or stamps of ISO 8601"),
            ParameterKind("unit", "unit", "1"),
        ),
        example=Example({"file": "test_drive.csv", "column": "f_x_m_s2", "unit": "m/s^2"}),
    ),
)  # fmt: skip
