"""Arrays of a value for each row of a recording: of a long one in a file that has no name."""

import mmap
import os
import tempfile
from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

MOST_BYTES: Final = 4 * 1024 * 1024
"""Largest size of an array that is kept in memory [bytes]."""


def gathered(parts: Iterable[NDArray[Any]], beside: Path) -> NDArray[Any]:
    """Parts that follow each other as one array, read-only; a single part is that array itself.

    What is longer than `MOST_BYTES` goes to a file that is gone with the array, or the process. It
    takes memory where it was looked at, until `let_go`.

    Args:
        parts: at least one, alike but for their lengths.
        beside: folder of the file; the system's for such files where it cannot be written.

    Raises:
        OSError: if there is no space.
    """
    rest = iter(parts)
    first = next(rest)
    second = next(rest, None)
    whole = first if second is None else _in_file(chain((first, second), rest), first, beside)
    whole.setflags(write=False)
    return whole


def let_go(array: NDArray[Any]) -> None:
    """Give back the memory of what was looked at, if the array is in a file; it stays as it is."""
    base: object = array
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):
        base = base.obj
    if isinstance(base, mmap.mmap) and hasattr(mmap, "MADV_DONTNEED"):
        base.madvise(mmap.MADV_DONTNEED)


def _in_file(parts: Iterable[NDArray[Any]], like: NDArray[Any], beside: Path) -> NDArray[Any]:
    folder = str(beside) if os.access(beside, os.W_OK) else None
    with tempfile.SpooledTemporaryFile(MOST_BYTES, dir=folder) as file:
        for part in parts:
            file.write(part.tobytes())
        data: bytes | mmap.mmap
        if file.tell() <= MOST_BYTES:
            file.seek(0)
            data = file.read()
        else:
            file.flush()
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    return np.frombuffer(data, like.dtype).reshape(-1, *like.shape[1:])
