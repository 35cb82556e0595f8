"""Rows of a recorded motion: of one file, or of the files of its components together."""

import logging
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import numpy as np

from hil.config.errors import MotionError
from hil.config.tables import NumberTable
from hil.stations.platform.motion.acceleration import refuse_specific_force
from hil.stations.platform.motion.columns import ColumnMap, TimeMap
from hil.stations.platform.motion.formats import read_recording
from hil.stations.platform.motion.resample import deviations, times
from hil.stations.platform.motion.seismic import check_quantity
from hil.stations.platform.motion.source import Floats

APART_S: Final = 1e-6
"""Most by which the stamps of one row may differ between two files [s]."""
_LOG: Final = logging.getLogger(__name__)


def read_rows(
    path: str | Path, maps: Sequence[ColumnMap], time: TimeMap, gap_max_s: float
) -> tuple[NumberTable, Floats, Floats]:
    """Read the mapped columns of a recording, and of other files that its columns name.

    Files of one recording begin together and have the same time step; the shortest ends them all.

    Args:
        gap_max_s: Longest time between two rows that is bridged [s].

    Returns:
        The first file's table, the time of each row since the first [s], shape (N,), and the
        deviations from neutral [m, rad], or their derivatives, shape (N, 6).

    Raises:
        MotionError: With the place, the value and what would have been right.
    """
    files = dict.fromkeys(each.file or Path(path) for each in maps)
    parts = [
        _rows(file, [one for one in maps if (one.file or Path(path)) == file], time, gap_max_s)
        for file in files
    ]
    table, t_s, recorded = parts[0]
    for other, other_s, more in parts[1:]:
        count = min(len(t_s), len(other_s))
        apart = np.flatnonzero(np.abs(t_s[:count] - other_s[:count]) > APART_S)
        if len(apart):
            row = int(apart[0])
            text = f"{other.path}: row {row + 1} is at {other_s[row]:g} s, that of {table.path}"
            raise MotionError(
                f"{text} at {t_s[row]:g} s: files that are played together have one time step"
            )
        t_s, recorded = t_s[:count], recorded[:count] + more[:count]
    lengths = [len(each[1]) for each in parts]
    if min(lengths) < max(lengths):
        shortest = parts[lengths.index(min(lengths))][0]
        text = "%s: has %d rows, another file %d: all end with it, after %g s"
        _LOG.warning(text, shortest.path, min(lengths), max(lengths), t_s[-1])
    return table, t_s, recorded


def _rows(
    path: Path, maps: Sequence[ColumnMap], time: TimeMap, gap_max_s: float
) -> tuple[NumberTable, Floats, Floats]:
    table = read_recording(path, [time.column, *(each.column for each in maps)])
    check_quantity(path, maps)
    refuse_specific_force(table, maps)
    return table, times(table, time, gap_max_s), deviations(table, maps)
