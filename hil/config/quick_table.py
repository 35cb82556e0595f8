"""Numbers of a well-formed table, quickly: blocks of whole lines through NumPy's own parser.

A long table is worth a compiled reader (`hil.config.table_kernel`): it is some five times quicker.

What is not plainly well-formed is not judged here: the answer is None, and the exact reader
(`hil.config.exact_table`) reads the file anew, or names the fault with its line.
"""

from io import BytesIO, StringIO
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

from hil.config.cells import TimeCells
from hil.config.quick_times import read_times

BLOCK_BYTES: Final = 1_000_000
"""Read at once; parsing takes some twenty times this for a moment."""
LONG_BYTES: Final = 4_000_000
"""Size from which a table is long: reading it otherwise takes longer than to load a kernel."""
_ODD: Final = (b'"', b"_", b"\0", b"\n#", b"\n%", b"\n//")
"""What means quoted text or a comment, or is read as part of a number by some parser."""


def read_quickly(
    file: IO[bytes],
    delimiter: str,
    fields: int,
    wanted: list[int],
    value_max: float,
    decimal: str = ".",
) -> NDArray[np.float64] | None:
    """Read columns of a table, from a file's position to its end.

    Args:
        file: After the line with the header.
        fields: How many columns each line has.
        wanted: Which of them to read.
        value_max: Greatest magnitude of a number.
        decimal: Sign of decimals; empty: the numbers are whole.

    Returns:
        Shape (K, N); None if a line is not plain numbers in columns.
    """
    blocks: list[NDArray[np.float64]] = []
    while block := file.read(BLOCK_BYTES):
        block += file.readline(BLOCK_BYTES)
        whole = block.endswith(b"\n")
        if not whole and file.read(1):
            return None
        rows = _block(block if whole else block + b"\n", delimiter, fields, wanted, decimal)
        if rows is None or not (np.abs(rows) <= value_max).all():
            return None
        blocks.append(rows.T)
    return np.concatenate(blocks, axis=1) if blocks else None


def read_long(
    file: IO[bytes],
    delimiter: str,
    fields: int,
    wanted: list[int],
    value_max: float,
    decimal: str,
    clock: TimeCells,
    time: int | None,
) -> NDArray[np.float64] | None:
    """Read columns of a long table, as `read_quickly`, compiled, and with stamps.

    Args:
        clock: of the file; not begun.
        time: Which of `wanted` has the times, if one has.
    """
    from hil.config.table_kernel import NO_SIGN, SKIPPED, SPAN, read_block

    if decimal == delimiter:
        return None
    blocks: list[NDArray[np.float64]] = []
    slots = np.full(fields, SKIPPED)
    slots[wanted] = np.arange(len(wanted))
    signs = ord(delimiter), ord(decimal) if decimal else NO_SIGN
    while block := file.read(BLOCK_BYTES):
        block += file.readline(BLOCK_BYTES)
        whole = block.endswith(b"\n")
        if not whole and file.read(1):
            return None
        data = np.frombuffer(block if whole else block + b"\n", dtype=np.uint8)
        most = block.count(b"\n") + 1
        if time is not None and not clock.kind:
            clock.begin(_cell(block, delimiter, wanted[time], decimal))
            slots[wanted[time]] = time if clock.kind == "numbers" else SPAN
        values, spans = np.empty((len(wanted), most)), np.empty((most, 2), np.int64)
        doubts = np.empty((len(wanted) * most, 2), np.int64)
        text = np.empty(len(data) + 1, np.uint8)
        rows, left, used = read_block(data, slots, *signs, value_max, values, spans, doubts, text)
        if rows < 1 or not _settle(values, doubts[:left], text[:used], value_max):
            return None
        if time is not None and clock.kind != "numbers":
            times = read_times(data, spans[:rows], clock, decimal)
            if times is None:
                return None
            values[time, :rows] = times
        blocks.append(values[:, :rows])
    return np.concatenate(blocks, axis=1) if blocks else None


def warm() -> None:
    """Compile the reader of long tables."""
    read_long(BytesIO(b"0;0\n"), ";", 2, [0], 1.0, ".", TimeCells(), None)


def _cell(block: bytes, delimiter: str, index: int, decimal: str) -> str:
    """A cell of the first line; empty if there is none."""
    cells = block[: block.find(b"\n")].decode("ascii", "replace").split(delimiter)
    text = cells[index] if index < len(cells) else ""
    return text.replace(",", ".") if decimal == "," else text


def _settle(
    values: NDArray[np.float64], doubts: NDArray[np.int64], text: NDArray[np.uint8], most: float
) -> bool:
    """Put the numbers that the kernel left into their places; whether they are such."""
    if len(doubts):
        numbers = np.fromstring(text[:-1].tobytes(), sep=",")
        if len(numbers) != len(doubts) or not (np.abs(numbers) <= most).all():
            return False
        values[doubts[:, 0], doubts[:, 1]] = numbers
    return True


def _block(
    block: bytes, delimiter: str, fields: int, wanted: list[int], decimal: str
) -> NDArray[np.float64] | None:
    """Rows of a block of whole lines, shape (N, K)."""
    if not block.isascii() or any(odd in b"\n" + block for odd in _ODD):
        return None
    if block.count(b"\r") != block.count(b"\r\n"):
        return None
    data = np.frombuffer(block, dtype=np.uint8)
    ends = np.flatnonzero(data == ord("\n"))
    before = np.searchsorted(np.flatnonzero(data == ord(delimiter)), ends)
    if not (np.diff(before, prepend=0) == fields - 1).all():
        return None
    if decimal != ".":
        if b"." in block or (not decimal and b"," in block):
            return None
        block = block.replace(b",", b".")
    try:
        rows = np.loadtxt(
            StringIO(block.decode("ascii")),
            delimiter=delimiter,
            usecols=wanted,
            comments=None,
            ndmin=2,
        )
    except ValueError:
        return None
    return rows if len(rows) == len(ends) else None
