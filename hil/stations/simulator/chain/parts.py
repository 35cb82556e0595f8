"""The filters of a ride, one for each preset, and the change between them; then its chain.

All presets run all the time, so that each has its memory; a change crosses over from one to the
other. The host's flag chooses between the presets for air and ground, unless a person has chosen.
"""

from __future__ import annotations

import numpy as np

from hil.config.errors import ConfigError, about
from hil.machines.cueing.preset import filter_of
from hil.stations.platform.lead.kernels import blend
from hil.stations.simulator.chain.chain import Chain, Limiter
from hil.stations.simulator.chain.predictive_presets import Predictive, predictive_filter
from hil.stations.simulator.plan.scenario import RidePlan
from platform6dof.cueing.cue import CueingFilter, Rows
from platform6dof.cueing.predictive import PredictiveFilter
from platform6dof.cueing.vehicle import VehicleFlags, VehicleState

CHANGE_S = 1.0
"""Time of a change from one preset to another [s]."""


class Presets:
    """Several filters as one: that of the preset in force, and the one before while it changes.

    Args:
        filters: by their numbers.
        ground: number of the one for the ground; 0 if there is none of its own.
    """

    def __init__(self, filters: tuple[CueingFilter, ...], ground: int, period_s: float) -> None:
        self._filters, self._ground, self._period_s = filters, ground, period_s
        self._chosen: int | None = None
        self.number = self._before = 0
        self._passed_s = CHANGE_S

    def reset(self) -> None:
        """Start at neutral, as if the vehicle had always been level."""
        for one in self._filters:
            one.reset()
        self._passed_s = CHANGE_S

    def choose(self, number: int | None) -> None:
        """Select a preset regardless of the host; None: by the host's flag."""
        self._chosen = number

    def step(self, state: VehicleState, weight: float = 1.0) -> Rows:
        """Return the platform's motion in this cycle; see `cue.CueingFilter`."""
        made = [one.step(state, weight) for one in self._filters]
        self._look(state)
        if self._passed_s >= CHANGE_S:
            return made[self.number]
        self._passed_s += self._period_s
        rows = np.empty((3, 6))
        share = min(self._passed_s / CHANGE_S, 1.0)
        blend(share, CHANGE_S, made[self._before], made[self.number], rows)
        return rows

    def _look(self, state: VehicleState) -> None:
        """Begin to cross over, if another one is wanted and no change is under way."""
        wanted = self._chosen
        if wanted is None:
            wanted = self._ground if VehicleFlags.GROUND in state.flags else 0
        if wanted != self.number and self._passed_s >= CHANGE_S:
            self._before, self.number, self._passed_s = self.number, wanted, 0.0


class Parts:
    """Filters, governor and chain of one ride.

    Args:
        names: of its presets, by their numbers.
        predictive: those of them that make plans.
    """

    def __init__(
        self, names: tuple[str, ...], presets: Presets, chain: Chain, predictive: Predictive
    ) -> None:
        self.names: tuple[str, ...] = names
        """Names of the presets."""
        self.chain: Chain = chain
        """Chain that they are part of."""
        self.predictive: Predictive = predictive
        """Presets that make plans."""
        self._presets = presets

    @property
    def preset(self) -> int:
        """Number of the preset in force."""
        return self._presets.number

    def choose(self, number: int | None) -> None:
        """Select a preset regardless of the host; None: by the host's flag."""
        self._presets.choose(number)

    def require(self, number: int | None) -> None:
        """Refuse a preset that is not there.

        Raises:
            ValueError: with those that are.
        """
        if number is not None and number >= len(self.names):
            known = ", ".join(f"{at} ({name})" for at, name in enumerate(self.names))
            raise ValueError(f"preset = {number}: there are {known}")


def parts_of(plan: RidePlan) -> Parts:
    """Return the parts of a plan.

    Raises:
        ConfigError: if an algorithm cannot be had.
    """
    scenario, rig = plan.scenario, plan.rig
    cueing, period_s = scenario.cueing, scenario.period_s
    names = cueing.names
    filters, planned, processes = list[CueingFilter](), list[PredictiveFilter](), []
    for one in plan.presets:
        if (cueing.algorithm or one.algorithm) == "mpc":
            cue, process = predictive_filter(plan, one)
            planned.append(cue)
            processes += [process] if process is not None else []
            filters.append(cue)
            continue
        try:
            filters.append(filter_of(one, period_s, cueing.algorithm))
        except ConfigError as error:
            raise ConfigError(plan.scenario_file, error.problems) from None
    ground = names.index(cueing.ground_preset) if cueing.ground_preset else 0
    presets = Presets(tuple(filters), ground, period_s)
    limiter: Limiter | None = None
    if cueing.governor:
        from hil.machines.rig.governor import governor_of

        limiter = governor_of(rig, period_s)
    neutral = np.array(rig.neutral.coordinates(), dtype=np.float64)
    try:
        head_m = np.array(cueing.head_m, dtype=np.float64)
        chain = Chain(presets, limiter, neutral, head_m, period_s)
    except ValueError as error:
        raise ConfigError(plan.rig_file, [about("neutral", f"neutral: {error}")]) from None
    return Parts(names, presets, chain, Predictive(planned, processes))
