"""Makes plans: a quadratic program over six coordinates, with the legs in it, and a proof.

The unknowns are accelerations of the head in all six coordinates at knots; lengths, speeds and
accelerations of all six legs are bounded at chosen steps, linearised about the plan that is played
now, so their rows are built anew each time. The program is solved by PIQP (Schwan, Jiang, Kuhn,
Jones, "PIQP: A proximal interior-point quadratic programming solver", CDC 2023). Its answer counts
for nothing yet: a plan is handed over only if `platform6dof.Envelope`, tightened a little, finds
every moment of it inside, and it ends at rest. If not all of it can be proved, part of the change
from what is played may be.

A planner has no state: the same request gives the same plan, bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from itertools import pairwise
from typing import Final

import numpy as np
import piqp
from numpy.typing import ArrayLike, NDArray

from platform6dof.cueing import plan_kernels as kernel
from platform6dof.cueing.horizon import Horizon
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.plan import Plan, integrated
from platform6dof.cueing.vestibular import REID_NAHON, VestibularModel
from platform6dof.envelope import Envelope
from platform6dof.kernels import legs, rotation
from platform6dof.pose import Pose

Array = NDArray[np.float64]

INFINITE: Final = 1e30
"""PIQP takes this as no bound."""
SHARES: Final = (0.5, 0.25, 0.125)
"""Of what a solution changes, one after another, if all of it cannot be proved."""
PROOFS_PER_STEP: Final = 4
"""Moments of a step at which a plan is proved."""
LENGTH_RESERVE_M: Final = 1e-3
SPEED_RESERVE: Final = 0.98
ACCELERATION_RESERVE: Final = 0.97
CONE_RESERVE_RAD: Final = 5e-3
CLEARANCE_RESERVE_M: Final = 2e-3
SINGULAR_RESERVE: Final = 1.02
"""By so much is the proof tighter than the envelope, for what lies between its moments; the rows
of the program keep the same distance once more."""
COORDINATE_RESERVES: Final = (0.98, 0.94)
"""Share of the travel that the program may use, at the first and at a second try."""
NEAR_M: Final = 0.1
NEAR: Final = 0.5
"""A leg's row is near where less room is left: of length, and of the limits of speed and
acceleration."""
RELIEF: Final = 1e-6
"""Bounds give way so far beyond what is played already [m, rad, per s, per s²]."""


ITERATIONS_MAX: Final = 60
"""Of the solver; a program of this kind takes 10 to 25."""


class Outcome(IntEnum):
    """How a request ended."""

    PLANNED = 0
    REDUCED = 1
    """Only part of the change from what was played could be proved."""
    UNSOLVED = 2
    """No solution of the program was found."""
    UNPROVED = 3
    """No part of a change keeps the envelope everywhere."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanRequest:
    """What a plan is to be made of."""

    serial: int
    start_s: float
    """When it shall take over [s]."""
    playing: Plan
    """What is played until then, and goes on if there is no plan."""
    organs: Array
    """States of the six organs then, of what they feel and should not, shape (6, 3)."""
    wanted: Array
    """Force and rates less rest at the steps of the horizon from then on, in the rider's axes
    forward, left, up [m/s², rad/s], shape (N + 1, 6)."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanAnswer:
    """What became of a request."""

    serial: int
    outcome: Outcome
    plan: Plan | None
    """It begins at `start_s` as what is played then is; None if there is none."""
    cost: float = 0.0
    """Of the program, half the sum of squares; without a plan 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Program:
    """min ½ x'Px + c'x, A x = b, lower <= G x <= upper, least <= x <= most."""

    hessian: Array
    gradient: Array
    ends: Array
    """A: the speeds at the end, shape (6, 6 n)."""
    end_values: Array
    matrix: Array
    """G: legs, then positions, then turning rates; overwritten by the next program."""
    lower: Array
    upper: Array
    least: Array
    most: Array


class Planner:
    """Makes plans for one machine and one set of parameters.

    Args:
        parameters: of the algorithm.
        envelope: what the machine allows.
        neutral: pose of the platform that deviations count from.
        head_m: the rider's head in the platform's axes [m].
        model: of the inner ear.

    Raises:
        ValueError: if the machine at neutral is not inside the tightened envelope.
    """

    def __init__(
        self,
        parameters: MpcParameters,
        envelope: Envelope,
        neutral: Pose,
        head_m: ArrayLike = (0.0, 0.0, 0.0),
        model: VestibularModel = REID_NAHON,
    ) -> None:
        self.parameters: MpcParameters = parameters
        self.horizon: Horizon = Horizon(parameters, model)
        self.proof: Envelope = _tightened(envelope, 1)
        """What every moment of a plan is judged by."""
        self._head = np.array(head_m, dtype=np.float64)
        at = neutral.coordinates()
        self._angles = at[3:].copy()
        self._origin = np.asarray(neutral.position_m + neutral.rotation @ self._head)
        self._room = np.array(parameters.travel_m + parameters.turn_rad[::-1])
        self._proof_times: Array = (parameters.step_s / PROOFS_PER_STEP) * np.arange(
            1, PROOFS_PER_STEP * self.horizon.steps + 1, dtype=np.float64
        )
        if not self.proved(Plan.standing()):
            found = self.proof.state(neutral)
            raise ValueError(
                f"neutral pose {at.tolist()} is outside the planner's reserve of the envelope "
                f"(legs {found.length_m.tolist()} m)"
            )
        limits = _tightened(envelope, 2)
        still = (limits.limits.speed_max_m_s, limits.limits.acceleration_max_m_s2)
        geometry, margin = envelope.geometry, limits.limits.soft_margin_m
        self._table = geometry.table
        self._low = np.array([geometry.closed_length_m + margin, -still[0], -still[1]])
        self._high = np.array([geometry.open_length_m - margin, *still])
        self._bounds()

    def _bounds(self) -> None:
        """Steps at which bounds hold, and the constant rows of the coordinates."""
        parameters, horizon = self.parameters, self.horizon
        knots, n = parameters.knots, horizon.unknowns
        middles = [(a + b) // 2 for a, b in pairwise(knots) if b - a > 3]
        self._at = np.array(sorted({*knots[1:], *middles}))
        count = len(self._at)
        self._moves = np.ascontiguousarray(horizon.moves[self._at])
        self._inner = np.array(knots[1:-1])
        # A speed that is a parabola between knots stays between three numbers: the speeds at the
        # knots, and where the tangents there meet.
        self._halves = parameters.step_s / 2.0 * np.diff(knots)[1:, None]
        speeds, accelerations = horizon.moves[self._inner, 1], horizon.moves[self._inner, 2]
        box = np.zeros((count, 6, 6 * n))
        turning = np.zeros((2, n, 3, 6 * n))
        for c in range(6):
            box[:, c, c * n : (c + 1) * n] = self._moves[:, 0]
            if c >= 3:
                turning[0, :, c - 3, c * n : (c + 1) * n] = speeds
                turning[1, :, c - 3, c * n : (c + 1) * n] = speeds + self._halves * accelerations
        constant = np.vstack([box.reshape(-1, 6 * n), turning.reshape(-1, 6 * n)])
        self._legs = 18 * count
        self._rows = self._legs + len(constant)
        near = np.stack([np.full(6, NEAR_M), *(NEAR * self._high[1:])])  # (3, 6)
        self._near = np.full(self._rows, np.inf)
        self._near[: self._legs] = np.tile(near.ravel(), count)
        self._matrix = np.zeros((self._rows, 6 * n), order="F")
        self._matrix[self._legs :] = constant
        self._ends = np.zeros((6, 6 * n), order="F")
        for c in range(6):
            self._ends[c, c * n : (c + 1) * n] = horizon.moves[-1, 1]
        push = np.repeat([parameters.acceleration_m_s2, parameters.turn_acceleration_rad_s2], 3)
        self._push = push

    def plan(self, request: PlanRequest) -> PlanAnswer:
        """Make a plan.

        Args:
            request: finite, of the shapes of this planner's horizon.

        Returns:
            A proved plan, or why there is none.

        Raises:
            ValueError: if it is of other shapes, or not finite.
        """
        wanted, organs = request.wanted, request.organs
        if wanted.shape != (self.horizon.steps + 1, 6) or organs.shape != (6, 3):
            text = f"wanted {wanted.shape} and organs {organs.shape}"
            raise ValueError(f"{text}: must be ({self.horizon.steps + 1}, 6) and (6, 3)")
        if not np.isfinite(wanted).all() or not np.isfinite(organs).all():
            raise ValueError("wanted and organs must be finite")
        kept = self.kept(request)
        about, added = request.playing, None
        residuals = self.horizon.constant(kept, request.wanted, request.organs)
        for reserve in COORDINATE_RESERVES:
            program = self.program(request, kept, about, reserve)
            solution = self._solve(program, only_near=reserve == COORDINATE_RESERVES[0])
            if solution is None:
                break
            added = solution
            plan = self._changed(request, kept, added)
            if plan is not None and self.proved(plan, request.playing):
                cost = self.horizon.cost(residuals, added)
                return PlanAnswer(request.serial, Outcome.PLANNED, plan, cost)
            about = plan or about
        if added is None:
            return PlanAnswer(request.serial, Outcome.UNSOLVED, None)
        for share in SHARES:
            plan = self._changed(request, kept, share * added)
            if plan is not None and self.proved(plan, request.playing):
                cost = self.horizon.cost(residuals, share * added)
                return PlanAnswer(request.serial, Outcome.REDUCED, plan, cost)
        return PlanAnswer(request.serial, Outcome.UNPROVED, None)

    def warm(self) -> None:
        """Compile all that a plan needs, by making one that stands."""
        wanted = np.zeros((self.horizon.steps + 1, 6))
        self.plan(PlanRequest(0, 0.0, Plan.standing(), np.zeros((6, 3)), wanted))

    def kept(self, request: PlanRequest) -> Array:
        """What is played, and goes on if nothing is changed, at the steps: (N + 1, 3, 6).

        What the program adds to it is 0 if it finds nothing better, so a plan that is played is
        always among its solutions.
        """
        times = self.horizon.times_s
        played = request.playing.samples(request.start_s + times)
        return integrated(times, played[0], played[:, 2])

    def proved(self, plan: Plan, playing: Plan | None = None) -> bool:
        """Whether a plan is inside the tightened envelope and the travel at every moment.

        Args:
            plan: to be judged.
            playing: what is played before; where this is beyond the travel, a plan may be, too.
        """
        times = plan.start_s + self._proof_times
        deviations = plan.samples(times)
        room = np.broadcast_to(self._room, deviations[:, 0].shape)
        if playing is not None:
            room = np.maximum(room, np.abs(playing.samples(times)[:, 0]) + RELIEF)
        rows = self.platform_rows(deviations)
        inside = self.proof.inside(rows[:, 0], rows[:, 1], rows[:, 2])
        return bool(inside.all() and (np.abs(deviations[:, 0]) <= room).all())

    def platform_rows(self, deviations: Array) -> Array:
        """Coordinates of the platform and derivatives from those of the head, (N, 3, 6) both."""
        out = np.empty_like(deviations)
        kernel.head_rows(deviations, self._head, self._origin, self._angles, out)
        return out

    def program(
        self,
        request: PlanRequest,
        free: Array,
        about: Plan,
        reserve: float = COORDINATE_RESERVES[0],
    ) -> Program:
        """The quadratic program of a request.

        Args:
            request: what is wanted.
            free: what is kept, deviation and two derivatives at each step, shape (N + 1, 3, 6).
            about: motion that the legs are linearised about.
            reserve: share of the travel that may be used.
        """
        horizon, at = self.horizon, self._at
        residuals = horizon.constant(free, request.wanted, request.organs)
        near = about.samples(request.start_s + horizon.times_s[at])
        rows = self.platform_rows(near)
        packed = rotation.setpoints_of_coordinates(
            np.ascontiguousarray(rows[:, 0]),
            np.ascontiguousarray(rows[:, 1]),
            np.ascontiguousarray(rows[:, 2]),
        )
        jacobians = legs.leg_rows_of_poses(self._table, packed)[:, 1:]
        states = legs.leg_states(self._table, packed)
        # J v is the whole speed, J a and what the speeds do the whole acceleration.
        offset = free[at] - near
        lower, upper = np.empty(self._rows), np.empty(self._rows)
        kernel.leg_constraints(
            np.ascontiguousarray(jacobians),
            states,
            rows,
            self._head,
            self._moves,
            offset,
            self._low,
            self._high,
            self._matrix,
            lower,
            upper,
        )
        self._coordinate_bounds(free, request.wanted, reserve * self._room, lower, upper)
        np.minimum(lower, -RELIEF, out=lower)
        np.maximum(upper, RELIEF, out=upper)
        least, most = self._pushes(free)
        return Program(
            horizon.hessian,
            horizon.gradient(residuals),
            self._ends,
            -free[-1, 1],
            self._matrix,
            lower,
            upper,
            least,
            most,
        )

    def _coordinate_bounds(
        self, free: Array, wanted: Array, room: Array, lower: Array, upper: Array
    ) -> None:
        """Bounds of positions and turning rates."""
        box = slice(self._legs, self._legs + 6 * len(self._at))
        positions = free[self._at, 0]
        lower[box] = (-room - positions).ravel()
        upper[box] = (room - positions).ravel()
        beyond, first = self.parameters.beyond_rad_s, box.stop
        rates = wanted[self._inner][:, [5, 4, 3]]
        for half in (np.zeros_like(self._halves), self._halves):
            turning = free[self._inner, 1, 3:] + half * free[self._inner, 2, 3:]
            rows = slice(first, first + turning.size)
            lower[rows] = (np.minimum(rates, 0.0) - beyond - turning).ravel()
            upper[rows] = (np.maximum(rates, 0.0) + beyond - turning).ravel()
            first = rows.stop

    def _pushes(self, free: Array) -> tuple[Array, Array]:
        """Bounds of the unknowns that keep all accelerations in theirs, shape (6 n,) each.

        Between two knots what is added lies between what is added at them, so each of them may add
        what is left at every step of both its blocks.
        """
        knots, push = self.parameters.knots, self._push
        down, up = np.empty((len(knots) - 2, 6)), np.empty((len(knots) - 2, 6))
        for j in range(1, len(knots) - 1):
            around = free[knots[j - 1] : knots[j + 1] + 1, 2]
            down[j - 1] = np.minimum(-push - around.min(axis=0), -RELIEF)
            up[j - 1] = np.maximum(push - around.max(axis=0), RELIEF)
        return down.T.ravel(), up.T.ravel()

    def _solve(self, program: Program, *, only_near: bool = False) -> Array | None:
        """What is added at the inner knots; None if there is no solution.

        Args:
            program: to be solved.
            only_near: whether rows of legs that are far from their limits in what is kept may be
                left out; the proof looks at all of them.
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

    def _changed(self, request: PlanRequest, free: Array, added: Array) -> Plan | None:
        """What is kept and something added, as a plan; None if it would not end at rest."""
        n = self.horizon.unknowns
        at_knots = np.zeros((n + 2, 6))
        at_knots[1:-1] = added.reshape(6, n).T
        accelerations = free[:, 2] + self.horizon.spread(at_knots)
        try:
            return Plan.of_accelerations(
                request.start_s, self.horizon.times_s, free[0], accelerations, request.serial
            )
        except ValueError:  # solved, by the solver's account, but not to the last micrometre
            return None


def _tightened(envelope: Envelope, times: int) -> Envelope:
    """An envelope with the reserves taken off so many times."""
    limits = envelope.limits
    return Envelope(
        envelope.geometry,
        replace(
            limits,
            joint_cone_base_rad=limits.joint_cone_base_rad - times * CONE_RESERVE_RAD,
            joint_cone_platform_rad=limits.joint_cone_platform_rad - times * CONE_RESERVE_RAD,
            leg_clearance_m=limits.leg_clearance_m + times * CLEARANCE_RESERVE_M,
            singular_value_min=limits.singular_value_min * SINGULAR_RESERVE**times,
            speed_max_m_s=limits.speed_max_m_s * SPEED_RESERVE**times,
            acceleration_max_m_s2=limits.acceleration_max_m_s2 * ACCELERATION_RESERVE**times,
            soft_margin_m=limits.soft_margin_m + times * LENGTH_RESERVE_M,
        ),
    )
