"""Records of ground acceleration as the PEER ground motion database gives them: AT2 files.

Four lines of head, the last with the number of points and the time step, then accelerations in g
along the lines, five to a line (PEER NGA-West2 database, "PEER format").
"""

import re
from pathlib import Path

import numpy as np

from hil.config.errors import MotionError
from hil.config.files import read_regular
from hil.config.tables import SIZE_MAX_BYTES, VALUE_MAX, NumberTable, number_in, read_table
from hil.stations.platform.motion.columns import SECONDS
from hil.stations.platform.motion.source import Floats

SUFFIX = ".at2"
HEADER = (SECONDS.column, "acc_g")
"""Columns that an AT2 file has for the rest of the bench."""
HEAD_LINES = 4

_IN_G = re.compile(r"UNITS\s+OF\s+G\b")
_NUMBER = r"((?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)"
_NAMED = re.compile(rf"NPTS\s*=\s*([0-9]+)\s*,\s*DT\s*=\s*{_NUMBER}", re.ASCII | re.IGNORECASE)
_BEFORE = re.compile(rf"\s*([0-9]+)\s+{_NUMBER}\s+NPTS\s*,\s*DT", re.ASCII | re.IGNORECASE)


def is_at2(path: str | Path) -> bool:
    """Whether a file is one of PEER's, by its name."""
    return Path(path).suffix.lower() == SUFFIX


def read_recording(path: str | Path, wanted: list[str]) -> NumberTable:
    """Read columns of a CSV file, or those of an AT2 file, which are `HEADER`.

    Raises:
        MotionError: With the place, the value and what would have been right.
    """
    if not is_at2(path):
        return read_table(path, wanted)
    for name in wanted:
        if name not in HEADER:
            text = f"{path}: there is no column {name!r}: an AT2 file has {', '.join(HEADER)}"
            raise MotionError(f"{text}; map it with --map x={HEADER[1]}")
    return read_at2(Path(path))


def read_at2(path: Path) -> NumberTable:
    """Read an AT2 file.

    Raises:
        MotionError: With the line, what it holds and what would have been right.
    """
    try:
        lines = read_regular(path, SIZE_MAX_BYTES).decode("utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise MotionError(f"{path}: is not text: {error.reason}") from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MotionError(f"{path}: cannot be read: {reason}") from error
    points, step_s = _head(path, lines)
    values, places = _values(path, lines)
    if len(values) != points:
        text = f"{path}: holds {len(values)} values, NPTS says {points}"
        raise MotionError(f"{text}: the file is cut off, or not one of PEER's")
    t_s: Floats = np.asarray(np.arange(points) * step_s, dtype=np.float64)
    columns = {HEADER[0]: t_s, HEADER[1]: values}
    for array in (*columns.values(), places):
        array.setflags(write=False)
    return NumberTable(path, columns, places, HEADER)


def _head(path: Path, lines: list[str]) -> tuple[int, float]:
    """Number of points and time step [s]."""
    head = lines[:HEAD_LINES]
    if len(head) < HEAD_LINES:
        text = f"{path}: has {len(head)} lines"
        raise MotionError(f"{text}: an AT2 file has {HEAD_LINES} lines of head, then numbers")
    kind = head[2].upper()
    if "ACCELERATION" not in kind or not _IN_G.search(kind):
        text = f"{path}, line 3: says {head[2].strip()[:60]!r}"
        raise MotionError(f"{text}: 'ACCELERATION TIME SERIES IN UNITS OF G' is needed")
    found = _NAMED.search(head[3]) or _BEFORE.match(head[3])
    if found is None or not 0.0 < float(found[2]) <= VALUE_MAX or len(found[1]) > 9:
        text = f"{path}, line 4: says {head[3].strip()[:60]!r}"
        raise MotionError(f"{text}: such as 'NPTS= 4000, DT= .0050 SEC' is needed")
    return int(found[1]), float(found[2])


def _values(path: Path, lines: list[str]) -> tuple[Floats, np.ndarray]:
    """All numbers after the head, and the line of each."""
    values: list[float] = []
    places: list[int] = []
    for line, text in enumerate(lines[HEAD_LINES:], start=HEAD_LINES + 1):
        for word in text.split():
            value = number_in(word)
            if value is None:
                text = f"{path}, line {line}: holds {word[:40]!r}"
                raise MotionError(f"{text}: an acceleration in g is needed, such as -.1234567E-03")
            values.append(value)
            places.append(line)
    return np.array(values), np.array(places, dtype=np.int64)
