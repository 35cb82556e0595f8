"""Least value of a quantity over a box of poses: corners, a sample, and a search from the best."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from platform6dof.workspace.leg_extremes import PoseBox, corners

Array = NDArray[np.float64]

SAMPLE: Final = 512
STARTS: Final = 3
TIE: Final = 1e-9
"""Difference below which values are equal: a symmetric machine makes several of its poses so."""
STEP: Final = 1e-6
"""Step of the differences, as a share of the box."""
UNIT: Final = PoseBox(np.zeros(6), np.ones(6))


@dataclass(frozen=True, slots=True, eq=False)
class WorstPose:
    """Worst value of a quantity that was found in a box; a worse one may exist."""

    value: float
    """Value [rad, m, N or none]; nan if the quantity has no limit."""
    coordinates: Array
    """Coordinates of it [m, rad], shape (6,), read-only."""


def unit_starts() -> Array:
    """Corners, centre and a random sample of the unit box, from which searches begin."""
    generator = np.random.Generator(np.random.PCG64(0))
    return np.vstack([corners(UNIT), np.full((1, 6), 0.5), generator.random((SAMPLE, 6))])


def worst_pose(
    box: PoseBox, unit: Array, measure: Callable[[Array], Array], sense: float
) -> WorstPose:
    """Least ``sense * measure`` of poses over a box.

    Args:
        box: the box.
        unit: where to begin, of `unit_starts`.
        measure: quantity of poses of shape (N, 6), shape (N,).
        sense: 1 for the least value, -1 for the greatest.
    """
    from scipy.optimize import minimize

    span = box.upper - box.lower

    def values(rows: Array) -> Array:
        return sense * measure(box.lower + span * rows)

    def cost(at: Array) -> tuple[float, Array]:
        steps = np.where(at > 0.5, -STEP, STEP)
        found = values(np.vstack([at, at + np.diag(steps)]))
        return float(found[0]), (found[1:] - found[0]) / steps

    sampled = values(unit)
    order = np.argsort(sampled, kind="stable")
    best = float(sampled[order[0]])
    place = unit[int(np.argmax(sampled <= best + TIE))]
    if np.isfinite(best):
        for start in unit[order[:STARTS]]:
            found = minimize(cost, start, jac=True, method="L-BFGS-B", bounds=[(0.0, 1.0)] * 6)
            ended = np.clip(found.x, 0.0, 1.0)
            value = float(values(ended[None, :])[0])
            if value < best - TIE:
                best, place = value, ended
    coordinates = np.clip(box.lower + span * place, box.lower, box.upper)
    coordinates.setflags(write=False)
    return WorstPose(sense * best, coordinates)
