"""A rig: one machine's geometry, cylinders, limits and slow moves, read from ``configs/rigs/``.

A rig describes a machine; a scenario describes its task. Every limit must be written: a limit
left out is an error, never "unlimited".
"""

import math
from typing import Annotated, Any, Literal

import numpy as np
from pydantic import ConfigDict, Field

from hil.config.fields import (
    Acceleration,
    AccelerationDeg,
    AngleDeg,
    AngleRange,
    AtMost,
    ConeDeg,
    Coordinate,
    CoordinateRange,
    Distance,
    EnableSeconds,
    Frequency,
    Jerk,
    JerkDeg,
    LegAccelerations,
    LegForces,
    LegLengths,
    LegLoads,
    LegMasses,
    LegSpeeds,
    Length,
    Positive,
    RateDeg,
    SixPoints,
    Speed,
)
from hil.config.move_limits import MoveLimits
from hil.config.settings import Settings
from hil.machines.rig.body_tables import RigBody, RigDriveTrain
from hil.machines.rig.bus_tables import OtherBusesToo
from hil.machines.rig.drives import RigDrives
from hil_common.arrays.pose import Pose
from platform6dof.workspace import PoseBox
from safety.bounds import BOUNDS


class PoseSettings(Settings):
    """A pose X_BP of the platform in the base, M = Rz(alpha) Ry(beta) Rx(gamma)."""

    x_m: Coordinate = 0.0
    """Position along the base's x [m]."""
    y_m: Coordinate = 0.0
    """Position along the base's y [m]."""
    z_m: Coordinate
    """Height of the platform's origin over the base's [m]; below 0 for one that hangs."""
    alpha_deg: AngleDeg = 0.0
    """Turn about the base's z, the last of the three [deg]."""
    beta_deg: AngleDeg = 0.0
    """Turn about y [deg]."""
    gamma_deg: AngleDeg = 0.0
    """Turn about x, the first of the three [deg]."""

    def coordinates(self) -> np.ndarray:
        """(x, y, z, alpha, beta, gamma) in m and rad, shape (6,)."""
        angles = (math.radians(a) for a in (self.alpha_deg, self.beta_deg, self.gamma_deg))
        return np.array([self.x_m, self.y_m, self.z_m, *angles])

    def pose(self) -> Pose:
        """Convert to a :class:`Pose`."""
        return Pose.from_coordinates(self.coordinates())


class CirclesGeometry(Settings):
    """Joints on two circles, at +θ, 120°-θ, 120°+θ, 240°-θ, 240°+θ, -θ on each plate.

    Source: Bukharov et al. 2022, section "Geometry". A half angle of 0 makes the plate a triangle.
    """

    kind: Literal["circles"]
    base_radius_m: Length
    """Radius of the circle through the base's joints [m]."""
    base_half_angle_deg: AngleDeg
    """Half angle of each pair of the base's joints, θ [deg]."""
    platform_radius_m: Length
    """Radius of the circle through the platform's joints [m]."""
    platform_half_angle_deg: AngleDeg
    """Half angle of each pair of the platform's joints, θ [deg]."""
    plate_rotation_deg: AngleDeg = 0.0
    """Turn of the platform's pairs against the base's [deg]."""


class PointsGeometry(Settings):
    """Joints anywhere: six points on the base and six on the platform, each in its own frame."""

    kind: Literal["points"]
    base_joints_m: SixPoints
    """Six points x, y, z in the base's frame, legs 1 to 6 [m]."""
    platform_joints_m: SixPoints
    """Six points x, y, z in the platform's frame, legs 1 to 6 [m]."""


SHARES = ("static_load_n", "moving_mass_kg")
"""Keys of the cylinders that follow from a rig's bodies where they are left out."""


def _without_shares(schema: dict[str, Any]) -> None:
    """Ask no editor for keys that may follow from the bodies; reading a rig does, without any."""
    schema["required"] = [key for key in schema["required"] if key not in SHARES]


class Cylinders(Settings):
    """The six electro-cylinders, and how their simulated counterparts behave."""

    model_config = ConfigDict(json_schema_extra=_without_shares)

    closed_length_m: LegLengths
    """Length joint to joint with the rod fully in [m]."""
    stroke_m: LegLengths
    """Travel of the rod from fully in to fully out [m]."""
    reference_length_m: LegLengths
    """Length at which homing leaves the rod: the reference switch, inside the soft limits [m]."""
    screw_lead_m: Distance = 0.0
    """Lead of a screw whose nut may turn with the joints; 0 for rods guided against rotation."""
    speed_max_m_s: LegSpeeds
    """Largest speed of the rod [m/s]."""
    acceleration_max_m_s2: LegAccelerations
    """Largest acceleration of the rod [m/s²]."""
    force_max_n: LegForces
    """Largest force along the rod [N]."""
    moving_mass_kg: LegMasses
    """Share of the moving mass that one leg accelerates (simulated cylinders); may be left out of a
    file that has `[[body]]`."""
    static_load_n: LegLoads
    """Share of the weight that one leg carries (simulated cylinders); it pulls if the platform
    hangs below its base. May be left out of a file that has `[[body]]`."""
    natural_frequency_hz: Frequency
    """Natural frequency of the position loop [Hz] (simulated cylinders)."""
    damping: Positive
    """Damping of the position loop, as a share of the critical one (simulated cylinders)."""
    homing_speed_m_s: Speed
    """Speed of the rod towards its reference switch [m/s]."""
    enable_time_s: EnableSeconds
    """Time from the enable request to brakes open and position held [s]."""
    drive: RigDriveTrain | None = None
    """Masses, screw and motor of each leg; forces are judged by them."""


class Limits(Settings):
    """Limits of the gate. May be tighter than the cylinders' own limits, never wider."""

    soft_margin_m: Distance
    """Distance between the mechanical end of the stroke and the soft limit [m]."""
    speed_max_m_s: LegSpeeds
    """Largest permitted speed of a leg [m/s]."""
    acceleration_max_m_s2: LegAccelerations
    """Largest permitted acceleration of a leg's set-points [m/s²]."""
    stop_deceleration_m_s2: LegAccelerations
    """Deceleration of a leg in the controlled stop [m/s²]."""
    joint_cone_base_deg: ConeDeg
    """Largest angle of a leg from the neutral axis of its joint at the base [deg]."""
    joint_cone_platform_deg: ConeDeg
    """Largest angle of a leg from the neutral axis of its joint at the platform [deg]."""
    leg_clearance_m: Distance
    """Least distance between the axes of two legs [m]."""
    singular_value_min: Positive
    """Least singular value of the Jacobian, rotation columns divided by the platform's radius."""


LagSeconds = Annotated[float, Field(gt=0.0, le=0.1)]
"""Lag of the feedback [s]: in 0.1 s a leg at 0.5 m/s goes 50 mm, the distance of a whole stop."""


class Supervision(Settings):
    """Thresholds at which the gate calls something late, lost, or out of place.

    Each number has a greatest value, for one that is too wide watches nothing.
    """

    following_base_m: Annotated[float, Field(gt=0.0), AtMost(BOUNDS["following_base_m"])]
    """Following error permitted at standstill [m]; a leg that is further from its command is
    not led by it."""
    following_per_speed_s: Annotated[float, Field(ge=0.0), AtMost(BOUNDS["following_per_speed_s"])]
    """Growth of that error with the commanded speed [m per m/s]; a leg that lags by more does not
    brake where its command does."""
    following_cycles: Annotated[int, Field(ge=1), AtMost(BOUNDS["following_cycles"])]
    """Cycles in a row outside of that window that trip; it must trip while the leg moves."""
    reaction_time_s: Annotated[float, Field(gt=0.0), AtMost(BOUNDS["reaction_time_s"])]
    """Time from a cause to the first set-point that answers it [s]; the distance covered in it is
    kept free before each soft limit. The gate answers within a few cycles."""
    missing_setpoints_max: Annotated[int, Field(ge=0), AtMost(BOUNDS["missing_setpoints_max"])]
    """Missing set-points in a row that are bridged, blindly."""
    missing_feedback_max: Annotated[int, Field(ge=0), AtMost(BOUNDS["missing_feedback_max"])]
    """Missing answers of a leg in a row that are tolerated, blindly."""
    late_cycles_max: Annotated[float, Field(ge=1.0), AtMost(BOUNDS["late_cycles_max"])]
    """Longest cycle and greatest lateness, in periods; a later cycle acts on what is past."""
    start_tolerance_m: Annotated[float, Field(gt=0.0), AtMost(BOUNDS["start_tolerance_m"])]
    """Greatest distance of a first set-point from the lengths that are held [m]; by so much a leg
    may jump."""
    standstill_speed_m_s: Annotated[float, Field(gt=0.0), AtMost(BOUNDS["standstill_speed_m_s"])]
    """Measured speed up to which a leg counts as at rest [m/s]; brakes close on it."""
    standstill_time_s: Annotated[float, Field(gt=0.0), AtMost(BOUNDS["standstill_cycles"])]
    """Time below that speed after which a leg is at a standstill [s]; so long the power stays on
    after a fault."""
    stuck_time_s: Annotated[float, Field(gt=0.0), AtMost(BOUNDS["stuck_cycles"])]
    """Longest time that a measured length may stay the same, to the last bit, while its command
    moves [s]; so long a frozen measurement is believed."""
    stuck_movement_m: Annotated[float, Field(gt=0.0), AtMost(BOUNDS["stuck_movement_m"])]
    """Movement of the command above which a length that stays the same is stuck [m]; a shorter
    movement is hidden by a frozen measurement."""
    jump_speed_factor: Annotated[float, Field(ge=1.0), AtMost(BOUNDS["jump_speed_factor"])]
    """A measured length may change by speed_max · time · this, plus jump_base_m; with more no jump
    is seen."""
    jump_base_m: Annotated[float, Field(gt=0.0), AtMost(BOUNDS["jump_base_m"])]
    """Change of a measured length that is permitted besides that of its speed [m]; a smaller jump
    is not seen."""
    feedback_lag_max_s: LagSeconds | None = None
    """Largest lag of the measured behind the commanded path, that of the drives included [s]; left
    out: 2.5 cycles, at least 10 ms."""
    feedback_lag_growth_s: LagSeconds | None = None
    """Largest growth of that lag over the one of the first movement [s]; left out: 1.5 cycles, at
    least 3 ms."""
    force_max_n: LegForces | None = None
    """Measured force of a leg at which the platform is stopped [N]; left out: nine tenths of the
    cylinder's."""
    force_time_s: Annotated[float, Field(gt=0.0, le=1.0)] = 0.1
    """Time that an excessive force has to last [s]; a spike is no load, and in 1 s a leg moves 0.5
    m at 0.5 m/s."""
    estop_fitted: bool
    """The two channels of the emergency stop are wired to the drives' interlock inputs."""
    estop_discrepancy_s: Annotated[float, Field(gt=0.0), AtMost(BOUNDS["estop_discrepancy_cycles"])]
    """Longest time that the two channels of the emergency stop may differ [s]; a welded contact
    shows after this."""


class PoseBoxSettings(Settings):
    """Ranges of the six coordinates in which the machine is meant to be used."""

    x_m: CoordinateRange
    """Lowest and highest x [m]."""
    y_m: CoordinateRange
    """Lowest and highest y [m]."""
    z_m: CoordinateRange
    """Lowest and highest z [m]."""
    alpha_deg: AngleRange
    """Lowest and highest turn about z [deg]."""
    beta_deg: AngleRange
    """Lowest and highest turn about y [deg]."""
    gamma_deg: AngleRange
    """Lowest and highest turn about x [deg]."""

    def box(self) -> PoseBox:
        """Convert to m and rad."""
        ranges = np.array(
            [self.x_m, self.y_m, self.z_m, self.alpha_deg, self.beta_deg, self.gamma_deg]
        )
        ranges[3:] = np.radians(ranges[3:])
        return PoseBox(lower=ranges[:, 0], upper=ranges[:, 1])


class SlowMoves(Settings):
    """Bounds of the rise to a motion's start and of parking."""

    speed_m_s: Speed
    """Largest speed of the platform's origin [m/s]."""
    acceleration_m_s2: Acceleration
    """Largest acceleration of the platform's origin [m/s²]."""
    jerk_m_s3: Jerk
    """Largest jerk of the platform's origin [m/s³]."""
    angular_speed_deg_s: RateDeg
    """Largest turn rate of the platform [deg/s]."""
    angular_acceleration_deg_s2: AccelerationDeg
    """Largest angular acceleration of the platform [deg/s²]."""
    angular_jerk_deg_s3: JerkDeg
    """Largest angular jerk of the platform [deg/s³]."""

    def limits(self) -> MoveLimits:
        """Convert to SI units."""
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
    """Name in files and reports: small letters, digits, underscores."""
    description: str = ""
    """One-line description for the reader."""
    geometry: Annotated[CirclesGeometry | PointsGeometry, Field(discriminator="kind")]
    """Places of the twelve joints: on two circles, or anywhere."""
    cylinders: Cylinders
    """The six electro-cylinders."""
    limits: Limits
    """Limits of the gate."""
    supervision: Supervision
    """Trip thresholds of the gate, and the gaps that it bridges."""
    neutral: PoseSettings
    """The middle of the motions: where a motion without its own neutral pose is played."""
    slow_moves: SlowMoves
    """Bounds of the rise to a motion's start and of parking."""
    pose_box: PoseBoxSettings
    """Range of poses that ``hil platform extremes`` and ``sample`` examine."""
    body: tuple[RigBody, ...] = ()
    """Bodies on the platform, itself among them; without them no forces are judged."""
    drives: Annotated[RigDrives, OtherBusesToo()] = RigDrives()
    """Real drives; without this table there are simulated ones only."""
