"""Specification of a design: sizes that may vary, poses, load, and what shall be small."""

import math
from typing import Annotated, Literal, Self

import numpy as np
from pydantic import AfterValidator, BeforeValidator, Field

from hil.config.errors import ConfigError, about
from hil.config.fields import AngleDeg, ConeDeg, Coordinate, Distance, Length, Point, Positive
from hil.config.settings import Settings
from hil.machines.rig.settings import PoseBoxSettings, Rig
from platform6dof.design.problem import DesignLimits, DesignProblem
from platform6dof.workspace import PoseBox

GRAVITY_M_S2 = 9.80665


def _two(value: object) -> object:
    return (value, value) if isinstance(value, float | int) else value


def _rising(value: tuple[float, float]) -> tuple[float, float]:
    if value[0] > value[1]:
        raise ValueError(f"from {value[0]:g} to {value[1]:g}: the first must not be the greater")
    return value


_RANGE = BeforeValidator(_two), AfterValidator(_rising)
LengthRange = Annotated[tuple[Length, Length], *_RANGE]
"""Least and greatest [m]; one number where it is fixed."""
TurnRange = Annotated[tuple[AngleDeg, AngleDeg], *_RANGE]
HalfAngle = Annotated[float, Field(ge=0.0, le=60.0)]
HalfAngleRange = Annotated[tuple[HalfAngle, HalfAngle], *_RANGE]
Objective = Literal["stroke_m", "force_n", "error", "footprint_m"]
GreatestAcceleration = Annotated[float, Field(ge=0.0, le=50.0)]


class DesignVariables(Settings):
    """Ranges of the sizes of a machine on two circles; one number where a size is fixed."""

    base_radius_m: LengthRange
    """Radius of the circle through the base's joints [m]."""
    base_half_angle_deg: HalfAngleRange
    """Half angle of each pair of the base's joints [deg]."""
    platform_radius_m: LengthRange
    """Radius of the circle through the platform's joints [m]."""
    platform_half_angle_deg: HalfAngleRange
    """Half angle of each pair of the platform's joints [deg]."""
    plate_turn_deg: TurnRange = (0.0, 0.0)
    """Turn of the platform's pairs against the base's [deg]."""
    height_m: LengthRange
    """Height of the middle of the poses over the base [m]."""


class DesignLoad(Settings):
    """What the platform carries and how it is accelerated."""

    mass_kg: Annotated[float, Field(gt=0.0, le=1e5)]
    """Mass of all that moves [kg]."""
    centre_m: Point = (0.0, 0.0, 0.0)
    """Its centre in platform axes [m]."""
    acceleration_m_s2: tuple[GreatestAcceleration, GreatestAcceleration, GreatestAcceleration]
    """Greatest accelerations along x, y, z of the base, either way, beside gravity [m/s²]."""


class DesignSpec(Settings):
    """Design of a platform: sizes that may vary, poses, load, constraints, objectives."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,30}$")]
    """Beginning of the names of the rigs: small letters, digits, underscores."""
    description: str = ""
    """One-line description for the reader."""
    rig: str
    """Rig from which limits, supervision and slow moves are taken; in the folder of the file, or
    shipped."""
    objectives: Annotated[tuple[Objective, ...], Field(min_length=1, max_length=4)]
    """What shall be small, all at the same time."""
    dead_length_m: Distance
    """Closed length of a cylinder less its stroke, at least [m]."""
    rigs: Annotated[int, Field(ge=1, le=200)] = 20
    """Number of rigs that are wanted; a few more are written where some might not be accepted."""
    seed: Annotated[int, Field(ge=0, le=2**31)] = 0
    """Seed of the search: the same seed finds the same rigs."""
    load: DesignLoad
    """What the platform carries."""
    variables: DesignVariables
    """Sizes that may vary."""
    box: PoseBoxSettings | None = None
    """Poses to reach; the rig's pose box if left out. Its z is moved to `height_m`."""
    singular_value_min: Positive | None = None
    """Least singular value of the Jacobian; the rig's if left out."""
    joint_cone_base_deg: ConeDeg | None = None
    """Largest angle of a leg at the base [deg]; the rig's if left out."""
    joint_cone_platform_deg: ConeDeg | None = None
    """Largest angle of a leg at the platform [deg]; the rig's if left out."""
    leg_clearance_m: Coordinate | None = None
    """Least distance of two legs [m]; the rig's if left out."""

    def check(self, source: str) -> Self:
        """Return itself if its keys agree.

        Raises:
            ConfigError: naming the key, the value and the remedy.
        """
        if len(set(self.objectives)) != len(self.objectives):
            line = f"objectives = {list(self.objectives)}: each may stand there once"
            raise ConfigError(source, [about("objectives", line)])
        return self

    def box_on(self, rig: Rig) -> PoseBox:
        """Poses to reach, z from the middle of its range [m, rad]."""
        box = (self.box or rig.pose_box).box()
        lower, upper = box.lower.copy(), box.upper.copy()
        middle = 0.5 * (lower[2] + upper[2])
        lower[2], upper[2] = lower[2] - middle, upper[2] - middle
        return PoseBox(lower, upper)

    def limits_on(self, rig: Rig) -> DesignLimits:
        """Constraints of the design."""
        own = rig.limits
        base, top = self.joint_cone_base_deg, self.joint_cone_platform_deg
        sigma, clearance = self.singular_value_min, self.leg_clearance_m
        return DesignLimits(
            dead_length_m=self.dead_length_m,
            soft_margin_m=own.soft_margin_m,
            singular_value_min=own.singular_value_min if sigma is None else sigma,
            base_cone_rad=math.radians(own.joint_cone_base_deg if base is None else base),
            platform_cone_rad=math.radians(own.joint_cone_platform_deg if top is None else top),
            clearance_m=own.leg_clearance_m if clearance is None else clearance,
        )

    def problem(self, rig: Rig) -> DesignProblem:
        """Convert to the mathematics' problem."""
        given, box = self.variables, self.box_on(rig)
        ranges = np.array(
            [
                given.base_radius_m,
                np.radians(given.base_half_angle_deg),
                given.platform_radius_m,
                np.radians(given.platform_half_angle_deg),
                np.radians(given.plate_turn_deg),
                given.height_m,
            ]
        )
        ax, ay, az = self.load.acceleration_m_s2
        load = [self.load.mass_kg, *self.load.centre_m, ax, ay, az + GRAVITY_M_S2]
        return DesignProblem(
            ranges[:, 0], ranges[:, 1], box.lower, box.upper, np.array(load),
            self.limits_on(rig), tuple(self.objectives),
        )  # fmt: skip
