"""Values of a recording: columns of a CSV file, or joints of a recording of this program.

Between two rows values are interpolated linearly. Rows further apart than the age at which values
are too old are a gap: in it there are no values.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from hil.config.errors import MotionError, RefusedError
from hil.config.times import read_timed
from hil.recording.header import RecordingError
from hil.recording.reader import Recording
from hil.recording.row_arrays import gathered, let_go
from hil.stations.world.sources.source import SourceNews

Array = NDArray[np.float64]

SIGNALS: Final = ("position_rad", "position_m", "position_joints")
"""Signals of a recording with the positions of its joints."""
_FAR: Final = 1 << 14
"""Rows after which the memory of a long recording is released."""


class RecordedStream:
    """Values over time, from the first row to the last.

    Args:
        times_s: rising from 0, shape (rows,).
        rows: values, shape (rows, values).
        stale_s: longest time between two rows that is bridged.
    """

    def __init__(self, times_s: Array, rows: Array, stale_s: float) -> None:
        self._times_s, self._rows, self._stale_s = times_s, rows, stale_s
        self.duration_s: float = float(times_s[-1])
        """Duration [s]."""
        self._looked_at = 0

    def values(self, t_s: float) -> Array | None:
        """Values at a time [s], in the units of their columns, shape (values,); None in a hole."""
        times_s, rows = self._times_s, self._rows
        after = bisect_right(times_s, t_s)
        if abs(after - self._looked_at) > _FAR:
            self._looked_at = after
            let_go(times_s)
            let_go(rows)
        if after == 0 or after == len(times_s):
            return rows[min(after, len(rows) - 1)]
        begin_s, end_s = float(times_s[after - 1]), float(times_s[after])
        if end_s - begin_s > self._stale_s:
            return rows[after - 1] if t_s - begin_s <= self._stale_s else None
        part = (t_s - begin_s) / (end_s - begin_s)
        return (1.0 - part) * rows[after - 1] + part * rows[after]

    def news(self) -> Sequence[SourceNews]:
        """Reports, of which there are none."""
        return ()

    def close(self) -> None:
        """Do nothing: no resource is held."""


def read_recorded(path: Path, names: Sequence[str], stale_s: float) -> RecordedStream:
    """Read the values of these names.

    Raises:
        RefusedError: with file, line, column and value: what cannot be read, times that do not
            rise, names that are not there.
    """
    recorded = path.is_dir() or path.suffix == ".mcap"
    times_s, rows = _recording(path, names) if recorded else _csv(path, names)
    if len(times_s) < 2:
        raise RefusedError(f"{path}: {len(times_s)} rows; at least two are needed")
    return RecordedStream(times_s, rows, stale_s)


def _csv(path: Path, names: Sequence[str]) -> tuple[Array, Array]:
    try:
        table, time, times_s = read_timed(path, names)
    except MotionError as error:
        raise RefusedError(f"motion.file: {error}") from None
    for row in np.flatnonzero(~(np.diff(times_s) > 0.0))[:1]:
        step_s = times_s[row + 1] - times_s[row]
        raise RefusedError(
            f"motion.file: {table.place(int(row) + 1, time)}: {step_s:.6g} s after the row before; "
            "times must rise"
        )
    return times_s - times_s[0], np.stack([table.columns[name] for name in names], axis=1)


def _recording(path: Path, names: Sequence[str]) -> tuple[Array, Array]:
    try:
        recording = Recording.open(path)
    except RecordingError as error:
        raise RefusedError(f"motion.file: {error}") from None
    found: dict[str, tuple[str, int]] = {}
    for signal in recording.signals.fields:
        if signal.name in SIGNALS:
            parts = signal.parts or tuple(names[:1])  # of one joint, which has no name there
            found |= {
                part.removesuffix("_rad").removesuffix("_m"): (signal.name, place)
                for place, part in enumerate(parts)
            }
    if missing := [name for name in names if name not in found]:
        there = ", ".join(found) or "none: it is no recording of station world"
        raise RefusedError(f"motion.file: {path}: no value {missing[0]!r}; there are {there}")
    try:
        table = gathered(_rows(recording, [found[name] for name in names]), recording.path.parent)
    except (RecordingError, OSError) as error:
        raise RefusedError(f"motion.file: {path}: {error}") from None
    return table[:, 0], table[:, 1:]


def _rows(recording: Recording, columns: Sequence[tuple[str, int]]) -> Iterator[Array]:
    """Time since the first row and values of the rows in which all are there, in pieces.

    Args:
        columns: signal of each value, and its place in that.
    """
    begin_s: float | None = None
    for piece in recording.pieces():
        rows = piece.rows
        values = [rows.column(name).reshape(rows.cycles, -1)[:, at] for name, at in columns]
        table = np.column_stack((rows.t_s, *values)).astype(np.float64)
        table = table[np.isfinite(table[:, 1:]).all(axis=1)]
        if len(table):
            begin_s = float(table[0, 0]) if begin_s is None else begin_s
            table[:, 0] -= begin_s
        yield table
