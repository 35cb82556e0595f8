"""Motions that are planned ahead: joints in step, or a place along a straight line."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from hil.config.fields import AccelerationDeg, AngleDeg, JerkDeg, Positive, RateDeg, Seconds
from hil.config.settings import Settings

TravelSpeed = Annotated[float, Field(gt=0.0, le=10.0)]
Travel = Annotated[float, Field(ge=-20.0, le=20.0)]
Turn = Annotated[float, Field(ge=-720.0, le=720.0)]


class JointGoal(Settings):
    """Goal of one joint, by one of four keys."""

    joint: int
    """Number of the joint in the document."""
    by_deg: Turn | None = None
    """Turn of a hinge from where it starts [deg]."""
    to_deg: Turn | None = None
    """Angle of a hinge [deg]."""
    by_m: Travel | None = None
    """Travel of a slide from where it starts [m]."""
    to_m: Travel | None = None
    """Position of a slide [m]."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        given = [self.by_deg, self.to_deg, self.by_m, self.to_m]
        if sum(one is not None for one in given) != 1:
            raise ValueError("one of by_deg, to_deg, by_m, to_m is needed")
        return self


class JointStart(Settings):
    """Start of one joint, in place of that in its document."""

    joint: int
    """Number of the joint in the document."""
    deg: Turn | None = None
    """Angle of a hinge [deg]."""
    m: Travel | None = None
    """Position of a slide [m]."""

    @model_validator(mode="after")
    def _is_one(self) -> Self:
        if (self.deg is None) == (self.m is None):
            raise ValueError("one of deg, m is needed")
        return self


class Timing(Settings):
    """Time course of a motion along its path."""

    profile: Literal["jerk", "quintic", "uniform"] = "jerk"
    """``jerk``: from rest to rest with bounded jerk; ``quintic``: of fifth order; ``uniform``: in
    equal increments, at once at its speed."""
    duration_s: Seconds | None = None
    """Duration [s]; left out, as short as the bounds allow."""
    speed_deg_s: RateDeg = 55.0
    """Highest speed of each joint, or of the turn along a line [deg/s]."""
    acceleration_deg_s2: AccelerationDeg = 120.0
    """Highest acceleration of each joint, or of the turn along a line [deg/s²]."""
    jerk_deg_s3: JerkDeg = 600.0
    """Highest jerk of each joint, or of the turn along a line [deg/s³]."""
    speed_m_s: TravelSpeed = 0.5
    """Highest speed of each slide, or along a line [m/s]."""
    acceleration_m_s2: Positive = 1.0
    """Highest acceleration of each slide, or along a line [m/s²]."""
    jerk_m_s3: Positive = 5.0
    """Highest jerk of each slide, or along a line [m/s³]."""


class HoldMotion(Settings):
    """All joints held where they start, against all that pulls at them."""

    kind: Literal["hold"]
    """Always ``hold``."""
    duration_s: Seconds | None = None
    """Duration [s]; left out, 10 s on the virtual clock, and in real time until it is stopped."""


class FreeMotion(Settings):
    """Joints moved by a diagram alone: nobody asks for their places; others are held."""

    kind: Literal["free"]
    """Always ``free``."""
    duration_s: Seconds | None = None
    """Duration [s]; left out, 10 s on the virtual clock, and in real time until it is stopped."""


class JointsMotion(Timing):
    """All joints in step, along the straight line in joint space."""

    kind: Literal["joints"]
    """Always ``joints``."""
    goal: tuple[JointGoal, ...]
    """Goals of the joints that move; the others stay."""


class LineMotion(Timing):
    """A place of the robot along a straight line, by inverse kinematics at every step."""

    kind: Literal["line"]
    """Always ``line``."""
    end: int | None = None
    """Number of the end joint whose place moves; the robot's first one if left out."""
    goal: tuple[JointGoal, ...] = ()
    """Joint goals that define the line's end; left out, the two keys below do."""
    by_m: tuple[Travel, Travel, Travel] | None = None
    """Travel along the world's axes x, y, z [m]."""
    turn_deg: tuple[AngleDeg, AngleDeg, AngleDeg] = (0.0, 0.0, 0.0)
    """Turns about the world's x, then y, then z [deg]."""
    turning: Literal["slerp", "three_part"] = "slerp"
    """Rotation about one axis all the way, or about x, y and z one after the other."""
    parts: tuple[float, float] = (0.3333333333333333, 0.6666666666666666)
    """Shares of the path at which x and y are done, for ``three_part``."""
    inverse: Literal["dls", "ccd"] = "dls"
    """Method that finds the joints: damped least squares, which converges in every step, or
    coordinate descent, a few sweeps in each, which continues in the next."""
    sweeps: Annotated[int, Field(ge=1, le=1000)] = 5
    """Sweeps of coordinate descent over all joints, in a step."""

    @model_validator(mode="after")
    def _has_an_end(self) -> Self:
        if bool(self.goal) == (self.by_m is not None):
            raise ValueError("a line needs one of goal and by_m")
        if not 0.0 < self.parts[0] < self.parts[1] < 1.0:
            raise ValueError("parts must be two rising shares in (0, 1)")
        return self
