"""Decimation of sixty thousand samples to a line per pixel that still shows every extreme.

Samples are put into buckets of equal number, counted from the first sample ever, not from the edge
of the picture: buckets that are full never change, so a picture that moves does not flicker, and
only what came since the last picture has to be looked at.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hil.panel.scope.models.ring import Window

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Polyline:
    """A signal as it is drawn."""

    x: Array
    """Times [s], (n,)."""
    y: Array
    """Values, (n,); NaN breaks the line."""


def bucket_size(samples: int, pixels: int) -> int:
    """Samples in a bucket so that a picture has at most one bucket per pixel, at least 1."""
    return max(1, -(-samples // max(1, pixels)))


class Envelope:
    """Smallest and largest value in each bucket, of some signals, made as samples come."""

    def __init__(self) -> None:
        self._key: tuple[int, int, tuple[int, ...]] = (-1, 0, ())
        self._start = 0  # number of the first bucket that is kept
        self._stop = 0  # number after that of the last one
        self._store = np.empty((0, 4, 0))  # signal × (low, high, first, last) × bucket
        self._centres = np.empty(0)

    def lines(self, window: Window, columns: Sequence[int], bucket: int) -> list[Polyline]:
        """Lines of a window.

        Args:
            window: what is drawn, with NaN where there is nothing.
            columns: which rows of its values.
            bucket: samples in a bucket; 1 draws every sample.

        Returns:
            One line for each of the columns. Every extreme of the window is on it; where a hole
            reaches the edge of a bucket, the line is broken.
        """
        if bucket <= 1 or len(window) <= 2:
            return [Polyline(window.t_s, window.values[column]) for column in columns]
        key = (window.epoch, bucket, tuple(columns))
        head = -(-window.first // bucket)  # first bucket that is whole in this window
        tail = window.end // bucket
        if head > tail:
            return self._joined([_part(window, columns)])
        parts = self._whole(window, key, head, tail) if head < tail else []
        if head * bucket > window.first:
            parts.insert(0, _part(window.part(0, head * bucket - window.first), columns))
        if tail * bucket < window.end:
            parts.append(_part(window.part(tail * bucket - window.first, len(window)), columns))
        return self._joined(parts)

    def _whole(
        self, window: Window, key: tuple[int, int, tuple[int, ...]], head: int, tail: int
    ) -> list[tuple[Array, Array]]:
        """Buckets head to tail - 1, which are full; those that are known already are kept."""
        if key != self._key or head < self._start or head > self._stop:
            self._key = key
            self._start = self._stop = head
        self._extend(window, tail)
        place = slice(head - self._start, tail - self._start)
        return [(self._centres[place], self._store[:, :, place])]

    def _extend(self, window: Window, tail: int) -> None:
        """Make the buckets up to tail; those before the window are given up when room is short."""
        _, bucket, columns = self._key
        if tail <= self._stop:
            return
        low = self._stop * bucket - window.first
        high = tail * bucket - window.first
        self._grow(window, tail, bucket, len(columns))
        place = slice(self._stop - self._start, tail - self._start)
        for row, column in enumerate(columns):
            cells = window.values[column, low:high].reshape(-1, bucket)
            self._store[row, 0, place] = np.fmin.reduce(cells, axis=1)
            self._store[row, 1, place] = np.fmax.reduce(cells, axis=1)
            self._store[row, 2, place] = cells[:, 0]
            self._store[row, 3, place] = cells[:, -1]
        times = window.t_s[low:high].reshape(-1, bucket)
        self._centres[place] = 0.5 * (times[:, 0] + times[:, -1])
        self._stop = tail

    def _grow(self, window: Window, tail: int, bucket: int, signals: int) -> None:
        if self._store.shape[0] == signals and tail - self._start <= self._store.shape[2]:
            return
        head = max(self._start, -(-window.first // bucket))
        kept = slice(head - self._start, self._stop - self._start)
        store = np.empty((signals, 4, 2 * (tail - head) + 64))
        centres = np.empty(store.shape[2])
        if self._stop > head:
            store[:, :, : self._stop - head] = self._store[:, :, kept]
            centres[: self._stop - head] = self._centres[kept]
        self._store, self._centres = store, centres
        self._start, self._stop = head, max(head, self._stop)

    @staticmethod
    def _joined(parts: list[tuple[Array, Array]]) -> list[Polyline]:
        """Buckets → lines: low and high of each, and a break where a hole reaches its edge."""
        centres = np.concatenate([centre for centre, _ in parts])
        cells = np.concatenate([cell for _, cell in parts], axis=2)
        broken = np.isnan(cells[:, 3, :])  # its last sample is not there, or the next one's first
        broken[:, :-1] |= np.isnan(cells[:, 2, 1:])
        stride = 3 if broken[:, :-1].any() else 2  # a third point only where one is needed
        x = np.repeat(centres, stride)
        points = np.empty((len(cells), len(x)))
        points[:, 0::stride] = cells[:, 0]
        points[:, 1::stride] = cells[:, 1]
        if stride == 3:
            points[:, 2::3] = np.where(broken, np.nan, cells[:, 1])
        return [Polyline(x, line) for line in points]


def _part(window: Window, columns: Sequence[int]) -> tuple[Array, Array]:
    """A bucket that is not full: at an edge of the window."""
    values = window.values[list(columns)]
    cells = np.stack(
        [
            np.fmin.reduce(values, axis=1),
            np.fmax.reduce(values, axis=1),
            values[:, 0],
            values[:, -1],
        ],
        axis=1,
    )[:, :, None]
    return np.array([0.5 * (window.t_s[0] + window.t_s[-1])]), cells
