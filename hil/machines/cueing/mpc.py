"""The table ``[mpc]`` of a cueing preset: the predictive algorithm's own numbers."""

from __future__ import annotations

import math
from typing import Annotated, Final

from pydantic import BeforeValidator, Field

from hil.config.settings import Settings
from hil.machines.cueing.per_axis import per_axis, three_numbers
from platform6dof.cueing import mpc_parameters as p
from platform6dof.cueing.parameters import CueingError, Scales

_DEG: Final = math.pi / 180.0

Travel = Annotated[float, Field(ge=p.TRAVEL.least, le=p.TRAVEL.most)]
TurnDeg = Annotated[float, Field(ge=0.1, le=30.0)]
Weight = Annotated[float, Field(ge=p.WEIGHT.least, le=p.WEIGHT.most)]
Effort = Annotated[float, Field(ge=p.EFFORT.least, le=p.EFFORT.most)]

Travels = Annotated[
    tuple[Travel, Travel, Travel], BeforeValidator(per_axis), three_numbers(0.001, 2.0)
]
TurnsDeg = Annotated[
    tuple[TurnDeg, TurnDeg, TurnDeg], BeforeValidator(per_axis), three_numbers(0.1, 30.0)
]
Weights = Annotated[
    tuple[Weight, Weight, Weight], BeforeValidator(per_axis), three_numbers(0.0, 1e4)
]


class MpcKeys(Settings):
    """Parameters of the predictive algorithm: forward, right, down; roll, pitch, yaw."""

    preview_s: Annotated[float, Field(ge=0.0, le=p.PREVIEW.most)] = 0.0
    """Preview of a source that knows its future [s]; 0 for none."""
    forecast_s: Annotated[float, Field(ge=p.FORECAST.least, le=p.FORECAST.most)] = 0.3
    """Time constant with which the present motion of a live source is taken to decay [s]."""
    period_s: Annotated[float, Field(ge=p.PLAN_PERIOD.least, le=p.PLAN_PERIOD.most)] = 0.05
    """Period between two plans [s]."""
    step_s: Annotated[float, Field(ge=p.STEP.least, le=p.STEP.most)] = 0.05
    """Step of a plan [s]; the period is a whole multiple of it."""
    blocks: Annotated[
        tuple[Annotated[int, Field(ge=1, le=p.STEPS_MAX)], ...],
        Field(min_length=3, max_length=p.BLOCKS_MAX),
    ] = (1, 1, 1, 2, 2, 3, 4, 5, 6, 7, 8)
    """Steps between the moments at which a plan can change; their sum is the horizon."""
    travel_m: Travels = (0.09, 0.09, 0.09)
    """Largest deviation of the head [m]."""
    turn_deg: TurnsDeg = (8.0, 8.0, 10.0)
    """Largest roll, pitch, yaw [deg]."""
    acceleration_m_s2: Annotated[float, Field(ge=0.05, le=20.0)] = 3.0
    """Largest acceleration of each coordinate of the head [m/s²]."""
    turn_acceleration_deg_s2: Annotated[float, Field(ge=3.0, le=1100.0)] = 57.0
    """Largest angular acceleration of roll, pitch, yaw [deg/s²]."""
    tilt_rate_deg_s: Annotated[float, Field(ge=0.1, le=60.0)] = 3.0
    """Largest rate of a turn beyond the wanted one, or against it [deg/s]."""
    force_weight: Weights = (1.0, 1.0, 1.0)
    """Weight of force that is felt and should not be."""
    rate_weight: Weights = (30.0, 30.0, 30.0)
    """Weight of rates that are felt and should not be."""
    position_weight: Weights = (1.0, 1.0, 1.0)
    """Weight of the deviation of the head."""
    angle_weight: Weights = (0.2, 0.2, 0.2)
    """Weight of roll, pitch, yaw."""
    speed_weight: Weights = (0.02, 0.02, 0.02)
    """Weight of the speeds."""
    turning_weight: Weights = (0.1, 0.1, 0.1)
    """Weight of the angular rates."""
    effort_weight: Effort = 0.001
    """Weight of the accelerations."""
    turn_effort_weight: Effort = 0.01
    """Weight of the angular accelerations."""

    def parameters(
        self, force: Scales, rates: Scales, preview_s: float | None = None
    ) -> p.MpcParameters:
        """Convert to the parameters of the planner.

        Args:
            force: scale of the force.
            rates: scale of the rates.
            preview_s: in place of its own.

        Raises:
            CueingError: with the key, the value and its bounds.
        """
        roll, pitch, yaw = (_DEG * one for one in self.turn_deg)
        try:
            return p.MpcParameters(
                force=force,
                rates=rates,
                preview_s=self.preview_s if preview_s is None else preview_s,
                forecast_s=self.forecast_s,
                period_s=self.period_s,
                step_s=self.step_s,
                blocks=self.blocks,
                travel_m=self.travel_m,
                turn_rad=(roll, pitch, yaw),
                acceleration_m_s2=self.acceleration_m_s2,
                turn_acceleration_rad_s2=_DEG * self.turn_acceleration_deg_s2,
                beyond_rad_s=_DEG * self.tilt_rate_deg_s,
                force_weight=self.force_weight,
                rate_weight=self.rate_weight,
                position_weight=self.position_weight,
                angle_weight=self.angle_weight,
                speed_weight=self.speed_weight,
                turning_weight=self.turning_weight,
                effort_weight=self.effort_weight,
                turn_effort_weight=self.turn_effort_weight,
            )
        except CueingError as error:
            if error.name.startswith(("force.", "rates.")):
                raise
            raise CueingError(f"mpc.{error}", f"mpc.{error.name}") from None
