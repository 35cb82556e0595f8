"""A tick of any diagram."""

from pathlib import Path
from typing import Any
from zlib import crc32

from numba import njit

from hil.diagram.kernel import codes
from hil.diagram.kernel.advance import advance_element
from hil.diagram.kernel.codes import FAST, INLINE, SIGNATURE, Array, Places, Rows
from hil.diagram.kernel.coupled_blocks import advance_whole, compute_whole
from hil.diagram.kernel.elements import compute_element
from hil.diagram.kernel.pointers import start_of


@njit(**INLINE)
def is_due(rate: int, offset: int, enable: int, v: Array, tick: int) -> bool:
    """Whether a row is computed in a tick."""
    if rate != 1 and (tick < offset or (tick - offset) % rate != 0):
        return False
    return enable < 0 or v[enable] != 0.0


def sources_number(folder: Path) -> int:
    """A number that tells the files of a folder, as they are, from others."""
    found = 1
    for file in sorted(folder.glob("*.py")):
        found = crc32(file.read_bytes(), found)
    return found or 1


def _compiled(sources: int) -> Any:
    """The kernel; what numba keeps of it on disk is found again by the number of its sources."""

    @njit(SIGNATURE, cache=True, **FAST)
    def step(rows: Rows, index: Places, values: Array, tick: int) -> int:
        """Compute a tick; the first row that made a number that is not finite, -1 if none did.

        Args:
            rows: The table, shape (R, 15).
            index: Place and number of the rows that have states; lists of places of inputs; those
                rows.
            values: All numbers, written.
            tick: Base ticks since the start.
        """
        if sources == 0:  # it is a part of what the cached code is found by
            return -1
        x, v = start_of(index), start_of(values)  # pyright: ignore[reportCallIssue]
        for r in range(rows.shape[0]):
            rate, offset = rows[r, codes.RATE], rows[r, codes.OFFSET]
            if not is_due(rate, offset, rows[r, codes.ENABLE], v, tick):
                continue
            code, q, o = rows[r, codes.CODE], rows[r, codes.INPUTS], rows[r, codes.OUTPUTS]
            s, p, size = rows[r, codes.STATES], rows[r, codes.NUMBERS], rows[r, codes.SIZE]
            if code <= codes.ENABLEDOUTPUT:
                a, b, c = rows[r, codes.FIRST], rows[r, codes.SECOND], rows[r, codes.THIRD]
                compute_element(code, tick, v, x, a, b, c, q, o, s, p, size)
                if not (v[o] - v[o] == 0.0):
                    return r
            else:
                compute_whole(code, rows[r, codes.PART], v, x, q, o, s, p, size)
                first = rows[r, codes.CHECKED]
                for place in range(first, first + rows[r, codes.COUNT]):
                    if not (v[place] - v[place] == 0.0):
                        return r
        for n in range(x[0], x[0] + x[1]):
            r = x[n]
            rate, offset = rows[r, codes.RATE], rows[r, codes.OFFSET]
            if not is_due(rate, offset, rows[r, codes.ENABLE], v, tick):
                continue
            code, s, p = rows[r, codes.CODE], rows[r, codes.STATES], rows[r, codes.NUMBERS]
            if code <= codes.ENABLEDOUTPUT:
                a, b, c = rows[r, codes.FIRST], rows[r, codes.SECOND], rows[r, codes.THIRD]
                advance_element(code, v, a, b, c, rows[r, codes.OUTPUTS], s, p)
            else:
                advance_whole(code, v, x, rows[r, codes.INPUTS], rows[r, codes.OUTPUTS], s, p)
        return -1

    return step


step: Any = _compiled(sources_number(Path(__file__).parent))
"""Computes a tick."""
