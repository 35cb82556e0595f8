"""The predictive algorithm as a filter: it plays plans, and requests new ones at regular times.

At every planning time it passes to a planner the motion that will be played until the next planning
time, and the motion that is requested from then on: from a preview of the source, or from the
present motion of the vehicle, which decays in a forecast. The new plan takes over exactly then, and
continues the old one in position, speed and acceleration. If it is not ready by then, the old one
continues, if necessary until it ends at rest; a plan that arrives too late is discarded.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from platform6dof.cueing import plan_kernels as kernel
from platform6dof.cueing.classical import not_finite
from platform6dof.cueing.cue import Rows
from platform6dof.cueing.horizon import Organs
from platform6dof.cueing.mpc_parameters import MpcParameters
from platform6dof.cueing.plan import Plan
from platform6dof.cueing.planner import Outcome, PlanAnswer, Planner, PlanRequest
from platform6dof.cueing.vehicle import GRAVITY_M_S2, VehicleState
from platform6dof.cueing.vestibular import REID_NAHON, VestibularModel

Array = NDArray[np.float64]

WHOLE: Final = 1e-6
"""Tolerance for a period to count as a whole multiple of another."""


class Planning(Protocol):
    """Maker of plans: a planner of this thread, or one elsewhere."""

    @property
    def alive(self) -> bool:
        """Whether plans can still be expected."""
        ...

    def ask(self, request: PlanRequest) -> None:
        """Request a plan without waiting; it replaces a request that is not begun yet."""
        ...

    def answer(self) -> PlanAnswer | None:
        """The newest answer that was not read; None if there is none. Does not wait."""
        ...


class InlinePlanning:
    """Plans made at once in this thread: for a virtual clock.

    Args:
        planner: maker of the plans.
    """

    def __init__(self, planner: Planner) -> None:
        planner.warm()
        self._planner = planner
        self._answer: PlanAnswer | None = None

    @property
    def alive(self) -> bool:
        """Always true."""
        return True

    def ask(self, request: PlanRequest) -> None:
        """Make a plan now."""
        self._answer = self._planner.plan(request)

    def answer(self) -> PlanAnswer | None:
        """The plan, once."""
        answer, self._answer = self._answer, None
        return answer


@dataclass(frozen=True, slots=True)
class PlanStatus:
    """Counts of the requested plans."""

    asked: int = 0
    played: int = 0
    """Plans that took over, including reduced ones."""
    reduced: int = 0
    late: int = 0
    """Plans that were not ready when they should have taken over."""
    failed: int = 0
    """Requests that ended without a plan."""
    lost: bool = False
    """Whether the maker of plans is gone, so that the played plan is the last one."""
    resting: bool = False
    """Whether the played plan has ended; the platform rests at its end."""


class PredictiveFilter:
    """Model-predictive cueing in six coordinates; a `CueingFilter`.

    Args:
        parameters: of the algorithm.
        planning: makes the plans.
        period_s: of the loop [s].
        model: of the inner ear; the planner's.

    Raises:
        ValueError: if the algorithm's period is no whole multiple of the loop's and of its step.
    """

    def __init__(
        self,
        parameters: MpcParameters,
        planning: Planning,
        period_s: float,
        model: VestibularModel = REID_NAHON,
    ) -> None:
        kernel.warm()
        self.parameters: MpcParameters = parameters
        self._planning, self._period_s = planning, period_s
        self._every = _times(parameters.period_s, period_s, "the loop's period")
        self._organs = Organs.of(model, period_s)
        scales = (*parameters.force, *parameters.rates)
        self._most = np.array([one.most for one in scales])
        self._curve = np.array([(one.gain, *one.cubic()) for one in scales]).T
        self._input = np.array([one.input_most or np.inf for one in scales])
        steps = np.arange(sum(parameters.blocks) + 1, dtype=np.float64)
        self._after_s = parameters.period_s + parameters.step_s * steps
        self._until_s: Array = period_s * np.arange(self._every + 1, dtype=np.float64)
        self._first = self._tick = 0
        self.reset()

    def reset(self) -> None:
        """Return to neutral, as if the vehicle had always been level."""
        self._first += self._tick + self._every  # an answer of before fits no request of after
        self._tick = 0
        self._playing, self._next = Plan.at_rest(), None
        self._felt, self._errors = np.zeros((1, 6)), np.zeros((2, 6))
        self._state = np.zeros((6, 3))
        self._ahead: tuple[VehicleState, ...] = ()
        self._status = PlanStatus()
        self._planning.answer()  # one of before is of no use

    @property
    def due(self) -> bool:
        """Whether the next step requests a plan, and uses the states given to `foresee`."""
        return self._tick % self._every == 0

    @property
    def status(self) -> PlanStatus:
        """Counts of the plans so far."""
        now_s = self._tick * self._period_s
        return replace(
            self._status,
            lost=not self._planning.alive,
            resting=self._tick > self._every and now_s >= self._playing.end_s,
        )

    @property
    def playing(self) -> Plan:
        """Plan that is played now; moments count from the first step after `reset`."""
        return self._playing

    def foresee(self, states: Sequence[VehicleState]) -> None:
        """Take the future motion of the vehicle; used in the next step that is `due`.

        Args:
            states: complete; the first is of this step's moment, the others follow a `step_s` of
                the parameters apart. Beyond the last, the motion decays as in a forecast.

        Raises:
            CueingError: if one is not finite.
        """
        for state in states:
            if not math.isfinite(sum(state.f_m_s2) + sum(state.omega_rad_s)):
                raise not_finite(state, 1.0)
        self._ahead = tuple(states)

    def step(self, state: VehicleState, weight: float = 1.0) -> Rows:
        """Compute the platform's rows of this cycle; see `CueingFilter.step`.

        It requests a plan at moments that are `due`, and does not wait for it.

        Raises:
            CueingError: if the force, the rates or the weight are not finite; nothing moved.
        """
        if not math.isfinite(sum(state.f_m_s2) + sum(state.omega_rad_s) + weight):
            raise not_finite(state, weight)
        wanted = self._wanted((state,), weight)[0]
        now_s, tick = self._tick * self._period_s, self._tick
        self._take_reference(tick)
        rows = self._playing.sample(now_s)
        kernel.felt_many(rows[None], self._felt)
        self._errors[0] = self._errors[1]
        self._errors[1] = wanted - self._felt[0]
        if tick:
            organs = self._organs
            kernel.sense(organs.phi, organs.before, organs.now, self._errors, self._state)
        if tick % self._every == 0:
            self._ask(tick, now_s, wanted, weight)
        self._tick = tick + 1
        return rows

    def _take_reference(self, tick: int) -> None:
        """Take an answer that has arrived, and change plans if this is the moment for it."""
        takes_over = tick - tick % self._every + self._every
        if tick and tick % self._every == 0:
            takes_over = tick
        answer = self._planning.answer()
        if answer is not None and answer.serial == self._first + takes_over and self._next is None:
            if answer.plan is None:
                self._status = replace(self._status, failed=self._status.failed + 1)
            reduced = int(answer.outcome is Outcome.REDUCED)
            self._status = replace(self._status, reduced=self._status.reduced + reduced)
            self._next = answer
        if takes_over != tick:
            return
        answer, self._next = self._next, None
        if answer is None:
            self._status = replace(self._status, late=self._status.late + 1)
        elif answer.plan is not None:
            self._playing = answer.plan
            self._status = replace(self._status, played=self._status.played + 1)

    def _ask(self, tick: int, now_s: float, wanted: Array, weight: float) -> None:
        """Request a plan that takes over at the next planning time."""
        known, self._ahead = self._wanted(self._ahead, weight), ()
        soon = self._forecast(wanted, known, self._until_s)
        rows = self._playing.samples(now_s + self._until_s)
        felt = np.empty((len(rows), 6))
        kernel.felt_many(rows, felt)
        state, organs = self._state.copy(), self._organs
        kernel.sense(organs.phi, organs.before, organs.now, soon - felt, state)
        start = tick + self._every
        later = self._forecast(wanted, known, self._after_s)
        begins_s = start * self._period_s
        request = PlanRequest(self._first + start, begins_s, self._playing, state, later)
        self._status = replace(self._status, asked=self._status.asked + 1)
        self._planning.ask(request)

    def _wanted(self, states: Sequence[VehicleState], weight: float) -> Array:
        """Requested force minus its value at rest, and rates, forward, left, up, shape (N, 6)."""
        out = np.empty((len(states), 6))
        for row, state in zip(out, states, strict=True):
            (fx, fy, fz), (p, q, r) = state.f_m_s2, state.omega_rad_s
            row[:] = (fx, -fy, -fz - GRAVITY_M_S2, p, -q, -r)
        out *= weight
        size = np.minimum(np.abs(out), self._input)
        gain, square, cube = self._curve
        scaled = np.minimum(size * (gain + size * (square + size * cube)), self._most)
        return np.copysign(scaled, out)

    def _forecast(self, wanted: Array, known: Array, after_s: Array) -> Array:
        """Forecast the requested force and rates at these times from now [s], shape (N, 6)."""
        if not len(known):
            return np.exp(-after_s / self.parameters.forecast_s)[:, None] * wanted
        times = self.parameters.step_s * np.arange(len(known), dtype=np.float64)
        beyond = np.maximum(after_s - times[-1], 0.0)
        columns = [np.interp(after_s, times, column) for column in known.T]
        return np.exp(-beyond / self.parameters.forecast_s)[:, None] * np.stack(columns, axis=1)


def _times(whole_s: float, part_s: float, name: str) -> int:
    """Return the whole ratio of two periods."""
    times = whole_s / part_s if math.isfinite(part_s) and part_s > 0.0 else math.nan
    if not (times > 1.0 - WHOLE and abs(times - round(times)) < WHOLE):
        raise ValueError(f"period_s: {whole_s} s, must be a whole multiple of {name}, {part_s} s")
    return round(times)
