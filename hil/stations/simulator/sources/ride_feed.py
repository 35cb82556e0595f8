"""A recorded ride that an emulated simulator sends, from its table."""

from __future__ import annotations

from pathlib import Path

from hil.config.errors import MotionError
from hil.config.tables import read_header, read_table
from sim.hosts.motion_table import Sampled, columns_in, recorded


def ride_feed(path: Path) -> Sampled:
    """A recorded ride of a file, as ``hil host record`` writes it; other columns are left alone.

    Raises:
        MotionError: with the file, the line and what would be right.
    """
    try:
        wanted = columns_in(read_header(path).header)
        table = read_table(path, wanted, time="t_s")
        return recorded({name: values.tolist() for name, values in table.columns.items()})
    except MotionError:
        raise
    except ValueError as error:
        raise MotionError(f"{path}: {error}") from None
