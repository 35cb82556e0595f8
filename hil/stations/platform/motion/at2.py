"""Records of strong motion in the PEER database's formats: AT2, VT2 and DT2 files.

Some lines of head, the last with the number of points and the time step, one of them with what is
recorded and its unit; then the numbers along the lines, in Fortran's fields, which may stand
without space between them (PEER NGA-West2 database, "PEER format"; older ones have longer heads).
"""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np

from hil.config.cells import number_in
from hil.config.errors import MotionError
from hil.config.files import read_regular
from hil.config.tables import SIZE_MAX_BYTES, NumberTable
from hil.stations.platform.motion.columns import GRAVITY_M_S2, SECONDS
from hil.stations.platform.motion.source import Floats

HEAD_MOST: Final = 60
"""Most lines of a head."""
_STEP_MAX_S: Final = 10.0
_WORD_MOST: Final = 2000
"""Most characters of numbers without space between them; longer ones take long to search."""
VERTICAL: Final = ("UP", "UD", "V", "VER", "VERT", "VERTICAL", "Z")
DOWNWARD: Final = ("DN", "DWN", "DOWN")
"""Directions of a component, as the second line of a head ends."""


@dataclass(frozen=True, slots=True)
class Kind:
    """Quantity that files of one ending record."""

    word: str
    """Word for the quantity in the file's head."""
    column: str
    """Name of its column for the rest of the bench; it ends in the unit."""
    unit: str
    """Unit of the column, as maps write it."""
    units: dict[str, float]
    """Units in a head, in that of the column."""


def _spelled(length: str, squared: bool) -> tuple[str, ...]:
    """Spellings of a length per second, or per second squared, in heads."""
    if not squared:
        return (f"{length}/S", f"{length}/SEC")
    ends = ("/S/S", "/S2", "/S^2", "/S**2", "/SEC/SEC", "/SEC2", "/SEC^2", "/SEC**2")
    return tuple(length + end for end in ends)


_GAL: Final = 0.01 / GRAVITY_M_S2
KINDS: Final = {
    ".at2": Kind("ACCELERATION", "acc_g", "g", {"G": 1.0, "G'S": 1.0, "GAL": _GAL}
        | dict.fromkeys(_spelled("CM", squared=True), _GAL)
        | dict.fromkeys(_spelled("M", squared=True), 100.0 * _GAL)),
    ".vt2": Kind("VELOCITY", "vel_cm_s", "cm_s", dict.fromkeys(_spelled("CM", squared=False), 1.0)
        | dict.fromkeys(_spelled("M", squared=False), 100.0)
        | dict.fromkeys(_spelled("IN", squared=False), 2.54)),
    ".dt2": Kind("DISPLACEMENT", "disp_cm", "cm", {"CM": 1.0, "M": 100.0, "MM": 0.1, "IN": 2.54}),
}  # fmt: skip
"""Kind of file by the ending of its name."""

_NUMBER = r"((?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+)"
_NPTS = re.compile(r"\bNPTS\s*+[=:]\s*+([0-9]++)", re.ASCII | re.IGNORECASE)
_WORD = r"(?:\s*+\(?(?!NPTS)([A-Z]++))?+"
_DT = re.compile(rf"\bDT\s*+[=:]\s*+{_NUMBER}{_WORD}", re.ASCII | re.IGNORECASE)
_BEFORE = re.compile(rf"\s*([0-9]+)\s+{_NUMBER}\s+NPTS\s*,\s*DT{_WORD}", re.ASCII | re.IGNORECASE)
_SECONDS: Final = {
    "": 1.0, "S": 1.0, "SEC": 1.0, "SECS": 1.0, "SECOND": 1.0, "SECONDS": 1.0,
    "MS": 0.001, "MSEC": 0.001, "MSECS": 0.001,
}  # fmt: skip
"""Spellings of the time step's unit, in seconds."""
_NEEDED: Final = "'NPTS= 4000, DT= .0050 SEC'"
_UNIT = re.compile(r"\b(?:IN\s+)?UNITS?\s+OF\s+([A-Z0-9/^'*]+)|\(\s*([A-Z0-9/^'*]+)\s*\)")
_TIMES = re.compile(r"\s*+\(?\s*+(?:[*/]|X|TIMES)\s*+[0-9.]", re.ASCII)
"""Factor that makes a unit before it another one: ``G * 100``."""
_FIELD = re.compile(
    r"[+-]?(?:[0-9]{1,40}\.[0-9]{0,40}|\.[0-9]{1,40})"
    r"(?:[EeDd][+-]?[0-9]{2}(?![0-9](?![0-9]*\.))|(?=[+-]|$))",
    re.ASCII,
)
"""Number of Fortran's: its exponent has two digits; without one, a sign begins the next."""


def is_at2(path: str | Path) -> bool:
    """Whether a file is one of PEER's, by its name."""
    return Path(path).suffix.lower() in KINDS


def header_of(path: str | Path) -> tuple[str, str]:
    """Columns of one of PEER's files for the rest of the bench."""
    return (SECONDS.column, KINDS[Path(path).suffix.lower()].column)


def direction_of(path: Path) -> str:
    """Direction of the component in one of PEER's files, by its head; empty if that has none.

    An azimuth in degrees from north, or one of `VERTICAL`, `DOWNWARD`.
    """
    try:
        head = read_regular(path, SIZE_MAX_BYTES)[:4096].decode("latin-1").splitlines()
    except OSError:
        return ""  # what reads the numbers refuses it
    words = re.split(r"[,\s]+", head[1].upper().strip(" ,.")) if len(head) > 1 else [""]
    return words[-1]


def read_at2(path: Path) -> NumberTable:
    """Read an AT2, VT2 or DT2 file; a name without such an ending counts as AT2.

    Raises:
        MotionError: With the line, what it holds and what would have been right.
    """
    try:  # a head may name places in any encoding; numbers are ASCII, and what is not is refused
        lines = read_regular(path, SIZE_MAX_BYTES).decode("utf-8-sig", "replace").splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MotionError(f"{path}: cannot be read: {reason}") from error
    kind = KINDS.get(path.suffix.lower(), KINDS[".at2"])
    head, points, step_s = _timing(path, lines)
    factor = _factor(path, lines[:head], kind)
    values, places = _values(path, lines, head, kind)
    if len(values) != points:
        text = f"{path}: holds {len(values)} values, NPTS says {points}"
        raise MotionError(f"{text}: the file is cut off, or not one of PEER's")
    t_s: Floats = np.asarray(np.arange(points) * step_s, dtype=np.float64)
    header = (SECONDS.column, kind.column)
    columns = {header[0]: t_s, header[1]: factor * values}
    for array in (*columns.values(), places):
        array.setflags(write=False)
    return NumberTable(path, columns, places, header, {kind.column: kind.unit})


def _timing(path: Path, lines: list[str]) -> tuple[int, int, float]:
    """Number of lines of the head, number of points and time step [s].

    The head ends with the last line that has one of both, in either order, above numbers.
    """
    head, points, step = 0, "", ("", "")
    for index, line in enumerate(lines[:HEAD_MOST]):
        counts, steps = _said(line)
        if counts or steps:
            if points and step[0]:
                points, step = "", ("", "")  # an earlier pair is of another record
            if len(counts | ({points} - {""})) > 1 or len(steps | ({step} - {("", "")})) > 1:
                raise MotionError(f"{_line(path, lines, index)}: NPTS or DT is told twice")
            head = index + 1
            points, step = "".join(counts) or points, next(iter(steps), step)
        elif points and step[0] and line.strip() and _fields(line) is not None:
            break
    if not points or not step[0]:
        text = _line(path, lines, head - 1 if head else 3)
        raise MotionError(
            f"{text}: such as 'NPTS= 4000, DT= .0050 SEC' is needed above the numbers"
        )
    factor = _SECONDS.get(step[1].upper())
    if factor is None or not 0.0 < float(step[0]) * factor <= _STEP_MAX_S or len(points) > 9:
        text = _line(path, lines, head - 1)
        raise MotionError(f"{text}: such as {_NEEDED} is needed")
    return head, int(points), float(step[0]) * factor


def _said(line: str) -> tuple[set[str], set[tuple[str, str]]]:
    """Numbers of points in a line of the head, and time steps with their units."""
    if before := _BEFORE.match(line):
        return {before[1]}, {(before[2], before[3] or "")}
    return set(_NPTS.findall(line)), set(_DT.findall(line))


def _line(path: Path, lines: list[str], index: int) -> str:
    said = next((line for line in lines[index : index + 1]), "").strip()[:60]
    return f"{path}, line {index + 1}: says {said!r}"


def _factor(path: Path, head: list[str], kind: Kind) -> float:
    """Factor from the unit in the head to that of the column."""
    for index, line in enumerate(head):
        upper = line.upper()
        words = [one.word for one in KINDS.values() if one.word in upper]
        found = _UNIT.search(upper)
        if not words or found is None:
            continue
        unit = found[1] or found[2]
        if found[2] and not any(unit in one.units for one in KINDS.values()):
            continue  # a name in brackets, and no unit
        if words == [kind.word] and unit in kind.units and not _TIMES.match(upper, found.end()):
            return kind.units[unit]
        text = f"{_line(path, head, index)}: {_wanted(kind)} is needed in a {path.suffix or '.AT2'}"
        raise MotionError(f"{text} file; units that are read: {', '.join(kind.units)}")
    text = f"{_line(path, head, 2)}: no line of the head says the unit, such as {_wanted(kind)}"
    raise MotionError(f"{text}; units that are read: {', '.join(kind.units)}")


def _wanted(kind: Kind) -> str:
    return f"'{kind.word} TIME SERIES IN UNITS OF {next(iter(kind.units))}'"


def _fields(text: str) -> list[float] | None:
    """Numbers of a line; None if it holds anything else."""
    values: list[float] = []
    for word in text.split():
        value = number_in(word)
        if value is not None:
            values.append(value)
            continue
        parts = _FIELD.findall(word) if len(word) <= _WORD_MOST else []
        if "".join(parts) != word:
            return None
        for part in parts:
            value = number_in(part)
            if value is None:
                return None
            values.append(value)
    return values


def _values(path: Path, lines: list[str], head: int, kind: Kind) -> tuple[Floats, np.ndarray]:
    """All numbers after the head, and the line of each."""
    values: list[float] = []
    places: list[int] = []
    for line, text in enumerate(lines[head:], start=head + 1):
        found = _fields(text)
        if found is None:
            word = next(each for each in text.split() if _fields(each) is None)
            place = f"{path}, line {line}: holds {word[:40]!r}"
            what = f"{kind.word.lower()} in the unit of the head"
            raise MotionError(f"{place}: {what} is needed, such as -.1234567E-03")
        values += found
        places += [line] * len(found)
    return np.array(values), np.array(places, dtype=np.int64)
