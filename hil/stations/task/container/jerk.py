"""Jerk of the chassis, from its true places: how smoothly a robot was driven."""

from __future__ import annotations

import math
from collections import deque
from typing import Final

Place = tuple[float, float]

EVERY_S: Final = 0.05
"""Time between two places [s]."""
MOVED_M: Final = 5e-4
"""Way between two places below which the chassis stands: 1 cm/s [m]."""


class ChassisJerk:
    """Root mean square of the jerk while the chassis moves.

    A jerk is the third difference of four places `EVERY_S` apart, which is its mean over 0.15 s
    weighted by a quadratic B-spline: vibration of contacts is not in it.
    """

    def __init__(self) -> None:
        self._places: deque[Place] = deque(maxlen=4)
        self._last: tuple[float, float, float] | None = None
        self._due_s = 0.0
        self._sum, self._count = 0.0, 0

    @property
    def rms_m_s3(self) -> float:
        """Root mean square so far [m/s³]; 0 if it has not moved."""
        return math.sqrt(self._sum / self._count) if self._count else 0.0

    def update(self, t_s: float, x_m: float, y_m: float) -> None:
        """Take the place of the chassis at a time that rises."""
        before, self._last = self._last, (t_s, x_m, y_m)
        if before is None:
            self._due_s = t_s
            before = self._last
        while self._due_s <= t_s + 1e-9:
            span_s = t_s - before[0]
            share = 1.0 if span_s <= 0.0 else min(1.0, (self._due_s - before[0]) / span_s)
            self._take(
                (before[1] + share * (x_m - before[1]), before[2] + share * (y_m - before[2]))
            )
            self._due_s += EVERY_S

    def _take(self, place: Place) -> None:
        self._places.append(place)
        if len(self._places) < 4:
            return
        a, b, c, d = self._places
        if max(math.dist(a, b), math.dist(b, c), math.dist(c, d)) < MOVED_M:
            return
        x, y = (d[axis] - 3.0 * c[axis] + 3.0 * b[axis] - a[axis] for axis in (0, 1))
        self._sum += (x * x + y * y) / EVERY_S**6
        self._count += 1
