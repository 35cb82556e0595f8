"""Jerk of the chassis, from its true places: how smoothly a robot was driven."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Iterable
from itertools import pairwise
from typing import Final

Place = tuple[float, float, float]
"""Time [s], x and y [m]."""

EVERY_S: Final = 0.05
"""Time between two places [s]."""
MOVED_M: Final = 5e-4
"""Way between two places below which the chassis stands: 1 cm/s [m]."""


class ChassisJerk:
    """Root mean square of the jerk while the chassis moves.

    A jerk is six times the third divided difference of four places `EVERY_S` apart, which is its
    mean over 0.15 s weighted by a quadratic B-spline: vibration of contacts is not in it.
    """

    def __init__(self) -> None:
        self._places: deque[Place] = deque(maxlen=4)
        self._due_s = 0.0
        self._sum, self._count = 0.0, 0

    @property
    def rms_m_s3(self) -> float:
        """Root mean square so far [m/s³]; 0 if it has not moved."""
        return math.sqrt(self._sum / self._count) if self._count else 0.0

    def is_due(self, t_s: float) -> bool:
        """Whether a place is to be taken at a time."""
        return t_s >= self._due_s - 1e-9

    def update(self, t_s: float, x_m: float, y_m: float) -> None:
        """Take the place of the chassis at a time that is due."""
        self._due_s += EVERY_S
        self._places.append((t_s, x_m, y_m))
        if len(self._places) < 4:
            return
        ways = (math.dist(a[1:], b[1:]) for a, b in pairwise(self._places))
        if max(ways) < MOVED_M:
            return
        x, y = (_third_difference(self._places, axis) for axis in (1, 2))
        self._sum += 36.0 * (x * x + y * y)
        self._count += 1


def _third_difference(places: Iterable[Place], axis: int) -> float:
    """Third divided difference of a coordinate by time."""
    times, values = zip(*((one[0], one[axis]) for one in places), strict=True)
    for order in (1, 2, 3):
        values = tuple(
            (after - before) / (times[index + order] - times[index])
            for index, (before, after) in enumerate(pairwise(values))
        )
    return values[0]
