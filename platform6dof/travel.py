"""Travel of each coordinate from a pose to the first limit."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

STEP = 2e-3
"""March step [m or rad]: an excursion beyond a limit shorter than this may be stepped over."""
EXACT = 1e-7
"""Width at which the bisection ends [m or rad]."""
CHUNK = 32
"""Steps computed at once."""


@dataclass(frozen=True, slots=True, eq=False)
class Exit:
    """Point where a straight line in coordinates leaves the envelope."""

    travel: float
    """Distance gone inside [m or rad], at least 0."""
    outside: Array | None
    """Coordinates just beyond the limit, shape (6,); None if the line was followed to its end
    inside."""


def first_exit(
    worst: Callable[[Array], Array], start: Array, axis: int, sign: int, reach: float
) -> Exit:
    """March along one coordinate, then bisect the step on which the first limit fell.

    Args:
        worst: for coordinates, shape (N, 6), the smallest margin of each, shape (N,); a pose is
            inside if it is 0 or more.
        start: coordinates to start from [m, rad], shape (6,).
        axis: which coordinate moves, 0..5.
        sign: +1 or -1.
        reach: how far to look [m or rad].
    """
    if not worst(start[None, :])[0] >= 0.0:
        return Exit(0.0, start)

    def at(distance: Array) -> Array:
        line = np.repeat(start[None, :], len(distance), axis=0)  # (n, 6)
        line[:, axis] += sign * distance
        return line

    inside = 0.0
    while inside < reach:
        distances = np.minimum(inside + STEP * np.arange(1, CHUNK + 1), reach)
        good = worst(at(distances)) >= 0.0
        if not good.all():
            first = int(np.argmin(good))
            low = float(distances[first - 1]) if first > 0 else inside
            return _bisect(worst, at, low, float(distances[first]))
        inside = float(distances[-1])
    return Exit(reach, None)


def _bisect(
    worst: Callable[[Array], Array], at: Callable[[Array], Array], low: float, high: float
) -> Exit:
    """Narrow down a crossing between ``low`` (inside) and ``high`` (outside)."""
    while high - low > EXACT:
        middle = 0.5 * (low + high)
        if worst(at(np.array([middle])))[0] >= 0.0:
            low = middle
        else:
            high = middle
    return Exit(low, at(np.array([high]))[0])
