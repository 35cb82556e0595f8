"""Numbers that a file brings: read when a diagram is loaded, and kept with what is recorded."""

from __future__ import annotations

from typing import Final

from hil.config.errors import ConfigError, MotionError
from hil.config.times import read_timed
from hil.diagram.kind import BlockKind, Example, ParameterKind, Parameters, PortKind, Ports
from hil.diagram.model import Diagram, DrawnBlock
from hil.diagram.parameters import NUMBERS_MOST
from hil.diagram.registry import FILE

PATH_MOST: Final = 1000


def _drawn(p: Parameters) -> Diagram:
    blocks = {"values": DrawnBlock("TimeTable", table_of(p)), "y": DrawnBlock("Out")}
    return Diagram(blocks, {"y.u": "values.y"})


def table_of(p: Parameters) -> Parameters:
    """Parameters of the `TimeTable` that a block reads.

    Args:
        p: ``file`` as it was judged (`JudgedPath`): a link that has come since is not followed.

    Raises:
        ConfigError: With file, line, column and value of what is wrong.
    """
    try:
        table, _, times = read_timed(p["file"], [p["column"]], p["time"])
    except MotionError as error:
        raise ConfigError(str(p["file"]), [str(error)]) from None
    values = table.columns[p["column"]]
    if len(times) > NUMBERS_MOST:
        told = f"{len(times)} rows; at most {NUMBERS_MOST}: leave some out"
        raise ConfigError(str(p["file"]), [told])
    return {"times_s": tuple(times.tolist()), "values": tuple(values.tolist()), "unit": p["unit"]}


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
