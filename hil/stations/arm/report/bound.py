"""The least error in time that any waypoints could have reached, where a run was furthest off.

For waypoints in reach the controller's path is a sum of four of them
(`arm_driver.fit.blended_path`), so the smallest greatest error is a convex problem: linear in the
waypoints, with a ball around each place of the motion. Balls and steps longer than the limit of
speed are cut by planes, one more wherever the solution of a linear programme leaves one (Kelley's
method of cutting planes); each intermediate solution is a bound from below. Only a window about the
worst places is evaluated: what no waypoints can reach there none can reach in the whole motion.
What is near in time is near in space.
"""

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

from arm_driver.fit.blended_path import NODES, BlendModel

Array = NDArray[np.float64]

WINDOW: Final = 6
"""Periods of a window."""
WINDOWS: Final = 2
"""Number of places that are evaluated."""
ROOM_M: Final = 5e-3
"""Largest distance of a waypoint from the one that was sent [m]."""
CUTS_MAX: Final = 25
"""Rounds of cutting planes."""
STRIDE: Final = 4
"""Spacing of the places whose cutting planes are used from the beginning."""
EXACT: Final = 5e-3
"""Relative gap between bound and solution at which it is good enough."""
MM: Final = 1e3
"""The programme reckons in millimetres: solvers have absolute tolerances."""


@dataclass(frozen=True, slots=True)
class BestPath:
    """The least error that waypoints can reach."""

    least_m: float
    """None reaches less than this over the window [m]."""
    begin_s: float
    end_s: float


def best_path(
    model: BlendModel,
    nodes_m: Array,
    path_m: Array,
    samples: int,
    t_s: Array,
    distance_m: Array,
    step_max_m: float,
) -> BestPath:
    """Return the hardest of the places at which a path was furthest off.

    Args:
        nodes_m: waypoints that were sent, the start among them [m], shape (N, 3).
        path_m: the motion at even times [m], shape (samples (N - 1) + 1, 3).
        samples: places of the motion in a period.
        t_s: motion times of the errors [s], shape (M,).
        distance_m: errors [m], shape (M,).
        step_max_m: longest distance between two waypoints [m].
    """
    found: list[BestPath] = []
    left = np.array(distance_m)
    for _ in range(WINDOWS):
        worst_s = float(t_s[np.argmax(left)])
        first = round(worst_s / model.period_s) - WINDOW // 2
        first = max(0, min(first, len(nodes_m) - 1 - WINDOW))
        last = min(first + WINDOW, len(nodes_m) - 1)
        window = _Window(model, nodes_m, path_m, samples, (first, last), step_max_m)
        begin_s, end_s = first * model.period_s, last * model.period_s
        found.append(BestPath(window.least_m(), begin_s, end_s))
        left[(t_s >= begin_s) & (t_s <= end_s)] = 0.0
    return max(found, key=lambda one: one.least_m)


class _Window:
    """One window as a linear programme: changes of its waypoints [mm], and the error [mm]."""

    def __init__(
        self,
        model: BlendModel,
        nodes_m: Array,
        path_m: Array,
        samples: int,
        window: tuple[int, int],
        step_max_m: float,
    ) -> None:
        first, last = window
        place = np.arange(first * samples, last * samples + 1)
        weights = model.weights(
            model.half_s(nodes_m), place.astype(np.float64) * (model.period_s / samples)
        )
        self._first = max(0, first - 1)
        self._nodes = MM * nodes_m[self._first : min(last + 2, len(nodes_m))]
        self._fixed = (self._first == 0, last + 2 >= len(nodes_m))
        self._share = np.zeros((len(place), len(self._nodes)))
        for column in range(NODES):
            node = weights.first + column - self._first
            there = np.flatnonzero((weights.share[:, column] != 0.0) & (node >= 0))
            there = there[node[there] < len(self._nodes)]
            self._share[there, node[there]] += weights.share[there, column]
        self._error = MM * (weights.of(nodes_m) - path_m[place])
        steps = np.linalg.norm(np.diff(self._nodes, axis=0), axis=1)
        self._most = np.maximum(MM * step_max_m, steps)
        self._rows: list[Array] = []
        self._right: list[float] = []

    def least_m(self) -> float:
        """Return a bound from below of the greatest error in the window [m]."""
        for axis in np.vstack([np.eye(3), -np.eye(3)]):
            for place in range(0, len(self._error), STRIDE):
                self._cut_error(place, axis)
        least = 0.0
        for _ in range(CUTS_MAX):
            change, least = self._solved()
            error = self._error + self._share @ change
            size = np.linalg.norm(error, axis=1)
            steps = np.diff(self._nodes + change, axis=0)
            length = np.linalg.norm(steps, axis=1)
            long = np.flatnonzero(length > self._most * (1.0 + 1e-6))
            outside = np.flatnonzero(size > least * (1.0 + EXACT))
            for step in long.tolist():
                self._cut_step(step, steps[step] / length[step])
            for place in outside.tolist():
                self._cut_error(place, error[place] / size[place])
            if not len(outside) and not len(long):
                break
        return least / MM

    def _cut_error(self, place: int, direction: Array) -> None:
        row = np.append(np.outer(self._share[place], direction).ravel(), -1.0)
        self._rows.append(row)
        self._right.append(-float(direction @ self._error[place]))

    def _cut_step(self, step: int, direction: Array) -> None:
        row = np.zeros(self._nodes.size + 1)
        row[3 * step : 3 * step + 3], row[3 * step + 3 : 3 * step + 6] = -direction, direction
        now = float(direction @ (self._nodes[step + 1] - self._nodes[step]))
        self._rows.append(row)
        self._right.append(float(self._most[step]) - now)

    def _solved(self) -> tuple[Array, float]:
        """Return the changes with the least error that keep all planes, and that error [mm]."""
        size = self._nodes.size
        bounds = np.full((size + 1, 2), (-MM * ROOM_M, MM * ROOM_M))
        bounds[-1] = 0.0, np.inf
        if self._fixed[0]:
            bounds[:3] = 0.0
        if self._fixed[1]:
            bounds[size - 3 : size] = 0.0
        cost = np.append(np.zeros(size), 1.0)
        found = linprog(
            cost, csr_matrix(np.array(self._rows)), np.array(self._right), bounds=bounds,
            method="highs",
        )  # fmt: skip
        if found.x is None:
            return np.zeros_like(self._nodes), 0.0
        return found.x[:-1].reshape(-1, 3), float(found.x[-1])
