"""Columns of a recording: few rows are in memory, many are unpacked where they are asked for."""

from array import array
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hil.recording.header import RecordingError
from hil.recording.mcap_scan import Caps, Scan, Unpacked
from hil.recording.row_file import message_dtype
from hil.recording.rows import column_of, dtype_of
from hil.recording.signals import Signal, Signals


class StoredRows:
    """The rows that were found in the files of a run, in order.

    Args:
        caps: how much memory they may take; of more the places in the files are kept.
    """

    def __init__(self, signals: Signals, caps: Caps) -> None:
        self.signals = signals
        self.caps = caps
        self._dtype = dtype_of(signals)
        self._kept: list[NDArray[np.uint8]] | None = []
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

    def __getitem__(self, places: slice) -> NDArray[Any]:
        """Rows that follow each other, of the table's dtype.

        Raises:
            RecordingError: if the file is not any more what it was when it was opened.
        """
        none = np.empty((0, self.signals.size), np.uint8)
        if self._kept is None:
            first, end, _ = places.indices(self._count)
            rows = np.concatenate([none, *self._unpacked(first, end)])
        else:
            rows = np.concatenate([none, *self._kept])[places]
        return rows.reshape(-1).view(self._dtype)

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
    its memory until it is let go; `part` gives some rows. Columns that are asked for in order, from
    the first on, are read ahead: as many in one pass over the file as `Caps.ahead` allows.
    """

    def __init__(self, signals: Signals, rows: StoredRows | NDArray[Any]) -> None:
        self._signals = signals
        self._rows = rows[:] if isinstance(rows, StoredRows) and rows.in_memory else rows
        self._found: dict[str, NDArray[Any]] = {}
        """Columns of rows in memory; of others, those read ahead and not asked for yet."""
        self._next = signals.shown[0]
        """First column of the next pass that reads ahead."""
        self._shown = {signal.name: signal for signal in signals.shown}

    @property
    def cycles(self) -> int:
        """Number of rows."""
        return len(self._rows)

    @property
    def in_memory(self) -> bool:
        """Whether the rows are in memory."""
        return not isinstance(self._rows, StoredRows)

    def part(self, first: int, end: int) -> "Columns":
        """Rows from a place to before another; they are in memory."""
        return Columns(self._signals, self._rows[first:end])

    def __len__(self) -> int:
        return len(self._shown)

    def __iter__(self) -> Iterator[str]:
        return iter(self._shown)

    def __contains__(self, name: object) -> bool:
        return name in self._shown

    def __getitem__(self, name: str) -> NDArray[Any]:
        signal, rows = self._shown[name], self._rows
        if not isinstance(rows, StoredRows):
            if name not in self._found:
                self._found[name] = column_of(signal, rows)
            return self._found[name]
        if (ahead := self._found.pop(name, None)) is not None:
            return ahead
        if signal is not self._next:
            return self._of_all_rows([signal])[name]
        found = self._of_all_rows(self._from(signal, rows.caps.ahead // (8 * self.cycles)))
        column, self._found = found.pop(name), found
        return column

    def _from(self, signal: Signal, values: int) -> Sequence[Signal]:
        """A signal and those after it, of so many values a row; the pass is noted."""
        shown, places = self._signals.shown, self._signals.places
        start, most = shown.index(signal), places[signal.name].start + values
        end = max(start + 1, bisect_right([places[one.name].stop for one in shown], most))
        self._next = shown[end % len(shown)]
        return shown[start:end]

    def _of_all_rows(self, signals: Sequence[Signal]) -> dict[str, NDArray[Any]]:
        """Columns of rows that are not in memory, put together in one pass over them."""
        none, columns = self._rows[:0], dict[str, NDArray[Any]]()
        for signal in signals:
            like = column_of(signal, none)
            columns[signal.name] = np.empty((self.cycles, *like.shape[1:]), like.dtype)
        for first, end in self.stretches():
            rows = self._rows[first:end]
            for signal in signals:
                columns[signal.name][first:end] = column_of(signal, rows)
        for column in columns.values():
            column.flags.writeable = False
        return columns

    def stretches(self) -> Iterator[tuple[int, int]]:
        """First row and row behind the last of each piece that is looked at by itself."""
        size = max(self.cycles, 1)
        if isinstance(self._rows, StoredRows):
            size = max(1, self._rows.caps.piece // self._signals.size)
        for first in range(0, max(self.cycles, 1), size):
            yield first, min(first + size, self.cycles)
