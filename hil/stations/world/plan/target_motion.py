"""Motion of a place to a target in the world, by frames that open as they are met."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hil.config.fields import AngleDeg
from hil.stations.world.plan.operator_motions import LedBounds

Place = Annotated[float, Field(ge=-1000.0, le=1000.0)]


class TargetMotion(LedBounds):
    """A place of the robot to a point and angles of the world, frame by frame as they are met."""

    kind: Literal["target"]
    """Always ``target``."""
    end: int | None = None
    """Number of the end joint whose place moves; the robot's first one if left out."""
    point_m: tuple[Place, Place, Place]
    """Point of the world [m]."""
    angles_deg: tuple[AngleDeg, AngleDeg, AngleDeg] | None = None
    """Euler angles about the world's fixed axes, x, then y, then z [deg]; left out, the place keeps
    its axes."""
    step_m: Annotated[float, Field(gt=0.0, le=1.0)] = 0.01
    """Greatest distance from frame to frame [m]."""
    step_deg: Annotated[float, Field(gt=0.0, le=90.0)] = 3.0
    """Greatest turn from frame to frame [deg], on average over the way."""
    k_1: Annotated[int, Field(ge=1)] | None = None
    """Number of the frame at which the turn about x is done; left out, a third of all."""
    k_2: Annotated[int, Field(ge=2)] | None = None
    """Number of the frame at which the turn about y is done; left out, two thirds of all."""
    sigma_1_m: Annotated[float, Field(gt=0.0, le=1.0)] = 1e-3
    """Greatest distance of the measured place from a frame that is met [m]."""
    sigma_2: Annotated[float, Field(gt=0.0, le=3.0)] = 5e-3
    """Greatest difference of the measured rotation from that of a frame that is met, as the norm
    of the difference of both matrices."""
    wait_s: Annotated[float, Field(gt=0.0, le=3600.0)] = 5.0
    """Longest time for a frame to be met [s]; beyond it the run fails."""
    inverse: Literal["dls", "ccd"] = "dls"
    """Method that finds the joints of each frame: damped least squares, or coordinate descent."""
    smoothing_s: Annotated[float, Field(ge=0.01, le=2.0)] = 0.08
    """Time that a joint takes for the last of its travel to a frame [s]."""

    @model_validator(mode="after")
    def _has_both_or_none(self) -> Self:
        if (self.k_1 is None) != (self.k_2 is None):
            raise ValueError("k_1 and k_2 go together")
        return self
