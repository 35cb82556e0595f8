"""What is known of an arm's way: its last two frames, and the path of what is followed."""

import math
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from hil.scene.figure import TRACE_POINTS, Figure
from hil.scene.time import Between, advance, is_jump

Array = NDArray[np.float64]


class Track:
    """The frames of an arm station as a picture of one of its arms needs them.

    Args:
        time: where a row has its time.
        followed: where it has the pose whose path is drawn.
        least_step_m: points of the path nearer to the last one than this are left out [m].
    """

    def __init__(self, time: slice, followed: slice, least_step_m: float) -> None:
        self._time = time
        self._followed = followed
        self.trace = Trail(least_step_m)
        self.between: Between | None = None

    def take(self, rows: Array, now_s: float) -> None:
        """Learn of new frames; after a jump in time the path begins anew.

        Args:
            rows: values of frames, oldest first, shape (N, values).
            now_s: monotonic time at which they came [s].
        """
        if not len(rows):
            return
        times = rows[:, self._time][:, 0]
        if is_jump(self.between, times):
            self.trace.clear()
        self.between = advance(self.between, rows, times, now_s)
        self.trace.add(rows[:, self._followed][:, :3])

    def drawn(self, figure: Figure, note: str) -> Figure:
        """A figure with the path, and what a reader must know."""
        path = self.trace
        return replace(figure, trace_m=path.points_m, trace_serial=path.serial, note=note)


class Trail:
    """The last points of a path, oldest first.

    Args:
        least_step_m: points nearer to the last one than this are left out [m].
    """

    def __init__(self, least_step_m: float) -> None:
        self._least_m = least_step_m
        self._points: list[tuple[float, float, float]] = []
        self._array: Array | None = None
        self.serial = 0

    def add(self, points_m: Array) -> None:
        """More points [m], shape (N, 3); those that are not finite are left out."""
        added = False
        for x, y, z in points_m[np.isfinite(points_m).all(axis=1)].tolist():
            if self._points and math.dist((x, y, z), self._points[-1]) < self._least_m:
                continue
            self._points.append((x, y, z))
            added = True
        if added:
            del self._points[:-TRACE_POINTS]
            self._changed()

    def clear(self) -> None:
        """Forget the path."""
        if self._points:
            self._points.clear()
            self._changed()

    def _changed(self) -> None:
        self._array = None
        self.serial += 1

    @property
    def points_m(self) -> Array:
        """The points [m], shape (N, 3), read-only."""
        if self._array is None:
            self._array = np.array(self._points, np.float64).reshape(-1, 3)
            self._array.setflags(write=False)
        return self._array
