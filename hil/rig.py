"""A rig: one machine's geometry, cylinders, limits and slow moves, read from ``configs/rigs/``.

A rig says what a machine *is*; what it shall do is a scenario (:mod:`hil.scenario`). Every limit
must be written: a limit left out is an error, never "unlimited".
"""

import math
from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from hil.fields import (
    Acceleration,
    AccelerationDeg,
    AngleDeg,
    AngleRange,
    ConeDeg,
    Coordinate,
    CoordinateRange,
    Distance,
    Jerk,
    JerkDeg,
    LegAccelerations,
    LegLengths,
    LegNumbers,
    LegPositives,
    LegSpeeds,
    Length,
    NotNegative,
    Positive,
    RateDeg,
    SixPoints,
    Speed,
)
from hil.motion.moves import MoveLimits
from hil.rig_drives import RigDrives
from hil.settings import Settings
from platform6dof.pose import Pose
from platform6dof.workspace import PoseBox


class PoseSettings(Settings):
    """A pose X_BP of the platform in the base, M = Rz(alpha) Ry(beta) Rx(gamma)."""

    x_m: Coordinate = 0.0
    y_m: Coordinate = 0.0
    z_m: Coordinate
    alpha_deg: AngleDeg = 0.0
    beta_deg: AngleDeg = 0.0
    gamma_deg: AngleDeg = 0.0

    def coordinates(self) -> np.ndarray:
        """(x, y, z, alpha, beta, gamma) in m and rad, shape (6,)."""
        angles = (math.radians(a) for a in (self.alpha_deg, self.beta_deg, self.gamma_deg))
        return np.array([self.x_m, self.y_m, self.z_m, *angles])

    def pose(self) -> Pose:
        """The same as a :class:`Pose`."""
        return Pose.from_coordinates(self.coordinates())


class CirclesGeometry(Settings):
    """Joints on two circles, at +θ, 120°-θ, 120°+θ, 240°-θ, 240°+θ, -θ on each plate.

    Source: Bukharov et al. 2022, section "Geometry". A half angle of 0 makes the plate a triangle.
    """

    kind: Literal["circles"]
    base_radius_m: Length
    base_half_angle_deg: AngleDeg
    platform_radius_m: Length
    platform_half_angle_deg: AngleDeg
    plate_rotation_deg: AngleDeg = 0.0


class PointsGeometry(Settings):
    """Joints anywhere: six points on the base and six on the platform, each in its own frame."""

    kind: Literal["points"]
    base_joints_m: SixPoints
    platform_joints_m: SixPoints


class Cylinders(Settings):
    """The six electro-cylinders, and how their simulated counterparts behave."""

    closed_length_m: LegLengths
    """Joint to joint with the rod fully in."""
    stroke_m: LegLengths
    reference_length_m: LegLengths
    """Where homing leaves the rod: the reference switch, inside the soft limits."""
    screw_lead_m: Distance = 0.0
    """Lead of a screw whose nut may turn with the joints; 0 for rods guided against rotation."""
    speed_max_m_s: LegSpeeds
    acceleration_max_m_s2: LegAccelerations
    force_max_n: LegPositives
    moving_mass_kg: LegPositives
    """Share of the moving mass that one leg accelerates (simulated cylinders)."""
    static_load_n: LegNumbers
    """Share of the weight that one leg carries (simulated cylinders)."""
    natural_frequency_hz: Positive
    """Of the position loop (simulated cylinders)."""
    damping: Positive
    homing_speed_m_s: Speed
    enable_time_s: NotNegative
    """From the enable request to brakes open and position held."""


class Limits(Settings):
    """What the gate lets through. May be tighter than the cylinders' own limits, never wider."""

    soft_margin_m: Distance
    """Between the mechanical end of the stroke and the soft limit."""
    speed_max_m_s: LegSpeeds
    acceleration_max_m_s2: LegAccelerations
    stop_deceleration_m_s2: LegAccelerations
    joint_cone_base_deg: ConeDeg
    joint_cone_platform_deg: ConeDeg
    leg_clearance_m: Distance
    singular_value_min: Positive
    """Of the Jacobian whose rotation columns are divided by the platform's radius."""


class Supervision(Settings):
    """When the gate calls something late, lost, or not where it should be."""

    following_base_m: Length
    following_per_speed_s: NotNegative
    following_cycles: Annotated[int, Field(ge=1, le=100)]
    reaction_time_s: NotNegative
    missing_setpoints_max: Annotated[int, Field(ge=0, le=10)]
    missing_feedback_max: Annotated[int, Field(ge=0, le=10)]
    late_cycles_max: Annotated[float, Field(ge=1.0, le=10.0)]
    start_tolerance_m: Length
    standstill_speed_m_s: Speed
    standstill_time_s: Positive
    stuck_time_s: Positive
    """How long a measured length may stay the same, to the last bit, while its command moves."""
    stuck_movement_m: Length
    jump_speed_factor: Annotated[float, Field(ge=1.0, le=10.0)]
    """A measured length may change by speed_max · time · this, plus jump_base_m."""
    jump_base_m: Length
    estop_fitted: bool
    """The two channels of the emergency stop are wired to the drives' interlock inputs."""
    estop_discrepancy_s: Positive


class PoseBoxSettings(Settings):
    """Ranges of the six coordinates in which the machine is meant to be used."""

    x_m: CoordinateRange
    y_m: CoordinateRange
    z_m: CoordinateRange
    alpha_deg: AngleRange
    beta_deg: AngleRange
    gamma_deg: AngleRange

    def box(self) -> PoseBox:
        """The same in m and rad."""
        ranges = np.array(
            [self.x_m, self.y_m, self.z_m, self.alpha_deg, self.beta_deg, self.gamma_deg]
        )
        ranges[3:] = np.radians(ranges[3:])
        return PoseBox(lower=ranges[:, 0], upper=ranges[:, 1])


class SlowMoves(Settings):
    """Bounds of the rise to a motion's start and of parking."""

    speed_m_s: Speed
    acceleration_m_s2: Acceleration
    jerk_m_s3: Jerk
    angular_speed_deg_s: RateDeg
    angular_acceleration_deg_s2: AccelerationDeg
    angular_jerk_deg_s3: JerkDeg

    def limits(self) -> MoveLimits:
        """The same in SI units."""
        return MoveLimits(
            speed_m_s=self.speed_m_s,
            acceleration_m_s2=self.acceleration_m_s2,
            jerk_m_s3=self.jerk_m_s3,
            angular_speed_rad_s=math.radians(self.angular_speed_deg_s),
            angular_acceleration_rad_s2=math.radians(self.angular_acceleration_deg_s2),
            angular_jerk_rad_s3=math.radians(self.angular_jerk_deg_s3),
        )


class Rig(Settings):
    """A motion platform on six electro-cylinders."""

    name: Annotated[str, Field(pattern=r"^[a-z0-9_]{1,40}$")]
    description: str = ""
    geometry: Annotated[CirclesGeometry | PointsGeometry, Field(discriminator="kind")]
    cylinders: Cylinders
    limits: Limits
    supervision: Supervision
    neutral: PoseSettings
    """The middle of the motions: where a motion without its own neutral pose is played."""
    slow_moves: SlowMoves
    pose_box: PoseBoxSettings
    """What ``hil platform extremes`` and ``sample`` look at."""
    drives: RigDrives = RigDrives()
    """Real drives; without this table there are simulated ones only."""
