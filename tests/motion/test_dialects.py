"""Known numbers, written in random dialects by the test itself: the same numbers, or a refusal.

A dialect that leaves the numbers open must be refused, never believed. What may be read and what
must be refused follows from how the file was written, and not from what the reader takes.
"""

import random
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from campaign import count

from hil.config.errors import MotionError
from hil.stations.platform.motion.columns import ColumnMap, TimeMap
from hil.stations.platform.motion.recorded_motion import RecordedMotion

SEED = 31_005
NEUTRAL = (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
NAMES = ("time", "surge", "roll")
CLOCKS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9, "iso": None, "day": None}
"""Units of times: how many are a second; stamps with and without a date."""


@dataclass(frozen=True)
class Written:
    """A file, and what is right of it."""

    data: bytes
    clock: str
    told: str
    """What the dialect was, for a failure."""
    open_question: bool
    """It can be read two ways."""
    marked: bool
    """Some number has marks between its thousands."""


def grouped(digits: str, mark: str) -> str:
    """A whole number with marks between its thousands."""
    first = len(digits) % 3
    parts = [digits[:first]] if first else []
    return mark.join(parts + [digits[k : k + 3] for k in range(first, len(digits), 3)])


def number(units: int, places: int, decimal: str, mark: str, exponent: str) -> str:
    """A number of so many units of its last place, as a program writes it."""
    sign, size = ("-" if units < 0 else ""), abs(units)
    whole, part = divmod(size, 10**places)
    if exponent:
        text = f"{size:d}".rjust(2, "0")
        return f"{sign}{text[0]}{decimal}{text[1:]}{exponent}{len(text) - 1 - places:+03d}"
    text = grouped(str(whole), mark) if mark else str(whole)
    return f"{sign}{text}{decimal}{part:0{places}d}" if places else sign + text


def stamp(milliseconds: int, clock: str, decimal: str) -> str:
    seconds, part = divmod(milliseconds, 1000)
    time = f"12:{seconds // 60:02d}:{seconds % 60:02d}{decimal}{part:03d}"
    return f"2026-02-28T{time}Z" if clock == "iso" else time


def drawn(rng: random.Random) -> tuple[list[list[int]], Written]:
    """Rows in whole milliseconds, micrometres and hundredths of a degree; and a file of them."""
    rows = rng.randrange(8, 24)
    step, start = rng.choice((5, 10, 20)), rng.choice((0, 0, 0, 1000, 12_345))
    places = rng.choice((0, 3, 3, 4))
    known = [
        [start + step * k, rng.randrange(-40_000, 40_000), rng.randrange(-900, 900)]
        for k in range(rows)
    ]
    separator = rng.choice((",", ";", "\t", "|", " ", "   "))
    decimal = rng.choice((".", "," if separator != "," else "."))
    mark = rng.choice(("", "", "", ",", ".", "'", "\u00a0"))
    if mark in (decimal, separator.strip() or " "):
        mark = ""
    exponent = rng.choice(("", "", "", "E", "D", "e"))
    clock = rng.choice(tuple(CLOCKS))

    def time(ms: int) -> str:
        scale = CLOCKS[clock]
        if scale is None:
            return stamp(ms, clock, "." if separator == "," else decimal)
        if clock == "s":
            return number(ms, 3, decimal, "", "")
        return str(ms * scale // 1000)

    # The surge is given in micrometres: of whole ones, or with zeros behind the decimal sign.
    cells = [
        [time(ms), number(um * 10**places, places, decimal, mark, exponent if places else ""),
         number(roll, 2, decimal, "", exponent)]
        for ms, um, roll in known
    ]  # fmt: skip
    hidden = rng.random() < 0.3
    if hidden:  # only what has three decimals, or none, shows the sign
        cells = [[t, s, number(roll, 0, decimal, "", "")] for (t, s, _), (_, _, roll) in
                 zip(cells, known, strict=True)]  # fmt: skip
    wide = separator if separator != "   " else "   "
    lines = [wide.join(row) for row in cells]
    names = wide.join(NAMES)
    notes = rng.choice(([], [], ["# logger 7, made-up"], ["% 2.5 kHz", "// x;y;z"]))
    lines = [*notes, names, *lines]
    if rng.random() < 0.2:
        units = {"iso": "iso", "day": "iso"}.get(clock, clock)
        row = wide.join((f"[{units}]", "[um]", "[deg]"))
        lines.insert(len(notes) + 1, row)
    if len(separator) == 1 and separator != " " and rng.random() < 0.2:
        lines.insert(0, f"sep={separator}")
    declared = rng.random() < 0.1
    if declared:
        lines.insert(0, f"decimal={decimal}")
    if rng.random() < 0.2:
        lines.insert(len(lines) - 2, "# a person got in")
    end = rng.choice(("\n", "\r\n"))
    encoding = rng.choice(("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be"))
    text = end.join(lines) + rng.choice(("", end))
    open_question = _is_open([c for row in cells for c in row], decimal, separator) and not declared
    told = f"{separator!r} {decimal!r} {mark!r} {exponent!r} {clock} {encoding} {places} {hidden}"
    values = [[ms, um, 100 * roll if hidden else roll] for ms, um, roll in known]
    marked = bool(mark) and any(mark in row[1] for row in cells)
    return values, Written(text.encode(encoding), clock, told, open_question, marked)


def _is_open(cells: list[str], decimal: str, separator: str) -> bool:
    """Whether all that shows the sign has three digits behind it, and may be thousands."""
    shown = [cell.lstrip("-") for cell in cells if decimal in cell and ":" not in cell]
    threes = [
        cell[0] in "123456789" and all(len(part) == 3 and part.isdecimal()
                                       for part in cell.split(decimal)[1:])
        and len(cell.split(decimal)[0]) <= 3
        for cell in shown
    ]  # fmt: skip
    return bool(shown) and all(threes) and (separator != "," or decimal == ",")


def samples_of(file: Path, clock: str) -> np.ndarray:
    unit = "iso" if CLOCKS[clock] is None else clock
    maps = [ColumnMap("x", "surge", "um"), ColumnMap("gamma", "roll", "deg")]
    motion = RecordedMotion.from_csv(
        file, maps, NEUTRAL, fade_s=0.02, time=TimeMap("time", unit), gap_max_s=0.25
    )
    return np.column_stack([np.full(len(motion.samples()), motion.step_s), motion.samples()])


def right(values: list[list[int]]) -> tuple[float, np.ndarray, np.ndarray]:
    """Step [s], surge [m] and roll [rad] of the known whole numbers."""
    table = np.array(values, dtype=np.float64)
    step = float(table[-1, 0] - table[0, 0]) / 1000.0 / (len(table) - 1)
    return step, table[:, 1] * 1e-6, np.radians(table[:, 2] / 100.0)


@pytest.mark.campaign
def test_random_dialects_are_read_to_the_last_digit_or_refused(tmp_path):
    print(f"seed {SEED}")
    rng, file = random.Random(SEED), tmp_path / "r.csv"
    outcomes = {"read": 0, "refused": 0}
    for _ in range(count(10_000, least=150)):
        values, written = drawn(rng)
        file.write_bytes(written.data)
        try:
            found = samples_of(file, written.clock)
        except MotionError as error:
            refusal = str(error)
        else:
            refusal = ""
        if refusal:
            assert written.open_question or written.marked, (written.told, refusal)
            assert any(word in refusal for word in ("thousands", "fields", "decimal")), refusal
            outcomes["refused"] += 1
            continue
        assert not written.open_question, written.told
        step, surge, roll = right(values)
        assert found[0, 0] == pytest.approx(step, rel=1e-9), written.told
        assert found[:, 1] == pytest.approx(surge, rel=1e-12, abs=1e-12), written.told
        assert found[:, 6] == pytest.approx(roll, rel=1e-12, abs=1e-12), written.told
        outcomes["read"] += 1
    print(outcomes)
    assert outcomes["read"] > outcomes["refused"] > 0
