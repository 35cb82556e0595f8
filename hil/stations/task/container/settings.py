"""Settings of the task `container`: bounds of what is drawn, and of what is judged."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hil.config.fields import AngleDeg
from hil.config.settings import Settings

Coordinate = Annotated[float, Field(ge=-20.0, le=20.0)]
Place = tuple[Coordinate, Coordinate]
Share = Annotated[float, Field(ge=0.0, le=0.5)]
Noise = Annotated[float, Field(ge=0.0, le=0.2)]
Gap = Annotated[float, Field(gt=0.0, le=4.0)]
Mass = Annotated[float, Field(ge=0.25, le=20.0)]
Coefficient = Annotated[float, Field(ge=0.01, le=2.0)]


class Obstacle(Settings):
    """An obstacle at a definite place, in place of drawn ones."""

    kind: Literal["barrel", "crate", "pallet", "pole"]
    """Kind of the obstacle."""
    at_m: Place
    """Place x, y of its middle in the world [m]."""
    turn_deg: AngleDeg = 0.0
    """Turn about the vertical [deg]."""


class ContainerSettings(Settings):
    """Settings of the task `container`."""

    kind: Literal["container"]
    """Always ``container``."""
    room_m: tuple[Annotated[float, Field(ge=6.0, le=20.0)],
                  Annotated[float, Field(ge=6.0, le=20.0)]] = (12.0, 9.0)  # fmt: skip
    """Length and width of the hangar within its walls [m]."""
    obstacles: tuple[Annotated[int, Field(ge=0, le=30)], Annotated[int, Field(ge=0, le=30)]] = (
        4, 12,
    )  # fmt: skip
    """Least and greatest number of obstacles."""
    gap_m: tuple[Gap, Gap] = (0.8, 1.6)
    """Least and greatest drawn gap; no two obstacles, and none and a wall, are nearer [m]."""
    container_kg: tuple[Mass, Mass] = (0.3, 2.0)
    """Least and greatest mass of the container with its grip bar [kg]."""
    container_friction: tuple[Coefficient, Coefficient] = (0.5, 1.0)
    """Least and greatest coefficient of friction of the grip bar."""
    report_error_m: tuple[Noise, Noise] = (0.0, 0.2)
    """Least and greatest distance of the container from where it was reported [m]."""
    range_noise_m: Noise = 0.01
    """Standard deviation of a rangefinder's beam [m]."""
    range_lost: Share = 0.02
    """Share of the beams' samples that are lost."""
    position_noise_m: Noise = 0.005
    """Standard deviation of the position sensors [m]."""
    sides: Share = 0.1
    """Greatest difference of a side's motors from their document, as a share."""
    container_at_m: Place | None = None
    """Place of the container, in place of a drawn one [m]."""
    bin_at_m: Place | None = None
    """Place of the bin, in place of a drawn one [m]."""
    start_at_m: Place | None = None
    """Place where the robot starts, in place of a drawn one [m]."""
    start_heading_deg: AngleDeg | None = None
    """Heading of the robot at the start, in place of a drawn one [deg]."""
    obstacle: tuple[Obstacle, ...] | None = None
    """Obstacles, in place of drawn ones."""
    passage: bool = True
    """Whether a way wide enough for the body must lead from start to container and bin."""
    margin_m: Gap = 0.1
    """Least room on each side of the body in that way [m]."""
    slip_max_mm: Annotated[float, Field(gt=0.0, le=100.0)] = 5.0
    """Greatest slip of the container in the jaws [mm]."""
    time_limit_s: Annotated[float, Field(gt=0.0, le=3600.0)] = 300.0
    """Time within which all must be done [s]."""

    @model_validator(mode="after")
    def _bounds_in_order(self) -> Self:
        for name in ("obstacles", "gap_m", "container_kg", "container_friction", "report_error_m"):
            least, greatest = getattr(self, name)
            if least > greatest:
                raise ValueError(f"{name}: the first, {least:g}, is above the second {greatest:g}")
        return self
