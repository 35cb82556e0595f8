"""Proof of a ride before anything moves, as far as the ride is known.

A recording, a model or an emulated simulator that has an end is ridden in virtual time, to its end.
The motion of a live simulator is not known; of its ride the rise to neutral, rest there and parking
are proved, and the rest is judged as it comes.
"""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from hil.stations.platform.motion.source import Hold
from hil.stations.platform.proof.check import PlatformProof, check_plan
from hil.stations.simulator.plan.scenario import RidePlan
from hil.stations.simulator.plan.source_registry import source_kind
from hil.stations.simulator.run.bench import open_ride_source, ride_of
from hil.stations.simulator.run.rehearsal import Rehearsal, rehearse

STAND_S: Final = 1.0
"""Time for which a platform whose ride is not known is tried at rest at neutral [s]."""


def judge(plan: RidePlan) -> tuple[PlatformProof, Rehearsal | None]:
    """Prove what is known of a ride beforehand; the ride itself is None where only its ends are.

    Raises:
        ConfigError: if something in it cannot be had, or cannot be received on its clock.
    """
    if is_known_ahead(plan):
        ride = rehearse(plan)
        return check_plan(plan, ride), ride
    neutral = ride_of(plan).motion.sample(0.0).X_BP
    return check_plan(plan, Hold(neutral, STAND_S)), None


def is_known_ahead(plan: RidePlan) -> bool:
    """Return whether all of its source can be known now.

    Raises:
        ConfigError: if its source is a live one, and no time passes to receive it in.
    """
    scenario, lasts_s = plan.scenario, plan.lasts_s
    kind = source_kind(scenario.source, Path(plan.scenario_file))
    known = kind.known_ahead(scenario.source)
    if not known and scenario.clock == "virtual":
        with open_ride_source(plan, lambda: 0.0):  # which says why it cannot be
            pass
    return known and math.isfinite(lasts_s)


def unknown_words(plan: RidePlan) -> str:
    """Describe what was judged of an unknown ride, and what judges the rest, in a line."""
    words = f"source {plan.scenario.source_kind!r} is live: what it will say nobody knows "
    words += (
        "beforehand. Judged were its files, rise, rest at neutral and parking; the ride itself "
    )
    words += "is judged as it comes, by watchdog"
    return words + (", governor and gate" if plan.scenario.cueing.governor else " and gate")
