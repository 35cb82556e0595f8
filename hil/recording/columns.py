"""Columns of a recording: few rows are in memory, many are unpacked where they are asked for."""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.recording.header import RecordingError
from hil.recording.mcap_scan import Caps, Scan, Unpacked
from hil.recording.row_file import message_dtype
from hil.recording.rows import column_of, dtype_of
from hil.recording.signals import Signals


class StoredRows:
    """The rows that were found in the files of a run, in order.

    Args:
        caps: how much memory they may take; of more the places in the files are kept.
    """

    def __init__(self, signals: Signals, caps: Caps) -> None:
        self.signals = signals
        self.caps = caps
        self._kept: list[NDArray[np.uint8]] | None = []
        self._whole: NDArray[np.uint8] | None = None
        """Those kept as one, once they are looked at."""
        self._count = 0
        self._scans: list[Scan] = []
        self._stretches = array("q")
        """Of each: file, place and bytes of its chunk, place in what that unpacks to, messages."""
        self._firsts = array("q")
        self._chosen: dict[int, NDArray[np.bool_]] = {}
        """Which messages of a stretch are its rows, where not all are."""
        self._last: tuple[tuple[int, int], bytes] = (-1, -1), b""

    def __len__(self) -> int:
        return self._count

    @property
    def in_memory(self) -> bool:
        """Whether they are in memory."""
        return self._kept is not None

    def add(
        self, scan: Scan, chunk: Unpacked, at: int, messages: NDArray[Any],
        chosen: NDArray[np.bool_],
    ) -> None:  # fmt: skip
        """Take the chosen of messages that follow each other in a chunk from a place on."""
        rows = messages["data"]
        if not chosen.all():
            rows = rows[chosen]
            self._chosen[len(self._firsts)] = chosen
        if not self._scans or self._scans[-1] is not scan:
            self._scans.append(scan)
        self._firsts.append(self._count)
        piece = chunk.piece
        self._stretches.extend((len(self._scans) - 1, piece.at, piece.length, at, len(messages)))
        self._count += len(rows)
        if self._kept is not None:
            self._kept.append(rows)
            if self._count * self.signals.size > self.caps.kept:
                self._kept = None

    def read(self, first: int, end: int) -> NDArray[Any]:
        """Rows from a place to before another, of the table's dtype.

        Raises:
            RecordingError: if the file is not any more what it was when it was opened.
        """
        none = np.empty((0, self.signals.size), np.uint8)
        if self._kept is None:
            rows = np.concatenate([none, *self._unpacked(first, end)])
        else:
            if self._whole is None:
                self._whole, self._kept = np.concatenate([none, *self._kept]), []
            rows = self._whole[first:end]
        return rows.reshape(-1).view(dtype_of(self.signals))

    def _unpacked(self, first: int, end: int) -> Iterator[NDArray[np.uint8]]:
        number = bisect_right(self._firsts, first) - 1
        while number < len(self._firsts) and (start := self._firsts[number]) < end:
            rows = self._stretch(number)
            yield rows[max(first - start, 0) : end - start]
            number += 1

    def _stretch(self, number: int) -> NDArray[np.uint8]:
        file, at, length, inside, count = self._stretches[5 * number : 5 * number + 5]
        key = (file, at)
        last = self._last  # looked at once: another thread may read as well
        if last[0] != key:
            last = self._last = key, self._scans[file].unpack_again(at, length)
        kind = message_dtype(self.signals.size)
        if len(last[1]) < inside + count * kind.itemsize:
            raise RecordingError(f"{self._scans[file].path}: changed while it was read")
        rows = np.frombuffer(last[1], kind, count, inside)["data"]
        chosen = self._chosen.get(number)
        return rows if chosen is None else rows[chosen]


class Columns(Mapping[str, NDArray[Any]]):
    """Signal → its values in all rows, (N,) or (N, count), read-only; NaN = not there.

    A column of rows that are not in memory is put together when it is asked for, and takes
    its memory until it is let go; `part` gives some rows.
    """

    def __init__(self, signals: Signals, rows: StoredRows | NDArray[Any]) -> None:
        self._signals = signals
        self._rows = rows
        self._found: dict[str, NDArray[Any]] = {}
        self._shown = {signal.name: signal for signal in signals.shown}

    @property
    def cycles(self) -> int:
        """Number of rows."""
        return len(self._rows)

    @property
    def in_memory(self) -> bool:
        """Whether the rows are in memory."""
        return not isinstance(self._rows, StoredRows) or self._rows.in_memory

    def part(self, first: int, end: int) -> "Columns":
        """Rows from a place to before another; they are in memory."""
        return Columns(self._signals, self._read(first, end))

    def __len__(self) -> int:
        return len(self._shown)

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __contains__(self, name: object) -> bool:
        return name in self._shown

    def __getitem__(self, name: str) -> NDArray[Any]:
        signal = self._shown[name]
        if not self.in_memory:
            parts = (column_of(signal, self._read(*ends)) for ends in self.stretches())
            return _joined(self.cycles, parts)
        if name not in self._found:
            self._found[name] = column_of(signal, self._read(0, self.cycles))
        return self._found[name]

    def stretches(self) -> Iterator[tuple[int, int]]:
        """First row and row behind the last of each piece that is looked at by itself."""
        size = max(self.cycles, 1)
        if isinstance(self._rows, StoredRows) and not self._rows.in_memory:
            size = max(1, self._rows.caps.piece // self._signals.size)
        for first in range(0, max(self.cycles, 1), size):
            yield first, min(first + size, self.cycles)

    def _read(self, first: int, end: int) -> NDArray[Any]:
        if isinstance(self._rows, StoredRows):
            return self._rows.read(first, end)
        return self._rows[first:end]


def _joined(count: int, parts: Iterator[NDArray[Any]]) -> NDArray[Any]:
    """Parts of a column as one, read-only."""
    whole: NDArray[Any] | None = None
    at = 0
    for part in parts:
        if whole is None:
            whole = np.empty((count, *part.shape[1:]), part.dtype)
        whole[at : at + len(part)] = part
        at += len(part)
    if whole is None or at != count:
        raise RecordingError("the recording changed while it was read")
    whole.flags.writeable = False
    return whole
