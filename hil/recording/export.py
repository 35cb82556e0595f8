"""A recording as CSV, for whoever has a spreadsheet and nothing else."""

import csv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.recording.dating import dates
from hil.recording.header import RecordingError, code_name
from hil.recording.reader import Recording


def export_csv(recording: Recording, path: Path) -> Path:
    """Write one row per cycle, and the events to a second file `<name>.events.csv` beside it.

    Every column says its unit; legs or joints are numbered 1 to 6; what is not there is an empty
    cell; numbers are written so that reading them gives the same bits. A run in real time has a
    last column with the date of each row (see `dating`).

    Args:
        path: the file for the cycles; an existing one is replaced.

    Returns:
        The path of the cycles' file.

    Raises:
        RecordingError: if the place cannot be written.
    """
    try:
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            when = dates(recording)
            dated = None if when is None else np.datetime_as_string(when)
            names = recording.signals.columns()
            writer.writerow(names if dated is None else [*names, "utc"])
            writer.writerows(_rows(recording, dated))
        with events_path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("t_s", "index", "kind", "level", "name", "message", "data_json"))
            writer.writerows(
                (repr(e.t_s), e.index, e.kind.value, e.level.name, e.name, e.message,
                 orjson.dumps(dict(e.data)).decode())
                for e in recording.events
            )  # fmt: skip
    except OSError as error:
        raise RecordingError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


def events_path(path: Path) -> Path:
    """Return where the events of the cycles' file `path` go."""
    return path.with_name(f"{path.stem}.events.csv")


def _rows(recording: Recording, dated: NDArray[np.str_] | None) -> Iterator[list[Any]]:
    columns: list[list[Any]] = []
    for signal in recording.signals.shown:
        values = recording.columns[signal.name].T  # (N,) or (6, N)
        if signal.codes:
            columns.append([code_name(signal.codes, code) for code in values.tolist()])
        elif signal.count == 1:
            columns.append(values.tolist())
        else:
            columns += values.tolist()
    if dated is not None:
        columns.append([f"{date}Z" for date in dated.tolist()])
    for cells in zip(*columns, strict=True):
        # csv writes a float as its repr; NaN is the one value that differs from itself.
        yield ["" if cell != cell else cell for cell in cells]
