"""A recording as CSV, for those with a spreadsheet and nothing else, and the dates of its rows."""

import csv
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

import numpy as np
import orjson
from numpy.typing import NDArray

from hil.config.files import replacing_text
from hil.recording.events import CLOCK_NAME, EventRecord
from hil.recording.header import RecordingError, code_name
from hil.recording.reader import Recording

ROWS: Final = 1024
"""Number of rows whose cells are made at once."""


def export_csv(recording: Recording, path: Path) -> Path:
    """Write one row per cycle, and the events to a second file `<name>.events.csv` beside it.

    Every column says its unit; legs or joints are numbered 1 to 6; what is not there is an empty
    cell; numbers are written so that reading them gives the same bits. A run in real time has a
    last column with the date of each row (see `dates`). Existing files are replaced.

    Raises:
        RecordingError: if the place cannot be written.
    """
    try:
        with replacing_text(path) as file:
            writer = csv.writer(file)
            names = recording.signals.columns()
            writer.writerow([*names, "utc"] if recording.cycles and _clock(recording) else names)
            for rows, when in _pieces(recording):
                writer.writerows(_cells(rows, when))
        with replacing_text(events_path(path)) as file:
            writer = csv.writer(file)
            writer.writerow(("t_s", "index", "kind", "level", "name", "message", "data_json"))
            writer.writerows(
                (repr(e.t_s), e.index, e.kind.value, e.level.name, _cell(e.name),
                 _cell(e.message), orjson.dumps(dict(e.data)).decode())
                for e in recording.events
            )  # fmt: skip
    except OSError as error:
        raise RecordingError(f"{path}: cannot be written: {error.strerror or error}") from error
    return path


def events_path(path: Path) -> Path:
    """Return where the events of the cycles' file `path` go."""
    return path.with_name(f"{path.stem}.events.csv")


def _cell(text: str) -> str:
    """A text that no spreadsheet takes for a formula."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _pieces(
    recording: Recording,
) -> Iterator[tuple[Recording, NDArray[np.datetime64] | None]]:
    """Rows, few at a time, and their dates; cells take much more memory than numbers."""
    clock, beyond_s = _clock(recording), 0.0
    for piece in recording.pieces(before=1):
        when = None
        if clock is not None:
            when, beyond_s = _dates(piece.rows, clock, beyond_s)
        for first in range(piece.before, piece.rows.cycles, ROWS):
            part = piece.rows.part(first, first + ROWS)
            yield part, None if when is None else when[first : first + ROWS]


def _cells(recording: Recording, when: NDArray[np.datetime64] | None) -> Iterator[list[Any]]:
    columns: list[list[Any]] = []
    for signal in recording.signals.shown:
        values = recording.columns[signal.name].T  # (N,) or (6, N)
        if signal.codes:
            columns.append([_cell(code_name(signal.codes, code)) for code in values.tolist()])
        elif signal.count == 1:
            columns.append(values.tolist())
        else:
            columns += values.tolist()
    if when is not None:
        columns.append([f"{date}Z" for date in np.datetime_as_string(when).tolist()])
    for cells in zip(*columns, strict=True):
        # csv writes a float as its repr; NaN is the one value that differs from itself.
        yield ["" if cell != cell else cell for cell in cells]


def dates(recording: Recording) -> NDArray[np.datetime64] | None:
    """Date and time (UTC) of each row, to about one cycle, (N,); None for a dry run.

    It is the date of the first cycle and what has passed since by the monotonic clock: a calendar
    that is set during the run changes nothing. A recording of which the time of each cycle is not
    told (an arm's) is dated by its motion time and lateness.
    """
    if not recording.cycles or _clock(recording) is None:
        return None
    return np.concatenate([when for _, when in _pieces(recording) if when is not None])


def _clock(recording: Recording) -> EventRecord | None:
    """The event with the date of a moment; None if there is none, or rows cannot be dated by it.

    The time of a simulated world is not that of the clock: it may have been held up, or run slower.
    """
    if not {"dt_s", "late_s"} & set(recording.columns):
        return None
    for event in recording.events:
        if event.name == CLOCK_NAME:
            with suppress(ValueError):  # a recording may have been made by anybody
                _utc(event)
                return event
    return None


def _utc(clock: EventRecord) -> np.datetime64:
    return np.datetime64(str(clock.data.get("utc")).removesuffix("Z"), "us")


def _dates(
    rows: Recording, clock: EventRecord, beyond_s: float
) -> tuple[NDArray[np.datetime64], float]:
    """Dates of some rows, and what their cycles took beyond their periods so far [s].

    Args:
        beyond_s: up to the first of them.
    """
    t_s = rows.t_s
    elapsed_s = t_s - clock.t_s
    if "dt_s" in rows.columns:
        # Motion time counts cycles; what a cycle took beyond its period is added.
        follows = np.diff(rows.column("index")) == 1
        taken_s = np.where(follows, rows.column("dt_s")[1:] - np.diff(t_s), 0.0)
        sums_s = np.cumsum(np.concatenate(([beyond_s], np.nan_to_num(taken_s))))
        elapsed_s, beyond_s = elapsed_s + sums_s, float(sums_s[-1])
    else:
        elapsed_s = elapsed_s + np.nan_to_num(rows.column("late_s"))
    since = np.round(np.nan_to_num(elapsed_s) * 1e6).astype("timedelta64[us]")
    return _utc(clock) + since, beyond_s
