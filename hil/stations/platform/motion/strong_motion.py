"""Records of strong motion in volume 2: CSMIP's V2 files and those of COSMOS.

A file has one channel or several, each with acceleration, and often velocity and displacement. A
line above the numbers gives their count, their unit and their Fortran format: in COSMOS's
"19 acceleration pts, approx 56 secs, units=cm/s^2 (04),Format=(8F10.5)" (COSMOS Strong Motion Data
Format, version 1.20, 2001), in CSMIP's "4000 points of accel data equally spaced at .005 sec, in
cm/sec2. (8f10.6)" (CDMG OSMS report 85-03). COSMOS has the time step in the 34th value of its real
header; whether in seconds or milliseconds, the "approx" seconds show, or the file is refused.
The forms are those of public readers and sample files, not compared with the two manuals.
"""

import re
from collections.abc import Iterator
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

ENDINGS: Final = (".v2", ".v2c")
_ACCELERATION: Final = {"g": 100.0 * GRAVITY_M_S2} | dict.fromkeys(
    ("cm/s^2", "cm/s2", "cm/s/s", "cm/sec^2", "cm/sec2", "cm/sec/sec", "gal"), 1.0
)
_QUANTITIES: Final = {
    "acc": ("acc", "gal", _ACCELERATION),
    "vel": ("vel", "cm_s", {"cm/s": 1.0, "cm/sec": 1.0}),
    "dis": ("disp", "cm", {"cm": 1.0}),
}
"""Column's beginning and unit, and units in a file, by the first letters of the quantity."""
_COSMOS: Final = re.compile(
    r"\s{0,20}([0-9]{1,9})\s{1,20}(acc|vel|dis)[a-z]{0,20}\s{1,20}(?:pts|points),?\s{1,20}approx"
    r"\s{1,20}([0-9.]{1,9})\s{0,20}secs?,\s{0,20}units\s{0,20}=\s{0,20}([^\s,(]{1,20})\s{0,20}"
    r"(?:\([\s0-9]{1,9}\))?,?\s{0,20}Format\s{0,20}=\s{0,20}"
    r"\(\s{0,20}[0-9]{0,4}[FEGI]([0-9]{1,3})",
    re.ASCII | re.IGNORECASE,
)
_CSMIP: Final = re.compile(
    r"\s{0,20}([0-9]{1,9})\s{1,20}points\s{1,20}of\s{1,20}(acc|vel|dis)[a-z]{0,20}\s{1,20}data"
    r"\s{1,20}equally\s{1,20}spaced\s{1,20}at\s{1,20}([0-9.]{1,9})\s{0,20}sec,\s{0,20}in"
    r"\s{1,20}([^\s,(]{1,20}?)[.,]?\s{0,20}\(\s{0,20}[0-9]{0,4}[FEG]([0-9]{1,3})",
    re.ASCII | re.IGNORECASE,
)
_CHANNEL: Final = re.compile(
    r"\bChan\s{0,9}([0-9]{1,4}):\s{0,9}([0-9]{1,3})?\s{0,9}([A-Za-z]{0,20})", re.ASCII | re.I
)
_REAL: Final = re.compile(
    r"\s*([0-9]{1,5})\s+Real-header values follow on\s+([0-9]{1,5})\s+lines?,\s*Format\s*=\s*"
    r"\(\s*[0-9]*[FEG]([0-9]{1,3})",
    re.ASCII | re.IGNORECASE,
)
_STEP: Final = 33
"""Index of the time step in COSMOS's real header."""
_LINE_MOST: Final = 2000


@dataclass(frozen=True, slots=True)
class Block:
    """Block of numbers in a file."""

    column: str
    """Name of the column for the rest of the bench; it ends in the unit."""
    line: int
    """Index of the line above its numbers."""
    points: int
    step_s: float
    factor: float
    """Factor from the file's unit to that of the column."""
    width: int
    """Width of a number's field [characters]."""


def header_of(path: Path) -> tuple[str, ...]:
    """Columns of a file for the rest of the bench, times first.

    Raises:
        MotionError: As `read_strong_motion`.
    """
    return (SECONDS.column, *(each.column for each in _blocks(path, _lines(path))))


def read_strong_motion(path: Path, wanted: list[str]) -> NumberTable:
    """Read columns of a V2 file: ``t_s`` and those of `header_of`, such as ``acc_360_gal``.

    Raises:
        MotionError: With the line, what it holds and what would have been right.
    """
    lines = _lines(path)
    there = {each.column: each for each in _blocks(path, lines)}
    header = (SECONDS.column, *there)
    for name in wanted:
        if name not in header:
            text = f"{path}: there is no column {name!r}: the file has {', '.join(header)}"
            raise MotionError(f"{text}; map them with --map x={header[1]}")
    chosen = [there[name] for name in wanted if name in there] or list(there.values())[:1]
    first = chosen[0]
    for one in chosen[1:]:
        if (one.points, one.step_s) != (first.points, first.step_s):
            text = f"{path}, line {one.line + 1}: {one.column} has {one.points} points each "
            text += f"{one.step_s:g} s, {first.column} {first.points} each {first.step_s:g} s"
            raise MotionError(f"{text}: columns that are played together have one time step")
    read = {one.column: _values(path, lines, one) for one in chosen}
    seconds: Floats = np.arange(first.points, dtype=np.float64) * first.step_s
    columns: dict[str, Floats] = {SECONDS.column: seconds}
    columns |= {name: values for name, (values, _) in read.items()}
    places = read[first.column][1]
    for array in (*columns.values(), places):
        array.setflags(write=False)
    units = {each.column: unit for each in chosen if (unit := _unit_of(each.column))}
    return NumberTable(path, columns, places, header, units)


def _unit_of(column: str) -> str:
    """Unit of a column of this reader, by its name."""
    units = (unit for _, unit, _ in _QUANTITIES.values())
    return next((unit for unit in units if column.endswith(f"_{unit}")), "")


def _lines(path: Path) -> list[str]:
    try:
        return read_regular(path, SIZE_MAX_BYTES).decode("latin-1").splitlines()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise MotionError(f"{path}: cannot be read: {reason}") from error


def _blocks(path: Path, lines: list[str]) -> list[Block]:
    found: list[Block] = []
    for block, channel in _walk(path, lines):
        names = [each.column for each in found]
        start, _, end = block.column.partition("_")
        column = f"{start}_ch{channel}_{end}" if block.column in names else block.column
        if column in names:
            text = f"{path}, line {block.line + 1}: is {column} once more"
            raise MotionError(f"{text}: each channel has a number of its own ('Chan 2: 90 Deg')")
        found.append(
            Block(column, block.line, block.points, block.step_s, block.factor, block.width)
        )
    if not found:
        text = f"{path}: no line says what is recorded, such as '4000 points of accel data equally "
        text += "spaced at .005 sec, in cm/sec2. (8f10.6)' or '4000 acceleration pts, approx 20 "
        raise MotionError(f"{text}secs, units=cm/s^2 (04),Format=(8F10.5)'")
    return found


def _walk(path: Path, lines: list[str]) -> Iterator[tuple[Block, str]]:
    """Blocks of numbers, each with its channel's number."""
    number, direction, header_step = "", "", None
    for index, line in enumerate(lines):
        text = line[:_LINE_MOST]
        if said := _CHANNEL.search(text):
            number, direction = said[1], (said[2] or said[3] or "").lower()
        elif said := _REAL.match(text):
            header_step = _of_header(lines, index, int(said[1]), int(said[3]))
        elif (csmip := _CSMIP.match(text)) or _COSMOS.match(text):
            said = csmip or _COSMOS.match(text)
            assert said is not None  # noqa: S101  # matched above
            start, unit, units = _QUANTITIES[said[2].lower()]
            place = f"{path}, line {index + 1}"
            if not direction:
                text = f"{place}: no line above says the channel, such as 'Chan 1: 90 Deg'"
                raise MotionError(text)
            factor = units.get(said[4].lower())
            if factor is None:
                text = f"{place}: the unit is {said[4]!r}: {', '.join(units)} are read, of records"
                raise MotionError(f"{text} in volume 2 (corrected)")
            points = int(said[1])
            step_s = number_in(said[3]) if csmip else _step(points, said[3], header_step)
            if points == 0 or not step_s or not 0.0 < step_s <= 10.0:
                text = f"{place}: {points} points, {said[3]} s, and {header_step} as the 34th real"
                raise MotionError(f"{text} header: the time step [s or ms] and these do not agree")
            yield (
                Block(f"{start}_{direction}_{unit}", index, points, step_s, factor, int(said[5])),
                number,
            )


def _of_header(lines: list[str], index: int, count: int, width: int) -> float | None:
    """Time step in the real header below a line; None if it has none."""
    values: list[str] = []
    for line in lines[index + 1 :]:
        values += _fields(line, width)
        if len(values) > _STEP:
            return number_in(values[_STEP]) if count > _STEP else None
        if len(values) >= count:
            break
    return None


def _step(points: int, about: str, said: float | None) -> float | None:
    """Time step of COSMOS [s]: the header's, in the unit that makes it last so long."""
    duration_s = number_in(about)
    if said is None or duration_s is None:
        return None
    fitting = [
        step_s for step_s in (said, said / 1000.0)
        if abs(points * step_s - duration_s) <= 1.0 + 0.01 * duration_s
    ]  # fmt: skip
    return fitting[0] if len(fitting) == 1 else None


def _fields(line: str, width: int) -> list[str]:
    text = line.rstrip()[:_LINE_MOST]
    return [text[at : at + width] for at in range(0, len(text), max(width, 1))]


def _values(path: Path, lines: list[str], block: Block) -> tuple[np.ndarray, np.ndarray]:
    """Numbers of a block in the column's unit, and the line of each."""
    values: list[float] = []
    places: list[int] = []
    for index in range(block.line + 1, len(lines)):
        if len(values) >= block.points:
            _refuse_more(path, lines, index, block)
            break
        for field in _fields(lines[index], block.width):
            value = number_in(field) if len(field) == block.width else None
            if value is None:  # Fortran's numbers stand at the right of their field
                text = f"{path}, line {index + 1}: holds {field.strip()[:40]!r} as one of "
                text += f"{block.points} numbers of {block.width} characters, after {len(values)}"
                raise MotionError(f"{text}: the file is cut off, or not of its format")
            values.append(value)
            places.append(index + 1)
    if len(values) != block.points:
        text = f"{path}, line {block.line + 1}: says {block.points} points of {block.column}"
        raise MotionError(f"{text}, {len(values)} follow: the file is cut off")
    return block.factor * np.array(values), np.array(places, dtype=np.int64)


def _refuse_more(path: Path, lines: list[str], index: int, block: Block) -> None:
    """Refuse a line of numbers alone after a block's last one."""
    line = lines[index][:_LINE_MOST]
    split = (line.split(), _fields(line, block.width))
    if any(cells and all(number_in(one) is not None for one in cells) for cells in split):
        text = f"{path}, line {index + 1}: numbers go on after the {block.points} points that line"
        raise MotionError(f"{text} {block.line + 1} says: one of the two is wrong")
