"""Dictionaries as five makers publish them: what each lacks, holds and limits.

Read from EDS and DCF files in public driver repositories: maxon EPOS4 (module 24/1.5), Nanotec
CL4-E-1-12, Technosoft iPOS, Elmo Gold, Schunk PRL120. A file says what exists, not how the firmware
behaves: what a drive does with a value is that of CiA 402.
"""

from object_dictionary import Row
from slave_rows import Rows


def without(rows: Rows, *gone: int | tuple[int, int]) -> None:
    """Take objects away, or single sub-indices."""
    for each in gone:
        for key in list(rows):
            if key == each or key[0] == each:
                del rows[key]


def hold(rows: Rows, **values: int) -> None:
    """Power-on values: `_605A=6`, `_6099_1=180`."""
    for name, value in values.items():
        index, _, sub = name[1:].partition("_")
        rows[int(index, 16), int(sub or "0")].value = value


def limit(rows: Rows, low: int, high: int, *indices: tuple[int, int]) -> None:
    """Least and largest value that can be written."""
    for key in indices:
        rows[key].low, rows[key].high = low, high


def fix(rows: Rows, index: int, value: int, code: str = "I") -> None:
    """An object that can be read only."""
    rows[index, 0] = Row(code, value, "ro")


def unit(rows: Rows, index: int, word: int, *, fixed: bool) -> None:
    """A unit word, 60A8h to 60AAh."""
    rows[index, 0] = Row("I", word, "ro" if fixed else "rw")


def consumers(rows: Rows, count: int) -> None:
    """So many entries in 1016h."""
    without(rows, 0x1016)
    rows[0x1016, 0] = Row("B", count, "const")
    for sub in range(1, count + 1):
        rows[0x1016, sub] = Row("I", 0)


def channels(rows: Rows, *missing: int) -> None:
    """Take sub-indices from all PDOs' parameters: 3 inhibit time, 5 event timer."""
    for index, sub in list(rows):
        if 0x1800 <= index < 0x1A00 and sub in missing:
            del rows[index, sub]


def no_event_timers(rows: Rows) -> None:
    """No RPDO has an event timer (1400h:5)."""
    for index, sub in list(rows):
        if 0x1400 <= index < 0x1600 and sub == 5:
            del rows[index, sub]


FACTORS = (0x608F, 0x6091, 0x6092, 0x6096)


def epos4(rows: Rows) -> None:
    """Maxon EPOS4."""
    no_event_timers(rows)
    channels(rows, 5)
    consumers(rows, 2)
    without(
        rows,
        0x1009,
        0x100A,
        0x100C,
        0x100D,
        0x1006,
        0x605D,
        0x607C,
        0x607E,
        0x60C0,
        0x60C6,
        0x6072,
        *FACTORS,
    )
    without(rows, 0x60C1)
    hold(rows, _6007=3, _605A=6, _605B=0, _605C=1, _605E=2, _6065=20000, _607F=18000)
    hold(rows, _6084=10000, _6085=10000, _6098=0, _6099_1=180, _6099_2=60, _609A=30)
    hold(rows, _60C2_1=10, _60C5=10000, _6502=0x3A5)
    fix(rows, 0x6066, 0, "H")
    limit(rows, 1, 50000, (0x607F, 0), (0x6099, 1), (0x6099, 2))
    limit(rows, 0, 100, (0x60C2, 1))
    unit(rows, 0x60A8, 0x00B5_0000, fixed=True)
    unit(rows, 0x60A9, 0x00B4_4700, fixed=False)
    unit(rows, 0x60AA, 0x00C0_0300, fixed=True)
    fix(rows, 0x60E3, 16, "B")


def nanotec_cl4(rows: Rows) -> None:
    """Nanotec CL4-E-1-12."""
    no_event_timers(rows)
    consumers(rows, 1)
    without(rows, 0x60C0)
    hold(rows, _6007=1, _605A=2, _605B=1, _605C=1, _605D=1, _605E=2, _6065=256, _6066=100)
    hold(rows, _607F=30000, _6084=500, _6085=5000, _6098=35, _6099_1=50, _6099_2=10, _609A=500)
    hold(rows, _608F_1=2000, _6092_1=1, _60C2_1=1, _60C5=5000, _60C6=5000, _6502=0x3EF)
    unit(rows, 0x60A8, 0xFF41_0000, fixed=False)
    unit(rows, 0x60A9, 0x00B4_4700, fixed=False)


def technosoft_ipos(rows: Rows) -> None:
    """Technosoft iPOS: modes pp, pv, hm and ip, not csp."""
    no_event_timers(rows)
    without(
        rows, 0x1009, 0x1016, 0x1029, 0x603F, 0x607F, 0x6084, 0x60B1, 0x60B2, 0x60C5, 0x60C6, 0x6072
    )
    without(rows, *FACTORS)
    hold(rows, _6007=0, _605A=2, _605B=0, _605C=1, _605D=1, _605E=2, _6098=0, _6099_1=0)
    hold(rows, _6502=0x1F_0065)


def elmo_gold(rows: Rows) -> None:
    """Elmo Gold."""
    no_event_timers(rows)
    consumers(rows, 2)
    without(rows, 0x1005, 0x100C, 0x100D)
    hold(rows, _6007=1, _605A=2, _605B=0, _605C=0, _605D=2, _605E=2, _6066=20)
    hold(rows, _607D_1=-900_000_000, _607D_2=900_000_000, _607F=2_000_000_000)
    hold(rows, _6084=2_000_000_000, _6085=2_000_000_000, _6098=35, _6099_1=10000, _609A=0)
    hold(rows, _60C2_1=10, _60C5=2_000_000_000, _60C6=2_000_000_000)
    limit(rows, 0, 8, (0x605A, 0))
    limit(rows, -128, 35, (0x6098, 0))
    fix(rows, 0x60E3, 34, "B")


def schunk_prl120(rows: Rows) -> None:
    """Schunk PRL120: an absolute encoder, no homing; it counts thousandths of a degree."""
    no_event_timers(rows)
    channels(rows, 3)
    consumers(rows, 3)
    without(rows, 0x6062)
    without(rows, 0x1006, 0x1029, 0x6007, 0x603F, 0x605A, 0x605B, 0x605C, 0x605D, 0x605E, 0x6066)
    without(rows, 0x607D, 0x607F, 0x6084, 0x6085, 0x6098, 0x6099, 0x609A, 0x60B1, 0x60C0)
    without(rows, 0x60C5, 0x60C6, 0x60F4, 0x60FD, 0x6072, *FACTORS)
    hold(rows, _60C2_1=50, _6502=0x3C5)


THOUSANDTHS_OF_A_DEGREE = (0xFD41_0000, 0xFD41_0300, 0xFD41_5700)
"""Units of the PRL120: position, speed, acceleration."""
IPOS_SPEED, IPOS_ACCELERATION = 1e3 / 65536, 1e6 / 65536
"""Units of the iPOS: increments per sample of 1 ms, and per its square, with 16 bits behind the
point (iPOS CANopen programming manual, 6081h and 6083h), in increments per second."""
