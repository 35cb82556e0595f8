"""Waypoints by which the controller's path is nearest to a wanted motion.

Waypoints on the motion are not the best ones: the controller joins them by chords, which lie inside
every bend, and rounds the corners inwards. Its path is a known sum of the waypoints
(`blended_path`), so those are found that make the sum fit.

Planned motion (`fit_nodes`): least squares over the whole motion, again and again with weights
that grow with a power of the error, which leads to the smallest greatest error (iteratively
reweighted least squares; Lawson's method is its kin). Each turn solves one banded system. Errors
are weighed against the greatest near by, so a hard place spoils no other one.

Live motion (`LiveNodes`): what comes next is not known, and a waypoint is not to wait for it. The
motion's velocity at the end of a period says how it bends: v T - Δp is half of what the next second
difference would be if the bend continued.

No waypoint is put further from the one before it than the limit of speed allows, or than the
motion itself goes. The gate judges corrected waypoints like any others.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solveh_banded
from scipy.ndimage import maximum_filter1d

from arm_driver.fit.blended_path import NODES, BlendModel, PathWeights

Array = NDArray[np.float64]

AXES = 3
TURNS = 18
"""Solutions of the banded system."""
POWER_MAX = 8.0
"""Power of the error that the last turns minimise; 2 at the first."""
NEAR_PERIODS = 4
"""Periods to either side within which errors compete."""
SMALL_M = 0.1e-3
"""Errors below this need no weights of their own [m]."""
LEAST_WEIGHT = 1e-3
SPEED_WEIGHT = 1e3
"""Weight of a step that is too long, against all the errors of a period."""
STIFF = 1e-6
"""Share of the largest diagonal that keeps the system regular."""
ROUNDING_M = 1e-6
"""A step may be longer by this [m]."""
TIGHT_M = 2e-5
"""A step that has only so much left is held at its limit [m]."""
LIVE_SHARE = 0.16
"""Share of v T - Δp: about twice the mean of T/8 between waypoints and h/4 at them, over T."""


def fit_nodes(path_m: Array, samples: int, model: BlendModel, step_max_m: float) -> Array:
    """Waypoints for a motion that is known as a whole; the first and the last stay.

    Args:
        path_m: the motion from the start on, at even times, shape (samples (N - 1) + 1, 3) [m].
        samples: places of the motion in a period.
        model: of the controller.
        step_max_m: longest way between two waypoints [m]; where the motion itself goes further
            its own way is the limit.

    Returns:
        Waypoints [m], shape (N, 3). None of them is worse than the motion's own places: if no
        better ones are found these are returned.
    """
    exact = path_m[::samples]
    t_s = np.arange(len(path_m), dtype=np.float64) * (model.period_s / samples)
    steps_m = np.linalg.norm(np.diff(exact, axis=0), axis=1)
    most_m = np.maximum(step_max_m, steps_m)
    reach = 2 * NEAR_PERIODS * samples + 1
    nodes = best = exact
    least, first, most = np.inf, np.empty(0), np.inf
    for turn in range(TURNS + 1):
        weights = model.weights(model.half_s(nodes), t_s)
        error = path_m - weights.of(nodes)
        size = np.linalg.norm(error, axis=1)
        near = np.maximum(maximum_filter1d(size, reach, mode="nearest"), SMALL_M)
        if turn == 0:
            first, most = near, size.max()
        score = float(np.mean((size / first) ** POWER_MAX))
        long = np.linalg.norm(np.diff(nodes, axis=0), axis=1) > most_m + ROUNDING_M
        if score < least and size.max() <= most and not long.any():
            least, best = score, nodes
        if turn == TURNS:
            break
        power = min(POWER_MAX, 2.0 + 0.5 * turn)
        level = np.maximum(size / near, 1e-12) ** (power - 2.0)
        system = _System(len(nodes))
        system.add_errors(weights, np.maximum(level, LEAST_WEIGHT), error)
        system.add_steps(nodes, most_m, SPEED_WEIGHT * samples, power - 1.0)
        nodes = nodes + system.solved() / (power - 1.0)
    return np.array(best)


class LiveNodes:
    """Waypoints for a motion of which only the past is known.

    Args:
        start_m: where it begins, at rest [m], shape (3,).
        step_max_m: longest way between two waypoints [m].
    """

    def __init__(self, start_m: Array, period_s: float, step_max_m: float) -> None:
        self._period_s = period_s
        self._step_max_m = step_max_m
        self._place = self._node = np.array(start_m)

    def node_m(self, place_m: Array, velocity_m_s: Array) -> Array:
        """The waypoint for where the motion is, and how fast, at the end of a period.

        Args:
            place_m: of the gripper [m], shape (3,).
            velocity_m_s: of it [m/s], shape (3,).
        """
        step_m = place_m - self._place
        wanted = place_m - LIVE_SHARE * (velocity_m_s * self._period_s - step_m)
        most_m = max(self._step_max_m, float(np.linalg.norm(step_m)))
        step = wanted - self._node
        length = float(np.linalg.norm(step))
        self._place = np.array(place_m)
        self._node = wanted if length <= most_m else self._node + step * (most_m / length)
        return self._node


class _System:
    """Normal equations of a change of the waypoints: x, y, z of each, in one band.

    Args:
        count: of waypoints.
    """

    def __init__(self, count: int) -> None:
        self._count = count
        self._band = np.zeros((AXES * NODES, AXES * count))
        self._right = np.zeros((count, AXES))

    def add_errors(self, weights: PathWeights, level: Array, error: Array) -> None:
        """Weigh the errors of the path [m], shape (M, 3), each with its level, shape (M,)."""
        for row in range(NODES):
            place = np.clip(weights.first + row, 0, self._count - 1)
            share = level * weights.share[:, row]  # 0 where there is no waypoint
            for axis in range(AXES):
                self._right[:, axis] += np.bincount(place, share * error[:, axis], self._count)
            for apart in range(NODES - row):
                product = share * weights.share[:, row + apart]
                total = np.bincount(place, product, self._count).astype(np.float64)
                for axis in range(AXES):
                    self._add(AXES * apart, AXES * np.arange(self._count) + axis, total)

    def add_steps(self, nodes: Array, most_m: Array, weight: float, whole: float) -> None:
        """Bring steps that are too long back to what they may be; `whole` undoes the damping."""
        steps = np.diff(nodes, axis=0)
        length = np.linalg.norm(steps, axis=1)
        (tight,) = np.nonzero(length > most_m - TIGHT_M)
        along = steps[tight] / length[tight, None]
        excess = whole * (length - most_m)[tight, None] * along
        np.add.at(self._right, tight, weight * excess)
        np.add.at(self._right, tight + 1, -weight * excess)
        for one in range(AXES):
            for other in range(AXES):
                product = weight * along[:, one] * along[:, other]
                if other >= one:
                    for end in (0, 1):
                        self._add(other - one, AXES * (tight + end) + one, product)
                self._add(AXES + other - one, AXES * tight + one, -product)

    def _add(self, apart: int, first: NDArray[np.intp], values: Array) -> None:
        """Add to the entries that are `apart` beside the diagonal."""
        column = first + apart
        inside = column < AXES * self._count
        np.add.at(self._band[-1 - apart], column[inside], values[inside])

    def solved(self) -> Array:
        """The change, shape (N, 3); start and end stay."""
        self._band[-1] += STIFF * self._band[-1].max()
        self._right[[0, -1]] = 0.0
        self._band[-1, :AXES] *= 1e12
        self._band[-1, -AXES:] *= 1e12
        change = solveh_banded(self._band, self._right.ravel()).reshape(-1, AXES)
        change[[0, -1]] = 0.0
        return change
