"""Remaining travel of a platform's legs, and the modes in which it means anything."""

from collections.abc import Mapping
from typing import Any, Final

from hil.scene.margins import MarginGroup, RestState, travel
from hil.stations.platform.scene.shape import LEGS, RigShape

REST_STATES: Final = {
    "OFF": RestState.UNHOMED,
    "IDLE": RestState.UNHOMED,
    "HOMING": RestState.UNHOMED,
    "STANDBY": RestState.AT_REST,
    "ENGAGING": RestState.AT_REST,
    "ENGAGED": RestState.FREE,
    "PARKING": RestState.AT_REST,
}
"""State by mode; stops and faults leave it as it was."""


def legs_of(shape: RigShape) -> MarginGroup:
    """Remaining travel of each leg to its soft limits; it rests at its reference."""
    return MarginGroup(
        tuple(f"Leg {leg}" for leg in range(1, LEGS + 1)),
        ("m",) * LEGS,
        "measured_length_m",
        travel(shape.soft_min_m, shape.soft_max_m),
        rest=shape.reference_length_m,
    )


def margins_of(scenario: Mapping[str, Any]) -> tuple[MarginGroup, ...]:
    """Remaining travel of the legs of the rig in a run's header."""
    return (legs_of(RigShape.from_table(scenario["rig"])),)
