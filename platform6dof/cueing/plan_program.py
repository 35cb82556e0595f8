"""The quadratic program of a plan: what it bounds, built for one moment, and its solution.

The unknowns are accelerations of the head in all six coordinates at knots; lengths, speeds and
accelerations of all six legs are bounded at chosen steps, linearised about the plan that is played
now, so their rows are built anew each time. The program is solved by PIQP (Schwan, Jiang, Kuhn,
Jones, "PIQP: A proximal interior-point quadratic programming solver", CDC 2023).
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose
from platform6dof.cueing import plan_kernels as kernel
from platform6dof.cueing.horizon import Horizon
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.quadratic_solver import piqp
from platform6dof.envelope import Envelope
from platform6dof.kernels import legs, rotation

Array = NDArray[np.float64]

NEAR_M: Final = 0.1
NEAR: Final = 0.5
"""A leg's row is near where less space is left: of length, and of the limits of speed and
acceleration."""
RELIEF: Final = 1e-6
"""Bounds give way so far beyond what is played already [m, rad, per s, per s²]."""
ITERATIONS_MAX: Final = 60
"""Most iterations of the solver; a program of this kind takes 10 to 25."""


class HeadFrame:
    """Frame of a rider's head at neutral: from its deviations to the platform's coordinates.

    Args:
        neutral: pose of the platform that deviations count from.
        head_m: the rider's head in the platform's axes [m], shape (3,).
    """

    def __init__(self, neutral: Pose, head_m: ArrayLike) -> None:
        self.head_m: Array = np.array(head_m, dtype=np.float64)
        """In the platform's axes [m], shape (3,)."""
        self._angles = neutral.coordinates()[3:].copy()
        self._origin = np.asarray(neutral.position_m + neutral.rotation @ self.head_m)

    def platform_rows(self, deviations: Array) -> Array:
        """Coordinates of the platform and derivatives from those of the head, (N, 3, 6) both."""
        out = np.empty_like(deviations)
        kernel.head_rows(deviations, self.head_m, self._origin, self._angles, out)
        return out


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """min ½ x'Px + c'x, A x = b, lower <= G x <= upper, least <= x <= most."""

    hessian: Array
    """P, shape (6 n, 6 n)."""
    gradient: Array
    """c, shape (6 n,)."""
    ends: Array
    """A: the speeds at the end, shape (6, 6 n)."""
    end_values: Array
    """b, shape (6,)."""
    matrix: Array
    """G: legs, then positions, then turning rates; overwritten by the next program."""
    lower: Array
    upper: Array
    least: Array
    most: Array


class ProgramMaker:
    """Builds the programs of one machine and one set of parameters, and solves them.

    Args:
        parameters: of the algorithm.
        horizon: theirs.
        limits: the envelope that the legs' rows keep.
        frame: where the head is.
    """

    def __init__(
        self, parameters: MpcParameters, horizon: Horizon, limits: Envelope, frame: HeadFrame
    ) -> None:
        self._parameters, self._horizon, self._frame = parameters, horizon, frame
        self._largest = parameters.largest_deviation
        geometry, most = limits.geometry, limits.limits
        still = (most.speed_max_m_s, most.acceleration_max_m_s2)
        self._table = geometry.table
        self._low = np.array([geometry.closed_length_m + most.soft_margin_m, -still[0], -still[1]])
        self._high = np.array([geometry.open_length_m - most.soft_margin_m, *still])
        self._push = np.repeat(
            [parameters.acceleration_m_s2, parameters.turn_acceleration_rad_s2], 3
        )
        knots, n = parameters.knots, horizon.unknowns
        middles = [(a + b) // 2 for a, b in pairwise(knots) if b - a > 3]
        self.at: NDArray[np.int64] = np.array(sorted({*knots[1:], *middles}))
        """Steps at which legs and positions are bounded, shape (K,)."""
        self.leg_rows: int = 18 * len(self.at)
        """Rows of G that bound the legs; they come first."""
        self._moves = np.ascontiguousarray(horizon.moves[self.at])
        self._inner = np.array(knots[1:-1])
        # A speed that is a parabola between knots stays between three numbers: the speeds at the
        # knots, and where the tangents there meet.
        self._halves = parameters.step_s / 2.0 * np.diff(knots)[1:, None]
        constant = self._constant_rows()
        self._rows = self.leg_rows + len(constant)
        near = np.stack([np.full(6, NEAR_M), *(NEAR * self._high[1:])])  # (3, 6)
        self._near = np.full(self._rows, np.inf)
        self._near[: self.leg_rows] = np.tile(near.ravel(), len(self.at))
        self._matrix = np.zeros((self._rows, 6 * n), order="F")
        self._matrix[self.leg_rows :] = constant
        self._ends = np.zeros((6, 6 * n), order="F")
        for c in range(6):
            self._ends[c, c * n : (c + 1) * n] = horizon.moves[-1, 1]

    def _constant_rows(self) -> Array:
        """Rows of the positions at chosen steps, then of the turning rates at the inner knots."""
        horizon, n = self._horizon, self._horizon.unknowns
        speeds, accelerations = horizon.moves[self._inner, 1], horizon.moves[self._inner, 2]
        box = np.zeros((len(self.at), 6, 6 * n))
        turning = np.zeros((2, n, 3, 6 * n))
        for c in range(6):
            box[:, c, c * n : (c + 1) * n] = self._moves[:, 0]
            if c >= 3:
                turning[0, :, c - 3, c * n : (c + 1) * n] = speeds
                turning[1, :, c - 3, c * n : (c + 1) * n] = speeds + self._halves * accelerations
        return np.vstack([box.reshape(-1, 6 * n), turning.reshape(-1, 6 * n)])

    def program(
        self, kept: Array, about: Array, wanted: Array, residuals: Array, reserve: float
    ) -> Program:
        """The program of a moment.

        Args:
            kept: deviation of the head and two derivatives at each step while nothing is added,
                shape (N + 1, 3, 6).
            about: those of the motion that the legs are linearised about, at `at`, shape (K, 3, 6).
            wanted: force and rates less rest at each step, forward, left, up, shape (N + 1, 6).
            residuals: of the cost while nothing is added; see `Horizon.constant`.
            reserve: share of the travel that may be used.
        """
        lower, upper = np.empty(self._rows), np.empty(self._rows)
        self._bound_legs(kept, about, lower, upper)
        self._bound_coordinates(kept, wanted, reserve * self._largest, lower, upper)
        np.minimum(lower, -RELIEF, out=lower)
        np.maximum(upper, RELIEF, out=upper)
        least, most = self._pushes(kept)
        return Program(
            self._horizon.hessian,
            self._horizon.gradient(residuals),
            self._ends,
            -kept[-1, 1],
            self._matrix,
            lower,
            upper,
            least,
            most,
        )

    def _bound_legs(self, kept: Array, about: Array, lower: Array, upper: Array) -> None:
        """Rows of lengths, speeds and accelerations of the legs, and their bounds.

        J v is the whole speed, J a and what the speeds do the whole acceleration.
        """
        rows = self._frame.platform_rows(about)
        packed = rotation.setpoints_of_coordinates(
            np.ascontiguousarray(rows[:, 0]),
            np.ascontiguousarray(rows[:, 1]),
            np.ascontiguousarray(rows[:, 2]),
        )
        jacobians = legs.leg_rows_of_poses(self._table, packed)[:, 1:]
        kernel.leg_constraints(
            np.ascontiguousarray(jacobians),
            legs.leg_states(self._table, packed),
            rows,
            self._frame.head_m,
            self._moves,
            kept[self.at] - about,
            self._low,
            self._high,
            self._matrix,
            lower,
            upper,
        )

    def _bound_coordinates(
        self, kept: Array, wanted: Array, largest: Array, lower: Array, upper: Array
    ) -> None:
        """Bounds of positions and turning rates."""
        box = slice(self.leg_rows, self.leg_rows + 6 * len(self.at))
        positions = kept[self.at, 0]
        lower[box] = (-largest - positions).ravel()
        upper[box] = (largest - positions).ravel()
        beyond, first = self._parameters.beyond_rad_s, box.stop
        rates = wanted[self._inner][:, [5, 4, 3]]
        for half in (np.zeros_like(self._halves), self._halves):
            turning = kept[self._inner, 1, 3:] + half * kept[self._inner, 2, 3:]
            rows = slice(first, first + turning.size)
            lower[rows] = (np.minimum(rates, 0.0) - beyond - turning).ravel()
            upper[rows] = (np.maximum(rates, 0.0) + beyond - turning).ravel()
            first = rows.stop

    def _pushes(self, kept: Array) -> tuple[Array, Array]:
        """Bounds of the unknowns that keep all accelerations in theirs, shape (6 n,) each.

        Between two knots what is added lies between what is added at them, so each of them may add
        what is left at every step of both its blocks.
        """
        knots, push = self._parameters.knots, self._push
        down, up = np.empty((len(knots) - 2, 6)), np.empty((len(knots) - 2, 6))
        for j in range(1, len(knots) - 1):
            around = kept[knots[j - 1] : knots[j + 1] + 1, 2]
            down[j - 1] = np.minimum(-push - around.min(axis=0), -RELIEF)
            up[j - 1] = np.maximum(push - around.max(axis=0), RELIEF)
        return down.T.ravel(), up.T.ravel()

    def solved(self, program: Program, *, only_near: bool = False) -> Array | None:
        """Solve for what is added at the inner knots, coordinate by coordinate, shape (6 n,).

        Args:
            program: to be solved.
            only_near: whether rows of legs that are far from their limits in what is kept may be
                left out; the proof of the plan covers all of them.

        Returns:
            None if the solver finds no solution.
        """
        rows: slice | NDArray[np.bool_] = slice(None)
        if only_near:
            rows = np.minimum(-program.lower, program.upper) < self._near
        solver = piqp.DenseSolver()
        solver.settings.eps_abs = solver.settings.eps_rel = 1e-8
        solver.settings.max_iter = ITERATIONS_MAX
        solver.setup(
            program.hessian,
            program.gradient,
            program.ends,
            program.end_values,
            np.asfortranarray(program.matrix[rows]),
            program.lower[rows],
            program.upper[rows],
            program.least,
            program.most,
        )
        if solver.solve() != piqp.PIQP_SOLVED:
            return None
        return np.array(solver.result.x)
