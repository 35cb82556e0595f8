"""Predictive presets of a ride: their planners, the future that they are given, and their plans.

On the virtual clock plans are made in the thread of the loop, so that a ride repeats bit by bit; in
real time by a process each, which is ready before anything is powered.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Final

from hil.config.errors import ConfigError, about
from hil.machines.cueing.preset import CueingPreset
from hil.machines.rig.machine import envelope_of, geometry_of
from hil.stations.simulator.chain.chain import scale_state
from hil.stations.simulator.chain.plan_wire import RENEWALS_MOST, PlannerSetup
from hil.stations.simulator.chain.planner_process import PlanningError, PlanningProcess
from hil.stations.simulator.plan.scenario import RidePlan
from hil.stations.simulator.plan.source import LiveSource
from platform6dof.cueing.parameters import CueingError
from platform6dof.cueing.predictive import InlinePlanning, PlanStatus, PredictiveFilter


def predictive_filter(
    plan: RidePlan, preset: CueingPreset
) -> tuple[PredictiveFilter, PlanningProcess | None]:
    """Make the filter of a predictive preset, and the process that is entered for its plans.

    Raises:
        ConfigError: if the preset or the rig cannot be planned for.
    """
    scenario, rig = plan.scenario, plan.rig
    cueing = scenario.cueing
    geometry = geometry_of(rig)
    try:
        parameters = preset.predictive(cueing.preview_s)
        envelope, neutral = envelope_of(rig, geometry), rig.neutral.pose()
        setup = PlannerSetup(parameters, envelope, neutral, cueing.head_m)
        planner = setup.planner()
        process = None if scenario.clock == "virtual" else PlanningProcess(setup)
        planning = InlinePlanning(planner) if process is None else process
        return PredictiveFilter(parameters, planning, scenario.period_s), process
    except CueingError as error:
        line = f"preset {preset.name!r}: {error}"
        raise ConfigError(plan.scenario_file, [about(error.name, line)]) from None
    except ValueError as error:
        line = f"preset {preset.name!r}: {error}"
        raise ConfigError(plan.scenario_file, [about("cueing", line)]) from None


SUMMED_S: Final = 10.0
"""Time over which repeated messages are counted before the next one is published [s]."""


class Summed:
    """Counter of repeated messages: the first is published at once, and then how many more."""

    def __init__(self) -> None:
        self._seen = 0
        self._since_s = -math.inf

    def take(self, count: int, now_s: float, *, over: bool = False) -> int:
        """Return the number of repeats to publish now; 0 if none.

        Args:
            count: how many there were so far.
            now_s: on the clock of the run [s].
            over: whether there will be no more.
        """
        new = count - self._seen
        if new <= 0 or not (over or now_s - self._since_s >= SUMMED_S):
            return 0
        self._seen, self._since_s = count, now_s
        return new


def _plans(count: int) -> str:
    return "a plan was" if count == 1 else f"{count} plans were"


class Predictive:
    """All predictive presets of a ride.

    Args:
        filters: theirs.
        processes: that make plans for them; none on the virtual clock.
    """

    def __init__(
        self, filters: Sequence[PredictiveFilter], processes: Sequence[PlanningProcess]
    ) -> None:
        self._filters = tuple(filters)
        self.planned: bool = bool(filters)
        """Whether any preset makes plans."""
        self._processes = tuple(processes)
        self._seen = [PlanStatus()] * len(self._filters)
        self._late = [Summed() for _ in self._filters]
        self._failed = [Summed() for _ in self._filters]
        self._renewed = [0] * len(self._processes)

    @contextmanager
    def planners(self) -> Iterator[None]:
        """Yield the processes, ready.

        Raises:
            ConfigError: if one does not get ready.
        """
        with ExitStack() as stack:
            try:
                for one in self._processes:
                    stack.enter_context(one)
            except PlanningError as error:
                raise ConfigError("cueing", [str(error)]) from None
            yield

    def look_ahead(self, source: LiveSource, now_s: float, gain: float) -> None:
        """Give the vehicle's coming motion to the planners that make a plan in this cycle.

        Args:
            source: just asked for this cycle.
            now_s: on the clock of the run [s].
            gain: factor on force and rates.
        """
        for one in self._filters:
            own = one.parameters
            if one.due and own.preview_s > 0.0:
                states = source.preview(now_s, own.preview_s, own.step_s)
                one.foresee([scale_state(state, gain) for state in states])

    @property
    def counts(self) -> tuple[int, int, int]:
        """Plans that took over, that were late, that failed, so far."""
        found = [one.status for one in self._filters]
        return (
            sum(one.played for one in found),
            sum(one.late for one in found),
            sum(one.failed for one in found),
        )

    def report_changes(
        self, now_s: float, say: Callable[[str], None], *, over: bool = False
    ) -> None:
        """Publish what went wrong with plans since the last call; of late ones the sum.

        Args:
            now_s: on the clock of the run [s].
            over: whether no plan is followed any more, so that there is no sum to wait for.
        """
        for at, process in enumerate(self._processes):
            if process.renewals != self._renewed[at]:
                self._renewed[at] = process.renewals
                say(
                    "the planner's process has died: its copy makes the plans from now on "
                    f"({process.renewals} of at most {RENEWALS_MOST})"
                )
        for at, one in enumerate(self._filters):
            now, before = one.status, self._seen[at]
            if now.lost and not before.lost:
                say("the planner's process is gone: the last plan is played to its rest")
            elif not now.lost and (count := self._late[at].take(now.late, now_s, over=over)):
                say(f"{_plans(count)} late: the one before is played on ({now.late} so far)")
            if count := self._failed[at].take(now.failed, now_s, over=over):
                say(f"{_plans(count)} not found: the one before is played on ({now.failed} so far)")
            if now.resting and not before.resting:
                say("the last plan has ended: the platform rests where it is")
            self._seen[at] = now
