"""Specification of a design: sizes that may vary, poses, motions, load, what shall be small."""

import math
from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import AfterValidator, BeforeValidator, Field

from hil.config.errors import ConfigError, Wrong, about
from hil.config.fields import AngleDeg, ConeDeg, Coordinate, Distance, Length, Point, Positive
from hil.config.settings import Settings
from hil.machines.rig.body_tables import Moment
from hil.machines.rig.settings import PoseBoxSettings, Rig
from platform6dof.design.motion_poses import moving_poses
from platform6dof.design.problem import DesignLimits, DesignProblem
from platform6dof.dynamics.machine import BodyError, PlatformBody
from platform6dof.workspace import PoseBox

Array = NDArray[np.float64]

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
Name = Annotated[str, Field(min_length=1, max_length=1000)]
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
    inertia_kg_m2: tuple[Moment, Moment, Moment, Moment, Moment, Moment] = (
        0.0, 0.0, 0.0, 0.0, 0.0, 0.0,
    )  # fmt: skip
    """Tensor about the centre, in platform axes: xx, yy, zz, xy, xz, yz [kg m²]; counts in motions
    that turn the load."""
    acceleration_m_s2: (
        tuple[GreatestAcceleration, GreatestAcceleration, GreatestAcceleration] | None
    ) = None
    """Greatest accelerations along x, y, z of the base at all poses of the box, either way, beside
    gravity [m/s²]; may be left out with `motions`: the box's poses are held."""

    def body(self) -> PlatformBody:
        """Convert to a body.

        Raises:
            BodyError: for a tensor that no body has.
        """
        xx, yy, zz, xy, xz, yz = self.inertia_kg_m2
        tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        return PlatformBody("load", self.mass_kg, np.array(self.centre_m), tensor)


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
    motions: Annotated[tuple[Name, ...], Field(max_length=20)] = ()
    """Motions that each rig must play, too, about its neutral pose: scenarios of a station that
    moves a platform, or recorded motions; in the folder of the file, or shipped."""
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
        if problems := [*self._problems()]:
            raise ConfigError(source, problems)
        return self

    def _problems(self) -> Iterator[Wrong]:
        for key, names in (("objectives", self.objectives), ("motions", self.motions)):
            if len(set(names)) != len(names):
                yield about(key, f"{key} = {list(names)}: each may stand there once")
        if self.load.acceleration_m_s2 is None and not self.motions:
            line = "load.acceleration_m_s2 is missing: give it, or name motions"
            yield about("load.acceleration_m_s2", line)
        try:
            self.load.body()
        except BodyError as error:
            key = "load.inertia_kg_m2"
            yield about(key, f"{key} = {list(self.load.inertia_kg_m2)}: {error}")

    def check_on(self, rig: Rig, source: str) -> None:
        """Check the poses to reach on the rig that is named.

        Raises:
            ConfigError: no machine within the ranges can be above its base in all of them.
        """
        key = "pose_box.z_m of the rig" if self.box is None else "box.z_m"
        z_m = (self.box or rig.pose_box).z_m
        half, highest = 0.5 * (z_m[1] - z_m[0]), self.variables.height_m[1]
        if half >= highest:
            line = (
                f"{key} = {list(z_m)}: with its middle at the greatest height_m = {highest:g} its "
                f"lowest pose is {half - highest:.3f} m under the base; no machine reaches that: "
                f"a smaller range, or a greater variables.height_m is needed"
            )
            raise ConfigError(source, [about("variables.height_m", line)])

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

    def problem(self, rig: Rig, setpoints: Array | None = None) -> DesignProblem:
        """Convert to the mathematics' problem.

        Args:
            setpoints: packed ones of the motions on the rig, shape (N, 24); None if there are none.
        """
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
        ax, ay, az = self.load.acceleration_m_s2 or (0.0, 0.0, 0.0)
        load = [self.load.mass_kg, *self.load.centre_m, ax, ay, az + GRAVITY_M_S2]
        found = DesignProblem(
            ranges[:, 0], ranges[:, 1], box.lower, box.upper, np.array(load),
            self.limits_on(rig), tuple(self.objectives),
        )  # fmt: skip
        if setpoints is None:
            return found
        middle = rig.neutral.coordinates()[:3]
        return replace(found, moving=moving_poses(setpoints, middle, self.load.body()))
