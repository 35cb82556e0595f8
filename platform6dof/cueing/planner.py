"""Makes plans: a quadratic program over six coordinates, with the legs in it, and a proof.

A solution of the program (`plan_program`) is not used without a proof: a plan is returned only if
`platform6dof.Envelope`, tightened a little, finds every moment of it inside, and it ends at rest.
If the whole change from the played plan cannot be proved, part of it may be.

A planner has no state: the same request gives the same plan, bit by bit.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import ArrayLike, NDArray

from hil_common.arrays.pose import Pose
from platform6dof.cueing.horizon import Horizon
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.plan import Plan, integrated
from platform6dof.cueing.plan_program import RELIEF, HeadFrame, Program, ProgramMaker
from platform6dof.cueing.vestibular import REID_NAHON, VestibularModel
from platform6dof.envelope import Envelope

Array = NDArray[np.float64]

SHARES: Final = (0.5, 0.25, 0.125)
"""Shares of a solution's change that are tried in turn, if the whole change cannot be proved."""
PROOFS_PER_STEP: Final = 4
"""Number of moments of a step at which a plan is proved."""
LENGTH_RESERVE_M: Final = 1e-3
SPEED_RESERVE: Final = 0.98
ACCELERATION_RESERVE: Final = 0.97
CONE_RESERVE_RAD: Final = 5e-3
CLEARANCE_RESERVE_M: Final = 2e-3
SINGULAR_RESERVE: Final = 1.02
"""Factor by which the proof is tighter than the envelope, to cover the times between its moments;
the rows of the program keep the same distance once more."""
COORDINATE_RESERVES: Final = (0.98, 0.94)
"""Share of the travel that the program may use, at the first and at a second try."""


class Outcome(IntEnum):
    """Outcome of a request."""

    PLANNED = 0
    REDUCED = 1
    """Only part of the change from the played plan could be proved."""
    UNSOLVED = 2
    """No solution of the program was found."""
    UNPROVED = 3
    """No part of the change keeps the envelope everywhere."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanRequest:
    """Request for a plan."""

    serial: int
    start_s: float
    """Time at which the new plan takes over [s]."""
    playing: Plan
    """Plan that is played until then, and further if there is no new one."""
    organs: Array
    """States of the six organs at that time, for the error that they feel, shape (6, 3)."""
    wanted: Array
    """Requested force minus its value at rest, and rates, at the steps of the horizon from then on,
    in the rider's axes forward, left, up [m/s², rad/s], shape (N + 1, 6)."""


@dataclass(frozen=True, slots=True, eq=False)
class PlanAnswer:
    """Answer to a request."""

    serial: int
    outcome: Outcome
    plan: Plan | None
    """Plan that begins at `start_s` in the state of the played plan; None if there is none."""
    cost: float = 0.0
    """Cost of the program, half the sum of squares; without a plan 0."""


class Planner:
    """Makes plans for one machine and one set of parameters.

    Args:
        parameters: of the algorithm.
        envelope: limits of the machine.
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
        """Envelope by which every moment of a plan is judged."""
        self.frame: HeadFrame = HeadFrame(neutral, head_m)
        """Position of the head."""
        self._largest = parameters.largest_deviation
        self._proof_times: Array = (parameters.step_s / PROOFS_PER_STEP) * np.arange(
            1, PROOFS_PER_STEP * self.horizon.steps + 1, dtype=np.float64
        )
        if not self.proved(Plan.at_rest()):
            found = self.proof.state(neutral)
            raise ValueError(
                f"neutral pose {neutral.coordinates().tolist()} is outside the planner's reserve "
                f"of the envelope (legs {found.length_m.tolist()} m)"
            )
        limits = _tightened(envelope, 2)
        self.programs: ProgramMaker = ProgramMaker(parameters, self.horizon, limits, self.frame)
        """Builds and solves the program of a plan."""

    def plan(self, request: PlanRequest) -> PlanAnswer:
        """Make a plan.

        Args:
            request: finite, of the shapes of this planner's horizon.

        Returns:
            A proved plan, or why there is none.

        Raises:
            ValueError: if it is of other shapes, or not finite.
        """
        self._require_fitting(request)
        kept = self.kept(request)
        residuals = self.horizon.constant(kept, request.wanted, request.organs)
        about, added = request.playing, None
        for reserve in COORDINATE_RESERVES:
            program = self.program(request, kept, about, reserve)
            only_near = reserve == COORDINATE_RESERVES[0]
            solution = self.programs.solved(program, only_near=only_near)
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
        """Compile everything that a plan needs, by making a plan at rest."""
        wanted = np.zeros((self.horizon.steps + 1, 6))
        self.plan(PlanRequest(0, 0.0, Plan.at_rest(), np.zeros((6, 3)), wanted))

    def kept(self, request: PlanRequest) -> Array:
        """Motion that is played if nothing is changed, at the steps: (N + 1, 3, 6).

        The program adds 0 to it if it finds nothing better, so the played plan is
        always among its solutions.
        """
        times = self.horizon.times_s
        played = request.playing.samples(request.start_s + times)
        return integrated(times, played[0], played[:, 2])

    def proved(self, plan: Plan, playing: Plan | None = None) -> bool:
        """Whether a plan is inside the tightened envelope and the travel at every moment.

        Args:
            plan: to be judged.
            playing: the plan played before; where it is beyond the travel, a plan may be, too.
        """
        times = plan.start_s + self._proof_times
        deviations = plan.samples(times)
        largest = np.broadcast_to(self._largest, deviations[:, 0].shape)
        if playing is not None:
            largest = np.maximum(largest, np.abs(playing.samples(times)[:, 0]) + RELIEF)
        rows = self.frame.platform_rows(deviations)
        inside = self.proof.inside(rows[:, 0], rows[:, 1], rows[:, 2])
        return bool(inside.all() and (np.abs(deviations[:, 0]) <= largest).all())

    def program(
        self,
        request: PlanRequest,
        kept: Array,
        about: Plan,
        reserve: float = COORDINATE_RESERVES[0],
    ) -> Program:
        """The quadratic program of a request.

        Args:
            request: the requested motion.
            kept: the kept motion, deviation and two derivatives at each step, shape (N + 1, 3, 6).
            about: motion that the legs are linearised about.
            reserve: share of the travel that may be used.
        """
        residuals = self.horizon.constant(kept, request.wanted, request.organs)
        moments = request.start_s + self.horizon.times_s[self.programs.at]
        near = about.samples(moments)
        return self.programs.program(kept, near, request.wanted, residuals, reserve)

    def _require_fitting(self, request: PlanRequest) -> None:
        """Refuse a request of other shapes, or one that is not finite, with a ValueError."""
        wanted, organs = request.wanted, request.organs
        if wanted.shape != (self.horizon.steps + 1, 6) or organs.shape != (6, 3):
            text = f"wanted {wanted.shape} and organs {organs.shape}"
            raise ValueError(f"{text}: must be ({self.horizon.steps + 1}, 6) and (6, 3)")
        if not np.isfinite(wanted).all() or not np.isfinite(organs).all():
            raise ValueError("wanted and organs must be finite")

    def _changed(self, request: PlanRequest, kept: Array, added: Array) -> Plan | None:
        """Plan of the kept motion plus a change; None if it would not end at rest."""
        n = self.horizon.unknowns
        at_knots = np.zeros((n + 2, 6))
        at_knots[1:-1] = added.reshape(6, n).T
        accelerations = kept[:, 2] + self.horizon.spread(at_knots)
        try:
            return Plan.of_accelerations(
                request.start_s, self.horizon.times_s, kept[0], accelerations, request.serial
            )
        except ValueError:  # solved, by the solver's account, but not to the last micrometre
            return None


def _tightened(envelope: Envelope, times: int) -> Envelope:
    """Return an envelope from which the reserves are subtracted a number of times."""
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
