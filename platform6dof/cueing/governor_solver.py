"""The governor's quadratic program, solved by PIQP: an interior point method, dense, proximal.

Schwan, Jiang, Kuhn, Jones, "PIQP: A proximal interior-point quadratic programming solver", 2023.
"""

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing.governor_program import FREE, LEG_ROWS, UNKNOWNS
from platform6dof.cueing.quadratic_solver import piqp

Array = NDArray[np.float64]

SLACK_COST = 1e4
"""Cost of passing a near margin's bound, against 1 of the platform's accelerations."""
STEPS = 60
"""Most of the solver; it takes about ten."""
HELD = 1e-4
"""A row with a multiplier above this [m/s²] holds the accelerations back."""


class NearestAccelerations:
    """One quadratic program of fixed size, kept ready by its solver.

    Args:
        near: rows for near margins.
        weights: of the squares of the accelerations' differences, shape (6,).
    """

    def __init__(self, near: int, weights: Array) -> None:
        rows = LEG_ROWS + near
        self._weights = weights
        self._cost = np.zeros(UNKNOWNS)
        self._matrix = np.zeros((rows, UNKNOWNS), order="F")
        self._solver = piqp.DenseSolver()
        self._solver.settings.verbose = False
        self._solver.settings.max_iter = STEPS
        quadratic = np.asfortranarray(np.diag(np.r_[weights, SLACK_COST]))
        lower = np.full(UNKNOWNS, -FREE)
        lower[6] = 0.0
        self._solver.setup(
            quadratic, self._cost, None, None, self._matrix, -np.ones(rows), np.ones(rows),
            lower, np.full(UNKNOWNS, FREE),
        )  # fmt: skip

    def solve(
        self, desired: Array, matrix: Array, low: Array, high: Array
    ) -> tuple[Array, int | None, bool] | None:
        """Accelerations nearest to a request, and what holds them most; None if there are none.

        Args:
            desired: wanted accelerations of the coordinates, shape (6,).
            matrix: rows of six accelerations and the slack, shape (6 + near, 7).
            low: least values of the rows, shape (6 + near,).
            high: their greatest, shape (6 + near,).

        Returns:
            The accelerations, the row with the greatest multiplier, and whether at its upper end.
        """
        self._matrix[:] = matrix
        self._cost[:6] = -self._weights * desired
        self._solver.update(c=self._cost, G=self._matrix, h_l=low, h_u=high)
        status = self._solver.solve()
        found = np.array(self._solver.result.x[:6])
        if status != piqp.PIQP_SOLVED or not np.isfinite(found).all():
            return None
        below, above = self._solver.result.z_l, self._solver.result.z_u
        lower, upper = int(np.argmax(below)), int(np.argmax(above))
        is_upper = bool(above[upper] > below[lower])
        row = upper if is_upper else lower
        held = float(max(above[upper], below[lower])) > HELD
        return found, row if held else None, is_upper
