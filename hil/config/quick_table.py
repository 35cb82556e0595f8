"""Numbers of a well-formed table, quickly: blocks of whole lines through NumPy's own parser.

What is not plainly well-formed is not judged here: the answer is None, and the exact reader
(`hil.config.tables`) reads the file anew, or names the fault with its line.
"""

from io import StringIO
from typing import IO, Final

import numpy as np
from numpy.typing import NDArray

BLOCK_BYTES: Final = 1_000_000
"""Read at once; parsing takes some twenty times this for a moment."""
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
    """Read columns of a table, from where a file stands to its end.

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
