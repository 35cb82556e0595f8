"""The last minutes of every signal, in memory taken once.

Each sample is written twice, half a buffer apart, so that any window of the history is one
contiguous view of a row and nothing is ever moved or copied to be read. Memory is
``2 · 8 B · signals · samples``: 75 signals of 60 s at 1 kHz take 72 MB, of 600 s 720 MB; the
system gives pages only as they are filled.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

GAP_PERIODS: Final = 2.5
"""Samples farther apart than this many periods have a hole between them."""


@dataclass(frozen=True, slots=True, eq=False)
class Window:
    """A stretch of history; views that hold until the ring is written to, unless `kept`."""

    epoch: int
    """Differs where numbers of samples mean other samples."""
    first: int
    """Number of the first sample since the epoch began."""
    t_s: Array
    """Motion times [s], (n,), rising."""
    values: Array
    """One row a signal, (signals, n); NaN = not there."""

    def __len__(self) -> int:
        return len(self.t_s)

    @property
    def end(self) -> int:
        """Number after that of the last sample."""
        return self.first + len(self.t_s)

    def between(self, from_s: float, to_s: float) -> "Window":
        """The part with times from_s to to_s [s], both included."""
        low = int(np.searchsorted(self.t_s, from_s, side="left"))
        high = int(np.searchsorted(self.t_s, to_s, side="right"))
        return self.part(low, max(low, high))

    def part(self, low: int, high: int) -> "Window":
        """The part of samples low to high - 1, counted from the first one here."""
        return Window(self.epoch, self.first + low, self.t_s[low:high], self.values[:, low:high])

    def kept(self) -> "Window":
        """The same in memory of its own, read-only: it stays when the ring is filled further."""
        t_s, values = self.t_s.copy(), self.values.copy()
        t_s.setflags(write=False)
        values.setflags(write=False)
        return Window(self.epoch, self.first, t_s, values)


class SignalHistory:
    """History of a fixed number of signals.

    Args:
        time_column: which signal is the motion time.

    Raises:
        ValueError: if there is no room for a sample.
    """

    def __init__(self, signals: int, samples: int, period_s: float, time_column: int) -> None:
        if samples < 1 or signals < 1 or not period_s > 0.0:
            raise ValueError(
                f"ring of {signals} signals, {samples} samples, {period_s} s: at least 1 of each "
                "and a period above 0 s are needed"
            )
        self.samples = samples
        self._values = np.empty((signals, 2 * samples))
        self._times = np.empty(2 * samples)
        self._gap_s = GAP_PERIODS * period_s
        self._time_column = time_column
        self._last_s = -np.inf
        self._lent: Array | None = None
        self.epoch = 0
        """Rises when all is forgotten."""
        self.total = 0
        """Samples since the epoch began, holes counted as one each."""

    def clear(self) -> None:
        """Forget all."""
        self.epoch += 1
        self.total = 0
        self._last_s = -np.inf
        self._lent = None

    def replace(self, rows: Array) -> None:
        """Forget all and take frames that never change, such as those of a recording.

        They are not copied until others follow, so that a recording can be moved through quickly;
        but for those that are kept of many, which would keep all of these in memory.

        Args:
            rows: (n, signals), read-only.
        """
        self.clear()
        if len(rows) > 2 * self.samples:
            rows = rows[-self.samples :].copy()
            rows.setflags(write=False)
        rows = rows[-self.samples :]
        times = rows[:, self._time_column]
        steps = np.diff(times)
        if rows.flags.writeable or ((steps <= 0.0) | (steps > self._gap_s)).any():
            self.push(rows)
        elif len(rows):
            self._lent = rows
            self._last_s = float(times[-1])
            self.total = len(rows)

    def push(self, rows: Array) -> None:
        """Take frames, oldest first.

        A hole in time gets one sample of NaN, so that no line is drawn across. Time that goes back
        is another run: what was before is forgotten.

        Args:
            rows: (n, signals).
        """
        if not len(rows):
            return
        if self._lent is not None:
            lent, self._lent = self._lent, None
            self.total = 0
            self._write(lent, lent[:, self._time_column])
        times = rows[:, self._time_column]
        steps = np.diff(times, prepend=self._last_s)
        back = np.flatnonzero(steps <= 0.0)
        if len(back):
            self.clear()
            self.push(rows[back[-1] :])
            return
        holes = np.flatnonzero((steps > self._gap_s) & np.isfinite(steps))
        if len(holes):
            before = np.concatenate(([self._last_s], times))[holes]
            rows = np.insert(rows, holes, np.nan, axis=0)
            times = np.insert(times, holes, 0.5 * (before + times[holes]))
            rows[:, self._time_column] = times
        self._last_s = float(times[-1])
        self._write(rows, times)

    @property
    def window(self) -> Window:
        """All that is kept, as views."""
        if self._lent is not None:
            return Window(self.epoch, 0, self._lent[:, self._time_column], self._lent.T)
        length = min(self.total, self.samples)
        first = self.total - length
        start = first % self.samples
        place = slice(start, start + length)
        return Window(self.epoch, first, self._times[place], self._values[:, place])

    def _write(self, rows: Array, times: Array) -> None:
        self.total += max(0, len(rows) - self.samples)  # the oldest of them would not be kept
        rows, times = rows[-self.samples :], times[-self.samples :]
        done = 0
        while done < len(rows):
            at = self.total % self.samples
            count = min(len(rows) - done, self.samples - at)
            piece, stamps = rows[done : done + count].T, times[done : done + count]
            for start in (at, at + self.samples):
                self._values[:, start : start + count] = piece
                self._times[start : start + count] = stamps
            done += count
            self.total += count
