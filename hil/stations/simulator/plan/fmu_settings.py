"""Settings of an FMU that is the vehicle of a scenario: the model, and the use of its variables."""

from __future__ import annotations

import re
from typing import Annotated, Final, Literal

from pydantic import Field, field_validator

from hil.config.settings import Settings
from hil.fmu.variable_map import Mapped
from hil.stations.simulator.plan.source import INPUT_NAME, OperatorInput
from platform6dof.cueing.vehicle import VehicleFlags

FORCES: Final = ("f_x", "f_y", "f_z")
ACCELERATIONS: Final = ("a_x", "a_y", "a_z")
RATES: Final = ("p", "q", "r")
RATES_OF_RATES: Final = ("p_dot", "q_dot", "r_dot")
ANGLES: Final = ("roll", "pitch", "yaw")
VELOCITIES: Final = ("v_x", "v_y", "v_z")
PLACES: Final = ("north", "east", "down")
FLAGS: Final = {"ground": VehicleFlags.GROUND, "reset": VehicleFlags.RESET}
OUTPUTS: Final = {
    **dict.fromkeys((*FORCES, *ACCELERATIONS), "acceleration"),
    **dict.fromkeys(RATES, "rate"),
    **dict.fromkeys(RATES_OF_RATES, "angular acceleration"),
    **dict.fromkeys(ANGLES, "angle"),
    **dict.fromkeys(VELOCITIES, "speed"),
    **dict.fromkeys(PLACES, "length"),
    **dict.fromkeys(FLAGS, "number"),
}
"""Outputs that a vehicle may have, and the quantity of each."""
POSE: Final = ("pose_x", "pose_y", "pose_z", "pose_alpha", "pose_beta", "pose_gamma")
OPERATOR: Final = "operator_"
"""Prefix of an operator's inputs: ``operator_steering`` is the operator's input ``steering``."""


class TakenInput(Mapped):
    """An input of the model, for a quantity of the bench."""

    min: float | None = None
    """Least that an operator may ask; -1 if left out. Of operator's inputs only."""
    max: float | None = None
    """Most that an operator may ask; 1 if left out."""

    @property
    def bounds(self) -> tuple[float, float]:
        """Between what an operator may ask."""
        return -1.0 if self.min is None else self.min, 1.0 if self.max is None else self.max


class FmuSettings(Settings):
    """Model that is the vehicle, and the use of its variables."""

    kind: Literal["fmu"]
    file: str
    """FMU for co-simulation, FMI 2.0 or 3.0; in the folder of the scenario,
    or shipped."""
    sha256: Annotated[str, Field(pattern="^([0-9a-f]{64})?$")] = ""
    """Digest of the file, as `hil fmu info` says it: another one is refused. Its code is loaded by
    `--trust` alone."""
    step_s: Annotated[float, Field(gt=0.0, le=1.0)] | None = None
    """Communication step [s], a whole part of the loop's period, or whole periods; left out: the
    period, or the model's fixed step if that is longer. FMI 2 only hints at a fixed step of a
    model: what is given here is taken."""
    between: Literal["hold", "line"] | None = None
    """Motion of the vehicle between two steps that are longer than a cycle: ``hold``, as the newest
    one; ``line``, straight from one to the next, so a step later. Required for those."""
    deadline_s: Annotated[float, Field(gt=0.0, le=1.0)] = 0.05
    """A step that takes longer is the model's end [s]."""
    outputs: dict[str, Mapped | str]
    """Quantity of the vehicle → variable of the model."""
    inputs: dict[str, TakenInput | str] = Field(default_factory=dict)
    """Measured pose and operator's inputs → input of the model."""
    start: dict[str, float] = Field(default_factory=dict)
    """Start values of parameters and inputs, by variable."""

    @field_validator("inputs")
    @classmethod
    def _of_operators(cls, inputs: dict[str, TakenInput | str]) -> dict[str, TakenInput | str]:
        for name, entry in inputs.items():
            own = name.removeprefix(OPERATOR)
            if own != name and not re.match(INPUT_NAME, own):
                raise ValueError(f"{name}: what follows {OPERATOR} must match {INPUT_NAME}")
            if isinstance(entry, str):
                continue
            low, high = entry.bounds
            if own == name and (entry.min, entry.max) != (None, None):
                raise ValueError(f"{name}: only {OPERATOR}… has min and max")
            if not low < high:
                raise ValueError(f"{name}: min = {low:g} must be below max = {high:g}")
        return inputs


def operator_inputs(settings: FmuSettings) -> tuple[OperatorInput, ...]:
    """Return the inputs of the model that a person may set."""
    made: list[OperatorInput] = []
    for name, entry in settings.inputs.items():
        if name.startswith(OPERATOR):
            taken = TakenInput(variable=entry) if isinstance(entry, str) else entry
            made.append(OperatorInput(name.removeprefix(OPERATOR), *taken.bounds, taken.unit))
    return tuple(made)
