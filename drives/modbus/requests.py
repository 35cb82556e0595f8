"""Requests of one cycle of a unit, and how its two blocks are shared out among them.

A device that has function 23 and takes both blocks whole is asked once. One without it is written
first (function 16) and read then (function 3), which takes two round trips; one that takes few
registers in a request is asked as often as its blocks have pieces. A value of two registers is
never torn: it comes from one request, and goes out in one.

Source: Modbus Application Protocol V1.1b3, 6.3 (function 3), 6.12 (function 16), 6.17 (23).
"""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import NamedTuple

from drives.modbus.register_map import CycleBlock, RegisterMap

READ_MAX = 125
"""Registers that a request of function 3 or 23 reads at most."""
WRITE_MAX = 123
"""Registers that a request of function 16 writes at most."""
READ_WRITE_MAX = 121
"""Registers that a request of function 23 writes at most."""


@dataclass(frozen=True, slots=True)
class Piece:
    """Registers of a block that one request carries."""

    offset: int
    """The first of them, counted from the beginning of the block."""
    count: int
    """Number of registers."""


class CycleRequest(NamedTuple):
    """One request of a cycle: it writes a piece, or reads one, or both (function 23)."""

    write: Piece | None
    read: Piece | None


def cycle_requests(map_: RegisterMap) -> tuple[CycleRequest, ...]:
    """Return what a unit is asked in each cycle, in this order: writing comes first."""
    most = map_.registers_per_request
    axes = map_.axes_per_unit
    write_max = READ_WRITE_MAX if map_.read_write else WRITE_MAX
    written = pieces(map_.write, axes, min(most or write_max, write_max))
    read = pieces(map_.read, axes, min(most or READ_MAX, READ_MAX))
    if not map_.read_write:
        return (*(CycleRequest(p, None) for p in written), *(CycleRequest(None, p) for p in read))
    return tuple(CycleRequest(w, r) for w, r in zip_longest(written, read))


def pieces(block: CycleBlock, axes: int, most: int) -> tuple[Piece, ...]:
    """Share a block out among requests, each as long as it may be.

    Args:
        axes: Axes of a unit.
        most: Registers that a request may carry, 2 or more.
    """
    torn = _second_halves(block, axes)
    found: list[Piece] = []
    start = 0
    while start < block.count:
        end = min(start + most, block.count)
        if end in torn:
            end -= 1
        found.append(Piece(start, end - start))
        start = end
    return tuple(found)


def _second_halves(block: CycleBlock, axes: int) -> frozenset[int]:
    """Return the offsets at which no request may begin."""
    starts = (block.first_axis + axis * block.stride for axis in range(axes))
    wide = [field.offset for field in block.fields if field.type.registers == 2]
    return frozenset(start + offset + 1 for start in starts for offset in wide)


def cut(registers: Sequence[int], piece: Piece) -> Sequence[int]:
    """Return the registers of a block that belong to a piece."""
    return registers[piece.offset : piece.offset + piece.count]
