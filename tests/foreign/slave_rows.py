"""The objects of a complete servo drive (CiA 301, CiA 402), from which variants take away."""

from object_dictionary import Key, Row
from pdo_channels import INVALID

Rows = dict[Key, Row]


def communication_rows(node: int) -> Rows:
    """1000h to 1029h."""
    return {
        (0x1000, 0): Row("I", 0x0002_0192, "ro"),
        (0x1001, 0): Row("B", 0, "ro"),
        (0x1003, 0): Row("B", 0, low=0, high=0),
        **{(0x1003, sub): Row("I", 0, "ro") for sub in range(1, 9)},
        (0x1005, 0): Row("I", 0x80),
        (0x1006, 0): Row("I", 0),
        (0x1009, 0): Row("s", "A", "const"),
        (0x100A, 0): Row("s", "1.02", "const"),
        (0x100C, 0): Row("H", 0),
        (0x100D, 0): Row("B", 0),
        (0x1014, 0): Row("I", 0x80 + node, "ro"),
        (0x1016, 0): Row("B", 2, "const"),
        (0x1016, 1): Row("I", 0),
        (0x1016, 2): Row("I", 0),
        (0x1017, 0): Row("H", 0),
        (0x1029, 0): Row("B", 1, "const"),
        (0x1029, 1): Row("B", 0, low=0, high=2),
    }


def pdo_rows(node: int, rpdos: int = 4, tpdos: int = 4, entries: int = 8) -> Rows:
    """1400h to 1BFFh, with the default mapping of CiA 402 in the first of each."""
    rows: Rows = {}
    for number in range(rpdos):
        cob = 0x200 + 0x100 * number + node if number < 4 else INVALID
        rows |= _parameter_rows(0x1400 + number, cob if number == 0 else cob | INVALID)
        rows |= _mapping_rows(0x1600 + number, [0x6040_0010] if number == 0 else [], entries)
    for number in range(tpdos):
        cob = 0x180 + 0x100 * number + node if number < 4 else INVALID
        rows |= _parameter_rows(0x1800 + number, cob if number == 0 else cob | INVALID)
        rows |= _mapping_rows(0x1A00 + number, [0x6041_0010] if number == 0 else [], entries)
    return rows


def _parameter_rows(index: int, cob: int) -> Rows:
    return {
        (index, 0): Row("B", 5, "const"),
        (index, 1): Row("I", cob),
        (index, 2): Row("B", 255),
        (index, 3): Row("H", 0),
        (index, 5): Row("H", 0),
    }


def _mapping_rows(index: int, mapped: list[int], entries: int) -> Rows:
    rows: Rows = {(index, 0): Row("B", len(mapped))}
    for sub in range(1, entries + 1):
        value = mapped[sub - 1] if sub <= len(mapped) else 0
        rows[index, sub] = Row("I", value)
    return rows


def profile_rows() -> Rows:
    """6007h to 6502h."""
    return {
        (0x6007, 0): Row("h", 1, low=0, high=3),
        (0x603F, 0): Row("H", 0, "ro", mapped=True),
        (0x6040, 0): Row("H", 0, mapped=True),
        (0x6041, 0): Row("H", 0, "ro", mapped=True),
        (0x605A, 0): Row("h", 2, low=0, high=8),
        (0x605B, 0): Row("h", 0, low=0, high=1),
        (0x605C, 0): Row("h", 1, low=0, high=1),
        (0x605D, 0): Row("h", 1, low=1, high=4),
        (0x605E, 0): Row("h", 2, low=0, high=2),
        (0x6060, 0): Row("b", 0, mapped=True),
        (0x6061, 0): Row("b", 0, "ro", mapped=True),
        (0x6062, 0): Row("i", 0, "ro", mapped=True),
        (0x6064, 0): Row("i", 0, "ro", mapped=True),
        (0x6065, 0): Row("I", 10_000),
        (0x6066, 0): Row("H", 0),
        (0x606C, 0): Row("i", 0, "ro", mapped=True),
        (0x6072, 0): Row("H", 1000, mapped=True),
        (0x6077, 0): Row("h", 0, "ro", mapped=True),
        (0x607A, 0): Row("i", 0, mapped=True),
        (0x607C, 0): Row("i", 0),
        (0x607D, 0): Row("B", 2, "const"),
        (0x607D, 1): Row("i", -(2**31)),
        (0x607D, 2): Row("i", 2**31 - 1),
        (0x607E, 0): Row("B", 0),
        (0x607F, 0): Row("I", 1_000_000),
        (0x6081, 0): Row("I", 10_000, mapped=True),
        (0x6083, 0): Row("I", 100_000),
        (0x6084, 0): Row("I", 1_000_000),
        (0x6085, 0): Row("I", 4_000_000),
        (0x608F, 0): Row("B", 2, "const"),
        (0x608F, 1): Row("I", 5000),
        (0x608F, 2): Row("I", 1),
        (0x6091, 0): Row("B", 2, "const"),
        (0x6091, 1): Row("I", 1),
        (0x6091, 2): Row("I", 1),
        (0x6092, 0): Row("B", 2, "const"),
        (0x6092, 1): Row("I", 5000),
        (0x6092, 2): Row("I", 1),
        (0x6098, 0): Row("b", 0),
        (0x6099, 0): Row("B", 2, "const"),
        (0x6099, 1): Row("I", 10_000),
        (0x6099, 2): Row("I", 2_500),
        (0x609A, 0): Row("I", 100_000),
        (0x60B1, 0): Row("i", 0, mapped=True),
        (0x60B2, 0): Row("h", 0, mapped=True),
        (0x60C0, 0): Row("h", 0),
        (0x60C1, 0): Row("B", 1, "const"),
        (0x60C1, 1): Row("i", 0, mapped=True),
        (0x60C2, 0): Row("B", 2, "const"),
        (0x60C2, 1): Row("B", 1),
        (0x60C2, 2): Row("b", -3, low=-6, high=0),
        (0x60C5, 0): Row("I", 10_000_000),
        (0x60C6, 0): Row("I", 10_000_000),
        (0x60F4, 0): Row("i", 0, "ro", mapped=True),
        (0x60FD, 0): Row("I", 0, "ro", mapped=True),
        (0x60FF, 0): Row("i", 0, mapped=True),
        (0x6502, 0): Row("I", 0x3E5, "ro"),
    }
