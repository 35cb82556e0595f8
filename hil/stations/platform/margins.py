"""What is left of the travel of a platform's legs."""

from collections.abc import Mapping
from typing import Any, Final

import numpy as np

from hil.machines.machine import soft_range_m
from hil.machines.rig import Rig
from hil.scene.margins import MarginGroup, travel

LEGS: Final = 6


def margins_of(scenario: Mapping[str, Any]) -> tuple[MarginGroup, ...]:
    """What is left of each leg's travel, from the scenario in a run's header."""
    rig = Rig.build(scenario["rig"], "the run's header")
    low, high = np.array([soft_range_m(rig, leg) for leg in range(LEGS)]).T
    return (
        MarginGroup(
            tuple(f"Leg {leg}" for leg in range(1, LEGS + 1)),
            ("m",) * LEGS,
            "measured_length_m",
            travel(low, high),
        ),
    )
